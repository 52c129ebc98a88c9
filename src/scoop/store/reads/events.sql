-- name: latest
-- The events before a cursor, the latest first: of one collection or all, with these words in the title or any.
SELECT event_rows.* FROM (
    SELECT event_id FROM events
    WHERE status = 'active' AND last_seen_at >= $1 AND (last_seen_at, event_id) < ($2, $3)
        AND ($4::text IS NULL OR collection = $4) AND ($5::text IS NULL OR EXISTS (
            SELECT FROM stories WHERE coverage_id = event_id AND stories.status = 'active' AND canonical_title ILIKE $5))
    ORDER BY last_seen_at DESC, event_id DESC LIMIT $6 OFFSET $7
) AS part JOIN event_rows USING (event_id)
ORDER BY last_seen_at DESC, event_id DESC;

-- name: latest_of_topic
-- The latest events with a story of a topic that it does not suppress; only the topic's latest `$2` stories are read.
WITH latest AS (
    SELECT coverage_id, last_seen_at FROM stories JOIN story_topic_state AS state USING (story_id)
    WHERE status = 'active' AND state.topic_id = $1 AND NOT state.suppressed
    ORDER BY last_seen_at DESC, story_id DESC LIMIT $2
)
SELECT event_rows.* FROM (
    SELECT coverage_id AS event_id, max(last_seen_at) AS seen_at FROM latest GROUP BY 1 ORDER BY 2 DESC, 1 DESC LIMIT $3
) AS part JOIN event_rows USING (event_id)
ORDER BY seen_at DESC, event_id DESC;

-- name: ranked
-- The events of a window by rank, `$4` of each collection from offset `$5`, or of all collections together. Of a publisher
-- that nobody else confirms, the events beyond the first `$7` come after all others.
WITH seen AS (
    SELECT event_id, collection, rank, CASE WHEN publisher_family_count = 1 THEN row_number() OVER (
        PARTITION BY CASE WHEN $6 THEN collection END, publisher_families[1] ORDER BY rank DESC, event_id DESC) ELSE 1 END > $7 AS is_surplus
    FROM events
    WHERE status = 'active' AND last_seen_at >= $1 AND last_seen_at < $2 AND ($3::text IS NULL OR collection = $3)
), placed AS (
    SELECT event_id, row_number() OVER (
        PARTITION BY CASE WHEN $6 THEN collection END ORDER BY is_surplus, rank DESC, event_id DESC) AS place
    FROM seen
)
SELECT event_rows.* FROM placed JOIN event_rows USING (event_id) WHERE place > $5 AND place <= $5 + $4
ORDER BY CASE WHEN $6 THEN collection END, place;

-- name: developing
-- The events that developed since `$1` and were first seen before `$2`, by rank; see core.events.status.
SELECT event_rows.* FROM (
    SELECT event_id FROM events
    WHERE status = 'active' AND developed_at > $1 AND last_seen_at > $1 AND developed_at > created_at AND first_seen_at <= $2
    ORDER BY rank DESC, event_id DESC LIMIT $3
) AS part JOIN event_rows USING (event_id)
ORDER BY rank DESC, event_id DESC;

-- name: count_changes
-- The numbers of events that are new and that developed since a moment; at most the latest `$2` are counted.
SELECT count(*) FILTER (WHERE created_at > $1) AS new, count(*) FILTER (WHERE created_at <= $1) AS developed
FROM (
    SELECT created_at FROM events WHERE status = 'active' AND developed_at > $1 ORDER BY developed_at DESC, event_id DESC LIMIT $2
) AS changed;

-- name: by_ids
-- Active events by their numbers.
SELECT * FROM event_rows WHERE event_id = ANY ($1::bigint[]) AND status = 'active';

-- name: of_stories
-- The event of each of these stories.
SELECT story_id, coverage_id AS event_id FROM stories WHERE story_id = ANY ($1::bigint[]);

