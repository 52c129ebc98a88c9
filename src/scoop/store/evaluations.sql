-- name: known
-- Which of these articles a curator has met: by URL, or because another article of the story was evaluated or posted.
SELECT url_hash FROM unnest($2::bytea[], $3::bigint[]) AS asked (url_hash, story_id)
WHERE EXISTS (SELECT FROM evaluations AS met WHERE met.topic_id = $1 AND met.url_hash = asked.url_hash)
    OR EXISTS (SELECT FROM known_stories WHERE known_stories.topic_id = $1 AND known_stories.story_id = asked.story_id);

-- name: candidates
-- The latest stories of a curator's topic that it has not met and whose text is complete, each with an article: the one
-- that represents it, or another if only that has a text. Articles of an imported memory that the desk had not
-- gathered are candidates: they are recognised next.
WITH unmet AS MATERIALIZED (
    SELECT story_id, representative_document_id, first_seen_at FROM story_topic_state AS state JOIN stories USING (story_id)
    WHERE state.topic_id = $1 AND stories.status = 'active' AND stories.first_seen_at >= $2 AND NOT state.suppressed
        AND NOT EXISTS (
            SELECT FROM known_stories WHERE known_stories.topic_id = $1 AND known_stories.story_id = state.story_id)
)
SELECT story_id, article.document_id, article.title AS article_title, article.canonical_url AS url,
    coalesce(article.canonical_url_hash, sha256(article.article_id::bytea)) AS url_hash, article.content_problem,
    char_length(article.body_text) AS characters
FROM unmet JOIN documents AS representing ON representing.document_id = representative_document_id
CROSS JOIN LATERAL (
    SELECT documents.* FROM story_members JOIN documents USING (document_id) WHERE story_members.story_id = unmet.story_id
    ORDER BY content_problem IS NOT NULL OR char_length(body_text) < $5, document_id <> representative_document_id,
        document_id
    LIMIT 1) AS article
WHERE representing.content_problem IS DISTINCT FROM $3 AND NOT EXISTS (
    SELECT FROM evaluations AS met WHERE met.topic_id = $1 AND met.document_id IS NOT NULL
        AND met.url_hash = coalesce(article.canonical_url_hash, sha256(article.article_id::bytea)))
ORDER BY first_seen_at DESC, story_id DESC LIMIT $4;

-- name: add
-- Add articles that a curator meets for the first time; gives those that are to be evaluated.
INSERT INTO evaluations (topic_id, document_id, url, url_hash, article_title, state, reason, evaluated_at, interests_id)
SELECT $1, document_id, url, url_hash, article_title, state::evaluation_state, reason,
    CASE WHEN reason IS NOT NULL THEN now() END, $2
FROM unnest($3::bigint[], $4::text[], $5::bytea[], $6::text[], $7::text[], $8::text[])
    AS found (document_id, url, url_hash, article_title, state, reason)
ON CONFLICT ON CONSTRAINT uq_evaluations DO NOTHING
RETURNING evaluation_id, state::text AS state;

-- name: contexts
-- The interests that articles are evaluated for, and the language of the summary.
SELECT evaluation_id, evaluations.topic_id, interests, language
FROM evaluations JOIN curators ON curators.topic_id = evaluations.topic_id
JOIN interest_versions ON interest_versions.interests_id = curators.interests_id
WHERE evaluation_id = ANY ($1::bigint[]) AND state = 'waiting';

-- name: settle
-- Store the outcome of evaluations that wait for it.
UPDATE evaluations SET state = done.state::evaluation_state, reason = done.reason, relevance_score = done.relevance_score,
    score_parts = done.score_parts, matching_topics = ARRAY(SELECT jsonb_array_elements_text(done.matching_topics)),
    summary = done.summary, reasoning = done.reasoning, is_ai_generated = done.is_ai_generated,
    interests_id = (SELECT curators.interests_id FROM curators WHERE curators.topic_id = evaluations.topic_id),
    provider = done.provider, model = done.model, prompt_id = done.prompt_id, prompt_version = done.prompt_version,
    input_hash = decode(done.input_hash, 'hex'), evaluated_at = now()
