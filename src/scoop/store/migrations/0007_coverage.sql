-- What documents are compared by, links between those that are probably one event, and what people decided.

ALTER TYPE story_match_type ADD VALUE 'near_copy' BEFORE 'lexical_simhash';

ALTER TABLE documents
    ADD COLUMN title_bands INTEGER[] NOT NULL DEFAULT '{}',
    ADD COLUMN sketch INTEGER[] NOT NULL DEFAULT '{}',
    ADD COLUMN signals BYTEA;

COMMENT ON COLUMN documents.title_bands IS 'The title''s simhash in four blocks: titles that differ in up to 3 bits share one.';
COMMENT ON COLUMN documents.sketch IS 'A sample of the body''s phrases of five words: bodies that share passages share some.';
COMMENT ON COLUMN documents.signals IS 'Weighty words, names, numbers and phrases, packed for the judge (core/signals.py).';

CREATE INDEX idx_documents_title_bands ON documents USING gin (title_bands) WHERE title_bands <> '{}';
CREATE INDEX idx_documents_sketch ON documents USING gin (sketch) WHERE sketch <> '{}';

CREATE TABLE embedding_models (
    model_id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model_name    TEXT NOT NULL CHECK (length(trim(model_name)) > 0),
    model_version TEXT NOT NULL CHECK (length(trim(model_version)) > 0),
    dimensions    INTEGER NOT NULL CHECK (dimensions > 0),
    is_active     BOOLEAN NOT NULL DEFAULT false,
    calibration   JSONB NOT NULL DEFAULT '{}',
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT uq_embedding_models UNIQUE (model_name, model_version)
);

COMMENT ON TABLE embedding_models IS 'The embedding models that have made vectors here; one of them decides about stories.';
COMMENT ON COLUMN embedding_models.calibration IS 'Thresholds that differ from those the model came with.';

CREATE UNIQUE INDEX idx_embedding_models_active ON embedding_models (is_active) WHERE is_active;

ALTER TABLE document_embeddings ADD COLUMN collection TEXT, ADD COLUMN seen_at TIMESTAMPTZ, ADD COLUMN text_hash BYTEA;
UPDATE document_embeddings SET collection = documents.collection, seen_at = documents.seen_at, text_hash = ''
FROM documents WHERE documents.document_id = document_embeddings.document_id;
ALTER TABLE document_embeddings
    ALTER COLUMN collection SET NOT NULL, ALTER COLUMN seen_at SET NOT NULL, ALTER COLUMN text_hash SET NOT NULL;

-- Vectors are read far more often than anything beside them: they stay in the row where they fit, and uncompressed.
ALTER TABLE document_embeddings ALTER COLUMN embedding SET STORAGE EXTERNAL;
ALTER TABLE document_embeddings SET (toast_tuple_target = 8160);

COMMENT ON COLUMN document_embeddings.collection IS 'Of the document; here too, so that its collection''s index can be used.';
COMMENT ON COLUMN document_embeddings.text_hash IS 'SHA-256 of what was embedded: a document that changed is embedded anew.';

CREATE INDEX idx_document_embeddings_collection ON document_embeddings (model_name, model_version, collection, seen_at DESC);

DROP FUNCTION index_embeddings(TEXT, TEXT, INTEGER);

-- One index for each model and collection: a search never wades through the documents of another collection.
CREATE FUNCTION index_embeddings(model_name TEXT, model_version TEXT, collection TEXT, dimensions INTEGER) RETURNS TEXT
LANGUAGE plpgsql AS $$
DECLARE
    index_name TEXT := 'idx_embeddings_hnsw_' || substr(md5(concat_ws(' ', model_name, model_version, collection)), 1, 12);
    expression TEXT := CASE
        WHEN dimensions <= 4000 THEN format('(embedding::halfvec(%s)) halfvec_cosine_ops', dimensions)
        ELSE format('(binary_quantize(embedding)::bit(%s)) bit_hamming_ops', dimensions)
    END;
BEGIN
    EXECUTE format(
        'CREATE INDEX IF NOT EXISTS %I ON news.document_embeddings USING hnsw (%s) WITH (m = 16, ef_construction = 64) '
        'WHERE model_name = %L AND model_version = %L AND collection = %L',
        index_name, expression, model_name, model_version, collection);
    RETURN index_name;
END
$$;

COMMENT ON FUNCTION index_embeddings IS 'Makes the nearest-neighbour index of a model and a collection, of the kind its dimension allows.';

