-- name: days
-- How many stories there are on each local day of a window, of one collection or all.
SELECT (last_seen_at AT TIME ZONE $3)::date AS day, count(*) AS stories FROM stories
WHERE status = 'active' AND last_seen_at >= $1 AND last_seen_at < $2 AND ($4::text IS NULL OR collection = $4)
GROUP BY 1 ORDER BY 1;

-- name: developing
-- The stories that have grown since a moment and are older than another, the most widely told first.
SELECT story_id, story_uuid, canonical_title AS title, coalesce((
        SELECT normalized_language FROM documents WHERE document_id = representative_document_id), 'und') AS language,
    item_count, source_count, publisher_family_count, last_seen_at
FROM stories WHERE status = 'active' AND last_seen_at >= $1 AND first_seen_at <= $2 AND item_count > 1
ORDER BY publisher_family_count DESC, source_count DESC, last_seen_at DESC, story_id DESC LIMIT $3;

-- name: digests
-- For each topic that is on, or had a digest of a date, the run of it that counts: a live one, one with posts, the latest.
SELECT topic_slug, topic_name, timezone, digest_cron, run.mode, published_at, left_to_legacy_at, entry_count,
    coalesce(post_states, '{}') AS post_states
FROM topics LEFT JOIN LATERAL (
    SELECT digest_runs.mode::text AS mode, digest_runs.published_at, left_to_legacy_at, (
            SELECT count(*)::int FROM digest_entries AS entry
            WHERE entry.digest_run_id = digest_runs.digest_run_id AND rank IS NOT NULL) AS entry_count,
        ARRAY(SELECT DISTINCT state::text FROM posts WHERE posts.digest_run_id = digest_runs.digest_run_id) AS post_states
    FROM digest_runs
    WHERE digest_runs.topic_id = topics.topic_id AND run_date = $1 AND digest_runs.status = 'completed'
    ORDER BY digest_runs.mode = 'live' DESC,
        EXISTS (SELECT FROM posts WHERE posts.digest_run_id = digest_runs.digest_run_id) DESC, attempt DESC LIMIT 1
) AS run ON true
WHERE enabled OR run.mode IS NOT NULL ORDER BY topic_name, topic_slug;

-- name: source_health
-- How many of the sources that are visited are in which state.
SELECT health::text AS health, count(*) AS sources FROM sources WHERE enabled GROUP BY health;

-- name: related
-- The stories of the same group of coverage, and others that are linked to this one, each with its best link by the
-- deciding model. Of a story of very many documents the newest speak.
WITH linked AS (
    SELECT DISTINCT ON (theirs.story_id) theirs.story_id, probability, found.signals AS signs
    FROM (SELECT document_id FROM story_members WHERE story_id = $1 ORDER BY document_id DESC LIMIT $3) AS ours
    CROSS JOIN LATERAL (
        SELECT other_id AS document_id, model_id, probability, signals FROM document_links WHERE one_id = ours.document_id
        UNION ALL
        SELECT one_id, model_id, probability, signals FROM document_links WHERE other_id = ours.document_id
    ) AS found
    JOIN story_members AS theirs ON theirs.document_id = found.document_id AND theirs.story_id <> $1
    WHERE probability >= $2 AND model_id = (SELECT model_id FROM embedding_models WHERE is_active)
    ORDER BY theirs.story_id, probability DESC
), company AS (
    SELECT story_id FROM stories
    WHERE coverage_id = (SELECT coverage_id FROM stories WHERE story_id = $1) AND story_id <> $1
)
SELECT story_id, story_uuid, canonical_title AS title, coalesce((
        SELECT normalized_language FROM documents WHERE document_id = representative_document_id), 'und') AS language,
    item_count, source_count, publisher_family_count, last_seen_at, probability, signs,
    company.story_id IS NOT NULL AS is_company
FROM linked FULL JOIN company USING (story_id) JOIN stories USING (story_id)
WHERE status = 'active' ORDER BY is_company DESC, probability DESC NULLS LAST, last_seen_at DESC, story_id LIMIT $4;

-- name: decisions
-- What people decided about a story and has not been undone, the latest first.
SELECT decision_id, action, story_decisions.collection, story_decisions.story_id, other_story_id, document_ids, pointing_ids,
    note, decided_at, decided_by, NULL::timestamptz AS undone_at, '' AS undone_by, stories.canonical_title AS title,
    other.canonical_title AS other_title,
    stories.story_uuid::text AS story_uuid, other.story_uuid::text AS other_story_uuid
