-- name: enqueue
-- Enqueue subjects; one that waits becomes due, one that is claimed will be done again.
INSERT INTO work (stage, subject, lane)
SELECT $1, subject, lane FROM unnest($2::bigint[], $3::text[]) AS handed (subject, lane) ORDER BY subject
ON CONFLICT (stage, subject) DO UPDATE SET
    version = work.version + 1,
    lane = excluded.lane,
    state = CASE work.state WHEN 'quarantined' THEN 'waiting' ELSE work.state END,
    due_at = CASE work.state WHEN 'claimed' THEN work.due_at ELSE now() END,
    attempts = 0,
    crashes = CASE work.state WHEN 'claimed' THEN work.crashes ELSE 0 END,
    error = NULL;

-- name: enqueue_missing
-- Enqueue subjects that are not in the queue; the others stay as they are.
INSERT INTO work (stage, subject) SELECT $1, subject FROM unnest($2::bigint[]) AS handed (subject) ORDER BY subject
ON CONFLICT (stage, subject) DO NOTHING;

-- name: lanes
-- The lanes of a stage with due work, found by skipping through the index.
WITH RECURSIVE due (lane) AS (
    (SELECT lane FROM work WHERE stage = $1 AND state = 'waiting' AND crashes = 0 ORDER BY lane LIMIT 1)
    UNION ALL
    SELECT (
        SELECT work.lane FROM work
        WHERE stage = $1 AND state = 'waiting' AND crashes = 0 AND work.lane > due.lane ORDER BY work.lane LIMIT 1)
    FROM due WHERE due.lane IS NOT NULL
)
SELECT lane FROM due WHERE EXISTS (
    SELECT FROM work WHERE stage = $1 AND work.lane = due.lane AND state = 'waiting' AND crashes = 0 AND due_at <= now())
UNION
SELECT DISTINCT lane FROM work WHERE stage = $1 AND state = 'waiting' AND crashes > 0 AND due_at <= now();

-- name: crashed_lanes
-- The lanes of a stage with due work during which a worker died.
SELECT DISTINCT lane FROM work WHERE stage = $1 AND state = 'waiting' AND crashes > 0 AND due_at <= now() ORDER BY lane;

-- name: claim
-- Claim a batch of due work under a new ticket; work during which a worker died is claimed alone.
WITH suspect AS (
    SELECT ctid AS place FROM work
    WHERE stage = $1 AND lane = $2 AND state = 'waiting' AND crashes > 0 AND due_at <= now()
    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
), fresh AS (
    SELECT ctid AS place FROM work
    WHERE stage = $1 AND lane = $2 AND state = 'waiting' AND crashes = 0 AND due_at <= now()
        AND NOT EXISTS (SELECT FROM suspect)
    ORDER BY due_at, subject LIMIT $3 FOR UPDATE SKIP LOCKED
)
UPDATE work SET state = 'claimed', ticket = (SELECT nextval('work_tickets')), worker = $4, due_at = now() + $5::interval
WHERE ctid = ANY (ARRAY(SELECT place FROM suspect UNION ALL SELECT place FROM fresh))  -- locked above, so they stay
RETURNING subject, ticket, version, attempts;

-- name: claim_subject
-- Claim the work on one subject under a new ticket, if it is due.
UPDATE work SET state = 'claimed', ticket = (SELECT nextval('work_tickets')), worker = $3, due_at = now() + $4::interval
WHERE stage = $1 AND subject = $2 AND state = 'waiting' AND due_at <= now()
RETURNING subject, ticket, version, attempts;

-- name: finish
-- Remove finished work; gives how many of the claims were still held under the ticket.
WITH held AS (
    SELECT work.stage, work.subject, work.version > claimed.version AS has_changed
    FROM unnest($2::bigint[], $3::int[]) AS claimed (subject, version)
    JOIN work ON work.stage = $1 AND work.subject = claimed.subject AND work.ticket = $4
    FOR UPDATE OF work
), done AS (
    DELETE FROM work USING held WHERE work.stage = held.stage AND work.subject = held.subject AND NOT held.has_changed
), again AS (
    UPDATE work SET state = 'waiting', due_at = now(), ticket = NULL, worker = NULL, attempts = 0, crashes = 0, error = NULL
    FROM held WHERE work.stage = held.stage AND work.subject = held.subject AND held.has_changed
)
SELECT count(*) FROM held;

