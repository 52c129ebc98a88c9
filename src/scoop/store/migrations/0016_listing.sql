-- What the lists of the API walk along: the newest first, from wherever the caller stopped.

CREATE INDEX idx_documents_latest ON documents (seen_at DESC, document_id DESC);
CREATE INDEX idx_documents_source_latest ON documents (source, seen_at DESC, document_id DESC);
CREATE INDEX idx_documents_collection_latest ON documents (collection, seen_at DESC, document_id DESC);
