-- name: users
-- All users, or the one with this id.
SELECT user_id, name, role::text AS role, enabled, password_hash IS NOT NULL AS has_password,
    oidc_subject IS NOT NULL AS has_oidc, created_at, seen_at, language
FROM users WHERE $1::bigint IS NULL OR user_id = $1 ORDER BY lower(name);

-- name: credentials
-- The password hash of an enabled user, and whether they have signed in from this network since then.
SELECT user_id, name, role::text AS role, password_hash, EXISTS (
    SELECT FROM sign_in_networks WHERE user_id = users.user_id AND network = $2 AND signed_in_at >= $3
) AS is_network_known
FROM users WHERE lower(name) = lower($1) AND enabled;

-- name: named
-- The id of the user with this name.
SELECT user_id FROM users WHERE lower(name) = lower($1);

-- name: has_users
-- Whether there is any account.
SELECT EXISTS (SELECT FROM users);

-- name: lock
-- Block other changes of accounts until this transaction ends.
LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE;

-- name: add
-- Add an account.
INSERT INTO users (name, role, password_hash, oidc_subject) VALUES ($1, $2::text::user_role, $3, $4) RETURNING user_id;

-- name: change
-- Change role, password or state; null keeps a value.
UPDATE users SET role = coalesce($2::text::user_role, role), password_hash = coalesce($3, password_hash),
    enabled = coalesce($4, enabled)
WHERE user_id = $1;

-- name: remove
-- Delete a user; sessions and keys are deleted by cascade.
DELETE FROM users WHERE user_id = $1;

-- name: other_admins
-- Whether another enabled admin exists.
SELECT EXISTS (SELECT FROM users WHERE user_id <> $1 AND role = 'admin' AND enabled);

-- name: by_oidc
-- The user with this OpenID Connect subject.
SELECT user_id, name, role::text AS role, enabled FROM users WHERE oidc_subject = $1;

-- name: set_oidc_role
-- Set the role that the provider's groups give.
UPDATE users SET role = $2::text::user_role WHERE user_id = $1;

-- name: set_language
-- Set the language in which a person reads summaries.
UPDATE users SET language = $2 WHERE user_id = $1;

-- name: open_session
-- Store a new session.
INSERT INTO sessions (session_hash, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4);

-- name: set_seen
-- Record the time of a sign-in.
UPDATE users SET seen_at = $2 WHERE user_id = $1;

-- name: begin_visit
-- Begin a visit unless one began after `$4`. The one before it ended at `$3`; if that is unknown, its beginning is taken.
UPDATE users SET previous_visit_at = greatest(visited_at, $3), visited_at = $2
WHERE user_id = $1 AND (visited_at IS NULL OR visited_at <= $4);

-- name: previous_visit
-- When the visit before the current one ended.
SELECT previous_visit_at FROM users WHERE user_id = $1;

-- name: session
-- The user of a valid session.
SELECT user_id, name, role::text AS role, language FROM sessions JOIN users USING (user_id)
WHERE session_hash = $1 AND expires_at > $2 AND enabled;

-- name: close_session
-- End a session.
DELETE FROM sessions WHERE session_hash = $1;

-- name: close_sessions
-- End all sessions of a user except this one.
DELETE FROM sessions WHERE user_id = $1 AND session_hash IS DISTINCT FROM $2;

-- name: forget_expired
-- Delete expired sessions, networks that were not used lately, and attempts outside the window.
WITH ended AS (DELETE FROM sessions WHERE expires_at <= $1),
    unused AS (DELETE FROM sign_in_networks WHERE signed_in_at < $3)
DELETE FROM sign_in_failures WHERE failed_at < $2;

-- name: keys
-- The keys of one user, or of all.
SELECT api_key_id, user_id, users.name AS owner, api_keys.name, hint, scopes, api_keys.created_at, expires_at, used_at
FROM api_keys JOIN users USING (user_id) WHERE $1::bigint IS NULL OR user_id = $1 ORDER BY api_key_id;

-- name: add_key
-- Add an API key.
INSERT INTO api_keys (user_id, name, key_hash, hint, scopes, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING api_key_id;

-- name: remove_key
-- Revoke a key of this user, or of any user.
DELETE FROM api_keys WHERE api_key_id = $1 AND ($2::bigint IS NULL OR user_id = $2) RETURNING api_key_id;

-- name: key
-- The owner and scopes of a valid key; the time of use is written at most once a minute.
WITH used AS (
    UPDATE api_keys SET used_at = $2
    WHERE key_hash = $1 AND (used_at IS NULL OR used_at < $2::timestamptz - interval '1 minute') AND (expires_at IS NULL OR expires_at > $2)
)
SELECT user_id, users.name, role::text AS role, scopes, language FROM api_keys JOIN users USING (user_id)
WHERE key_hash = $1 AND enabled AND (expires_at IS NULL OR expires_at > $2);

-- name: lock_places
-- Count the attempts of these places one transaction at a time; locked in one order, so that two cannot deadlock.
SELECT pg_advisory_xact_lock(key) FROM (
    SELECT DISTINCT hashtextextended('sign-in ' || place, 0) AS key FROM unnest($1::text[]) AS place ORDER BY key
) AS ordered;

-- name: count_attempt
-- Count an attempt at all these places; if one has reached its limit, return the time of its oldest attempt instead.
WITH recent AS (
    SELECT count(failed_at) >= most AS is_full, min(failed_at) AS oldest
    FROM unnest($1::text[], $2::int[]) AS limits (place, most)
    LEFT JOIN sign_in_failures AS failed ON failed.place = limits.place AND failed_at >= $3
    GROUP BY limits.place, most
), counted AS (
    INSERT INTO sign_in_failures (place, failed_at)
    SELECT unnest($1::text[]), $4 WHERE NOT EXISTS (SELECT FROM recent WHERE is_full) RETURNING attempt_id
)
SELECT (SELECT coalesce(array_agg(attempt_id), '{}') FROM counted) AS attempt_ids,
    (SELECT coalesce(max(oldest), $4) FROM recent WHERE is_full HAVING count(*) > 0) AS full_since;

-- name: withdraw_attempt
-- Delete an attempt that succeeded or was never checked.
DELETE FROM sign_in_failures WHERE attempt_id = ANY ($1);

-- name: clear_attempts
-- Delete all attempts at these places, after a successful one.
DELETE FROM sign_in_failures WHERE place = ANY ($1);

-- name: put_network
-- Record a network from which a user signed in.
INSERT INTO sign_in_networks (user_id, network, signed_in_at) VALUES ($1, $2, $3)
ON CONFLICT (user_id, network) DO UPDATE SET signed_in_at = excluded.signed_in_at;

-- name: add_setup_code
-- Store a setup code for the first account.
INSERT INTO setup_codes (code_hash, created_at) VALUES ($1, $2);

-- name: use_setup_code
-- Whether this is a valid setup code; if so, all codes are deleted.
WITH valid AS (SELECT FROM setup_codes WHERE code_hash = $1 AND created_at > $2), used AS (
    DELETE FROM setup_codes WHERE EXISTS (SELECT FROM valid)
)
SELECT EXISTS (SELECT FROM valid);
