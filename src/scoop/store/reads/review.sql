-- name: articles
-- Documents for comparison: with the beginning of their texts, and their stories.
SELECT document_id, title, coalesce(left(body_text, $2), '') AS body, coalesce(length(body_text), 0) AS characters,
    normalized_language AS language, source, (SELECT name FROM source_names WHERE source_names.source = documents.source) AS source_name,
    documents.canonical_url AS url, seen_at, story_id, story_uuid::text AS story_uuid, canonical_title AS story_title,
    item_count, source_count, publisher_family_count
FROM documents JOIN story_members USING (document_id) JOIN stories USING (story_id)
WHERE document_id = ANY ($1::bigint[]);

-- name: members
-- The first documents of stories.
SELECT story_id, document_id, title, language, source, source_name, seen_at
FROM unnest($1::bigint[]) AS asked (story_id) CROSS JOIN LATERAL (
    SELECT document_id, title, normalized_language AS language, source, seen_at,
        (SELECT name FROM source_names WHERE source_names.source = documents.source) AS source_name
    FROM story_members JOIN documents USING (document_id)
    WHERE story_members.story_id = asked.story_id ORDER BY seen_at, document_id LIMIT $2) AS member
ORDER BY story_id, seen_at, document_id;
