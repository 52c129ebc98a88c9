-- name: put_feeds
-- Add the feeds of a projection that are missing; gives the new ones.
INSERT INTO projection_feeds (projection, subject_kind) SELECT $1, kind FROM unnest($2::text[]) AS wanted (kind)
ON CONFLICT (projection, subject_kind) DO NOTHING RETURNING feed_id;

-- name: index_changes
-- Create the indexes of the change feeds.
SELECT index_changes();

-- name: feed_ids
-- The feeds of these projections.
SELECT feed_id FROM projection_feeds WHERE projection = ANY ($1::text[]) ORDER BY feed_id;

-- name: feed
-- One feed.
SELECT feed_id, projection, subject_kind AS kind, cursor_at, cursor_id, scope, generation, swept_at
FROM projection_feeds WHERE feed_id = $1;

-- name: moments
-- The time, and the start of the oldest open transaction: all that commits later has a later updated_at. A second is
-- subtracted, since a transaction begins a moment before it is listed. Autovacuum changes no row.
SELECT now() AS now, least(now(), (
    SELECT min(xact_start) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type <> 'autovacuum worker'
    )) - interval '1 second' AS horizon;

-- name: hidden_scope
-- A hash of the sources that no interface shows.
SELECT md5(coalesce(string_agg(concat_ws(' ', source, collection, source IN (SELECT source FROM removed_sources)), ','
    ORDER BY source, collection), '')) FROM hidden_sources;

-- name: changed_sites
-- The sources that changed after a cursor.
SELECT source_id AS row_id, updated_at AS changed_at FROM sources
WHERE (updated_at, source_id) > ($1, $2) AND updated_at < $3 ORDER BY updated_at, source_id LIMIT $4;

-- name: changed_documents
-- The documents that changed, or that a writer tried to summarise, after a cursor. A document may be listed twice: without
-- the duplicates, a full page of attempts would look like the last page, and the cursor would skip the others.
(SELECT document_id AS row_id, updated_at AS changed_at FROM documents
WHERE (updated_at, document_id) > ($1, $2) AND updated_at < $3 ORDER BY updated_at, document_id LIMIT $4)
UNION ALL
(SELECT subject_id, attempted_at FROM briefs
WHERE kind = 'summary' AND subject_kind = 'document' AND (attempted_at, subject_id) > ($1, $2) AND attempted_at < $3
ORDER BY attempted_at, subject_id LIMIT $4)
ORDER BY changed_at, row_id LIMIT $4;

-- name: changed_crawl_runs
-- The runs that changed after a cursor.
SELECT run_id AS row_id, updated_at AS changed_at FROM ingest_runs
WHERE (updated_at, run_id) > ($1, $2) AND updated_at < $3 ORDER BY updated_at, run_id LIMIT $4;

-- name: changed_retries
-- The failed work after a cursor: the queue has no time of change, so each pass reads the whole backlog. An arrival and a
-- brief may have one id: the block `retries` reads every id as both.
SELECT subject AS row_id, $1::timestamptz AS changed_at FROM work
WHERE stage = ANY ($5::text[] || $6::text[]) AND state <> 'quarantined' AND error IS NOT NULL
    AND subject > $2 AND $1::timestamptz < $3::timestamptz
ORDER BY subject LIMIT $4;

-- name: changed_evaluations
-- The evaluations that changed after a cursor.
SELECT evaluation_id AS row_id, updated_at AS changed_at FROM evaluations
WHERE (updated_at, evaluation_id) > ($1, $2) AND updated_at < $3 ORDER BY updated_at, evaluation_id LIMIT $4;

-- name: changed_learners
-- The settings of learners that changed after a cursor.
SELECT user_id AS row_id, updated_at AS changed_at FROM learners
WHERE (updated_at, user_id) > ($1, $2) AND updated_at < $3 ORDER BY updated_at, user_id LIMIT $4;

-- name: changed_listening_articles
-- The articles for learners that were chosen, that changed or that a writer tried to summarise, after a cursor. They are a
-- few a day: all are read.
SELECT row_id, changed_at FROM (
    SELECT document_id AS row_id, greatest(chosen.created_at, documents.updated_at, (
        SELECT max(attempted_at) FROM briefs
        WHERE kind = 'summary' AND subject_kind = 'document' AND subject_id = document_id)) AS changed_at
    FROM listening_articles AS chosen JOIN documents USING (document_id)) AS listed
