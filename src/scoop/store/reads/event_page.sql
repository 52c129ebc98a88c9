-- name: outline
-- The publishers of an event's first `$2` documents, each with these in order of appearance; `seen_at` are seconds since 1970.
-- Of an active event the documents of suppressed stories are left out.
SELECT publisher_family, array_agg(document_id ORDER BY seen_at, document_id) AS document_ids,
    array_agg(story_id ORDER BY seen_at, document_id) AS story_ids,
    array_agg(extract(epoch FROM seen_at)::float8 ORDER BY seen_at, document_id) AS seen_at
FROM (
    SELECT document_id, story_id, publisher_family, seen_at
    FROM events JOIN stories ON coverage_id = event_id JOIN story_members USING (story_id) JOIN documents USING (document_id)
    WHERE event_id = $1 AND stories.status <> 'merged' AND stories.status = events.status ORDER BY seen_at, document_id LIMIT $2
) AS first GROUP BY publisher_family;

-- name: documents_by_id
-- Documents of an event by their numbers, in the order of these.
SELECT story_id, story_uuid, document_id, article_id, source, source_item_id, documents.canonical_url AS url, title,
    normalized_language AS language, publisher_family, published_at, seen_at, match_type::text AS match_type, match_score,
    match_details, (SELECT name FROM source_names WHERE source_names.source = documents.source) AS source_name
FROM unnest($1::bigint[]) WITH ORDINALITY AS asked (document_id, place)
JOIN story_members USING (document_id) JOIN stories USING (story_id) JOIN documents USING (document_id) ORDER BY place;

-- name: lead_document
-- The document that represents a story.
SELECT representative_document_id FROM stories WHERE story_id = $1;

-- name: stories_of_documents
-- The stories of documents, the lead first, then in order of appearance.
SELECT story_rows.* FROM story_rows WHERE story_id IN (
    SELECT story_id FROM story_members WHERE document_id = ANY ($1::bigint[]))
ORDER BY story_id = $2 DESC, first_seen_at, story_id;

-- name: topic_states
-- The topics of an event's stories: when each published one last, and whether it suppresses all of them.
SELECT topic_slug, topic_name, sum(publish_count)::int AS publish_count, max(last_published_at) AS last_published_at,
    bool_and(suppressed) AS suppressed, max(suppression_reason) AS suppression_reason
FROM events JOIN stories ON coverage_id = event_id JOIN story_topic_state USING (story_id) JOIN topics USING (topic_id)
WHERE event_id = $1 AND stories.status <> 'merged' AND stories.status = events.status GROUP BY topic_slug, topic_name ORDER BY topic_name, topic_slug;

-- name: digests
-- The published digests with a story of an event, or one that was merged into such a story; the latest first.
WITH ours AS (
    SELECT story_id FROM stories WHERE coverage_id = $1 AND status <> 'merged'
), published AS (
    SELECT story_id FROM ours UNION SELECT merged.story_id FROM ours JOIN stories AS merged ON merged.merged_into = ours.story_id
)
SELECT DISTINCT topic_slug, topic_name, run_date
FROM published JOIN digest_entries USING (story_id) JOIN digest_runs USING (digest_run_id) JOIN topics USING (topic_id)
WHERE digest_runs.published_at IS NOT NULL AND rank IS NOT NULL ORDER BY run_date DESC, topic_name LIMIT $2;

-- name: decisions
-- The decisions of people about an event or its stories that were not undone, the latest first.
WITH ours AS (
    SELECT story_id FROM stories WHERE coverage_id = $1 AND status <> 'merged'
)
SELECT decision_id, action, story_decisions.collection, story_decisions.story_id, other_story_id, document_ids, pointing_ids,
    note, decided_at, decided_by, undone_at, undone_by, stories.canonical_title AS title, other.canonical_title AS other_title,
    stories.story_uuid::text AS story_uuid, other.story_uuid::text AS other_story_uuid, event_id
FROM story_decisions JOIN stories USING (story_id) LEFT JOIN stories AS other ON other.story_id = other_story_id
WHERE undone_at IS NULL AND (event_id = $1 OR story_decisions.story_id IN (SELECT story_id FROM ours)
    OR other_story_id IN (SELECT story_id FROM ours))
ORDER BY decision_id DESC LIMIT $2;
