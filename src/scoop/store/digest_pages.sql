-- name: dated
-- The digests by date, the latest first, of one topic or all, after a place in the list: of each the run that counts, a
-- live one before a shadow, one with posts before others, the latest attempt.
WITH dated AS (
    SELECT DISTINCT run_date, topic_slug, topic_id FROM digest_runs JOIN topics USING (topic_id)
    WHERE ($1::text IS NULL OR topic_slug = $1) AND (run_date < $2 OR (run_date = $2 AND topic_slug > $3))
    ORDER BY run_date DESC, topic_slug LIMIT $4
)
SELECT dated.run_date, dated.topic_slug, topic_name, timezone, digest_cron, run.*, has_shadow
FROM dated JOIN topics USING (topic_id) CROSS JOIN LATERAL (
    SELECT digest_runs.mode::text AS mode, started_at, window_end_utc, digest_runs.published_at, left_to_legacy_at,
        candidate_count, (
            SELECT count(*)::int FROM digest_entries AS entry
            WHERE entry.digest_run_id = digest_runs.digest_run_id AND rank IS NOT NULL) AS entry_count,
        ARRAY(SELECT DISTINCT state::text FROM posts WHERE posts.digest_run_id = digest_runs.digest_run_id) AS post_states
    FROM digest_runs WHERE digest_runs.topic_id = dated.topic_id AND digest_runs.run_date = dated.run_date
    ORDER BY digest_runs.mode = 'live' DESC,
        EXISTS (SELECT FROM posts WHERE posts.digest_run_id = digest_runs.digest_run_id) DESC, attempt DESC LIMIT 1
) AS run CROSS JOIN LATERAL (
    SELECT EXISTS (SELECT FROM digest_runs WHERE digest_runs.topic_id = dated.topic_id
        AND digest_runs.run_date = dated.run_date AND digest_runs.mode = 'shadow') AS has_shadow
) AS shadow
ORDER BY dated.run_date DESC, dated.topic_slug;

-- name: neighbours
-- The nearest dates before and after one for which a topic has digests.
SELECT (SELECT max(run_date) FROM digest_runs WHERE topic_id = $1 AND run_date < $2) AS earlier,
    (SELECT min(run_date) FROM digest_runs WHERE topic_id = $1 AND run_date > $2) AS later;
