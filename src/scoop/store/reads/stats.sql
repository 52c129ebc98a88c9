-- name: totals
-- The totals, without the articles of hidden sources: these are few, and subtracted, so that indexes are enough.
WITH hidden AS MATERIALIZED (
    SELECT document_id FROM documents JOIN hidden_sources USING (source, collection)
)
SELECT (SELECT count(*) FROM sources) AS sources,
    (SELECT count(*) FROM ingest_runs) - (
        SELECT count(*) FROM ingest_runs WHERE source IN (SELECT source FROM removed_sources)) AS runs,
    (SELECT count(*) FROM raw_arrivals) - (
        SELECT count(*) FROM raw_arrivals JOIN hidden_sources USING (source, collection)) AS arrivals,
    (SELECT count(*) FROM refused_items) AS refused,
    (SELECT count(*) FROM documents) - (SELECT count(*) FROM hidden) AS documents,
    (SELECT count(*) FROM stories WHERE status = 'active') AS stories,
    (SELECT count(*) FROM stories AS merged JOIN stories AS stays ON stays.story_id = merged.merged_into
        WHERE merged.status = 'merged' AND stays.status <> 'suppressed') AS merged_stories,
    (SELECT count(*) FROM story_members) - (SELECT count(*) FROM story_members JOIN hidden USING (document_id)) AS members,
    (SELECT count(*) FROM dedup_events) - (SELECT count(*) FROM dedup_events JOIN hidden USING (document_id)) AS events;

-- name: match_types
-- The number of documents by the way they joined their stories.
SELECT match_type::text AS match_type, count(*) AS count FROM story_members GROUP BY match_type ORDER BY count DESC;

-- name: days
-- The counts of each window, by index-only scans: arrivals, documents that opened a story, documents that joined one.
SELECT place::int AS place,
    (SELECT count(*) FROM raw_arrivals WHERE fetched_at >= since AND fetched_at < until) AS arrivals,
    (SELECT count(*) FROM dedup_events
    WHERE decision = 'new_story' AND created_at >= since AND created_at < until) AS opened,
    (SELECT count(*) FROM dedup_events
    WHERE decision = 'auto_merge' AND created_at >= since AND created_at < until) AS folded
FROM unnest($1::timestamptz[], $2::timestamptz[]) WITH ORDINALITY AS day (since, until, place)
ORDER BY place;

-- name: matches
-- The documents that joined a story within a window, by signal.
SELECT details ->> 'signal' AS match_type, count(*) AS count FROM dedup_events
WHERE decision = 'auto_merge' AND created_at >= $1 AND created_at < $2
GROUP BY 1 ORDER BY count DESC, match_type;

-- name: collections
-- The stories of a window and their documents, by collection.
SELECT collection, count(*) AS stories, sum(item_count)::bigint AS documents FROM stories
WHERE status = 'active' AND last_seen_at >= $1 AND last_seen_at < $2
GROUP BY collection ORDER BY documents DESC, collection;

-- name: sources
-- The totals of each source's runs within a window, the source with most new items first.
SELECT source, count(*) AS runs, count(*) FILTER (WHERE status = 'failed') AS failed_runs,
    sum(items_fetched)::bigint AS items_fetched, sum(items_inserted)::bigint AS items_inserted,
    sum(items_failed)::bigint AS items_failed, count(*) OVER () AS sources
FROM ingest_runs
WHERE status IN ('running', 'completed', 'partial', 'failed') AND started_at >= $1 AND started_at < $2
    AND source NOT IN (SELECT source FROM removed_sources)
GROUP BY source ORDER BY items_inserted DESC, source LIMIT $3;
