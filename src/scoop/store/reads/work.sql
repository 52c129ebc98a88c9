-- name: subjects
-- What work items are about, by the kind of their subject; sources, stories, articles and events have pages of their own.
SELECT handed.stage, handed.subject, sources.slug AS source, stories.story_uuid, articles.article_id, events.event_uuid,
    coalesce(
        sources.name, stories.canonical_title, articles.title,
        (SELECT canonical_title FROM stories AS led_by WHERE led_by.story_id = events.lead_story_id),
        CASE WHEN handed.kind = 'document' THEN (
            SELECT title FROM documents WHERE document_id = handed.subject) END,
        CASE WHEN handed.kind = 'arrival' THEN (
            SELECT format('%s %s', coalesce(name, source), source_item_id)
            FROM raw_arrivals LEFT JOIN source_names USING (source) WHERE raw_arrival_id = handed.subject) END,
        CASE WHEN handed.kind = 'topic' THEN (
            SELECT topic_name FROM topics WHERE topic_id = handed.subject) END,
        CASE WHEN handed.kind = 'post' THEN (
            SELECT format('%s, %s, part %s', topic_name, channel, part_no)
            FROM posts JOIN topics USING (topic_id) WHERE post_id = handed.subject) END,
        CASE WHEN handed.kind = 'webhook delivery' THEN (
            SELECT name FROM webhook_deliveries JOIN webhooks USING (webhook_id)
            WHERE webhook_delivery_id = handed.subject) END,
        CASE WHEN handed.kind = 'projection feed' THEN (
            SELECT format('%s, %s', projection, replace(subject_kind, '_', ' '))
            FROM projection_feeds WHERE feed_id = handed.subject) END,
        '') AS label
FROM unnest($1::text[], $2::bigint[], $3::text[]) AS handed (stage, subject, kind)
LEFT JOIN sources ON handed.kind = 'source' AND source_id = handed.subject
LEFT JOIN stories ON handed.kind = 'story' AND story_id = handed.subject
LEFT JOIN briefs ON handed.kind = 'brief' AND brief_id = handed.subject
LEFT JOIN evaluations ON briefs.subject_kind = 'evaluation' AND evaluation_id = briefs.subject_id
LEFT JOIN documents AS articles ON articles.document_id = CASE briefs.subject_kind
    WHEN 'document' THEN briefs.subject_id WHEN 'evaluation' THEN evaluations.document_id END
LEFT JOIN events ON briefs.subject_kind = 'event' AND events.event_id = briefs.subject_id;