FROM jsonb_to_recordset($1::jsonb) AS done (evaluation_id bigint, state text, reason text, relevance_score smallint,
    score_parts jsonb, matching_topics jsonb, summary text, reasoning text, is_ai_generated boolean, provider text,
    model text, prompt_id text, prompt_version text, input_hash text)
WHERE evaluations.evaluation_id = done.evaluation_id AND evaluations.state = 'waiting';

-- name: known_inputs
-- The input hashes of evaluations that briefs gave.
SELECT DISTINCT input_hash FROM briefs JOIN evaluations ON evaluation_id = subject_id
WHERE brief_id = ANY ($1::bigint[]) AND kind = 'evaluation' AND input_hash IS NOT NULL;

-- name: is_looking
-- Whether a curator is about to look for articles.
SELECT EXISTS (SELECT FROM work WHERE stage = $2 AND subject = $1 AND state <> 'quarantined');

-- name: waiting
-- How many articles of a curator wait for an evaluation that is tried by a moment.
SELECT count(*) FROM evaluations JOIN briefs ON briefs.kind = 'evaluation' AND subject_kind = 'evaluation'
    AND subject_id = evaluation_id
JOIN work ON work.stage = $2 AND work.subject = brief_id AND work.state <> 'quarantined' AND work.due_at <= $3
WHERE topic_id = $1 AND evaluations.state = 'waiting';

-- name: waiting_briefs
-- The briefs of the articles of a curator that wait for their evaluation.
SELECT brief_id FROM evaluations JOIN briefs ON briefs.kind = 'evaluation' AND subject_kind = 'evaluation'
    AND subject_id = evaluation_id
WHERE topic_id = $1 AND evaluations.state = 'waiting' ORDER BY brief_id;

-- name: waiting_documents
-- The documents of the articles of a curator that wait for their evaluation, the latest first.
SELECT document_id FROM evaluations WHERE topic_id = $1 AND state = 'waiting' AND document_id IS NOT NULL
ORDER BY evaluation_id DESC LIMIT $2;

-- name: drop_stale
-- Drop the articles of a curator that are too old to be posted before they were evaluated: they would be paid for in vain.
DELETE FROM evaluations AS stale WHERE topic_id = $1 AND state = 'waiting' AND NOT EXISTS (
    SELECT FROM documents WHERE documents.document_id = stale.document_id AND seen_at >= $2);

-- name: judge_again
-- Decide again on evaluated articles of a curator whose interests changed: by their stored scores and topics, or, if the
-- topics changed ($4), the local scorer scores the fresh ones of its own again, which costs nothing. Those whose post is on
-- its way stay as they are, and those of an imported memory, whose topics nobody knows. Gives those to be scored.
WITH judged AS (
    SELECT evaluation_id, reason,
        CASE WHEN NOT matching_topics && $2::text[] THEN 'no_topic_match' WHEN relevance_score < $3 THEN 'low_relevance' END
            AS verdict,
        $4::boolean AND provider = 'local' AND EXISTS (
            SELECT FROM documents JOIN curators ON curators.topic_id = $1
            WHERE documents.document_id = evaluations.document_id
                AND seen_at >= now() - freshness_days * interval '1 day') AS is_scored_again
    FROM evaluations
    WHERE topic_id = $1 AND state IN ('relevant', 'rejected') AND relevance_score IS NOT NULL AND provider IS NOT NULL
        AND NOT EXISTS (
            SELECT FROM posts CROSS JOIN LATERAL unnest(story_ids) AS queued (story_id) JOIN stories AS part USING (story_id)
            JOIN story_members ON story_members.story_id = coalesce(part.merged_into, part.story_id)
            WHERE posts.topic_id = $1 AND posts.state <> 'sent' AND story_members.document_id = evaluations.document_id)
), decided AS (
    UPDATE evaluations SET reason = verdict,
        state = CASE WHEN verdict IS NULL THEN 'relevant'::evaluation_state ELSE 'rejected' END
    FROM judged
    WHERE evaluations.evaluation_id = judged.evaluation_id AND NOT is_scored_again
        AND judged.reason IS DISTINCT FROM verdict
)
UPDATE evaluations SET state = 'waiting', reason = NULL, relevance_score = NULL, score_parts = '{}', matching_topics = '{}',
    summary = '', reasoning = '', is_ai_generated = false, provider = NULL, model = NULL, prompt_id = NULL,
    prompt_version = NULL, input_hash = NULL, evaluated_at = NULL
