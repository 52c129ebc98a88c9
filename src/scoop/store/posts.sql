-- name: desk
-- The id of this desk.
SELECT desk_id::text FROM desk;

-- name: put
-- Insert one part of a digest into the outbox.
INSERT INTO posts (digest_run_id, topic_id, run_date, channel, kind, options, part_no, parts, key, marker, payload, story_ids)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING post_id;

-- name: put_alerts
-- Insert a message about alerts into the outbox.
INSERT INTO posts (topic_id, run_date, channel, kind, options, part_no, parts, key, marker, payload, story_ids, alert_ids)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, '{}', $11) RETURNING post_id;

-- name: post
-- A post, when its digest was due, and when it was made or last enqueued by a person.
SELECT post_id, digest_run_id, topic_slug, posts.run_date, channel, posts.kind, posts.options, part_no, parts, key, marker,
    payload, state::text AS state, correction, sending_at, tried_at, looks, sent_at, message_id, posts.error,
    coalesce(window_end_utc, posts.created_at) AS due_at, left_to_legacy_at IS NOT NULL AS is_legacys, now() AS now,
    greatest(posts.created_at, (SELECT enqueued_at FROM work WHERE stage = $2 AND subject = post_id)) AS made_at
FROM posts JOIN topics USING (topic_id) LEFT JOIN digest_runs USING (digest_run_id)
WHERE post_id = $1;

-- name: begin
-- Mark a post as sending before anything is sent: from now on it may have arrived. No row for a post that is settled,
-- that another worker owns, or whose digest was left to the older system.
UPDATE posts SET state = 'sending', sending_at = coalesce(sending_at, now()), tried_at = now(), looks = 0
WHERE post_id = $1 AND state IN ('waiting', 'sending')
    AND NOT EXISTS (SELECT FROM digest_runs AS run
        WHERE run.digest_run_id = posts.digest_run_id AND left_to_legacy_at IS NOT NULL)
    AND EXISTS (
        SELECT FROM work JOIN pg_locks ON objid::bigint::integer = work.worker
        WHERE stage = $2 AND subject = $1 AND work.state = 'claimed'
            AND locktype = 'advisory' AND classid = $3 AND objsubid = 2 AND pid = pg_backend_pid())
RETURNING post_id;

-- name: settle
-- Store the outcome of a post.
UPDATE posts SET state = $2::post_state, error = $3, message_id = coalesce($4, message_id), looks = $5,
    sent_at = CASE WHEN $2::post_state = 'sent' THEN coalesce(sent_at, now()) ELSE sent_at END,
    sending_at = CASE WHEN $2::post_state = 'waiting' THEN NULL ELSE sending_at END,
    tried_at = CASE WHEN $2::post_state = 'waiting' THEN NULL ELSE tried_at END,
    correction = CASE WHEN $6 OR $7 THEN NULL ELSE correction END,
    payload = CASE WHEN $6 THEN coalesce(correction, payload) ELSE payload END
WHERE post_id = $1 AND (state <> 'sent' OR $2::post_state = 'sent');

-- name: mark_published
-- Mark the stories of a post as published; each story of a digest counts once, whichever channel was first.
WITH published AS (
    UPDATE digest_entries SET published_at = now(), discord_message_id = CASE WHEN $2 THEN posts.message_id END
    FROM posts WHERE post_id = $1 AND digest_entries.digest_run_id = posts.digest_run_id
        AND digest_entries.story_id = ANY (posts.story_ids) AND digest_entries.published_at IS NULL
    RETURNING digest_entries.story_id, topic_id
)
INSERT INTO story_topic_state (story_id, topic_id, first_seen_in_topic_at, first_published_at, last_published_at, publish_count)
SELECT story_id, topic_id, now(), now(), now(), 1 FROM published
ON CONFLICT (story_id, topic_id) DO UPDATE SET
    first_published_at = coalesce(story_topic_state.first_published_at, now()), last_published_at = now(),
    publish_count = story_topic_state.publish_count + 1, updated_at = now();

