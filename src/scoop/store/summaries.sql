-- name: known
-- The current summaries with these input hashes: what they were made from has not changed.
SELECT DISTINCT input_hash FROM summaries WHERE is_current AND brief_id = ANY ($1::bigint[]);

-- name: generated
-- Those of these subjects that have a current summary by a language model in the language given with each.
SELECT subject_kind, subject_id, asked_language FROM summaries
JOIN unnest($1::text[], $2::bigint[], $3::text[]) AS named (subject_kind, subject_id, asked_language)
    USING (subject_kind, subject_id, asked_language)
WHERE is_current AND provider <> 'local';

-- name: retire
-- Make room for the next version of summaries.
UPDATE summaries SET is_current = false
WHERE is_current AND (subject_kind, subject_id, asked_language) IN (
    SELECT subject_kind, subject_id, asked_language
    FROM unnest($1::text[], $2::bigint[], $3::text[]) AS next (subject_kind, subject_id, asked_language));

-- name: put
-- Store summaries as the next version of their brief.
INSERT INTO summaries (brief_id, subject_kind, subject_id, language, asked_language, version, summary_text, sentences,
    left_out, document_ids, confidence, provider, model, prompt_id, prompt_version, disclaimer_id, input_hash, input_tokens,
    output_tokens, cost, currency, prompt_key, response_key)
SELECT brief_id, subject_kind, subject_id, language, asked_language,
    1 + coalesce((SELECT max(version) FROM summaries AS earlier WHERE earlier.brief_id = made.brief_id), 0),
    summary_text, sentences, left_out, document_ids, confidence, provider, model, prompt_id, prompt_version, disclaimer_id,
    decode(input_hash, 'hex'), input_tokens, output_tokens, cost, currency, prompt_key, response_key
FROM jsonb_to_recordset($1::jsonb) AS made (brief_id bigint, subject_kind text, subject_id bigint, language text,
    asked_language text, summary_text text, sentences jsonb, left_out jsonb, document_ids bigint[], confidence real, provider text, model text,
    prompt_id text, prompt_version text, disclaimer_id text, input_hash text, input_tokens bigint, output_tokens bigint,
    cost numeric, currency text, prompt_key text, response_key text)
RETURNING summary_id, subject_kind, subject_id;

-- name: show_on_events
-- Let lists show summaries with their events.
UPDATE events SET summary_id = shown.summary_id
FROM unnest($1::bigint[], $2::bigint[]) AS shown (event_id, summary_id) WHERE events.event_id = shown.event_id;

-- name: current
-- The current summaries of subjects: written in the first of these languages that each has, else asked for in one of them.
SELECT DISTINCT ON (subject_id) summary_rows.* FROM (
    SELECT summary_id, summary_uuid, subject_kind, subject_id, language, asked_language, version, summary_text, sentences,
        left_out, document_ids, confidence, provider, model, prompt_id, prompt_version, disclaimer_id, input_tokens, output_tokens, cost,
        currency, prompt_key, response_key, generated_at
    FROM summaries WHERE is_current AND subject_kind = $1 AND subject_id = ANY ($2::bigint[])) AS summary_rows
ORDER BY subject_id, array_position($3::text[], language), array_position($3::text[], asked_language), summary_id DESC;

-- name: states
-- How far the summaries of subjects are, by the language that was asked for. A brief that is due or claimed is in progress,
-- however its last attempt ended; what the queue holds back, as a spent budget, is a problem too.
SELECT subject_id, language, asked_at, attempted_at, written_at, coalesce(problem, work.error) AS problem,
    CASE WHEN work.state = 'waiting' THEN work.due_at END AS next_try_at,
    coalesce(work.state = 'claimed' OR (work.state = 'waiting' AND work.due_at <= now()), false) AS is_in_progress
FROM briefs LEFT JOIN work ON work.stage = $3 AND work.subject = brief_id
WHERE kind = 'summary' AND subject_kind = $1 AND subject_id = ANY ($2::bigint[]) ORDER BY brief_id;

-- name: versions
-- All versions of the summaries of a subject, the newest first.
SELECT summary_id, summary_uuid, subject_kind, subject_id, language, asked_language, version, summary_text, sentences,
    left_out, document_ids, confidence, provider, model, prompt_id, prompt_version, disclaimer_id, input_tokens, output_tokens, cost,
    currency, prompt_key, response_key, generated_at
FROM summaries WHERE subject_kind = $1 AND subject_id = $2 ORDER BY summary_id DESC LIMIT $3;

-- name: passages
-- The documents of cited passages, with the beginning of each passage and the story that the document is in.
SELECT cited.document_id, start_at AS start, end_at AS "end", article_id, documents.canonical_url AS url, source,
    (SELECT name FROM source_names WHERE source_names.source = documents.source) AS source_name, story_uuid,
    substr(body_text, start_at + 1, least(end_at - start_at, $4)) AS passage
FROM unnest($1::bigint[], $2::int[], $3::int[]) AS cited (document_id, start_at, end_at)
JOIN documents USING (document_id) LEFT JOIN story_members USING (document_id) LEFT JOIN stories USING (story_id);