FROM judged WHERE evaluations.evaluation_id = judged.evaluation_id AND is_scored_again
RETURNING evaluations.evaluation_id;

-- name: relevant
-- The relevant articles of a curator from a moment until another, with what is shown of each.
SELECT evaluation_id, stories.story_id, story_uuid::text AS story_uuid, coverage_id AS event_id, article_title AS title,
    evaluations.url, relevance_score AS score, score_parts AS parts, matching_topics, summary, reasoning, seen_at,
    is_ai_generated, normalized_language AS language, publisher_family AS publisher,
    coalesce((SELECT name FROM publishers WHERE family = publisher_family), publisher_family) AS publisher_name,
    CASE WHEN coalesce(held.suppressed, false) THEN coalesce(held.suppression_reason, '') END AS suppression_reason
FROM evaluations JOIN documents USING (document_id) JOIN story_members USING (document_id) JOIN stories USING (story_id)
LEFT JOIN story_topic_state AS held ON held.topic_id = $1 AND held.story_id = stories.story_id
WHERE evaluations.topic_id = $1 AND evaluations.state = 'relevant' AND stories.status = 'active' AND seen_at >= $2
    AND seen_at < $3
ORDER BY evaluation_id;

-- name: posted_events
-- Which of these events a curator posted: a story of the event, or one that was merged into it, was sent, or is in a post
-- that waits, is held or failed, since that may still arrive.
SELECT event_id FROM unnest($2::bigint[]) AS asked (event_id)
WHERE EXISTS (
        SELECT FROM stories AS same JOIN stories AS part ON part.story_id = same.story_id OR part.merged_into = same.story_id
        JOIN story_topic_state AS posted ON posted.story_id = part.story_id
        WHERE same.coverage_id = asked.event_id AND same.status <> 'merged' AND posted.topic_id = $1
            AND posted.publish_count > 0)
    OR EXISTS (
        SELECT FROM posts CROSS JOIN LATERAL unnest(story_ids) AS queued (story_id) JOIN stories AS part USING (story_id)
        JOIN stories AS same ON same.story_id = coalesce(part.merged_into, part.story_id)
        WHERE posts.topic_id = $1 AND posts.state <> 'sent' AND same.coverage_id = asked.event_id);

-- name: stored_outcomes
-- What a curator remembers of stories: the outcomes of their articles, also under another address.
WITH members AS (
    SELECT story_id, document_id, canonical_url_hash FROM story_members JOIN documents USING (document_id)
    WHERE story_id = ANY ($2::bigint[])
), met AS (
    SELECT story_id, evaluation_id FROM members JOIN evaluations USING (document_id) WHERE topic_id = $1
    UNION
    SELECT story_id, evaluation_id FROM members JOIN evaluations ON url_hash = canonical_url_hash WHERE topic_id = $1
)
SELECT story_id, state::text AS state, provider, model, relevance_score, matching_topics
FROM met JOIN evaluations USING (evaluation_id) ORDER BY story_id, evaluation_id;

-- name: mark_notified
-- Mark the articles of a post as notified, whichever channel was first; the message is kept where it is Discord's. A story
-- that was merged since the post was made has its articles in the other one.
UPDATE evaluations SET state = 'notified', notified_at = coalesce(notified_at, now()),
    discord_message_id = coalesce(discord_message_id, CASE WHEN $2 THEN substring(posts.message_id FROM '^[0-9]{17,19}$') END)
FROM posts CROSS JOIN LATERAL unnest(posts.story_ids) AS posted (story_id) JOIN stories AS part USING (story_id)
JOIN story_members ON story_members.story_id = coalesce(part.merged_into, part.story_id)
WHERE post_id = $1 AND evaluations.topic_id = posts.topic_id AND evaluations.document_id = story_members.document_id
    AND evaluations.state IN ('relevant', 'notified');

