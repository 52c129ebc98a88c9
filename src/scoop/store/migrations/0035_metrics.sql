-- Metrics: the counts of all processes, added up.

CREATE TABLE metrics (
    name       TEXT NOT NULL,
    labels     JSONB NOT NULL DEFAULT '{}',
    value      DOUBLE PRECISION NOT NULL,
    day        DATE NOT NULL,
    day_value  DOUBLE PRECISION NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (name, labels)
) WITH (fillfactor = 50);  -- room for updates in place: every process updates the same rows every few seconds
COMMENT ON TABLE metrics IS 'What all processes have counted since the desk was set up, one row per sample; a process adds its counts every few seconds.';
COMMENT ON COLUMN metrics.labels IS 'The labels of the sample; a bucket of a histogram has its bound as le, and counts only what fell between it and the bound below.';
COMMENT ON COLUMN metrics.day IS 'The last day on which something was counted, in Pacific time: quotas of Google begin at midnight there.';
COMMENT ON COLUMN metrics.day_value IS 'What was counted on that day.';