WHERE (changed_at, row_id) > ($1, $2) AND changed_at < $3 ORDER BY changed_at, row_id LIMIT $4;

-- name: changed_lessons
-- The lessons that were made after a cursor.
SELECT lesson_id AS row_id, updated_at AS changed_at FROM lessons
WHERE (updated_at, lesson_id) > ($1, $2) AND updated_at < $3 ORDER BY updated_at, lesson_id LIMIT $4;

-- name: changed_news_update
-- The state of the daily update, in each pass: its time of change is that of the worker's clock.
SELECT 1::bigint AS row_id, $1::timestamptz AS changed_at FROM news_update_state
WHERE 1 > $2::bigint AND $1::timestamptz < $3::timestamptz LIMIT $4;

-- name: changed_sentiment_entries
-- The entries of the sentiment cache after a cursor. They are four a tool, and all change with each refresh: each pass reads
-- them all. Their number is that of the tool and of the period.
SELECT row_id, $1::timestamptz AS changed_at FROM (
    SELECT 4 * tool_number::bigint + array_position('{HOUR_1,HOUR_24,DAY_7,DAY_30}', period) AS row_id FROM sentiment_cache
) AS listed
WHERE row_id > $2 AND $1::timestamptz < $3::timestamptz ORDER BY row_id LIMIT $4;

-- name: changed_sentiment_metadata
-- The metadata of the sentiment cache, in each pass.
SELECT 1::bigint AS row_id, $1::timestamptz AS changed_at FROM sentiment_cache_metadata
WHERE 1 > $2::bigint AND $1::timestamptz < $3::timestamptz LIMIT $4;

-- name: sites
-- The facts of sources, by their ids or slugs.
SELECT slug AS subject, source_id AS row_id, slug AS source, name, category, coalesce(base_url, '') AS base_url,
    crawl_windows, allowed_paths, request_interval_ms, timezone, created_at, updated_at
FROM sources WHERE source_id = ANY ($1::bigint[]) OR slug = ANY ($2::text[]);

-- name: articles
-- The facts of articles, of these documents or subjects. Documents of a source with one article id are one article: the
-- first of them. Whether its summary failed is read from its briefs, not from the queue, which has no time of change.
WITH named AS (
    SELECT source, article_id FROM documents WHERE document_id = ANY ($1::bigint[])
    UNION SELECT substr(subject, 38), left(subject, 36) FROM unnest($2::text[]) AS given (subject)
)
SELECT DISTINCT ON (source, article_id) article_id || ' ' || source AS subject, document_id AS row_id, article_id, source,
    documents.title, documents.canonical_url, documents.published_at, documents.fetched_at, seen_at, documents.authors,
    tags, left(body_text, $3) AS body_text, token_count, archive_key, content_problem, char_length(body_text) AS characters,
    last_summary_attempt_at, has_failed, (
        SELECT summary_uuid FROM summaries
        WHERE is_current AND subject_kind = 'document' AND subject_id = document_id ORDER BY summaries.summary_id DESC LIMIT 1
    ) AS summary_id
FROM named JOIN documents USING (source, article_id) LEFT JOIN pages USING (raw_arrival_id) CROSS JOIN LATERAL (
    SELECT max(attempted_at) AS last_summary_attempt_at, coalesce(bool_or(problem IS NOT NULL), false) AS has_failed
    FROM briefs WHERE kind = 'summary' AND subject_kind = 'document' AND subject_id = document_id) AS attempts
WHERE (source, collection) NOT IN (SELECT source, collection FROM hidden_sources)
ORDER BY source, article_id, seen_at, document_id;

-- name: summaries
-- The summaries of articles, of these documents or subjects: of each article the newest one that is current.
WITH named AS (
    SELECT article_id FROM documents WHERE document_id = ANY ($1::bigint[])
    UNION SELECT subject FROM unnest($2::text[]) AS given (subject)
)
SELECT DISTINCT ON (article_id) article_id AS subject, document_id AS row_id, article_id, summary_id, summary_uuid,
    subject_kind, subject_id, summaries.language, asked_language, version, summary_text, sentences, left_out, document_ids, confidence,
    provider, model, prompt_id, prompt_version, disclaimer_id, input_tokens, output_tokens, cost, currency, prompt_key,
    response_key, generated_at
