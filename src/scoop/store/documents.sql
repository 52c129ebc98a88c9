-- name: existing
-- The positions of those of these items that have a document.
SELECT position FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY
    AS handed (source, source_item_id, collection, position)
WHERE EXISTS (
    SELECT FROM documents WHERE documents.source = handed.source AND documents.source_item_id = handed.source_item_id
        AND documents.collection = handed.collection);

-- name: new_ids
-- Ids for documents that are about to be inserted.
SELECT nextval('documents_document_id_seq') AS document_id FROM generate_series(1, $1);

-- name: stage
-- The temporary table that a batch is copied to before the upsert; emptied at commit.
CREATE TEMP TABLE IF NOT EXISTS staged_documents ON COMMIT DELETE ROWS AS
SELECT raw_arrival_id, collection, source, source_item_id, article_id, canonical_url, canonical_url_hash, title,
    normalized_title, body_text, normalized_text, normalized_language, published_at, fetched_at, seen_at, source_domain,
    publisher_family, native_ids, title_simhash, text_simhash, title_hash, content_hash, token_count, authors, tags, image_url,
    content_problem, headline, sketch, tracked_url_hash, fragment_url_hash, body_hash
FROM documents LIMIT 0;

-- name: replace
-- Upsert the staged documents, except where a newer arrival of the item is stored already. A teaser whose page is to come
-- replaces nothing: the document keeps its text until the page is read. A version without a date keeps the one that is known.
INSERT INTO documents (raw_arrival_id, collection, source, source_item_id, article_id, canonical_url, canonical_url_hash,
    title, normalized_title, body_text, normalized_text, normalized_language, published_at, fetched_at, seen_at,
    source_domain, publisher_family, native_ids, title_simhash, text_simhash, title_hash, content_hash, token_count,
    authors, tags, image_url, content_problem, headline, sketch, tracked_url_hash, fragment_url_hash, body_hash)
SELECT * FROM pg_temp.staged_documents ORDER BY raw_arrival_id
ON CONFLICT (source, source_item_id, collection) DO UPDATE SET
    raw_arrival_id = excluded.raw_arrival_id,
    article_id = excluded.article_id,
    canonical_url = excluded.canonical_url,
    canonical_url_hash = excluded.canonical_url_hash,
    title = excluded.title,
    normalized_title = excluded.normalized_title,
    body_text = excluded.body_text,
    normalized_text = excluded.normalized_text,
    normalized_language = excluded.normalized_language,
    published_at = coalesce(excluded.published_at, documents.published_at),
    fetched_at = least(documents.fetched_at, excluded.fetched_at),
    seen_at = least(coalesce(excluded.published_at, documents.published_at), documents.fetched_at, excluded.fetched_at),
    source_domain = excluded.source_domain,
    publisher_family = excluded.publisher_family,
    native_ids = excluded.native_ids,
    title_simhash = excluded.title_simhash,
    text_simhash = excluded.text_simhash,
    title_hash = excluded.title_hash,
    content_hash = excluded.content_hash,
    token_count = excluded.token_count,
    authors = excluded.authors,
    tags = excluded.tags,
    image_url = excluded.image_url,
    content_problem = excluded.content_problem,
    headline = excluded.headline,
    sketch = excluded.sketch,
    tracked_url_hash = excluded.tracked_url_hash,
    fragment_url_hash = excluded.fragment_url_hash,
    body_hash = excluded.body_hash
WHERE documents.raw_arrival_id <= excluded.raw_arrival_id AND excluded.content_problem IS DISTINCT FROM $1
RETURNING document_id, collection;
