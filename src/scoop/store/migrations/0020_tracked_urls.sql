-- A document whose URL had tracking parameters is also found by the URL with them, as earlier documents were stored.

ALTER TABLE documents ADD COLUMN tracked_url_hash BYTEA CHECK (octet_length(tracked_url_hash) = 32);
COMMENT ON COLUMN documents.tracked_url_hash IS 'SHA-256 of the URL with its tracking parameters; NULL: it had none.';
CREATE INDEX idx_documents_tracked_url_hash ON documents (collection, tracked_url_hash) WHERE tracked_url_hash IS NOT NULL;
