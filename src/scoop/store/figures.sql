-- name: days
-- What happened in each of these windows, counted in indexes alone: what arrived, what opened a story, what was folded.
SELECT place::int AS place,
    (SELECT count(*) FROM raw_arrivals WHERE fetched_at >= since AND fetched_at < until) AS arrivals,
    (SELECT count(*) FROM dedup_events
    WHERE decision = 'new_story' AND created_at >= since AND created_at < until) AS opened,
    (SELECT count(*) FROM dedup_events
    WHERE decision = 'auto_merge' AND created_at >= since AND created_at < until) AS folded
FROM unnest($1::timestamptz[], $2::timestamptz[]) WITH ORDINALITY AS day (since, until, place)
ORDER BY place;

-- name: matches
-- By what documents were folded into their stories within a window.
SELECT details ->> 'signal' AS match_type, count(*) AS count FROM dedup_events
WHERE decision = 'auto_merge' AND created_at >= $1 AND created_at < $2
GROUP BY 1 ORDER BY count DESC, match_type;

-- name: collections
-- The stories that were told within a window, and how many documents tell them, by collection.
SELECT collection, count(*) AS stories, sum(item_count)::bigint AS documents FROM stories
WHERE status = 'active' AND last_seen_at >= $1 AND last_seen_at < $2
GROUP BY collection ORDER BY documents DESC, collection;

-- name: sources
-- What the runs of each source within a window came to, those that brought most first.
SELECT source, count(*) AS runs, count(*) FILTER (WHERE status = 'failed') AS failed_runs,
    sum(items_fetched)::bigint AS items_fetched, sum(items_inserted)::bigint AS items_inserted,
    sum(items_failed)::bigint AS items_failed, count(*) OVER () AS sources
FROM ingest_runs
WHERE status IN ('running', 'completed', 'partial', 'failed') AND started_at >= $1 AND started_at < $2
GROUP BY source ORDER BY items_inserted DESC, source LIMIT $3;

-- name: subjects
-- What pieces of work are about, in people's words; stories and sources have pages of their own.
SELECT handed.stage, handed.subject, sources.slug AS source, stories.story_uuid, coalesce(
        sources.name, stories.canonical_title,
        CASE WHEN handed.stage IN ('dedup', 'embed', 'link', 'index') THEN (
            SELECT title FROM documents WHERE document_id = handed.subject) END,
        CASE WHEN handed.stage IN ('pages', 'normalize') THEN (
            SELECT format('%s %s', source, source_item_id) FROM raw_arrivals WHERE raw_arrival_id = handed.subject) END,
        CASE WHEN handed.stage IN ('digest', 'sweep') THEN (
            SELECT topic_name FROM topics WHERE topic_id = handed.subject) END,
        CASE WHEN handed.stage = 'publish' THEN (
            SELECT format('%s, %s, part %s', topic_name, channel, part_no)
            FROM posts JOIN topics USING (topic_id) WHERE post_id = handed.subject) END,
        '') AS label
FROM unnest($1::text[], $2::bigint[]) AS handed (stage, subject)
LEFT JOIN sources ON handed.stage = 'ingest' AND source_id = handed.subject
LEFT JOIN stories ON handed.stage IN ('group', 'assign-topics') AND story_id = handed.subject;
