-- name: lock
-- Wait until nobody else changes the stories of a collection; held until the transaction ends.
SELECT pg_advisory_xact_lock($1, hashtext($2));

-- name: story
-- A story as a decision sees it, with its documents and the stories that point at it.
SELECT story_id, collection, merged_into, first_seen_at, representative_document_id,
    ARRAY(SELECT document_id FROM story_members WHERE story_members.story_id = stories.story_id ORDER BY 1) AS document_ids,
    ARRAY(SELECT pointing.story_id FROM stories AS pointing WHERE pointing.merged_into = stories.story_id ORDER BY 1) AS pointing_ids
FROM stories WHERE story_id = $1;

-- name: homes
-- The collections and stories of documents.
SELECT document_id, collection, story_id FROM documents LEFT JOIN story_members USING (document_id)
WHERE document_id = ANY ($1::bigint[]) ORDER BY document_id;

-- name: best_link
-- The best link between documents of two stories, as the deciding model has it.
SELECT one_id, other_id FROM document_links JOIN embedding_models USING (model_id)
WHERE is_active AND (one_id = ANY ($1::bigint[]) AND other_id = ANY ($2::bigint[])
    OR one_id = ANY ($2::bigint[]) AND other_id = ANY ($1::bigint[]))
ORDER BY probability DESC, one_id, other_id LIMIT 1;

-- name: binding
-- The latest decision that says of documents on two sides that they are, or are not, one story.
SELECT max(decision_id) FROM story_verdicts
WHERE undone_at IS NULL AND is_same = $3 AND (one_document_id = ANY ($1::bigint[]) AND other_document_id = ANY ($2::bigint[])
    OR one_document_id = ANY ($2::bigint[]) AND other_document_id = ANY ($1::bigint[]));