-- name: uuids_of_stories
-- The public id of the event that each of these stories, or the one that it was merged into, is part of.
SELECT stories.story_id, event_uuid FROM stories
JOIN stories AS stays ON stays.story_id = coalesce(stories.merged_into, stories.story_id)
JOIN events ON event_id = stays.coverage_id WHERE stories.story_id = ANY ($1::bigint[]);

-- name: find
-- One event by its number or its public id; an event that was merged gives the one that it is part of.
SELECT surviving.* FROM events JOIN event_rows AS surviving ON surviving.event_id = coalesce(events.merged_into, events.event_id)
WHERE events.event_id = $1 OR events.event_uuid = $2;

-- name: resolve
-- The surviving event of each of these numbers.
SELECT event_id, coalesce(merged_into, event_id) AS surviving_id FROM events WHERE event_id = ANY ($1::bigint[]);

-- name: stories
-- The stories of events, at most `$2` of each: the lead, or the one in `$3`, first, then those of most publishers.
SELECT shown.* FROM unnest($1::bigint[], $3::bigint[]) WITH ORDINALITY AS asked (event_id, first_id, place)
JOIN events USING (event_id) CROSS JOIN LATERAL (
    SELECT story_rows.* FROM story_rows
    WHERE coverage_id = asked.event_id AND story_rows.status <> 'merged' AND (story_rows.status = 'active' OR events.status <> 'active')
    ORDER BY story_id = coalesce(first_id, lead_story_id) DESC, story_rows.publisher_family_count DESC,
        centrality DESC NULLS LAST, story_rows.first_seen_at, story_id
    LIMIT $2) AS shown
ORDER BY place, shown.story_id = coalesce(first_id, lead_story_id) DESC, shown.publisher_family_count DESC, centrality DESC NULLS LAST,
    shown.first_seen_at, shown.story_id;

-- name: leads_in_language
-- The best story of each of these events in the language given with it.
SELECT story_rows.* FROM unnest($1::bigint[], $2::text[]) AS asked (event_id, language) JOIN events USING (event_id)
CROSS JOIN LATERAL (
    SELECT value::bigint AS story_id FROM jsonb_each_text(leads)
    WHERE split_part(key, '-', 1) = split_part(asked.language, '-', 1) ORDER BY key = asked.language DESC, key LIMIT 1) AS chosen
JOIN story_rows USING (story_id) WHERE story_rows.status = 'active' AND coverage_id = asked.event_id;

-- name: summaries_in_language
-- The current summary of each of these events that is written in the language given with it, the one asked for so first.
SELECT DISTINCT ON (subject_id) subject_id, summary_text AS summary, summaries.language AS summary_language,
    disclaimer_id AS summary_disclaimer
FROM unnest($1::bigint[], $2::text[]) AS asked (event_id, language)
JOIN summaries ON is_current AND subject_kind = 'event' AND subject_id = asked.event_id
    AND split_part(summaries.language, '-', 1) = split_part(asked.language, '-', 1)
ORDER BY subject_id, asked_language = asked.language DESC, summary_id DESC;

-- name: outlets
-- The sources of events in order of appearance, with the URL of the first document of each; at most `$2` of each event.
SELECT event_id, source, (SELECT name FROM source_names WHERE source_names.source = shown.source) AS source_name, url,
    publisher_family,
    coalesce((SELECT name FROM publishers WHERE family = publisher_family), publisher_family) AS publisher_name
FROM unnest($1::bigint[]) AS asked (event_id) CROSS JOIN LATERAL (
    SELECT source, url, publisher_family, seen_at, document_id FROM (
        SELECT DISTINCT ON (source) source, documents.canonical_url AS url, publisher_family, seen_at, document_id
        FROM stories JOIN story_members USING (story_id) JOIN documents USING (document_id)
        WHERE coverage_id = asked.event_id AND stories.status = 'active' ORDER BY source, seen_at, document_id) AS first
    ORDER BY seen_at, document_id LIMIT $2) AS shown
