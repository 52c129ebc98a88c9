-- name: newest
-- The ids of a person's events, the latest development first: of a collection, topic or label, read or unread, starred,
-- developed within bounds, before a cursor.
SELECT event_id, developed_at FROM marked_events
WHERE user_id = $1 AND ($2::text IS NULL OR collection = $2)
    AND ($3::int IS NULL OR event_id IN (
        SELECT coverage_id FROM story_topic_state JOIN stories USING (story_id) WHERE topic_id = $3 AND NOT suppressed))
    AND ($4::text IS NULL OR event_id IN (SELECT event_id FROM event_labels WHERE user_id = $1 AND label = $4))
    AND ($5::boolean IS NULL OR is_read = $5)
    AND (NOT $6 OR event_id IN (SELECT event_id FROM event_marks WHERE user_id = $1 AND is_starred))
    AND developed_at >= $7 AND developed_at < $8 AND (developed_at, event_id) < ($9, $10)
ORDER BY developed_at DESC, event_id DESC LIMIT $11;

-- name: oldest
-- The ids of the same events, the earliest development first, after a cursor.
SELECT event_id, developed_at FROM marked_events
WHERE user_id = $1 AND ($2::text IS NULL OR collection = $2)
    AND ($3::int IS NULL OR event_id IN (
        SELECT coverage_id FROM story_topic_state JOIN stories USING (story_id) WHERE topic_id = $3 AND NOT suppressed))
    AND ($4::text IS NULL OR event_id IN (SELECT event_id FROM event_labels WHERE user_id = $1 AND label = $4))
    AND ($5::boolean IS NULL OR is_read = $5)
    AND (NOT $6 OR event_id IN (SELECT event_id FROM event_marks WHERE user_id = $1 AND is_starred))
    AND developed_at >= $7 AND developed_at < $8 AND (developed_at, event_id) > ($9, $10)
ORDER BY developed_at, event_id LIMIT $11;

-- name: unread
-- The number of unread events of a person in each collection since a moment, and when the latest developed.
SELECT collection, count(*)::int AS count, max(developed_at) AS newest_at
FROM marked_events WHERE user_id = $1 AND NOT is_read AND developed_at >= $2 GROUP BY collection;

-- name: unread_of_topics
-- The number of unread events of a person in each of these topics since a moment, and when the latest developed.
SELECT topic_slug, count(*)::int AS count, max(developed_at) AS newest_at
FROM topics CROSS JOIN LATERAL (
    SELECT DISTINCT coverage_id FROM story_topic_state JOIN stories USING (story_id)
    WHERE story_topic_state.topic_id = topics.topic_id AND NOT suppressed AND last_seen_at >= $2) AS covered
JOIN marked_events ON event_id = coverage_id
WHERE user_id = $1 AND NOT is_read AND topics.topic_id = ANY ($3::int[]) GROUP BY topic_slug;

-- name: items
-- Events as an app shows them to a person, with the text of the lead and the person's labels.
SELECT marked_events.*, coalesce(left(body_text, $3), '') AS body, ARRAY(
    SELECT label FROM event_labels
    WHERE event_labels.user_id = $1 AND event_labels.event_id = marked_events.event_id ORDER BY label) AS labels
FROM marked_events LEFT JOIN documents ON document_id = representative_document_id
WHERE user_id = $1 AND event_id = ANY ($2::bigint[]);

-- name: labels
-- The labels that a person uses.
SELECT DISTINCT label FROM event_labels WHERE user_id = $1 ORDER BY label;