-- name: decide
-- Append a decision.
INSERT INTO story_decisions (action, collection, story_id, other_story_id, document_ids, pointing_ids, note, decided_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING decision_id;

-- name: put_verdicts
-- What a decision says of pairs of documents.
INSERT INTO story_verdicts (decision_id, is_same, one_document_id, other_document_id)
SELECT $1, $2, one_id, other_id FROM unnest($3::bigint[], $4::bigint[]) AS pair (one_id, other_id);

-- name: record
-- Append the event that a person moved documents from one story to another.
INSERT INTO dedup_events (document_id, decision, chosen_story_id, best_candidate_story_id, details)
SELECT document_id, $2::text::dedup_decision, $3, $4, $5 FROM unnest($1::bigint[]) AS moved (document_id) ORDER BY document_id;

-- name: open
-- A story for documents that leave theirs; it is counted once they are there.
INSERT INTO stories (collection, canonical_title, canonical_url, canonical_url_hash, representative_document_id,
    first_seen_at, last_seen_at, sources, publisher_families)
SELECT collection, title, canonical_url, canonical_url_hash, document_id, seen_at, seen_at, ARRAY[source], ARRAY[publisher_family]
FROM documents WHERE document_id = $1 RETURNING story_id;

-- name: take_out
-- Documents go to a story because a person says so; how they had come to theirs is kept for an undo.
UPDATE story_members SET story_id = $2, match_type = 'manual', match_score = NULL, match_details = jsonb_build_object(
    'signal', 'manual', 'before', jsonb_build_object(
        'match_type', match_type, 'match_score', match_score, 'match_details', match_details))
WHERE document_id = ANY ($1::bigint[]);

-- name: followers
-- Of the documents that a decision moved those still in this story, and those that joined it for their sake since.
WITH RECURSIVE following (document_id) AS (
    SELECT document_id FROM story_members WHERE story_id = $1 AND document_id = ANY ($2::bigint[])
    UNION
    SELECT member.document_id FROM following JOIN story_members AS member
        ON member.story_id = $1 AND member.matched_at > $3
        AND (member.match_details ->> 'matched_document_id')::bigint = following.document_id
)
SELECT document_id FROM following ORDER BY document_id;

-- name: move
-- Documents go to another story.
UPDATE story_members SET story_id = $2 WHERE document_id = ANY ($1::bigint[]);

-- name: restore
-- Documents that had been taken out of their story are there as before.
UPDATE story_members SET match_type = (match_details -> 'before' ->> 'match_type')::story_match_type,
    match_score = (match_details -> 'before' ->> 'match_score')::float8,
    match_details = nullif(match_details -> 'before' -> 'match_details', 'null')
WHERE document_id = ANY ($1::bigint[]) AND match_details ? 'before';

-- name: revive
-- A merged story lives again, and those that had been merged into it point at it again.
UPDATE stories SET status = CASE story_id WHEN $1 THEN 'active' ELSE status END,
    merged_into = CASE story_id WHEN $1 THEN NULL ELSE $1 END
WHERE story_id = $1 OR (story_id = ANY ($2::bigint[]) AND status = 'merged');

-- name: undo
-- End what a decision says of documents; gives nothing where that was done before.
UPDATE story_verdicts SET undone_at = now(), undone_by = $2 WHERE decision_id = $1 AND undone_at IS NULL RETURNING verdict_id;

-- name: decisions
-- What people decided, the latest first: all, those of one collection, or the one of this number.
SELECT decision_id, action, story_decisions.collection, story_decisions.story_id, other_story_id, document_ids, pointing_ids,
    note, decided_at, decided_by, undone_at, coalesce(undone_by, '') AS undone_by, stories.canonical_title AS title, other.canonical_title AS other_title,
    stories.story_uuid::text AS story_uuid, other.story_uuid::text AS other_story_uuid
FROM story_decisions JOIN stories USING (story_id) JOIN stories AS other ON other.story_id = other_story_id
LEFT JOIN LATERAL (SELECT max(undone_at) AS undone_at, max(undone_by) AS undone_by FROM story_verdicts
    WHERE story_verdicts.decision_id = story_decisions.decision_id) AS ended ON true
WHERE ($1::bigint IS NULL OR decision_id = $1) AND ($2::text IS NULL OR story_decisions.collection = $2)
    AND decision_id < $4
ORDER BY decision_id DESC LIMIT $3;

-- name: verdicts
-- What binds these documents, or any document of these stories.
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

-- name: gray
-- Pairs of stories that are linked and not decided on, by their best link. Those come first that matter most: told by
-- many publishers, left undecided by the probability, and seen lately, where every week counts half.
WITH linked AS (
    SELECT DISTINCT ON (least(ours.story_id, theirs.story_id), greatest(ours.story_id, theirs.story_id))
        least(ours.story_id, theirs.story_id) AS one_story_id, greatest(ours.story_id, theirs.story_id) AS other_story_id,
        one_id, other_id, probability
    FROM document_links
    JOIN story_members AS ours ON ours.document_id = one_id
    JOIN story_members AS theirs ON theirs.document_id = other_id AND theirs.story_id <> ours.story_id
    WHERE model_id = $1 AND probability >= $2
    ORDER BY 1, 2, probability DESC, one_id, other_id
), decided AS (
    SELECT least(ours.story_id, theirs.story_id) AS one_story_id, greatest(ours.story_id, theirs.story_id) AS other_story_id
    FROM story_verdicts
    JOIN story_members AS ours ON ours.document_id = one_document_id
    JOIN story_members AS theirs ON theirs.document_id = other_document_id
    WHERE undone_at IS NULL
), chosen AS (
    SELECT one.collection, one_id, other_id, one.item_count + other.item_count AS items, count(*) OVER () AS waiting,
        (one.publisher_family_count + other.publisher_family_count) * 4 * probability * (1 - probability)
            * 0.5 ^ least(greatest(extract(epoch FROM $5 - greatest(one.last_seen_at, other.last_seen_at)) / 604800, 0), 100)
            AS matters
    FROM linked
    JOIN stories AS one ON one.story_id = linked.one_story_id
    JOIN stories AS other ON other.story_id = linked.other_story_id
    WHERE one.status = 'active' AND other.status = 'active' AND ($3::text IS NULL OR one.collection = $3) AND NOT EXISTS (
        SELECT FROM decided
        WHERE decided.one_story_id = linked.one_story_id AND decided.other_story_id = linked.other_story_id)
    ORDER BY matters DESC, items DESC, one_id, other_id LIMIT $4 OFFSET $6
)
SELECT collection, one_id, other_id, probability, signals, matters, waiting
FROM chosen JOIN document_links USING (one_id, other_id)
ORDER BY matters DESC, items DESC, one_id, other_id;

-- name: sides
-- Documents as the review shows them, with the stories that they belong to.
SELECT document_id, title, source, documents.canonical_url AS url, seen_at, story_id, item_count, publisher_family_count
FROM documents JOIN story_members USING (document_id) JOIN stories USING (story_id)
WHERE document_id = ANY ($1::bigint[]);

-- name: labels
-- Each pair that people decided on, with its link by a model, if there is one.
SELECT DISTINCT ON (one_document_id, other_document_id) one_document_id, other_document_id, is_same, probability, signals
FROM story_verdicts LEFT JOIN document_links ON one_id = one_document_id AND other_id = other_document_id AND model_id = $1
WHERE undone_at IS NULL ORDER BY one_document_id, other_document_id, verdict_id DESC;
