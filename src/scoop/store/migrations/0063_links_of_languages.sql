-- The weights of words and the link model were made again, for more languages: all documents get new signals, which costs no
-- embedding of a text that is unchanged, and are linked again. A calibrated `coverage_at` belongs to the former probabilities.
DELETE FROM document_links;
UPDATE embedding_models SET calibration = calibration - 'coverage_at';
INSERT INTO work (stage, subject, lane)
SELECT 'embed', document_id, collection FROM document_embeddings
JOIN embedding_models USING (model_name, model_version) WHERE is_active
ON CONFLICT (stage, subject) DO NOTHING;
