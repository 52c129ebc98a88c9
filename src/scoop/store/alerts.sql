-- name: raise
-- Raise alerts; one that lasts already is not raised again.
INSERT INTO alerts (kind, subject, message) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
ON CONFLICT (kind, subject) WHERE resolved_at IS NULL DO NOTHING
RETURNING kind, subject, message;

-- name: resolve
-- Resolve the alerts of these subjects and kinds, except for these pairs.
UPDATE alerts SET resolved_at = now() WHERE resolved_at IS NULL AND subject = ANY ($1::text[]) AND kind = ANY ($2::text[])
    AND NOT EXISTS (
        SELECT FROM unnest($3::text[], $4::text[]) AS lasting (kind, subject)
        WHERE lasting.kind = alerts.kind AND lasting.subject = alerts.subject);

-- name: latest
-- Alerts, the newest first; only open ones, or all.
SELECT alert_id, kind, subject, message, raised_at, resolved_at FROM alerts
WHERE ($1 OR resolved_at IS NULL) AND alert_id < $3 ORDER BY alert_id DESC LIMIT $2;
