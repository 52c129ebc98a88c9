-- name: readings
-- The documents that dedup judges, with their stories, if any, and those of their URLs that identify no article.
SELECT document_id, collection, source, source_item_id, title, title_hash, canonical_url, canonical_url_hash,
    tracked_url_hash, fragment_url_hash, seen_at, publisher_family, native_ids, content_hash, body_hash, token_count, story_id,
    ARRAY(SELECT url_hash FROM shared_urls WHERE shared_urls.collection = documents.collection
        AND url_hash IN (canonical_url_hash, tracked_url_hash, fragment_url_hash)) AS shared_url_hashes,
    content_problem IS NOT DISTINCT FROM $2 AS awaits_page
FROM documents LEFT JOIN story_members USING (document_id)
WHERE document_id = ANY ($1::bigint[]);

-- name: same_url
-- For each document and each spelling of its URL (with and without tracking parameters and fragment) one other with that
-- URL that is in a story. One branch for each index: an OR over the columns would scan all even if the first lookup finds
-- a document.
SELECT judged.document_id, other.document_id AS matched_document_id, other.story_id, hash AS url_hash
FROM documents AS judged
CROSS JOIN unnest(ARRAY[canonical_url_hash, tracked_url_hash, fragment_url_hash]) AS spelling (hash) CROSS JOIN LATERAL (
    SELECT document_id, story_id FROM (
        SELECT document_id FROM documents AS twin
        WHERE twin.collection = judged.collection AND twin.canonical_url_hash = hash
        UNION ALL
        SELECT document_id FROM documents AS twin
        WHERE twin.collection = judged.collection AND twin.tracked_url_hash = hash
        UNION ALL
        SELECT document_id FROM documents AS twin
        WHERE twin.collection = judged.collection AND twin.fragment_url_hash = hash
    ) AS twin JOIN story_members USING (document_id)
    WHERE document_id <> judged.document_id
    LIMIT 1) AS other
WHERE judged.document_id = ANY ($1::bigint[]) AND hash IS NOT NULL;

-- name: shared_urls
-- The URLs of these documents that turn out to identify no article: one source has given them to items with other titles
-- and texts, or with two other titles. A title that contains the whole other one is the same article, retitled. Ids that
-- differ in a number after # are versions of one item (some publishers count its headlines so), unless they came in one
-- visit.
SELECT DISTINCT hash AS url_hash
FROM documents AS judged JOIN raw_arrivals AS ours USING (raw_arrival_id)
CROSS JOIN unnest(ARRAY[judged.canonical_url_hash, judged.tracked_url_hash, judged.fragment_url_hash]) AS spelling (hash)
CROSS JOIN LATERAL (
    SELECT count(DISTINCT title_hash) AS titles, bool_or((body_hash = judged.body_hash) IS NOT TRUE) AS has_other_text FROM (
        SELECT twin.title_hash, twin.body_hash FROM (
            SELECT * FROM documents AS twin
            WHERE twin.collection = judged.collection AND twin.canonical_url_hash = hash
            UNION ALL
            SELECT * FROM documents AS twin
            WHERE twin.collection = judged.collection AND twin.tracked_url_hash = hash
            UNION ALL
            SELECT * FROM documents AS twin
            WHERE twin.collection = judged.collection AND twin.fragment_url_hash = hash
        ) AS twin JOIN raw_arrivals AS theirs USING (raw_arrival_id)
        CROSS JOIN LATERAL (
            SELECT format(' %s ', replace(twin.normalized_title, '&amp;', '&')) AS theirs,
                format(' %s ', replace(judged.normalized_title, '&amp;', '&')) AS ours) AS title
        WHERE twin.source = judged.source AND twin.title_hash <> judged.title_hash
            AND strpos(title.theirs, rtrim(title.ours)) = 0 AND strpos(title.ours, rtrim(title.theirs)) = 0 AND (
            regexp_replace(twin.source_item_id, '#\d{1,3}$', '') <> regexp_replace(judged.source_item_id, '#\d{1,3}$', '')
            OR theirs.run_id = ours.run_id)
        LIMIT $2) AS few) AS others
WHERE judged.document_id = ANY ($1::bigint[]) AND hash IS NOT NULL AND (titles > 1 OR has_other_text)
    AND NOT EXISTS (
        SELECT FROM shared_urls AS stored WHERE stored.collection = judged.collection AND stored.url_hash = hash);

