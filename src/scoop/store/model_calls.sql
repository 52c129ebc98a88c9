-- name: lock_task
-- Let one worker at a time take from the budget of a task, until the transaction ends.
SELECT pg_advisory_xact_lock($1, hashtext($2));

-- name: spent
-- What a task has used since a moment, also for one source, and in the last minute.
SELECT count(*) FILTER (WHERE called_at >= $2) AS requests,
    coalesce(sum(input_tokens + output_tokens) FILTER (WHERE called_at >= $2), 0)::bigint AS tokens,
    coalesce(sum(cost) FILTER (WHERE called_at >= $2), 0) AS money,
    count(*) FILTER (WHERE called_at >= $2 AND source = $3) AS source_requests,
    coalesce(sum(input_tokens + output_tokens) FILTER (WHERE called_at >= $2 AND source = $3), 0)::bigint AS source_tokens,
    coalesce(sum(cost) FILTER (WHERE called_at >= $2 AND source = $3), 0) AS source_money,
    count(*) FILTER (WHERE called_at > now() - interval '1 minute') AS last_minute
FROM model_calls WHERE task = $1 AND called_at >= least($2, now() - interval '1 minute');

-- name: typical_tokens
-- The mean tokens of the accepted calls of a task since a moment.
SELECT count(*) AS requests, coalesce(round(avg(input_tokens)), 0)::bigint AS input_tokens,
    coalesce(round(avg(output_tokens)), 0)::bigint AS output_tokens
FROM model_calls WHERE task = $1 AND called_at >= $2 AND outcome = 'accepted';

-- name: open
-- Write down a call before it is sent.
INSERT INTO model_calls (brief_id, task, subject_kind, subject_id, source, provider, model, endpoint, prompt_id,
    prompt_version, input_hash, is_repair)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
RETURNING call_id;

-- name: close
-- Store what calls gave and cost.
UPDATE model_calls SET outcome = closed.outcome, problem = closed.problem, model = coalesce(closed.model, model_calls.model),
    input_tokens = closed.input_tokens, output_tokens = closed.output_tokens, cost = closed.cost, currency = closed.currency,
    latency_ms = closed.latency_ms, prompt_key = closed.prompt_key, response_key = closed.response_key
FROM jsonb_to_recordset($1::jsonb) AS closed (call_id bigint, outcome text, problem text, model text, input_tokens bigint,
    output_tokens bigint, cost numeric, currency text, latency_ms integer, prompt_key text, response_key text)
WHERE model_calls.call_id = closed.call_id;

-- name: spending
-- What calls cost between two moments, by task, day, source, model or subject; subjects are named after they are added up.
WITH sums AS (
    SELECT grouped.label, currency, count(*) AS requests, count(*) FILTER (WHERE outcome = 'accepted') AS accepted,
        count(*) FILTER (WHERE outcome NOT IN ('accepted', 'open')) AS failed, sum(input_tokens)::bigint AS input_tokens,
        sum(output_tokens)::bigint AS output_tokens, sum(cost) AS cost, min(subject_kind) AS subject_kind, min(subject_id) AS subject_id
    FROM model_calls CROSS JOIN LATERAL (
        SELECT CASE $3 WHEN 'task' THEN task WHEN 'source' THEN coalesce(source, '') WHEN 'model' THEN provider || ' ' || model
            WHEN 'day' THEN to_char(called_at AT TIME ZONE $4, 'YYYY-MM-DD') ELSE subject_kind || ' ' || subject_id
            END AS label) AS grouped
    WHERE called_at >= $1 AND called_at < $2
    GROUP BY grouped.label, currency ORDER BY CASE WHEN $3 = 'day' THEN grouped.label END DESC, sum(cost) DESC, count(*) DESC, grouped.label
    LIMIT $5
)
SELECT CASE WHEN $3 <> 'subject' THEN label ELSE subject_kind || ' ' || coalesce(
        (SELECT event_uuid::text FROM events WHERE subject_kind = 'event' AND event_id = subject_id),
        (SELECT article_id FROM documents WHERE subject_kind = 'document' AND document_id = subject_id),
        (SELECT article_id FROM evaluations JOIN documents USING (document_id)
            WHERE subject_kind = 'evaluation' AND evaluation_id = subject_id), subject_id::text) END AS label,
    CASE WHEN $3 <> 'subject' THEN '' ELSE coalesce(
        (SELECT canonical_title FROM events JOIN stories ON story_id = lead_story_id
            WHERE subject_kind = 'event' AND event_id = subject_id),
        (SELECT title FROM documents WHERE subject_kind = 'document' AND document_id = subject_id),
        (SELECT article_title FROM evaluations WHERE subject_kind = 'evaluation' AND evaluation_id = subject_id), '') END AS title,
    currency, requests, accepted, failed, input_tokens, output_tokens, cost
FROM sums ORDER BY CASE WHEN $3 = 'day' THEN label END DESC, cost DESC, requests DESC, label;

-- name: archived
-- The calls since a moment that have their response in the archive, the oldest first.
SELECT call_id, response_key, input_tokens, output_tokens, cost FROM model_calls
WHERE called_at >= $1 AND called_at < $2 AND call_id > $3 ORDER BY call_id LIMIT $4;
