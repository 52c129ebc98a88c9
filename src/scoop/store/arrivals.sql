-- name: stage
-- Where a batch is copied to before it enters the ledger; empty again at commit.
CREATE TEMP TABLE IF NOT EXISTS staged_arrivals (
    position INTEGER, collection TEXT, source TEXT, source_item_id TEXT, source_item_url TEXT,
    source_published_at TIMESTAMPTZ, fetched_at TIMESTAMPTZ, raw_payload JSONB, payload_hash BYTEA, response_headers JSONB
) ON COMMIT DELETE ROWS;

-- name: append
-- Enter the staged items into the ledger; those it has already are left out.
INSERT INTO raw_arrivals (run_id, collection, source, source_item_id, source_item_url, source_published_at, fetched_at,
    raw_payload, payload_hash, response_headers)
SELECT $1, collection, source, source_item_id, source_item_url, source_published_at, least(fetched_at, now()),
    raw_payload, payload_hash, response_headers
FROM pg_temp.staged_arrivals ORDER BY position
ON CONFLICT (source, source_item_id, payload_hash) DO NOTHING
RETURNING raw_arrival_id;

-- name: by_ids
-- The arrivals that normalize reads.
SELECT raw_arrival_id, collection, source, source_item_id, fetched_at, raw_payload
FROM raw_arrivals WHERE raw_arrival_id = ANY ($1::bigint[]);

-- name: versions
-- Every arrival of one source item, the newest first.
SELECT raw_arrival_id, run_id, fetched_at, created_at, raw_payload ->> 'title' AS title, encode(payload_hash, 'hex') AS payload_hash
FROM raw_arrivals WHERE source = $1 AND source_item_id = $2 AND collection = $3
ORDER BY raw_arrival_id DESC LIMIT $4;

-- name: refuse
-- Keep what was refused, once per place, item and reason.
INSERT INTO refused_items (run_id, input, line, path, reason, raw_item, raw_hash)
SELECT $1, $2, refused.* FROM unnest($3::bigint[], $4::text[], $5::text[], $6::bytea[], $7::bytea[]) AS refused
ON CONFLICT ON CONSTRAINT uq_refused_items DO NOTHING;

-- name: refused
-- The refused items, the newest first.
SELECT refused_item_id, run_id, input, line, path, reason, raw_item, refused_at FROM refused_items
WHERE $1::bigint IS NULL OR run_id = $1
ORDER BY refused_item_id DESC LIMIT $2;
