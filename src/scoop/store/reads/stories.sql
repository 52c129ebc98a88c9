-- name: related
-- The stories of the same coverage, and others that are linked to this one, each with its best link by the active model.
-- Only the newest documents of a large story are read.
WITH linked AS (
    SELECT DISTINCT ON (theirs.story_id) theirs.story_id, probability, found.signals AS signs
    FROM (SELECT document_id FROM story_members WHERE story_id = $1 ORDER BY document_id DESC LIMIT $3) AS ours
    CROSS JOIN LATERAL (
        SELECT other_id AS document_id, model_id, probability, signals FROM document_links WHERE one_id = ours.document_id
        UNION ALL
        SELECT one_id, model_id, probability, signals FROM document_links WHERE other_id = ours.document_id
    ) AS found
    JOIN story_members AS theirs ON theirs.document_id = found.document_id AND theirs.story_id <> $1
    WHERE probability >= $2 AND model_id = (SELECT model_id FROM embedding_models WHERE is_active)
    ORDER BY theirs.story_id, probability DESC
), company AS (
    SELECT story_id FROM stories
    WHERE coverage_id = (SELECT coverage_id FROM stories WHERE story_id = $1) AND story_id <> $1
)
SELECT story_rows.*, probability, signs, company.story_id IS NOT NULL AS is_company
FROM linked FULL JOIN company USING (story_id) JOIN story_rows USING (story_id)
WHERE status = 'active' ORDER BY is_company DESC, probability DESC NULLS LAST, last_seen_at DESC, story_id LIMIT $4;

-- name: decisions
-- The decisions of people about a story that were not undone, the latest first.
SELECT decision_id, action, story_decisions.collection, story_decisions.story_id, other_story_id, document_ids, pointing_ids,
    note, decided_at, decided_by, NULL::timestamptz AS undone_at, '' AS undone_by, stories.canonical_title AS title,
    other.canonical_title AS other_title,
    stories.story_uuid::text AS story_uuid, other.story_uuid::text AS other_story_uuid
FROM story_decisions JOIN stories USING (story_id) JOIN stories AS other ON other.story_id = other_story_id
WHERE (story_decisions.story_id = $1 OR other_story_id = $1) AND EXISTS (
    SELECT FROM story_verdicts WHERE story_verdicts.decision_id = story_decisions.decision_id AND undone_at IS NULL)
ORDER BY decision_id DESC LIMIT $2;

-- name: topics
-- The topics of a story, with when each published it and whether it suppresses it.
SELECT topic_slug, topic_name, publish_count, last_published_at, suppressed, suppression_reason
FROM story_topic_state JOIN topics USING (topic_id) WHERE story_id = $1 ORDER BY topic_name, topic_slug;

-- name: stories
-- The stories before a cursor, the latest first: of one collection or all, with these words in the title or any. The rows
-- are chosen before their documents are read, so that an offset skips without reading any.
SELECT story_rows.* FROM (
    SELECT story_id FROM stories
    WHERE status = 'active' AND last_seen_at >= $1 AND (last_seen_at, story_id) < ($2, $3)
        AND ($4::text IS NULL OR collection = $4) AND ($5::text IS NULL OR canonical_title ILIKE $5)
    ORDER BY last_seen_at DESC, story_id DESC LIMIT $6 OFFSET $7
) AS part JOIN story_rows USING (story_id)
ORDER BY last_seen_at DESC, story_id DESC;

-- name: story
-- One story by its number or its public id.
SELECT * FROM story_rows WHERE story_id = $1 OR story_uuid = $2;

-- name: text
-- The text of the document that represents a story.
SELECT coalesce(body_text, '') FROM stories JOIN documents ON document_id = representative_document_id WHERE story_id = $1;

-- name: company
-- The other stories of the same coverage, the latest first.
SELECT * FROM story_rows
WHERE status = 'active' AND story_id IN (
    SELECT other.story_id FROM stories AS other JOIN stories AS this USING (coverage_id)
    WHERE this.story_id = $1 AND other.story_id <> $1)
ORDER BY last_seen_at DESC, story_id DESC LIMIT $2;

-- name: members
-- The documents of a story, in order of appearance.
SELECT document_id, article_id, source, source_item_id, canonical_url AS url, title, normalized_language AS language,
    publisher_family, published_at, seen_at, match_type::text AS match_type, match_score, match_details,
    (SELECT name FROM sources WHERE slug = source) AS source_name
FROM story_members JOIN documents USING (document_id)
WHERE story_id = $1 ORDER BY seen_at, document_id LIMIT $2;

-- name: by_ids
-- Stories by their numbers.
SELECT * FROM story_rows WHERE story_id = ANY ($1::bigint[]);

-- name: resolve_merged
-- The surviving story of each of these stories: itself, or the one that it became part of.
WITH RECURSIVE merge AS (
    SELECT story_id AS merged_id, story_id, merged_into FROM stories WHERE story_id = ANY ($1::bigint[])
    UNION
    SELECT merged_id, stories.story_id, stories.merged_into FROM merge JOIN stories ON stories.story_id = merge.merged_into
)
SELECT merged_id, story_id FROM merge WHERE merged_into IS NULL;
