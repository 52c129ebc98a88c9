-- Translations of documents, pairs of the review queue that models judge, and their answers.

CREATE TABLE translations (
    translation_id  BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    brief_id        BIGINT NOT NULL REFERENCES briefs (brief_id),
    document_id     BIGINT NOT NULL REFERENCES documents (document_id) ON DELETE CASCADE,
    language        TEXT NOT NULL,
    from_language   TEXT NOT NULL,
    version         INTEGER NOT NULL CHECK (version >= 1),
    is_current      BOOLEAN NOT NULL DEFAULT true,
    title           TEXT NOT NULL CHECK (title <> ''),
    summary         TEXT NOT NULL DEFAULT '',
    paragraphs      TEXT[] NOT NULL,
    paragraph_count INTEGER NOT NULL,
    text_hash       BYTEA NOT NULL CHECK (octet_length(text_hash) = 32),
    provider        TEXT NOT NULL,
    model           TEXT NOT NULL,
    prompt_id       TEXT NOT NULL,
    prompt_version  TEXT NOT NULL,
    input_hash      BYTEA NOT NULL CHECK (octet_length(input_hash) = 32),
    input_tokens    BIGINT NOT NULL DEFAULT 0,
    output_tokens   BIGINT NOT NULL DEFAULT 0,
    cost            NUMERIC(18, 8) NOT NULL DEFAULT 0,
    currency        TEXT NOT NULL DEFAULT 'USD',
    prompt_key      TEXT,
    response_key    TEXT,
    generated_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT uq_translations_version UNIQUE (brief_id, version)
);
COMMENT ON TABLE translations IS 'Machine translations of documents; earlier versions are kept.';
COMMENT ON COLUMN translations.language IS 'The language that it is in, as it was asked for.';
COMMENT ON COLUMN translations.summary IS 'The translated summary of the document; empty if it had none then.';
COMMENT ON COLUMN translations.paragraphs IS 'The translated paragraphs: the first ones of the text, as many as one request has room for.';
COMMENT ON COLUMN translations.paragraph_count IS 'How many paragraphs the text has.';
COMMENT ON COLUMN translations.text_hash IS 'Hash of title and text of the document that was translated: if these change, the translation is outdated.';
COMMENT ON COLUMN translations.input_hash IS 'Hash of document, language, prompt and model: the same is never asked for twice.';
CREATE UNIQUE INDEX uq_translations_current ON translations (document_id, language) WHERE is_current;

CREATE TABLE review_pairs (
    pair_id           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    one_document_id   BIGINT NOT NULL REFERENCES documents (document_id) ON DELETE CASCADE,
    other_document_id BIGINT NOT NULL REFERENCES documents (document_id) ON DELETE CASCADE,
    created_at        TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT uq_review_pairs UNIQUE (one_document_id, other_document_id)
);
COMMENT ON TABLE review_pairs IS 'Pairs of documents of the review queue that a model was asked about: the subjects of briefs of the kind same_event.';

CREATE TABLE pair_answers (
    answer_id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    pair_id        BIGINT NOT NULL REFERENCES review_pairs (pair_id) ON DELETE CASCADE,
    brief_id       BIGINT NOT NULL REFERENCES briefs (brief_id),
    verdict        TEXT NOT NULL CHECK (verdict IN ('same', 'different', 'unsure')),
    reason         TEXT NOT NULL,
    differences    JSONB NOT NULL,
    provider       TEXT NOT NULL,
    model          TEXT NOT NULL,
    prompt_id      TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    input_hash     BYTEA NOT NULL CHECK (octet_length(input_hash) = 32),
    input_tokens   BIGINT NOT NULL DEFAULT 0,
    output_tokens  BIGINT NOT NULL DEFAULT 0,
    cost           NUMERIC(18, 8) NOT NULL DEFAULT 0,
    currency       TEXT NOT NULL DEFAULT 'USD',
    prompt_key     TEXT,
    response_key   TEXT,
    decision_id    BIGINT REFERENCES story_decisions (decision_id),
    answered_at    TIMESTAMPTZ NOT NULL DEFAULT now()
);
COMMENT ON TABLE pair_answers IS 'What models answered about pairs of the review queue. Appended, never changed.';
COMMENT ON COLUMN pair_answers.differences IS 'The facts in which the documents differ: fact, one, other.';
COMMENT ON COLUMN pair_answers.decision_id IS 'The decision that the answer led to, if models may decide; NULL: none.';
CREATE INDEX idx_pair_answers_pair ON pair_answers (pair_id, answer_id);
CREATE INDEX idx_pair_answers_decision ON pair_answers (decision_id) WHERE decision_id IS NOT NULL;
