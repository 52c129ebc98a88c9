-- Texts that a writer makes: what is asked for, every call of a model, and the summaries.

CREATE TABLE briefs (
    brief_id     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind         TEXT NOT NULL,
    subject_kind TEXT NOT NULL CHECK (subject_kind IN ('document', 'event', 'pair')),
    subject_id   BIGINT NOT NULL,
    language     TEXT NOT NULL DEFAULT '',
    level        TEXT NOT NULL DEFAULT '',
    asked_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
    attempted_at TIMESTAMPTZ,
    written_at   TIMESTAMPTZ,
    problem      TEXT,
    finding      TEXT NOT NULL DEFAULT '',
    failures     INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    CONSTRAINT uq_briefs UNIQUE (kind, subject_kind, subject_id, language, level)
);
COMMENT ON TABLE briefs IS 'Every text that was asked for, once per subject, kind, language and level; the stage write works on them.';
COMMENT ON COLUMN briefs.language IS 'The language that is asked for; empty: that of the sources.';
COMMENT ON COLUMN briefs.level IS 'The level of a lesson, else empty.';
COMMENT ON COLUMN briefs.asked_at IS 'When it was last asked for; an event that developed later is asked for again.';
COMMENT ON COLUMN briefs.problem IS 'Why the last attempt gave no text; NULL: none was made, or it succeeded.';
COMMENT ON COLUMN briefs.failures IS 'Replies that could not be used since a text was last written or asked for.';
COMMENT ON COLUMN briefs.finding IS 'What is to be repaired in the next attempt; empty: the next attempt is a first one.';
CREATE INDEX idx_briefs_subject ON briefs (subject_kind, subject_id);
CREATE INDEX idx_briefs_asked ON briefs (asked_at DESC, brief_id DESC);

CREATE TABLE model_calls (
    call_id        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    brief_id       BIGINT NOT NULL REFERENCES briefs (brief_id),
    task           TEXT NOT NULL,
    subject_kind   TEXT NOT NULL,
    subject_id     BIGINT NOT NULL,
    source         TEXT,
    provider       TEXT NOT NULL,
    model          TEXT NOT NULL,
    endpoint       TEXT NOT NULL,
    prompt_id      TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    input_hash     BYTEA NOT NULL CHECK (octet_length(input_hash) = 32),
    is_repair      BOOLEAN NOT NULL DEFAULT false,
    outcome        TEXT NOT NULL DEFAULT 'open',
    problem        TEXT,
    input_tokens   BIGINT NOT NULL DEFAULT 0 CHECK (input_tokens >= 0),
    output_tokens  BIGINT NOT NULL DEFAULT 0 CHECK (output_tokens >= 0),
    cost           NUMERIC(18, 8) NOT NULL DEFAULT 0 CHECK (cost >= 0),
    currency       TEXT NOT NULL DEFAULT 'USD',
    latency_ms     INTEGER NOT NULL DEFAULT 0,
    prompt_key     TEXT,
    response_key   TEXT,
    called_at      TIMESTAMPTZ NOT NULL DEFAULT now()
);
COMMENT ON TABLE model_calls IS 'Every request to a model server, written before it is sent: budgets and spending follow from it.';
COMMENT ON COLUMN model_calls.outcome IS 'open until the response is stored (for ever, if the worker died), accepted, rejected by a check, or failed.';
COMMENT ON COLUMN model_calls.source IS 'The source of the document, or of the first document of the event.';
CREATE INDEX idx_model_calls_time ON model_calls (task, called_at);
CREATE INDEX idx_model_calls_day ON model_calls (called_at);
CREATE INDEX idx_model_calls_brief ON model_calls (brief_id, call_id);

