-- Where items come from, and the ledger that keeps every one of them.

CREATE TYPE ingest_run_status AS ENUM ('running', 'completed', 'partial', 'failed');
CREATE TYPE ingest_run_trigger AS ENUM ('schedule', 'manual');

CREATE FUNCTION touch_updated_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at = now();
    RETURN NEW;
END
$$;

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'news.% is append-only: % is refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TABLE sources (
    source_id           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug                TEXT NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9_]+$' AND length(slug) <= 128),
    name                TEXT NOT NULL CHECK (length(trim(name)) > 0),
    kind                TEXT NOT NULL CHECK (length(trim(kind)) > 0),
    collection          TEXT NOT NULL CHECK (length(trim(collection)) BETWEEN 1 AND 128),
    category            TEXT NOT NULL DEFAULT 'news',
    base_url            TEXT,
    options             JSONB NOT NULL DEFAULT '{}',
    schedule            TEXT NOT NULL DEFAULT '1h',
    crawl_windows       JSONB NOT NULL DEFAULT '[]',
    allowed_paths       TEXT[] NOT NULL DEFAULT '{}',
    request_interval_ms INTEGER NOT NULL DEFAULT 1000 CHECK (request_interval_ms >= 0),
    timezone            TEXT NOT NULL DEFAULT 'UTC',
    enabled             BOOLEAN NOT NULL DEFAULT true,
    next_visit_at       TIMESTAMPTZ NOT NULL DEFAULT now(),
    created_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at          TIMESTAMPTZ NOT NULL DEFAULT now()
);

COMMENT ON TABLE sources IS 'Where items are gathered from; pushed items need no row here.';
COMMENT ON COLUMN sources.slug IS 'The name that arrivals and documents carry as their source.';
COMMENT ON COLUMN sources.schedule IS 'How often it is visited: an interval such as 30m, 1h or 2d.';
COMMENT ON COLUMN sources.next_visit_at IS 'Kept across restarts, so that a restart never polls what is not due.';

CREATE INDEX idx_sources_due ON sources (next_visit_at) WHERE enabled;

CREATE TABLE ingest_runs (
    run_id             BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source             TEXT NOT NULL CHECK (length(trim(source)) > 0),
    triggered_by_topic TEXT,
    trigger            ingest_run_trigger NOT NULL DEFAULT 'manual',
    started_at         TIMESTAMPTZ NOT NULL DEFAULT now(),
    finished_at        TIMESTAMPTZ,
    status             ingest_run_status NOT NULL DEFAULT 'running',
    items_fetched      INTEGER NOT NULL DEFAULT 0 CHECK (items_fetched >= 0),
    items_inserted     INTEGER NOT NULL DEFAULT 0 CHECK (items_inserted >= 0),
    items_failed       INTEGER NOT NULL DEFAULT 0 CHECK (items_failed >= 0),
    cursor_checkpoint  JSONB,
    error_message      TEXT,
    created_at         TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at         TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT ingest_runs_finished_after_start CHECK (finished_at IS NULL OR finished_at >= started_at)
);

COMMENT ON TABLE ingest_runs IS 'One execution of a source''s fetch, or of an ingest of pushed items.';
COMMENT ON COLUMN ingest_runs.triggered_by_topic IS 'Trace of a migration only: the topic whose cron started this run.';
COMMENT ON COLUMN ingest_runs.cursor_checkpoint IS 'How far the source had been read when the run ended.';

CREATE INDEX idx_ingest_runs_source_started_at ON ingest_runs (source, started_at DESC);
CREATE INDEX idx_ingest_runs_status_started_at ON ingest_runs (status, started_at DESC);

CREATE TRIGGER trg_ingest_runs_touch_updated_at BEFORE UPDATE ON ingest_runs
    FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER trg_sources_touch_updated_at BEFORE UPDATE ON sources
    FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE source_checkpoints (
    source                 TEXT PRIMARY KEY CHECK (length(trim(source)) > 0),
    cursor_checkpoint      JSONB NOT NULL,
    last_successful_run_id BIGINT REFERENCES ingest_runs (run_id) ON DELETE SET NULL,
    updated_at             TIMESTAMPTZ NOT NULL DEFAULT now()
);

COMMENT ON TABLE source_checkpoints IS 'The newest committed checkpoint of each source: where the next fetch goes on.';

CREATE TABLE raw_arrivals (
    raw_arrival_id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id              BIGINT NOT NULL REFERENCES ingest_runs (run_id) ON DELETE RESTRICT,
    collection          TEXT NOT NULL CHECK (length(trim(collection)) > 0),
    source              TEXT NOT NULL CHECK (length(trim(source)) > 0),
    source_item_id      TEXT NOT NULL CHECK (length(trim(source_item_id)) > 0),
    source_item_url     TEXT,
    source_published_at TIMESTAMPTZ,
    fetched_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    raw_payload         JSONB NOT NULL,
    payload_hash        BYTEA NOT NULL CHECK (octet_length(payload_hash) = 32),
    response_headers    JSONB,
    created_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT uq_raw_arrivals_source_item_payload UNIQUE (source, source_item_id, payload_hash)
);

COMMENT ON TABLE raw_arrivals IS 'The ledger: every item as it arrived. Rows are added, never changed, never deleted.';
COMMENT ON COLUMN raw_arrivals.collection IS 'The hard boundary of deduplication; equal to source_metadata.collection of the payload.';
COMMENT ON COLUMN raw_arrivals.fetched_at IS 'When the item was fetched: scraped_at of a pushed item, never later than its arrival.';
COMMENT ON COLUMN raw_arrivals.payload_hash IS
    'SHA-256 of the canonical JSON without what changes at every scrape (job_run_id, scraped_at, scrape_run_uuid).';

CREATE INDEX idx_raw_arrivals_source_item_fetched ON raw_arrivals (source, source_item_id, fetched_at DESC);
CREATE INDEX idx_raw_arrivals_fetched_at ON raw_arrivals (fetched_at DESC);
CREATE INDEX idx_raw_arrivals_payload_hash ON raw_arrivals (payload_hash);
-- The pending list is long so that autovacuum, not the ingest, sorts new entries in.
CREATE INDEX idx_raw_arrivals_payload_gin ON raw_arrivals USING gin (raw_payload jsonb_path_ops)
    WITH (gin_pending_list_limit = 262144);

CREATE TRIGGER trg_raw_arrivals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON raw_arrivals
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE raw_arrivals ENABLE ALWAYS TRIGGER trg_raw_arrivals_append_only;

CREATE TABLE refused_items (
    refused_item_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id          BIGINT NOT NULL REFERENCES ingest_runs (run_id) ON DELETE RESTRICT,
    input           TEXT NOT NULL,
    line            BIGINT NOT NULL CHECK (line > 0),
    problems        JSONB NOT NULL CHECK (jsonb_array_length(problems) > 0),
    raw_item        BYTEA NOT NULL,
    raw_hash        BYTEA NOT NULL CHECK (octet_length(raw_hash) = 32),
    refused_at      TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT uq_refused_items UNIQUE (input, line, raw_hash)
);

COMMENT ON TABLE refused_items IS 'Items that did not pass the door, kept as they came.';
COMMENT ON COLUMN refused_items.run_id IS 'The latest run that met the item.';
COMMENT ON COLUMN refused_items.problems IS 'What is wrong, as [{"path": ..., "reason": ...}, ...].';
COMMENT ON COLUMN refused_items.raw_item IS 'The bytes as they came; they may be no text at all. Cut at 1 MiB.';