ORDER BY event_id, seen_at, document_id;

-- name: topics
-- The topics of events' stories.
SELECT coverage_id AS event_id, array_agg(DISTINCT topic_slug ORDER BY topic_slug) AS topics
FROM stories JOIN story_topic_state USING (story_id) JOIN topics USING (topic_id)
WHERE coverage_id = ANY ($1::bigint[]) AND stories.status = 'active' AND NOT suppressed GROUP BY 1;

-- name: documents
-- The documents of an event in order of appearance, from an offset. Of an active event those of suppressed stories are left
-- out.
SELECT story_id, document_id, article_id, source, source_item_id, documents.canonical_url AS url, title,
    normalized_language AS language, publisher_family, published_at, seen_at, match_type::text AS match_type, match_score,
    match_details, (SELECT name FROM source_names WHERE source_names.source = documents.source) AS source_name
FROM events JOIN stories ON coverage_id = event_id JOIN story_members USING (story_id) JOIN documents USING (document_id)
WHERE event_id = $1 AND stories.status <> 'merged' AND stories.status = events.status
ORDER BY seen_at, document_id LIMIT $2 OFFSET $3;

-- name: compared_documents
-- The documents of an event to compare: at most `$2`, the first of each publisher before the second ones; none of an event of
-- one publisher.
SELECT array_agg(document_id) FROM (
    SELECT document_id, row_number() OVER (PARTITION BY publisher_family ORDER BY seen_at, document_id) AS place
    FROM events JOIN stories ON coverage_id = event_id JOIN story_members USING (story_id) JOIN documents USING (document_id)
    WHERE event_id = $1 AND events.publisher_family_count > 1 AND stories.status <> 'merged' AND stories.status = events.status
    ORDER BY place, seen_at, document_id LIMIT $2
) AS compared;

-- name: compared_texts
-- Titles and the beginnings of the texts of documents, in order of appearance.
SELECT publisher_family AS publisher, normalized_language AS language, title, left(body_text, $2) AS body
FROM documents WHERE document_id = ANY ($1::bigint[]) ORDER BY seen_at, document_id;

-- name: related
-- Other events whose documents are linked to those of an event, each with its best link by the active model. Only the newest
-- documents are read.
WITH ours AS (
    SELECT document_id FROM events JOIN stories ON coverage_id = event_id JOIN story_members USING (story_id)
    WHERE event_id = $1 AND stories.status <> 'merged' AND stories.status = events.status
    ORDER BY document_id DESC LIMIT $3
), linked AS (
    SELECT DISTINCT ON (theirs.coverage_id) theirs.coverage_id AS event_id, probability, found.signals AS signs
    FROM ours CROSS JOIN LATERAL (
        SELECT other_id AS document_id, model_id, probability, signals FROM document_links WHERE one_id = ours.document_id
        UNION ALL
        SELECT one_id, model_id, probability, signals FROM document_links WHERE other_id = ours.document_id
    ) AS found
    JOIN story_members AS member ON member.document_id = found.document_id
    JOIN stories AS theirs ON theirs.story_id = member.story_id AND theirs.status = 'active' AND theirs.coverage_id <> $1
    WHERE probability >= $2 AND model_id = (SELECT model_id FROM embedding_models WHERE is_active)
    ORDER BY theirs.coverage_id, probability DESC
)
SELECT event_rows.*, probability, signs FROM linked JOIN event_rows USING (event_id)
WHERE status = 'active' ORDER BY probability DESC, last_seen_at DESC, event_id LIMIT $4;

-- name: last_change
-- When any of these events, or one of its stories, last changed.
SELECT greatest(max(events.updated_at), max(stories.updated_at))
FROM events LEFT JOIN stories ON coverage_id = event_id AND stories.status <> 'merged'
WHERE event_id = ANY ($1::bigint[]);