-- The statement is put together here because only literals let the planner see that a partial index fits.
CREATE FUNCTION nearest_documents(
    ids BIGINT[], model_name TEXT, model_version TEXT, collection TEXT, dimensions INTEGER, lookback INTERVAL, most INTEGER
) RETURNS TABLE (document_id BIGINT, neighbour_id BIGINT, cosine REAL)
LANGUAGE plpgsql STABLE
SET enable_sort = off  -- the planner takes the window for narrow, and would sort all of it instead of using the index
AS $$
DECLARE
    among TEXT := format(
        'model_name = %L AND model_version = %L AND collection = %L AND document_id <> asked.document_id '
        'AND seen_at BETWEEN asked.seen_at - %L::interval AND asked.seen_at + %L::interval',
        model_name, model_version, collection, lookback, lookback);
    nearest TEXT := CASE
        WHEN dimensions <= 4000 THEN format(
            'SELECT document_id, embedding FROM news.document_embeddings WHERE %s '
            'ORDER BY embedding::halfvec(%s) <=> asked.embedding::halfvec(%2$s) LIMIT %s', among, dimensions, most)
        ELSE format(
            'SELECT document_id, embedding FROM (SELECT document_id, embedding FROM news.document_embeddings WHERE %s '
            'ORDER BY binary_quantize(embedding)::bit(%s) <~> binary_quantize(asked.embedding)::bit(%2$s) LIMIT 200) '
            'AS rough ORDER BY embedding <=> asked.embedding LIMIT %s', among, dimensions, most)
    END;
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT asked.document_id, near.document_id, (1 - (near.embedding <=> asked.embedding))::real '
        'FROM news.document_embeddings AS asked CROSS JOIN LATERAL (%s) AS near '
        'WHERE asked.document_id = ANY ($1) AND asked.model_name = %L AND asked.model_version = %L',
        nearest, model_name, model_version) USING ids;
END
$$;

COMMENT ON FUNCTION nearest_documents IS 'For each document those of its collection and time whose embeddings are nearest.';

CREATE TABLE neighbourhoods (
    document_id BIGINT PRIMARY KEY REFERENCES documents (document_id) ON DELETE CASCADE,
    model_id    BIGINT NOT NULL REFERENCES embedding_models (model_id),
    ids         BIGINT[] NOT NULL,
    cosines     REAL[] NOT NULL,
    CONSTRAINT neighbourhoods_pairs CHECK (cardinality(ids) = cardinality(cosines))
);

COMMENT ON TABLE neighbourhoods IS 'The nearest documents of each, the nearest first: how crowded it is around it.';

CREATE TABLE document_links (
    one_id      BIGINT NOT NULL REFERENCES documents (document_id) ON DELETE CASCADE,
    other_id    BIGINT NOT NULL REFERENCES documents (document_id) ON DELETE CASCADE,
    model_id    BIGINT NOT NULL REFERENCES embedding_models (model_id),
    probability REAL NOT NULL CHECK (probability BETWEEN 0 AND 1),
    signals     REAL[] NOT NULL,
    updated_at  TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (one_id, other_id),
    CONSTRAINT document_links_in_order CHECK (one_id < other_id)
);

COMMENT ON TABLE document_links IS 'Pairs of documents that may tell of one event, and how probable that is.';
COMMENT ON COLUMN document_links.signals IS 'What the probability was made of, in the order of core/links.py.';

CREATE INDEX idx_document_links_other ON document_links (other_id);

ALTER TABLE stories ADD COLUMN coverage_id BIGINT;
COMMENT ON COLUMN stories.coverage_id IS 'The oldest story of its group of coverage; itself where it stands alone, NULL before it was compared.';
CREATE INDEX idx_stories_coverage ON stories (coverage_id) WHERE coverage_id IS NOT NULL;

CREATE TABLE story_verdicts (
    verdict_id        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    one_document_id   BIGINT NOT NULL REFERENCES documents (document_id) ON DELETE CASCADE,
    other_document_id BIGINT NOT NULL REFERENCES documents (document_id) ON DELETE CASCADE,
    is_same           BOOLEAN NOT NULL,
    note              TEXT NOT NULL DEFAULT '',
    decided_at        TIMESTAMPTZ NOT NULL DEFAULT now(),
    undone_at         TIMESTAMPTZ,
    CONSTRAINT story_verdicts_in_order CHECK (one_document_id < other_document_id)
);

COMMENT ON TABLE story_verdicts IS 'What people said of two documents: one story, or not. No later run may go against it.';

CREATE INDEX idx_story_verdicts_one ON story_verdicts (one_document_id) WHERE undone_at IS NULL;
CREATE INDEX idx_story_verdicts_other ON story_verdicts (other_document_id) WHERE undone_at IS NULL;

-- What was read before is read again, so that it has its signals too.
INSERT INTO work (stage, subject) SELECT 'normalize', raw_arrival_id FROM documents ON CONFLICT DO NOTHING;
