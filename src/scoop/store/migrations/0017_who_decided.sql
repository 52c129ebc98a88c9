-- Who decided about stories, and an index for the refused items of one run, the newest first.

ALTER TABLE story_decisions ADD COLUMN decided_by TEXT NOT NULL DEFAULT '';
ALTER TABLE story_verdicts ADD COLUMN undone_by TEXT NOT NULL DEFAULT '';
COMMENT ON COLUMN story_decisions.decided_by IS 'The name of the person, as it was then; empty for the command line.';
COMMENT ON COLUMN story_verdicts.undone_by IS 'The name of the person who undid the decision, as it was then; empty for the command line.';

CREATE INDEX idx_refused_items_run ON refused_items (run_id, refused_item_id DESC);
