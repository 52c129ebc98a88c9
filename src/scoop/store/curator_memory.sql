-- name: find_urls
-- The URLs of documents by the form in which their slashes are dashes, without those at the end.
SELECT DISTINCT ON (readable_key) readable_key, canonical_url AS url
FROM documents CROSS JOIN LATERAL regexp_replace(replace(canonical_url, '/', '-'), '-+(\?|$)', '\1') AS spelt (readable_key)
WHERE readable_key = ANY ($1::text[]) ORDER BY readable_key, document_id;

-- name: put
-- Remember articles of another memory. One that the curator has met stays as it is, unless the other one has posted it.
WITH put AS (
    INSERT INTO evaluations AS own (topic_id, document_id, url, url_hash, article_title, state, reason, relevance_score,
        found_at, evaluated_at, notified_at, discord_message_id)
    SELECT $1, document_id, url, url_hash, coalesce(nullif(article_title, ''), title, url, readable_key),
        state::evaluation_state, reason, relevance_score, happened_at, CASE WHEN state = 'rejected' THEN happened_at END,
        CASE WHEN state = 'notified' THEN happened_at END, discord_message_id
    FROM unnest($2::text[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[], $8::smallint[], $9::timestamptz[],
        $10::text[]) AS remembered (url, url_hash, readable_key, article_title, state, reason, relevance_score, happened_at,
        discord_message_id)
    LEFT JOIN LATERAL (SELECT document_id, title FROM documents JOIN story_members USING (document_id)
        WHERE canonical_url_hash = url_hash ORDER BY document_id LIMIT 1) AS gathered ON true
    ON CONFLICT ON CONSTRAINT uq_evaluations DO UPDATE SET state = 'notified', reason = NULL,
        notified_at = excluded.notified_at, discord_message_id = excluded.discord_message_id,
        relevance_score = coalesce(excluded.relevance_score, own.relevance_score)
    WHERE excluded.state = 'notified' AND own.state <> 'notified'
    RETURNING state
)
SELECT state::text AS state, count(*) FROM put GROUP BY state;

-- name: gathered
-- The articles about the events of these stories, and of those that a curator may post, if its memory has articles without
-- a document.
SELECT DISTINCT story_id, coverage_id AS event_id, document_id, documents.title AS article_title,
    documents.canonical_url AS url, documents.canonical_url_hash AS url_hash
FROM stories JOIN story_members USING (story_id) JOIN documents USING (document_id)
WHERE EXISTS (SELECT FROM evaluations WHERE topic_id = $1 AND document_id IS NULL)
    AND documents.canonical_url IS NOT NULL AND stories.status <> 'merged' AND coverage_id IN (
        SELECT coverage_id FROM stories WHERE story_id = ANY ($2::bigint[])
        UNION
        SELECT coverage_id FROM evaluations JOIN story_members USING (document_id) JOIN stories USING (story_id)
        WHERE topic_id = $1 AND state IN ('waiting', 'relevant'));

-- name: recognised
-- The articles without a document that are these, by their URL or by its form in which slashes are dashes.
SELECT DISTINCT ON (evaluation_id) evaluation_id, state::text AS state, reason, position
FROM unnest($2::bytea[], $3::bytea[]) WITH ORDINALITY AS met (url_hash, readable_hash, position)
JOIN evaluations AS own ON own.url_hash IN (met.url_hash, met.readable_hash)
WHERE own.topic_id = $1 AND own.document_id IS NULL
    AND (own.url_hash = met.url_hash OR NOT EXISTS (
        SELECT FROM evaluations AS other WHERE other.topic_id = $1 AND other.url_hash = met.url_hash))
ORDER BY evaluation_id, position;

-- name: adopt
-- Give articles without a document theirs, with its URL and title.
UPDATE evaluations AS own SET document_id = met.document_id, url = met.url, url_hash = met.url_hash,
    article_title = CASE WHEN own.article_title ~ '^https?:' THEN met.article_title ELSE own.article_title END
FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bytea[], $5::text[])
    AS met (evaluation_id, document_id, url, url_hash, article_title)
WHERE own.evaluation_id = met.evaluation_id AND own.document_id IS NULL;

-- name: mark_posted
-- Mark the stories of these articles as posted if another program posted them, which lasts when the articles are forgotten.
INSERT INTO story_topic_state AS state
    (story_id, topic_id, first_seen_in_topic_at, first_published_at, last_published_at, publish_count)
SELECT story_id, $1, min(notified_at), min(notified_at), max(notified_at), 1
FROM evaluations JOIN story_members USING (document_id)
WHERE topic_id = $1 AND evaluations.url_hash = ANY ($2::bytea[]) AND state = 'notified' GROUP BY story_id
ON CONFLICT (story_id, topic_id) DO UPDATE SET publish_count = 1,
    first_seen_in_topic_at = least(state.first_seen_in_topic_at, excluded.first_seen_in_topic_at),
    first_published_at = excluded.first_published_at, last_published_at = excluded.last_published_at, updated_at = now()
WHERE state.publish_count = 0;
