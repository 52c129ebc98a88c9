-- name: users
-- Everybody who may sign in, or the one of this number.
SELECT user_id, name, role::text AS role, enabled, password_hash IS NOT NULL AS has_password,
    oidc_subject IS NOT NULL AS has_oidc, created_at, seen_at
FROM users WHERE $1::bigint IS NULL OR user_id = $1 ORDER BY lower(name);

-- name: credentials
-- What a person's password is checked against.
SELECT user_id, name, role::text AS role, password_hash FROM users WHERE lower(name) = lower($1) AND enabled;

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
WITH ended AS (DELETE FROM sessions WHERE expires_at <= $1)
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
-- A key that opens nothing any more; of this person, or of whoever.
DELETE FROM api_keys WHERE api_key_id = $1 AND ($2::bigint IS NULL OR user_id = $2) RETURNING api_key_id;

-- name: key
-- Whose key this is, and what for; when it was used is written once a minute at most.
WITH used AS (
    UPDATE api_keys SET used_at = $2
    WHERE key_hash = $1 AND (used_at IS NULL OR used_at < $2::timestamptz - interval '1 minute') AND (expires_at IS NULL OR expires_at > $2)
)
SELECT user_id, users.name, role::text AS role, scopes FROM api_keys JOIN users USING (user_id)
WHERE key_hash = $1 AND enabled AND (expires_at IS NULL OR expires_at > $2);

-- name: fail
-- A wrong password or code.
INSERT INTO sign_in_failures (place, failed_at) SELECT unnest($1::text[]), $2;

-- name: failures
-- How often each of these places failed lately, and when the oldest of those failures was.
SELECT place, count(*)::int AS failures, min(failed_at) AS since FROM sign_in_failures
WHERE place = ANY ($1) AND failed_at >= $2 GROUP BY place;

-- name: forgive
-- Whoever came in is no guesser.
DELETE FROM sign_in_failures WHERE place = ANY ($1);

-- name: add_setup_code
-- A code by which the first account may be made.
INSERT INTO setup_codes (code_hash, created_at) VALUES ($1, $2);

-- name: use_setup_code
-- Whether this is such a code; then none is one any more.
WITH found AS (SELECT FROM setup_codes WHERE code_hash = $1 AND created_at > $2), used AS (
    DELETE FROM setup_codes WHERE EXISTS (SELECT FROM found)
)
SELECT EXISTS (SELECT FROM found);
