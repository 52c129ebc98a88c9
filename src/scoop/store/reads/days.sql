-- name: count_stories
-- The number of stories on each local day of a window, of one collection or all.
SELECT (last_seen_at AT TIME ZONE $3)::date AS day, count(*) AS stories FROM stories
WHERE status = 'active' AND last_seen_at >= $1 AND last_seen_at < $2 AND ($4::text IS NULL OR collection = $4)
GROUP BY 1 ORDER BY 1;

-- name: developing
-- The stories that grew since one moment and are older than another, those of most publishers first.
SELECT story_rows.* FROM (
    SELECT story_id FROM stories
    WHERE status = 'active' AND last_seen_at >= $1 AND first_seen_at <= $2 AND item_count > 1
    ORDER BY publisher_family_count DESC, source_count DESC, last_seen_at DESC, story_id DESC LIMIT $3
) AS part JOIN story_rows USING (story_id)
ORDER BY publisher_family_count DESC, source_count DESC, last_seen_at DESC, story_id DESC;

-- name: days
-- The latest days before a moment that have stories, in a timezone, with the numbers by collection; a loose index scan
-- skips days without stories.
WITH RECURSIVE seen (day) AS (
    (SELECT (last_seen_at AT TIME ZONE $1)::date FROM stories
    WHERE status = 'active' AND last_seen_at >= $2 AND last_seen_at < $3 AND ($4::text IS NULL OR collection = $4)
    ORDER BY last_seen_at DESC LIMIT 1)
    UNION ALL
    SELECT (
        SELECT (last_seen_at AT TIME ZONE $1)::date FROM stories
        WHERE status = 'active' AND last_seen_at >= $2 AND last_seen_at < seen.day::timestamp AT TIME ZONE $1
            AND ($4::text IS NULL OR collection = $4)
        ORDER BY last_seen_at DESC LIMIT 1)
    FROM seen WHERE seen.day IS NOT NULL
), latest AS (
    SELECT day FROM seen WHERE day IS NOT NULL LIMIT $5
)
SELECT day, collection, stories, groups FROM latest CROSS JOIN LATERAL (
    SELECT collection, count(*) AS stories, count(DISTINCT coalesce(coverage_id, story_id)) AS groups FROM stories
    WHERE status = 'active' AND last_seen_at >= day::timestamp AT TIME ZONE $1
        AND last_seen_at < (day + 1)::timestamp AT TIME ZONE $1 AND ($4::text IS NULL OR collection = $4)
    GROUP BY collection) AS counted
ORDER BY day DESC, collection;

-- name: day
-- The numbers of stories and of groups of coverage in a window, by collection.
SELECT collection, count(*) AS stories, count(DISTINCT coalesce(coverage_id, story_id)) AS groups FROM stories
WHERE status = 'active' AND last_seen_at >= $1 AND last_seen_at < $2 GROUP BY collection ORDER BY collection;

-- name: around
-- The times of the nearest stories before and after a window, of one collection or all.
SELECT
    (SELECT max(last_seen_at) FROM stories
    WHERE status = 'active' AND last_seen_at < $1 AND ($3::text IS NULL OR collection = $3)) AS earlier_at,
    (SELECT min(last_seen_at) FROM stories
    WHERE status = 'active' AND last_seen_at >= $2 AND ($3::text IS NULL OR collection = $3)) AS later_at;
