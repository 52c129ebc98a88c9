-- What models answer about tools: judgements of mentions whose sentiment is unsure, and answers to questions.

ALTER TABLE briefs DROP CONSTRAINT briefs_subject_kind_check;
ALTER TABLE briefs ADD CONSTRAINT briefs_subject_kind_check
    CHECK (subject_kind IN ('document', 'event', 'pair', 'evaluation', 'mention', 'question'));

CREATE TABLE tool_questions (
    question_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    question    TEXT NOT NULL CHECK (question <> ''),
    facts       JSONB NOT NULL,
    answer      TEXT,
    cited       INTEGER[] NOT NULL DEFAULT '{}',
    model       TEXT NOT NULL DEFAULT '',
    asked_by    TEXT NOT NULL DEFAULT '',
    asked_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    answered_at TIMESTAMPTZ
);
COMMENT ON TABLE tool_questions IS 'Questions about tools in plain language, and what a model answered from the numbers of that moment.';
COMMENT ON COLUMN tool_questions.facts IS 'The numbers and passages that the model was given: number, title, text, url, publisher.';
COMMENT ON COLUMN tool_questions.cited IS 'The numbers of the facts that the answer rests on.';
