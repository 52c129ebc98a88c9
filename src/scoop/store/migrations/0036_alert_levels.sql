-- Alerts have levels and are announced: to webhooks, and through the channels of a topic.

ALTER TABLE alerts
    ADD COLUMN level TEXT NOT NULL DEFAULT 'warning' CHECK (level IN ('critical', 'warning', 'info')),
    ADD COLUMN announced_at TIMESTAMPTZ,
    ADD COLUMN end_announced_at TIMESTAMPTZ;
UPDATE alerts SET level = CASE WHEN kind = 'digest_late' THEN 'critical' ELSE 'info' END
WHERE kind IN ('digest_late', 'source_quiet', 'post_gone');
ALTER TABLE alerts ALTER COLUMN level DROP DEFAULT;
COMMENT ON COLUMN alerts.level IS 'critical: something has stopped and needs a person; warning: something is failing; info: good to know.';
COMMENT ON COLUMN alerts.announced_at IS 'When it was put into a post to the operators; NULL: it was not.';
COMMENT ON COLUMN alerts.end_announced_at IS 'When its end was put into a post; only that of an announced alert is.';
CREATE INDEX idx_alerts_unannounced ON alerts (alert_id) WHERE (announced_at IS NULL AND resolved_at IS NULL)
    OR (announced_at IS NOT NULL AND resolved_at IS NOT NULL AND end_announced_at IS NULL);
CREATE INDEX idx_alerts_announced ON alerts (kind, subject, announced_at) WHERE announced_at IS NOT NULL;

ALTER TABLE posts
    ALTER COLUMN digest_run_id DROP NOT NULL,
    ADD COLUMN alert_ids BIGINT[] NOT NULL DEFAULT '{}',
    ADD CONSTRAINT posts_have_a_digest_or_alerts CHECK ((digest_run_id IS NULL) = (alert_ids <> '{}')),
    DROP CONSTRAINT uq_posts_one_for_each_part;
CREATE UNIQUE INDEX uq_posts_one_for_each_part ON posts (topic_id, run_date, channel, part_no)
    WHERE digest_run_id IS NOT NULL;
COMMENT ON TABLE posts IS 'The outbox: one row for each part of a digest, or of a message about alerts, and each channel; written with the digest or the decision to announce, and sent once.';
COMMENT ON COLUMN posts.digest_run_id IS 'The digest; NULL for a message about alerts.';
COMMENT ON COLUMN posts.alert_ids IS 'The alerts that a message is about; empty for a part of a digest.';

ALTER TYPE webhook_event ADD VALUE 'alert.raised';
ALTER TYPE webhook_event ADD VALUE 'alert.resolved';
