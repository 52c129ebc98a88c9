-- name: topics
-- All topics that are not hidden, or the one of a slug, with their rules and channels.
SELECT topic_id, topic_slug, topic_name, timezone, digest_cron, collections, max_entries, max_per_family,
    discord_channel_id, enabled, mode::text AS mode, publish_v2, write_raw_ledger, legacy_command, legacy_deadline,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('source', source, 'rule_type', rule_type) ORDER BY rule_type, source), '[]')
        FROM topic_source_rules AS rule WHERE rule.topic_id = topics.topic_id) AS source_rules,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('pattern', pattern, 'rule_type', rule_type, 'is_regex', is_regex,
            'weight', weight, 'enabled', rule.enabled) ORDER BY rule_type, rule_id), '[]')
        FROM topic_keyword_rules AS rule WHERE rule.topic_id = topics.topic_id) AS keyword_rules,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('name', name, 'kind', kind, 'options', options,
            'enabled', channel.enabled AND problem IS NULL) ORDER BY name), '[]')
        FROM topic_channels AS channel WHERE channel.topic_id = topics.topic_id) AS channels,
    EXISTS (SELECT FROM curators WHERE curators.topic_id = topics.topic_id) AS is_curator
FROM topics WHERE NOT is_hidden AND ($1::text IS NULL OR topic_slug = $1) ORDER BY topic_slug;

-- name: lock
-- Lock a topic before a change that depends on its present values.
SELECT FROM topics WHERE topic_slug = $1 FOR UPDATE;

-- name: put
-- Upsert a topic by its slug, which also shows a hidden one; `has_new_scope`: it may take other stories than before.
WITH before AS (SELECT collections, enabled FROM topics WHERE topic_slug = $1)
INSERT INTO topics (topic_slug, topic_name, timezone, digest_cron, collections, max_entries, max_per_family,
    discord_channel_id, enabled, mode, publish_v2, write_raw_ledger, legacy_command, legacy_deadline)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::text::topic_mode, $11, $12, $13, $14)
ON CONFLICT (topic_slug) DO UPDATE SET topic_name = excluded.topic_name, timezone = excluded.timezone,
    digest_cron = excluded.digest_cron, collections = excluded.collections, max_entries = excluded.max_entries,
    max_per_family = excluded.max_per_family, discord_channel_id = excluded.discord_channel_id, enabled = excluded.enabled,
    mode = excluded.mode, publish_v2 = excluded.publish_v2, write_raw_ledger = excluded.write_raw_ledger,
    legacy_command = excluded.legacy_command, legacy_deadline = excluded.legacy_deadline, is_hidden = false
RETURNING topic_id,
    NOT EXISTS (SELECT FROM before WHERE before.enabled AND before.collections = topics.collections) AS has_new_scope;

-- name: add_default_topics
-- Add a topic for each collection that no topic names, in a timezone; a hidden one of the same slug is shown again.
INSERT INTO topics (topic_slug, topic_name, timezone, collections)
SELECT topic_slug, topic_name, $4, ARRAY[collection]
FROM unnest($1::text[], $2::text[], $3::text[]) AS default_topic (topic_slug, topic_name, collection)
WHERE NOT EXISTS (SELECT FROM topics WHERE default_topic.collection = ANY (topics.collections) AND NOT is_hidden
    AND NOT EXISTS (SELECT FROM curators WHERE curators.topic_id = topics.topic_id))
ON CONFLICT (topic_slug) DO UPDATE SET is_hidden = false WHERE topics.is_hidden;

-- name: put_source_rules
-- Replace the source rules of a topic.
WITH wanted AS (
    SELECT source, rule_type FROM unnest($2::text[], $3::text[]::topic_rule_type[]) AS rule (source, rule_type)
), dropped AS (
    DELETE FROM topic_source_rules
    WHERE topic_id = $1 AND (source, rule_type) NOT IN (SELECT source, rule_type FROM wanted)
)
INSERT INTO topic_source_rules (topic_id, source, rule_type) SELECT $1, source, rule_type FROM wanted
ON CONFLICT DO NOTHING;