-- name: postpone
-- Postpone claimed work, with the reason.
UPDATE work SET state = 'waiting', due_at = now() + later.after, attempts = attempts + 1, error = later.error,
    ticket = NULL, worker = NULL
FROM unnest($2::bigint[], $3::interval[], $4::text[]) AS later (subject, after, error)
WHERE work.stage = $1 AND work.subject = later.subject AND work.ticket = $5;

-- name: quarantine
-- Quarantine claimed work, with the reason, until a person releases it.
UPDATE work SET state = 'quarantined', attempts = attempts + 1, error = given_up.error, ticket = NULL, worker = NULL
FROM unnest($2::bigint[], $3::text[]) AS given_up (subject, error)
WHERE work.stage = $1 AND work.subject = given_up.subject AND work.ticket = $4;

-- name: give_back
-- Return claimed work untouched.
UPDATE work SET state = 'waiting', due_at = now(), ticket = NULL, worker = NULL
WHERE stage = $1 AND subject = ANY ($2::bigint[]) AND ticket = $3;

-- name: release_orphans
-- Release what a dead worker held, or a live one for longer than its lease; quarantine what crashed too often.
UPDATE work SET
    state = CASE WHEN crashes + 1 >= $1 THEN 'quarantined'::work_state ELSE 'waiting' END,
    error = format('a worker vanished while holding this (%s of %s times)', crashes + 1, $1),
    crashes = crashes + 1, due_at = now(), ticket = NULL, worker = NULL
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM work
    WHERE state = 'claimed' AND (due_at < now() OR worker NOT IN (
        SELECT objid::bigint::integer FROM pg_locks
        WHERE locktype = 'advisory' AND classid = $2 AND objsubid = 2
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())))
    FOR UPDATE SKIP LOCKED))
RETURNING stage, subject, state;

-- name: counts
-- How much work there is per stage and state; `due` is the part that may be claimed now.
SELECT stage, state::text AS state, count(*) AS count, count(*) FILTER (WHERE due_at <= now()) AS due,
    count(*) FILTER (WHERE error IS NOT NULL) AS failed, min(due_at) AS next_time
FROM work GROUP BY stage, state ORDER BY stage, state;

-- name: is_busy
-- Whether these stages have work that is claimed, due, or only waits for its turn at a host.
SELECT EXISTS (SELECT FROM work WHERE state = 'claimed' AND stage = ANY ($1))
    OR EXISTS (
        SELECT FROM unnest($1::text[]) AS named (stage) CROSS JOIN LATERAL (
            (SELECT FROM work WHERE work.stage = named.stage AND state = 'waiting' AND crashes = 0
                AND due_at <= now() + CASE WHEN attempts = 0 THEN interval '10 minutes' ELSE interval '0' END
                ORDER BY lane, due_at LIMIT 1)  -- in the order of the index, which is used then
            UNION ALL
            (SELECT FROM work WHERE work.stage = named.stage AND state = 'waiting' AND crashes > 0 AND due_at <= now() LIMIT 1)
        ) AS busy);

-- name: list
-- Work that is quarantined, or failed and waits, the next due first, after a cursor; with the kind of a text to be written.
SELECT stage, subject, state::text AS state, due_at, attempts, crashes, error, enqueued_at,
    CASE WHEN stage = $7 THEN (SELECT kind FROM briefs WHERE brief_id = subject) END AS text_kind
FROM work
WHERE state = $1::work_state AND ($2::text IS NULL OR stage = $2) AND (state = 'quarantined' OR error IS NOT NULL)
    AND ($4::timestamptz IS NULL OR (due_at, stage, subject) > ($4, $5, $6))
ORDER BY due_at, stage, subject LIMIT $3;

-- name: retry_now
-- Make failed work due at once; work that only waits for its turn at a host keeps its time.
UPDATE work SET due_at = now() WHERE state = 'waiting' AND due_at > now() AND error IS NOT NULL
    AND ($1::text IS NULL OR stage = $1) AND ($2::bigint[] IS NULL OR subject = ANY ($2));

-- name: release
-- Release quarantined work: it is due, with no attempts counted.
UPDATE work SET state = 'waiting', due_at = now(), attempts = 0, crashes = 0, error = NULL WHERE state = 'quarantined'
    AND ($1::text IS NULL OR stage = $1) AND ($2::bigint[] IS NULL OR subject = ANY ($2));
