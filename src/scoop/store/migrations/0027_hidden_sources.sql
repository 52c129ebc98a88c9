-- The demo can be removed: its articles, topics and digests stay in the database, and no interface shows them.

CREATE TABLE hidden_sources (
    source     TEXT NOT NULL,
    collection TEXT NOT NULL,
    hidden_at  TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (source, collection)
);
COMMENT ON TABLE hidden_sources IS 'Sources whose articles of a collection no interface shows: those of the demo after its removal. Their stories are suppressed; the ledger keeps their arrivals.';

CREATE VIEW removed_sources AS
SELECT DISTINCT source FROM hidden_sources WHERE source NOT IN (SELECT slug FROM sources);
COMMENT ON VIEW removed_sources IS 'Hidden sources that are not configured: no interface shows their runs either.';

ALTER TABLE topics ADD COLUMN is_hidden BOOLEAN NOT NULL DEFAULT false;
COMMENT ON COLUMN topics.is_hidden IS 'Whether no interface shows it, and no digest of it is made: a topic of the removed demo.';

ALTER TABLE digest_runs ADD COLUMN is_hidden BOOLEAN NOT NULL DEFAULT false;
COMMENT ON COLUMN digest_runs.is_hidden IS 'Whether no list shows it: all its stories are of the removed demo.';
