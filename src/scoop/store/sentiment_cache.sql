-- name: prepare
-- Let the next statements of the transaction group a million mentions in memory: on disk it takes four times as long. And let
-- them be planned for their window: the plan for any window reads more mentions and took five times as long.
SELECT set_config('work_mem', '192MB', true), set_config('plan_cache_mode', 'force_custom_plan', true);

-- name: commit_quickly
-- Do not wait until the transaction is on the disk: what a crash of the server loses is computed again.
SELECT set_config('synchronous_commit', 'off', true);

-- name: lock_sums
-- Let one transaction add up at a time: another that began earlier would store older sums over newer ones.
SELECT pg_advisory_xact_lock(hashtext('sentiment cache'), hashtext('mention_hours'));

-- name: lock_tools
-- Keep one tool or all until the end of the transaction, without waiting for those that are being deleted.
SELECT tool_number FROM tools WHERE $1::int IS NULL OR tool_number = $1 ORDER BY tool_number FOR KEY SHARE SKIP LOCKED;

-- name: add_up
-- Add up again the hours that changes of these tools concern: the hour of the change, and the hours of the mentions of its
-- story and of its publisher before it, because these are the latest no longer, or again.
WITH changed AS (
    DELETE FROM mention_changes
    WHERE tool_number = ANY ($1::int[])
        OR NOT EXISTS (SELECT FROM tools WHERE tools.tool_number = mention_changes.tool_number)
    RETURNING tool_number, story_key, publisher_family, event_at
), stale AS (
    SELECT tool_number, event_at FROM changed
    UNION
    SELECT tool_number, earlier.event_at
    FROM (SELECT DISTINCT tool_number, story_key, event_at FROM changed) AS stories, LATERAL (
        SELECT mentions.event_at FROM mentions
        WHERE mentions.story_key = stories.story_key AND mentions.tool_number = stories.tool_number
            AND mentions.event_at < stories.event_at
        ORDER BY mentions.event_at DESC LIMIT 1
    ) AS earlier
    UNION
    SELECT tool_number, earlier.event_at
    FROM (SELECT DISTINCT tool_number, publisher_family, event_at FROM changed) AS families, LATERAL (
        SELECT mentions.event_at FROM mentions
        WHERE mentions.tool_number = families.tool_number AND mentions.publisher_family = families.publisher_family
            AND mentions.event_at < families.event_at
        ORDER BY mentions.event_at DESC LIMIT 1
    ) AS earlier
), hours AS (
    SELECT DISTINCT tool_number, date_bin('1 hour', event_at, 'epoch') AS hour FROM stale WHERE tool_number = ANY ($1::int[])
)
INSERT INTO mention_hours (tool_number, hour, positive, negative, total, compound_sum, last_stories, last_families)
SELECT tool_number, hour, counted.* FROM hours, LATERAL (
    SELECT count(*) FILTER (WHERE label = 1), count(*) FILTER (WHERE label = -1), count(*),
        coalesce(sum(compound::numeric), 0),
        count(*) FILTER (WHERE NOT EXISTS (
            SELECT FROM mentions AS later
            WHERE later.story_key = mentions.story_key AND later.tool_number = mentions.tool_number
                AND (later.event_at, later.mention_id) > (mentions.event_at, mentions.mention_id))),
        count(*) FILTER (WHERE NOT EXISTS (
            SELECT FROM mentions AS later
            WHERE later.tool_number = mentions.tool_number AND later.publisher_family = mentions.publisher_family
                AND (later.event_at, later.mention_id) > (mentions.event_at, mentions.mention_id)))
    FROM mentions
    WHERE tool_number = hours.tool_number AND event_at >= hour AND event_at < hour + interval '1 hour'
) AS counted
ON CONFLICT (tool_number, hour) DO UPDATE SET positive = excluded.positive, negative = excluded.negative,
    total = excluded.total, compound_sum = excluded.compound_sum, last_stories = excluded.last_stories,
    last_families = excluded.last_families;

