-- name: raise
-- Tell the operator, once for as long as it lasts.
INSERT INTO alerts (kind, subject, message) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
ON CONFLICT (kind, subject) WHERE resolved_at IS NULL DO NOTHING
RETURNING kind, subject, message;

-- name: resolve
-- What was wrong with these subjects is over, but for the named pairs of kind and subject.
UPDATE alerts SET resolved_at = now() WHERE resolved_at IS NULL AND subject = ANY ($1::text[]) AND kind = ANY ($2::text[])
    AND NOT EXISTS (
        SELECT FROM unnest($3::text[], $4::text[]) AS lasting (kind, subject)
        WHERE lasting.kind = alerts.kind AND lasting.subject = alerts.subject);

-- name: latest
-- The alerts, the newest first; only those that last, or all.
SELECT alert_id, kind, subject, message, raised_at, resolved_at FROM alerts
WHERE ($1 OR resolved_at IS NULL) AND alert_id < $3 ORDER BY alert_id DESC LIMIT $2;
