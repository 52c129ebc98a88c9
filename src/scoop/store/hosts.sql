-- name: pause
-- Store until when hosts get no requests.
INSERT INTO hosts (host, not_before) SELECT host, max(until) FROM unnest($1::text[], $2::timestamptz[]) AS pauses (host, until)
GROUP BY host ORDER BY host
ON CONFLICT (host) DO UPDATE SET not_before = greatest(hosts.not_before, excluded.not_before);

-- name: list_robots_files
-- The stored robots.txt of these origins.
SELECT origin, status, text, fetched_at FROM robots_files WHERE origin = ANY ($1::text[]);

-- name: put_robots_files
-- Store robots.txt files, unless a newer one is stored.
INSERT INTO robots_files (origin, status, text, fetched_at) SELECT * FROM unnest($1::text[], $2::int[], $3::text[], $4::timestamptz[])
    AS fetched (origin, status, text, fetched_at) ORDER BY origin
ON CONFLICT (origin) DO UPDATE SET status = excluded.status, text = excluded.text, fetched_at = excluded.fetched_at
WHERE robots_files.fetched_at < excluded.fetched_at;
