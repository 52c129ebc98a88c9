-- Which decision hides a story, so that stories that join a suppressed event are hidden, and shown, with it.

ALTER TABLE stories ADD COLUMN suppressed_by BIGINT REFERENCES story_decisions (decision_id);
COMMENT ON COLUMN stories.suppressed_by IS 'The decision to suppress its event; NULL: nobody decided that. A merged story keeps it for an undo.';
CREATE INDEX idx_stories_suppressed_by ON stories (suppressed_by) WHERE suppressed_by IS NOT NULL;

UPDATE stories SET suppressed_by = decided.decision_id
FROM (
    SELECT coalesce(events.merged_into, events.event_id) AS event_id, max(decision_id) AS decision_id
    FROM story_decisions JOIN events USING (event_id) WHERE action = 'suppress' AND undone_at IS NULL GROUP BY 1
) AS decided
WHERE stories.coverage_id = decided.event_id AND stories.status = 'suppressed';
