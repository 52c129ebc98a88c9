-- name: put
-- Add a source, or change the one that has its slug; elsewhere, or in another collection, it is read from the start.
WITH forgotten AS (
    DELETE FROM source_checkpoints USING sources WHERE source_checkpoints.source = $1 AND sources.slug = $1
        AND (sources.kind, sources.collection, sources.base_url) IS DISTINCT FROM ($3, $4, $6)
)
INSERT INTO sources (slug, name, kind, collection, category, base_url, options, schedule, timezone)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (slug) DO UPDATE SET name = excluded.name, kind = excluded.kind, collection = excluded.collection,
    category = excluded.category, base_url = excluded.base_url, options = excluded.options, schedule = excluded.schedule,
    timezone = excluded.timezone
RETURNING source_id;

-- name: listed
-- All sources by name.
SELECT source_id, slug, name, kind, collection, category, base_url, options, schedule, timezone, enabled, next_visit_at
FROM sources ORDER BY slug;

-- name: visits
-- The sources that ingest visits, with the place where each goes on.
SELECT source_id, slug, name, kind, collection, category, base_url, options, schedule, timezone, enabled, next_visit_at,
    coalesce(cursor_checkpoint, '{}') AS checkpoint
FROM sources LEFT JOIN source_checkpoints ON source_checkpoints.source = sources.slug
WHERE source_id = ANY ($1::bigint[]);

-- name: ids
-- The sources of these names, enabled or not; all when none is named.
SELECT source_id, slug FROM sources WHERE $1::text[] IS NULL OR slug = ANY ($1);

-- name: plan
-- Say when a source is visited next.
UPDATE sources SET next_visit_at = plan.next_visit_at
FROM unnest($1::bigint[], $2::timestamptz[]) AS plan (source_id, next_visit_at) WHERE sources.source_id = plan.source_id;

-- name: keep_checkpoint
-- Remember where the next visit of a source goes on.
INSERT INTO source_checkpoints (source, cursor_checkpoint, last_successful_run_id) VALUES ($1, $2, $3)
ON CONFLICT (source) DO UPDATE SET cursor_checkpoint = excluded.cursor_checkpoint,
    last_successful_run_id = excluded.last_successful_run_id, updated_at = now();

-- name: remove
-- Forget a source; its arrivals stay.
WITH forgotten AS (DELETE FROM source_checkpoints WHERE source = $1)
DELETE FROM sources WHERE slug = $1 RETURNING source_id;

-- name: is_empty
-- Whether nobody has added a source.
SELECT NOT EXISTS (SELECT FROM sources);

-- name: schedule
-- Put the sources that are due before the stage, once.
INSERT INTO work (stage, subject) SELECT $1, source_id FROM sources WHERE enabled AND next_visit_at <= now()
    AND NOT EXISTS (SELECT FROM work WHERE stage = $1 AND subject = source_id)  -- in one snapshot with next_visit_at
ON CONFLICT (stage, subject) DO NOTHING;