-- name: same_url_and_title
-- For each document and shared URL one other with that URL and the same title that is in a story.
SELECT judged.document_id, other.document_id AS matched_document_id, other.story_id
FROM unnest($1::bigint[], $2::bytea[]) AS spelling (document_id, hash) JOIN documents AS judged USING (document_id)
CROSS JOIN LATERAL (
    SELECT document_id, story_id FROM (
        SELECT document_id, title_hash FROM documents AS twin
        WHERE twin.collection = judged.collection AND twin.canonical_url_hash = hash
            AND coalesce(twin.title_simhash, 0) = coalesce(judged.title_simhash, 0)
        UNION ALL
        SELECT document_id, title_hash FROM documents AS twin
        WHERE twin.collection = judged.collection AND twin.tracked_url_hash = hash
            AND coalesce(twin.title_simhash, 0) = coalesce(judged.title_simhash, 0)
        UNION ALL
        SELECT document_id, title_hash FROM documents AS twin
        WHERE twin.collection = judged.collection AND twin.fragment_url_hash = hash
            AND coalesce(twin.title_simhash, 0) = coalesce(judged.title_simhash, 0)
    ) AS twin JOIN story_members USING (document_id)
    WHERE document_id <> judged.document_id AND twin.title_hash = judged.title_hash
    LIMIT 1) AS other;

-- name: put_shared_urls
-- Store URLs that identify no article.
INSERT INTO shared_urls (collection, url_hash) SELECT $1, unnest($2::bytea[]) ON CONFLICT DO NOTHING;

-- name: put_boilerplate
-- Store texts that identify no article.
INSERT INTO boilerplate_bodies (collection, body_hash) SELECT $1, unnest($2::bigint[]) ON CONFLICT DO NOTHING;

-- name: held_together
-- The stories of several documents of which some have one of these URLs or texts, with all of their documents.
WITH holder AS (
    SELECT document_id FROM documents WHERE collection = $1 AND canonical_url_hash = ANY ($2::bytea[])
    UNION SELECT document_id FROM documents WHERE collection = $1 AND tracked_url_hash = ANY ($2::bytea[])
    UNION SELECT document_id FROM documents WHERE collection = $1 AND fragment_url_hash = ANY ($2::bytea[])
    UNION SELECT document_id FROM documents WHERE collection = $1 AND body_hash = ANY ($3::bigint[])
)
SELECT story_id, document_id FROM story_members WHERE story_id IN (
    SELECT story_id FROM holder JOIN story_members USING (document_id) JOIN stories USING (story_id) WHERE item_count > 1)
ORDER BY document_id;

-- name: release
-- Take all documents but the representatives out of these stories.
DELETE FROM story_members USING stories
WHERE story_members.story_id = stories.story_id AND stories.story_id = ANY ($1::bigint[])
    AND document_id <> representative_document_id;

-- name: same_content
-- For each document with enough text one other with its content that is in a story; neither awaits its page.
SELECT judged.document_id, other.document_id AS matched_document_id, other.story_id
FROM documents AS judged CROSS JOIN LATERAL (
    SELECT document_id, story_id FROM documents AS twin JOIN story_members USING (document_id)
    WHERE twin.collection = judged.collection AND twin.content_hash = judged.content_hash
        AND twin.document_id <> judged.document_id AND twin.content_problem IS DISTINCT FROM $3
    LIMIT 1) AS other
WHERE judged.document_id = ANY ($1::bigint[]) AND judged.token_count >= $2 AND judged.content_problem IS DISTINCT FROM $3;

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

-- name: common_phrases
-- Of the phrases of these documents those that hundreds of documents share.
SELECT DISTINCT phrase FROM (
    SELECT collection, unnest(sketch) AS phrase FROM documents WHERE document_id = ANY ($1::bigint[])) AS searched
JOIN common_phrases USING (collection, phrase);

-- name: sharing_phrases
-- For each document others of its time whose texts share phrases, except common ones ($5), those with most first, not of
-- the same publisher and not awaiting their pages ($6). At most $4 are read. The fence (OFFSET 0) forces the index of phrases: before the first ANALYZE the
-- planner would choose the collection's.
SELECT judged.document_id, twin.document_id AS candidate_id
FROM (
    SELECT document_id, collection, seen_at, source_domain, publisher_family, CASE WHEN sketch && $5::int[]
        THEN ARRAY(SELECT unnest(sketch) EXCEPT SELECT unnest($5::int[])) ELSE sketch END AS sketch
    FROM documents WHERE document_id = ANY ($1::bigint[]) AND sketch <> '{}' OFFSET 0
) AS judged CROSS JOIN LATERAL (
    SELECT document_id FROM (
        SELECT document_id, sketch FROM (
            SELECT document_id, collection, seen_at, source_domain, publisher_family, sketch, content_problem
            FROM documents AS other
            WHERE other.sketch && judged.sketch AND other.sketch <> '{}' OFFSET 0) AS found
        WHERE found.collection = judged.collection AND found.document_id <> judged.document_id
            AND found.content_problem IS DISTINCT FROM $6
            AND found.seen_at BETWEEN judged.seen_at - $2::interval AND judged.seen_at + $2::interval
            AND (found.source_domain IS NULL OR judged.source_domain IS NULL
                OR found.publisher_family <> judged.publisher_family)
        LIMIT $4) AS near
    ORDER BY CASE WHEN count(*) OVER () > $3
        THEN cardinality(ARRAY(SELECT unnest(near.sketch) INTERSECT SELECT unnest(judged.sketch))) END DESC, document_id
    LIMIT $3) AS twin