FROM named JOIN documents USING (article_id)
JOIN summaries ON is_current AND subject_kind = 'document' AND subject_id = document_id
WHERE (source, collection) NOT IN (SELECT source, collection FROM hidden_sources)
ORDER BY article_id, summary_id DESC;

-- name: crawl_runs
-- The facts of runs that have ended, by their ids.
SELECT run_id::text AS subject, run_id AS row_id, run_id, run_uuid, source, trigger::text AS trigger, started_at, finished_at,
    status::text AS status, items_fetched, items_inserted, items_failed, error_message, log_key
FROM ingest_runs
WHERE run_id = ANY ($1::bigint[] || $2::text[]::bigint[]) AND status <> 'running'
    AND source NOT IN (SELECT source FROM removed_sources);

-- name: retries
-- The facts of failures about articles, of these arrivals, briefs or subjects: of each article and type the one that is due
-- first.
WITH named AS (
    SELECT article_id FROM documents WHERE raw_arrival_id = ANY ($1::bigint[])
    UNION SELECT article_id FROM briefs JOIN documents ON document_id = subject_id
    WHERE brief_id = ANY ($1::bigint[]) AND kind = 'summary' AND subject_kind = 'document'
    UNION SELECT split_part(subject, ' ', 2) FROM unnest($2::text[]) AS given (subject)
)
SELECT DISTINCT ON (failure_type, article_id) failure_type || ' ' || article_id AS subject, failed.subject AS row_id,
    article_id, failure_type, due_at AS next_retry_at, attempts AS attempt_count, error AS last_error,
    enqueued_at AS created_at
FROM named JOIN documents USING (article_id) CROSS JOIN LATERAL (
    SELECT 'fetch' AS failure_type, work.* FROM work WHERE stage = ANY ($3::text[]) AND subject = raw_arrival_id
    UNION ALL SELECT 'summary', work.* FROM briefs JOIN work ON stage = ANY ($4::text[]) AND subject = brief_id
    WHERE kind = 'summary' AND subject_kind = 'document' AND subject_id = document_id) AS failed
WHERE state <> 'quarantined' AND error IS NOT NULL
    AND (source, collection) NOT IN (SELECT source, collection FROM hidden_sources)
ORDER BY failure_type, article_id, due_at, failed.subject;

-- name: evaluations
-- The facts of articles that were posted or rejected, of these evaluations or subjects. An article that was forgotten and met
-- again has another evaluation and the same subject.
WITH named AS (
    SELECT topic_id, url_hash FROM evaluations WHERE evaluation_id = ANY ($1::bigint[])
    UNION SELECT topic_id, decode(split_part(subject, ' ', 2), 'hex') FROM unnest($2::text[]) AS given (subject)
    JOIN topics ON topic_slug = split_part(subject, ' ', 1)
)
SELECT topic_slug || ' ' || encode(url_hash, 'hex') AS subject, evaluation_id AS row_id, topic_slug AS curator, url, url_hash,
    article_title, state::text AS state, reason, relevance_score, evaluated_at, notified_at, discord_message_id
FROM named JOIN evaluations USING (topic_id, url_hash) JOIN topics USING (topic_id)
WHERE state IN ('notified', 'rejected') AND NOT is_hidden;

-- name: learners
-- The settings of these learners.
SELECT user_id::text AS subject, user_id AS row_id, user_id, level, users.created_at, learners.updated_at
FROM learners JOIN users USING (user_id) WHERE user_id = ANY ($1::bigint[] || $2::text[]::bigint[]);

