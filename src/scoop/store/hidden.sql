-- name: hide_sources
-- Hide the articles of these sources in these collections, also those that are still to be processed.
INSERT INTO hidden_sources (source, collection)
SELECT source, collection FROM documents WHERE source = ANY ($1::text[]) AND collection = ANY ($2::text[])
UNION SELECT slug, collection FROM sources WHERE slug = ANY ($1::text[]) AND collection = ANY ($2::text[])
ON CONFLICT DO NOTHING;

-- name: suppress_stories
-- Suppress the active stories that have only hidden articles: all, or those of these ids.
UPDATE stories SET status = 'suppressed'
WHERE status = 'active' AND ($1::bigint[] IS NULL OR story_id = ANY ($1))
    AND collection IN (SELECT collection FROM hidden_sources)
    AND NOT EXISTS (SELECT FROM unnest(sources) AS named (source) WHERE (named.source, stories.collection) NOT IN (
        SELECT source, collection FROM hidden_sources))
RETURNING story_id;

-- name: hide_topics
-- Hide topics.
UPDATE topics SET is_hidden = true WHERE topic_slug = ANY ($1::text[]);

-- name: hide_digests
-- Hide the digests of hidden topics, and those that have only suppressed stories.
UPDATE digest_runs SET is_hidden = true
WHERE topic_id IN (SELECT topic_id FROM topics WHERE is_hidden) OR (
    EXISTS (SELECT FROM digest_entries AS entry WHERE entry.digest_run_id = digest_runs.digest_run_id)
    AND NOT EXISTS (
        SELECT FROM digest_entries AS entry JOIN stories USING (story_id)
        JOIN stories AS stays ON stays.story_id = coalesce(stories.merged_into, stories.story_id)
        WHERE entry.digest_run_id = digest_runs.digest_run_id AND stays.status <> 'suppressed'));

-- name: drop_facets
-- Delete the search facets that only hidden articles have.
DELETE FROM search_facets
WHERE facet IN (
        SELECT unnest(facets) FROM document_search JOIN documents USING (document_id)
        JOIN hidden_sources USING (source, collection))
    AND NOT EXISTS (
        SELECT FROM document_search JOIN documents USING (document_id)
        WHERE facets @> ARRAY[search_facets.facet]
            AND (source, collection) NOT IN (SELECT source, collection FROM hidden_sources));

-- name: resolve_alerts
-- Resolve the open alerts about these sources and topics.
UPDATE alerts SET resolved_at = now() WHERE resolved_at IS NULL AND subject = ANY ($1::text[]);

-- name: show_sources
-- Show the articles of these collections again.
DELETE FROM hidden_sources WHERE collection = ANY ($1::text[]);

-- name: show_stories
-- Make the suppressed stories of these collections active again, except those that a person suppressed.
UPDATE stories SET status = 'active'
WHERE status = 'suppressed' AND suppressed_by IS NULL AND collection = ANY ($1::text[]) RETURNING story_id;

-- name: show_topics
-- Show topics again, with their digests.
WITH shown AS (UPDATE topics SET is_hidden = false WHERE topic_slug = ANY ($1::text[]) RETURNING topic_id)
UPDATE digest_runs SET is_hidden = false WHERE topic_id IN (SELECT topic_id FROM shown);

-- name: put_facets
-- Store the search facets of the articles of these collections again.
INSERT INTO search_facets (facet)
SELECT DISTINCT facet FROM document_search JOIN documents USING (document_id), unnest(facets) AS made (facet)
WHERE collection = ANY ($1::text[]) AND left(facet, 2) IN ('c:', 's:', 'l:')
ORDER BY facet ON CONFLICT DO NOTHING;

-- name: is_any
-- Whether anything is hidden.
SELECT EXISTS (SELECT FROM hidden_sources);

-- name: is_demo_removed
-- Whether something is hidden and none of its sources is configured.
SELECT EXISTS (SELECT FROM hidden_sources)
    AND NOT EXISTS (SELECT FROM sources JOIN hidden_sources ON hidden_sources.source = sources.slug);
