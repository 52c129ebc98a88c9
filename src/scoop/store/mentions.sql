-- name: documents
-- Documents as mentions are looked for in them, with their source.
SELECT document_id, documents.title, documents.body_text, normalized_language AS language, seen_at AS event_at,
    publisher_family, coalesce(sources.kind, 'http') AS source_kind, coalesce(sources.base_url, '') AS source_url,
    coalesce(sources.options, '{}') AS source_options, documents.collection, documents.fetched_at,
    coalesce(raw_payload -> 'source_metadata', '{}') AS metadata
FROM documents JOIN raw_arrivals USING (raw_arrival_id) LEFT JOIN sources ON sources.slug = documents.source
WHERE document_id = ANY ($1::bigint[]) ORDER BY document_id;

-- name: scored
-- The mentions that documents have already.
SELECT mention_id, document_id, tool_number, start_offset, end_offset, text_hash FROM mentions
WHERE document_id = ANY ($1::bigint[]);

-- name: drop
-- Delete the mentions of documents, except these.
DELETE FROM mentions WHERE document_id = ANY ($1::bigint[]) AND mention_id <> ALL ($2::bigint[])
RETURNING tool_number;

-- name: redate
-- Give the mentions of documents the date and the publisher that these have now.
UPDATE mentions SET event_at = documents.seen_at, publisher_family = documents.publisher_family FROM documents
WHERE mentions.document_id = ANY ($1::bigint[]) AND documents.document_id = mentions.document_id
    AND (mentions.event_at, mentions.publisher_family) IS DISTINCT FROM (documents.seen_at, documents.publisher_family);

-- name: put
-- Store mentions with their scores; a tool or document that is gone since has none.
INSERT INTO mentions (document_id, story_id, event_at, text_hash, tool_number, start_offset, end_offset, passage_start,
    passage_end, compound, confidence, label, publisher_family, alias, method, version)
SELECT made.document_id, story_members.story_id, documents.seen_at, made.text_hash, made.tool_number, made.start_offset,
    made.end_offset, made.passage_start, made.passage_end, made.compound, made.confidence, made.label,
    documents.publisher_family, made.alias, made.method, made.version
FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::int[], $5::int[], $6::int[], $7::int[], $8::real[], $9::real[],
    $10::smallint[], $11::text[], $12::text[], $13::text[])
    AS made (document_id, text_hash, tool_number, start_offset, end_offset, passage_start, passage_end, compound,
        confidence, label, alias, method, version)
JOIN documents ON documents.document_id = made.document_id
JOIN tools ON tools.tool_number = made.tool_number
LEFT JOIN story_members ON story_members.document_id = made.document_id
ORDER BY made.document_id, made.start_offset
ON CONFLICT (document_id, start_offset, tool_number) DO UPDATE SET end_offset = excluded.end_offset,
    passage_start = excluded.passage_start, passage_end = excluded.passage_end, compound = excluded.compound,
    confidence = excluded.confidence, label = excluded.label, alias = excluded.alias, method = excluded.method,
    version = excluded.version, text_hash = excluded.text_hash, scored_at = now()
RETURNING mention_id, confidence;

-- name: scored_texts
-- The hashes of texts that have a score as a whole.
SELECT document_id, text_hash FROM document_sentiment WHERE document_id = ANY ($1::bigint[]);

-- name: drop_texts
-- Delete the scores of documents as a whole, except of these.
DELETE FROM document_sentiment WHERE document_id = ANY ($1::bigint[]) AND document_id <> ALL ($2::bigint[]);

-- name: put_texts
-- Store the scores of documents as a whole.
INSERT INTO document_sentiment (document_id, text_hash, compound, confidence, label, method, version)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::real[], $4::real[], $5::smallint[], $6::text[], $7::text[])
    AS made (document_id, text_hash, compound, confidence, label, method, version)
WHERE EXISTS (SELECT FROM documents WHERE documents.document_id = made.document_id) ORDER BY document_id
ON CONFLICT (document_id) DO UPDATE SET text_hash = excluded.text_hash, compound = excluded.compound,
    confidence = excluded.confidence, label = excluded.label, method = excluded.method, version = excluded.version,
    scored_at = now();

-- name: judged
-- The briefs about mentions that have a score of this method.
SELECT brief_id FROM briefs JOIN mentions ON subject_kind = 'mention' AND mention_id = subject_id
WHERE brief_id = ANY ($1::bigint[]) AND method = $2;

-- name: judge
-- Give mentions another score.
UPDATE mentions SET compound = judged.compound, confidence = judged.confidence, label = judged.label,
    version = judged.version, method = $6, scored_at = now()
FROM unnest($1::bigint[], $2::real[], $3::real[], $4::smallint[], $5::text[])
    AS judged (mention_id, compound, confidence, label, version)
WHERE mentions.mention_id = judged.mention_id;

-- name: put_engagement
-- Keep the comments and points of documents, unless newer ones are known.
INSERT INTO post_engagement (document_id, is_comment, comment_count, upvote_count, read_at)
SELECT * FROM unnest($1::bigint[], $2::bool[], $3::int[], $4::int[], $5::timestamptz[])
    AS found (document_id, is_comment, comment_count, upvote_count, read_at)
WHERE EXISTS (SELECT FROM documents WHERE documents.document_id = found.document_id) ORDER BY document_id
ON CONFLICT (document_id) DO UPDATE SET comment_count = excluded.comment_count, upvote_count = excluded.upvote_count,
    read_at = excluded.read_at
WHERE post_engagement.read_at <= excluded.read_at AND (post_engagement.comment_count, post_engagement.upvote_count)
    IS DISTINCT FROM (excluded.comment_count, excluded.upvote_count);

-- name: documents_of_items
-- The documents of items of sources, by their places in the list.
SELECT position, document_id
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS read (collection, source, source_item_id, position)
JOIN documents USING (collection, source, source_item_id);
