-- The link model was fitted again, with other signals: the links of the former one are removed, and all documents are
-- linked again. A calibrated `coverage_at` belongs to the probabilities of the former model; cosines stay as they are.
DELETE FROM document_links;
UPDATE embedding_models SET calibration = calibration - 'coverage_at';
INSERT INTO work (stage, subject, lane)
SELECT 'link', document_id, collection FROM document_embeddings
JOIN embedding_models USING (model_name, model_version) WHERE is_active
ON CONFLICT (stage, subject) DO NOTHING;
