-- The one queue: who is due for which stage.

CREATE TYPE work_state AS ENUM ('waiting', 'claimed', 'quarantined');

CREATE SEQUENCE work_tickets;
CREATE SEQUENCE workers AS INTEGER CYCLE;

CREATE TABLE work (
    stage       TEXT NOT NULL,
    subject     BIGINT NOT NULL,
    lane        TEXT NOT NULL DEFAULT '',
    state       work_state NOT NULL DEFAULT 'waiting',
    due_at      TIMESTAMPTZ NOT NULL DEFAULT now(),
    version     INTEGER NOT NULL DEFAULT 1,
    attempts    INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    crashes     INTEGER NOT NULL DEFAULT 0 CHECK (crashes >= 0),
    ticket      BIGINT,
    worker      INTEGER,
    error       TEXT,
    enqueued_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (stage, subject),
    CONSTRAINT work_claim_is_held CHECK ((state = 'claimed') = (ticket IS NOT NULL AND worker IS NOT NULL))
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000
);

COMMENT ON TABLE work IS 'What waits for a stage, is in work, or is quarantined. What is done leaves the table.';
COMMENT ON COLUMN work.subject IS 'The id of what the stage works on: a source, an arrival, a document, a story.';
COMMENT ON COLUMN work.lane IS 'Stages that run one at a time per collection take their work from one lane.';
COMMENT ON COLUMN work.due_at IS 'waiting: not before; claimed: the lease ends then.';
COMMENT ON COLUMN work.version IS 'Raised when the subject changes again; what was claimed at an older version is done once more.';
COMMENT ON COLUMN work.attempts IS 'Failures so far that were told by the stage.';
COMMENT ON COLUMN work.crashes IS 'How often a worker vanished while holding it; such work is claimed alone.';
COMMENT ON COLUMN work.ticket IS 'Only the holder of this number may settle the claim.';
COMMENT ON COLUMN work.worker IS 'The worker holds an advisory lock on this number while it lives.';

CREATE INDEX idx_work_due ON work (stage, lane, due_at, subject) WHERE state = 'waiting' AND crashes = 0;
CREATE INDEX idx_work_suspects ON work (stage, lane, due_at) WHERE state = 'waiting' AND crashes > 0;
CREATE INDEX idx_work_claimed ON work (due_at) WHERE state = 'claimed';

CREATE VIEW retry_queue AS
    SELECT stage, subject, due_at AS next_time, attempts, error AS last_error, enqueued_at
    FROM work WHERE state = 'waiting' AND error IS NOT NULL;
COMMENT ON VIEW retry_queue IS 'What failed and waits for another try, a view of work.';

CREATE VIEW quarantine AS
    SELECT stage, subject, attempts, crashes, error AS reason, enqueued_at FROM work WHERE state = 'quarantined';
COMMENT ON VIEW quarantine IS 'What was given up until a person releases it, a view of work.';
