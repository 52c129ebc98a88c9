-- name: newest
-- The newest arrivals of the ledger, of one collection or all, the oldest first.
SELECT raw_arrival_id FROM (
    SELECT raw_arrival_id FROM raw_arrivals
    WHERE ($1::text IS NULL OR collection = $1) AND ($2::timestamptz IS NULL OR fetched_at >= $2)
    ORDER BY raw_arrival_id DESC LIMIT $3) AS newest
ORDER BY raw_arrival_id;

-- name: arrivals
-- Arrivals of the ledger; the payload as text, so that no number is rounded.
SELECT raw_arrival_id, collection, source, source_item_id, source_item_url, source_published_at, fetched_at,
    raw_payload::text AS raw_payload, payload_hash
FROM raw_arrivals WHERE raw_arrival_id = ANY ($1::bigint[]) ORDER BY raw_arrival_id;

-- name: pages
-- The fetched article pages of arrivals.
SELECT raw_arrival_id, url, title, text, authors, published_at, language, canonical_url, image_url, problem, fetched_at
FROM pages WHERE raw_arrival_id = ANY ($1::bigint[]);

-- name: places
-- The stories and coverage of the documents of arrivals, with their titles.
SELECT collection, source, source_item_id, title, story_id AS merge, coverage_id AS coverage
FROM (SELECT DISTINCT collection, source, source_item_id FROM raw_arrivals WHERE raw_arrival_id = ANY ($1::bigint[])) AS item
JOIN documents USING (collection, source, source_item_id) JOIN story_members USING (document_id)
JOIN stories USING (story_id, collection);
