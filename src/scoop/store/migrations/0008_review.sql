-- What people decide about stories: one decision gives one or more verdicts on pairs of documents.

CREATE TABLE story_decisions (
    decision_id    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    action         TEXT NOT NULL CHECK (action IN ('merge', 'apart', 'split')),
    collection     TEXT NOT NULL,
    story_id       BIGINT NOT NULL REFERENCES stories (story_id) ON DELETE RESTRICT,
    other_story_id BIGINT NOT NULL REFERENCES stories (story_id) ON DELETE RESTRICT,
    document_ids   BIGINT[] NOT NULL DEFAULT '{}',
    pointing_ids   BIGINT[] NOT NULL DEFAULT '{}',
    note           TEXT NOT NULL DEFAULT '',
    decided_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT story_decisions_are_about_two CHECK (story_id <> other_story_id)
);

COMMENT ON TABLE story_decisions IS 'What people decided about stories, in order; each can be undone.';
COMMENT ON COLUMN story_decisions.story_id IS 'The story that stayed.';
COMMENT ON COLUMN story_decisions.other_story_id IS 'merge: the story that became part of it; split: the one that was made; apart: the other.';
COMMENT ON COLUMN story_decisions.document_ids IS 'The documents that it moved.';
COMMENT ON COLUMN story_decisions.pointing_ids IS 'merge: the stories that had been merged into the other one before.';

ALTER TABLE story_verdicts
    ADD COLUMN decision_id BIGINT NOT NULL REFERENCES story_decisions (decision_id) ON DELETE CASCADE,
    DROP COLUMN note,
    DROP COLUMN decided_at;

COMMENT ON COLUMN story_verdicts.undone_at IS 'When the decision was undone; the verdict binds nobody from then on.';

CREATE INDEX idx_story_verdicts_decision ON story_verdicts (decision_id);
