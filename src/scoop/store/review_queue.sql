-- name: gray
-- Linked, undecided pairs of stories, by their best link. Two stories of one publisher are left out, and those that are
-- both quiet since $7. The priority is higher with more publishers, for a probability near one half, and for recent
-- stories, with a half-life of a day.
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
    UNION
    SELECT least(ours.story_id, theirs.story_id), greatest(ours.story_id, theirs.story_id)
    FROM event_ties
    JOIN story_members AS ours ON ours.document_id = one_document_id
    JOIN story_members AS theirs ON theirs.document_id = other_document_id
    WHERE undone_at IS NULL
), chosen AS (
    SELECT one.collection, one_id, other_id, one.item_count + other.item_count AS items, count(*) OVER () AS waiting,
        (one.publisher_family_count + other.publisher_family_count) * 4 * probability * (1 - probability)
            * 0.5 ^ least(greatest(extract(epoch FROM $5 - greatest(one.last_seen_at, other.last_seen_at)) / 86400, 0), 100)
            AS matters
    FROM linked
    JOIN stories AS one ON one.story_id = linked.one_story_id
    JOIN stories AS other ON other.story_id = linked.other_story_id
    WHERE one.status = 'active' AND other.status = 'active' AND ($3::text IS NULL OR one.collection = $3)
        AND greatest(one.last_seen_at, other.last_seen_at) >= $7
        AND NOT (one.publisher_family_count = 1 AND one.publisher_families = other.publisher_families) AND NOT EXISTS (
        SELECT FROM decided
        WHERE decided.one_story_id = linked.one_story_id AND decided.other_story_id = linked.other_story_id)
    ORDER BY matters DESC, items DESC, one_id, other_id LIMIT $4 OFFSET $6
)
SELECT collection, one_id, other_id, probability, signals, matters, waiting
FROM chosen JOIN document_links USING (one_id, other_id)
ORDER BY matters DESC, items DESC, one_id, other_id;

-- name: sides
-- Documents with the counts of their stories.
SELECT document_id, title, source, (SELECT name FROM source_names WHERE source_names.source = documents.source) AS source_name,
    documents.canonical_url AS url, seen_at, story_id, item_count, publisher_family_count
FROM documents JOIN story_members USING (document_id) JOIN stories USING (story_id)
WHERE document_id = ANY ($1::bigint[]);

-- name: labels
-- Each pair of documents that a person decided on, with its link by a model, if there is one.
SELECT DISTINCT ON (one_document_id, other_document_id) one_document_id, other_document_id, is_same, probability, signals
FROM story_verdicts LEFT JOIN document_links ON one_id = one_document_id AND other_id = other_document_id AND model_id = $1
WHERE undone_at IS NULL AND NOT EXISTS (SELECT FROM pair_answers WHERE pair_answers.decision_id = story_verdicts.decision_id)
ORDER BY one_document_id, other_document_id, verdict_id DESC;
