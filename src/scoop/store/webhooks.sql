-- name: webhooks
-- The webhooks by name, or one of them, with the number of queued deliveries.
SELECT webhook_id, name, url, secret, events::text[] AS events, collection, topic_slug AS topic, allow_private,
    webhooks.enabled, problem, webhooks.created_at, (
        SELECT count(*)::int FROM webhook_deliveries AS delivery
        WHERE delivery.webhook_id = webhooks.webhook_id AND state = 'waiting') AS waiting
FROM webhooks LEFT JOIN topics USING (topic_id)
WHERE $1::text IS NULL OR name = $1 ORDER BY name;

-- name: put
-- Upsert a webhook by its name; one that is enabled or subscribes to further events starts from now.
INSERT INTO webhooks AS existing (name, url, secret, events, collection, topic_id, allow_private, enabled)
VALUES ($1, $2, $3, $4::text[]::webhook_event[], $5, $6, $7, $8)
ON CONFLICT (name) DO UPDATE SET url = excluded.url, secret = excluded.secret, events = excluded.events,
    collection = excluded.collection, topic_id = excluded.topic_id, allow_private = excluded.allow_private,
    enabled = excluded.enabled, problem = CASE WHEN excluded.enabled THEN NULL ELSE existing.problem END,
    since = CASE WHEN existing.enabled AND existing.events @> excluded.events THEN existing.since ELSE now() END;

-- name: add
-- Insert a webhook; no row if its name is taken.
INSERT INTO webhooks (name, url, secret, events, collection, topic_id, allow_private, enabled)
VALUES ($1, $2, $3, $4::text[]::webhook_event[], $5, $6, $7, $8) ON CONFLICT (name) DO NOTHING RETURNING webhook_id;

-- name: set_enabled
-- Enable a webhook, from now on, or disable it.
UPDATE webhooks SET enabled = $2, problem = CASE WHEN $2 THEN NULL ELSE problem END,
    since = CASE WHEN enabled THEN since ELSE now() END
WHERE name = $1 RETURNING webhook_id;

-- name: remove
-- Delete a webhook with its queued deliveries.
WITH gone AS (DELETE FROM webhooks WHERE name = $1 RETURNING webhook_id), unsent AS (
    DELETE FROM work USING webhook_deliveries AS delivery JOIN gone USING (webhook_id)
    WHERE work.stage = $2 AND work.subject = webhook_delivery_id
)
SELECT webhook_id FROM gone;

-- name: has_subscribers
-- Whether an enabled webhook subscribes to one of these events.
SELECT EXISTS (SELECT FROM webhooks WHERE enabled AND events && $1::text[]::webhook_event[]);

-- name: news
-- The stories whose number of documents differs from what a subscribed webhook knows. One with a document that awaits its
-- page is left out until then: the text may show that it is part of another story, and a delivery is not taken back.
SELECT webhook_id, stories.story_id, stories.item_count, coalesce(known.item_count, before.item_count) AS known_count,
    events::text[] AS events
FROM webhooks JOIN stories ON (webhooks.collection IS NULL OR webhooks.collection = stories.collection)
    AND (webhooks.topic_id IS NULL OR EXISTS (
        SELECT FROM story_topic_state AS state
        WHERE state.story_id = stories.story_id AND state.topic_id = webhooks.topic_id AND NOT suppressed))
LEFT JOIN webhook_stories AS known USING (webhook_id, story_id)
CROSS JOIN LATERAL (
    SELECT count(*)::int AS item_count FROM story_members
    WHERE known.story_id IS NULL AND story_members.story_id = stories.story_id AND matched_at < since) AS before
WHERE enabled AND stories.story_id = ANY ($1::bigint[]) AND status = 'active'
    AND stories.item_count <> coalesce(known.item_count, before.item_count)
    AND NOT EXISTS (
        SELECT FROM story_members AS member JOIN documents USING (document_id)
        WHERE member.story_id = stories.story_id AND content_problem = $2)
ORDER BY webhook_id, stories.last_seen_at, stories.story_id;

