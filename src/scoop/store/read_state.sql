-- name: mark
-- Mark stories as read or not, starred or not; NULL leaves that part as it is.
INSERT INTO story_marks (user_id, story_id, is_read, is_starred, marked_at)
SELECT DISTINCT $1::bigint, story_id, $3::boolean, coalesce($4::boolean, false), $5::timestamptz
FROM stories WHERE story_id = ANY ($2)
ON CONFLICT (user_id, story_id) DO UPDATE SET is_read = coalesce(EXCLUDED.is_read, story_marks.is_read),
    is_starred = coalesce($4::boolean, story_marks.is_starred), marked_at = EXCLUDED.marked_at,
    star_from = CASE WHEN $4::boolean IS NULL THEN story_marks.star_from END;

-- name: draw_line
-- Everything up to a story is read, in one collection or in all.
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
-- The marks of merged stories go to the stories they became part of: a star stays, of two read marks the later one counts.
INSERT INTO story_marks AS kept (user_id, story_id, is_read, is_starred, marked_at, star_from)
SELECT user_id, stays, (array_agg(is_read ORDER BY marked_at DESC) FILTER (WHERE is_read IS NOT NULL))[1],
    bool_or(is_starred), max(marked_at), min(coalesce(star_from, goes)) FILTER (WHERE is_starred)
FROM unnest($1::bigint[], $2::bigint[]) AS merge (goes, stays) JOIN story_marks ON story_id = goes
GROUP BY user_id, stays
ON CONFLICT (user_id, story_id) DO UPDATE SET
    is_read = CASE WHEN EXCLUDED.marked_at > kept.marked_at THEN coalesce(EXCLUDED.is_read, kept.is_read)
        ELSE coalesce(kept.is_read, EXCLUDED.is_read) END,
    is_starred = kept.is_starred OR EXCLUDED.is_starred,
    marked_at = greatest(kept.marked_at, EXCLUDED.marked_at),
    star_from = CASE WHEN NOT kept.is_starred THEN EXCLUDED.star_from ELSE kept.star_from END;

-- name: give_back
-- Remove the stars that a story has from another, or from one that is merged into that.
UPDATE story_marks SET is_starred = false, star_from = NULL
WHERE story_id = $1 AND star_from IN (SELECT story_id FROM stories WHERE story_id = $2 OR merged_into = $2);
