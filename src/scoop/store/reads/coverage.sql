-- name: latest
-- The latest groups of coverage, of one collection or all; only the latest `$2` stories are read.
WITH latest AS (
    SELECT coalesce(coverage_id, story_id) AS group_id, last_seen_at FROM stories
    WHERE status = 'active' AND ($1::text IS NULL OR collection = $1)
    ORDER BY last_seen_at DESC, story_id DESC LIMIT $2
)
SELECT group_id FROM latest GROUP BY group_id ORDER BY max(last_seen_at) DESC, group_id DESC LIMIT $3;

-- name: latest_of_topic
-- The latest groups of coverage of a topic, without suppressed stories; only the latest `$2` stories are read.
WITH latest AS (
    SELECT coalesce(coverage_id, story_id) AS group_id, last_seen_at
    FROM stories JOIN story_topic_state AS state USING (story_id)
    WHERE status = 'active' AND state.topic_id = $1 AND NOT state.suppressed
    ORDER BY last_seen_at DESC, story_id DESC LIMIT $2
)
SELECT group_id FROM latest GROUP BY group_id ORDER BY max(last_seen_at) DESC, group_id DESC LIMIT $3;

-- name: groups_of_stories
-- The groups of coverage of these active stories, the latest first.
SELECT coalesce(coverage_id, story_id) AS group_id FROM stories WHERE story_id = ANY ($1::bigint[]) AND status = 'active'
GROUP BY 1 ORDER BY max(last_seen_at) DESC, 1 DESC;

-- name: outgoing
-- Active stories with their outlets in order of appearance and their topics: these, or all of these groups of coverage,
-- without those that a topic suppresses; in a group those of most publishers first.
SELECT story_rows.*, coalesce(coverage_id, story_id) AS group_id, (
        SELECT oldest.story_uuid FROM stories AS oldest
        WHERE oldest.story_id = coalesce(story_rows.coverage_id, story_rows.story_id)) AS group_uuid, (
        SELECT outlets FROM story_outlets WHERE story_outlets.story_id = story_rows.story_id) AS outlets, ARRAY(
        SELECT topic_slug FROM story_topic_state AS state JOIN topics USING (topic_id)
        WHERE state.story_id = story_rows.story_id AND NOT suppressed ORDER BY topic_slug) AS topics
FROM story_rows
WHERE status = 'active' AND (story_id = ANY ($1::bigint[]) OR ($2 AND coverage_id = ANY ($1::bigint[])))
    AND (NOT $2 OR coalesce(coverage_id, story_id) = ANY ($1::bigint[]))
    AND ($3::int IS NULL OR NOT EXISTS (
        SELECT FROM story_topic_state AS state
        WHERE state.story_id = story_rows.story_id AND state.topic_id = $3 AND state.suppressed))
ORDER BY publisher_family_count DESC, source_count DESC, last_seen_at DESC, story_id DESC;

-- name: coverage
-- The latest groups of coverage since a moment, of one collection or all; a single story is a group too.
WITH latest AS (
    SELECT coalesce(coverage_id, story_id) AS coverage_id, collection, max(last_seen_at) AS last_seen_at,
        sum(item_count)::int AS item_count,
        array_agg(story_id ORDER BY item_count DESC, first_seen_at, story_id) AS story_ids,
        array_agg(canonical_title ORDER BY item_count DESC, first_seen_at, story_id) AS titles
    FROM stories WHERE status = 'active' AND ($1::text IS NULL OR collection = $1)
    GROUP BY 1, 2 HAVING $2::timestamptz IS NULL OR max(last_seen_at) >= $2
    ORDER BY 3 DESC, 1 DESC LIMIT $3
)
SELECT coverage_id, collection, last_seen_at, item_count, (
        SELECT count(DISTINCT family)::int FROM stories CROSS JOIN unnest(publisher_families) AS family
        WHERE story_id = ANY (story_ids)) AS publisher_family_count,
    story_ids, titles
FROM latest ORDER BY last_seen_at DESC, coverage_id DESC;

-- name: headlines
-- The stories of the groups of coverage that have one in a window, `$4` groups of each collection from offset `$5`: the
-- group of most publishers first, and in it the stories of the window first. A single story is a group too.
WITH seen AS (
    SELECT * FROM stories
    WHERE status = 'active' AND last_seen_at >= $1 AND last_seen_at < $2 AND ($3::text IS NULL OR collection = $3)
), gathered AS (
    SELECT *, coalesce(coverage_id, story_id) AS group_id, true AS is_seen FROM seen
    UNION ALL
    SELECT *, coverage_id, false FROM stories
    WHERE coverage_id IN (SELECT coverage_id FROM seen) AND status = 'active' AND (last_seen_at < $1 OR last_seen_at >= $2)
), placed AS (
    SELECT collection, group_id, row_number() OVER (
        PARTITION BY collection ORDER BY count(DISTINCT outlet.publisher_family) DESC, count(DISTINCT outlet.source) DESC,
            max(last_seen_at) FILTER (WHERE is_seen) DESC, group_id DESC
    ) AS place
    FROM gathered CROSS JOIN LATERAL unnest(publisher_families, sources) AS outlet (publisher_family, source)
    GROUP BY collection, group_id
)
SELECT group_id, story_rows.*, (
    SELECT outlets FROM story_outlets WHERE story_outlets.story_id = gathered.story_id) AS outlets
FROM placed JOIN gathered USING (collection, group_id) JOIN story_rows USING (story_id)
WHERE place > $5 AND place <= $5 + $4
ORDER BY placed.collection, place, is_seen DESC, story_rows.publisher_family_count DESC, story_rows.source_count DESC,
    story_rows.last_seen_at DESC, story_id DESC;
