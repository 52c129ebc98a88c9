-- name: subjects
-- What pieces of work are about, in people's words; stories and sources have pages of their own.
SELECT handed.stage, handed.subject, sources.slug AS source, stories.story_uuid, coalesce(
        sources.name, stories.canonical_title,
        CASE WHEN handed.stage IN ('dedup', 'embed', 'link', 'index') THEN (
            SELECT title FROM documents WHERE document_id = handed.subject) END,
        CASE WHEN handed.stage IN ('pages', 'normalize') THEN (
            SELECT format('%s %s', source, source_item_id) FROM raw_arrivals WHERE raw_arrival_id = handed.subject) END,
        CASE WHEN handed.stage IN ('digest', 'sweep') THEN (
            SELECT topic_name FROM topics WHERE topic_id = handed.subject) END,
        CASE WHEN handed.stage = 'publish' THEN (
            SELECT format('%s, %s, part %s', topic_name, channel, part_no)
            FROM posts JOIN topics USING (topic_id) WHERE post_id = handed.subject) END,
        '') AS label
FROM unnest($1::text[], $2::bigint[]) AS handed (stage, subject)
LEFT JOIN sources ON handed.stage = 'ingest' AND source_id = handed.subject
LEFT JOIN stories ON handed.stage IN ('group', 'assign-topics') AND story_id = handed.subject;
