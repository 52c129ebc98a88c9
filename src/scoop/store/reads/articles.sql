-- name: articles
-- The articles before a cursor, the latest first, of one source, one category or all; texts are cut. Of the sources that
-- have one article, all are listed, or ($8) only the first of the time that is shown. $9 is the stage that reads their pages.
SELECT document_id, article_id, documents.source, documents.title, documents.canonical_url, documents.published_at,
    documents.fetched_at, seen_at, documents.authors, tags, left(body_text, $6) AS body_text, token_count, archive_key,
    documents.collection, normalized_language AS language, content_problem, char_length(body_text) AS characters,
    story_uuid, event_uuid,
    publisher_family, (SELECT name FROM publishers WHERE family = publisher_family) AS publisher_name, (
        SELECT due_at FROM work
        WHERE stage = $9 AND subject = raw_arrival_id AND state <> 'quarantined' AND error IS NOT NULL) AS page_retry_at
FROM documents LEFT JOIN pages USING (raw_arrival_id)
    LEFT JOIN story_members USING (document_id) LEFT JOIN stories USING (story_id) LEFT JOIN events ON event_id = coverage_id
WHERE seen_at >= $1 AND (seen_at, document_id) < ($2, $3) AND ($4::text IS NULL OR documents.source = $4)
    AND ($5::text IS NULL OR documents.source IN (SELECT slug FROM sources WHERE category = $5))
    AND (documents.source, documents.collection) NOT IN (SELECT source, collection FROM hidden_sources)
    AND NOT ($8 AND EXISTS (
        SELECT FROM documents AS earlier WHERE earlier.article_id = documents.article_id AND earlier.seen_at >= $1
            AND (earlier.seen_at, earlier.document_id) < (documents.seen_at, documents.document_id)
            AND ($4::text IS NULL OR earlier.source = $4)
            AND ($5::text IS NULL OR earlier.source IN (SELECT slug FROM sources WHERE category = $5))
            AND (earlier.source, earlier.collection) NOT IN (SELECT source, collection FROM hidden_sources)))
ORDER BY seen_at DESC, document_id DESC LIMIT $7;

-- name: article
-- The article of a public id: of one source, or the first. $4 is the stage that reads its page.
SELECT document_id, article_id, documents.source, documents.title, documents.canonical_url, documents.published_at,
    documents.fetched_at, seen_at, documents.authors, tags, left(body_text, $3) AS body_text, token_count, archive_key,
    documents.collection, normalized_language AS language, content_problem, char_length(body_text) AS characters,
    story_uuid, event_uuid,
    publisher_family, (SELECT name FROM publishers WHERE family = publisher_family) AS publisher_name, (
        SELECT due_at FROM work
        WHERE stage = $4 AND subject = raw_arrival_id AND state <> 'quarantined' AND error IS NOT NULL) AS page_retry_at
FROM documents LEFT JOIN pages USING (raw_arrival_id)
    LEFT JOIN story_members USING (document_id) LEFT JOIN stories USING (story_id) LEFT JOIN events ON event_id = coverage_id
WHERE article_id = $1 AND ($2::text IS NULL OR documents.source = $2)
    AND (documents.source, documents.collection) NOT IN (SELECT source, collection FROM hidden_sources)
ORDER BY seen_at, document_id LIMIT 1;

-- name: sources_since
-- The sources that have articles since a time, with their names.
SELECT source, coalesce((SELECT name FROM source_names WHERE source_names.source = recent.source), source) AS name
FROM (
    SELECT DISTINCT source FROM documents
    WHERE seen_at >= $1 AND (source, collection) NOT IN (SELECT source, collection FROM hidden_sources)) AS recent
ORDER BY name, source;

-- name: failure_counts
-- The articles that sources of a kind brought since a time: how many, how many of their pages could not be fetched, and how
-- many have a text, but no summary although a writer tried.
SELECT sources.slug AS source, count(raw_arrivals.raw_arrival_id) AS articles,
    count(*) FILTER (WHERE pages.problem = ANY ($3::text[])) AS not_fetched,
    count(*) FILTER (WHERE char_length(body_text) >= $4 AND EXISTS (
        SELECT FROM briefs WHERE briefs.kind = 'summary' AND subject_kind = 'document' AND subject_id = document_id
            AND briefs.problem IS NOT NULL AND written_at IS NULL)) AS not_summarized
FROM sources LEFT JOIN raw_arrivals ON raw_arrivals.source = slug AND raw_arrivals.fetched_at >= $2
    LEFT JOIN pages USING (raw_arrival_id)
    LEFT JOIN documents ON documents.source = slug AND documents.source_item_id = raw_arrivals.source_item_id
        AND documents.collection = raw_arrivals.collection
WHERE sources.kind = $1 GROUP BY sources.slug;
