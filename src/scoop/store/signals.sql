-- name: put
-- Upsert the signals of documents.
INSERT INTO document_signals (document_id, signals)
SELECT document_id, signals FROM unnest($1::bigint[], $2::bytea[]) AS made (document_id, signals) ORDER BY document_id
ON CONFLICT (document_id) DO UPDATE SET signals = excluded.signals;
