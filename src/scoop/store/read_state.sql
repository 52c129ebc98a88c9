-- name: mark
-- Mark events as read or not, starred or not; NULL leaves that part as it is. The database's clock says when, as it says
-- when an event develops.
INSERT INTO event_marks (user_id, event_id, is_read, is_starred, marked_at)
SELECT DISTINCT $1::bigint, event_id, $3::boolean, coalesce($4::boolean, false), now()
FROM events WHERE event_id = ANY ($2)
ON CONFLICT (user_id, event_id) DO UPDATE SET is_read = coalesce(EXCLUDED.is_read, event_marks.is_read),
    is_starred = coalesce($4::boolean, event_marks.is_starred),
    marked_at = CASE WHEN $3::boolean IS NULL THEN event_marks.marked_at ELSE EXCLUDED.marked_at END,
    star_from = CASE WHEN $4::boolean IS NULL THEN event_marks.star_from END;

-- name: draw_line
-- Everything that had developed by a moment, or by now, is read, in one collection or in all.
WITH drawn AS (
    INSERT INTO reading_lines (user_id, collection, read_through, drawn_at)
    SELECT $1, $2, coalesce(max(event_id), 0), coalesce($3, now()) FROM events
    ON CONFLICT (user_id, collection) DO UPDATE SET
        read_through = greatest(EXCLUDED.read_through, reading_lines.read_through), drawn_at = greatest(EXCLUDED.drawn_at, reading_lines.drawn_at)
)
UPDATE event_marks SET is_read = NULL FROM events
WHERE user_id = $1 AND event_marks.event_id = events.event_id AND is_read IS NOT NULL
    AND developed_at <= coalesce($3, now()) AND ($2 = '' OR collection = $2);

-- name: read_topic
-- Everything of a topic that had developed by a moment, or by now, is read.
INSERT INTO event_marks (user_id, event_id, is_read, marked_at)
SELECT $1, event_id, true, coalesce($3, now()) FROM marked_events
WHERE user_id = $1 AND developed_at <= coalesce($3, now()) AND NOT is_read AND event_id IN (
    SELECT coverage_id FROM story_topic_state JOIN stories USING (story_id) WHERE topic_id = $2)
ON CONFLICT (user_id, event_id) DO UPDATE SET is_read = true, marked_at = EXCLUDED.marked_at;

-- name: inherit
-- The marks of merged events go to the events they became part of: a star stays, of two read marks the later one counts.
INSERT INTO event_marks AS kept (user_id, event_id, is_read, is_starred, marked_at, star_from)
SELECT user_id, stays, (array_agg(is_read ORDER BY marked_at DESC) FILTER (WHERE is_read IS NOT NULL))[1],
    bool_or(is_starred), max(marked_at), min(coalesce(star_from, goes)) FILTER (WHERE is_starred)
FROM unnest($1::bigint[], $2::bigint[]) AS merge (goes, stays) JOIN event_marks ON event_id = goes
GROUP BY user_id, stays
ON CONFLICT (user_id, event_id) DO UPDATE SET
    is_read = CASE WHEN EXCLUDED.marked_at > kept.marked_at THEN coalesce(EXCLUDED.is_read, kept.is_read)
        ELSE coalesce(kept.is_read, EXCLUDED.is_read) END,
    is_starred = kept.is_starred OR EXCLUDED.is_starred,
    marked_at = greatest(kept.marked_at, EXCLUDED.marked_at),
    star_from = CASE WHEN NOT kept.is_starred THEN EXCLUDED.star_from ELSE kept.star_from END;

-- name: give_back
-- Remove the stars that other events have from these, or from events that are merged into them.
UPDATE event_marks SET is_starred = false, star_from = NULL
WHERE event_id <> ALL ($1::bigint[]) AND star_from IN (
    SELECT event_id FROM events WHERE event_id = ANY ($1::bigint[]) OR merged_into = ANY ($1::bigint[]));

-- name: add_labels
-- Add each of these labels to each of these events.
INSERT INTO event_labels (user_id, label, event_id)
SELECT $1, label, event_id FROM events CROSS JOIN unnest($3::text[]) AS label WHERE event_id = ANY ($2::bigint[])
ON CONFLICT DO NOTHING;

-- name: remove_labels
-- Remove these labels from these events.
DELETE FROM event_labels WHERE user_id = $1 AND event_id = ANY ($2::bigint[]) AND label = ANY ($3::text[]);

-- name: inherit_labels
-- The labels of merged events go to the events they became part of.
INSERT INTO event_labels (user_id, label, event_id)
SELECT user_id, label, stays FROM unnest($1::bigint[], $2::bigint[]) AS merge (goes, stays)
JOIN event_labels ON event_id = goes
ON CONFLICT DO NOTHING;