-- name: forget_notified
-- Forget the oldest articles that were posted before a moment.
DELETE FROM evaluations WHERE evaluation_id IN (
    SELECT evaluation_id FROM evaluations WHERE state = 'notified' AND notified_at < $1
    ORDER BY notified_at LIMIT $2 FOR UPDATE SKIP LOCKED)
RETURNING evaluation_id;

-- name: forget_evaluated
-- Forget the oldest articles that were rejected, or not selected, before a moment.
DELETE FROM evaluations WHERE evaluation_id IN (
    SELECT evaluation_id FROM evaluations WHERE state IN ('rejected', 'relevant') AND evaluated_at < $1
    ORDER BY evaluated_at LIMIT $2 FOR UPDATE SKIP LOCKED)
RETURNING evaluation_id;

-- name: forget_waiting
-- Forget the articles that were found before a moment and never evaluated.
DELETE FROM evaluations WHERE evaluation_id IN (
    SELECT evaluation_id FROM curators JOIN evaluations USING (topic_id) WHERE state = 'waiting' AND found_at < $1
    LIMIT $2 FOR UPDATE OF evaluations SKIP LOCKED)
RETURNING evaluation_id;

-- name: list
-- The articles that a curator met, the latest first: in a state, with a reason, or all.
SELECT evaluation_id, document_id, article_id, url, article_title, state::text AS state, reason, relevance_score, score_parts,
    matching_topics, summary, reasoning, is_ai_generated, provider, model, prompt_id, prompt_version, found_at, evaluated_at,
    notified_at, discord_message_id, publisher_family AS publisher,
    coalesce((SELECT name FROM publishers WHERE family = publisher_family), publisher_family) AS publisher_name,
    (SELECT coverage_id FROM story_members JOIN stories USING (story_id) WHERE story_members.document_id = documents.document_id)
        AS event_id,
    (SELECT is_wanted FROM evaluation_labels AS label
        WHERE label.topic_id = evaluations.topic_id AND label.document_id = evaluations.document_id) AS is_wanted
FROM evaluations LEFT JOIN documents USING (document_id)
WHERE topic_id = $1 AND ($2::text[] IS NULL OR state::text = ANY ($2)) AND ($3::text IS NULL OR reason = $3)
    AND ($4::timestamptz IS NULL OR coalesce(notified_at, evaluated_at, found_at) >= $4) AND evaluation_id < $5
ORDER BY evaluation_id DESC LIMIT $6;

-- name: by_url
-- What curators know of an article: by the hash of its URL, by its story, or because its event was posted.
WITH own AS (
    SELECT story_id, coverage_id FROM story_members JOIN stories USING (story_id) WHERE story_members.document_id = $2
), related AS (
    SELECT story_members.document_id, part.story_id = own.story_id AS is_same_story
    FROM own JOIN stories AS part ON part.coverage_id = own.coverage_id AND part.status <> 'merged'
    JOIN story_members ON story_members.story_id = part.story_id
), met AS (
    SELECT evaluation_id, true AS is_same_story FROM curators JOIN evaluations USING (topic_id) WHERE url_hash = $1
    UNION
    SELECT evaluation_id, is_same_story FROM related JOIN evaluations USING (document_id)
    WHERE url_hash <> $1 AND (is_same_story OR state = 'notified')
)
SELECT topic_slug, evaluation_id, document_id, url, article_title, state::text AS state, reason, relevance_score, score_parts,
    matching_topics, summary, reasoning, is_ai_generated, provider, model, evaluated_at, notified_at, discord_message_id,
    url_hash = $1 AS is_same_url, is_same_story,
    (SELECT seen_at FROM documents WHERE documents.document_id = evaluations.document_id) AS seen_at,
    CASE WHEN state = 'waiting' THEN (
        SELECT problem FROM briefs WHERE briefs.kind = 'evaluation' AND subject_kind = 'evaluation'
            AND subject_id = evaluation_id LIMIT 1) END AS problem
FROM met JOIN evaluations USING (evaluation_id) JOIN topics USING (topic_id)
WHERE ($3::integer IS NULL OR topic_id = $3) AND NOT is_hidden
ORDER BY is_same_url DESC, is_same_story DESC, evaluation_id;

