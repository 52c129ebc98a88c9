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
    normalized_language AS language, token_count AS words
FROM documents JOIN document_signals USING (document_id)
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

-- name: component
-- The stories that are connected with these: by links of sufficient probability, or by their present coverage. Only the
-- newest documents of a large story are read. The planner overestimates the recursion a hundredfold; the fences
-- (OFFSET 0) keep it from a scan of all stories.
WITH RECURSIVE reached (story_id) AS (
    SELECT story_id FROM stories WHERE story_id = ANY ($1::bigint[]) AND status = 'active'
    UNION
    SELECT shown.story_id FROM unnest($1::bigint[]) AS asked (story_id)
    CROSS JOIN LATERAL (SELECT coverage_id FROM stories WHERE stories.story_id = asked.story_id OFFSET 0) AS covered
    CROSS JOIN LATERAL (
        SELECT story_id FROM stories
        WHERE stories.coverage_id = covered.coverage_id AND status = 'active' OFFSET 0) AS shown
    UNION
    SELECT theirs.story_id FROM reached
    CROSS JOIN LATERAL (
        SELECT document_id FROM story_members WHERE story_id = reached.story_id ORDER BY document_id DESC LIMIT $4) AS ours
    CROSS JOIN LATERAL (
        SELECT other_id AS document_id FROM document_links WHERE one_id = ours.document_id AND probability >= $2 AND model_id = $3
        UNION ALL
        SELECT one_id FROM document_links WHERE other_id = ours.document_id AND probability >= $2 AND model_id = $3
    ) AS linked
    JOIN story_members AS theirs ON theirs.document_id = linked.document_id
)
SELECT story_id, first_seen_at, coverage_id FROM reached CROSS JOIN LATERAL (
    SELECT first_seen_at, coverage_id FROM stories WHERE stories.story_id = reached.story_id OFFSET 0) AS known
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

-- name: cover
-- Set the coverage of stories.
UPDATE stories SET coverage_id = grouped.coverage_id
FROM unnest($1::bigint[], $2::bigint[]) AS grouped (story_id, coverage_id)
WHERE stories.story_id = grouped.story_id AND stories.coverage_id IS DISTINCT FROM grouped.coverage_id;
