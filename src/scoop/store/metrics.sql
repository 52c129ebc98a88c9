-- name: add
-- Add the counts of a process. New labels of a metric that has too many already are counted under `other`.
INSERT INTO metrics AS kept (name, labels, value, day, day_value)
SELECT name, bounded, sum(value), today, sum(value)
FROM (SELECT counted.name, counted.value, (now() AT TIME ZONE 'America/Los_Angeles')::date AS today,
        CASE WHEN EXISTS (SELECT FROM metrics known WHERE known.name = counted.name AND known.labels = counted.labels)
            OR (SELECT count(*) FROM metrics known WHERE known.name = counted.name) < $5
            THEN counted.labels ELSE counted.others END AS bounded
    FROM unnest($1::text[], $2::jsonb[], $3::jsonb[], $4::float8[]) AS counted (name, labels, others, value)) AS counted
GROUP BY name, bounded, today
ORDER BY name, bounded  -- two processes that lock the same rows in one order cannot deadlock
ON CONFLICT (name, labels) DO UPDATE SET
    value = kept.value + excluded.value,
    day_value = excluded.day_value + CASE WHEN kept.day = excluded.day THEN kept.day_value ELSE 0 END,
    day = excluded.day,
    updated_at = now();

-- name: samples
-- What was counted or measured, and the states that are read at once.
SELECT name, labels, value FROM (
    SELECT name, labels, value FROM metrics
    UNION ALL
    SELECT 'scoop_alerts_open', jsonb_build_object('level', level, 'kind', kind), count(*)
    FROM alerts WHERE resolved_at IS NULL GROUP BY level, kind
    UNION ALL
    SELECT 'scoop_posts_open', jsonb_build_object('state', state), count(*)
    FROM posts WHERE state <> 'sent' AND state <> 'dropped' GROUP BY state) AS samples
ORDER BY name, labels;

-- name: memory
-- How many articles each curator remembers, by state.
SELECT topic_slug AS curator, state::text AS state, count(*)::float8 AS articles
FROM evaluations JOIN topics USING (topic_id) GROUP BY topic_slug, state;

-- name: set_gauges
-- Replace the numbers of a gauge.
WITH measured AS (
    SELECT DISTINCT ON (labels) labels, value FROM unnest($2::jsonb[], $3::float8[]) AS measured (labels, value)
), gone AS (
    DELETE FROM metrics WHERE name = $1 AND labels NOT IN (SELECT labels FROM measured)
)
INSERT INTO metrics (name, labels, value, day, day_value)
SELECT $1, labels, value, (now() AT TIME ZONE 'America/Los_Angeles')::date, 0 FROM measured
ON CONFLICT (name, labels) DO UPDATE SET value = excluded.value, day = excluded.day, updated_at = now();

-- name: count_today
-- What was counted today under these names.
SELECT name, sum(day_value) AS count FROM metrics
WHERE name = ANY ($1::text[]) AND day = (now() AT TIME ZONE 'America/Los_Angeles')::date GROUP BY name;