-- name: counts
-- How many articles of each curator, or of one, are in each state.
SELECT topic_id, state::text AS state, count(*) FROM evaluations WHERE $1::integer IS NULL OR topic_id = $1
GROUP BY topic_id, state;

-- name: failures
-- How many articles each curator evaluated since a moment, and how many wait because their evaluation failed.
SELECT topic_slug,
    (SELECT count(*) FROM evaluations AS done WHERE done.topic_id = curators.topic_id
        AND done.state IN ('relevant', 'rejected') AND done.evaluated_at >= $1) AS evaluated,
    count(brief_id) AS failed, min(briefs.problem) AS problem
FROM curators JOIN topics USING (topic_id) LEFT JOIN (
    evaluations JOIN briefs ON briefs.kind = 'evaluation' AND subject_kind = 'evaluation' AND subject_id = evaluation_id
        AND briefs.problem IS NOT NULL
) ON evaluations.topic_id = curators.topic_id AND evaluations.state = 'waiting'
GROUP BY curators.topic_id, topic_slug;

-- name: texts
-- The articles that represent stories, with their vectors of a model where there are any.
SELECT story_id, coverage_id AS event_id, document_id, article_id, documents.title, left(body_text, $2) AS body_text, normalized_language AS language,
    documents.canonical_url AS url, seen_at,
    coalesce((SELECT name FROM publishers WHERE family = publisher_family), publisher_family) AS publisher_name,
    (SELECT embedding::real[] FROM document_embeddings AS made
        WHERE made.document_id = documents.document_id AND model_name = $3 AND model_version = $4) AS vector
FROM stories JOIN documents ON document_id = representative_document_id
WHERE story_id = ANY ($1::bigint[]) AND char_length(body_text) >= $5 AND content_problem IS NULL
ORDER BY seen_at DESC, document_id DESC;

-- name: document_texts
-- Articles, the newest first, with their vectors of a model where there are any.
SELECT coalesce((SELECT story_id FROM story_members WHERE story_members.document_id = documents.document_id), 0) AS story_id,
    coalesce((SELECT coverage_id FROM story_members JOIN stories USING (story_id)
        WHERE story_members.document_id = documents.document_id), 0) AS event_id,
    document_id, article_id, title, left(body_text, $2) AS body_text, normalized_language AS language, canonical_url AS url,
    seen_at, coalesce((SELECT name FROM publishers WHERE family = publisher_family), publisher_family) AS publisher_name,
    (SELECT embedding::real[] FROM document_embeddings AS made
        WHERE made.document_id = documents.document_id AND model_name = $3 AND model_version = $4) AS vector
FROM documents WHERE document_id = ANY ($1::bigint[]) ORDER BY seen_at DESC, document_id DESC;

-- name: document_by_hash
-- The first document with this URL.
SELECT document_id FROM documents WHERE canonical_url_hash = $1 ORDER BY document_id LIMIT 1;

-- name: unmet
-- What keeps curators from meeting a document: its story was posted or suppressed or is not theirs, its text is not fetched,
-- or it is too old.
SELECT topic_slug, content_problem IS NOT DISTINCT FROM $3 AS is_pending, stories.story_id IS NOT NULL AS has_story,
    state.story_id IS NOT NULL AS is_assigned,
    CASE WHEN coalesce(state.suppressed, false) THEN coalesce(state.suppression_reason, '') END AS suppression_reason,
    (SELECT max(last_published_at) FROM stories AS part JOIN story_topic_state AS posted USING (story_id)
        WHERE (part.story_id = stories.story_id OR part.merged_into = stories.story_id)
            AND posted.topic_id = curators.topic_id AND posted.publish_count > 0) AS posted_at,
    coalesce(stories.first_seen_at, seen_at) >= $4::timestamptz - freshness_days * interval '1 day' AS is_fresh
FROM documents LEFT JOIN story_members USING (document_id) LEFT JOIN stories USING (story_id)
CROSS JOIN curators JOIN topics USING (topic_id)
LEFT JOIN story_topic_state AS state ON state.topic_id = curators.topic_id AND state.story_id = stories.story_id
WHERE documents.document_id = $1 AND NOT is_hidden AND ($2::integer IS NULL OR curators.topic_id = $2) ORDER BY topic_slug;
