-- Decisions about events: a story moved to another event, the lead that a person chose, an event hidden from readers.

ALTER TABLE story_decisions DROP CONSTRAINT story_decisions_action_check;
ALTER TABLE story_decisions
    ADD CONSTRAINT story_decisions_action_check
        CHECK (action IN ('merge', 'apart', 'split', 'move', 'lead', 'suppress')),
    ALTER COLUMN other_story_id DROP NOT NULL,
    ADD COLUMN event_id BIGINT REFERENCES events (event_id),
    ADD COLUMN undone_at TIMESTAMPTZ,
    ADD COLUMN undone_by TEXT NOT NULL DEFAULT '';
COMMENT ON COLUMN story_decisions.story_id IS 'The story that stayed; move: the one that was moved; lead: the one that leads; suppress: the one that led.';
COMMENT ON COLUMN story_decisions.other_story_id IS 'merge: the story that became part of it; split: the one that was made; apart: the other; move: one of the event that it was moved to; lead: the one that led before; NULL: no other.';
COMMENT ON COLUMN story_decisions.event_id IS 'move: the event that the story left; lead, suppress: the event; NULL for the others.';
COMMENT ON COLUMN story_decisions.undone_at IS 'When the decision was undone; NULL while it binds.';
COMMENT ON COLUMN story_decisions.undone_by IS 'The name of the user who undid it, at that time; empty for the command line.';

UPDATE story_decisions SET undone_at = ended.undone_at, undone_by = ended.undone_by
FROM (
    SELECT decision_id, max(undone_at) AS undone_at, max(undone_by) AS undone_by
    FROM story_verdicts WHERE undone_at IS NOT NULL GROUP BY decision_id
) AS ended WHERE story_decisions.decision_id = ended.decision_id;
ALTER TABLE story_verdicts DROP COLUMN undone_by;
ALTER TABLE event_ties DROP COLUMN undone_by;

CREATE INDEX idx_story_decisions_event ON story_decisions (event_id) WHERE undone_at IS NULL;