-- name: put_known_counts
-- Store the numbers of documents that webhooks know of stories.
INSERT INTO webhook_stories (webhook_id, story_id, item_count)
SELECT webhook_id, story_id, item_count FROM unnest($1::bigint[], $2::bigint[], $3::int[]) AS found (webhook_id, story_id, item_count)
ORDER BY 1, 2
ON CONFLICT (webhook_id, story_id) DO UPDATE SET item_count = excluded.item_count;

-- name: outgoing_stories
-- Stories with their outlets in order of appearance and their topics.
SELECT story_rows.*, (
        SELECT outlets FROM story_outlets WHERE story_outlets.story_id = story_rows.story_id) AS outlets, ARRAY(
        SELECT topic_slug FROM story_topic_state AS state JOIN topics USING (topic_id)
        WHERE state.story_id = story_rows.story_id AND NOT suppressed ORDER BY topic_slug) AS topics
FROM story_rows WHERE story_id = ANY ($1::bigint[]);

-- name: lock_event_news
-- One transaction at a time announces events.
SELECT pg_advisory_xact_lock($1);

-- name: event_news
-- The events of these stories that a subscribed webhook does not know, or that developed since it was notified. An unknown
-- event is news if it was opened after the webhook, and nothing is queued that may change it: `$2` are the stages of
-- documents, `$3` those of stories, and a document with the problem `$4` awaits its page. An event is known if one that was
-- merged into it is.
WITH concerned AS (
    SELECT DISTINCT coalesce(events.merged_into, events.event_id) AS event_id
    FROM stories JOIN events ON event_id = coverage_id WHERE story_id = ANY ($1::bigint[])
), news AS MATERIALIZED (
    SELECT webhook_id, event_id, events.developed_at, events.last_seen_at, known.developed_at IS NOT NULL AS is_known,
        webhooks.events::text[] AS events
    FROM concerned JOIN events USING (event_id)
    JOIN webhooks ON webhooks.collection IS NULL OR webhooks.collection = events.collection
    CROSS JOIN LATERAL (
        SELECT max(notified.developed_at) AS developed_at FROM webhook_events AS notified
        WHERE notified.webhook_id = webhooks.webhook_id AND (notified.event_id = events.event_id
            OR notified.event_id IN (SELECT merged.event_id FROM events AS merged WHERE merged.merged_into = events.event_id))
    ) AS known
    WHERE webhooks.enabled AND webhooks.events && '{event.new,event.developed}' AND events.status = 'active'
        AND CASE WHEN known.developed_at IS NULL THEN events.created_at >= since
            ELSE events.developed_at > greatest(known.developed_at, since) END
        AND (webhooks.topic_id IS NULL OR EXISTS (
            SELECT FROM stories JOIN story_topic_state AS state USING (story_id)
            WHERE coverage_id = events.event_id AND stories.status = 'active' AND state.topic_id = webhooks.topic_id
                AND NOT suppressed))
)
SELECT webhook_id, event_id, developed_at, is_known, events FROM news
WHERE is_known OR NOT (EXISTS (
        SELECT FROM stories JOIN story_members USING (story_id) JOIN work ON work.subject = document_id
        WHERE coverage_id = event_id AND stories.status <> 'merged' AND stage = ANY ($2::text[]) AND state <> 'quarantined')
    OR EXISTS (
        SELECT FROM stories JOIN story_members USING (story_id) JOIN documents USING (document_id)
        WHERE coverage_id = event_id AND stories.status <> 'merged' AND content_problem = $4)
    OR EXISTS (
        SELECT FROM stories JOIN work ON work.subject = story_id
        WHERE coverage_id = event_id AND stories.status <> 'merged' AND stage = ANY ($3::text[]) AND state <> 'quarantined'))
ORDER BY webhook_id, last_seen_at, event_id;

-- name: put_known_events
-- Store when events had last developed as webhooks were notified of them.
INSERT INTO webhook_events (webhook_id, event_id, developed_at)
SELECT webhook_id, event_id, developed_at
FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[]) AS found (webhook_id, event_id, developed_at)
ORDER BY 1, 2
ON CONFLICT (webhook_id, event_id) DO UPDATE SET developed_at = excluded.developed_at;

