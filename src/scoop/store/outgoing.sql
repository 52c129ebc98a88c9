-- name: latest
-- The groups of coverage that were seen last, of a collection or of all; so many of the latest stories are looked at.
WITH latest AS (
    SELECT coalesce(coverage_id, story_id) AS group_id, last_seen_at FROM stories
    WHERE status = 'active' AND ($1::text IS NULL OR collection = $1)
    ORDER BY last_seen_at DESC, story_id DESC LIMIT $2
)
SELECT group_id FROM latest GROUP BY group_id ORDER BY max(last_seen_at) DESC, group_id DESC LIMIT $3;

-- name: latest_of_topic
-- The groups of coverage of a topic that were seen last and that it does not hold back; the same many are looked at.
WITH latest AS (
    SELECT coalesce(coverage_id, story_id) AS group_id, last_seen_at
    FROM stories JOIN story_topic_state AS state USING (story_id)
    WHERE status = 'active' AND state.topic_id = $1 AND NOT state.suppressed
    ORDER BY last_seen_at DESC, story_id DESC LIMIT $2
)
SELECT group_id FROM latest GROUP BY group_id ORDER BY max(last_seen_at) DESC, group_id DESC LIMIT $3;

-- name: groups_of
-- The groups of coverage that active stories are in, the one that was seen last first.
SELECT coalesce(coverage_id, story_id) AS group_id FROM stories WHERE story_id = ANY ($1::bigint[]) AND status = 'active'
GROUP BY 1 ORDER BY max(last_seen_at) DESC, 1 DESC;

-- name: told
-- Active stories as they leave the house, with their outlets in order of appearance and their topics: these, or all of
-- these groups of coverage, without those that a topic holds back; in a group the most widely told first.
SELECT story_id, story_uuid, collection, canonical_title AS title, canonical_url AS url, status, first_seen_at, last_seen_at,
    item_count, source_count, publisher_family_count, stories.sources, publisher_families,
    coalesce(language, 'und') AS language, coalesce(lead, '') AS lead,
    coalesce(coverage_id, story_id) AS group_id, stories.updated_at AS changed_at, (
        SELECT oldest.story_uuid FROM stories AS oldest
        WHERE oldest.story_id = coalesce(stories.coverage_id, stories.story_id)) AS group_uuid, (
        SELECT coalesce(jsonb_agg(
            jsonb_build_object('source', source, 'source_name', name, 'url', url) ORDER BY seen_at, document_id), '[]')
        FROM (
            SELECT DISTINCT ON (source) source, documents.canonical_url AS url, seen_at, document_id
            FROM story_members JOIN documents USING (document_id) WHERE story_members.story_id = stories.story_id
            ORDER BY source, seen_at, document_id
        ) AS first LEFT JOIN sources ON slug = source) AS outlets, ARRAY(
        SELECT topic_slug FROM story_topic_state AS state JOIN topics USING (topic_id)
        WHERE state.story_id = stories.story_id AND NOT suppressed ORDER BY topic_slug) AS topics
FROM stories LEFT JOIN LATERAL (
    SELECT normalized_language AS language, left(body_text, 400) AS lead FROM documents
    WHERE document_id = representative_document_id) AS representative ON true
WHERE status = 'active' AND (story_id = ANY ($1::bigint[]) OR ($2 AND coverage_id = ANY ($1::bigint[])))
    AND (NOT $2 OR coalesce(coverage_id, story_id) = ANY ($1::bigint[]))
    AND ($3::int IS NULL OR NOT EXISTS (
        SELECT FROM story_topic_state AS state
        WHERE state.story_id = stories.story_id AND state.topic_id = $3 AND state.suppressed))
ORDER BY publisher_family_count DESC, source_count DESC, last_seen_at DESC, story_id DESC;

-- name: has_collection
-- Whether anything is, or is about to be, of this collection.
SELECT EXISTS (SELECT FROM stories WHERE collection = $1) OR EXISTS (SELECT FROM sources WHERE collection = $1);

-- name: told_digests
-- The latest digests of a topic that were posted, or one of them, with all that they told: a twin after its story.
SELECT digest_run_id, topic_slug, topic_name, timezone, run_date, published_at, (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'story_id', story_id, 'story_uuid', story_uuid, 'title', told -> 'title', 'url', told -> 'url',
        'summary', told -> 'summary', 'publishers', told -> 'publishers', 'language', told -> 'language', 'change', change,
        'twin_of', twin_of) ORDER BY rank, twin_of NULLS FIRST, story_id), '[]')
    FROM digest_entries JOIN stories USING (story_id)
    WHERE digest_entries.digest_run_id = digest_runs.digest_run_id AND rank IS NOT NULL) AS tellings
FROM digest_runs JOIN topics USING (topic_id)
WHERE published_at IS NOT NULL AND ($1::int IS NULL OR topic_id = $1) AND ($2::bigint IS NULL OR digest_run_id = $2)
ORDER BY run_date DESC, digest_run_id DESC LIMIT $3;

-- name: stories
-- A page of stories as JSON, each with its members, after the story of this number.
SELECT story_id AS place, json_build_object(
    'story_uuid', story_uuid, 'collection', collection, 'title', canonical_title, 'url', canonical_url, 'status', status,
    'coverage_id', (SELECT story_uuid FROM stories AS oldest
        WHERE oldest.story_id = coalesce(stories.coverage_id, stories.story_id)),
    'first_seen_at', first_seen_at, 'last_seen_at', last_seen_at, 'item_count', item_count, 'sources', sources,
    'publisher_families', publisher_families, 'members', coalesce((
        SELECT json_agg(json_build_object(
            'article_id', article_id, 'source', source, 'source_item_id', source_item_id, 'url', documents.canonical_url,
            'match_type', match_type, 'match_score', match_score) ORDER BY seen_at, document_id)
        FROM story_members JOIN documents USING (document_id) WHERE story_members.story_id = stories.story_id), '[]'))::text AS line
FROM stories
WHERE story_id > $1 AND ($2::text IS NULL OR collection = $2) AND (status <> 'merged' OR $5)
    AND ($3::timestamptz IS NULL OR last_seen_at >= $3) AND ($4::timestamptz IS NULL OR last_seen_at < $4)
ORDER BY story_id LIMIT $6;

-- name: documents
-- A page of documents as JSON, after the document of this number; what has no story yet, has none here.
SELECT document_id AS place, json_build_object(
    'article_id', article_id, 'collection', collection, 'source', source, 'source_item_id', source_item_id,
    'url', canonical_url, 'title', title, 'body_text', body_text, 'language', normalized_language,
    'published_at', published_at, 'fetched_at', fetched_at, 'seen_at', seen_at, 'source_domain', source_domain,
    'publisher_family', publisher_family, 'authors', authors, 'tags', tags, 'image_url', image_url, 'story_uuid', (
        SELECT story_uuid FROM story_members JOIN stories USING (story_id)
        WHERE story_members.document_id = documents.document_id))::text AS line
FROM documents
WHERE document_id > $1 AND ($2::text IS NULL OR collection = $2)
    AND ($3::timestamptz IS NULL OR seen_at >= $3) AND ($4::timestamptz IS NULL OR seen_at < $4)
ORDER BY document_id LIMIT $5;
