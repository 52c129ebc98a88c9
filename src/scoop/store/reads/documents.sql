-- name: text_facts
-- Whether documents have a text, its length, and the number of their versions.
SELECT document_id, body_text <> '' AS has_text, token_count, (
    SELECT count(DISTINCT md5(concat_ws(E'\n', raw_payload ->> 'title', raw_payload ->> 'body_text', pages.text)))
    FROM raw_arrivals LEFT JOIN pages USING (raw_arrival_id)
    WHERE raw_arrivals.source = documents.source AND raw_arrivals.source_item_id = documents.source_item_id
        AND raw_arrivals.collection = documents.collection) AS texts
FROM documents WHERE document_id = ANY ($1::bigint[]);

-- name: reader_article
-- A document of a story with those that appeared before and after it.
WITH members AS (
    SELECT document_id, seen_at FROM story_members JOIN documents USING (document_id) WHERE story_id = $1
)
SELECT document_id, article_id, source, (SELECT name FROM source_names WHERE source_names.source = documents.source)
        AS source_name,
    title, body_text, authors, canonical_url AS url, normalized_language AS language, documents.seen_at, token_count, content_problem,
    (SELECT document_id FROM members AS earlier
        WHERE (earlier.seen_at, earlier.document_id) < (documents.seen_at, documents.document_id)
        ORDER BY earlier.seen_at DESC, earlier.document_id DESC LIMIT 1) AS earlier_id,
    (SELECT document_id FROM members AS later
        WHERE (later.seen_at, later.document_id) > (documents.seen_at, documents.document_id)
        ORDER BY later.seen_at, later.document_id LIMIT 1) AS later_id
FROM documents WHERE document_id = $2 AND document_id IN (SELECT members.document_id FROM members);

-- name: arrivals
-- The latest arrivals of a document, the oldest first.
SELECT raw_arrival_id FROM (
    SELECT raw_arrivals.raw_arrival_id FROM raw_arrivals JOIN documents USING (source, source_item_id, collection)
    WHERE document_id = $1 ORDER BY raw_arrivals.fetched_at DESC, raw_arrivals.raw_arrival_id DESC LIMIT $2) AS latest
ORDER BY raw_arrival_id;

-- name: documents
-- The documents before a cursor, the latest first: of a source, a collection, a story, or all.
SELECT document_id, article_id, documents.collection, source, source_item_id, title, documents.canonical_url AS url,
    normalized_language AS language, authors, tags, image_url, source_domain, publisher_family, published_at, fetched_at,
    seen_at, token_count, content_problem, story_id, story_uuid, canonical_title AS story_title,
    match_type::text AS match_type, match_score,
    (SELECT name FROM source_names WHERE source_names.source = documents.source) AS source_name,
    coalesce((SELECT name FROM publishers WHERE family = publisher_family), publisher_family) AS publisher_name
FROM documents LEFT JOIN story_members USING (document_id) LEFT JOIN stories USING (story_id)
WHERE seen_at >= $1 AND (seen_at, document_id) < ($2, $3)
    AND ($4::text IS NULL OR source = $4) AND ($5::text IS NULL OR documents.collection = $5)
    AND (source, documents.collection) NOT IN (SELECT source, collection FROM hidden_sources)
    AND ($6::bigint IS NULL OR story_id = $6)
ORDER BY seen_at DESC, document_id DESC LIMIT $7;

-- name: document
-- One document with its text.
SELECT document_id, article_id, documents.collection, source, source_item_id, title, documents.canonical_url AS url,
    normalized_language AS language, authors, tags, image_url, source_domain, publisher_family, published_at, fetched_at,
    seen_at, token_count, content_problem, story_id, story_uuid, canonical_title AS story_title,
    match_type::text AS match_type, match_score, body_text, native_ids, raw_arrival_id,
    (SELECT name FROM source_names WHERE source_names.source = documents.source) AS source_name,
    coalesce((SELECT name FROM publishers WHERE family = publisher_family), publisher_family) AS publisher_name
FROM documents LEFT JOIN story_members USING (document_id) LEFT JOIN stories USING (story_id)
WHERE document_id = $1;