-- name: deliver
-- Insert a delivery.
INSERT INTO webhook_deliveries (webhook_id, event, story_count, key, payload)
VALUES ($1, $2::text::webhook_event, $3, $4, $5) RETURNING webhook_delivery_id;

-- name: digest_of_post
-- The digest of a post; NULL for a message about alerts.
SELECT digest_run_id FROM posts WHERE post_id = $1;

-- name: deliver_digest
-- Insert a delivery about a digest for each subscribed webhook, once.
INSERT INTO webhook_deliveries (webhook_id, event, digest_run_id, story_count, key, payload)
SELECT webhook_id, 'digest.told', digest_run_id, $2, 'msg_' || replace(gen_random_uuid()::text, '-', ''), $3
FROM webhooks JOIN digest_runs ON digest_run_id = $1 AND digest_runs.topic_id = coalesce(webhooks.topic_id, digest_runs.topic_id)
WHERE enabled AND 'digest.told' = ANY (events)
ON CONFLICT (webhook_id, digest_run_id) DO NOTHING RETURNING webhook_delivery_id;

-- name: deliver_alerts
-- Insert a delivery about each alert for every subscribed webhook.
INSERT INTO webhook_deliveries (webhook_id, event, story_count, key, payload)
SELECT webhook_id, $1::text::webhook_event, 0, 'msg_' || replace(gen_random_uuid()::text, '-', ''), payload
FROM webhooks CROSS JOIN unnest($2::text[]) WITH ORDINALITY AS alert (payload, position)
WHERE enabled AND $1::text::webhook_event = ANY (events) ORDER BY webhook_id, position
RETURNING webhook_delivery_id;

-- name: outgoing
-- Deliveries to be sent, with their webhooks; removed ones are left out.
SELECT webhook_delivery_id, key, payload, name, url, secret, allow_private, enabled, state::text AS state
FROM webhook_deliveries JOIN webhooks USING (webhook_id) WHERE webhook_delivery_id = ANY ($1::bigint[]);

-- name: settle
-- Store the outcomes of attempts.
UPDATE webhook_deliveries AS delivery SET state = settled.state::webhook_delivery_state, error = settled.error,
    tries = tries + CASE WHEN settled.is_tried THEN 1 ELSE 0 END, tried_at = now(),
    sent_at = CASE WHEN settled.state = 'sent' THEN now() END
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bool[]) AS settled (webhook_delivery_id, state, error, is_tried)
WHERE delivery.webhook_delivery_id = settled.webhook_delivery_id AND delivery.state = 'waiting';

-- name: disable
-- Disable webhooks that are gone, with the reason.
UPDATE webhooks SET enabled = false, problem = closed.problem
FROM unnest($1::text[], $2::text[]) AS closed (name, problem) WHERE webhooks.name = closed.name;

-- name: deliveries
-- Deliveries before a cursor, the latest first, of one webhook or all; with their state in the queue.
SELECT webhook_delivery_id, name AS webhook, event::text AS event, story_count, digest_run_id, key,
    CASE WHEN work.state = 'quarantined' THEN 'quarantined' ELSE delivery.state::text END AS state,
    tries, tried_at, sent_at, delivery.error, delivery.created_at,
    CASE WHEN work.state = 'waiting' AND tries > 0 THEN work.due_at END AS next_try_at
FROM webhook_deliveries AS delivery JOIN webhooks USING (webhook_id)
LEFT JOIN work ON work.stage = $1 AND work.subject = webhook_delivery_id
WHERE ($2::text IS NULL OR name = $2) AND webhook_delivery_id < $3
ORDER BY webhook_delivery_id DESC LIMIT $4;

-- name: delete_old
-- Delete deliveries that were sent or dropped long ago.
DELETE FROM webhook_deliveries WHERE state <> 'waiting' AND tried_at < now() - $1::interval;