-- name: listening_articles
-- The facts of articles for learners, of these documents or subjects. Documents with one article id are one article: the
-- first that was chosen.
WITH named AS (
    SELECT article_id FROM documents WHERE document_id = ANY ($1::bigint[])
    UNION SELECT subject FROM unnest($2::text[]) AS given (subject)
)
SELECT DISTINCT ON (article_id) article_id AS subject, document_id AS row_id, article_id, documents.canonical_url AS url,
    documents.title, documents.source,
    (SELECT name FROM source_names WHERE source_names.source = documents.source) AS source_name,
    documents.published_at, documents.fetched_at, (
        SELECT greatest(documents.fetched_at, raw_arrivals.fetched_at) FROM raw_arrivals
        WHERE raw_arrivals.raw_arrival_id = documents.raw_arrival_id) AS last_fetched_at, coalesce((
        SELECT summary_text FROM summaries WHERE is_current AND subject_kind = 'document' AND subject_id = document_id
        ORDER BY language LIKE 'en%' DESC, summary_id DESC LIMIT 1), left(body_text, $3)) AS summary,
    documents.created_at, documents.updated_at
FROM named JOIN documents USING (article_id) JOIN listening_articles USING (document_id)
WHERE (source, collection) NOT IN (SELECT source, collection FROM hidden_sources)
ORDER BY article_id, chosen_on, document_id;

-- name: lessons
-- The lessons of articles, of these lessons or subjects.
WITH named AS (
    SELECT article_id, level FROM lessons JOIN documents ON subject_kind = 'document' AND document_id = subject_id
    WHERE lesson_id = ANY ($1::bigint[])
    UNION SELECT split_part(subject, ' ', 1), split_part(subject, ' ', 2) FROM unnest($2::text[]) AS given (subject)
)
SELECT DISTINCT ON (article_id, level) article_id || ' ' || level AS subject, lesson_id AS row_id, article_id, level,
    lesson_text AS text, prompt_version, measured_level, lessons.created_at, lessons.updated_at
FROM named JOIN documents USING (article_id)
JOIN lessons USING (level)
WHERE subject_kind = 'document' AND subject_id = document_id
    AND (source, collection) NOT IN (SELECT source, collection FROM hidden_sources)
ORDER BY article_id, level, lesson_id;

-- name: news_update
-- The state of the daily update, whatever rows or subjects are given.
SELECT job_name AS subject, 1::bigint AS row_id, job_name, last_run_at, last_run_date_jst, status, saved,
    skipped_duplicates, error, failed_since, updated_at
FROM news_update_state WHERE 1 = ANY ($1::bigint[]) OR job_name = ANY ($2::text[]);

-- name: sentiment_entries
-- The entries of the sentiment cache, of these numbers or ids.
SELECT * FROM (
    SELECT tool_id || ':' || period AS subject,
        4 * tool_number::bigint + array_position('{HOUR_1,HOUR_24,DAY_7,DAY_30}', period) AS row_id,
        tool_id, sentiment_cache.*
    FROM sentiment_cache JOIN tools USING (tool_number)
) AS listed WHERE row_id = ANY ($1::bigint[]) OR subject = ANY ($2::text[]);

-- name: sentiment_metadata
-- The metadata of the sentiment cache as it was at the last refresh, whatever rows or subjects are given: it is written once
-- for each refresh, not for each read of the cache.
SELECT id AS subject, 1::bigint AS row_id, last_refresh_ts, last_refresh_duration_ms, tools_refreshed,
    (SELECT count(*) FROM sentiment_cache) AS total_entries, coalesce(sum(hits), 0)::bigint AS cache_hits_24h,
    coalesce(sum(misses), 0)::bigint AS cache_misses_24h, coalesce(sum(errors), 0)::bigint AS error_count_24h
FROM sentiment_cache_metadata
LEFT JOIN sentiment_cache_counts ON minute > to_timestamp(last_refresh_ts) - interval '24 hours'
    AND minute <= to_timestamp(last_refresh_ts)
WHERE 1 = ANY ($1::bigint[]) OR id = ANY ($2::text[]) GROUP BY id;

-- name: gone_sites
-- Sent items whose source is gone.
SELECT subject, row_id, keys, fingerprint FROM projected_items AS item
WHERE feed_id = $1 AND NOT EXISTS (SELECT FROM sources WHERE source_id = row_id) ORDER BY subject LIMIT $2;