-- name: mark_run_published
-- Mark a digest as published with its first post.
UPDATE digest_runs SET published_at = coalesce(digest_runs.published_at, now()),
    discord_message_id = coalesce(discord_message_id, CASE WHEN $2 THEN posts.message_id END),
    posted_count = (SELECT count(*) FROM digest_entries AS entry
        WHERE entry.digest_run_id = posts.digest_run_id AND entry.published_at IS NOT NULL)
FROM posts WHERE post_id = $1 AND digest_runs.digest_run_id = posts.digest_run_id;

-- name: next_part
-- The part that follows a settled one.
SELECT following.post_id FROM posts JOIN posts AS following
    ON following.digest_run_id = posts.digest_run_id AND following.channel = posts.channel
    AND following.part_no = posts.part_no + 1 AND following.state = 'waiting'
WHERE posts.post_id = $1;

-- name: close_channel
-- Disable the channel of a post, with the reason.
UPDATE topic_channels SET problem = $2
FROM posts WHERE post_id = $1 AND topic_channels.topic_id = posts.topic_id AND topic_channels.name = posts.channel;

-- name: close_unusable_channel
-- Disable a channel of a topic, with the reason.
UPDATE topic_channels SET problem = $3 WHERE topic_id = $1 AND name = $2;

-- name: posts
-- Posts, the latest first: of a topic, of some states, of a digest, of a kind of channel or one channel, since a moment;
-- or all. Those of hidden digests are left out.
SELECT post_id, digest_run_id, topic_slug, run_date, channel, kind, options, part_no, parts, key, marker, payload,
    state::text AS state, correction, sending_at, tried_at, looks, sent_at, message_id, error
FROM posts JOIN topics USING (topic_id)
WHERE ($1::text IS NULL OR topic_slug = $1) AND ($2::text[] IS NULL OR state::text = ANY ($2))
    AND ($3::bigint IS NULL OR digest_run_id = $3) AND ($4::bigint[] IS NULL OR topic_id = ANY ($4))
    AND ($5::text IS NULL OR kind = $5) AND ($6::interval IS NULL OR sent_at > now() - $6) AND post_id < $8
    AND ($9::text IS NULL OR channel = $9)
    AND NOT EXISTS (SELECT FROM digest_runs AS run WHERE run.digest_run_id = posts.digest_run_id AND run.is_hidden)
ORDER BY post_id DESC LIMIT $7;

-- name: posting_topics
-- The topics that sent posts lately.
SELECT DISTINCT topic_id FROM posts WHERE state = 'sent' AND sent_at > now() - $1::interval;

-- name: kind_of_held
-- The kind of channel of a held or failed post.
SELECT kind FROM posts WHERE post_id = $1 AND state IN ('held', 'failed');

-- name: decide
-- Store the decision about a held or failed post: send it again, or drop it.
UPDATE posts SET state = $2::post_state, sending_at = NULL, tried_at = NULL, looks = 0, error = NULL
WHERE post_id = $1 AND state IN ('held', 'failed') RETURNING post_id;

-- name: hold_stranded
-- Hold posts that the queue has quarantined or does not have.
UPDATE posts SET state = 'held', error = coalesce(
    (SELECT error FROM work WHERE stage = $1 AND subject = post_id), 'it was not in the queue')
WHERE state IN ('waiting', 'sending') AND updated_at < now() - interval '1 minute'
    AND NOT EXISTS (SELECT FROM work WHERE stage = $1 AND subject = post_id AND work.state <> 'quarantined')
    AND NOT EXISTS (SELECT FROM posts AS earlier WHERE earlier.digest_run_id = posts.digest_run_id
        AND earlier.channel = posts.channel AND earlier.part_no < posts.part_no AND earlier.state NOT IN ('sent', 'dropped'))
RETURNING post_id;

-- name: correct
-- Store a correction of a sent post.
UPDATE posts SET correction = $2 WHERE post_id = $1 AND state = 'sent' AND payload <> $2 RETURNING post_id;
