-- name: put
-- Add a source, or change the one that has its slug; elsewhere, or in another collection, it is read from the start.
WITH forgotten AS (
    DELETE FROM source_checkpoints USING sources WHERE source_checkpoints.source = $1 AND sources.slug = $1
        AND (sources.kind, sources.collection, sources.base_url) IS DISTINCT FROM ($3, $4, $6)
)
INSERT INTO sources (slug, name, kind, collection, category, base_url, options, schedule, crawl_windows, allowed_paths,
    request_interval_ms, timezone, enabled, host)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
ON CONFLICT (slug) DO UPDATE SET name = excluded.name, kind = excluded.kind, collection = excluded.collection,
    category = excluded.category, base_url = excluded.base_url, options = excluded.options, schedule = excluded.schedule,
    crawl_windows = excluded.crawl_windows, allowed_paths = excluded.allowed_paths,
    request_interval_ms = excluded.request_interval_ms, timezone = excluded.timezone, enabled = excluded.enabled,
    host = excluded.host
RETURNING source_id;

-- name: listed
-- The sources by name: all, or those of a collection, a kind or a health, after a name.
SELECT source_id, slug, name, kind, collection, category, base_url, options, schedule, crawl_windows, allowed_paths,
    request_interval_ms, timezone, enabled, next_visit_at, health::text AS health, health_note, health_since, failures,
    last_item_at, moved_to, moves
FROM sources
WHERE ($1::text IS NULL OR collection = $1) AND ($2::text IS NULL OR kind = $2) AND ($3::text IS NULL OR health::text = $3)
    AND slug > $4
ORDER BY slug LIMIT $5;

-- name: lately
-- What the runs of sources came to since a moment.
SELECT source, count(*)::int AS runs, (count(*) FILTER (WHERE status = 'failed'))::int AS failed,
    coalesce(sum(items_inserted), 0)::int AS items_inserted
FROM ingest_runs WHERE source = ANY ($1::text[]) AND started_at >= $2 GROUP BY source;

-- name: lock
-- Whoever is about to change a source by what it is now works alone at it.
SELECT FROM sources WHERE slug = $1 FOR UPDATE;

-- name: due
-- The sources that ingest visits, with the place where each goes on.
SELECT source_id, slug, name, kind, collection, category, base_url, options, schedule, crawl_windows, allowed_paths,
    request_interval_ms, timezone, enabled, next_visit_at, health::text AS health, health_note, health_since, failures,
    last_item_at, moved_to, moves, coalesce(cursor_checkpoint, '{}') AS checkpoint
FROM sources LEFT JOIN source_checkpoints ON source_checkpoints.source = sources.slug
WHERE source_id = ANY ($1::bigint[]);

-- name: by_slug
-- The source of this name.
SELECT source_id, slug, name, kind, collection, category, base_url, options, schedule, crawl_windows, allowed_paths,
    request_interval_ms, timezone, enabled, next_visit_at, health::text AS health, health_note, health_since, failures,
    last_item_at, moved_to, moves
FROM sources WHERE slug = $1;

-- name: claim_slug
-- Whoever is about to add a source under a slug does so alone.
SELECT pg_advisory_xact_lock($1, hashtext($2));

-- name: ids
-- The sources of these names, enabled or not; all that are enabled when none is named.
SELECT source_id, slug FROM sources WHERE CASE WHEN $1::text[] IS NULL THEN enabled ELSE slug = ANY ($1) END
ORDER BY slug;

-- name: settle
-- Write down how visited sources are, and when each is visited next.
UPDATE sources SET next_visit_at = visited.next_visit_at, not_before = visited.not_before,
    health = visited.health::source_health, health_note = visited.health_note, health_since = visited.health_since,
    failures = visited.failures, last_item_at = visited.last_item_at, base_url = visited.base_url, host = visited.host,
    moved_to = visited.moved_to, moves = visited.moves, enabled = sources.enabled AND visited.enabled
FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::text[], $5::text[], $6::timestamptz[], $7::int[],
    $8::timestamptz[], $9::text[], $10::text[], $11::text[], $12::int[], $13::bool[])
    AS visited (source_id, next_visit_at, not_before, health, health_note, health_since, failures, last_item_at, base_url,
        host, moved_to, moves, enabled)
WHERE sources.source_id = visited.source_id;

-- name: keep_checkpoints
-- Remember where the next visits of sources go on.
INSERT INTO source_checkpoints (source, cursor_checkpoint, last_successful_run_id)
SELECT * FROM unnest($1::text[], $2::jsonb[], $3::bigint[])
ON CONFLICT (source) DO UPDATE SET cursor_checkpoint = excluded.cursor_checkpoint,
    last_successful_run_id = excluded.last_successful_run_id, updated_at = now();

-- name: set_enabled
-- Let a source be visited, or not.
UPDATE sources SET enabled = $2, failures = 0, next_visit_at = least(next_visit_at, now()) WHERE slug = $1
RETURNING source_id;

-- name: remove
-- Forget a source; its arrivals stay.
WITH forgotten AS (DELETE FROM source_checkpoints WHERE source = $1)
DELETE FROM sources WHERE slug = $1 RETURNING source_id;

-- name: is_empty
-- Whether nobody has added a source.
SELECT NOT EXISTS (SELECT FROM sources);

-- name: schedule
-- Put the sources that are due before the stage, once; those of one host one after the other.
WITH due AS (
    SELECT array_agg(source_id) AS ids, array_agg(host) AS hosts, array_agg(request_interval_ms * interval '1 ms') AS steps
    FROM sources WHERE enabled AND next_visit_at <= now() AND is_gathered(collection, $2)
        AND NOT EXISTS (SELECT FROM work WHERE stage = $1 AND subject = source_id)  -- in one snapshot with next_visit_at
)
INSERT INTO work (stage, subject, due_at) SELECT $1, id, due_at FROM due, plan_requests(ids, hosts, steps)
ON CONFLICT (stage, subject) DO NOTHING;

-- name: visit_now
-- Put these sources before the stage at once, but not before the time their servers asked for, unless that is of no matter.
WITH named AS (
    SELECT array_agg(source_id) AS ids, array_agg(host) AS hosts, array_agg(request_interval_ms * interval '1 ms') AS steps
    FROM sources WHERE source_id = ANY ($2::bigint[])
)
INSERT INTO work (stage, subject, due_at)
SELECT $1, id, CASE WHEN $3 THEN now() ELSE greatest(due_at, not_before) END
FROM named, plan_requests(ids, hosts, steps) JOIN sources ON source_id = id
ON CONFLICT (stage, subject) DO UPDATE SET due_at = excluded.due_at WHERE work.state <> 'claimed';

-- name: resting
-- Which of these sources are not gathered, as their topics say.
SELECT source_id FROM sources WHERE source_id = ANY ($1::bigint[]) AND NOT is_gathered(collection, $2);

-- name: unsettled
-- Which of these sources still wait for a visit that is due, or are being visited.
SELECT count(*) FROM work WHERE stage = $1 AND subject = ANY ($2::bigint[])
    AND (state = 'claimed' OR (state = 'waiting' AND attempts = 0 AND due_at <= now() + interval '1 minute'));
