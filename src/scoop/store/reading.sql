-- name: stories
-- The latest stories, of one collection or all, seen within a window.
SELECT story_id, story_uuid, collection, canonical_title AS title, canonical_url AS url, status, first_seen_at, last_seen_at,
    item_count, source_count, publisher_family_count, sources, publisher_families,
    coalesce(language, 'und') AS language, coalesce(lead, '') AS lead
FROM stories LEFT JOIN LATERAL (
    SELECT normalized_language AS language, left(body_text, 400) AS lead FROM documents
    WHERE document_id = representative_document_id) AS representative ON true
WHERE status = 'active' AND ($1::text IS NULL OR collection = $1)
    AND ($2::timestamptz IS NULL OR last_seen_at >= $2) AND ($3::timestamptz IS NULL OR last_seen_at < $3)
ORDER BY last_seen_at DESC, story_id DESC LIMIT $4 OFFSET $5;

-- name: coverage
-- The latest groups of coverage, of one collection or all, seen since a moment; a story alone is a group too.
WITH latest AS (
    SELECT coalesce(coverage_id, story_id) AS coverage_id, collection, max(last_seen_at) AS last_seen_at,
        sum(item_count)::int AS item_count,
        array_agg(story_id ORDER BY item_count DESC, first_seen_at, story_id) AS story_ids,
        array_agg(canonical_title ORDER BY item_count DESC, first_seen_at, story_id) AS titles
    FROM stories WHERE status = 'active' AND ($1::text IS NULL OR collection = $1)
    GROUP BY 1, 2 HAVING $2::timestamptz IS NULL OR max(last_seen_at) >= $2
    ORDER BY 3 DESC, 1 DESC LIMIT $3
)
SELECT coverage_id, collection, last_seen_at, item_count, (
        SELECT count(DISTINCT family)::int FROM stories CROSS JOIN unnest(publisher_families) AS family
        WHERE story_id = ANY (story_ids)) AS publisher_family_count,
    story_ids, titles
FROM latest ORDER BY last_seen_at DESC, coverage_id DESC;

-- name: candidates
-- The documents that most probably tell of the same as this one, with what the probability was made of.
SELECT other.document_id, other.title, other.source, story_id, probability, document_links.signals AS signs
FROM document_links
JOIN documents AS other ON other.document_id = CASE WHEN one_id = $1 THEN other_id ELSE one_id END
JOIN story_members ON story_members.document_id = other.document_id
WHERE one_id = $1 OR other_id = $1
ORDER BY probability DESC, other.document_id LIMIT $2;

-- name: story
-- One story by its number or its public id.
SELECT story_id, story_uuid, collection, canonical_title AS title, canonical_url AS url, status, first_seen_at, last_seen_at,
    item_count, source_count, publisher_family_count, sources, publisher_families, merged_into,
    coalesce(language, 'und') AS language, coalesce(lead, '') AS lead
FROM stories LEFT JOIN LATERAL (
    SELECT normalized_language AS language, left(body_text, 400) AS lead FROM documents
    WHERE document_id = representative_document_id) AS representative ON true
WHERE story_id = $1 OR story_uuid = $2;

-- name: text_of
-- The text of the document that stands for a story.
SELECT coalesce(body_text, '') FROM stories JOIN documents ON document_id = representative_document_id WHERE story_id = $1;

-- name: company
-- The other stories that probably tell of the same event.
SELECT story_id, story_uuid, collection, canonical_title AS title, canonical_url AS url, status, first_seen_at, last_seen_at,
    item_count, source_count, publisher_family_count, sources, publisher_families,
    coalesce(language, 'und') AS language, coalesce(lead, '') AS lead
FROM stories LEFT JOIN LATERAL (
    SELECT normalized_language AS language, left(body_text, 400) AS lead FROM documents
    WHERE document_id = representative_document_id) AS representative ON true
WHERE status = 'active' AND story_id <> $1 AND coverage_id = (SELECT coverage_id FROM stories WHERE story_id = $1)
ORDER BY last_seen_at DESC, story_id DESC LIMIT $2;

-- name: members
-- The documents of a story, in order of appearance.
SELECT document_id, article_id, source, source_item_id, canonical_url AS url, title, normalized_language AS language,
    publisher_family, published_at, seen_at, match_type::text AS match_type, match_score, match_details,
    (SELECT name FROM sources WHERE slug = source) AS source_name
FROM story_members JOIN documents USING (document_id)
WHERE story_id = $1 ORDER BY seen_at, document_id LIMIT $2;

-- name: documents_like
-- The documents that a person names: by number, public id or URL.
SELECT document_id, article_id, collection, source, source_item_id, title, documents.canonical_url AS url,
    normalized_language AS language, publisher_family, published_at, fetched_at, seen_at, token_count, raw_arrival_id,
    story_id, story_uuid, canonical_title AS story_title, match_type::text AS match_type, match_score, match_details
FROM documents LEFT JOIN story_members USING (document_id) LEFT JOIN stories USING (story_id, collection)
WHERE document_id = $1 OR article_id = $2 OR documents.canonical_url_hash = $3
ORDER BY document_id LIMIT 50;