-- name: gone_articles
-- Sent items whose document is gone.
SELECT subject, row_id, keys, fingerprint FROM projected_items AS item
WHERE feed_id = $1 AND NOT EXISTS (SELECT FROM documents WHERE document_id = row_id) ORDER BY subject LIMIT $2;

-- name: gone_summaries
-- Sent items whose document is gone, or has no summary any more.
SELECT subject, row_id, keys, fingerprint FROM projected_items AS item
WHERE feed_id = $1 AND NOT EXISTS (
    SELECT FROM documents JOIN summaries ON is_current AND subject_kind = 'document' AND subject_id = document_id
    WHERE document_id = row_id)
ORDER BY subject LIMIT $2;

-- name: gone_crawl_runs
-- Sent items that have expired, or whose run is gone.
SELECT subject, row_id, keys, fingerprint FROM projected_items AS item
WHERE feed_id = $1 AND (expires_at <= now() OR NOT EXISTS (SELECT FROM ingest_runs WHERE run_id = row_id))
ORDER BY subject LIMIT $2;

-- name: gone_retries
-- Sent items that have expired, or whose failure is resolved.
SELECT subject, row_id, keys, fingerprint FROM projected_items AS item
WHERE feed_id = $1 AND (expires_at <= now() OR NOT EXISTS (
    SELECT FROM work WHERE stage = ANY (CASE split_part(item.subject, ' ', 1) WHEN 'fetch' THEN $3::text[] ELSE $4::text[] END)
        AND work.subject = row_id AND state <> 'quarantined' AND error IS NOT NULL))
ORDER BY subject LIMIT $2;

-- name: gone_evaluations
-- Sent items that have expired, or whose evaluation is forgotten.
SELECT subject, row_id, keys, fingerprint FROM projected_items AS item
WHERE feed_id = $1 AND (expires_at <= now() OR NOT EXISTS (SELECT FROM evaluations WHERE evaluation_id = row_id))
ORDER BY subject LIMIT $2;

-- name: gone_learners
-- Sent items whose learner is gone.
SELECT subject, row_id, keys, fingerprint FROM projected_items AS item
WHERE feed_id = $1 AND NOT EXISTS (SELECT FROM learners WHERE user_id = row_id) ORDER BY subject LIMIT $2;

-- name: gone_listening_articles
-- Sent items whose article is gone.
SELECT subject, row_id, keys, fingerprint FROM projected_items AS item
WHERE feed_id = $1 AND NOT EXISTS (SELECT FROM listening_articles WHERE document_id = row_id) ORDER BY subject LIMIT $2;

-- name: gone_lessons
-- Sent items whose lesson is gone.
SELECT subject, row_id, keys, fingerprint FROM projected_items AS item
WHERE feed_id = $1 AND NOT EXISTS (SELECT FROM lessons WHERE lesson_id = row_id) ORDER BY subject LIMIT $2;

-- name: gone_news_update
-- The sent state, if there is none any more.
SELECT subject, row_id, keys, fingerprint FROM projected_items AS item
WHERE feed_id = $1 AND NOT EXISTS (SELECT FROM news_update_state) ORDER BY subject LIMIT $2;

-- name: gone_sentiment_entries
-- Sent items whose entry was invalidated.
SELECT subject, row_id, keys, fingerprint FROM projected_items AS item
WHERE feed_id = $1 AND NOT EXISTS (
    SELECT FROM sentiment_cache JOIN tools USING (tool_number) WHERE tool_id || ':' || period = item.subject)
ORDER BY subject LIMIT $2;

-- name: gone_sentiment_metadata
-- The sent metadata, if there is none any more.
SELECT subject, row_id, keys, fingerprint FROM projected_items AS item
WHERE feed_id = $1 AND NOT EXISTS (SELECT FROM sentiment_cache_metadata) ORDER BY subject LIMIT $2;

-- name: sent_of_rows
-- The items that were made from these rows.
SELECT subject, row_id, keys, fingerprint FROM projected_items WHERE feed_id = $1 AND row_id = ANY ($2::bigint[]);

-- name: sent_of_subjects
-- The items of these subjects.
SELECT subject, row_id, keys, fingerprint FROM projected_items WHERE feed_id = $1 AND subject = ANY ($2::text[]);

