-- name: add
-- Queue a re-analysis; gives its number.
INSERT INTO sentiment_jobs (tool_number, reason, rescores, terms, since, until, requested_by)
VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING job_id;

-- name: list
-- Jobs, the newest first: of one tool or all, of one status or all, after a cursor.
SELECT job_id, tools.tool_id, tools.slug AS tool, reason, rescores, terms, since, until, sentiment_jobs.status, total, done,
    mentions, checkpoint, error, requested_by, sentiment_jobs.created_at, started_at, finished_at, sentiment_jobs.updated_at
FROM sentiment_jobs LEFT JOIN tools USING (tool_number)
WHERE ($1::bigint IS NULL OR job_id = $1) AND ($2::int IS NULL OR tool_number = $2)
    AND ($3::text IS NULL OR sentiment_jobs.status = $3) AND job_id < $4
ORDER BY job_id DESC LIMIT $5;

-- name: next
-- The job whose turn it is: the oldest that has not ended.
SELECT job_id, tool_number, rescores, terms, since, until, checkpoint, total IS NULL AS is_new
FROM sentiment_jobs WHERE status IN ('queued', 'running') ORDER BY job_id LIMIT 1;

-- name: start
-- Begin a job, with the number of its documents.
UPDATE sentiment_jobs SET status = 'running', total = $2, started_at = now()
WHERE job_id = $1 AND status IN ('queued', 'running') AND total IS NULL;

-- name: advance
-- Move the checkpoint of a job, from where it was; nothing happens if it was cancelled or another worker moved it. Documents
-- that arrive after it began count too: it is never further than its total.
UPDATE sentiment_jobs SET checkpoint = $3, done = done + $4, total = greatest(total, done + $4)
WHERE job_id = $1 AND checkpoint = $2 AND status = 'running' RETURNING job_id;

-- name: count_mentions
-- Add the mentions that these documents have of the tool of a job, or of all tools without one.
UPDATE sentiment_jobs SET mentions = mentions + (
    SELECT count(*) FROM mentions WHERE document_id = ANY ($2::bigint[])
        AND (sentiment_jobs.tool_number IS NULL OR mentions.tool_number = sentiment_jobs.tool_number))
WHERE job_id = $1;

-- name: end
-- End a job that runs; the total of a completed one is what it did.
UPDATE sentiment_jobs SET status = $2, error = $3, finished_at = now(),
    total = CASE WHEN $2 = 'completed' THEN done ELSE coalesce(total, done) END
WHERE job_id = $1 AND status IN ('queued', 'running') RETURNING tool_number;

-- name: candidates
-- The next documents that a job can concern: those with all words of one of the names, and those in which the tool was found
-- before, and those whose words are not indexed yet, unless they wait to be searched for all tools. Without a tool it is all
-- documents.
SELECT document_id FROM (
    SELECT document_id FROM document_search
    WHERE $3::text IS NOT NULL AND tokens @@ $3::text::tsquery AND document_id > $1
    UNION
    SELECT subject FROM work WHERE $3::text IS NOT NULL AND stage = $8 AND subject > $1 AND NOT EXISTS (
        SELECT FROM work AS search WHERE search.stage = $9 AND search.subject = work.subject AND search.state = 'waiting')
    UNION
    SELECT document_id FROM mentions WHERE tool_number = $4 AND document_id > $1
    UNION
    SELECT document_id FROM documents WHERE $5 AND document_id > $1
) AS found
JOIN documents USING (document_id)
WHERE ($6::timestamptz IS NULL OR seen_at >= $6) AND ($7::timestamptz IS NULL OR seen_at < $7)
ORDER BY document_id LIMIT $2;

-- name: count_candidates
-- How many documents a job can concern.
SELECT count(*) FROM (
    SELECT document_id FROM document_search WHERE $1::text IS NOT NULL AND tokens @@ $1::text::tsquery
    UNION
    SELECT subject FROM work WHERE $1::text IS NOT NULL AND stage = $6 AND NOT EXISTS (
        SELECT FROM work AS search WHERE search.stage = $7 AND search.subject = work.subject AND search.state = 'waiting')
    UNION
    SELECT document_id FROM mentions WHERE tool_number = $2
    UNION
    SELECT document_id FROM documents WHERE $3
) AS found
JOIN documents USING (document_id)
WHERE ($4::timestamptz IS NULL OR seen_at >= $4) AND ($5::timestamptz IS NULL OR seen_at < $5);

-- name: quarantined
-- The jobs that have not ended and that no worker tries again.
SELECT job_id, work.error FROM sentiment_jobs JOIN work ON work.stage = $1 AND work.subject = job_id
WHERE status IN ('queued', 'running') AND work.state = 'quarantined';