FROM story_decisions JOIN stories USING (story_id) JOIN stories AS other ON other.story_id = other_story_id
WHERE (story_decisions.story_id = $1 OR other_story_id = $1) AND EXISTS (
    SELECT FROM story_verdicts WHERE story_verdicts.decision_id = story_decisions.decision_id AND undone_at IS NULL)
ORDER BY decision_id DESC LIMIT $2;

-- name: topics
-- The topics that a story belongs to, and what they did with it.
SELECT topic_slug, topic_name, publish_count, last_published_at, suppressed, suppression_reason
FROM story_topic_state JOIN topics USING (topic_id) WHERE story_id = $1 ORDER BY topic_name, topic_slug;

-- name: facts
-- Whether documents have a text, how long it is, and with how many different ones each was seen.
SELECT document_id, body_text <> '' AS has_text, token_count, (
    SELECT count(DISTINCT md5(concat_ws(E'\n', raw_payload ->> 'title', raw_payload ->> 'body_text', pages.text)))
    FROM raw_arrivals LEFT JOIN pages USING (raw_arrival_id)
    WHERE raw_arrivals.source = documents.source AND raw_arrivals.source_item_id = documents.source_item_id
        AND raw_arrivals.collection = documents.collection) AS texts
FROM documents WHERE document_id = ANY ($1::bigint[]);

-- name: events
-- The latest decisions about each of these documents, in the order they were made.
SELECT asked.document_id, decision, event.created_at, story_uuid, canonical_title AS story_title, probability, best_cosine,
    title_overlap, entity_date_consistency, composite_score
FROM unnest($1::bigint[]) AS asked (document_id) CROSS JOIN LATERAL (
    SELECT dedup_event_id, decision::text AS decision, best_candidate_story_id, best_cosine, title_overlap,
        entity_date_consistency, composite_score, (details ->> 'probability')::float8 AS probability, created_at
    FROM dedup_events WHERE dedup_events.document_id = asked.document_id ORDER BY dedup_event_id DESC LIMIT $2) AS event
LEFT JOIN stories ON story_id = best_candidate_story_id
ORDER BY asked.document_id, dedup_event_id;

-- name: candidates
-- Of each of these documents the one of each other story that most probably tells of the same, the best of these.
SELECT asked.document_id AS asked_id, near.*
FROM unnest($1::bigint[]) AS asked (document_id) CROSS JOIN LATERAL (
    SELECT DISTINCT ON (theirs.story_id) other.document_id, other.title, other.source,
        (SELECT name FROM sources WHERE slug = other.source) AS source_name, normalized_language AS language, story_uuid,
        probability, signs
    FROM (
        SELECT other_id AS document_id, probability, signals AS signs FROM document_links WHERE one_id = asked.document_id
        UNION ALL
        SELECT one_id, probability, signals FROM document_links WHERE other_id = asked.document_id
    ) AS linked JOIN documents AS other USING (document_id) JOIN story_members AS theirs USING (document_id)
    JOIN stories ON stories.story_id = theirs.story_id
    WHERE theirs.story_id <> (SELECT story_id FROM story_members AS ours WHERE ours.document_id = asked.document_id)
    ORDER BY theirs.story_id, probability DESC, other.document_id) AS near
ORDER BY asked_id, probability DESC, near.document_id;

-- name: article
-- A document of a story to be read, with those that appeared before and after it.
WITH members AS (
    SELECT document_id, seen_at FROM story_members JOIN documents USING (document_id) WHERE story_id = $1
)
SELECT document_id, source, (SELECT name FROM sources WHERE slug = source) AS source_name, title, body_text, authors,
    canonical_url AS url, normalized_language AS language, documents.seen_at, token_count, content_problem,
    (SELECT document_id FROM members AS earlier
        WHERE (earlier.seen_at, earlier.document_id) < (documents.seen_at, documents.document_id)
        ORDER BY earlier.seen_at DESC, earlier.document_id DESC LIMIT 1) AS earlier_id,
    (SELECT document_id FROM members AS later
        WHERE (later.seen_at, later.document_id) > (documents.seen_at, documents.document_id)
        ORDER BY later.seen_at, later.document_id LIMIT 1) AS later_id
FROM documents WHERE document_id = $2 AND document_id IN (SELECT members.document_id FROM members);

-- name: arrivals
-- The latest arrivals of what a document is the current reading of, the oldest first.
SELECT raw_arrival_id FROM (
    SELECT raw_arrivals.raw_arrival_id FROM raw_arrivals JOIN documents USING (source, source_item_id, collection)
    WHERE document_id = $1 ORDER BY raw_arrivals.fetched_at DESC, raw_arrivals.raw_arrival_id DESC LIMIT $2) AS latest
ORDER BY raw_arrival_id;
