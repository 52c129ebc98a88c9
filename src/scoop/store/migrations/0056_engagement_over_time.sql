-- Comments and points follow their posts while a source still lists these.

ALTER TABLE post_engagement ADD COLUMN read_at TIMESTAMPTZ NOT NULL DEFAULT '-infinity';
ALTER TABLE post_engagement ALTER COLUMN read_at DROP DEFAULT;
COMMENT ON TABLE post_engagement IS 'Comments and points of posts that mention a tool or were read again, as of when they were read last.';
COMMENT ON COLUMN post_engagement.read_at IS 'When the source gave these numbers, if they changed: older ones do not replace them.';
