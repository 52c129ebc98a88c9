-- name: articles
-- The articles that were chosen for learners and whose date is not before a moment, the newest first, with the levels of
-- their lessons.
SELECT document_id, article_id, documents.title, documents.source, (
        SELECT name FROM source_names WHERE source_names.source = documents.source) AS source_name,
    documents.canonical_url AS url, published_at, documents.fetched_at, (
        SELECT greatest(documents.fetched_at, raw_arrivals.fetched_at) FROM raw_arrivals
        WHERE raw_arrivals.raw_arrival_id = documents.raw_arrival_id) AS last_fetched_at,
    coalesce(summary.summary_text, left(body_text, $4)) AS summary, chosen_on, event_uuid, documents.created_at,
    documents.updated_at, documents.content_hash, normalized_language AS language, token_count AS word_count,
    ARRAY(SELECT level FROM lessons WHERE subject_kind = 'document' AND subject_id = document_id ORDER BY level) AS levels
FROM listening_articles JOIN documents USING (document_id)
    LEFT JOIN story_members USING (document_id) LEFT JOIN stories USING (story_id) LEFT JOIN events ON event_id = coverage_id
    LEFT JOIN LATERAL (
        SELECT summary_text FROM summaries WHERE is_current AND subject_kind = 'document' AND subject_id = document_id
        ORDER BY language LIKE 'en%' DESC, summary_id DESC LIMIT 1) AS summary ON true
WHERE coalesce(published_at, documents.fetched_at) >= $1 AND chosen_on >= $2
    AND (documents.source, documents.collection) NOT IN (SELECT source, collection FROM hidden_sources)
ORDER BY coalesce(published_at, documents.fetched_at) DESC, document_id DESC LIMIT $3;

-- name: article
-- The article of a public id, whether it was chosen or not: of the first site that has it, one with a lesson before others.
SELECT document_id, article_id, documents.title, documents.source, (
        SELECT name FROM source_names WHERE source_names.source = documents.source) AS source_name,
    documents.canonical_url AS url, published_at, documents.fetched_at, (
        SELECT greatest(documents.fetched_at, raw_arrivals.fetched_at) FROM raw_arrivals
        WHERE raw_arrivals.raw_arrival_id = documents.raw_arrival_id) AS last_fetched_at,
    coalesce(summary.summary_text, left(body_text, $2)) AS summary, chosen_on, event_uuid, documents.created_at,
    documents.updated_at, documents.content_hash, normalized_language AS language, token_count AS word_count, levels
FROM documents LEFT JOIN listening_articles USING (document_id)
    LEFT JOIN story_members USING (document_id) LEFT JOIN stories USING (story_id) LEFT JOIN events ON event_id = coverage_id
    LEFT JOIN LATERAL (
        SELECT summary_text FROM summaries WHERE is_current AND subject_kind = 'document' AND subject_id = document_id
        ORDER BY language LIKE 'en%' DESC, summary_id DESC LIMIT 1) AS summary ON true
    CROSS JOIN LATERAL (
        SELECT ARRAY(SELECT level FROM lessons WHERE subject_kind = 'document' AND subject_id = document_id ORDER BY level)
            AS levels) AS made
WHERE article_id = $1 AND (documents.source, documents.collection) NOT IN (SELECT source, collection FROM hidden_sources)
ORDER BY cardinality(levels) = 0, chosen_on NULLS LAST, content_problem IS NOT NULL, token_count = 0, seen_at, document_id
LIMIT 1;

-- name: rows
-- The lessons that were asked for, the latest first, each with what was made.
SELECT listed.* FROM (
    SELECT briefs.brief_id, briefs.subject_kind, briefs.subject_id, briefs.level, asked_at,
        coalesce(documents.article_id, events.event_uuid::text) AS article_id,
        coalesce(documents.title, stories.canonical_title, '') AS title,
        CASE WHEN lessons.lesson_id IS NOT NULL THEN 'made' WHEN problem IS NOT NULL THEN 'failed' ELSE 'pending' END AS state,
        problem, work.due_at AS next_try_at, lessons.lesson_id, lessons.measured_level, lessons.score, lessons.word_count,
        jsonb_array_length(lessons.findings) AS finding_count, lessons.provider, lessons.model, lessons.prompt_version,
        lessons.created_at
    FROM briefs
    LEFT JOIN documents ON briefs.subject_kind = 'document' AND document_id = briefs.subject_id
    LEFT JOIN events ON briefs.subject_kind = 'event' AND events.event_id = briefs.subject_id
    LEFT JOIN stories ON stories.story_id = events.lead_story_id
    LEFT JOIN lessons ON lessons.subject_kind = briefs.subject_kind AND lessons.subject_id = briefs.subject_id
        AND lessons.level = briefs.level
    LEFT JOIN work ON work.stage = $4 AND work.subject = briefs.brief_id
    WHERE briefs.kind = 'lesson') AS listed
WHERE ($1::text IS NULL OR state = $1) AND ($2::text IS NULL OR level = $2)
ORDER BY asked_at DESC, brief_id DESC LIMIT $3;
