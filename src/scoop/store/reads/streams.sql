-- name: newest
-- The ids of a person's stories, the newest first: of a collection or topic, read or unread, starred, within bounds.
SELECT story_id, created_at FROM marked_stories
WHERE user_id = $1 AND ($2::text IS NULL OR collection = $2)
    AND ($3::int IS NULL OR story_id IN (SELECT story_id FROM story_topic_state WHERE topic_id = $3))
    AND ($4::boolean IS NULL OR is_read = $4)
    AND (NOT $5 OR story_id IN (SELECT story_id FROM story_marks WHERE user_id = $1 AND is_starred))
    AND story_id > $6 AND story_id < $7
ORDER BY story_id DESC LIMIT $8;

-- name: oldest
-- The ids of the same stories, the oldest first.
SELECT story_id, created_at FROM marked_stories
WHERE user_id = $1 AND ($2::text IS NULL OR collection = $2)
    AND ($3::int IS NULL OR story_id IN (SELECT story_id FROM story_topic_state WHERE topic_id = $3))
    AND ($4::boolean IS NULL OR is_read = $4)
    AND (NOT $5 OR story_id IN (SELECT story_id FROM story_marks WHERE user_id = $1 AND is_starred))
    AND story_id > $6 AND story_id < $7
ORDER BY story_id LIMIT $8;

-- name: made_before
-- The last story that was created before a moment.
SELECT coalesce(max(story_id), 0) FROM (
    SELECT story_id FROM stories WHERE created_at < $1 ORDER BY created_at DESC, story_id DESC LIMIT 1000) AS latest;

-- name: unread
-- The number of unread stories of a person in each collection, and when the newest was created.
SELECT collection, count(*)::int AS count, max(created_at) AS newest_at
FROM marked_stories WHERE user_id = $1 AND NOT is_read AND story_id > $2 GROUP BY collection;

-- name: unread_of_topics
-- The number of unread stories of a person in each topic, and when the newest was created.
SELECT topic_slug, count(*)::int AS count, max(marked_stories.created_at) AS newest_at
FROM marked_stories JOIN story_topic_state USING (story_id) JOIN topics USING (topic_id)
WHERE user_id = $1 AND NOT is_read AND story_id > $2 GROUP BY topic_slug;

-- name: items
-- Stories as an app shows them to a person, with the text that represents each and its outlets.
SELECT marked_stories.*, coalesce(left(body_text, $3), '') AS body, (
    SELECT outlets FROM story_outlets WHERE story_outlets.story_id = marked_stories.story_id) AS outlets
FROM marked_stories LEFT JOIN documents ON document_id = representative_document_id
WHERE user_id = $1 AND story_id = ANY ($2::bigint[]);
