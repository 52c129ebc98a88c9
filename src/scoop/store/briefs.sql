-- name: ask
-- Ask for texts about subjects; what was asked for before is asked for again. Gives the briefs.
INSERT INTO briefs (kind, subject_kind, subject_id, language, level)
SELECT DISTINCT $1, $2, subject_id, language, $5 FROM unnest($3::bigint[], $4::text[]) AS wanted (subject_id, language)
ON CONFLICT ON CONSTRAINT uq_briefs DO UPDATE SET asked_at = now(), failures = 0
RETURNING brief_id;

-- name: state
-- How the last attempt at a text ended, and what waits.
SELECT written_at, problem, work.state::text AS work_state, work.due_at AS next_try_at, work.error AS work_error
FROM briefs LEFT JOIN work ON work.stage = $2 AND work.subject = brief_id WHERE brief_id = $1;

-- name: load
-- Briefs by number, with the public id and the collection of their subject; an event that was merged gives the surviving
-- one, a pair has its number and the collection of its first document, an evaluation and a mention the id
-- of their article, and a question has its number and no collection.
SELECT brief_id, kind, subject_kind, briefs.language, level, finding, draft, failures, briefs.asked_at,
    coalesce(events.merged_into, subject_id) AS subject_id,
    CASE subject_kind WHEN 'pair' THEN 'pair_' || pair_id WHEN 'question' THEN 'question_' || question_id
        ELSE coalesce(documents.article_id, surviving.event_uuid::text) END AS public_id,
    coalesce(documents.collection, surviving.collection) AS collection
FROM briefs
LEFT JOIN review_pairs ON subject_kind = 'pair' AND pair_id = subject_id
LEFT JOIN evaluations ON subject_kind = 'evaluation' AND evaluation_id = subject_id
LEFT JOIN mentions ON subject_kind = 'mention' AND mention_id = subject_id
LEFT JOIN tool_questions ON subject_kind = 'question' AND question_id = subject_id
LEFT JOIN documents ON documents.document_id = CASE subject_kind
    WHEN 'document' THEN subject_id WHEN 'pair' THEN one_document_id WHEN 'mention' THEN mentions.document_id
    ELSE evaluations.document_id END
LEFT JOIN events ON subject_kind = 'event' AND events.event_id = subject_id
LEFT JOIN events AS surviving ON surviving.event_id = coalesce(events.merged_into, events.event_id)
WHERE brief_id = ANY ($1::bigint[]);

-- name: document_texts
-- The documents with these ids, as sources of a text.
SELECT document_id AS subject_id, document_id, title, left(body_text, $2) AS body_text, normalized_language AS language,
    source, canonical_url AS url, published_at, content_hash,
    coalesce((SELECT name FROM publishers WHERE family = publisher_family), publisher_family) AS publisher
FROM documents WHERE document_id = ANY ($1::bigint[]);

-- name: pair_texts
-- The two documents of pairs, as sources of a text, in the order of the pair.
SELECT pair_id AS subject_id, document_id, title, left(body_text, $2) AS body_text, normalized_language AS language,
    source, canonical_url AS url, published_at, content_hash,
    coalesce((SELECT name FROM publishers WHERE family = publisher_family), publisher_family) AS publisher
FROM review_pairs JOIN documents ON document_id IN (one_document_id, other_document_id)
WHERE pair_id = ANY ($1::bigint[]) ORDER BY pair_id, document_id;

-- name: evaluation_texts
-- The articles of evaluations, as sources of a text, with their vectors of a model where there are any.
SELECT evaluation_id AS subject_id, document_id, title, left(body_text, $2) AS body_text, normalized_language AS language,
    source, canonical_url AS url, published_at, content_hash,
    coalesce((SELECT name FROM publishers WHERE family = publisher_family), publisher_family) AS publisher,
    (SELECT embedding::real[] FROM document_embeddings AS made
        WHERE made.document_id = documents.document_id AND model_name = $3 AND model_version = $4) AS vector
FROM evaluations JOIN documents USING (document_id) WHERE evaluation_id = ANY ($1::bigint[]);

-- name: mention_texts
-- The passages of mentions as sources of a text, each with the name of its tool as the title; see core/mention_texts.py for
-- the text that a passage is cut from.
SELECT mention_id AS subject_id, document_id, tools.name AS title, left(passage, $2) AS body_text,
    normalized_language AS language, source, canonical_url AS url, published_at,
    sha256(convert_to(tools.name || passage, 'UTF8')) AS content_hash,
    coalesce((SELECT name FROM publishers WHERE family = documents.publisher_family), documents.publisher_family) AS publisher
FROM mentions JOIN tools USING (tool_number) JOIN documents USING (document_id)
LEFT JOIN post_engagement USING (document_id) CROSS JOIN LATERAL (
    SELECT substr(CASE WHEN body_text = '' THEN title WHEN is_comment THEN body_text ELSE title || E'\n\n' || body_text END,
        passage_start + 1, passage_end - passage_start) AS passage) AS cut
WHERE mention_id = ANY ($1::bigint[]);

-- name: question_texts
-- Questions about tools and the facts that may answer them, as sources of a text: the question is the first.
SELECT question_id AS subject_id, number AS document_id, title, left(text, $2) AS body_text, '' AS language,
    NULL::text AS source, url, NULL::timestamptz AS published_at, sha256(convert_to(text, 'UTF8')) AS content_hash, publisher
FROM tool_questions CROSS JOIN LATERAL (
    SELECT 0::bigint AS number, 'question' AS title, question AS text, NULL AS url, '' AS publisher
    UNION ALL
    SELECT * FROM jsonb_to_recordset(facts) AS fact (number bigint, title text, text text, url text, publisher text)
) AS sources
WHERE question_id = ANY ($1::bigint[]) ORDER BY question_id, number;

