-- name: stories
-- The stories before a cursor, the latest first: of one collection or all, with these words in the title or any. The rows
-- are chosen before their documents are read, so that an offset skips without reading any.
SELECT story_rows.* FROM (
    SELECT story_id FROM stories
    WHERE status = 'active' AND last_seen_at >= $1 AND (last_seen_at, story_id) < ($2, $3)
        AND ($4::text IS NULL OR collection = $4) AND ($5::text IS NULL OR canonical_title ILIKE $5)
    ORDER BY last_seen_at DESC, story_id DESC LIMIT $6 OFFSET $7
) AS part JOIN story_rows USING (story_id)
ORDER BY last_seen_at DESC, story_id DESC;

-- name: story
-- One story by its number or its public id.
SELECT * FROM story_rows WHERE story_id = $1 OR story_uuid = $2;

-- name: text
-- The text of the document that represents a story.
SELECT coalesce(body_text, '') FROM stories JOIN documents ON document_id = representative_document_id WHERE story_id = $1;

-- name: company
-- The other stories of the same coverage, the latest first.
SELECT * FROM story_rows
WHERE status = 'active' AND story_id IN (
    SELECT other.story_id FROM stories AS other JOIN stories AS this USING (coverage_id)
    WHERE this.story_id = $1 AND other.story_id <> $1 AND other.status = 'active')
ORDER BY last_seen_at DESC, story_id DESC LIMIT $2;

-- name: members
-- The documents of a story, in order of appearance.
SELECT document_id, article_id, source, source_item_id, canonical_url AS url, title, normalized_language AS language,
    publisher_family, published_at, seen_at, match_type::text AS match_type, match_score, match_details,
    (SELECT name FROM source_names WHERE source_names.source = documents.source) AS source_name
FROM story_members JOIN documents USING (document_id)
WHERE story_id = $1 ORDER BY seen_at, document_id LIMIT $2;

-- name: by_ids
-- Stories by their numbers.
SELECT * FROM story_rows WHERE story_id = ANY ($1::bigint[]);

-- name: resolve_merged
-- The surviving story of each of these stories: itself, or the one that it became part of.
WITH RECURSIVE merge AS (
    SELECT story_id AS merged_id, story_id, merged_into FROM stories WHERE story_id = ANY ($1::bigint[])
    UNION
    SELECT merged_id, stories.story_id, stories.merged_into FROM merge JOIN stories ON stories.story_id = merge.merged_into
)
SELECT merged_id, story_id FROM merge WHERE merged_into IS NULL;
