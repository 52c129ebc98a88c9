-- name: be_roomy
-- Let the next statements of the transaction group a million mentions in memory: on disk it takes four times as long.
SELECT set_config('work_mem', '192MB', true);

-- name: aggregates
-- The mentions of all active tools, or of one, by tool and window, in one pass. Windows nest: a mention, story or publisher is
-- counted for the shortest that it is in, and added to the longer ones afterwards. A merged tool counts for its target.
WITH windows AS (
    SELECT hours, position FROM unnest($1::int[]) WITH ORDINALITY AS given (hours, position)
), seen AS (
    SELECT root_number, coalesce(story_id, -document_id) AS story, publisher_family, label, compound,
        cardinality($1) + 1 - width_bucket(event_at, $4::timestamptz[]) AS shortest
    FROM mentions JOIN tool_roots USING (tool_number)
    WHERE event_at >= $4[1] AND event_at <= $2 AND ($3::int IS NULL OR root_number = $3)
), counted AS (
    SELECT root_number, min(shortest) AS shortest, grouping(shortest) = 0 AS is_window, grouping(story) = 0 AS is_story,
        count(*) FILTER (WHERE label = 1) AS positive, count(*) FILTER (WHERE label = -1) AS negative,
        count(*) AS total, sum(compound::float8) AS compound
    FROM seen GROUP BY GROUPING SETS ((root_number, shortest), (root_number, story), (root_number, publisher_family))
), summed AS (
    SELECT root_number, shortest, sum(positive) FILTER (WHERE is_window) AS positive,
        sum(negative) FILTER (WHERE is_window) AS negative, sum(total) FILTER (WHERE is_window) AS total,
        sum(compound) FILTER (WHERE is_window) AS compound, count(*) FILTER (WHERE is_story) AS stories,
        count(*) FILTER (WHERE NOT is_window AND NOT is_story) AS families
    FROM counted GROUP BY root_number, shortest
)
SELECT tools.tool_number, tools.tool_id, hours, coalesce(sum(positive), 0)::bigint AS positive_count,
    coalesce(sum(negative), 0)::bigint AS negative_count,
    coalesce(sum(total - positive - negative), 0)::bigint AS neutral_count, coalesce(sum(compound), 0) AS compound_sum,
    coalesce(sum(stories), 0)::bigint AS story_count, coalesce(sum(families), 0)::bigint AS publisher_family_count
FROM tools CROSS JOIN windows
LEFT JOIN summed ON summed.root_number = tools.tool_number AND summed.shortest <= windows.position
WHERE CASE WHEN $3::int IS NULL THEN tools.status = 'active' AND tools.merged_into IS NULL ELSE tools.tool_number = $3 END
GROUP BY tools.tool_number, tools.tool_id, hours ORDER BY tools.tool_number, hours;

-- name: get
-- The entry of a tool and period.
SELECT tool_id, sentiment_cache.* FROM sentiment_cache JOIN tools USING (tool_number)
WHERE tools.tool_id = $1 AND period = $2;

-- name: list
-- All entries of a period, or of all periods.
SELECT tool_id, sentiment_cache.* FROM sentiment_cache JOIN tools USING (tool_number)
WHERE $1::text IS NULL OR period = $1;

-- name: put
-- Store entries; of two that were computed at once the later stays, unless the clock jumped back.
INSERT INTO sentiment_cache AS kept (tool_number, period, positive_count, negative_count, neutral_count, story_count,
    publisher_family_count, average_sentiment, period_start_ts, period_end_ts, last_updated_ts)
SELECT tools.tool_number, made.period, made.positive, made.negative, made.neutral, made.stories, made.families, made.average,
    made.period_start, made.period_end, made.updated
FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::float8[],
    $9::bigint[], $10::bigint[], $11::bigint[])
    AS made (tool_id, period, positive, negative, neutral, stories, families, average, period_start, period_end, updated)
JOIN tools ON tools.tool_id = made.tool_id
ORDER BY tools.tool_number, made.period
ON CONFLICT (tool_number, period) DO UPDATE SET positive_count = excluded.positive_count,
    negative_count = excluded.negative_count, neutral_count = excluded.neutral_count, story_count = excluded.story_count,
    publisher_family_count = excluded.publisher_family_count, average_sentiment = excluded.average_sentiment,
    period_start_ts = excluded.period_start_ts, period_end_ts = excluded.period_end_ts,
    last_updated_ts = excluded.last_updated_ts
WHERE kept.last_updated_ts <= excluded.last_updated_ts OR kept.last_updated_ts > $12;

-- name: invalidate
-- Delete the entries of a tool.
DELETE FROM sentiment_cache WHERE tool_number = $1;

-- name: clean
-- Delete the entries that were computed before then.
DELETE FROM sentiment_cache WHERE last_updated_ts < $1;

-- name: lock_entry
-- Let one server compute an entry at a time, until the end of the transaction.
SELECT pg_advisory_xact_lock(hashtext('sentiment cache'), hashtext($1));

-- name: count
-- Add what a server counted in each minute.
INSERT INTO sentiment_cache_counts AS kept (minute, hits, misses, errors)
SELECT * FROM unnest($1::timestamptz[], $2::bigint[], $3::bigint[], $4::bigint[]) AS counted (minute, hits, misses, errors)
ORDER BY minute
ON CONFLICT (minute) DO UPDATE SET hits = kept.hits + excluded.hits, misses = kept.misses + excluded.misses,
    errors = kept.errors + excluded.errors;

-- name: forget_counts
-- Delete the counts before then.
DELETE FROM sentiment_cache_counts WHERE minute < $1;

-- name: put_metadata
-- Note a refresh.
INSERT INTO sentiment_cache_metadata (last_refresh_ts, last_refresh_duration_ms, tools_refreshed) VALUES ($1, $2, $3)
ON CONFLICT (id) DO UPDATE SET last_refresh_ts = excluded.last_refresh_ts,
    last_refresh_duration_ms = excluded.last_refresh_duration_ms, tools_refreshed = excluded.tools_refreshed;

-- name: metadata
-- The last refresh, the number of entries, and what was counted between two moments.
SELECT coalesce(max(last_refresh_ts), 0) AS last_refresh_ts, coalesce(max(last_refresh_duration_ms), 0)
        AS last_refresh_duration_ms,
    coalesce((SELECT tools_refreshed FROM sentiment_cache_metadata), '{}') AS tools_refreshed,
    (SELECT count(*) FROM sentiment_cache) AS total_entries,
    coalesce(sum(hits), 0)::bigint AS cache_hits_24h, coalesce(sum(misses), 0)::bigint AS cache_misses_24h,
    coalesce(sum(errors), 0)::bigint AS error_count_24h
FROM (SELECT hits, misses, errors FROM sentiment_cache_counts WHERE minute > $1 AND minute <= $2) AS counted
FULL JOIN sentiment_cache_metadata ON false;