-- name: document_summaries
-- The current summary of each of these documents in its own language, else in the first that there is.
SELECT DISTINCT ON (subject_id) subject_id, summary_text FROM summaries JOIN documents ON document_id = subject_id
WHERE is_current AND subject_kind = 'document' AND subject_id = ANY ($1::bigint[])
ORDER BY subject_id, split_part(summaries.language, '-', 1) = split_part(normalized_language, '-', 1) DESC, asked_language,
    summary_id DESC;

-- name: event_texts
-- The best documents of events as sources of a text: one of each publisher, the lead first, then by centrality.
SELECT asked.event_id AS subject_id, chosen.*,
    coalesce((SELECT name FROM publishers WHERE family = publisher_family), publisher_family) AS publisher
FROM unnest($1::bigint[]) AS asked (event_id) JOIN events USING (event_id) CROSS JOIN LATERAL (
    SELECT * FROM (
        SELECT DISTINCT ON (publisher_family) document_id, title, left(body_text, $2) AS body_text,
            normalized_language AS language, source, documents.canonical_url AS url, published_at, content_hash,
            publisher_family, story_id = lead_story_id AS is_lead, coalesce(centrality, 0) AS centrality
        FROM stories JOIN story_members USING (story_id) JOIN documents USING (document_id)
        WHERE coverage_id = asked.event_id AND stories.status = 'active'
        ORDER BY publisher_family, story_id = lead_story_id DESC, document_id = representative_document_id DESC,
            centrality DESC NULLS LAST, document_id
    ) AS by_publisher
    ORDER BY is_lead DESC, centrality DESC, document_id LIMIT $3
) AS chosen
ORDER BY asked.event_id, is_lead DESC, centrality DESC, document_id;

-- name: due_events
-- The events of enough publishers and the highest ranked events of the topics that post digests, each with the languages in
-- which a summary of it was not asked for since it last developed: that of its collection ($3, else $4), and those that it has
-- summaries in. The events of topics come first, then the newest.
WITH ahead AS (
    SELECT event_id, false AS is_for_digest FROM events
    WHERE status = 'active' AND developed_at >= $1 AND publisher_family_count >= $2
    UNION ALL
    SELECT event_id, true FROM topics CROSS JOIN LATERAL (
        SELECT event_id, max(events.rank) AS rank
        FROM story_topic_state AS state JOIN stories USING (story_id) JOIN events ON event_id = coverage_id
        WHERE state.topic_id = topics.topic_id AND state.first_seen_in_topic_at >= $1 AND NOT state.suppressed
            AND events.status = 'active'
        GROUP BY event_id ORDER BY rank DESC, event_id DESC LIMIT 2 * topics.max_entries) AS best
    WHERE topics.enabled AND NOT topics.is_hidden
)
SELECT event_id, wanted.language
FROM (SELECT event_id, bool_or(is_for_digest) AS is_for_digest FROM ahead GROUP BY event_id) AS candidates
JOIN events USING (event_id) CROSS JOIN LATERAL (
    SELECT coalesce($3::jsonb ->> collection, $4) AS language
    UNION
    SELECT asked_language FROM summaries WHERE is_current AND subject_kind = 'event' AND subject_id = event_id) AS wanted
WHERE NOT EXISTS (
    SELECT FROM briefs WHERE kind = 'summary' AND subject_kind = 'event' AND subject_id = event_id
        AND briefs.language = wanted.language AND asked_at >= developed_at)
ORDER BY is_for_digest DESC, developed_at DESC, event_id DESC LIMIT $5;

-- name: due_events_of_stories
-- The events of these stories, each with the languages in which a summary of it was not asked for since it last developed:
-- that of its collection ($3, else $4) if enough publishers report it, and those that it has summaries in.
SELECT event_id, wanted.language
FROM events CROSS JOIN LATERAL (
    SELECT coalesce($3::jsonb ->> collection, $4) AS language WHERE publisher_family_count >= $2
    UNION
    SELECT asked_language FROM summaries WHERE is_current AND subject_kind = 'event' AND subject_id = event_id) AS wanted
WHERE event_id IN (SELECT coverage_id FROM stories WHERE story_id = ANY ($1::bigint[])) AND status = 'active' AND NOT EXISTS (
    SELECT FROM briefs WHERE kind = 'summary' AND subject_kind = 'event' AND subject_id = event_id
        AND briefs.language = wanted.language AND asked_at >= developed_at);

-- name: documents_of_kinds
-- Which of these documents are new, have a text, and come from sources of these kinds (any, if NULL).
SELECT document_id, collection FROM documents
WHERE document_id = ANY ($1::bigint[]) AND content_problem IS NULL AND body_text <> '' AND seen_at >= now() - $3::interval
    AND ($2::text[] IS NULL OR source IN (SELECT slug FROM sources WHERE kind = ANY ($2)));

-- name: settle
-- Store the outcome of an attempt: when a text was written, why not, and what the next attempt repairs or goes on with.
UPDATE briefs SET attempted_at = now(), written_at = CASE WHEN problem_now IS NULL THEN now() ELSE written_at END,
    problem = problem_now, finding = finding_now, draft = draft_now,
    failures = CASE WHEN problem_now IS NULL THEN 0 ELSE failures + is_unusable::integer END
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::boolean[], $5::text[])
    AS settled (brief_id, problem_now, finding_now, is_unusable, draft_now)
WHERE briefs.brief_id = settled.brief_id;
