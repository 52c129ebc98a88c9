-- name: rows
-- The summaries that were asked for, the latest first, each with its current version if there is one.
SELECT listed.* FROM (
    SELECT briefs.brief_id, briefs.subject_kind, briefs.subject_id, briefs.language AS asked_language, asked_at,
        coalesce(documents.article_id, events.event_uuid::text) AS public_id,
        coalesce(documents.title, stories.canonical_title, '') AS title,
        CASE WHEN summaries.summary_id IS NOT NULL THEN 'summarized' WHEN problem IS NOT NULL THEN 'summary_failed'
            ELSE 'pending_summary' END AS state,
        problem, work.due_at AS next_try_at, summaries.version, summaries.language, summaries.provider, summaries.model,
        summaries.prompt_version, summaries.generated_at
    FROM briefs
    LEFT JOIN documents ON briefs.subject_kind = 'document' AND document_id = briefs.subject_id
    LEFT JOIN events ON briefs.subject_kind = 'event' AND events.event_id = briefs.subject_id
    LEFT JOIN stories ON stories.story_id = events.lead_story_id
    LEFT JOIN summaries ON summaries.brief_id = briefs.brief_id AND summaries.is_current
    LEFT JOIN work ON work.stage = $4 AND work.subject = briefs.brief_id
    WHERE briefs.kind = 'summary') AS listed
WHERE ($1::text IS NULL OR state = $1) AND ($2::text IS NULL OR subject_kind = $2)
ORDER BY asked_at DESC, brief_id DESC LIMIT $3;

-- name: made_since
-- The current summaries that were made since a moment, by any prompt version or one of them: briefs with their subjects.
SELECT brief_id, subject_kind, subject_id, asked_language FROM summaries
WHERE is_current AND generated_at >= $1 AND ($2::text IS NULL OR prompt_version = $2)
ORDER BY brief_id;
