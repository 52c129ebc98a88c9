-- name: enqueue
-- Queue the pages of arrivals; pages of one host are due one after the other, in a lane of their own.
INSERT INTO work (stage, subject, lane, due_at)
SELECT $1, id, host, due_at FROM plan_requests($2::bigint[], $3::text[], $4::interval[])
JOIN unnest($2::bigint[], $3::text[]) AS asked (id, host) USING (id);

-- name: list_requests
-- The pages to fetch, with the settings of their sources and the number of attempts.
SELECT raw_arrival_id, raw_arrivals.source, base_url AS source_url, source_item_url AS url, raw_payload ->> 'title' AS title,
    coalesce(options, '{}') AS options, coalesce(request_interval_ms, 0) AS request_interval_ms, attempts
FROM raw_arrivals LEFT JOIN sources ON sources.slug = raw_arrivals.source
    JOIN work ON work.stage = $2 AND work.subject = raw_arrival_id
WHERE raw_arrival_id = ANY ($1::bigint[]);

-- name: put
-- Store fetched pages.
INSERT INTO pages (raw_arrival_id, url, title, text, authors, published_at, language, canonical_url, image_url, problem,
    archive_key)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
ON CONFLICT (raw_arrival_id) DO UPDATE SET url = excluded.url, title = excluded.title, text = excluded.text,
    authors = excluded.authors, published_at = excluded.published_at, language = excluded.language,
    canonical_url = excluded.canonical_url, image_url = excluded.image_url, problem = excluded.problem,
    archive_key = excluded.archive_key, fetched_at = now();
