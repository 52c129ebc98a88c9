-- A decision that two stories report one event and both stay stories.

ALTER TABLE story_decisions DROP CONSTRAINT story_decisions_action_check;
ALTER TABLE story_decisions ADD CONSTRAINT story_decisions_action_check
    CHECK (action IN ('merge', 'together', 'apart', 'split', 'move', 'lead', 'suppress'));
COMMENT ON COLUMN story_decisions.other_story_id IS 'merge: the story that became part of it; split: the one that was made; together, apart: the other; move: one of the event that it was moved to; lead: the one that led before; NULL: no other.';
