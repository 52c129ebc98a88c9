-- name: lock
-- Let only one update choose articles at a time.
SELECT pg_advisory_xact_lock(hashtextextended('news_update', 0));

-- name: candidates
-- The best article in English of each active event that was seen in a period, of these topics or of all: that of the story
-- that leads it, else the longest.
SELECT DISTINCT ON (event_id) document_id, event_id, documents.title, events.publisher_family_count AS publishers,
    events.last_seen_at, weights.weight,
    document_id IN (SELECT document_id FROM listening_articles)
        OR article_id IN (SELECT article_id FROM documents WHERE document_id IN (SELECT document_id FROM listening_articles))
        OR EXISTS (
            SELECT FROM listening_articles JOIN story_members AS member USING (document_id)
            JOIN stories AS known ON known.story_id = member.story_id WHERE known.coverage_id = event_id) AS is_chosen
FROM events JOIN stories ON coverage_id = event_id JOIN story_members USING (story_id) JOIN documents USING (document_id)
CROSS JOIN LATERAL (
    SELECT coalesce(max(state.weight), 0) AS weight, count(*) AS topics FROM story_topic_state AS state
    JOIN stories AS part ON part.story_id = state.story_id JOIN topics USING (topic_id)
    WHERE part.coverage_id = event_id AND part.status = 'active' AND NOT state.suppressed
        AND topics.enabled AND NOT topics.is_hidden
        AND (cardinality($3::text[]) = 0 OR topic_slug = ANY ($3))) AS weights
WHERE events.status = 'active' AND stories.status = 'active' AND events.last_seen_at >= $1 AND events.last_seen_at < $2
    AND (cardinality($3::text[]) = 0 OR topics > 0)
    AND normalized_language LIKE 'en%' AND content_problem IS NULL AND token_count >= $4
    AND (documents.source, documents.collection) NOT IN (SELECT source, collection FROM hidden_sources)
ORDER BY event_id, stories.story_id = lead_story_id DESC, document_id = representative_document_id DESC, token_count DESC,
    document_id;

-- name: bodies
-- The texts of some documents.
SELECT document_id, body_text FROM documents WHERE document_id = ANY ($1);

-- name: put
-- Choose articles for a date.
INSERT INTO listening_articles (document_id, chosen_on, score)
SELECT document_id, $1, score FROM unnest($2::bigint[], $3::real[]) AS chosen (document_id, score)
ON CONFLICT (document_id) DO NOTHING;

-- name: count
-- How many articles were chosen for a date.
SELECT count(*) FROM listening_articles WHERE chosen_on = $1;

-- name: chosen
-- The articles that were chosen for a date, the best first.
SELECT document_id FROM listening_articles WHERE chosen_on = $1 ORDER BY score DESC, document_id;

-- name: state
-- The state of the daily update.
SELECT job_name, last_run_at, last_run_date_jst, status, saved, skipped_duplicates, error, failed_since, updated_at
FROM news_update_state WHERE job_name = 'news_update';

-- name: put_state
-- Store the state of the daily update.
INSERT INTO news_update_state (job_name, last_run_at, last_run_date_jst, status, saved, skipped_duplicates, error,
    failed_since, updated_at)
VALUES ('news_update', $1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (job_name) DO UPDATE SET last_run_at = $1, last_run_date_jst = $2, status = $3, saved = $4,
    skipped_duplicates = $5, error = $6, failed_since = $7, updated_at = $8;

-- name: failing_searches
-- The web searches whose last visit failed: they bring no articles.
SELECT name, health::text AS health, health_note FROM sources
WHERE kind = $1 AND enabled AND health NOT IN ('new', 'ok', 'not_modified', 'empty') ORDER BY slug;

-- name: searches
-- The enabled web searches.
SELECT source_id FROM sources WHERE kind = $1 AND enabled ORDER BY source_id;

-- name: unasked
-- Which of these levels nobody has asked for yet, of the articles that were chosen since a date.
SELECT document_id, level FROM listening_articles CROSS JOIN unnest($2::text[]) AS wanted (level)
WHERE chosen_on >= $1 AND NOT EXISTS (
    SELECT FROM briefs WHERE kind = 'lesson' AND subject_kind = 'document' AND subject_id = document_id
        AND briefs.level = wanted.level)
ORDER BY chosen_on DESC, score DESC, document_id, level LIMIT $3;

-- name: levels_of_learners
-- The levels that learners have.
SELECT DISTINCT level FROM learners ORDER BY level;
