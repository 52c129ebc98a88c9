-- name: put
-- Add a source, or change the one with its slug. In another collection or at another address it is read from the start;
-- another kind, address or option makes it due at once, so that an address that was refused is tried when it is allowed.
WITH known AS (
    SELECT source_id, (kind, collection, base_url) IS DISTINCT FROM ($3, $4, $6) AS restarts,
        (kind, base_url, options) IS DISTINCT FROM ($3, $6, $7) AS is_changed,
        greatest(now(), CASE WHEN base_url = $6 THEN not_before END) AS due_at
    FROM sources WHERE slug = $1
), restarted AS (
    DELETE FROM source_checkpoints USING known WHERE source = $1 AND restarts
), named AS (
    INSERT INTO source_names (source, name) VALUES ($1, $2) ON CONFLICT (source) DO UPDATE SET name = excluded.name
), hastened AS (
    UPDATE work SET due_at = least(work.due_at, known.due_at) FROM known
    WHERE is_changed AND stage = $16 AND subject = source_id AND state = 'waiting'
)
INSERT INTO sources (slug, name, kind, collection, category, base_url, options, schedule, crawl_windows, allowed_paths,
    request_interval_ms, timezone, enabled, name_from, host)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
ON CONFLICT (slug) DO UPDATE SET name = excluded.name, name_from = excluded.name_from, kind = excluded.kind, collection = excluded.collection,
    category = excluded.category, base_url = excluded.base_url, options = excluded.options, schedule = excluded.schedule,
    crawl_windows = excluded.crawl_windows, allowed_paths = excluded.allowed_paths,
    request_interval_ms = excluded.request_interval_ms, timezone = excluded.timezone, enabled = excluded.enabled,
    host = excluded.host,
    not_before = CASE WHEN sources.base_url = excluded.base_url THEN sources.not_before END,
    next_visit_at = least(sources.next_visit_at, (SELECT known.due_at FROM known WHERE is_changed))
RETURNING source_id;

-- name: make_due
-- Let sources be fetched as soon as a worker is free.
WITH due AS (
    UPDATE sources SET next_visit_at = now() WHERE slug = ANY ($1::text[]) RETURNING source_id
)
UPDATE work SET due_at = least(due_at, now()) FROM due WHERE stage = $2 AND subject = source_id AND state = 'waiting';

-- name: sources
-- The sources by slug: all, or those of a collection, a kind or a health, after a slug.
SELECT source_id, slug, name, kind, collection, category, base_url, options, schedule, crawl_windows, allowed_paths,
    request_interval_ms, timezone, enabled, name_from, next_visit_at, health::text AS health, health_note, health_since, failures,
    last_item_at, moved_to, moves
FROM sources
WHERE ($1::text IS NULL OR collection = $1) AND ($2::text IS NULL OR kind = $2) AND ($3::text IS NULL OR health::text = $3)
    AND slug > $4
ORDER BY slug LIMIT $5;

-- name: recent_runs
-- How many runs sources had since a moment, and how many items these brought.
SELECT source, count(*)::int AS runs, (count(*) FILTER (WHERE status = 'failed'))::int AS failed,
    coalesce(sum(items_inserted), 0)::int AS items_inserted
FROM ingest_runs WHERE source = ANY ($1::text[]) AND started_at >= $2 GROUP BY source;

-- name: lock
-- Lock a source that is changed by what it is now.
SELECT FROM sources WHERE slug = $1 FOR UPDATE;

-- name: due
-- Sources with their checkpoints.
SELECT source_id, slug, name, kind, collection, category, base_url, options, schedule, crawl_windows, allowed_paths,
    request_interval_ms, timezone, enabled, name_from, next_visit_at, health::text AS health, health_note, health_since, failures,
    last_item_at, moved_to, moves, coalesce(cursor_checkpoint, '{}') AS checkpoint
FROM sources LEFT JOIN source_checkpoints ON source_checkpoints.source = sources.slug
WHERE source_id = ANY ($1::bigint[]);

-- name: by_slug
-- The source with this slug.
SELECT source_id, slug, name, kind, collection, category, base_url, options, schedule, crawl_windows, allowed_paths,
    request_interval_ms, timezone, enabled, name_from, next_visit_at, health::text AS health, health_note, health_since, failures,
    last_item_at, moved_to, moves
FROM sources WHERE slug = $1;

-- name: claim_slug
-- Lock a slug until the transaction ends, so that two requests do not add a source under it.
SELECT pg_advisory_xact_lock($1, hashtext($2));

-- name: ids
-- The sources with these slugs, enabled or not; without slugs all that are enabled.
SELECT source_id, slug FROM sources WHERE CASE WHEN $1::text[] IS NULL THEN enabled ELSE slug = ANY ($1) END
ORDER BY slug;

