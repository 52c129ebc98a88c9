-- Runs have a public id, and one that was asked for exists before its visit.

ALTER TABLE ingest_runs ADD COLUMN run_uuid UUID NOT NULL DEFAULT gen_random_uuid();
ALTER TABLE ingest_runs ADD COLUMN is_requested BOOLEAN NOT NULL DEFAULT false;
COMMENT ON COLUMN ingest_runs.run_uuid IS 'Its id in the articles API and in projections.';
COMMENT ON COLUMN ingest_runs.is_requested IS 'It was asked for, and the next visit of the source will be it.';
CREATE UNIQUE INDEX uq_ingest_runs_uuid ON ingest_runs (run_uuid);
CREATE UNIQUE INDEX uq_ingest_runs_requested ON ingest_runs (source) WHERE is_requested;
