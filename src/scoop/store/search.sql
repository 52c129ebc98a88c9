-- name: readings
-- Documents to be indexed.
SELECT document_id, collection, source, normalized_language AS language, seen_at, normalized_title, normalized_text
FROM documents WHERE document_id = ANY ($1::bigint[]);

-- name: stems
-- The stem of each word by the dictionary beside it; a stop word, which has none, stays as it is.
SELECT dictionary, word, coalesce((ts_lexize(dictionary::regdictionary, word))[1], word) AS stem
FROM unnest($1::text[], $2::text[]) AS asked (dictionary, word);

-- name: put
-- Write the index rows of documents.
INSERT INTO document_search (document_id, seen_at, facets, tokens)
SELECT document_id, made.seen_at, ARRAY(SELECT jsonb_array_elements_text(made.facets::jsonb)), tokens::tsvector
FROM unnest($1::bigint[], $2::timestamptz[], $3::text[], $4::text[]) AS made (document_id, seen_at, facets, tokens)
ORDER BY document_id
ON CONFLICT (document_id) DO UPDATE SET seen_at = excluded.seen_at, facets = excluded.facets, tokens = excluded.tokens;

-- name: unknown_words
-- The words that are not stored yet.
SELECT word FROM unnest($1::text[]) AS asked (word) WHERE NOT EXISTS (
    SELECT FROM search_words WHERE search_words.word = asked.word);

-- name: put_words
-- Store words of titles; sorted, so that concurrent inserts cannot deadlock.
INSERT INTO search_words (word, keys)
SELECT word, keys::int[] FROM unnest($1::text[], $2::text[]) AS made (word, keys) ORDER BY word ON CONFLICT DO NOTHING;

-- name: put_facets
-- Store facets.
INSERT INTO search_facets (facet)
SELECT facet FROM unnest($1::text[]) AS made (facet)
WHERE NOT EXISTS (SELECT FROM search_facets WHERE search_facets.facet = made.facet)
ORDER BY facet ON CONFLICT DO NOTHING;

-- name: facets
-- The facets of one kind, or those of these names that exist.
SELECT facet FROM search_facets
WHERE ($1::text IS NOT NULL AND facet >= $1 || ':' AND facet < $1 || ';') OR facet = ANY ($2::text[])
ORDER BY facet LIMIT $3;

-- name: be_quick
-- Bound the time of a search, plan it for its values, and let it use indexes only.
SELECT set_config('statement_timeout', $1, true), set_config('plan_cache_mode', 'force_custom_plan', true),
    set_config('enable_seqscan', 'off', true), set_config('hnsw.ef_search', '100', true),
    set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.max_scan_tuples', '1000', true);

-- name: newest
-- The newest documents of a time range that have the words, if any, at any position, which is all that the index knows.
SELECT document_id FROM document_search
WHERE ($1::text IS NULL OR tokens @@ $1::text::tsquery) AND ($2::text[] IS NULL OR facets @> $2) AND ($3::text[] IS NULL OR facets && $3)
    AND ($4::timestamptz IS NULL OR seen_at >= $4) AND ($5::timestamptz IS NULL OR seen_at < $5)
    AND ($6::int IS NULL OR EXISTS (
        SELECT FROM story_members JOIN story_topic_state USING (story_id)
        WHERE story_members.document_id = document_search.document_id AND topic_id = $6))
ORDER BY seen_at DESC, document_id DESC LIMIT $7;

-- name: ranked
-- The stories of these documents, each with its best one; phrases are checked unless `$5`. The weight of a document
-- falls to half with age, with a half-life of 30 days.
SELECT story_id, document_id FROM (
    SELECT DISTINCT ON (story_id) story_id, document_id, last_seen_at, weight FROM (
        SELECT document_id, ts_rank('{0.1, 0.2, 0.5, 1.0}', tokens, $2::text::tsquery, 1)
            * (0.5 + 0.5 * power(0.5, greatest(extract(epoch FROM $3 - seen_at), 0) / 2592000)) AS weight
        FROM document_search WHERE document_id = ANY ($1::bigint[]) AND ($5 OR tokens @@ $2::text::tsquery)) AS weighed
    JOIN story_members USING (document_id) JOIN stories USING (story_id)
    WHERE status = 'active' ORDER BY story_id, weight DESC, document_id) AS best
ORDER BY weight DESC, last_seen_at DESC, story_id DESC LIMIT $4;

-- name: latest
-- The stories of the newest documents that pass the filters, each with its newest one.
SELECT story_id, document_id FROM (
    SELECT DISTINCT ON (story_id) story_id, document_id, document_search.seen_at
    FROM document_search JOIN story_members USING (document_id) JOIN stories USING (story_id)
    WHERE document_id = ANY ($1::bigint[]) AND status = 'active'
    ORDER BY story_id, document_search.seen_at DESC, document_id) AS newest
ORDER BY seen_at DESC, story_id DESC;

-- name: known_words
-- The words that a document has in one of these forms; those of titles are known without a look at the index.
SELECT word FROM unnest($1::text[], $2::text[]) AS asked (word, forms)
WHERE CASE WHEN EXISTS (SELECT FROM search_words WHERE search_words.word = asked.word) THEN true
    ELSE EXISTS (SELECT FROM document_search WHERE tokens @@ forms::tsquery) END;

-- name: embedded
-- The number of documents that a model has embedded, counted up to a limit.
SELECT count(*) FROM (
    SELECT FROM document_embeddings WHERE model_name = $1 AND model_version = $2 LIMIT $3) AS counted;

-- name: nearest
-- The stories whose documents are nearest in meaning, without documents that have excluded words.
SELECT story_id, document_id, cosine FROM (
    SELECT DISTINCT ON (story_id) story_id, document_id, cosine
    FROM documents_meaning($1::real[], $2, $3, $4, $5, $6, $7, $8, $9) AS near
    JOIN story_members USING (document_id) JOIN stories USING (story_id)
    WHERE status = 'active'
        AND ($10::text IS NULL OR NOT EXISTS (
            SELECT FROM document_search AS found
            WHERE found.document_id = near.document_id AND found.tokens @@ $10::text::tsquery))
        AND ($11::int IS NULL OR EXISTS (
            SELECT FROM story_topic_state WHERE story_topic_state.story_id = stories.story_id AND topic_id = $11))
    ORDER BY story_id, cosine DESC) AS best
ORDER BY cosine DESC, story_id DESC LIMIT $9;

-- name: similar_words
-- The words of titles that share a deletion key with each word that no title has.
SELECT asked.word, near.word AS candidate
FROM unnest($1::text[], $2::text[]) AS asked (word, keys) CROSS JOIN LATERAL (
    SELECT word FROM search_words WHERE search_words.keys && asked.keys::int[] LIMIT $3) AS near
WHERE NOT EXISTS (SELECT FROM search_words WHERE search_words.word = asked.word);

-- name: texts
-- The beginning of documents, from which passages are cut.
SELECT document_id, title, left(body_text, $2) AS body_text, normalized_language AS language
FROM documents WHERE document_id = ANY ($1::bigint[]);

-- name: topic
-- The id of a topic.
SELECT topic_id FROM topics WHERE topic_slug = $1 AND NOT is_hidden;
