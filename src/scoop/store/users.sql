-- name: users
-- Everybody who may sign in, or the one of this number.
SELECT user_id, name, role::text AS role, enabled, password_hash IS NOT NULL AS has_password,
    oidc_subject IS NOT NULL AS has_oidc, created_at, seen_at
FROM users WHERE $1::bigint IS NULL OR user_id = $1 ORDER BY lower(name);

-- name: credentials
-- An enabled person's password hash, and whether they have signed in from this network since then.
SELECT user_id, name, role::text AS role, password_hash, EXISTS (
    SELECT FROM sign_in_networks WHERE user_id = users.user_id AND network = $2 AND signed_in_at >= $3
) AS is_network_known
FROM users WHERE lower(name) = lower($1) AND enabled;

-- name: named
-- The number of a person.
SELECT user_id FROM users WHERE lower(name) = lower($1);

-- name: has_users
-- Whether anybody has an account.
SELECT EXISTS (SELECT FROM users);

-- name: lock
-- Let nobody else add or change people before this transaction ends.
LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE;

-- name: add
-- A new account.
INSERT INTO users (name, role, password_hash, oidc_subject) VALUES ($1, $2::text::user_role, $3, $4) RETURNING user_id;

-- name: change
-- Another role or password, or a rest.
UPDATE users SET role = coalesce($2::text::user_role, role), password_hash = coalesce($3, password_hash),
    enabled = coalesce($4, enabled)
WHERE user_id = $1;

-- name: remove
-- Forget a person with their sessions and keys.
DELETE FROM users WHERE user_id = $1;

-- name: other_admins
-- Whether somebody else could manage people.
SELECT EXISTS (SELECT FROM users WHERE user_id <> $1 AND role = 'admin' AND enabled);

-- name: by_oidc
-- The person that a provider vouches for.
SELECT user_id, name, role::text AS role, enabled FROM users WHERE oidc_subject = $1;

-- name: set_oidc_role
-- What the provider says of the role holds from now on.
UPDATE users SET role = $2::text::user_role WHERE user_id = $1;

-- name: open_session
-- A browser is signed in.
INSERT INTO sessions (session_hash, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4);

-- name: saw
-- A person signed in.
UPDATE users SET seen_at = $2 WHERE user_id = $1;

-- name: session
-- Whose browser this is.
SELECT user_id, name, role::text AS role FROM sessions JOIN users USING (user_id)
WHERE session_hash = $1 AND expires_at > $2 AND enabled;

-- name: close_session
-- A browser signs out.
DELETE FROM sessions WHERE session_hash = $1;

-- name: close_sessions
-- All browsers of a person are signed out, but this one.
DELETE FROM sessions WHERE user_id = $1 AND session_hash IS DISTINCT FROM $2;

-- name: forget_expired
-- Sessions that ended and failures that no longer count.
WITH ended AS (DELETE FROM sessions WHERE expires_at <= $1),
    unused AS (DELETE FROM sign_in_networks WHERE signed_in_at < $3)
DELETE FROM sign_in_failures WHERE failed_at < $2;

-- name: keys
-- The keys of one person or of all.
SELECT api_key_id, user_id, users.name AS owner, api_keys.name, hint, scopes, api_keys.created_at, expires_at, used_at
FROM api_keys JOIN users USING (user_id) WHERE $1::bigint IS NULL OR user_id = $1 ORDER BY api_key_id;

-- name: add_key
-- A key for a person's programs.
INSERT INTO api_keys (user_id, name, key_hash, hint, scopes, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING api_key_id;

-- name: remove_key
-- Revoke a key of this user, or of any user.
DELETE FROM api_keys WHERE api_key_id = $1 AND ($2::bigint IS NULL OR user_id = $2) RETURNING api_key_id;

-- name: key
-- Whose key this is, and what for; when it was used is written once a minute at most.
WITH used AS (
    UPDATE api_keys SET used_at = $2
    WHERE key_hash = $1 AND (used_at IS NULL OR used_at < $2::timestamptz - interval '1 minute') AND (expires_at IS NULL OR expires_at > $2)
)
SELECT user_id, users.name, role::text AS role, scopes FROM api_keys JOIN users USING (user_id)
WHERE key_hash = $1 AND enabled AND (expires_at IS NULL OR expires_at > $2);

-- name: lock_places
-- Count the attempts of these places one transaction at a time; locked in one order, so that two cannot deadlock.
SELECT pg_advisory_xact_lock(key) FROM (
    SELECT DISTINCT hashtextextended('sign-in ' || place, 0) AS key FROM unnest($1::text[]) AS place ORDER BY key
) AS ordered;

-- name: count_attempt
-- Count an attempt at all these places, unless one has reached its limit; then, when the oldest attempt there was.
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
-- An attempt that was right, or was not tried.
DELETE FROM sign_in_failures WHERE attempt_id = ANY ($1);

-- name: clear_attempts
-- All attempts at these places, after a successful one.
DELETE FROM sign_in_failures WHERE place = ANY ($1);

-- name: put_network
-- A person signed in from this network.
INSERT INTO sign_in_networks (user_id, network, signed_in_at) VALUES ($1, $2, $3)
ON CONFLICT (user_id, network) DO UPDATE SET signed_in_at = excluded.signed_in_at;

-- name: add_setup_code
-- A code by which the first account may be made.
INSERT INTO setup_codes (code_hash, created_at) VALUES ($1, $2);

-- name: use_setup_code
-- Whether this is such a code; then none is one any more.
WITH found AS (SELECT FROM setup_codes WHERE code_hash = $1 AND created_at > $2), used AS (
    DELETE FROM setup_codes WHERE EXISTS (SELECT FROM found)
)
SELECT EXISTS (SELECT FROM found);
