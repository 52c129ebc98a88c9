-- name: search_widely
-- Let a vector index scan more than it returns, and continue if the time window leaves too few.
SELECT set_config('hnsw.ef_search', '100', false), set_config('hnsw.iterative_scan', 'relaxed_order', false);

-- name: nearest
-- For each document the nearest ones of its collection and time window.
SELECT document_id, neighbour_id, cosine FROM nearest_documents($1, $2, $3, $4, $5, $6, $7)
ORDER BY document_id, cosine DESC, neighbour_id;

-- name: compared
-- The values of documents that pairs are compared by.
SELECT document_id, signals, published_at, CASE WHEN source_domain IS NULL THEN '' ELSE publisher_family END AS publisher,
    normalized_language AS language, token_count AS words, title, canonical_url,
    boilerplate_bodies.body_hash AS boilerplate
FROM documents JOIN document_signals USING (document_id) LEFT JOIN boilerplate_bodies USING (collection, body_hash)
WHERE document_id = ANY ($1::bigint[]);

-- name: neighbourhoods
-- The stored nearest documents of each document.
SELECT document_id, ids, cosines FROM neighbourhoods WHERE document_id = ANY ($1::bigint[]) AND model_id = $2;

-- name: links
-- The links of these documents.
SELECT one_id, other_id, probability, signals FROM document_links WHERE model_id = $2 AND one_id = ANY ($1::bigint[])
UNION
SELECT one_id, other_id, probability, signals FROM document_links WHERE model_id = $2 AND other_id = ANY ($1::bigint[]);

-- name: put_neighbourhoods
-- Store the nearest documents of each document.
INSERT INTO neighbourhoods (document_id, model_id, ids, cosines)
SELECT document_id, $1, array_agg(neighbour_id ORDER BY place), array_agg(cosine ORDER BY place)
FROM unnest($2::bigint[], $3::bigint[], $4::real[], $5::int[]) AS near (document_id, neighbour_id, cosine, place)
GROUP BY document_id ORDER BY document_id
ON CONFLICT (document_id) DO UPDATE SET model_id = excluded.model_id, ids = excluded.ids, cosines = excluded.cosines;

-- name: stage
-- The temporary table that links are copied to before the upsert; emptied at commit.
CREATE TEMP TABLE IF NOT EXISTS staged_links ON COMMIT DELETE ROWS AS
SELECT one_id, other_id, model_id, probability, signals FROM document_links LIMIT 0;

-- name: put
-- Upsert the staged links.
INSERT INTO document_links (one_id, other_id, model_id, probability, signals)
SELECT one_id, other_id, model_id, probability, signals FROM pg_temp.staged_links ORDER BY one_id, other_id
ON CONFLICT (one_id, other_id) DO UPDATE SET
    model_id = excluded.model_id, probability = excluded.probability, signals = excluded.signals, updated_at = now();

-- name: named
-- All links of the active model, with the names of the documents.
SELECT ARRAY[one.collection, one.source, one.source_item_id] AS one,
    ARRAY[other.collection, other.source, other.source_item_id] AS other, probability
FROM document_links JOIN embedding_models USING (model_id)
JOIN documents AS one ON one.document_id = one_id JOIN documents AS other ON other.document_id = other_id
WHERE is_active;

-- name: component
-- The stories that are connected with these: by links of sufficient probability, by a person's tie, or by their present
-- event; suppressed ones too, so that what joins them is hidden. A node below zero is an event, so that each is expanded once. Only the newest documents of a large story are
-- read. The planner overestimates the recursion a hundredfold; the fences (OFFSET 0) keep it from a scan of all stories.
WITH RECURSIVE reached (node) AS (
    SELECT story_id FROM stories WHERE story_id = ANY ($1::bigint[]) AND status <> 'merged'
    UNION
    SELECT next.node FROM reached CROSS JOIN LATERAL (
        SELECT -coverage_id AS node FROM stories WHERE story_id = reached.node
        UNION ALL
        SELECT story_id FROM stories WHERE reached.node < 0 AND coverage_id = -reached.node AND status <> 'merged'
        UNION ALL
        SELECT theirs.story_id FROM (
            SELECT document_id FROM story_members WHERE story_id = reached.node ORDER BY document_id DESC LIMIT $4) AS ours
        CROSS JOIN LATERAL (
            SELECT other_id AS document_id FROM document_links
            WHERE one_id = ours.document_id AND probability >= $2 AND model_id = $3
            UNION ALL
            SELECT one_id FROM document_links WHERE other_id = ours.document_id AND probability >= $2 AND model_id = $3
            UNION ALL
            SELECT other_document_id FROM event_ties WHERE one_document_id = ours.document_id AND undone_at IS NULL
            UNION ALL
            SELECT one_document_id FROM event_ties WHERE other_document_id = ours.document_id AND undone_at IS NULL
        ) AS linked
        JOIN story_members AS theirs ON theirs.document_id = linked.document_id
    OFFSET 0) AS next
)
SELECT node AS story_id, known.* FROM reached CROSS JOIN LATERAL (
    SELECT first_seen_at, coverage_id, item_count, canonical_title AS title, canonical_url AS url,
        CASE WHEN canonical_url IS NULL THEN ARRAY[''] ELSE publisher_families END AS families,
        EXISTS (SELECT FROM events WHERE event_id = reached.node AND events.status = 'merged') AS may_return
    FROM stories WHERE stories.story_id = reached.node AND stories.status <> 'merged' OFFSET 0) AS known
WHERE node > 0
ORDER BY first_seen_at, story_id;

-- name: between
-- The mean link probability of each two stories of which one is asked for.
SELECT least(asked.story_id, theirs.story_id) AS one_id, greatest(asked.story_id, theirs.story_id) AS other_id,
    avg(probability)::float8 AS probability
FROM unnest($1::bigint[]) AS asked (story_id)
CROSS JOIN LATERAL (
    SELECT document_id FROM story_members WHERE story_id = asked.story_id ORDER BY document_id DESC LIMIT $3) AS ours
CROSS JOIN LATERAL (
    SELECT other_id, probability FROM document_links WHERE one_id = ours.document_id AND model_id = $2 OFFSET 0) AS linked
CROSS JOIN LATERAL (SELECT story_id FROM story_members WHERE document_id = other_id LIMIT 1) AS theirs
WHERE asked.story_id <> theirs.story_id
GROUP BY 1, 2;

-- name: ties
-- The pairs of these stories that people put into one event.
SELECT DISTINCT least(ours.story_id, theirs.story_id) AS one_id, greatest(ours.story_id, theirs.story_id) AS other_id
FROM story_members AS ours JOIN event_ties ON one_document_id = ours.document_id AND undone_at IS NULL
JOIN story_members AS theirs ON theirs.document_id = other_document_id
WHERE ours.story_id = ANY ($1::bigint[]) AND theirs.story_id = ANY ($1::bigint[]) AND ours.story_id <> theirs.story_id;
