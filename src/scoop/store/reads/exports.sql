-- name: stories
-- A page of stories as JSON, each with its members, after a story id.
SELECT story_id AS place, json_build_object(
    'story_uuid', story_uuid, 'collection', collection, 'title', canonical_title, 'url', canonical_url, 'status', status,
    'coverage_id', (SELECT story_uuid FROM stories AS oldest
        WHERE oldest.story_id = coalesce(stories.coverage_id, stories.story_id)),
    'first_seen_at', first_seen_at, 'last_seen_at', last_seen_at, 'item_count', item_count, 'sources', sources,
    'publisher_families', publisher_families, 'members', coalesce((
        SELECT json_agg(json_build_object(
            'article_id', article_id, 'source', source, 'source_item_id', source_item_id, 'url', documents.canonical_url,
            'match_type', match_type, 'match_score', match_score) ORDER BY seen_at, document_id)
        FROM story_members JOIN documents USING (document_id) WHERE story_members.story_id = stories.story_id), '[]'))::text AS line
FROM stories
WHERE story_id > $1 AND ($2::text IS NULL OR collection = $2) AND (status <> 'merged' OR $5)
    AND ($3::timestamptz IS NULL OR last_seen_at >= $3) AND ($4::timestamptz IS NULL OR last_seen_at < $4)
ORDER BY story_id LIMIT $6;

-- name: documents
-- A page of documents as JSON, after a document id; `story_uuid` is null before dedup.
SELECT document_id AS place, json_build_object(
    'article_id', article_id, 'collection', collection, 'source', source, 'source_item_id', source_item_id,
    'url', canonical_url, 'title', title, 'body_text', body_text, 'language', normalized_language,
    'published_at', published_at, 'fetched_at', fetched_at, 'seen_at', seen_at, 'source_domain', source_domain,
    'publisher_family', publisher_family, 'authors', authors, 'tags', tags, 'image_url', image_url, 'story_uuid', (
        SELECT story_uuid FROM story_members JOIN stories USING (story_id)
        WHERE story_members.document_id = documents.document_id))::text AS line
FROM documents
WHERE document_id > $1 AND ($2::text IS NULL OR collection = $2)
    AND ($3::timestamptz IS NULL OR seen_at >= $3) AND ($4::timestamptz IS NULL OR seen_at < $4)
ORDER BY document_id LIMIT $5;