-- name: put_keyword_rules
-- Replace the keyword rules of a topic.
WITH wanted AS (
    SELECT * FROM unnest($2::text[], $3::text[]::topic_rule_type[], $4::bool[], $5::smallint[], $6::bool[])
        AS rule (pattern, rule_type, is_regex, weight, enabled)
), dropped AS (
    DELETE FROM topic_keyword_rules
    WHERE topic_id = $1 AND (pattern, rule_type) NOT IN (SELECT pattern, rule_type FROM wanted)
)
INSERT INTO topic_keyword_rules (topic_id, pattern, rule_type, is_regex, weight, enabled)
SELECT $1, pattern, rule_type, is_regex, weight, enabled FROM wanted
ON CONFLICT (topic_id, rule_type, pattern)
    DO UPDATE SET is_regex = excluded.is_regex, weight = excluded.weight, enabled = excluded.enabled;

-- name: reassign
-- Enqueue the stories that a change of a topic can affect: those that it has, and recent ones of its scope.
WITH bounds AS (
    SELECT topic_id, collections, ARRAY(SELECT source FROM topic_source_rules AS rule
        WHERE rule.topic_id = topics.topic_id AND rule_type = 'include') AS included
    FROM topics WHERE topic_id = $2 AND enabled
), affected AS (
    SELECT story_id FROM story_topic_state JOIN bounds USING (topic_id)
    UNION
    SELECT story_id FROM stories, bounds WHERE status = 'active' AND last_seen_at >= now() - $3::interval
        AND (collection = ANY (collections) OR sources && included OR (collections = '{}' AND included = '{}'))
)
INSERT INTO work (stage, subject) SELECT $1, story_id FROM affected ORDER BY story_id
ON CONFLICT (stage, subject) DO UPDATE SET
    version = work.version + 1,
    state = CASE work.state WHEN 'quarantined' THEN 'waiting' ELSE work.state END,
    due_at = CASE work.state WHEN 'claimed' THEN work.due_at ELSE now() END,
    attempts = 0,
    crashes = CASE work.state WHEN 'claimed' THEN work.crashes ELSE 0 END,
    error = NULL;

-- name: within_reach
-- The active stories of these collections and sources, or of all, since a moment; the latest first.
SELECT story_id FROM stories WHERE status = 'active' AND last_seen_at >= $3
    AND (collection = ANY ($1::text[]) OR sources && $2::text[] OR ($1::text[] = '{}' AND $2::text[] = '{}'))
ORDER BY last_seen_at DESC, story_id DESC LIMIT $4;

-- name: has_posted
-- Whether a digest of a topic was posted, is being posted, or was left to an older system.
SELECT EXISTS (SELECT FROM posts WHERE posts.topic_id = $1) OR EXISTS (
    SELECT FROM digest_runs WHERE topic_id = $1 AND (published_at IS NOT NULL OR left_to_legacy_at IS NOT NULL));

-- name: remove_digests
-- Delete the digests of a topic that has posted none.
DELETE FROM digest_runs WHERE topic_id = $1;

-- name: remove
-- Delete a topic that has no digests, with its rules and channels.
DELETE FROM topics WHERE topic_id = $1;

-- name: channels
-- The channels of a topic, or of all, with their problems.
SELECT topic_id, name, kind, options, enabled, problem FROM topic_channels
WHERE $1::int IS NULL OR topic_id = $1 ORDER BY topic_id, name;

-- name: put_channel
-- Upsert a channel of a topic by its name; other options clear its problem.
INSERT INTO topic_channels (topic_id, name, kind, options, enabled) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (topic_id, name) DO UPDATE SET kind = excluded.kind, options = excluded.options, enabled = excluded.enabled,
    problem = CASE WHEN (topic_channels.kind, topic_channels.options) = (excluded.kind, excluded.options)
        THEN topic_channels.problem END;

