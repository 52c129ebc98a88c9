-- Curators: topics that choose by interests, what was evaluated for them, and what they remember.

CREATE TABLE curators (
    topic_id           INTEGER PRIMARY KEY REFERENCES topics (topic_id) ON DELETE CASCADE,
    interests_from     TEXT,
    freshness_days     SMALLINT NOT NULL DEFAULT 3 CHECK (freshness_days BETWEEN 1 AND 30),
    language           TEXT NOT NULL DEFAULT '',
    interests_id       BIGINT,
    settings_from_file TEXT[] NOT NULL DEFAULT '{}',
    problem            TEXT,
    read_at            TIMESTAMPTZ,
    checked_at         TIMESTAMPTZ,
    created_at         TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at         TIMESTAMPTZ NOT NULL DEFAULT now()
);
COMMENT ON TABLE curators IS 'Topics whose digests are chosen by interests.';
COMMENT ON COLUMN curators.interests_from IS 'The file or URL that the interests are read from at every run; NULL: they are changed on the pages, in the API or by commands.';
COMMENT ON COLUMN curators.freshness_days IS 'For how many days a relevant article that was not selected may still be.';
COMMENT ON COLUMN curators.language IS 'The language of the summaries of its articles; empty: that of the article.';
COMMENT ON COLUMN curators.interests_id IS 'The last valid version of its interests.';
COMMENT ON COLUMN curators.settings_from_file IS 'The settings that the file of the interests has, too; they are changed there.';
COMMENT ON COLUMN curators.problem IS 'Why the interests were not read again; NULL: the last version is that of the file.';
COMMENT ON COLUMN curators.read_at IS 'When the file or URL of its interests was last read, also in vain.';
COMMENT ON COLUMN curators.checked_at IS 'When it last looked for new articles.';
CREATE TRIGGER trg_curators_touch_updated_at BEFORE UPDATE ON curators
    FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE interest_versions (
    interests_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic_id     INTEGER NOT NULL REFERENCES curators (topic_id) ON DELETE CASCADE,
    version      INTEGER NOT NULL CHECK (version >= 1),
    interests    JSONB NOT NULL,
    origin       TEXT NOT NULL,
    created_by   TEXT NOT NULL DEFAULT '',
    created_at   TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT uq_interest_versions UNIQUE (topic_id, version)
);
COMMENT ON TABLE interest_versions IS 'The interests of curators. Appended, never changed.';
COMMENT ON COLUMN interest_versions.origin IS 'Where they came from: a file, a URL, page, api or command.';
COMMENT ON COLUMN interest_versions.created_by IS 'The name of the person at that time; empty for a file and the command line.';
ALTER TABLE curators ADD CONSTRAINT fk_curators_interests FOREIGN KEY (interests_id)
    REFERENCES interest_versions (interests_id) ON DELETE SET NULL;

CREATE TYPE evaluation_state AS ENUM ('waiting', 'relevant', 'rejected', 'notified');