-- name: begin_upserts
-- Note the keys that are about to be written, so that a key that a crash leaves behind is known.
INSERT INTO projected_items (feed_id, subject, row_id, keys)
SELECT $1, subject, row_id, ARRAY[key] FROM unnest($2::text[], $3::bigint[], $4::text[]) AS begun (subject, row_id, key)
ON CONFLICT (feed_id, subject) DO UPDATE SET fingerprint = NULL, row_id = excluded.row_id,
    keys = projected_items.keys || (CASE WHEN excluded.keys <@ projected_items.keys THEN '{}' ELSE excluded.keys END);

-- name: begin_deletions
-- Note that items are about to be deleted, so that a crash leaves none that counts as sent.
UPDATE projected_items SET fingerprint = NULL WHERE feed_id = $1 AND subject = ANY ($2::text[]);

-- name: end_upserts
-- Note what was written.
UPDATE projected_items SET keys = ARRAY[key], fingerprint = written.fingerprint, expires_at = written.expires_at,
    problem = NULL
FROM unnest($2::text[], $3::text[], $4::bytea[], $5::timestamptz[]) AS written (subject, key, fingerprint, expires_at)
WHERE feed_id = $1 AND projected_items.subject = written.subject;

-- name: end_deletions
-- Forget items that were deleted.
DELETE FROM projected_items WHERE feed_id = $1 AND subject = ANY ($2::text[]);

-- name: put_problems
-- Note subjects that the store cannot hold.
INSERT INTO projected_items (feed_id, subject, row_id, keys, problem)
SELECT $1, subject, row_id, '{}', problem
FROM unnest($2::text[], $3::bigint[], $4::text[]) AS refused (subject, row_id, problem)
ON CONFLICT (feed_id, subject) DO UPDATE SET row_id = excluded.row_id, keys = '{}', fingerprint = NULL,
    problem = excluded.problem;

-- name: advance
-- Move the cursor of a feed, unless a rebuild has reset it meanwhile.
UPDATE projection_feeds SET cursor_at = $3, cursor_id = $4, scope = $5, complete_until = coalesce($6, complete_until),
    swept_at = coalesce($7, swept_at), items_written = items_written + $8, items_deleted = items_deleted + $9
WHERE feed_id = $1 AND generation = $2 RETURNING feed_id;

-- name: reset
-- Let a projection read all rows again, and write all items again.
WITH feeds AS (
    UPDATE projection_feeds SET generation = generation + 1, cursor_at = 'epoch', cursor_id = 0, complete_until = NULL,
        swept_at = 'epoch', items_written = 0, items_deleted = 0
    WHERE projection = $1 RETURNING feed_id
)
UPDATE projected_items SET fingerprint = NULL WHERE feed_id IN (SELECT feed_id FROM feeds);

-- name: is_complete
-- Whether all feeds of a projection have ended their first pass.
SELECT coalesce(bool_and(complete_until IS NOT NULL), true) FROM projection_feeds WHERE projection = $1;

-- name: keys
-- The keys of all items of a projection.
SELECT unnest(keys) AS key FROM projected_items JOIN projection_feeds USING (feed_id) WHERE projection = $1;

-- name: known_keys
-- Those of these keys that items of a projection have.
SELECT DISTINCT key FROM projected_items JOIN projection_feeds USING (feed_id) CROSS JOIN unnest(keys) AS has (key)
WHERE projection = $1 AND key = ANY ($2::text[]);

-- name: states
-- All feeds with their lag, the number of their items, and the error of the last attempt.
SELECT feed_id, projection, subject_kind, complete_until, now() - complete_until AS lag, items_written, items_deleted,
    (SELECT count(*) FROM projected_items AS item WHERE item.feed_id = feed.feed_id AND fingerprint IS NOT NULL) AS items,
    (SELECT count(*) FROM projected_items AS item WHERE item.feed_id = feed.feed_id AND problem IS NOT NULL) AS problems,
    work.error, work.due_at AS next_attempt_at
FROM projection_feeds AS feed LEFT JOIN work ON work.stage = $1 AND work.subject = feed.feed_id AND work.error IS NOT NULL
ORDER BY projection, subject_kind;
