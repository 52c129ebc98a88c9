-- name: known
-- The input hashes of the current translations of briefs.
SELECT DISTINCT input_hash FROM translations WHERE is_current AND brief_id = ANY ($1::bigint[]);

-- name: retire
-- Make room for the next version of translations.
UPDATE translations SET is_current = false
WHERE is_current AND (document_id, language) IN (
    SELECT document_id, language FROM unnest($1::bigint[], $2::text[]) AS next (document_id, language));

-- name: put
-- Store translations as the next version of their brief.
INSERT INTO translations (brief_id, document_id, language, from_language, version, title, summary, paragraphs, paragraph_count,
    text_hash, provider, model, prompt_id, prompt_version, input_hash, input_tokens, output_tokens, cost, currency, prompt_key,
    response_key)
SELECT brief_id, document_id, language, from_language,
    1 + coalesce((SELECT max(version) FROM translations AS earlier WHERE earlier.brief_id = made.brief_id), 0),
    title, summary, paragraphs, paragraph_count, decode(text_hash, 'hex'), provider, model, prompt_id, prompt_version,
    decode(input_hash, 'hex'), input_tokens, output_tokens, cost, currency, prompt_key, response_key
FROM jsonb_to_recordset($1::jsonb) AS made (brief_id bigint, document_id bigint, language text, from_language text, title text,
    summary text, paragraphs text[], paragraph_count integer, text_hash text, provider text, model text, prompt_id text,
    prompt_version text, input_hash text, input_tokens bigint, output_tokens bigint, cost numeric, currency text,
    prompt_key text, response_key text);

-- name: current
-- The current translations of a document, the newest first.
SELECT translation_id, document_id, language, from_language, version, title, summary, paragraphs, paragraph_count,
    encode(text_hash, 'hex') AS text_hash, provider, model, prompt_id, prompt_version, cost, currency, generated_at
FROM translations WHERE is_current AND document_id = $1 ORDER BY translation_id DESC;

-- name: progress
-- The translations of a document that were asked for: how the last attempt ended, and when the next one is due.
SELECT briefs.language, asked_at, attempted_at, written_at, problem, work.due_at AS next_try_at,
    work.state IS NOT NULL AND work.state <> 'quarantined' AS is_waiting
FROM briefs LEFT JOIN work ON work.stage = $2 AND work.subject = brief_id
WHERE kind = 'translation' AND subject_kind = 'document' AND subject_id = $1
ORDER BY asked_at DESC, brief_id DESC;
