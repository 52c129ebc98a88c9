-- name: known
-- The subjects and levels of these briefs that have a lesson: it is never made again.
SELECT briefs.brief_id FROM briefs JOIN lessons USING (subject_kind, subject_id, level)
WHERE briefs.kind = 'lesson' AND briefs.brief_id = ANY ($1::bigint[]);

-- name: lock
-- Let no other transaction store lessons of these subjects until this one ends.
SELECT pg_advisory_xact_lock(hashtextextended('lessons ' || subject, 0))
FROM (SELECT DISTINCT subject FROM unnest($1::text[]) AS handed (subject) ORDER BY subject) AS ordered;

-- name: put
-- Store lessons, except of a subject and level that has one.
INSERT INTO lessons (brief_id, subject_kind, subject_id, level, lesson_text, sentences, word_count, measured_level, score,
    findings, provider, model, prompt_id, prompt_version, disclaimer_id, input_hash, input_tokens, output_tokens, cost,
    currency, prompt_key, response_key)
SELECT brief_id, subject_kind, subject_id, level, lesson_text, sentences, word_count, measured_level, score, findings,
    provider, model, prompt_id, prompt_version, disclaimer_id, decode(input_hash, 'hex'), input_tokens, output_tokens, cost,
    currency, prompt_key, response_key
FROM jsonb_to_recordset($1::jsonb) AS made (brief_id bigint, subject_kind text, subject_id bigint, level text,
    lesson_text text, sentences jsonb, word_count integer, measured_level text, score real, findings jsonb, provider text,
    model text, prompt_id text, prompt_version text, disclaimer_id text, input_hash text, input_tokens bigint,
    output_tokens bigint, cost numeric, currency text, prompt_key text, response_key text)
ON CONFLICT ON CONSTRAINT uq_lessons DO NOTHING;

-- name: scores
-- The measured difficulty of the lessons of subjects.
SELECT subject_kind, subject_id, level, score FROM lessons
WHERE (subject_kind, subject_id) IN (
    SELECT subject_kind, subject_id FROM unnest($1::text[], $2::bigint[]) AS asked (subject_kind, subject_id));

-- name: lessons
-- The lessons of subjects, the easiest first; $3: only of this level.
SELECT lesson_id, coalesce(documents.article_id, events.event_uuid::text) AS article_id, subject_kind, subject_id, level,
    lessons.language, lesson_text, sentences, word_count, measured_level, score, findings, provider, model, prompt_id,
    prompt_version, disclaimer_id, lessons.created_at, lessons.updated_at
FROM lessons
LEFT JOIN documents ON subject_kind = 'document' AND document_id = subject_id
LEFT JOIN events ON subject_kind = 'event' AND events.event_id = subject_id
WHERE subject_kind = $1 AND subject_id = ANY ($2::bigint[]) AND ($3::text IS NULL OR level = $3)
ORDER BY subject_id, level;

-- name: by_id
-- The lessons of these ids.
SELECT lesson_id, coalesce(documents.article_id, events.event_uuid::text) AS article_id, subject_kind, subject_id, level,
    lessons.language, lesson_text, sentences, word_count, measured_level, score, findings, provider, model, prompt_id,
    prompt_version, disclaimer_id, lessons.created_at, lessons.updated_at
FROM lessons
LEFT JOIN documents ON subject_kind = 'document' AND document_id = subject_id
LEFT JOIN events ON subject_kind = 'event' AND events.event_id = subject_id
WHERE lesson_id = ANY ($1::bigint[]) ORDER BY lesson_id;

-- name: failed
-- The documents that get no lesson of a level: it failed, and no further attempt is planned.
SELECT subject_id FROM briefs LEFT JOIN work ON work.stage = $3 AND work.subject = brief_id AND work.state <> 'quarantined'
WHERE kind = 'lesson' AND subject_kind = 'document' AND subject_id = ANY ($1::bigint[]) AND level = $2
    AND problem IS NOT NULL AND work.subject IS NULL;

-- name: states
-- How far the lessons of a subject are, by level. A brief that is due or claimed is in progress, however its last attempt
-- ended; what the queue holds back, as a spent budget, is a problem too.
SELECT briefs.brief_id, level, asked_at, attempted_at, written_at, coalesce(problem, work.error) AS problem,
    CASE WHEN work.state = 'waiting' THEN work.due_at END AS next_try_at,
    coalesce(work.state = 'claimed' OR (work.state = 'waiting' AND work.due_at <= now()), false) AS is_in_progress
FROM briefs LEFT JOIN work ON work.stage = $3 AND work.subject = brief_id
WHERE kind = 'lesson' AND subject_kind = $1 AND subject_id = $2 ORDER BY level;
