-- name: raise
-- Raise alerts; one that lasts already is not raised again.
INSERT INTO alerts (kind, subject, message, level) SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
ON CONFLICT (kind, subject) WHERE resolved_at IS NULL DO NOTHING
RETURNING alert_id, kind, level, subject, message, raised_at, resolved_at;

-- name: resolve
-- Resolve the alerts of these subjects and kinds, except for these pairs.
UPDATE alerts SET resolved_at = now() WHERE resolved_at IS NULL AND subject = ANY ($1::text[]) AND kind = ANY ($2::text[])
    AND NOT EXISTS (
        SELECT FROM unnest($3::text[], $4::text[]) AS lasting (kind, subject)
        WHERE lasting.kind = alerts.kind AND lasting.subject = alerts.subject)
RETURNING alert_id, kind, level, subject, message, raised_at, resolved_at;

-- name: latest
-- Alerts of some levels and kinds, the newest first; only open ones, or all. Those about hidden sources and topics are left out.
SELECT alert_id, kind, level, subject, message, raised_at, resolved_at FROM alerts
WHERE ($1 OR resolved_at IS NULL) AND alert_id < $3 AND level = ANY ($4::text[])
    AND ($5::text[] IS NULL OR kind = ANY ($5))
    AND subject NOT IN (SELECT source FROM removed_sources)
    AND subject NOT IN (SELECT topic_slug FROM topics WHERE is_hidden)
ORDER BY alert_id DESC LIMIT $2;

-- name: subjects
-- The subjects of the open alerts of these kinds.
SELECT DISTINCT subject FROM alerts WHERE resolved_at IS NULL AND kind = ANY ($1::text[]);

-- name: news
-- Alerts of these levels that began or ended and were not announced. One that ended before it was announced is left out, and
-- one that was announced a short while ago under the same name waits. Those about hidden sources and topics are left out.
SELECT alert_id, kind, level, subject, message, resolved_at IS NOT NULL AS is_over FROM alerts AS news
WHERE ((announced_at IS NULL AND resolved_at IS NULL)
        OR (announced_at IS NOT NULL AND resolved_at IS NOT NULL AND end_announced_at IS NULL))
    AND level = ANY ($1::text[])
    AND subject NOT IN (SELECT source FROM removed_sources)
    AND subject NOT IN (SELECT topic_slug FROM topics WHERE is_hidden)
    AND NOT EXISTS (SELECT FROM alerts AS earlier
        WHERE earlier.kind = news.kind AND earlier.subject = news.subject AND earlier.alert_id < news.alert_id
            AND earlier.announced_at > now() - $2::interval)
FOR UPDATE SKIP LOCKED;

-- name: mark_announced
-- Mark alerts, or the end of those that ended, as announced.
UPDATE alerts SET announced_at = coalesce(announced_at, now()),
    end_announced_at = CASE WHEN resolved_at IS NOT NULL THEN now() END
WHERE alert_id = ANY ($1::bigint[]);

-- name: last_announced
-- When alerts were last announced.
SELECT greatest(max(announced_at), max(end_announced_at)) FROM alerts WHERE announced_at IS NOT NULL;
