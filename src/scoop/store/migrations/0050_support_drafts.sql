-- Summaries that wait until a second model has judged the sentences that the support check leaves open.

ALTER TABLE briefs ADD COLUMN draft TEXT NOT NULL DEFAULT '';
COMMENT ON COLUMN briefs.draft IS 'A reply whose open sentences are to be judged, with its request, as JSON; empty: there is none.';
