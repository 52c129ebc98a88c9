-- name: lock
-- Lock the stories of a collection until the transaction ends.
SELECT pg_advisory_xact_lock($1, hashtext($2));

-- name: story
-- A story with its documents and the stories that were merged into it.
SELECT story_id, collection, coverage_id AS event_id, merged_into, first_seen_at, representative_document_id,
    ARRAY(SELECT document_id FROM story_members WHERE story_members.story_id = stories.story_id ORDER BY 1) AS document_ids,
    ARRAY(SELECT pointing.story_id FROM stories AS pointing WHERE pointing.merged_into = stories.story_id ORDER BY 1) AS pointing_ids
FROM stories WHERE story_id = $1;

-- name: homes
-- The collections and stories of documents.
SELECT document_id, collection, story_id FROM documents LEFT JOIN story_members USING (document_id)
WHERE document_id = ANY ($1::bigint[]) ORDER BY document_id;

-- name: best_link
-- The best link between documents of two stories, by the active model.
SELECT one_id, other_id FROM document_links JOIN embedding_models USING (model_id)
WHERE is_active AND (one_id = ANY ($1::bigint[]) AND other_id = ANY ($2::bigint[])
    OR one_id = ANY ($2::bigint[]) AND other_id = ANY ($1::bigint[]))
ORDER BY probability DESC, one_id, other_id LIMIT 1;

-- name: binding
-- The latest decision by which documents of two sides are, or are not, one story.
SELECT max(decision_id) FROM story_verdicts
WHERE undone_at IS NULL AND is_same = $3 AND (one_document_id = ANY ($1::bigint[]) AND other_document_id = ANY ($2::bigint[])
    OR one_document_id = ANY ($2::bigint[]) AND other_document_id = ANY ($1::bigint[]));

