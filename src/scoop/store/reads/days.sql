-- name: count_events
-- The number of events on each local day before `$2`, of one collection or all; at most `$5` of a day are counted.
SELECT day::date AS day, events FROM generate_series($1::date::timestamp, $2::date - interval '1 day', '1 day') AS day
CROSS JOIN LATERAL (
    SELECT count(*) AS events FROM (
        SELECT FROM events
        WHERE status = 'active' AND last_seen_at >= day AT TIME ZONE $3
            AND last_seen_at < (day + interval '1 day') AT TIME ZONE $3 AND ($4::text IS NULL OR collection = $4)
        LIMIT $5) AS listed) AS counted
WHERE events > 0 ORDER BY day;

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
    SELECT collection, count(*) AS stories, count(DISTINCT coverage_id) AS groups FROM stories
    WHERE status = 'active' AND last_seen_at >= day::timestamp AT TIME ZONE $1
        AND last_seen_at < (day + 1)::timestamp AT TIME ZONE $1 AND ($4::text IS NULL OR collection = $4)
    GROUP BY collection) AS counted
ORDER BY day DESC, collection;

-- name: day
-- The numbers of events in a window by collection, also of those that two or more independent publishers report.
SELECT collection, count(*) AS events, count(*) FILTER (WHERE publisher_family_count > 1) AS wide_events FROM events
WHERE status = 'active' AND last_seen_at >= $1 AND last_seen_at < $2 GROUP BY collection ORDER BY collection;

-- name: around
-- The times of the nearest events before and after a window, of one collection or all.
SELECT
    (SELECT max(last_seen_at) FROM events
    WHERE status = 'active' AND last_seen_at < $1 AND ($3::text IS NULL OR collection = $3)) AS earlier_at,
    (SELECT min(last_seen_at) FROM events
    WHERE status = 'active' AND last_seen_at >= $2 AND ($3::text IS NULL OR collection = $3)) AS later_at;
