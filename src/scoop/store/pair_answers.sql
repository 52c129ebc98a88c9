-- name: put_pairs
-- Store pairs of documents; gives the number of each, of known ones too.
WITH wanted AS (
    SELECT DISTINCT least(one_id, other_id) AS one_id, greatest(one_id, other_id) AS other_id
    FROM unnest($1::bigint[], $2::bigint[]) AS pair (one_id, other_id)
), added AS (
    INSERT INTO review_pairs (one_document_id, other_document_id) SELECT one_id, other_id FROM wanted
    ON CONFLICT ON CONSTRAINT uq_review_pairs DO NOTHING RETURNING pair_id
)
SELECT pair_id FROM added
UNION
SELECT pair_id FROM review_pairs JOIN wanted ON one_document_id = one_id AND other_document_id = other_id;

-- name: unasked
-- Which of these pairs no model was asked about.
SELECT pair_id FROM unnest($1::bigint[]) AS pair (pair_id) WHERE NOT EXISTS (
    SELECT FROM briefs WHERE kind = 'same_event' AND subject_kind = 'pair' AND subject_id = pair_id)
ORDER BY pair_id;

-- name: known
-- The input hashes of the answers to briefs.
SELECT DISTINCT input_hash FROM pair_answers WHERE brief_id = ANY ($1::bigint[]);

-- name: stories
-- The stories that the documents of pairs are in now.
SELECT pair_id, one.story_id AS one_story_id, other.story_id AS other_story_id
FROM review_pairs
JOIN story_members AS one ON one.document_id = one_document_id
JOIN story_members AS other ON other.document_id = other_document_id
WHERE pair_id = ANY ($1::bigint[]);

-- name: undone
-- Whether people undid a decision about two stories.
SELECT EXISTS (SELECT FROM story_decisions WHERE undone_at IS NOT NULL AND action IN ('merge', 'together', 'apart')
    AND story_id IN ($1, $2) AND other_story_id IN ($1, $2));

-- name: append
-- Append answers.
INSERT INTO pair_answers (pair_id, brief_id, verdict, reason, differences, provider, model, prompt_id, prompt_version,
    input_hash, input_tokens, output_tokens, cost, currency, prompt_key, response_key, decision_id)
SELECT pair_id, brief_id, verdict, reason, differences, provider, model, prompt_id, prompt_version, decode(input_hash, 'hex'),
    input_tokens, output_tokens, cost, currency, prompt_key, response_key, decision_id
FROM jsonb_to_recordset($1::jsonb) AS made (pair_id bigint, brief_id bigint, verdict text, reason text, differences jsonb,
    provider text, model text, prompt_id text, prompt_version text, input_hash text, input_tokens bigint,
    output_tokens bigint, cost numeric, currency text, prompt_key text, response_key text, decision_id bigint);

-- name: latest
-- The latest answer about each of these pairs of documents.
SELECT DISTINCT ON (pair_id) one_document_id, other_document_id, verdict, reason, differences, provider, model, prompt_id,
    prompt_version, decision_id, answered_at
FROM unnest($1::bigint[], $2::bigint[]) AS wanted (one_id, other_id)
JOIN review_pairs ON one_document_id = one_id AND other_document_id = other_id
JOIN pair_answers USING (pair_id)
ORDER BY pair_id, answer_id DESC;