CREATE TABLE evaluations (
    evaluation_id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic_id           INTEGER NOT NULL REFERENCES topics (topic_id) ON DELETE CASCADE,
    document_id        BIGINT REFERENCES documents (document_id) ON DELETE SET NULL,
    url                TEXT,
    url_hash           BYTEA NOT NULL CHECK (octet_length(url_hash) = 32),
    article_title      TEXT NOT NULL,
    state              evaluation_state NOT NULL DEFAULT 'waiting',
    reason             TEXT CHECK (reason IN ('low_relevance', 'no_topic_match', 'content_extraction_failed')),
    relevance_score    SMALLINT CHECK (relevance_score BETWEEN 0 AND 100),
    score_parts        JSONB NOT NULL DEFAULT '{}',
    matching_topics    TEXT[] NOT NULL DEFAULT '{}',
    summary            TEXT NOT NULL DEFAULT '',
    reasoning          TEXT NOT NULL DEFAULT '',
    is_ai_generated    BOOLEAN NOT NULL DEFAULT false,
    interests_id       BIGINT REFERENCES interest_versions (interests_id) ON DELETE SET NULL,
    provider           TEXT,
    model              TEXT,
    prompt_id          TEXT,
    prompt_version     TEXT,
    input_hash         BYTEA,
    found_at           TIMESTAMPTZ NOT NULL DEFAULT now(),
    evaluated_at       TIMESTAMPTZ,
    notified_at        TIMESTAMPTZ,
    discord_message_id TEXT,
    updated_at         TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT uq_evaluations UNIQUE (topic_id, url_hash),
    CONSTRAINT evaluations_reason CHECK ((state = 'rejected') = (reason IS NOT NULL)),
    CONSTRAINT evaluations_notified CHECK ((state = 'notified') = (notified_at IS NOT NULL))
);
COMMENT ON TABLE evaluations IS 'Every article that a curator has met, how it scored and what became of it: the memory that keeps it from being paid for or posted twice.';
COMMENT ON COLUMN evaluations.document_id IS 'The document that was evaluated; NULL for an article of an imported memory.';
COMMENT ON COLUMN evaluations.url_hash IS 'Hash of the canonical URL, or of the public id of an article without one.';
COMMENT ON COLUMN evaluations.discord_message_id IS 'The message that it was posted in; NULL if it was posted to another kind of channel.';
CREATE INDEX idx_evaluations_document ON evaluations (document_id, topic_id) WHERE document_id IS NOT NULL;
CREATE INDEX idx_evaluations_without_document ON evaluations (topic_id, url_hash) WHERE document_id IS NULL;
CREATE INDEX idx_evaluations_state ON evaluations (topic_id, state, evaluated_at DESC);
CREATE INDEX idx_evaluations_notified ON evaluations (notified_at) WHERE state = 'notified';
CREATE INDEX idx_evaluations_evaluated ON evaluations (evaluated_at) WHERE state IN ('rejected', 'relevant');
CREATE TRIGGER trg_evaluations_touch_updated_at BEFORE UPDATE ON evaluations
    FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE VIEW notified_articles AS
SELECT evaluation_id, topic_id, url, notified_at, discord_message_id, article_title, relevance_score, updated_at
FROM evaluations WHERE state = 'notified';
COMMENT ON VIEW notified_articles IS 'The articles that curators posted.';
CREATE VIEW rejected_articles AS
SELECT evaluation_id, topic_id, url, evaluated_at, reason, relevance_score, updated_at
FROM evaluations WHERE state = 'rejected';
COMMENT ON VIEW rejected_articles IS 'The articles that curators found irrelevant, or without a text.';

CREATE TABLE evaluation_labels (
    topic_id             INTEGER NOT NULL REFERENCES curators (topic_id) ON DELETE CASCADE,
    document_id          BIGINT NOT NULL REFERENCES documents (document_id) ON DELETE CASCADE,
    is_wanted            BOOLEAN NOT NULL,
    untuned_score        SMALLINT NOT NULL,
    untuned_topic_scores JSONB NOT NULL,
    labelled_by          TEXT NOT NULL DEFAULT '',
    labelled_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (topic_id, document_id)
);
COMMENT ON TABLE evaluation_labels IS 'Thumbs up and down: they tune the local scorer of a curator as long as they are here.';
COMMENT ON COLUMN evaluation_labels.untuned_topic_scores IS 'The scores of the article by topic, without any label.';

ALTER TABLE briefs DROP CONSTRAINT briefs_subject_kind_check;
ALTER TABLE briefs ADD CONSTRAINT briefs_subject_kind_check
    CHECK (subject_kind IN ('document', 'event', 'pair', 'evaluation'));

ALTER TABLE digest_runs ADD COLUMN introduction TEXT NOT NULL DEFAULT '';
COMMENT ON COLUMN digest_runs.introduction IS 'The sentences before the articles of a curator; empty for a topic without interests.';

-- As in 0033, with the index by which projections find changed evaluations.
CREATE OR REPLACE FUNCTION index_changes() RETURNS void LANGUAGE sql AS $$
    CREATE INDEX IF NOT EXISTS idx_documents_changes ON news.documents (updated_at, document_id);
    CREATE INDEX IF NOT EXISTS idx_ingest_runs_changes ON news.ingest_runs (updated_at, run_id);
    CREATE INDEX IF NOT EXISTS idx_briefs_changes ON news.briefs (attempted_at, subject_id)
        WHERE kind = 'summary' AND subject_kind = 'document';
    CREATE INDEX IF NOT EXISTS idx_evaluations_changes ON news.evaluations (updated_at, evaluation_id);
$$;
