-- The sentences that a writer proposed and that a summary does not have.

ALTER TABLE summaries ADD COLUMN left_out JSONB NOT NULL DEFAULT '[]';
COMMENT ON COLUMN summaries.left_out IS 'Sentences that were left out: how each begins, and the reasons.';
