-- name: readings
-- The documents that dedup judges, with their stories, if any.
SELECT document_id, collection, source, source_item_id, title, canonical_url, canonical_url_hash, tracked_url_hash, seen_at,
    publisher_family, native_ids, content_hash, token_count, story_id
FROM documents LEFT JOIN story_members USING (document_id)
WHERE document_id = ANY ($1::bigint[]);

-- name: same_url
-- For each document and each spelling of its URL (with and without tracking parameters) one other with that URL that is in
-- a story. One branch for each index: an OR over two columns would scan both even if the first lookup finds a document.
SELECT judged.document_id, other.document_id AS matched_document_id, other.story_id
FROM documents AS judged CROSS JOIN unnest(ARRAY[canonical_url_hash, tracked_url_hash]) AS spelling (hash) CROSS JOIN LATERAL (
    SELECT document_id, story_id FROM (
        SELECT document_id FROM documents AS twin
        WHERE twin.collection = judged.collection AND twin.canonical_url_hash = hash
        UNION ALL
        SELECT document_id FROM documents AS twin
        WHERE twin.collection = judged.collection AND twin.tracked_url_hash = hash
    ) AS twin JOIN story_members USING (document_id)
    WHERE document_id <> judged.document_id
    LIMIT 1) AS other
WHERE judged.document_id = ANY ($1::bigint[]) AND hash IS NOT NULL;

-- name: same_content
-- For each document with enough text one other with its content that is in a story.
SELECT judged.document_id, other.document_id AS matched_document_id, other.story_id
FROM documents AS judged CROSS JOIN LATERAL (
    SELECT document_id, story_id FROM documents AS twin JOIN story_members USING (document_id)
    WHERE twin.collection = judged.collection AND twin.content_hash = judged.content_hash
        AND twin.document_id <> judged.document_id
    LIMIT 1) AS other
WHERE judged.document_id = ANY ($1::bigint[]) AND judged.token_count >= $2;

-- name: same_native_id
-- For each document and native id one other with the id that is in a story.
SELECT judged.document_id, other.document_id AS matched_document_id, other.story_id
FROM documents AS judged CROSS JOIN LATERAL unnest(judged.native_ids) AS native (id) CROSS JOIN LATERAL (
    SELECT document_id, story_id FROM documents AS twin JOIN story_members USING (document_id)
    WHERE twin.native_ids @> ARRAY[native.id] AND twin.native_ids <> '{}' AND twin.collection = judged.collection
        AND twin.document_id <> judged.document_id
    LIMIT 1) AS other
WHERE judged.document_id = ANY ($1::bigint[]);

-- name: limit_search
-- Bound index scans for phrases that are in every text.
SELECT set_config('gin_fuzzy_search_limit', '20000', false);

-- name: sharing_phrases
-- For each document others of its time whose texts share phrases, those with most first, not of the same publisher. The
-- fence (OFFSET 0) forces the index of phrases: before the first ANALYZE the planner would choose the collection's.
SELECT judged.document_id, twin.document_id AS candidate_id
FROM documents AS judged CROSS JOIN LATERAL (
    SELECT document_id FROM (
        SELECT document_id, collection, seen_at, source_domain, publisher_family, sketch FROM documents AS other
        WHERE other.sketch && judged.sketch AND other.sketch <> '{}' OFFSET 0) AS found
    WHERE found.collection = judged.collection AND found.document_id <> judged.document_id
        AND found.seen_at BETWEEN judged.seen_at - $2::interval AND judged.seen_at + $2::interval
        AND (found.source_domain IS NULL OR judged.source_domain IS NULL OR found.publisher_family <> judged.publisher_family)
    ORDER BY CASE WHEN count(*) OVER () > $3
        THEN cardinality(ARRAY(SELECT unnest(found.sketch) INTERSECT SELECT unnest(judged.sketch))) END DESC, document_id
    LIMIT $3) AS twin
WHERE judged.document_id = ANY ($1::bigint[]) AND judged.sketch <> '{}';

-- name: sharing_headlines
-- For each document others of its time whose titles have the same words. The row comparisons force the index of
-- headlines: before the first ANALYZE the planner would choose one on the time of a collection.
SELECT judged.document_id, twin.document_id AS candidate_id
FROM documents AS judged CROSS JOIN LATERAL (
    SELECT document_id FROM documents AS other
    WHERE other.collection = judged.collection AND other.headline = judged.headline
        AND other.document_id <> judged.document_id
        AND (other.headline, other.seen_at) >= (judged.headline, judged.seen_at - $2::interval)
        AND (other.headline, other.seen_at) <= (judged.headline, judged.seen_at + $2::interval)
    LIMIT $3) AS twin
WHERE judged.document_id = ANY ($1::bigint[]) AND judged.headline IS NOT NULL;

