-- name: put_posted
-- Insert items that an older system posted; existing ones stay.
INSERT INTO legacy_digest_items (topic_id, run_date, position, title, url, canonical_url_hash, normalized_title, posted_at,
    source, item_hash, copy)
SELECT * FROM unnest($1::int[], $2::date[], $3::int[], $4::text[], $5::text[], $6::bytea[], $7::text[], $8::timestamptz[],
    $9::text[], $10::bytea[], $11::int[])
ON CONFLICT (topic_id, run_date, item_hash, copy) DO NOTHING RETURNING legacy_digest_item_id;

-- name: put_seen
-- Insert items that an older system had seen; existing ones stay.
INSERT INTO legacy_seen_items (topic_id, key, canonical_url_hash, title, seen_at, line)
SELECT * FROM unnest($1::int[], $2::bytea[], $3::bytea[], $4::text[], $5::timestamptz[], $6::text[])
ON CONFLICT (topic_id, key) DO NOTHING RETURNING legacy_seen_item_id;

-- name: items
-- The items that the older system posted of a topic on these dates, in its order.
SELECT run_date, (row_number() OVER (PARTITION BY run_date ORDER BY position, legacy_digest_item_id))::int AS position,
    title, url, canonical_url_hash, normalized_title, posted_at, source
FROM legacy_digest_items WHERE topic_id = $1 AND run_date BETWEEN $2 AND $3 ORDER BY run_date, position;

-- name: last_date
-- The last date of the older system's digests of a topic.
SELECT max(run_date) FROM legacy_digest_items WHERE topic_id = $1;

-- name: known
-- The documents of these URLs, unless a URL identifies no article, or with headlines of the same words, and their
-- stories; those of the topic first.
WITH found AS (
    SELECT document_id FROM unnest($2::bytea[]) AS asked (hash)
    JOIN documents ON article_id = 'art_' || left(encode(hash, 'hex'), 32)
    WHERE NOT EXISTS (
        SELECT FROM shared_urls WHERE shared_urls.collection = documents.collection AND url_hash = canonical_url_hash)
    UNION
    SELECT document_id FROM documents
    WHERE collection IN (SELECT unnest(collections) FROM topics) AND headline = ANY ($3::bigint[])
        AND seen_at BETWEEN $4 AND $5
)
SELECT story_id, coverage_id, documents.canonical_url_hash, title,
    EXISTS (SELECT FROM story_topic_state AS state WHERE state.story_id = stories.story_id AND topic_id = $1) AS is_of_topic
FROM found JOIN documents USING (document_id) JOIN story_members USING (document_id) JOIN stories USING (story_id)
ORDER BY is_of_topic DESC, story_id, document_id;

-- name: events
-- The coverage of each of these stories, and whether the older system had seen an article of it.
SELECT entry.story_id, survivor.coverage_id, EXISTS (
        SELECT FROM story_members JOIN documents USING (document_id) JOIN legacy_seen_items AS seen
            ON seen.canonical_url_hash IN (documents.canonical_url_hash, documents.tracked_url_hash)
            AND NOT EXISTS (SELECT FROM shared_urls
                WHERE shared_urls.collection = documents.collection AND url_hash = seen.canonical_url_hash)
        WHERE story_members.story_id = survivor.story_id AND coalesce(seen.topic_id, $2) = $2) AS is_known_to_legacy
FROM stories AS entry JOIN stories AS survivor ON survivor.story_id = coalesce(entry.merged_into, entry.story_id)
WHERE entry.story_id = ANY ($1::bigint[]);

-- name: posts_of
-- The posts of the digest of a topic and a date, locked until the transaction ends.
SELECT state::text AS state, sending_at, tried_at FROM posts
WHERE topic_id = $1 AND run_date = $2 AND digest_run_id IS NOT NULL FOR UPDATE;

-- name: owner
-- Whether a channel accepted a post of the digest of a topic and a date, and whether it was left to the older system.
SELECT coalesce(bool_or(published_at IS NOT NULL), false) AS is_posted,
    coalesce(bool_or(left_to_legacy_at IS NOT NULL), false) AS is_legacys
FROM digest_runs WHERE topic_id = $1 AND run_date = $2 AND mode = 'live';

-- name: leave
-- Leave the digest of a topic and a date to the older system, whether it was made or not.
WITH left_now AS (
    UPDATE digest_runs SET left_to_legacy_at = coalesce(left_to_legacy_at, now())
    WHERE topic_id = $1 AND run_date = $2 AND mode = 'live' RETURNING digest_run_id
)
INSERT INTO digest_runs (topic_id, run_date, mode, window_start_utc, window_end_utc, finished_at, status, left_to_legacy_at)
SELECT $1, $2, 'live', $3, $4, now(), 'completed', now() WHERE NOT EXISTS (SELECT FROM left_now);

-- name: drop_waiting
-- Drop the unsent posts of the digest of a topic and a date.
UPDATE posts SET state = 'dropped', error = 'left to the older system'
WHERE topic_id = $1 AND run_date = $2 AND state = 'waiting' AND digest_run_id IS NOT NULL;

-- name: is_handed_over
-- Whether a digest of the days before a date was posted, or left to the older system.
SELECT EXISTS (
    SELECT FROM digest_runs WHERE topic_id = $1 AND run_date < $2 AND run_date >= $2::date - $3::int AND mode = 'live'
        AND (published_at IS NOT NULL OR left_to_legacy_at IS NOT NULL));

-- name: claim
-- Claim the run of the older system's program for a topic and a date: only the transaction that inserts the row runs it.
INSERT INTO legacy_fallbacks (topic_id, run_date) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING topic_id;

-- name: end
-- Store the exit of the older system's program.
UPDATE legacy_fallbacks SET ended_at = now(), exit_code = $3, error = $4 WHERE topic_id = $1 AND run_date = $2;

-- name: fallbacks
-- The latest fallback of each topic to the older system's program.
SELECT DISTINCT ON (topic_id) topic_id, run_date, claimed_at, ended_at, exit_code, error
FROM legacy_fallbacks ORDER BY topic_id, run_date DESC;

-- name: standings
-- The last dates of each topic that the older system posted, and that Scoop posted or made as a shadow.
SELECT topic_id,
    (SELECT max(run_date) FROM legacy_digest_items AS item WHERE item.topic_id = topics.topic_id) AS last_legacy,
    (SELECT max(run_date) FROM digest_runs AS run
        WHERE run.topic_id = topics.topic_id AND published_at IS NOT NULL) AS last_posted,
    (SELECT max(run_date) FROM digest_runs AS run WHERE run.topic_id = topics.topic_id AND run.mode = 'shadow') AS last_shadow
FROM topics;
