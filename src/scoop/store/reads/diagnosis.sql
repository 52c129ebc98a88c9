-- name: desk
-- What `scoop doctor` asks about: living workers, work that is due, runs, held posts, accounts.
SELECT
    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objsubid = 2 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS workers,
    (SELECT count(*) FROM work WHERE state = 'waiting' AND due_at <= now()) AS due,
    (SELECT min(due_at) FROM work WHERE state = 'waiting' AND due_at <= now()) AS oldest_due_at,
    (SELECT max(started_at) FROM ingest_runs WHERE NOT is_requested) AS last_run_at,
    (SELECT count(*) FROM work WHERE state = 'quarantined') AS quarantined,
    (SELECT count(*) FROM posts WHERE state = 'held') AS held_posts,
    EXISTS (SELECT FROM users WHERE enabled) AS has_account;

-- name: sources
-- Every enabled source with its health.
SELECT slug, health::text AS health FROM sources WHERE enabled ORDER BY slug;

-- name: late_digests
-- What is wrong with digests now.
SELECT message FROM alerts WHERE resolved_at IS NULL AND kind = $1 ORDER BY alert_id;
