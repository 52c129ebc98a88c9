-- name: decisions
-- The latest decisions about each of these documents, the oldest first.
SELECT asked.document_id, decision, event.created_at, story_uuid, canonical_title AS story_title, probability, best_cosine,
    title_overlap, entity_date_consistency, composite_score
FROM unnest($1::bigint[]) AS asked (document_id) CROSS JOIN LATERAL (
    SELECT dedup_event_id, decision::text AS decision, best_candidate_story_id, best_cosine, title_overlap,
        entity_date_consistency, composite_score, (details ->> 'probability')::float8 AS probability, created_at
    FROM dedup_events WHERE dedup_events.document_id = asked.document_id ORDER BY dedup_event_id DESC LIMIT $2) AS event
LEFT JOIN stories ON story_id = best_candidate_story_id
ORDER BY asked.document_id, dedup_event_id;

-- name: rejected
-- For each of these documents the most probably related document of each other story.
SELECT asked.document_id AS asked_id, near.*
FROM unnest($1::bigint[]) AS asked (document_id) CROSS JOIN LATERAL (
    SELECT DISTINCT ON (theirs.story_id) other.document_id, other.title, other.source,
        (SELECT name FROM source_names WHERE source_names.source = other.source) AS source_name, normalized_language AS language, story_uuid,
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

-- name: candidates
-- The documents that most probably report the same as this one, with the signals of the pair.
SELECT other.document_id, other.title, other.source, story_id, probability, document_links.signals AS signs
FROM document_links
JOIN documents AS other ON other.document_id = CASE WHEN one_id = $1 THEN other_id ELSE one_id END
JOIN story_members ON story_members.document_id = other.document_id
WHERE one_id = $1 OR other_id = $1
ORDER BY probability DESC, other.document_id LIMIT $2;

-- name: documents_like
-- The documents of a number, public id or URL.
SELECT document_id, article_id, collection, source, source_item_id, title, documents.canonical_url AS url,
    normalized_language AS language, publisher_family, published_at, fetched_at, seen_at, token_count, raw_arrival_id,
    story_id, story_uuid, canonical_title AS story_title, match_type::text AS match_type, match_score, match_details
FROM documents LEFT JOIN story_members USING (document_id) LEFT JOIN stories USING (story_id, collection)
WHERE document_id = $1 OR article_id = $2 OR documents.canonical_url_hash = $3 OR tracked_url_hash = $3
ORDER BY document_id LIMIT 50;

-- name: events
-- All decisions about a document, the oldest first.
SELECT dedup_event_id, decision::text AS decision, chosen_story_id, best_candidate_story_id, exact_signal, best_cosine,
    title_overlap, entity_date_consistency, composite_score, details, created_at
FROM dedup_events WHERE document_id = $1 ORDER BY dedup_event_id;
