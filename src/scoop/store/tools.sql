-- name: lock
-- Serialise changes of tools until the end of the transaction: an alias is checked against all others.
SELECT pg_advisory_xact_lock(hashtext('tools'));

-- name: list
-- All tools, or those of some numbers, with their aliases.
SELECT tool_number, tool_id, slug, name, vendor, categories, context_words, status, merged_into, origin,
    ARRAY(SELECT alias FROM tool_aliases WHERE tool_aliases.tool_number = tools.tool_number ORDER BY created_at, alias)
        AS aliases
FROM tools WHERE $1::int[] IS NULL OR tool_number = ANY ($1) ORDER BY name_key;

-- name: number_of
-- The number of the tool with an id or a slug.
SELECT tool_number FROM tools WHERE tool_id = $1 OR slug = $2;

-- name: version
-- Changes whenever a tool or an alias does.
SELECT concat_ws('/', (SELECT count(*) FROM tools), (SELECT max(updated_at) FROM tools),
    (SELECT count(*) FROM tool_aliases), (SELECT max(created_at) FROM tool_aliases)) AS version;

-- name: add
-- Add a tool; gives its number.
INSERT INTO tools (slug, name, name_key, vendor, categories, context_words, status, origin)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING tool_number;

-- name: change
-- Change a tool.
UPDATE tools SET slug = $2, name = $3, name_key = $4, vendor = $5, categories = $6, context_words = $7, status = $8
WHERE tool_number = $1;

-- name: drop_aliases
-- Remove the aliases of a tool that are not among these.
DELETE FROM tool_aliases WHERE tool_number = $1 AND alias_key <> ALL ($2::text[]);

-- name: put_aliases
-- Add aliases of a tool, in order.
INSERT INTO tool_aliases (alias_key, tool_number, alias)
SELECT alias_key, $1, alias FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS given (alias_key, alias, position)
ORDER BY position
ON CONFLICT (alias_key) DO UPDATE SET alias = excluded.alias
    WHERE tool_aliases.tool_number = excluded.tool_number AND tool_aliases.alias <> excluded.alias;

-- name: touch
-- Mark a tool as changed: its aliases were.
UPDATE tools SET updated_at = clock_timestamp() WHERE tool_number = $1;

-- name: remove
-- Delete a tool with its aliases, mentions and cached aggregates.
DELETE FROM tools WHERE tool_number = $1;

-- name: set_merged
-- Let the mentions of a tool count for another; NULL: for itself.
UPDATE tools SET merged_into = $2 WHERE tool_number = $1;

-- name: put_merge
-- Note a merge.
INSERT INTO tool_merges (tool_number, target_number, merged_by) VALUES ($1, $2, $3);

-- name: undo_merge
-- Note that the last merge of a tool was undone; gives the target.
UPDATE tool_merges SET undone_at = now(), undone_by = $2 WHERE tool_number = $1 AND undone_at IS NULL
RETURNING target_number;

-- name: merges
-- The merges of a tool into others, and of others into it, the newest first.
SELECT merge_id, source.slug AS source, target.slug AS target, merged_at, merged_by, undone_at, undone_by
FROM tool_merges JOIN tools AS source USING (tool_number)
JOIN tools AS target ON target.tool_number = target_number
WHERE tool_merges.tool_number = $1 OR target_number = $1 ORDER BY merge_id DESC;

-- name: put_audit
-- Note a change of a tool.
INSERT INTO tool_audit (tool_id, action, before, after, changed_by) VALUES ($1, $2, $3, $4, $5);

-- name: audit
-- The changes of one tool, or of all, the newest first, after a cursor.
SELECT audit_id, tool_id, action, before, after, changed_by, changed_at FROM tool_audit
WHERE ($1::uuid IS NULL OR tool_id = $1) AND audit_id < $2 ORDER BY audit_id DESC LIMIT $3;

-- name: audited
-- The tool with an id or a slug that changed last, also one that was deleted.
SELECT tool_id FROM tool_audit WHERE tool_id = $1 OR coalesce(after, before) ->> 'slug' = $2
ORDER BY audit_id DESC LIMIT 1;

-- name: put_candidates
-- Keep names that look like tools.
INSERT INTO tool_candidates (name_key, name) SELECT * FROM unnest($1::text[], $2::text[]) AS found (name_key, name)
ORDER BY name_key ON CONFLICT (name_key) DO NOTHING;

-- name: drop_candidate_mentions
-- Forget the names of documents that are read again.
DELETE FROM candidate_mentions WHERE document_id = ANY ($1::bigint[]);

-- name: put_candidate_mentions
-- Note which documents have a name, how often; old events are not kept.
INSERT INTO candidate_mentions (name_key, document_id, event_at, mentions)
SELECT name_key, document_id, event_at, mentions
FROM unnest($1::text[], $2::bigint[], $3::timestamptz[], $4::int[]) AS found (name_key, document_id, event_at, mentions)
WHERE event_at > now() - $5::interval AND EXISTS (SELECT FROM documents WHERE documents.document_id = found.document_id)
ORDER BY name_key, document_id
ON CONFLICT (name_key, document_id) DO UPDATE SET event_at = excluded.event_at, mentions = excluded.mentions;

-- name: candidates
-- The names that were mentioned often enough since then and wait for a decision, the most mentioned first.
SELECT name_key, name, sum(mentions)::bigint AS mentions, count(*) AS documents, max(event_at) AS last_seen_at
FROM candidate_mentions JOIN tool_candidates USING (name_key)
WHERE event_at > $1 AND status = 'pending' GROUP BY name_key, name HAVING sum(mentions) >= $2
ORDER BY sum(mentions) DESC, name_key LIMIT 200;

-- name: decide_candidate
-- Approve or reject a name.
UPDATE tool_candidates SET status = $2, decided_by = $3, decided_at = now() WHERE name_key = $1 AND status = 'pending'
RETURNING name;

-- name: forget_candidate_mentions
-- Delete what was seen before then, and the names that nobody decided on and that are no longer seen.
WITH old AS (
    DELETE FROM candidate_mentions WHERE event_at < $1
)
DELETE FROM tool_candidates WHERE status = 'pending' AND NOT EXISTS (
    SELECT FROM candidate_mentions AS kept WHERE kept.name_key = tool_candidates.name_key AND kept.event_at >= $1);