CREATE TABLE summaries (
    summary_id     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    summary_uuid   UUID NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    brief_id       BIGINT NOT NULL REFERENCES briefs (brief_id),
    subject_kind   TEXT NOT NULL CHECK (subject_kind IN ('document', 'event')),
    subject_id     BIGINT NOT NULL,
    language       TEXT NOT NULL,
    asked_language TEXT NOT NULL,
    version        INTEGER NOT NULL CHECK (version >= 1),
    is_current     BOOLEAN NOT NULL DEFAULT true,
    summary_text   TEXT NOT NULL CHECK (summary_text <> ''),
    sentences      JSONB NOT NULL,
    document_ids   BIGINT[] NOT NULL,
    confidence     REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    provider       TEXT NOT NULL,
    model          TEXT NOT NULL,
    prompt_id      TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    disclaimer_id  TEXT NOT NULL,
    input_hash     BYTEA NOT NULL CHECK (octet_length(input_hash) = 32),
    input_tokens   BIGINT NOT NULL DEFAULT 0,
    output_tokens  BIGINT NOT NULL DEFAULT 0,
    cost           NUMERIC(18, 8) NOT NULL DEFAULT 0,
    currency       TEXT NOT NULL DEFAULT 'USD',
    prompt_key     TEXT,
    response_key   TEXT,
    generated_at   TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT uq_summaries_version UNIQUE (brief_id, version)
);
COMMENT ON TABLE summaries IS 'Summaries of documents and events; earlier versions are kept.';
COMMENT ON COLUMN summaries.language IS 'The language that it is written in.';
COMMENT ON COLUMN summaries.asked_language IS 'The language that was asked for; empty: that of the sources.';
COMMENT ON COLUMN summaries.sentences IS 'Its sentences: text, paragraph, and the ranges of body_text that each rests on.';
COMMENT ON COLUMN summaries.document_ids IS 'The documents that it was made from, in the order of their numbers on the page.';
COMMENT ON COLUMN summaries.confidence IS 'From 0 to 1: how well the sources support it, and how much of them it covers.';
COMMENT ON COLUMN summaries.input_hash IS 'Hash of documents, language, prompt and model: the same is never asked for twice.';
CREATE UNIQUE INDEX uq_summaries_current ON summaries (subject_kind, subject_id, asked_language) WHERE is_current;
CREATE INDEX idx_summaries_input ON summaries (input_hash);
CREATE INDEX idx_summaries_generated ON summaries (generated_at DESC, summary_id DESC);

ALTER TABLE users ADD COLUMN language TEXT NOT NULL DEFAULT '';
COMMENT ON COLUMN users.language IS 'The language in which the person reads summaries; empty: that of the desk.';

-- Lists show the summary in the language of the desk, where there is one.
ALTER TABLE events ADD COLUMN summary_id BIGINT REFERENCES summaries (summary_id);
COMMENT ON COLUMN events.summary_id IS 'Its current summary in the language of its collection; lists show it.';
DROP VIEW marked_events;
CREATE OR REPLACE VIEW event_rows AS
SELECT events.event_id, events.event_uuid, events.collection, led_by.title, led_by.url, events.status,
    events.first_seen_at, events.last_seen_at, events.developed_at, events.story_count, events.item_count,
    events.source_count, events.publisher_family_count, events.language_count, events.sources, events.publisher_families,
    events.languages, led_by.language, led_by.lead, led_by.image_url, led_by.own_publisher, events.lead_story_id,
    led_by.story_uuid AS lead_story_uuid, events.merged_into, events.rank, events.created_at, events.updated_at,
    events.leads, events.chosen_lead_id, led_by.representative_document_id, summaries.summary_text AS summary
FROM events JOIN story_rows AS led_by ON led_by.story_id = events.lead_story_id
LEFT JOIN summaries ON summaries.summary_id = events.summary_id;

CREATE VIEW marked_events AS
SELECT users.user_id, event_rows.*, coalesce(event_marks.is_starred, false) AS is_starred,
    CASE WHEN event_marks.is_read THEN event_rows.developed_at <= event_marks.marked_at
        WHEN NOT event_marks.is_read THEN false
        ELSE coalesce(event_rows.event_id <= everywhere.read_through AND event_rows.developed_at <= everywhere.drawn_at, false)
            OR coalesce(event_rows.event_id <= there.read_through AND event_rows.developed_at <= there.drawn_at, false)
        END AS is_read
FROM users CROSS JOIN event_rows
LEFT JOIN event_marks ON event_marks.user_id = users.user_id AND event_marks.event_id = event_rows.event_id
LEFT JOIN reading_lines AS everywhere ON everywhere.user_id = users.user_id AND everywhere.collection = ''
LEFT JOIN reading_lines AS there ON there.user_id = users.user_id AND there.collection = event_rows.collection
WHERE event_rows.status = 'active';
COMMENT ON VIEW marked_events IS 'Every active event as every person has it: read or not, starred or not.';
