-- name: start
-- Open a run.
INSERT INTO ingest_runs (source, trigger) VALUES ($1, $2::ingest_run_trigger) RETURNING run_id;

-- name: finish
-- Close a run with its counts.
UPDATE ingest_runs SET finished_at = greatest(now(), started_at), status = $2::ingest_run_status, items_fetched = $3,
    items_inserted = $4, items_failed = $5, error_message = $6, cursor_checkpoint = $7
WHERE run_id = $1;

-- name: record
-- Insert runs that have ended, in the given order.
INSERT INTO ingest_runs (run_uuid, source, trigger, started_at, finished_at, status, items_fetched, items_failed,
    error_message, cursor_checkpoint, log_key)
SELECT run_uuid, source, $1::ingest_run_trigger, least(started_at, now()), now(), status::ingest_run_status, fetched, failed,
    error, checkpoint, log_key
FROM unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::int[], $7::int[], $8::text[], $9::jsonb[], $10::text[])
    WITH ORDINALITY AS ended (run_uuid, source, started_at, status, fetched, failed, error, checkpoint, log_key, place)
ORDER BY place
RETURNING run_id;

-- name: request
-- Open the next runs of these sources, before they are visited; a run that was asked for before is the same.
INSERT INTO ingest_runs (source, trigger, is_requested, run_uuid)
SELECT slug, 'manual', true, asked.run_uuid
FROM sources JOIN unnest($1::bigint[], $2::uuid[]) AS asked (source_id, run_uuid) USING (source_id)
ON CONFLICT (source) WHERE is_requested DO UPDATE SET source = excluded.source
RETURNING source, run_id, run_uuid;

-- name: list_requested
-- The runs of these sources that were asked for and have not ended.
SELECT source, run_uuid FROM ingest_runs WHERE source = ANY ($1::text[]) AND is_requested;

-- name: close_requested
-- Close the runs that were asked for and have ended, with their counts.
UPDATE ingest_runs SET is_requested = false, started_at = least(ended.started_at, now()), finished_at = now(),
    status = ended.status::ingest_run_status, items_fetched = fetched, items_failed = failed, error_message = error,
    cursor_checkpoint = checkpoint, log_key = ended.log_key
FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::int[], $5::int[], $6::text[], $7::jsonb[], $8::text[])
    AS ended (source, started_at, status, fetched, failed, error, checkpoint, log_key)
WHERE ingest_runs.source = ended.source AND is_requested RETURNING ingest_runs.source, run_id;

-- name: count_inserted
-- Set how many items of runs were new.
UPDATE ingest_runs SET items_inserted = counted.inserted
FROM unnest($1::bigint[], $2::int[]) AS counted (run_id, inserted) WHERE ingest_runs.run_id = counted.run_id;

-- name: close_abandoned
-- Close the runs whose process is gone: no session holds their lock. One that was asked for has no process; it is closed if
-- no visit of its source is in the queue any more.
UPDATE ingest_runs SET finished_at = greatest(now(), started_at), status = 'failed', is_requested = false,
    items_inserted = (SELECT count(*) FROM raw_arrivals WHERE raw_arrivals.run_id = ingest_runs.run_id),
    error_message = CASE WHEN is_requested THEN 'the visit was cancelled' ELSE 'the process ended before the run did' END
WHERE run_id IN (
    SELECT run_id FROM ingest_runs WHERE status = 'running'
        AND NOT (is_requested AND source IN (SELECT slug FROM sources JOIN work ON stage = $2 AND subject = source_id))
        AND run_id NOT IN (
            SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objsubid = 2
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
    FOR UPDATE SKIP LOCKED);

-- name: log_key
-- The archive key of the log of a run.
SELECT log_key FROM ingest_runs WHERE run_id = $1;

-- name: newest_id
-- The id of the newest run, or 0.
SELECT coalesce(max(run_id), 0) FROM ingest_runs;

-- name: latest
-- The newest runs between two of them, without those of removed sources.
SELECT run_id, run_uuid, source, (SELECT name FROM source_names WHERE source_names.source = ingest_runs.source) AS source_name,
    trigger::text AS trigger, started_at, finished_at, status::text AS status, items_fetched,
    items_inserted, items_failed, error_message, log_key
FROM ingest_runs WHERE run_id > $1 AND run_id < $2
    AND source NOT IN (SELECT source FROM removed_sources)
ORDER BY run_id DESC LIMIT $3;

-- name: latest_of_source
-- The newest runs of one source, in one state or all, between two of them; in the order of the index.
SELECT run_id, run_uuid, source, (SELECT name FROM source_names WHERE source_names.source = ingest_runs.source) AS source_name,
    trigger::text AS trigger, started_at, finished_at, status::text AS status, items_fetched,
    items_inserted, items_failed, error_message, log_key
FROM ingest_runs
WHERE source = $4 AND ($5::text IS NULL OR status = $5::text::ingest_run_status) AND run_id > $1
    AND (started_at, run_id) < (coalesce((SELECT started_at FROM ingest_runs WHERE run_id = $2), 'infinity'), $2)
ORDER BY started_at DESC, run_id DESC LIMIT $3;

-- name: latest_in_state
-- The newest runs in one state, between two of them; in the order of the index.
SELECT run_id, run_uuid, source, (SELECT name FROM source_names WHERE source_names.source = ingest_runs.source) AS source_name,
    trigger::text AS trigger, started_at, finished_at, status::text AS status, items_fetched,
    items_inserted, items_failed, error_message, log_key
FROM ingest_runs
WHERE status = $4::text::ingest_run_status AND run_id > $1
    AND source NOT IN (SELECT source FROM removed_sources)
    AND (started_at, run_id) < (coalesce((SELECT started_at FROM ingest_runs WHERE run_id = $2), 'infinity'), $2)
ORDER BY started_at DESC, run_id DESC LIMIT $3;

-- name: by_id
-- One run.
SELECT run_id, run_uuid, source, (SELECT name FROM source_names WHERE source_names.source = ingest_runs.source) AS source_name,
    trigger::text AS trigger, started_at, finished_at, status::text AS status, items_fetched,
    items_inserted, items_failed, error_message, log_key
FROM ingest_runs WHERE run_id = $1;
