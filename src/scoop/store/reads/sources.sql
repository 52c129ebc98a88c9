-- name: names
-- The names of sources by slug, also of those that were removed.
SELECT source, name FROM source_names WHERE source = ANY ($1::text[]);

-- name: health
-- The number of enabled sources in each state of health.
SELECT health::text AS health, count(*) AS sources FROM sources WHERE enabled GROUP BY health;

-- name: next_visits
-- The remaining pause of sources after a visit, the time of each next visit, and whether that has started.
SELECT source_id, slug AS source, (
        SELECT max(started_at) FROM ingest_runs
        WHERE ingest_runs.source = slug AND started_at > now() - $3::interval AND NOT is_requested
    ) + $3::interval - now() AS rests_for,
    CASE WHEN state = 'claimed' THEN now() ELSE due_at END AS due_at,
    coalesce(state = 'claimed' OR (attempts = 0 AND due_at <= now() + interval '1 minute'), false) AS is_on_its_way
FROM sources LEFT JOIN work ON stage = $1 AND subject = source_id AND state IN ('claimed', 'waiting')
WHERE source_id = ANY ($2::bigint[]) ORDER BY slug;

-- name: sources
-- Sources by urgency and name, after a cursor: those of a collection, a kind, some states of health, enabled or disabled,
-- with words in their name. Disabled ones come last, unless they are gone.
SELECT * FROM (
    SELECT source_id, slug, name, kind, collection, category, base_url, options, schedule, crawl_windows, allowed_paths,
        request_interval_ms, timezone, enabled, name_from, next_visit_at, health::text AS health, health_note, health_since, failures,
        last_item_at, moved_to, moves, source_checkpoints.updated_at AS last_success_at,
        CASE WHEN enabled OR health = 'gone' THEN array_position($6::text[], health::text) ELSE 100 END AS urgency
    FROM sources LEFT JOIN source_checkpoints ON source_checkpoints.source = sources.slug
) AS ranked
WHERE ($1::text IS NULL OR collection = $1) AND ($2::text IS NULL OR kind = $2)
    AND ($3::text[] IS NULL OR health = ANY ($3)) AND ($4::boolean IS NULL OR enabled = $4)
    AND ($5::text IS NULL OR strpos(lower(name), lower($5)) > 0 OR strpos(slug, lower($5)) > 0)
    AND (urgency, lower(name), slug) > ($7::int, lower($8), $9)
ORDER BY urgency, lower(name), slug LIMIT $10;

-- name: source
-- One source.
SELECT source_id, slug, name, kind, collection, category, base_url, options, schedule, crawl_windows, allowed_paths,
    request_interval_ms, timezone, enabled, name_from, next_visit_at, health::text AS health, health_note, health_since, failures,
    last_item_at, moved_to, moves, source_checkpoints.updated_at AS last_success_at
FROM sources LEFT JOIN source_checkpoints ON source_checkpoints.source = sources.slug
WHERE slug = $1;

-- name: tallies
-- The number of sources of each collection, kind and state.
SELECT collection, kind, health::text AS health, enabled, count(*)::int AS sources FROM sources
GROUP BY collection, kind, health, enabled;

-- name: items_a_day
-- The number of new items of sources since a moment, by local day.
SELECT source, (started_at AT TIME ZONE $3)::date AS day, sum(items_inserted)::int AS items FROM ingest_runs
WHERE source = ANY ($1::text[]) AND started_at >= $2 AND items_inserted > 0 GROUP BY source, day;

-- name: beginnings
-- When sources began: when they were added, or their first run since a moment, if somebody removed and added them again.
SELECT slug, least(created_at, (
    SELECT min(started_at) FROM ingest_runs WHERE ingest_runs.source = slug AND started_at >= $2)) AS began_at
FROM sources WHERE slug = ANY ($1::text[]);

-- name: latest_items
-- The latest documents of a source, with their stories.
SELECT title, canonical_url AS url, normalized_language AS language, seen_at, documents.created_at AS read_at, content_problem,
    (SELECT story_uuid::text FROM story_members JOIN stories USING (story_id)
        WHERE story_members.document_id = documents.document_id) AS story_uuid
FROM documents WHERE source = $1 ORDER BY documents.created_at DESC, document_id DESC LIMIT $2;

-- name: has_source
-- Whether there is a source of this name, or anything that one brought and that is not hidden.
SELECT EXISTS (SELECT FROM sources WHERE slug = $1) OR (
    NOT EXISTS (SELECT FROM removed_sources WHERE source = $1) AND (
        EXISTS (SELECT FROM ingest_runs WHERE source = $1) OR EXISTS (SELECT FROM raw_arrivals WHERE source = $1)));

-- name: slugs
-- The configured sources, and those that indexed documents are of.
SELECT slug FROM sources UNION SELECT substr(facet, 3) FROM search_facets WHERE facet LIKE 's:%' ORDER BY slug;
