-- name: webhooks
-- The webhooks by name, or one of them; with how many deliveries are on their way to each.
SELECT webhook_id, name, url, secret, events::text[] AS events, collection, topic_slug AS topic, allow_private,
    webhooks.enabled, problem, webhooks.created_at, (
        SELECT count(*)::int FROM webhook_deliveries AS delivery
        WHERE delivery.webhook_id = webhooks.webhook_id AND state = 'waiting') AS waiting
FROM webhooks LEFT JOIN topics USING (topic_id)
WHERE $1::text IS NULL OR name = $1 ORDER BY name;

-- name: put
-- Add a webhook, or change the one of its name, which is told again from now on if it was not.
INSERT INTO webhooks AS known (name, url, secret, events, collection, topic_id, allow_private, enabled)
VALUES ($1, $2, $3, $4::text[]::webhook_event[], $5, $6, $7, $8)
ON CONFLICT (name) DO UPDATE SET url = excluded.url, secret = excluded.secret, events = excluded.events,
    collection = excluded.collection, topic_id = excluded.topic_id, allow_private = excluded.allow_private,
    enabled = excluded.enabled, problem = CASE WHEN excluded.enabled THEN NULL ELSE known.problem END,
    since = CASE WHEN known.enabled THEN known.since ELSE now() END;

-- name: add
-- Add a webhook; nothing where there is one of its name.
INSERT INTO webhooks (name, url, secret, events, collection, topic_id, allow_private, enabled)
VALUES ($1, $2, $3, $4::text[]::webhook_event[], $5, $6, $7, $8) ON CONFLICT (name) DO NOTHING RETURNING webhook_id;

-- name: set_enabled
-- Tell a program again, from now on, or no more.
UPDATE webhooks SET enabled = $2, problem = CASE WHEN $2 THEN NULL ELSE problem END,
    since = CASE WHEN enabled THEN since ELSE now() END
WHERE name = $1 RETURNING webhook_id;

-- name: remove
-- Forget a webhook, with what is on its way to it.
WITH gone AS (DELETE FROM webhooks WHERE name = $1 RETURNING webhook_id), unsent AS (
    DELETE FROM work USING webhook_deliveries AS delivery JOIN gone USING (webhook_id)
    WHERE work.stage = $2 AND work.subject = webhook_delivery_id
)
SELECT webhook_id FROM gone;

-- name: is_anybody_told
-- Whether there is a program to tell anything of this kind.
SELECT EXISTS (SELECT FROM webhooks WHERE enabled AND events && $1::text[]::webhook_event[]);

-- name: news
-- Which of these stories have other documents than a program knows of, for each that wants to know.
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
ORDER BY webhook_id, stories.last_seen_at, stories.story_id;

-- name: know
-- From now on programs know of so many documents of stories.
INSERT INTO webhook_stories (webhook_id, story_id, item_count)
SELECT webhook_id, story_id, item_count FROM unnest($1::bigint[], $2::bigint[], $3::int[]) AS found (webhook_id, story_id, item_count)
ORDER BY 1, 2
ON CONFLICT (webhook_id, story_id) DO UPDATE SET item_count = excluded.item_count;

-- name: deliver
-- Write down what is to be sent.
INSERT INTO webhook_deliveries (webhook_id, event, story_count, key, payload)
VALUES ($1, $2::text::webhook_event, $3, $4, $5) RETURNING webhook_delivery_id;

-- name: digest_of_post
-- The digest that a post is of.
SELECT digest_run_id FROM posts WHERE post_id = $1;

-- name: deliver_digest
-- Write down for each program that wants to know that a digest was told, once.
INSERT INTO webhook_deliveries (webhook_id, event, digest_run_id, story_count, key, payload)
SELECT webhook_id, 'digest.told', digest_run_id, $2, 'msg_' || replace(gen_random_uuid()::text, '-', ''), $3
FROM webhooks JOIN digest_runs ON digest_run_id = $1 AND digest_runs.topic_id = coalesce(webhooks.topic_id, digest_runs.topic_id)
WHERE enabled AND 'digest.told' = ANY (events)
ON CONFLICT (webhook_id, digest_run_id) DO NOTHING RETURNING webhook_delivery_id;

-- name: outgoing
-- Deliveries on their way, and where they go; those that were removed meanwhile are none.
SELECT webhook_delivery_id, key, payload, name, url, secret, allow_private, enabled, state::text AS state
FROM webhook_deliveries JOIN webhooks USING (webhook_id) WHERE webhook_delivery_id = ANY ($1::bigint[]);

-- name: settle
-- What became of tries.
UPDATE webhook_deliveries AS delivery SET state = settled.state::webhook_delivery_state, error = settled.error,
    tries = tries + CASE WHEN settled.is_tried THEN 1 ELSE 0 END, tried_at = now(),
    sent_at = CASE WHEN settled.state = 'sent' THEN now() END
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bool[]) AS settled (webhook_delivery_id, state, error, is_tried)
WHERE delivery.webhook_delivery_id = settled.webhook_delivery_id AND delivery.state = 'waiting';

-- name: close
-- Programs that said they are gone are told nothing any more, and the reason is kept.
UPDATE webhooks SET enabled = false, problem = closed.problem
FROM unnest($1::text[], $2::text[]) AS closed (name, problem) WHERE webhooks.name = closed.name;

-- name: deliveries
-- Deliveries, the latest first, of one webhook or all, after a place; what the queue has given up is quarantined.
SELECT webhook_delivery_id, name AS webhook, event::text AS event, story_count, digest_run_id, key,
    CASE WHEN work.state = 'quarantined' THEN 'quarantined' ELSE delivery.state::text END AS state,
    tries, tried_at, sent_at, delivery.error, delivery.created_at,
    CASE WHEN work.state = 'waiting' AND tries > 0 THEN work.due_at END AS next_try_at
FROM webhook_deliveries AS delivery JOIN webhooks USING (webhook_id)
LEFT JOIN work ON work.stage = $1 AND work.subject = webhook_delivery_id
WHERE ($2::text IS NULL OR name = $2) AND webhook_delivery_id < $3
ORDER BY webhook_delivery_id DESC LIMIT $4;

-- name: forget
-- Deliveries that were sent or dropped long ago are forgotten.
DELETE FROM webhook_deliveries WHERE state <> 'waiting' AND tried_at < now() - $1::interval;