WHERE judged.sketch <> '{}';

-- name: crowding_phrases
-- Of the phrases of these documents, except common ones ($4), those that at least $2 documents of the collection share,
-- among the first $3 that share any.
SELECT DISTINCT phrase FROM documents AS judged CROSS JOIN LATERAL (
    SELECT phrase FROM (
        SELECT sketch FROM (
            SELECT collection, sketch FROM documents AS other
            WHERE other.sketch && ARRAY(SELECT unnest(judged.sketch) EXCEPT SELECT unnest($4::int[])) AND other.sketch <> '{}'
            OFFSET 0) AS found
        WHERE found.collection = judged.collection LIMIT $3) AS near
    CROSS JOIN unnest(near.sketch) AS phrase
    WHERE phrase = ANY (judged.sketch) AND phrase <> ALL ($4::int[])
    GROUP BY phrase HAVING count(*) >= $2) AS crowding
WHERE judged.document_id = ANY ($1::bigint[]);

-- name: put_common_phrases
-- Store phrases that hundreds of documents share.
INSERT INTO common_phrases (collection, phrase) SELECT $1, unnest($2::int[]) ON CONFLICT DO NOTHING;

-- name: retitled
-- Those of these documents whose text is under another title too, and whether it is stored as boilerplate. Two branches
-- that the index answers however many documents have both title and text.
SELECT document_id, body_hash, EXISTS (
    SELECT FROM boilerplate_bodies AS stored
    WHERE stored.collection = judged.collection AND stored.body_hash = judged.body_hash) AS is_stored
FROM documents AS judged
WHERE document_id = ANY ($1::bigint[]) AND body_hash IS NOT NULL AND (
    EXISTS (
        SELECT FROM documents AS twin WHERE twin.collection = judged.collection AND twin.body_hash = judged.body_hash
            AND twin.title_simhash < judged.title_simhash)
    OR EXISTS (
        SELECT FROM documents AS twin WHERE twin.collection = judged.collection AND twin.body_hash = judged.body_hash
            AND twin.title_simhash > judged.title_simhash));

-- name: titles_over_bodies
-- Titles of each of these texts, with their documents.
SELECT body.body_hash, title, document_id FROM unnest($2::bigint[]) AS body (body_hash) CROSS JOIN LATERAL (
    SELECT title, document_id FROM documents
    WHERE documents.collection = $1 AND documents.body_hash = body.body_hash LIMIT $3) AS titled;

-- name: sharing_body
-- For each document others of its time with the same text under another title, not of the same publisher.
SELECT judged.document_id, twin.document_id AS candidate_id
FROM documents AS judged CROSS JOIN LATERAL (
    SELECT document_id FROM documents AS other
    WHERE other.collection = judged.collection AND other.body_hash = judged.body_hash
        AND other.document_id <> judged.document_id AND other.title_hash <> judged.title_hash
        AND other.seen_at BETWEEN judged.seen_at - $2::interval AND judged.seen_at + $2::interval
        AND (other.source_domain IS NULL OR judged.source_domain IS NULL OR other.publisher_family <> judged.publisher_family)
    LIMIT $3) AS twin
WHERE judged.document_id = ANY ($1::bigint[]);

-- name: sharing_headlines
-- For each document others of its time whose titles have the same words, without those that await their pages. The row
-- comparisons force the index of headlines: before the first ANALYZE the planner would choose one on the time of a collection.
SELECT judged.document_id, twin.document_id AS candidate_id
FROM documents AS judged CROSS JOIN LATERAL (
    SELECT document_id FROM documents AS other
    WHERE other.collection = judged.collection AND other.headline = judged.headline
        AND other.document_id <> judged.document_id AND other.content_problem IS DISTINCT FROM $4
        AND (other.headline, other.seen_at) >= (judged.headline, judged.seen_at - $2::interval)
        AND (other.headline, other.seen_at) <= (judged.headline, judged.seen_at + $2::interval)
    LIMIT $3) AS twin
WHERE judged.document_id = ANY ($1::bigint[]) AND judged.headline IS NOT NULL;

-- name: articles
-- The values of documents by which copies are found.
SELECT document_id, story_id, title, title_simhash, published_at,
    CASE WHEN source_domain IS NULL THEN '' ELSE publisher_family END AS publisher, token_count AS words, sketch, body_hash
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
SELECT documents.collection, source, source_item_id, story_id AS merge, coverage_id AS coverage
FROM documents JOIN story_members USING (document_id) JOIN stories USING (story_id);