-- name: events
-- Every decision about a document, in the order they were made.
SELECT dedup_event_id, decision::text AS decision, chosen_story_id, best_candidate_story_id, exact_signal, best_cosine,
    title_overlap, entity_date_consistency, composite_score, details, created_at
FROM dedup_events WHERE document_id = $1 ORDER BY dedup_event_id;

-- name: collections
-- How much each collection holds.
SELECT collection, coalesce(arrivals, 0) AS arrivals, coalesce(documents, 0) AS documents, coalesce(stories, 0) AS stories
FROM (SELECT collection, count(*) AS arrivals FROM raw_arrivals GROUP BY collection) AS a
FULL JOIN (SELECT collection, count(*) AS documents FROM documents GROUP BY collection) AS d USING (collection)
FULL JOIN (SELECT collection, count(*) AS stories FROM stories WHERE status = 'active' GROUP BY collection) AS s USING (collection)
ORDER BY collection;

-- name: totals
-- How much there is in all.
SELECT (SELECT count(*) FROM sources) AS sources,
    (SELECT count(*) FROM ingest_runs) AS runs,
    (SELECT count(*) FROM raw_arrivals) AS arrivals,
    (SELECT count(*) FROM refused_items) AS refused,
    (SELECT count(*) FROM documents) AS documents,
    (SELECT count(*) FROM stories WHERE status = 'active') AS stories,
    (SELECT count(*) FROM stories WHERE status = 'merged') AS merged_stories,
    (SELECT count(*) FROM story_members) AS members,
    (SELECT count(*) FROM dedup_events) AS events;

-- name: match_types
-- How documents came to their stories.
SELECT match_type::text AS match_type, count(*) AS count FROM story_members GROUP BY match_type ORDER BY count DESC;

-- name: day
-- How many stories each collection has in a window, and how many groups of coverage they are of.
SELECT collection, count(*) AS stories, count(DISTINCT coalesce(coverage_id, story_id)) AS groups FROM stories
WHERE status = 'active' AND last_seen_at >= $1 AND last_seen_at < $2 GROUP BY collection ORDER BY collection;

-- name: around
-- When the nearest stories before and after a window were last seen, of one collection or all.
SELECT
    (SELECT max(last_seen_at) FROM stories
    WHERE status = 'active' AND last_seen_at < $1 AND ($3::text IS NULL OR collection = $3)) AS earlier_at,
    (SELECT min(last_seen_at) FROM stories
    WHERE status = 'active' AND last_seen_at >= $2 AND ($3::text IS NULL OR collection = $3)) AS later_at;

-- name: headlines
-- The stories of the groups of coverage that have one in a window, so many groups of each collection after so many: the
-- most widely told group first, and in it the stories of the window first. A story alone is a group too.
WITH seen AS (
    SELECT * FROM stories
    WHERE status = 'active' AND last_seen_at >= $1 AND last_seen_at < $2 AND ($3::text IS NULL OR collection = $3)
), gathered AS (
    SELECT *, coalesce(coverage_id, story_id) AS group_id, true AS is_seen FROM seen
    UNION ALL
    SELECT *, coverage_id, false FROM stories
    WHERE coverage_id IN (SELECT coverage_id FROM seen) AND status = 'active' AND (last_seen_at < $1 OR last_seen_at >= $2)
), placed AS (
    SELECT collection, group_id, row_number() OVER (
        PARTITION BY collection ORDER BY count(DISTINCT voice.publisher_family) DESC, count(DISTINCT voice.source) DESC,
            max(last_seen_at) FILTER (WHERE is_seen) DESC, group_id DESC
    ) AS place
    FROM gathered CROSS JOIN LATERAL unnest(publisher_families, sources) AS voice (publisher_family, source)
    GROUP BY collection, group_id
)
SELECT group_id AS coverage_id, story_id, story_uuid, collection, canonical_title AS title, canonical_url AS url, status,
    first_seen_at, last_seen_at, item_count, source_count, publisher_family_count, gathered.sources, publisher_families,
    coalesce(language, 'und') AS language, coalesce(lead, '') AS lead, outlets
FROM placed JOIN gathered USING (collection, group_id) LEFT JOIN LATERAL (
    SELECT normalized_language AS language, left(body_text, 400) AS lead FROM documents
    WHERE document_id = representative_document_id) AS representative ON true
CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_agg(
        jsonb_build_object('source', source, 'source_name', name, 'url', url) ORDER BY seen_at, document_id), '[]') AS outlets
    FROM (
        SELECT DISTINCT ON (source) source, documents.canonical_url AS url, seen_at, document_id
        FROM story_members JOIN documents USING (document_id) WHERE story_members.story_id = gathered.story_id
        ORDER BY source, seen_at, document_id
    ) AS first LEFT JOIN sources ON slug = source) AS told
WHERE place > $5 AND place <= $5 + $4
ORDER BY collection, place, is_seen DESC, publisher_family_count DESC, source_count DESC, last_seen_at DESC, story_id DESC;
