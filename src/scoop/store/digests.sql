-- name: lock_topic
-- Lock a topic: one digest of it is made at a time.
SELECT FROM topics WHERE topic_id = $1 FOR UPDATE;

-- name: candidates
-- The active stories of a topic with a document of the window, or with one that was too late for the digest before.
SELECT story_id, story_uuid::text AS story_uuid, coverage_id, stories.canonical_title AS title,
    EXISTS (SELECT FROM events WHERE event_id = coverage_id AND lead_story_id = story_id) AS is_lead, stories.centrality,
    stories.canonical_url AS url, stories.canonical_url_hash AS url_hash, weight,
    coalesce(publisher_family, publisher_families[1]) AS own_publisher, coalesce(normalized_language, 'und') AS language,
    coalesce(left(body_text, 1000), '') AS lead, (
        SELECT left(summary_text, 1000) FROM events JOIN summaries USING (summary_id) WHERE event_id = coverage_id) AS summary, (
        SELECT coalesce(suppression_reason, '') FROM story_topic_state AS held JOIN stories AS part USING (story_id)
        WHERE held.topic_id = $1 AND held.suppressed AND (part.story_id = stories.story_id OR part.merged_into = stories.story_id)
        LIMIT 1) AS suppression_reason
FROM story_topic_state JOIN stories USING (story_id)
LEFT JOIN documents ON document_id = representative_document_id
WHERE topic_id = $1 AND status = 'active' AND last_seen_at >= $2::timestamptz - $5::interval AND first_seen_at < $3
    AND EXISTS (
        SELECT FROM story_members JOIN documents AS member USING (document_id)
        WHERE story_members.story_id = stories.story_id AND member.seen_at < $3
            AND (member.seen_at >= $2 OR (member.seen_at >= $2 - $5::interval AND matched_at > $4::timestamptz)));

-- name: versions
-- The newest documents of stories before a moment. A version is an arrival: the text of its page is no new one.
SELECT story_id, document_id || ':' || raw_arrival_id AS version, publisher_family AS publisher,
    coalesce((SELECT name FROM publishers WHERE family = publisher_family), publisher_family) AS publisher_name,
    normalized_language AS language, title, body, seen_at, coalesce(points, 0) AS points