-- name: articles
-- The values of documents by which copies are found.
SELECT document_id, story_id, title, title_simhash, published_at,
    CASE WHEN source_domain IS NULL THEN '' ELSE publisher_family END AS publisher, token_count AS words, sketch
FROM documents LEFT JOIN story_members USING (document_id)
WHERE document_id = ANY ($1::bigint[]);

-- name: texts
-- The normalized texts of documents.
SELECT document_id, normalized_text FROM documents WHERE document_id = ANY ($1::bigint[]);

-- name: of_documents
-- The stories of documents.
SELECT document_id, story_id FROM story_members WHERE document_id = ANY ($1::bigint[]);

-- name: ages
-- The first dates of stories: the oldest survives a merge.
SELECT story_id, first_seen_at FROM stories WHERE story_id = ANY ($1::bigint[]);

-- name: new_ids
-- Ids for stories that are about to be inserted.
SELECT nextval('stories_story_id_seq') AS story_id FROM generate_series(1, $1);

-- name: absorb
-- Add new members to the counts of their stories; a better document becomes the representative.
WITH joined AS (
    SELECT document_id, stories.story_id, source, source_item_id, publisher_family, documents.seen_at
    FROM unnest($1::bigint[], $2::bigint[]) AS pair (story_id, document_id)
    JOIN documents USING (document_id) JOIN stories USING (story_id)
), added AS (
    SELECT story_id, count(*) AS items, array_agg(DISTINCT source) AS sources,
        array_agg(DISTINCT publisher_family) AS families, min(seen_at) AS first_seen, max(seen_at) AS last_seen
    FROM joined GROUP BY story_id
), best AS (
    SELECT DISTINCT ON (candidate.story_id) candidate.story_id, document_id, title, canonical_url, canonical_url_hash
    FROM (
        SELECT story_id, document_id FROM joined
        UNION SELECT story_id, representative_document_id FROM stories JOIN added USING (story_id)
    ) AS candidate JOIN documents USING (document_id)
    ORDER BY candidate.story_id, canonical_url IS NULL, token_count < $3, seen_at, source, source_item_id
)
UPDATE stories SET
    item_count = item_count + added.items,
    sources = ARRAY(SELECT DISTINCT unnest(stories.sources || added.sources) ORDER BY 1),
    publisher_families = ARRAY(SELECT DISTINCT unnest(stories.publisher_families || added.families) ORDER BY 1),
    first_seen_at = least(first_seen_at, added.first_seen),
    last_seen_at = greatest(last_seen_at, added.last_seen),
    representative_document_id = best.document_id,
    canonical_title = best.title,
    canonical_url = best.canonical_url,
    canonical_url_hash = best.canonical_url_hash
FROM added JOIN best USING (story_id)
WHERE stories.story_id = added.story_id;

-- name: recount
-- Recount stories from all their members, after a member changed or two stories were merged.
WITH member AS (
    SELECT story_id, documents.* FROM story_members JOIN documents USING (document_id) WHERE story_id = ANY ($1::bigint[])
), figures AS (
    SELECT story_id, count(*) AS items, array_agg(DISTINCT source ORDER BY source) AS sources,
        array_agg(DISTINCT publisher_family ORDER BY publisher_family) AS families,
        min(seen_at) AS first_seen, max(seen_at) AS last_seen
    FROM member GROUP BY story_id
), best AS (
    SELECT DISTINCT ON (story_id) story_id, document_id, title, canonical_url, canonical_url_hash FROM member
    ORDER BY story_id, canonical_url IS NULL, token_count < $2, seen_at, source, source_item_id
)
UPDATE stories SET
    item_count = figures.items,
    sources = figures.sources,
    publisher_families = figures.families,
    first_seen_at = figures.first_seen,
    last_seen_at = figures.last_seen,
    representative_document_id = best.document_id,
    canonical_title = best.title,
    canonical_url = best.canonical_url,
    canonical_url_hash = best.canonical_url_hash
FROM figures JOIN best USING (story_id)
WHERE stories.story_id = figures.story_id;

-- name: move_members
-- Move the members of merged stories to the survivors.
UPDATE story_members SET story_id = merge.stays
FROM unnest($1::bigint[], $2::bigint[]) AS merge (goes, stays) WHERE story_members.story_id = merge.goes;

-- name: mark_merged
-- Point merged stories, and those that were merged into them before, at the survivors.
UPDATE stories SET status = 'merged', merged_into = merge.stays
FROM unnest($1::bigint[], $2::bigint[]) AS merge (goes, stays)
WHERE stories.story_id = merge.goes OR stories.merged_into = merge.goes;

-- name: placements
-- The story of every document, and the coverage of the story.
SELECT documents.collection, source, source_item_id, story_id AS merge, coalesce(coverage_id, story_id) AS coverage
FROM documents JOIN story_members USING (document_id) JOIN stories USING (story_id);