-- name: set_channel_enabled
-- Enable a channel, which clears its problem, or disable it.
UPDATE topic_channels SET enabled = $3, problem = CASE WHEN $3 THEN NULL ELSE problem END
WHERE topic_id = $1 AND name = $2 RETURNING name;

-- name: remove_channel
-- Delete a channel of a topic.
DELETE FROM topic_channels WHERE topic_id = $1 AND name = $2 RETURNING name;

-- name: stories_of
-- Active stories, the latest first, with the texts of their newest documents if `$2`.
SELECT story_id, collection, sources, canonical_title AS title, coalesce((
    SELECT string_agg(normalized_title || E'\n' || left(normalized_text, $4), E'\n') FROM (
        SELECT normalized_title, normalized_text FROM story_members JOIN documents USING (document_id)
        WHERE $2 AND story_members.story_id = stories.story_id
        ORDER BY seen_at DESC, document_id DESC LIMIT $3) AS newest), '') AS text
FROM stories WHERE story_id = ANY ($1::bigint[]) AND status = 'active' ORDER BY last_seen_at DESC, story_id DESC;

-- name: collections_of
-- The collections of stories that are not suppressed.
SELECT DISTINCT collection FROM stories WHERE story_id = ANY ($1::bigint[]) AND status <> 'suppressed';

-- name: assign
-- Assign these stories to these topics; an assignment that was published or suppressed is never deleted.
WITH assigned AS (
    SELECT story_id, topic_id, weight, matched
    FROM unnest($3::bigint[], $4::int[], $5::smallint[], $6::jsonb[]) AS made (story_id, topic_id, weight, matched)
), dropped AS (
    DELETE FROM story_topic_state
    WHERE story_id = ANY ($1::bigint[]) AND topic_id = ANY ($2::int[])
        AND publish_count = 0 AND first_published_at IS NULL AND NOT suppressed
        AND (story_id, topic_id) NOT IN (SELECT story_id, topic_id FROM assigned)
)
INSERT INTO story_topic_state AS state (story_id, topic_id, first_seen_in_topic_at, weight, matched)
SELECT story_id, topic_id, now(), weight, ARRAY(SELECT jsonb_array_elements_text(matched))
FROM assigned JOIN topics USING (topic_id) ORDER BY story_id, topic_id  -- a topic may have been removed meanwhile
ON CONFLICT (story_id, topic_id) DO UPDATE SET weight = excluded.weight, matched = excluded.matched, updated_at = now()
WHERE (state.weight, state.matched) IS DISTINCT FROM (excluded.weight, excluded.matched);

-- name: suppress
-- Suppress a story in a topic, with the reason, or stop suppressing it.
UPDATE story_topic_state SET suppressed = $3, suppression_reason = $4, updated_at = now()
WHERE topic_id = $1 AND story_id = $2 RETURNING story_id;

-- name: suppress_event
-- Suppress the stories of an event in a topic, with the reason, or stop suppressing them.
UPDATE story_topic_state SET suppressed = $3, suppression_reason = $4, updated_at = now()
FROM stories WHERE topic_id = $1 AND story_topic_state.story_id = stories.story_id AND coverage_id = $2
    AND stories.status <> 'merged' RETURNING story_topic_state.story_id;

-- name: suppressions
-- The stories that are suppressed in a topic, the latest first.
SELECT story_id, story_uuid::text AS story_uuid, canonical_title AS title, coalesce(suppression_reason, '') AS reason,
    story_topic_state.updated_at AS suppressed_at
FROM story_topic_state JOIN stories USING (story_id) WHERE topic_id = $1 AND suppressed AND status <> 'suppressed'
ORDER BY story_topic_state.updated_at DESC, story_id DESC LIMIT $2;