FROM unnest($1::bigint[]) AS asked (story_id) CROSS JOIN LATERAL (
    SELECT document_id, raw_arrival_id, publisher_family, normalized_language, title, left(body_text, $3) AS body, seen_at, (
            SELECT greatest(0, least(1000000, (raw_payload #>> '{source_metadata,score}')::numeric))::integer FROM raw_arrivals
            WHERE raw_arrivals.raw_arrival_id = documents.raw_arrival_id
                AND raw_payload #>> '{source_metadata,platform}' IN ('hn', 'reddit')
                AND jsonb_typeof(raw_payload #> '{source_metadata,score}') = 'number') AS points
    FROM story_members JOIN documents USING (document_id)
    WHERE story_members.story_id = asked.story_id AND seen_at < $2
    ORDER BY seen_at DESC, document_id DESC LIMIT $4) AS member;

-- name: published_stories
-- The stories of a topic's digests of these dates: those that a channel accepted, or that a shadow run chose.
SELECT stays.story_id, stays.coverage_id, run_date, told
FROM digest_runs JOIN digest_entries USING (digest_run_id)
JOIN stories ON stories.story_id = digest_entries.story_id
JOIN stories AS stays ON stays.story_id = coalesce(stories.merged_into, stories.story_id)
WHERE digest_runs.topic_id = $1 AND mode = $2::digest_mode AND run_date BETWEEN $3 AND $4 AND rank IS NOT NULL
    AND CASE mode WHEN 'live' THEN digest_entries.published_at IS NOT NULL ELSE attempt = (
        SELECT max(attempt) FROM digest_runs AS same
        WHERE same.topic_id = $1 AND same.mode = 'shadow' AND same.run_date = digest_runs.run_date) END;

-- name: suppressed
-- The stories that are suppressed in a topic.
SELECT story_id FROM story_topic_state WHERE topic_id = $1 AND suppressed;

-- name: last_made_at
-- The time of the topic's last digest before a date, in the same mode.
SELECT started_at FROM digest_runs
WHERE topic_id = $1 AND mode = $2::digest_mode AND run_date < $3 AND status = 'completed'
    AND (mode = 'shadow' OR published_at IS NOT NULL)
ORDER BY run_date DESC, attempt DESC LIMIT 1;

-- name: published_run
-- The run of a topic and a date that has posts, or that was left to an older system; it is never replaced.
SELECT digest_run_id FROM digest_runs
WHERE topic_id = $1 AND run_date = $2 AND mode = 'live' AND (
    left_to_legacy_at IS NOT NULL OR EXISTS (SELECT FROM posts WHERE posts.digest_run_id = digest_runs.digest_run_id))
ORDER BY digest_run_id DESC LIMIT 1;

-- name: open_run
-- Insert a new attempt at the digest of a topic and a date.
INSERT INTO digest_runs (topic_id, run_date, mode, attempt, window_start_utc, window_end_utc, finished_at, status, candidate_count,
    introduction)
SELECT $1, $2, $3::digest_mode, coalesce(max(attempt), 0) + 1, $4, $5, now(), 'completed', $6, $7
FROM digest_runs WHERE topic_id = $1 AND run_date = $2 AND mode = $3::digest_mode
RETURNING digest_run_id;

-- name: runs
-- The latest digest runs that are not hidden, of a topic, a date and a mode, or all; or one run.
SELECT digest_run_id, topic_slug, run_date, digest_runs.mode::text AS mode, attempt, window_start_utc, window_end_utc, started_at,
    digest_runs.published_at, status::text AS status, candidate_count, posted_count, left_to_legacy_at, introduction,
    coalesce((SELECT language FROM curators WHERE curators.topic_id = digest_runs.topic_id), '') AS language,
    (SELECT count(*)::int FROM digest_entries AS entry WHERE entry.digest_run_id = digest_runs.digest_run_id
        AND rank IS NOT NULL) AS entry_count
FROM digest_runs JOIN topics USING (topic_id)
WHERE ($1::text IS NULL OR topic_slug = $1) AND (digest_run_id = $3 OR ($3::bigint IS NULL AND NOT digest_runs.is_hidden))
    AND ($4::date IS NULL OR run_date = $4) AND ($5::text IS NULL OR digest_runs.mode::text = $5) AND digest_run_id < $6
ORDER BY digest_run_id DESC LIMIT $2;

-- name: latest_run
-- The run of a topic, a date and a mode that has posts, or else the latest attempt.
SELECT digest_run_id FROM digest_runs
WHERE topic_id = $1 AND run_date = $2 AND mode = $3::digest_mode AND status = 'completed'
ORDER BY EXISTS (SELECT FROM posts WHERE posts.digest_run_id = digest_runs.digest_run_id) DESC, attempt DESC LIMIT 1;

-- name: entries
-- All candidates of a run: the chosen ones by rank, then the others by score.
SELECT story_id, story_uuid::text AS story_uuid, digest_entries.status::text AS status, rank, score, reason, change, twin_of,
    score_parts, told, digest_entries.published_at
FROM digest_entries JOIN stories USING (story_id)
WHERE digest_run_id = $1 ORDER BY rank, twin_of NULLS FIRST, score DESC, story_id;

-- name: due
-- For each enabled topic the latest dates of digests: posted, live and shadow. A run before its due time is a preview
-- and does not count.
SELECT topic_id, topic_slug, timezone, digest_cron, created_at, mode::text AS mode, publish_v2, write_raw_ledger,
    EXISTS (SELECT FROM topic_channels WHERE topic_channels.topic_id = topics.topic_id) AS has_channels,
    EXISTS (SELECT FROM topic_channels AS channel WHERE channel.topic_id = topics.topic_id
        AND channel.enabled AND problem IS NULL) AS has_open_channels,
    (SELECT max(run_date) FROM posts
        WHERE posts.topic_id = topics.topic_id AND digest_run_id IS NOT NULL) AS last_outgoing, (
        SELECT max(run_date) FROM digest_runs
        WHERE digest_runs.topic_id = topics.topic_id
            AND (published_at IS NOT NULL OR left_to_legacy_at IS NOT NULL)) AS last_posted, (
        SELECT max(run_date) FROM digest_runs
        WHERE digest_runs.topic_id = topics.topic_id AND digest_runs.mode = 'live' AND status = 'completed'
            AND started_at >= window_end_utc) AS last_live, (
        SELECT max(run_date) FROM digest_runs
        WHERE digest_runs.topic_id = topics.topic_id AND digest_runs.mode = 'shadow' AND status = 'completed'
            AND started_at >= window_end_utc) AS last_shadow
FROM topics WHERE enabled AND NOT is_hidden ORDER BY topic_id;