-- name: aggregates
-- The mentions of all active tools, or of one, by tool and window, in one pass. Windows nest: a mention, story or publisher is
-- counted for the shortest that it is in, and added to the longer ones afterwards. A merged tool counts for its target.
--
-- Whole hours are read from mention_hours, the hours in which a window begins from the mentions. That is right for a tool
-- that has no other merged into it, nothing that is not added up yet, and nothing after the end: others are `single`.
WITH windows AS (
    SELECT hours, position FROM unnest($1::int[]) WITH ORDINALITY AS given (hours, position)
), roots AS MATERIALIZED (
    SELECT root_number, count(*) = 1
        AND NOT bool_or(EXISTS (SELECT FROM mention_changes WHERE mention_changes.tool_number = tool_roots.tool_number))
        AND NOT bool_or(EXISTS (
            SELECT FROM mentions WHERE mentions.tool_number = tool_roots.tool_number AND event_at > $2)) AS is_added_up
    FROM tool_roots WHERE $3::int IS NULL OR root_number = $3 GROUP BY root_number
), first_hours AS MATERIALIZED (
    SELECT DISTINCT date_bin('1 hour', starts_at, 'epoch') AS hour FROM unnest($4::timestamptz[]) AS starts_at
), single AS (
    SELECT root_number, story_key, publisher_family, label, compound, event_at
    FROM roots JOIN tool_roots USING (root_number), LATERAL (
        SELECT story_key, publisher_family, label, compound, event_at FROM mentions
        WHERE mentions.tool_number = tool_roots.tool_number AND event_at >= $4[1] AND event_at <= $2
        OFFSET 0
    ) AS found
    WHERE NOT is_added_up
), grouped AS (
    SELECT root_number, max(event_at) AS event_at, grouping(bucket) = 0 AS is_window, grouping(story_key) = 0 AS is_story,
        count(*) FILTER (WHERE label = 1) AS positive, count(*) FILTER (WHERE label = -1) AS negative,
        count(*) AS total, sum(compound::numeric) AS compound_sum
    FROM (SELECT *, width_bucket(event_at, $4::timestamptz[]) AS bucket FROM single) AS bucketed
    GROUP BY GROUPING SETS ((root_number, bucket), (root_number, story_key), (root_number, publisher_family))
), parts AS (
    SELECT root_number, width_bucket(event_at, $4::timestamptz[]) AS bucket, sum(positive) FILTER (WHERE is_window) AS positive,
        sum(negative) FILTER (WHERE is_window) AS negative, sum(total) FILTER (WHERE is_window) AS total,
        sum(compound_sum) FILTER (WHERE is_window) AS compound_sum, count(*) FILTER (WHERE is_story) AS stories,
        count(*) FILTER (WHERE NOT is_window AND NOT is_story) AS families
    FROM grouped GROUP BY 1, 2
    UNION ALL
    SELECT root_number, width_bucket(hour, $4::timestamptz[]), sum(positive), sum(negative), sum(mention_hours.total),
        sum(compound_sum), sum(last_stories), sum(last_families)
    FROM mention_hours JOIN roots ON root_number = tool_number
    WHERE is_added_up AND hour > $4[1] AND hour NOT IN (SELECT hour FROM first_hours) GROUP BY 1, 2
    UNION ALL
    SELECT root_number, width_bucket(event_at, $4::timestamptz[]), count(*) FILTER (WHERE label = 1),
        count(*) FILTER (WHERE label = -1), count(*), sum(compound::numeric),
        count(*) FILTER (WHERE NOT EXISTS (
            SELECT FROM mentions AS later
            WHERE later.story_key = mentions.story_key AND later.tool_number = mentions.tool_number
                AND (later.event_at, later.mention_id) > (mentions.event_at, mentions.mention_id))),
        count(*) FILTER (WHERE NOT EXISTS (
            SELECT FROM mentions AS later
            WHERE later.tool_number = mentions.tool_number AND later.publisher_family = mentions.publisher_family
                AND (later.event_at, later.mention_id) > (mentions.event_at, mentions.mention_id)))
    FROM first_hours JOIN mentions ON event_at >= greatest(hour, $4[1]) AND event_at < hour + interval '1 hour'
    JOIN roots ON root_number = tool_number
    WHERE is_added_up AND ($3::int IS NULL OR tool_number = $3) GROUP BY 1, 2
), summed AS (
    SELECT root_number, position, sum(positive) AS positive, sum(negative) AS negative, sum(total) AS total,
        sum(compound_sum) AS compound_sum, sum(stories) AS stories, sum(families) AS families
    FROM parts JOIN windows ON position > cardinality($1) - bucket GROUP BY root_number, position
)
SELECT tools.tool_number, tools.tool_id, hours, coalesce(positive, 0)::bigint AS positive_count,
    coalesce(negative, 0)::bigint AS negative_count, coalesce(total - positive - negative, 0)::bigint AS neutral_count,
    coalesce(compound_sum, 0)::float8 AS compound_sum, coalesce(stories, 0)::bigint AS story_count,
    coalesce(families, 0)::bigint AS publisher_family_count
FROM tools CROSS JOIN windows LEFT JOIN summed ON root_number = tools.tool_number AND summed.position = windows.position
WHERE CASE WHEN $3::int IS NULL THEN tools.status = 'active' AND tools.merged_into IS NULL ELSE tools.tool_number = $3 END
ORDER BY tools.tool_number, hours;

-- name: count_cached
-- The mentions of the active tools since a moment, and those in the cache for as long.
SELECT coalesce((
        SELECT sum(total) FROM mention_hours JOIN tool_roots USING (tool_number) JOIN tools ON tools.tool_number = root_number
        WHERE hour > $1 AND tools.status = 'active'
    ), 0)::bigint AS counted,
    coalesce((
        SELECT sum(positive_count + negative_count + neutral_count) FROM sentiment_cache JOIN tools USING (tool_number)
        WHERE period = 'DAY_30' AND tools.status = 'active'
    ), 0)::bigint AS cached;

-- name: get
-- The entry of a tool and period.
SELECT tool_id, sentiment_cache.* FROM sentiment_cache JOIN tools USING (tool_number)
WHERE tools.tool_id = $1 AND period = $2;

-- name: list
-- All entries of a period, or of all periods.
SELECT tool_id, sentiment_cache.* FROM sentiment_cache JOIN tools USING (tool_number)
WHERE $1::text IS NULL OR period = $1;

-- name: put
-- Store entries; of two that were computed at once the later stays, unless the clock jumped back. A tool that is being deleted
-- gets none.
INSERT INTO sentiment_cache AS kept (tool_number, period, positive_count, negative_count, neutral_count, story_count,
    publisher_family_count, average_sentiment, period_start_ts, period_end_ts, last_updated_ts)
SELECT tools.tool_number, made.period, made.positive, made.negative, made.neutral, made.stories, made.families, made.average,
    made.period_start, made.period_end, made.updated
FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::float8[],
    $9::bigint[], $10::bigint[], $11::bigint[])
    AS made (tool_id, period, positive, negative, neutral, stories, families, average, period_start, period_end, updated)
JOIN tools ON tools.tool_id = made.tool_id
ORDER BY tools.tool_number, made.period FOR KEY SHARE OF tools SKIP LOCKED
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
