-- name: written
-- Documents, and the hash of the text that a model embedded of each before; without those that await their pages.
SELECT documents.document_id, documents.collection, title, body_text, text_hash
FROM documents LEFT JOIN document_embeddings AS kept
    ON kept.document_id = documents.document_id AND kept.model_name = $2 AND kept.model_version = $3
WHERE documents.document_id = ANY ($1::bigint[]) AND content_problem IS DISTINCT FROM $4 ORDER BY documents.document_id;

-- name: lacking
-- The next documents that a model has not embedded since they last changed, without those that await their pages.
SELECT documents.document_id
FROM documents LEFT JOIN document_embeddings AS kept
    ON kept.document_id = documents.document_id AND kept.model_name = $1 AND kept.model_version = $2
WHERE documents.document_id > $3 AND (kept.document_id IS NULL OR kept.embedded_at < documents.updated_at)
    AND content_problem IS DISTINCT FROM $5
ORDER BY documents.document_id LIMIT $4;

-- name: missing
-- The number of documents that a model has not embedded, without those that await their pages.
SELECT count(*) FROM documents WHERE content_problem IS DISTINCT FROM $3 AND NOT EXISTS (
    SELECT FROM document_embeddings AS kept
    WHERE kept.document_id = documents.document_id AND kept.model_name = $1 AND kept.model_version = $2);

-- name: put
-- Store the vectors of a batch, which are concatenated in one array.
INSERT INTO document_embeddings (document_id, model_name, model_version, embedding, service_endpoint, latency_ms,
    collection, seen_at, text_hash)
SELECT document_id, $1, $2, ($6::real[])[(place - 1) * $3 + 1 : place * $3]::vector, $7, $8, collection, seen_at, text_hash
FROM unnest($4::bigint[], $5::bytea[]) WITH ORDINALITY AS made (document_id, text_hash, place)
JOIN documents USING (document_id)
ORDER BY document_id
ON CONFLICT (document_id, model_name, model_version) DO UPDATE SET
    embedding = excluded.embedding, service_endpoint = excluded.service_endpoint, latency_ms = excluded.latency_ms,
    seen_at = excluded.seen_at, text_hash = excluded.text_hash, embedded_at = now();

-- name: date
-- Copy the dates of documents to their embeddings: a date may change without the text.
UPDATE document_embeddings SET seen_at = documents.seen_at FROM documents
WHERE document_embeddings.document_id = ANY ($1::bigint[]) AND documents.document_id = document_embeddings.document_id
    AND document_embeddings.seen_at <> documents.seen_at;

-- name: model
-- A model by its name and version.
SELECT model_id, model_name, model_version, dimensions, is_active, calibration FROM embedding_models
WHERE model_name = $1 AND model_version = $2;

-- name: add_model
-- Insert a model; the first one is active.
INSERT INTO embedding_models (model_name, model_version, dimensions, is_active)
SELECT $1, $2, $3, NOT EXISTS (SELECT FROM embedding_models WHERE is_active)
ON CONFLICT (model_name, model_version) DO NOTHING;

-- name: active
-- The active model.
SELECT model_id, model_name, model_version, dimensions, is_active, calibration FROM embedding_models WHERE is_active;

-- name: deactivate
-- Deactivate all other models; before `activate`, because a unique index allows one active model.
UPDATE embedding_models SET is_active = false WHERE is_active AND model_id <> $1;

-- name: activate
-- Activate a model.
UPDATE embedding_models SET is_active = true WHERE model_id = $1;

-- name: calibrate
-- Set the thresholds of a model.
UPDATE embedding_models SET calibration = $2 WHERE model_id = $1;

-- name: models
-- All models, with the number of documents that each has embedded.
SELECT model_id, model_name, model_version, dimensions, is_active, calibration, coalesce(documents, 0) AS documents
FROM embedding_models LEFT JOIN (
    SELECT model_name, model_version, count(*) AS documents FROM document_embeddings GROUP BY model_name, model_version
) AS counted USING (model_name, model_version)
ORDER BY model_id;

-- name: index_state
-- Whether a model and a collection have an index (by the name that index_embeddings gives it), and their vectors up to
-- a limit.
SELECT to_regclass('news.idx_embeddings_hnsw_' || substr(md5(concat_ws(' ', $1::text, $2::text, $3::text)), 1, 12))
        IS NOT NULL AS is_indexed,
    (SELECT count(*) FROM (
        SELECT FROM document_embeddings WHERE model_name = $1 AND model_version = $2 AND collection = $3 LIMIT $4) AS counted
    ) AS count;

-- name: index
-- Build the index, unless another transaction is building one: both would wait for each other's rows.
SELECT CASE WHEN pg_try_advisory_xact_lock($5) THEN index_embeddings($1, $2, $3, $4) END;

-- name: members
-- All documents with their collections, which are the lanes of the link stage.
SELECT document_id, collection FROM documents ORDER BY document_id;
