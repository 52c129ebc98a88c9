-- name: plan_for_values
-- A plan that fits all values would not know which index fits these.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true);

-- name: stories
-- The stories before a place in the list, the latest first: of one collection or all, with words in the title or any.
SELECT story_id, story_uuid, collection, canonical_title AS title, canonical_url AS url, status, first_seen_at, last_seen_at,
    item_count, source_count, publisher_family_count, sources, publisher_families,
    coalesce(language, 'und') AS language, coalesce(lead, '') AS lead
FROM (
    SELECT * FROM stories
    WHERE status = 'active' AND last_seen_at >= $1 AND (last_seen_at, story_id) < ($2, $3)
        AND ($4::text IS NULL OR collection = $4) AND ($5::text IS NULL OR canonical_title ILIKE $5)
    ORDER BY last_seen_at DESC, story_id DESC LIMIT $6 OFFSET $7
) AS part LEFT JOIN LATERAL (
    SELECT normalized_language AS language, left(body_text, 400) AS lead FROM documents
    WHERE document_id = representative_document_id) AS representative ON true
ORDER BY last_seen_at DESC, story_id DESC;

-- name: survivor
-- The story that a story became part of, or itself.
WITH RECURSIVE way AS (
    SELECT story_id, merged_into FROM stories WHERE story_uuid = $1
    UNION
    SELECT stories.story_id, stories.merged_into FROM way JOIN stories ON stories.story_id = way.merged_into
)
SELECT story_id FROM way WHERE merged_into IS NULL;

-- name: days
-- The latest days before a moment that have stories, in a timezone, with how many each collection has; days without
-- stories are leapt over in the index.
WITH RECURSIVE seen (day) AS (
    (SELECT (last_seen_at AT TIME ZONE $1)::date FROM stories
    WHERE status = 'active' AND last_seen_at >= $2 AND last_seen_at < $3 AND ($4::text IS NULL OR collection = $4)
    ORDER BY last_seen_at DESC LIMIT 1)
    UNION ALL
    SELECT (
        SELECT (last_seen_at AT TIME ZONE $1)::date FROM stories
        WHERE status = 'active' AND last_seen_at >= $2 AND last_seen_at < seen.day::timestamp AT TIME ZONE $1
            AND ($4::text IS NULL OR collection = $4)
        ORDER BY last_seen_at DESC LIMIT 1)
    FROM seen WHERE seen.day IS NOT NULL
), latest AS (
    SELECT day FROM seen WHERE day IS NOT NULL LIMIT $5
)
SELECT day, collection, stories, groups FROM latest CROSS JOIN LATERAL (
    SELECT collection, count(*) AS stories, count(DISTINCT coalesce(coverage_id, story_id)) AS groups FROM stories
    WHERE status = 'active' AND last_seen_at >= day::timestamp AT TIME ZONE $1
        AND last_seen_at < (day + 1)::timestamp AT TIME ZONE $1 AND ($4::text IS NULL OR collection = $4)
    GROUP BY collection) AS counted
ORDER BY day DESC, collection;

-- name: documents
-- The documents before a place in the list, the latest first: of a source, a collection or a story, or all.
SELECT document_id, article_id, documents.collection, source, source_item_id, title, documents.canonical_url AS url,
    normalized_language AS language, authors, tags, image_url, source_domain, publisher_family, published_at, fetched_at,
    seen_at, token_count, content_problem, story_id, story_uuid, canonical_title AS story_title,
    match_type::text AS match_type, match_score
FROM documents LEFT JOIN story_members USING (document_id) LEFT JOIN stories USING (story_id)
WHERE seen_at >= $1 AND (seen_at, document_id) < ($2, $3)
    AND ($4::text IS NULL OR source = $4) AND ($5::text IS NULL OR documents.collection = $5)
    AND ($6::bigint IS NULL OR story_id = $6)
ORDER BY seen_at DESC, document_id DESC LIMIT $7;

-- name: document
-- One document whole.
SELECT document_id, article_id, documents.collection, source, source_item_id, title, documents.canonical_url AS url,
    normalized_language AS language, authors, tags, image_url, source_domain, publisher_family, published_at, fetched_at,
    seen_at, token_count, content_problem, story_id, story_uuid, canonical_title AS story_title,
    match_type::text AS match_type, match_score, body_text, native_ids, raw_arrival_id
FROM documents LEFT JOIN story_members USING (document_id) LEFT JOIN stories USING (story_id)
WHERE document_id = $1;

-- name: articles
-- The articles before a place in the list, the latest first, of one source or all; a text is cut after so many characters.
SELECT document_id, article_id, source, documents.title, documents.canonical_url, documents.published_at, documents.fetched_at,
    seen_at, documents.authors, tags, left(body_text, $5) AS body_text, token_count, archive_key
FROM documents LEFT JOIN pages USING (raw_arrival_id)
WHERE seen_at >= $1 AND (seen_at, document_id) < ($2, $3) AND ($4::text IS NULL OR source = $4)
ORDER BY seen_at DESC, document_id DESC LIMIT $6;

-- name: article
-- The article of a public id, as the first who told it did, or as one source did.
SELECT document_id, article_id, source, documents.title, documents.canonical_url, documents.published_at, documents.fetched_at,
    seen_at, documents.authors, tags, left(body_text, $3) AS body_text, token_count, archive_key
FROM documents LEFT JOIN pages USING (raw_arrival_id)
WHERE article_id = $1 AND ($2::text IS NULL OR source = $2)
ORDER BY seen_at, document_id LIMIT 1;

-- name: visits
-- How long sources rest yet after a visit, when each is visited next, and whether that visit is on its way.
SELECT source_id, slug AS source, (
        SELECT max(started_at) FROM ingest_runs WHERE ingest_runs.source = slug AND started_at > now() - $3::interval
    ) + $3::interval - now() AS rests_for,
    CASE WHEN state = 'claimed' THEN now() ELSE due_at END AS due_at,
    coalesce(state = 'claimed' OR (attempts = 0 AND due_at <= now() + interval '1 minute'), false) AS is_on_its_way
FROM sources LEFT JOIN work ON stage = $1 AND subject = source_id AND state IN ('claimed', 'waiting')
WHERE source_id = ANY ($2::bigint[]) ORDER BY slug;
