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
    LEFT JOIN LATERAL (SELECT document_id, title FROM documents WHERE canonical_url_hash = url_hash
        ORDER BY document_id LIMIT 1) AS gathered ON true
    ON CONFLICT ON CONSTRAINT uq_evaluations DO UPDATE SET state = 'notified', reason = NULL,
        notified_at = excluded.notified_at, discord_message_id = excluded.discord_message_id,
        relevance_score = coalesce(excluded.relevance_score, own.relevance_score)
    WHERE excluded.state = 'notified' AND own.state <> 'notified'
    RETURNING state
)
SELECT state::text AS state, count(*) FROM put GROUP BY state;

-- name: adopt
-- Give articles without a document theirs, by their URL or by its form in which slashes are dashes.
UPDATE evaluations AS own SET document_id = met.document_id, url = met.url, url_hash = met.url_hash,
    article_title = CASE WHEN own.article_title ~ '^https?:' THEN met.article_title ELSE own.article_title END
FROM unnest($2::bytea[], $3::bytea[], $4::bigint[], $5::text[], $6::text[])
    AS met (url_hash, readable_hash, document_id, url, article_title)
WHERE own.topic_id = $1 AND own.document_id IS NULL AND own.url_hash IN (met.url_hash, met.readable_hash)
    AND (own.url_hash = met.url_hash OR NOT EXISTS (
        SELECT FROM evaluations AS other WHERE other.topic_id = $1 AND other.url_hash = met.url_hash));
