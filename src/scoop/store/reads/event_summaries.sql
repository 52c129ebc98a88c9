-- name: listed
-- The events before a cursor, the latest first: of one collection, topic and status or all, with these words in the title of
-- a story or any. The status is that of `core.events.status`.
SELECT event_rows.* FROM (
    SELECT event_id FROM events
    WHERE status = 'active' AND last_seen_at >= $1 AND (last_seen_at, event_id) < ($2, $3)
        AND ($4::text IS NULL OR collection = $4) AND ($5::text IS NULL OR EXISTS (
            SELECT FROM stories WHERE coverage_id = event_id AND stories.status = 'active' AND canonical_title ILIKE $5))
        AND ($6::int IS NULL OR EXISTS (
            SELECT FROM stories JOIN story_topic_state AS state USING (story_id)
            WHERE coverage_id = event_id AND stories.status = 'active' AND topic_id = $6 AND NOT suppressed))
        AND ($7::text IS NULL OR $7 = CASE WHEN first_seen_at > $8 THEN 'new'
            WHEN developed_at > created_at AND developed_at > $9 AND last_seen_at > $9 THEN 'developing' ELSE 'quiet' END)
    ORDER BY last_seen_at DESC, event_id DESC LIMIT $10
) AS part JOIN event_rows USING (event_id)
ORDER BY last_seen_at DESC, event_id DESC;

-- name: centrality
-- How central each story is in its event.
SELECT story_id, centrality FROM stories WHERE coverage_id = $1 AND status <> 'merged';

-- name: digests
-- The published digests that have a story of an event, the latest first.
SELECT DISTINCT digest_run_id, topic_slug, topic_name, run_date, digest_runs.published_at
FROM stories JOIN digest_entries USING (story_id) JOIN digest_runs USING (digest_run_id) JOIN topics USING (topic_id)
WHERE coverage_id = $1 AND stories.status <> 'merged' AND digest_entries.rank IS NOT NULL
    AND digest_runs.published_at IS NOT NULL
ORDER BY run_date DESC, topic_slug LIMIT $2;
