-- What is posted each day, and why each story was or was not in it.

CREATE TYPE topic_rule_type AS ENUM ('include', 'exclude');
CREATE TYPE digest_mode AS ENUM ('live', 'shadow');
CREATE TYPE digest_run_status AS ENUM ('running', 'completed', 'failed');
CREATE TYPE digest_entry_status AS ENUM ('new', 'seen', 'suppressed_duplicate', 'suppressed_manual', 'possible_duplicate');

CREATE TABLE topics (
    topic_id           INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic_slug         TEXT NOT NULL UNIQUE CHECK (topic_slug ~ '^[a-z0-9_]+$'),
    topic_name         TEXT NOT NULL CHECK (length(trim(topic_name)) > 0),
    timezone           TEXT NOT NULL DEFAULT 'Europe/Berlin',
    digest_cron        TEXT NOT NULL,
    discord_channel_id TEXT,
    enabled            BOOLEAN NOT NULL DEFAULT true,
    created_at         TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at         TIMESTAMPTZ NOT NULL DEFAULT now()
);

COMMENT ON TABLE topics IS 'What a digest is about, when it is due and where it goes.';
COMMENT ON COLUMN topics.digest_cron IS 'When the digest is due, as a cron expression in the topic''s timezone.';

CREATE INDEX idx_topics_enabled ON topics (enabled);

CREATE TRIGGER trg_topics_touch_updated_at BEFORE UPDATE ON topics
    FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE topic_source_rules (
    topic_id   INTEGER NOT NULL REFERENCES topics (topic_id) ON DELETE CASCADE,
    source     TEXT NOT NULL CHECK (length(trim(source)) > 0),
    rule_type  topic_rule_type NOT NULL DEFAULT 'include',
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (topic_id, source, rule_type)
);

COMMENT ON TABLE topic_source_rules IS 'Sources that a topic takes in or leaves out.';

CREATE INDEX idx_topic_source_rules_topic ON topic_source_rules (topic_id, rule_type);

CREATE TABLE topic_keyword_rules (
    rule_id    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic_id   INTEGER NOT NULL REFERENCES topics (topic_id) ON DELETE CASCADE,
    rule_type  topic_rule_type NOT NULL,
    pattern    TEXT NOT NULL CHECK (length(trim(pattern)) > 0),
    is_regex   BOOLEAN NOT NULL DEFAULT false,
    weight     SMALLINT NOT NULL DEFAULT 1,
    enabled    BOOLEAN NOT NULL DEFAULT true,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT uq_topic_keyword_rule UNIQUE (topic_id, rule_type, pattern)
);

COMMENT ON TABLE topic_keyword_rules IS 'Words and patterns that put a story into a topic or keep it out.';

CREATE INDEX idx_topic_keyword_rules_topic_enabled ON topic_keyword_rules (topic_id, enabled);

CREATE TABLE story_topic_state (
    story_id               BIGINT NOT NULL REFERENCES stories (story_id) ON DELETE CASCADE,
    topic_id               INTEGER NOT NULL REFERENCES topics (topic_id) ON DELETE CASCADE,
    first_seen_in_topic_at TIMESTAMPTZ NOT NULL,
    first_published_at     TIMESTAMPTZ,
    last_published_at      TIMESTAMPTZ,
    publish_count          INTEGER NOT NULL DEFAULT 0 CHECK (publish_count >= 0),
    suppressed             BOOLEAN NOT NULL DEFAULT false,
    suppression_reason     TEXT,
    updated_at             TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (story_id, topic_id),
    CONSTRAINT story_topic_state_first_pub_after_seen
        CHECK (first_published_at IS NULL OR first_published_at >= first_seen_in_topic_at),
    CONSTRAINT story_topic_state_last_pub_after_first
        CHECK (last_published_at IS NULL OR (first_published_at IS NOT NULL AND last_published_at >= first_published_at))
);

COMMENT ON TABLE story_topic_state IS 'What a topic knows of a story: seen, told, held back.';

CREATE INDEX idx_story_topic_state_topic_seen ON story_topic_state (topic_id, first_seen_in_topic_at DESC);
CREATE INDEX idx_story_topic_state_topic_first_published ON story_topic_state (topic_id, first_published_at);
CREATE INDEX idx_story_topic_state_topic_suppressed ON story_topic_state (topic_id, suppressed);

CREATE TABLE digest_runs (
    digest_run_id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic_id           INTEGER NOT NULL REFERENCES topics (topic_id) ON DELETE RESTRICT,
    run_date           DATE NOT NULL,
    mode               digest_mode NOT NULL,
    attempt            INTEGER NOT NULL DEFAULT 1 CHECK (attempt >= 1),
    window_start_utc   TIMESTAMPTZ NOT NULL,
    window_end_utc     TIMESTAMPTZ NOT NULL,
    started_at         TIMESTAMPTZ NOT NULL DEFAULT now(),
    finished_at        TIMESTAMPTZ,
    published_at       TIMESTAMPTZ,
    status             digest_run_status NOT NULL DEFAULT 'running',
    candidate_count    INTEGER NOT NULL DEFAULT 0 CHECK (candidate_count >= 0),
    posted_count       INTEGER NOT NULL DEFAULT 0 CHECK (posted_count >= 0),
    discord_message_id TEXT,
    error_message      TEXT,
    CONSTRAINT uq_digest_runs_topic_date UNIQUE (topic_id, run_date, mode, attempt),
    CONSTRAINT digest_runs_window_valid CHECK (window_end_utc > window_start_utc),
    CONSTRAINT digest_runs_finished_after_start CHECK (finished_at IS NULL OR finished_at >= started_at),
    CONSTRAINT digest_runs_only_live_is_published CHECK (published_at IS NULL OR mode = 'live')
);

COMMENT ON TABLE digest_runs IS 'One attempt at the digest of a topic and a local date, live or shadow.';

CREATE UNIQUE INDEX uq_digest_runs_one_live_post ON digest_runs (topic_id, run_date) WHERE published_at IS NOT NULL;
CREATE INDEX idx_digest_runs_topic_date ON digest_runs (topic_id, run_date DESC);
CREATE INDEX idx_digest_runs_status_started ON digest_runs (status, started_at DESC);

CREATE TABLE digest_entries (
    digest_entry_id    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest_run_id      BIGINT NOT NULL REFERENCES digest_runs (digest_run_id) ON DELETE CASCADE,
    story_id           BIGINT NOT NULL REFERENCES stories (story_id) ON DELETE RESTRICT,
    status             digest_entry_status NOT NULL,
    rank               INTEGER,
    reason             TEXT,
    score              DOUBLE PRECISION,
    discord_message_id TEXT,
    created_at         TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT uq_digest_entries_run_story UNIQUE (digest_run_id, story_id),
    CONSTRAINT digest_entries_rank_positive CHECK (rank IS NULL OR rank > 0),
    CONSTRAINT digest_entries_score_range CHECK (score IS NULL OR (score >= 0 AND score <= 1))
);

COMMENT ON TABLE digest_entries IS 'Each candidate of a digest run: in or out, and why.';

CREATE INDEX idx_digest_entries_run_status_rank ON digest_entries (digest_run_id, status, rank);
CREATE INDEX idx_digest_entries_story ON digest_entries (story_id);

INSERT INTO topics (topic_slug, topic_name, digest_cron) VALUES
    ('ai_news', 'AI News', '0 9 * * *'),
    ('world_news', 'World News', '0 9 * * *'),
    ('china_news', 'China News', '0 10 * * *');
