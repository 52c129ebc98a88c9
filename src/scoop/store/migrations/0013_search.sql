-- What stories are found by: the words of their documents, and what is known of the words.

CREATE TABLE document_search (
    document_id BIGINT PRIMARY KEY REFERENCES documents (document_id) ON DELETE CASCADE,
    seen_at     TIMESTAMPTZ NOT NULL,
    facets      TEXT[] NOT NULL,
    tokens      TSVECTOR NOT NULL
);

COMMENT ON TABLE document_search IS 'The words of each document, stemmed by its language, with what a search can be narrowed to.';
COMMENT ON COLUMN document_search.facets IS 'Collection (c:), source (s:), language (l:), day (d:) and month (m:) in UTC: here, so that one index narrows by all of them.';
COMMENT ON COLUMN document_search.tokens IS 'Made by core/search.py: A are words of the title, B of the lead; unspaced scripts are kept in pairs of signs.';

-- Rows are looked at by their date far more often than by their words, which are kept beside them and not compressed.
ALTER TABLE document_search ALTER COLUMN tokens SET STORAGE EXTERNAL;

CREATE INDEX idx_document_search ON document_search USING gin (facets, tokens);

CREATE TABLE search_facets (
    facet TEXT PRIMARY KEY
);

COMMENT ON TABLE search_facets IS 'The collections (c:), sources (s:) and languages (l:) that documents can be found by.';

CREATE TABLE search_words (
    word TEXT PRIMARY KEY,
    keys INTEGER[] NOT NULL
);

COMMENT ON TABLE search_words IS 'Words of titles, for who types one wrongly.';
COMMENT ON COLUMN search_words.keys IS 'Numbers of the word and of what is left of it without each of its letters: words one slip apart share one.';

CREATE INDEX idx_search_words_keys ON search_words USING gin (keys);

-- The statement is put together here because only literals let the planner see that a partial index fits.
CREATE FUNCTION documents_meaning(
    sought REAL[], model_name TEXT, model_version TEXT, dimensions INTEGER, collections TEXT[], wanted TEXT[],
    since TIMESTAMPTZ, until TIMESTAMPTZ, most INTEGER
) RETURNS TABLE (document_id BIGINT, cosine REAL)
LANGUAGE plpgsql STABLE
SET enable_sort = off  -- as in nearest_documents
AS $$
DECLARE
    each TEXT;
    among TEXT;
    nearest TEXT;
BEGIN
    FOREACH each IN ARRAY collections LOOP
        among := format('model_name = %L AND model_version = %L AND collection = %L', model_name, model_version, each)
            || CASE WHEN since IS NULL THEN '' ELSE format(' AND seen_at >= %L', since) END
            || CASE WHEN until IS NULL THEN '' ELSE format(' AND seen_at < %L', until) END
            || CASE WHEN wanted IS NULL THEN '' ELSE format(' AND EXISTS (SELECT FROM news.document_search AS found '
                'WHERE found.document_id = made.document_id AND found.facets @> %L)', wanted) END;
        nearest := CASE
            WHEN dimensions <= 4000 THEN format(
                'SELECT document_id, embedding FROM news.document_embeddings AS made WHERE %s '
                'ORDER BY embedding::halfvec(%s) <=> $1::vector::halfvec(%2$s) LIMIT %s', among, dimensions, most)
            ELSE format(
                'SELECT document_id, embedding FROM (SELECT document_id, embedding FROM news.document_embeddings AS made '
                'WHERE %s ORDER BY binary_quantize(embedding)::bit(%s) <~> binary_quantize($1::vector)::bit(%2$s) LIMIT 200) '
                'AS rough ORDER BY embedding <=> $1::vector LIMIT %s', among, dimensions, most)
        END;
        RETURN QUERY EXECUTE format(
            'SELECT near.document_id, (1 - (near.embedding <=> $1::vector))::real FROM (%s) AS near', nearest) USING sought;
    END LOOP;
END
$$;

COMMENT ON FUNCTION documents_meaning IS 'The documents of some collections whose embeddings are nearest to what is sought.';

-- What was read before becomes findable by and by.
INSERT INTO work (stage, subject) SELECT 'index', document_id FROM documents ON CONFLICT DO NOTHING;
