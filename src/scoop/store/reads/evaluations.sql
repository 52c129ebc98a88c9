-- name: day
-- The articles of a curator on a day, by score: posted or rejected that day, relevant since a moment, or waiting.
SELECT evaluation_id, document_id, article_id, evaluations.url, article_title, state::text AS state, reason, relevance_score,
    score_parts, matching_topics, summary, reasoning, is_ai_generated, provider, found_at, evaluated_at, notified_at,
    coalesce(normalized_language, 'und') AS language, seen_at,
    coalesce((SELECT name FROM publishers WHERE family = publisher_family), publisher_family) AS publisher_name,
    (SELECT is_wanted FROM evaluation_labels AS label
        WHERE label.topic_id = evaluations.topic_id AND label.document_id = evaluations.document_id) AS is_wanted,
    CASE WHEN state = 'waiting' THEN (
        SELECT problem FROM briefs WHERE briefs.kind = 'evaluation' AND subject_kind = 'evaluation'
            AND subject_id = evaluation_id LIMIT 1) END AS problem
FROM evaluations LEFT JOIN documents USING (document_id)
WHERE topic_id = $1 AND (
        (state IN ('rejected', 'notified') AND coalesce(notified_at, evaluated_at) >= $2
            AND coalesce(notified_at, evaluated_at) < $3)
        OR (state = 'relevant' AND evaluated_at >= $4 AND evaluated_at < $3)
        OR (state = 'waiting' AND $5))
    AND ($6::text IS NULL OR state::text = $6) AND ($7::text IS NULL OR reason = $7)
    AND (coalesce(relevance_score, -1), evaluation_id) < ($8::bigint, $9::bigint)
ORDER BY coalesce(relevance_score, -1) DESC, evaluation_id DESC LIMIT $10;

-- name: counts
-- How many articles of curators a day has, by state and reason; with the bounds of `day` for each of them.
SELECT topic_id, state::text AS state, reason, count(*)
FROM unnest($1::integer[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::boolean[])
    AS bounds (topic_id, since, until, relevant_since, has_waiting)
JOIN evaluations USING (topic_id)
WHERE (state IN ('rejected', 'notified') AND coalesce(notified_at, evaluated_at) >= since
        AND coalesce(notified_at, evaluated_at) < until)
    OR (state = 'relevant' AND evaluated_at >= relevant_since AND evaluated_at < until)
    OR (state = 'waiting' AND has_waiting)
GROUP BY topic_id, state, reason;

-- name: verdicts
-- What curators decided on documents, the best score first.
SELECT document_id, topic_slug, topic_name, state::text AS state, reason, relevance_score, matching_topics
FROM evaluations JOIN topics USING (topic_id)
WHERE document_id = ANY ($1::bigint[]) AND NOT is_hidden
ORDER BY relevance_score DESC NULLS LAST, topic_name, evaluation_id;