-- name: save_outcomes
-- Store the health of sources after a fetch and the time of the next one. An address that somebody changed during the
-- fetch stays as it was changed.
UPDATE sources SET next_visit_at = fetched.next_visit_at, not_before = fetched.not_before,
    health = fetched.health::source_health, health_note = fetched.health_note, health_since = fetched.health_since,
    failures = fetched.failures, last_item_at = fetched.last_item_at,
    base_url = CASE WHEN sources.base_url = fetched_url THEN fetched.base_url ELSE sources.base_url END,
    host = CASE WHEN sources.base_url = fetched_url THEN fetched.host ELSE sources.host END,
    moved_to = fetched.moved_to, moves = fetched.moves, enabled = sources.enabled AND fetched.enabled
FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::text[], $5::text[], $6::timestamptz[], $7::int[],
    $8::timestamptz[], $9::text[], $10::text[], $11::text[], $12::int[], $13::bool[], $14::text[])
    AS fetched (source_id, next_visit_at, not_before, health, health_note, health_since, failures, last_item_at, base_url,
        host, moved_to, moves, enabled, fetched_url)
WHERE sources.source_id = fetched.source_id;

-- name: name_by_title
-- Name sources by the titles of their feeds, unless they have a better name than their address.
WITH named AS (
    UPDATE sources SET name = titled.name, name_from = 'title'
    FROM unnest($1::text[], $2::text[]) AS titled (slug, name)
    WHERE sources.slug = titled.slug AND sources.name_from = 'address' RETURNING sources.slug, sources.name
)
INSERT INTO source_names (source, name) SELECT slug, name FROM named ORDER BY slug
ON CONFLICT (source) DO UPDATE SET name = excluded.name;

-- name: save_checkpoints
-- Store where the next fetches of sources continue.
INSERT INTO source_checkpoints (source, cursor_checkpoint, last_successful_run_id)
SELECT * FROM unnest($1::text[], $2::jsonb[], $3::bigint[])
ON CONFLICT (source) DO UPDATE SET cursor_checkpoint = excluded.cursor_checkpoint,
    last_successful_run_id = excluded.last_successful_run_id, updated_at = now();

-- name: set_enabled
-- Enable or disable a source; one that is enabled is due at once.
UPDATE sources SET enabled = $2, failures = 0, next_visit_at = least(next_visit_at, now()) WHERE slug = $1
RETURNING source_id;

-- name: remove
-- Remove a source; its arrivals stay.
WITH removed AS (DELETE FROM source_checkpoints WHERE source = $1)
DELETE FROM sources WHERE slug = $1 RETURNING source_id;

-- name: is_empty
-- Whether there is no source.
SELECT NOT EXISTS (SELECT FROM sources);

-- name: enqueue_due
-- Enqueue the sources that are due, once; those of one host one after the other. A visit that was missed, as while the
-- desk was off, waits for the next window; the first visit of a source does not.
WITH due AS (
    SELECT array_agg(source_id) AS ids, array_agg(host) AS hosts, array_agg(request_interval_ms * interval '1 ms') AS steps
    FROM sources WHERE enabled AND next_visit_at <= now() AND is_gathered(collection, $2)
        AND NOT EXISTS (SELECT FROM work WHERE stage = $1 AND subject = source_id)  -- in one snapshot with next_visit_at
        AND (health = 'new' OR crawl_windows = '[]' OR next_visit_at > now() - interval '10 minutes' OR EXISTS (
            SELECT FROM jsonb_to_recordset(crawl_windows) AS visit_window (start time, "end" time)
            CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE timezone)::time AS local_time) AS clock
            WHERE CASE WHEN start < "end" THEN local_time BETWEEN start AND "end"
                ELSE local_time >= start OR local_time <= "end" END))
)
INSERT INTO work (stage, subject, due_at) SELECT $1, id, due_at FROM due, plan_requests(ids, hosts, steps)
ON CONFLICT (stage, subject) DO NOTHING;

-- name: enqueue_now
-- Enqueue these sources at once, but not before the time that their servers asked for, unless it is forced.
WITH named AS (
    SELECT array_agg(source_id) AS ids, array_agg(host) AS hosts, array_agg(request_interval_ms * interval '1 ms') AS steps
    FROM sources WHERE source_id = ANY ($2::bigint[])
)
INSERT INTO work (stage, subject, due_at)
SELECT $1, id, CASE WHEN $3 THEN now() ELSE greatest(due_at, not_before) END
FROM named, plan_requests(ids, hosts, steps) JOIN sources ON source_id = id
ON CONFLICT (stage, subject) DO UPDATE SET due_at = excluded.due_at WHERE work.state <> 'claimed';

-- name: not_gathered
-- Which of these sources are not fetched, as the handover modes of their topics say.
SELECT source_id FROM sources WHERE source_id = ANY ($1::bigint[]) AND NOT is_gathered(collection, $2);

-- name: pending
-- How many of these sources are due or being fetched.
SELECT count(*) FROM work WHERE stage = $1 AND subject = ANY ($2::bigint[])
    AND (state = 'claimed' OR (state = 'waiting' AND attempts = 0 AND due_at <= now() + interval '1 minute'));
