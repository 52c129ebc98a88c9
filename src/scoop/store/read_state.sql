-- name: newest
-- The numbers of a person's stories, the newest first: of a collection or topic, read or unread, starred, within bounds.
SELECT story_id, created_at FROM marked_stories
WHERE user_id = $1 AND ($2::text IS NULL OR collection = $2)
    AND ($3::int IS NULL OR story_id IN (SELECT story_id FROM story_topic_state WHERE topic_id = $3))
    AND ($4::boolean IS NULL OR is_read = $4)
    AND (NOT $5 OR story_id IN (SELECT story_id FROM story_marks WHERE user_id = $1 AND is_starred))
    AND story_id > $6 AND story_id < $7
ORDER BY story_id DESC LIMIT $8;

-- name: oldest
-- The same, the oldest first.
SELECT story_id, created_at FROM marked_stories
WHERE user_id = $1 AND ($2::text IS NULL OR collection = $2)
    AND ($3::int IS NULL OR story_id IN (SELECT story_id FROM story_topic_state WHERE topic_id = $3))
    AND ($4::boolean IS NULL OR is_read = $4)
    AND (NOT $5 OR story_id IN (SELECT story_id FROM story_marks WHERE user_id = $1 AND is_starred))
    AND story_id > $6 AND story_id < $7
ORDER BY story_id LIMIT $8;

-- name: made_before
-- The last story that was made before a moment.
SELECT coalesce(max(story_id), 0) FROM (
    SELECT story_id FROM stories WHERE created_at < $1 ORDER BY created_at DESC, story_id DESC LIMIT 1000) AS latest;

-- name: contents
-- Stories as an app shows them, with the text of the document that stands for each, and who tells them.
SELECT marked_stories.story_id, story_uuid, marked_stories.collection, canonical_title AS title, marked_stories.canonical_url AS url,
    first_seen_at, last_seen_at, marked_stories.created_at, is_read, is_starred,
    coalesce(normalized_language, 'und') AS language, coalesce(left(body_text, $3), '') AS body, (
        SELECT coalesce(jsonb_agg(jsonb_build_object('source', source, 'source_name', name, 'url', url)
            ORDER BY seen_at, document_id), '[]')
        FROM (
            SELECT DISTINCT ON (source) source, told.canonical_url AS url, told.seen_at, told.document_id
            FROM story_members JOIN documents AS told USING (document_id)
            WHERE story_members.story_id = marked_stories.story_id ORDER BY source, told.seen_at, told.document_id
        ) AS first LEFT JOIN sources ON slug = source) AS outlets
FROM marked_stories LEFT JOIN documents ON document_id = representative_document_id
WHERE user_id = $1 AND marked_stories.story_id = ANY ($2);

-- name: unread
-- How many unread stories a person has in each collection, and when the newest of them was made.
SELECT collection, count(*)::int AS count, max(created_at) AS newest_at
FROM marked_stories WHERE user_id = $1 AND NOT is_read AND story_id > $2 GROUP BY collection;

-- name: unread_of_topics
-- The same for each topic.
SELECT topic_slug, count(*)::int AS count, max(marked_stories.created_at) AS newest_at
FROM marked_stories JOIN story_topic_state USING (story_id) JOIN topics USING (topic_id)
WHERE user_id = $1 AND NOT is_read AND story_id > $2 GROUP BY topic_slug;

-- name: mark
-- Say of stories that they are read or not, starred or not; what is not said stays. One that was merged is its heir.
INSERT INTO story_marks (user_id, story_id, is_read, is_starred, marked_at)
SELECT DISTINCT $1::bigint, coalesce(merged_into, story_id), $3::boolean, coalesce($4::boolean, false), $5::timestamptz
FROM stories WHERE story_id = ANY ($2)
ON CONFLICT (user_id, story_id) DO UPDATE SET is_read = coalesce(EXCLUDED.is_read, story_marks.is_read),
    is_starred = coalesce($4::boolean, story_marks.is_starred), marked_at = EXCLUDED.marked_at;

-- name: draw_line
-- Everything up to a story is read, of a collection or of all.
WITH drawn AS (
    INSERT INTO reading_lines (user_id, collection, read_through)
    SELECT $1, $2, least($3, coalesce(max(story_id), 0)) FROM stories
    ON CONFLICT (user_id, collection) DO UPDATE SET
        read_through = greatest(EXCLUDED.read_through, reading_lines.read_through)
)
UPDATE story_marks SET is_read = NULL FROM stories
WHERE user_id = $1 AND story_marks.story_id = stories.story_id AND is_read = false AND stories.story_id <= $3
    AND ($2 = '' OR collection = $2);

-- name: read_topic
-- Everything of a topic up to a story is read.
INSERT INTO story_marks (user_id, story_id, is_read, marked_at)
SELECT $1, story_id, true, $4 FROM marked_stories JOIN story_topic_state USING (story_id)
WHERE user_id = $1 AND topic_id = $2 AND story_id <= $3 AND NOT is_read
ON CONFLICT (user_id, story_id) DO UPDATE SET is_read = true, marked_at = EXCLUDED.marked_at;

-- name: inherit
-- What a person starred stays starred where the story became part of another.
INSERT INTO story_marks (user_id, story_id, is_starred, marked_at)
SELECT user_id, merged_into, true, marked_at FROM story_marks JOIN stories USING (story_id)
WHERE user_id = $1 AND is_starred AND merged_into IS NOT NULL
ON CONFLICT (user_id, story_id) DO UPDATE SET is_starred = true;
