-- The current reading of each source item, and its embeddings.

CREATE TABLE documents (
    document_id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    raw_arrival_id      BIGINT NOT NULL UNIQUE REFERENCES raw_arrivals (raw_arrival_id) ON DELETE RESTRICT,
    collection          TEXT NOT NULL CHECK (length(trim(collection)) > 0),
    source              TEXT NOT NULL CHECK (length(trim(source)) > 0),
    source_item_id      TEXT NOT NULL CHECK (length(trim(source_item_id)) > 0),
    article_id          TEXT NOT NULL CHECK (article_id ~ '^art_[0-9a-f]{32}$'),
    canonical_url       TEXT,
    canonical_url_hash  BYTEA CHECK (canonical_url_hash IS NULL OR octet_length(canonical_url_hash) = 32),
    title               TEXT NOT NULL CHECK (length(trim(title)) > 0),
    normalized_title    TEXT NOT NULL CHECK (length(trim(normalized_title)) > 0),
    body_text           TEXT NOT NULL DEFAULT '',
    normalized_text     TEXT NOT NULL DEFAULT '',
    normalized_language TEXT NOT NULL DEFAULT 'und',
    published_at        TIMESTAMPTZ,
    fetched_at          TIMESTAMPTZ NOT NULL,
    seen_at             TIMESTAMPTZ NOT NULL,
    source_domain       TEXT,
    publisher_family    TEXT NOT NULL,
    native_ids          TEXT[] NOT NULL DEFAULT '{}',
    title_simhash       BIGINT,
    text_simhash        BIGINT,
    title_hash          BYTEA CHECK (title_hash IS NULL OR octet_length(title_hash) = 32),
    content_hash        BYTEA NOT NULL CHECK (octet_length(content_hash) = 32),
    token_count         INTEGER NOT NULL DEFAULT 0 CHECK (token_count >= 0),
    authors             TEXT[] NOT NULL DEFAULT '{}',
    tags                TEXT[] NOT NULL DEFAULT '{}',
    image_url           TEXT,
    created_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at          TIMESTAMPTZ NOT NULL DEFAULT now()
);

COMMENT ON TABLE documents IS 'The current reading of one source item; earlier versions stay readable in raw_arrivals.';
COMMENT ON COLUMN documents.raw_arrival_id IS 'The newest arrival of the item: the one this row was read from.';
COMMENT ON COLUMN documents.article_id IS 'The public id: art_ and the hash of the canonical URL; equal for equal URLs.';
COMMENT ON COLUMN documents.canonical_url_hash IS 'SHA-256 of canonical_url.';
COMMENT ON COLUMN documents.title IS 'As written, for people; normalized_title is for matching.';
COMMENT ON COLUMN documents.seen_at IS 'published_at, or fetched_at where that is unknown or lies in the future.';
COMMENT ON COLUMN documents.publisher_family IS 'The newsroom behind the URL: editions and sub-domains of one publisher share it.';
COMMENT ON COLUMN documents.content_hash IS 'SHA-256 of the normalized title and the normalized text.';

CREATE UNIQUE INDEX idx_documents_source_item ON documents (source, source_item_id, collection);
CREATE INDEX idx_documents_canonical_url_hash ON documents (collection, canonical_url_hash)
    WHERE canonical_url_hash IS NOT NULL;
CREATE INDEX idx_documents_content_hash ON documents (collection, content_hash);
CREATE INDEX idx_documents_title_simhash ON documents (collection, title_simhash) WHERE title_simhash IS NOT NULL;
CREATE INDEX idx_documents_native_ids ON documents USING gin (native_ids) WHERE native_ids <> '{}';
CREATE INDEX idx_documents_source_domain_published ON documents (source_domain, published_at DESC);
CREATE INDEX idx_documents_article_id ON documents (article_id);
CREATE INDEX idx_documents_created_at ON documents (created_at DESC);

CREATE TRIGGER trg_documents_touch_updated_at BEFORE UPDATE ON documents
    FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE document_embeddings (
    embedding_id     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document_id      BIGINT NOT NULL REFERENCES documents (document_id) ON DELETE CASCADE,
    model_name       TEXT NOT NULL CHECK (length(trim(model_name)) > 0),
    model_version    TEXT NOT NULL CHECK (length(trim(model_version)) > 0),
    embedding        vector NOT NULL,
    embedded_at      TIMESTAMPTZ NOT NULL DEFAULT now(),
    service_endpoint TEXT NOT NULL,
    latency_ms       INTEGER CHECK (latency_ms IS NULL OR latency_ms >= 0),
    CONSTRAINT uq_document_embeddings_doc_model UNIQUE (document_id, model_name, model_version)
);

COMMENT ON TABLE document_embeddings IS 'One vector per document and embedding model; models of any dimension live side by side.';
COMMENT ON COLUMN document_embeddings.service_endpoint IS 'Which embedder made it: a URL, or local.';

CREATE INDEX idx_document_embeddings_model_time ON document_embeddings (model_name, model_version, embedded_at DESC);
CREATE INDEX idx_document_embeddings_embedded_at ON document_embeddings (embedded_at DESC);

-- pgvector's HNSW takes at most 4000 dimensions (halfvec); above, the signs are indexed and hits are ranked anew exactly.
CREATE FUNCTION index_embeddings(model_name TEXT, model_version TEXT, dimensions INTEGER) RETURNS TEXT
LANGUAGE plpgsql AS $$
DECLARE
    index_name TEXT := 'idx_embeddings_hnsw_' || substr(md5(model_name || ' ' || model_version), 1, 12);
    expression TEXT := CASE
        WHEN dimensions <= 4000 THEN format('(embedding::halfvec(%s)) halfvec_cosine_ops', dimensions)
        ELSE format('(binary_quantize(embedding)::bit(%s)) bit_hamming_ops', dimensions)
    END;
BEGIN
    EXECUTE format(
        'CREATE INDEX IF NOT EXISTS %I ON news.document_embeddings USING hnsw (%s) WITH (m = 16, ef_construction = 128) '
        'WHERE model_name = %L AND model_version = %L',
        index_name, expression, model_name, model_version);
    RETURN index_name;
END
$$;

COMMENT ON FUNCTION index_embeddings IS 'Makes the nearest-neighbour index of one embedding model, of the kind its dimension allows.';