-- name: decide
-- Insert a decision.
INSERT INTO story_decisions (action, collection, story_id, other_story_id, document_ids, pointing_ids, note, decided_by, event_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING decision_id;

-- name: put_verdicts
-- Insert the verdicts of a decision on pairs of documents.
INSERT INTO story_verdicts (decision_id, is_same, one_document_id, other_document_id)
SELECT $1, $2, one_id, other_id FROM unnest($3::bigint[], $4::bigint[]) AS pair (one_id, other_id);

-- name: put_tie
-- Insert the tie of a decision: two documents that belong to one event.
INSERT INTO event_ties (decision_id, one_document_id, other_document_id) VALUES ($1, $2, $3);

-- name: event_stories
-- The stories of an event, the oldest first, with the documents that represent them.
SELECT story_id, representative_document_id FROM stories WHERE coverage_id = $1 AND status <> 'merged'
ORDER BY first_seen_at, story_id;

-- name: event_documents
-- The documents of an event.
SELECT document_id FROM stories JOIN story_members USING (story_id) WHERE coverage_id = $1 AND status <> 'merged';

-- name: own_event
-- The oldest of the events that these stories founded and that are merged into others.
SELECT min(event_id) FROM events WHERE event_id = ANY ($1::bigint[]) AND status = 'merged';

-- name: home
-- The event that a moved story goes back to: the one that it left, or the one that this was merged into. An event that the
-- move left empty is revived.
SELECT CASE WHEN is_emptied THEN event_id ELSE coalesce(merged_into, event_id) END AS event_id,
    is_emptied AND status = 'merged' AS is_revived
FROM events CROSS JOIN LATERAL (
    SELECT NOT EXISTS (SELECT FROM story_verdicts WHERE decision_id = $2) AS is_emptied) AS moved
WHERE event_id = $1;

-- name: active_of_event
-- The decisions of a kind about an event, and the events that were merged into it, that were not undone; the latest first.
SELECT decision_id, story_id FROM story_decisions
WHERE action = $2 AND undone_at IS NULL AND event_id IN (
    SELECT event_id FROM events WHERE event_id = $1 OR merged_into = $1)
ORDER BY decision_id DESC;

-- name: record
-- Insert the events of documents that a person moved from one story to another.
INSERT INTO dedup_events (document_id, decision, chosen_story_id, best_candidate_story_id, details)
SELECT document_id, $2::text::dedup_decision, $3, $4, $5 FROM unnest($1::bigint[]) AS moved (document_id) ORDER BY document_id;

-- name: open
-- Insert a story for documents that are split from theirs, hidden if theirs is; it is recounted once they are moved.
INSERT INTO stories (story_id, coverage_id, collection, canonical_title, canonical_url, canonical_url_hash,
    representative_document_id, first_seen_at, last_seen_at, sources, publisher_families, status, suppressed_by)
SELECT new_id, new_id, documents.collection, title, documents.canonical_url, documents.canonical_url_hash, document_id, seen_at,
    seen_at, ARRAY[source], ARRAY[publisher_family], status, suppressed_by
FROM nextval('stories_story_id_seq') AS new_id CROSS JOIN documents JOIN story_members USING (document_id)
JOIN stories USING (story_id) WHERE document_id = $1 RETURNING story_id;

-- name: take_out
-- Move documents to a story by a decision; the way they had joined theirs is kept for an undo.
UPDATE story_members SET story_id = $2, match_type = 'manual', match_score = NULL, match_details = jsonb_build_object(
    'signal', 'manual', 'before', jsonb_build_object(
        'match_type', match_type, 'match_score', match_score, 'match_details', match_details))
WHERE document_id = ANY ($1::bigint[]);

-- name: followers
-- The documents of a decision that are still in a story, and those that joined it since because of them.
WITH RECURSIVE following (document_id) AS (
    SELECT document_id FROM story_members WHERE story_id = $1 AND document_id = ANY ($2::bigint[])
    UNION
    SELECT member.document_id FROM following JOIN story_members AS member
        ON member.story_id = $1 AND member.matched_at > $3
        AND (member.match_details ->> 'matched_document_id')::bigint = following.document_id
)
SELECT document_id FROM following ORDER BY document_id;

-- name: move
-- Move documents to another story.
UPDATE story_members SET story_id = $2 WHERE document_id = ANY ($1::bigint[]);

-- name: restore
-- Restore the way in which documents had joined their story.
UPDATE story_members SET match_type = (match_details -> 'before' ->> 'match_type')::story_match_type,
    match_score = (match_details -> 'before' ->> 'match_score')::float8,
    match_details = nullif(match_details -> 'before' -> 'match_details', 'null')
WHERE document_id = ANY ($1::bigint[]) AND match_details ? 'before';

-- name: revive
-- Revive a merged story, hidden if a person suppressed it or the story that it was merged into ($3); those that had been
-- merged into it point at it again.
UPDATE stories SET status = CASE WHEN stories.story_id <> $1 THEN stories.status
        WHEN coalesce(stories.suppressed_by, here.suppressed_by) IS NULL THEN 'active' ELSE 'suppressed' END,
    merged_into = CASE stories.story_id WHEN $1 THEN NULL ELSE $1 END,
    suppressed_by = CASE stories.story_id WHEN $1 THEN coalesce(stories.suppressed_by, here.suppressed_by)
        ELSE stories.suppressed_by END
FROM stories AS here
WHERE here.story_id = $3
    AND (stories.story_id = $1 OR (stories.story_id = ANY ($2::bigint[]) AND stories.status = 'merged'));

-- name: undo
-- End a decision with its verdicts and ties; no row if that was done before.
WITH ended AS (
    UPDATE story_decisions SET undone_at = now(), undone_by = $2 WHERE decision_id = $1 AND undone_at IS NULL RETURNING decision_id
), ended_verdicts AS (
    UPDATE story_verdicts SET undone_at = now() FROM ended WHERE story_verdicts.decision_id = ended.decision_id
), ended_ties AS (
    UPDATE event_ties SET undone_at = now() FROM ended WHERE event_ties.decision_id = ended.decision_id
)
SELECT decision_id FROM ended;

-- name: decisions
-- The decisions of people before a cursor, the latest first: all, of one collection, or one of them.
SELECT decision_id, action, story_decisions.collection, story_decisions.story_id, other_story_id, document_ids, pointing_ids,
    note, decided_at, decided_by, undone_at, undone_by, stories.canonical_title AS title, other.canonical_title AS other_title,
    stories.story_uuid::text AS story_uuid, other.story_uuid::text AS other_story_uuid, event_id
FROM story_decisions JOIN stories USING (story_id) LEFT JOIN stories AS other ON other.story_id = other_story_id
WHERE (decision_id = $1 OR ($1::bigint IS NULL AND (stories.status <> 'suppressed' OR action = 'suppress')))
    AND ($2::text IS NULL OR story_decisions.collection = $2)
    AND decision_id < $4
ORDER BY decision_id DESC LIMIT $3;

-- name: verdicts
-- The verdicts on these documents, and on any document of these stories.
WITH concerned AS (
    SELECT unnest($1::bigint[]) AS document_id
    UNION SELECT document_id FROM story_members WHERE story_id = ANY ($2::bigint[])
), found AS (
    SELECT verdict_id FROM concerned JOIN story_verdicts ON one_document_id = document_id WHERE undone_at IS NULL
    UNION SELECT verdict_id FROM concerned JOIN story_verdicts ON other_document_id = document_id WHERE undone_at IS NULL
)
SELECT one_document_id, one.story_id AS one_story_id, other_document_id, other.story_id AS other_story_id, is_same
FROM found JOIN story_verdicts USING (verdict_id)
LEFT JOIN story_members AS one ON one.document_id = one_document_id
LEFT JOIN story_members AS other ON other.document_id = other_document_id
ORDER BY verdict_id;
