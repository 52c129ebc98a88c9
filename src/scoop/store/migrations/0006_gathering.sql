-- How sources are, what their hosts asked of us, and what the articles' own pages say.

CREATE TYPE source_health AS ENUM (
    'new', 'ok', 'not_modified', 'empty', 'parse_error', 'http_error', 'timeout', 'unreachable', 'robots',
    'refused_address', 'gone', 'stale');

ALTER TABLE sources
    ADD COLUMN host          TEXT NOT NULL DEFAULT '',
    ADD COLUMN not_before    TIMESTAMPTZ,
    ADD COLUMN health        source_health NOT NULL DEFAULT 'new',
    ADD COLUMN health_note   TEXT NOT NULL DEFAULT '',
    ADD COLUMN health_since  TIMESTAMPTZ NOT NULL DEFAULT now(),
    ADD COLUMN failures      INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    ADD COLUMN last_item_at  TIMESTAMPTZ,
    ADD COLUMN moved_to      TEXT,
    ADD COLUMN moves         INTEGER NOT NULL DEFAULT 0 CHECK (moves >= 0),
    ALTER COLUMN request_interval_ms SET DEFAULT 200;

UPDATE sources SET host = coalesce(substring(base_url FROM '^[a-z]+://([^/?#]+)'), ''), request_interval_ms = 200;

COMMENT ON COLUMN sources.schedule IS 'When it is visited: an interval such as 30m, 1h or 2d, or a cron of five fields in its timezone.';
COMMENT ON COLUMN sources.crawl_windows IS 'When it may be visited: [{"start": "06:30", "end": "07:15"}, ...] in its timezone; none is always.';
COMMENT ON COLUMN sources.request_interval_ms IS 'At least this long between the beginnings of two requests to its host.';
COMMENT ON COLUMN sources.host IS 'Whom a visit asks; visits of one host are spread over time.';
COMMENT ON COLUMN sources.not_before IS 'The server asked not to be asked earlier.';
COMMENT ON COLUMN sources.health IS 'What the last visit found.';
COMMENT ON COLUMN sources.health_note IS 'The same as a sentence.';
COMMENT ON COLUMN sources.failures IS 'Visits in a row that brought nothing because of a failure.';
COMMENT ON COLUMN sources.last_item_at IS 'When it last brought something new.';
COMMENT ON COLUMN sources.moved_to IS 'Where its permanent redirects lead; believed after several visits in a row.';

CREATE TABLE hosts (
    host             TEXT PRIMARY KEY,
    free_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    not_before       TIMESTAMPTZ NOT NULL DEFAULT '-infinity'
);

COMMENT ON TABLE hosts IS 'Whom we ask, and when the next request may begin; shared by all workers.';
COMMENT ON COLUMN hosts.free_at IS 'The end of what has been planned at this host.';
COMMENT ON COLUMN hosts.not_before IS 'The host asked for rest until then (429, 503).';

CREATE FUNCTION plan_requests(ids BIGINT[], hosts TEXT[], steps INTERVAL[]) RETURNS TABLE (id BIGINT, due_at TIMESTAMPTZ)
LANGUAGE sql AS $$
    WITH placed AS (
        SELECT asked.id, asked.host, asked.step, sum(asked.step) OVER (PARTITION BY asked.host ORDER BY asked.id) AS until
        FROM unnest(plan_requests.ids, plan_requests.hosts, plan_requests.steps) AS asked (id, host, step)
    ), planned AS (
        INSERT INTO news.hosts AS known (host, free_at)
        SELECT host, now() + max(until) FROM placed GROUP BY host ORDER BY host
        ON CONFLICT (host) DO UPDATE SET
            free_at = greatest(known.free_at, known.not_before, now()) + (excluded.free_at - now())
        RETURNING known.host, known.free_at
    )
    SELECT placed.id, planned.free_at - max(until) OVER (PARTITION BY placed.host) + until - step
    FROM placed JOIN planned ON planned.host = placed.host
$$;

COMMENT ON FUNCTION plan_requests IS 'Gives each request its time: those of one host follow each other by their step, after what is planned there already.';

CREATE TABLE robots_files (
    origin      TEXT PRIMARY KEY,
    status      INTEGER,
    text        TEXT NOT NULL,
    fetched_at  TIMESTAMPTZ NOT NULL
);

COMMENT ON TABLE robots_files IS 'The robots.txt of the sites we ask, kept for a day and across restarts.';
COMMENT ON COLUMN robots_files.status IS 'NULL: the site could not be reached, so nothing may be asked there.';

ALTER TABLE ingest_runs ADD COLUMN log_key TEXT;

COMMENT ON COLUMN ingest_runs.log_key IS 'Where the archive has the log of this run.';

CREATE TABLE pages (
    raw_arrival_id BIGINT PRIMARY KEY REFERENCES raw_arrivals (raw_arrival_id) ON DELETE RESTRICT,
    url            TEXT NOT NULL,
    title          TEXT,
    text           TEXT NOT NULL DEFAULT '',
    authors        TEXT[] NOT NULL DEFAULT '{}',
    published_at   TIMESTAMPTZ,
    language       TEXT,
    canonical_url  TEXT,
    image_url      TEXT,
    problem        TEXT,
    archive_key    TEXT,
    fetched_at     TIMESTAMPTZ NOT NULL DEFAULT now()
);

COMMENT ON TABLE pages IS 'What an article''s own page says, for arrivals that bring only a teaser.';
COMMENT ON COLUMN pages.problem IS 'Why there is no text: paywall, short, http_error, robots, ...';
COMMENT ON COLUMN pages.archive_key IS 'Where the archive has the page as it was served.';

ALTER TABLE documents ADD COLUMN content_problem TEXT;

COMMENT ON COLUMN documents.content_problem IS 'Why the text is a teaser or missing; NULL when there is nothing to tell.';

CREATE TABLE chores (
    name    TEXT PRIMARY KEY,
    done_at TIMESTAMPTZ NOT NULL
);

COMMENT ON TABLE chores IS 'What is done now and then by whichever worker comes first, as tidying the archive.';

CREATE TABLE alerts (
    alert_id    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        TEXT NOT NULL,
    subject     TEXT NOT NULL,
    message     TEXT NOT NULL,
    raised_at   TIMESTAMPTZ NOT NULL DEFAULT now(),
    resolved_at TIMESTAMPTZ
);

COMMENT ON TABLE alerts IS 'What an operator should look at: a source that died or went quiet.';

CREATE UNIQUE INDEX uq_alerts_open ON alerts (kind, subject) WHERE resolved_at IS NULL;
CREATE INDEX idx_alerts_raised_at ON alerts (raised_at DESC);
