-- name: events
-- A page of events as JSON, each with the ids of its stories and documents, after an event id.
SELECT event_id AS place, json_build_object(
    'event_uuid', event_uuid, 'collection', collection, 'title', title, 'url', url, 'lead', lead, 'language', language,
    'summary', summary, 'summary_language', summary_language, 'summary_disclaimer', summary_disclaimer,
    'lead_story_uuid', lead_story_uuid, 'status', status,
    'merged_into', (SELECT surviving.event_uuid FROM events AS surviving WHERE surviving.event_id = event_rows.merged_into),
    'first_seen_at', first_seen_at, 'last_seen_at', last_seen_at, 'developed_at', developed_at, 'story_count', story_count,
    'item_count', item_count, 'source_count', source_count, 'publisher_family_count', publisher_family_count,
    'language_count', language_count, 'sources', sources, 'publisher_families', publisher_families, 'languages', languages,
    'story_uuids', ARRAY(
        SELECT story_uuid FROM stories WHERE coverage_id = event_id AND stories.status <> 'merged' AND stories.status = event_rows.status
        ORDER BY story_id = lead_story_id DESC, story_id),
    'article_ids', ARRAY(
        SELECT article_id FROM stories JOIN story_members USING (story_id) JOIN documents USING (document_id)
        WHERE coverage_id = event_id AND stories.status <> 'merged' AND stories.status = event_rows.status
        ORDER BY seen_at, document_id))::text AS line
FROM event_rows
WHERE event_id > $1 AND ($2::text IS NULL OR collection = $2) AND (status = 'active' OR (status = 'merged' AND $5))
    AND ($3::timestamptz IS NULL OR last_seen_at >= $3) AND ($4::timestamptz IS NULL OR last_seen_at < $4)
ORDER BY event_id LIMIT $6;

-- name: stories
-- A page of stories as JSON, each with its members, after a story id.
SELECT story_id AS place, json_build_object(
    'story_uuid', story_uuid, 'collection', collection, 'title', canonical_title, 'url', canonical_url, 'status', status,
    'coverage_id', (SELECT event_uuid FROM events WHERE event_id = coverage_id),
    'first_seen_at', first_seen_at, 'last_seen_at', last_seen_at, 'item_count', item_count, 'sources', sources,
    'publisher_families', publisher_families, 'members', coalesce((
        SELECT json_agg(json_build_object(
            'article_id', article_id, 'source', source, 'source_item_id', source_item_id, 'url', documents.canonical_url,
            'match_type', match_type, 'match_score', match_score) ORDER BY seen_at, document_id)
        FROM story_members JOIN documents USING (document_id) WHERE story_members.story_id = stories.story_id), '[]'),
    'source_names', ARRAY(SELECT coalesce(name, slug) FROM unnest(sources) WITH ORDINALITY AS listed (slug, position)
        LEFT JOIN source_names ON source_names.source = slug ORDER BY position),
    'publisher_names', ARRAY(SELECT coalesce(name, listed.family) FROM unnest(publisher_families) WITH ORDINALITY
        AS listed (family, position) LEFT JOIN publishers ON publishers.family = listed.family ORDER BY position))::text AS line
FROM stories
WHERE story_id > $1 AND ($2::text IS NULL OR collection = $2) AND (status = 'active' OR (status = 'merged' AND $5))
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
        WHERE story_members.document_id = documents.document_id),
    'source_name', coalesce((SELECT name FROM source_names WHERE source_names.source = documents.source), source),
    'publisher_name', coalesce((SELECT name FROM publishers WHERE family = publisher_family), publisher_family))::text AS line
FROM documents
WHERE document_id > $1 AND ($2::text IS NULL OR collection = $2)
    AND (source, collection) NOT IN (SELECT source, collection FROM hidden_sources)
    AND ($3::timestamptz IS NULL OR seen_at >= $3) AND ($4::timestamptz IS NULL OR seen_at < $4)
ORDER BY document_id LIMIT $5;
