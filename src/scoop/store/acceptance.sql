-- name: counts
-- The counts that must be right before an older system is switched off, over the whole database.
WITH entered AS (SELECT run_id, count(*) AS arrivals FROM raw_arrivals GROUP BY run_id),
short AS (
    SELECT run_id FROM ingest_runs LEFT JOIN entered USING (run_id)
    WHERE status <> 'running' AND (items_inserted > coalesce(arrivals, 0)
        OR (status <> 'failed' AND items_inserted + items_failed > items_fetched))
),
published AS (
    SELECT topic_id, run_date, channel, unnest(story_ids) AS story_id FROM posts WHERE state <> 'dropped'
)
SELECT
    (SELECT count(*) FROM sources WHERE enabled) AS sources,
    ARRAY(SELECT slug FROM sources WHERE enabled AND NOT EXISTS (
        SELECT FROM ingest_runs WHERE source = slug AND status IN ('completed', 'partial')) ORDER BY slug) AS unvisited,
    (SELECT count(*) FROM ingest_runs) AS runs,
    ARRAY(SELECT run_id FROM short ORDER BY run_id) AS short_runs,
    (SELECT count(*) FROM quarantine WHERE stage = ANY ($1::text[])) AS quarantined,
    (SELECT count(*) FROM (SELECT DISTINCT source, source_item_id, collection FROM raw_arrivals) AS item) AS items,
    (SELECT count(*) FROM documents) AS documents,
    (SELECT count(*) FROM document_embeddings JOIN embedding_models USING (model_name, model_version)
        WHERE is_active) AS embedded,
    (SELECT count(DISTINCT (topic_id, run_date, story_id)) FROM published) AS published,
    (SELECT count(*) FROM (
        SELECT FROM published GROUP BY topic_id, run_date, channel, story_id HAVING count(*) > 1) AS twice) AS repeated;
