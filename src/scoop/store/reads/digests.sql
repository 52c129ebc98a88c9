-- name: day_digests
-- The digest of a date for each enabled topic and each topic that has one: of its runs a live one, one with posts, the
-- latest.
SELECT topic_slug, topic_name, timezone, digest_cron, topics.created_at, run.mode, published_at, left_to_legacy_at,
    entry_count, coalesce(post_states, '{}') AS post_states,
    EXISTS (SELECT FROM topic_channels WHERE topic_channels.topic_id = topics.topic_id) AS has_channels
FROM topics LEFT JOIN LATERAL (
    SELECT digest_runs.mode::text AS mode, digest_runs.published_at, left_to_legacy_at, (
            SELECT count(*)::int FROM digest_entries AS entry
            WHERE entry.digest_run_id = digest_runs.digest_run_id AND rank IS NOT NULL) AS entry_count,
        ARRAY(SELECT DISTINCT state::text FROM posts WHERE posts.digest_run_id = digest_runs.digest_run_id) AS post_states
    FROM digest_runs
    WHERE digest_runs.topic_id = topics.topic_id AND run_date = $1 AND digest_runs.status = 'completed' AND NOT digest_runs.is_hidden
    ORDER BY digest_runs.mode = 'live' DESC,
        EXISTS (SELECT FROM posts WHERE posts.digest_run_id = digest_runs.digest_run_id) DESC, attempt DESC LIMIT 1
) AS run ON true
WHERE NOT topics.is_hidden AND (enabled OR run.mode IS NOT NULL) ORDER BY topic_name, topic_slug;

-- name: published
-- The latest published digests of a topic, or one digest, with their entries: each twin after its story.
SELECT digest_run_id, topic_slug, topic_name, timezone, run_date, published_at, introduction,
    coalesce((SELECT language FROM curators WHERE curators.topic_id = digest_runs.topic_id), '') AS language, (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'story_id', story_id, 'story_uuid', story_uuid, 'title', told -> 'title', 'url', told -> 'url',
        'summary', told -> 'summary', 'publishers', told -> 'publishers', 'language', told -> 'language', 'change', change,
        'relevance', told -> 'relevance', 'twin_of', twin_of) ORDER BY rank, twin_of NULLS FIRST, story_id), '[]')
    FROM digest_entries JOIN stories USING (story_id)
    WHERE digest_entries.digest_run_id = digest_runs.digest_run_id AND rank IS NOT NULL) AS tellings
FROM digest_runs JOIN topics USING (topic_id)
WHERE published_at IS NOT NULL AND NOT digest_runs.is_hidden AND ($1::int IS NULL OR topic_id = $1) AND ($2::bigint IS NULL OR digest_run_id = $2)
ORDER BY run_date DESC, digest_run_id DESC LIMIT $3;

-- name: digests
-- The digests by date after a cursor, the latest first, of one topic or all: of the runs of each a live one before a
-- shadow, one with posts before others, the latest attempt.
WITH dated AS (
    SELECT DISTINCT run_date, topic_slug, topic_id FROM digest_runs JOIN topics USING (topic_id)
    WHERE NOT digest_runs.is_hidden AND ($1::text IS NULL OR topic_slug = $1) AND (run_date < $2 OR (run_date = $2 AND topic_slug > $3))
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
        AND NOT digest_runs.is_hidden
    ORDER BY digest_runs.mode = 'live' DESC,
        EXISTS (SELECT FROM posts WHERE posts.digest_run_id = digest_runs.digest_run_id) DESC, attempt DESC LIMIT 1
) AS run CROSS JOIN LATERAL (
    SELECT EXISTS (SELECT FROM digest_runs WHERE digest_runs.topic_id = dated.topic_id
        AND digest_runs.run_date = dated.run_date AND digest_runs.mode = 'shadow' AND NOT digest_runs.is_hidden) AS has_shadow
) AS shadow
ORDER BY dated.run_date DESC, dated.topic_slug;

-- name: neighbours
-- The nearest dates before and after a date for which a topic has digests.
SELECT (SELECT max(run_date) FROM digest_runs WHERE topic_id = $1 AND run_date < $2 AND NOT is_hidden) AS earlier,
    (SELECT min(run_date) FROM digest_runs WHERE topic_id = $1 AND run_date > $2 AND NOT is_hidden) AS later;
