-- name: known
-- Positions of the items that the ledger already has.
SELECT position FROM unnest($1::text[], $2::text[], $3::bytea[]) WITH ORDINALITY
    AS pushed (source, source_item_id, payload_hash, position)
WHERE EXISTS (
    SELECT FROM raw_arrivals WHERE raw_arrivals.source = pushed.source
        AND raw_arrivals.source_item_id = pushed.source_item_id AND raw_arrivals.payload_hash = pushed.payload_hash);

-- name: new_ids
-- Ids for arrivals that are about to be copied.
SELECT nextval('raw_arrivals_raw_arrival_id_seq') AS raw_arrival_id FROM generate_series(1, $1);

-- name: by_ids
-- Arrivals for normalize, with the extracted text of their pages, and whether a page is still to be read: one statement
-- sees both the queue and the pages as they were at one moment.
SELECT raw_arrival_id, collection, source, source_item_id, source_item_url, keeps_fragment,
    raw_arrivals.fetched_at, raw_payload,
    CASE WHEN pages.raw_arrival_id IS NOT NULL THEN jsonb_build_object('title', pages.title, 'text', pages.text,
        'authors', pages.authors, 'published_at', pages.published_at, 'language', pages.language,
        'canonical_url', pages.canonical_url, 'image_url', pages.image_url, 'problem', pages.problem) END AS page,
    pages.raw_arrival_id IS NULL AND EXISTS (
        SELECT FROM work WHERE work.stage = $2 AND work.subject = raw_arrivals.raw_arrival_id) AS awaits_page
FROM raw_arrivals LEFT JOIN pages USING (raw_arrival_id) WHERE raw_arrival_id = ANY ($1::bigint[]);

-- name: refuse
-- Store refused items once per input, line and content; a repeated push updates the run.
INSERT INTO refused_items (run_id, input, line, problems, raw_item, raw_hash)
SELECT DISTINCT ON (line, raw_hash) $1, $2, line, problems::jsonb, raw_item, raw_hash
FROM unnest($3::bigint[], $4::text[], $5::bytea[], $6::bytea[]) AS refused (line, problems, raw_item, raw_hash)
ON CONFLICT ON CONSTRAINT uq_refused_items DO UPDATE SET run_id = excluded.run_id, problems = excluded.problems,
    refused_at = excluded.refused_at;

-- name: refused
-- Refused items, newest first, each cut to $3 bytes.
SELECT refused_item_id, run_id, input, line, problems, substring(raw_item FOR $3) AS raw_item, refused_at FROM refused_items
WHERE ($1::bigint IS NULL OR run_id = $1) AND refused_item_id < $4
ORDER BY refused_item_id DESC LIMIT $2;
