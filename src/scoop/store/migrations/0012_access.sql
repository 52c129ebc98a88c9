-- Who may come in: people, the sessions of their browsers, the keys of their programs.

CREATE TYPE user_role AS ENUM ('reader', 'editor', 'admin');

CREATE TABLE users (
    user_id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name          TEXT NOT NULL CHECK (name ~ '\S' AND char_length(name) <= 64),
    role          user_role NOT NULL,
    password_hash TEXT,
    oidc_subject  TEXT,
    enabled       BOOLEAN NOT NULL DEFAULT true,
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    seen_at       TIMESTAMPTZ,
    CONSTRAINT uq_users_oidc_subject UNIQUE (oidc_subject),
    CONSTRAINT ck_users_way_in CHECK (password_hash IS NOT NULL OR oidc_subject IS NOT NULL)
);
CREATE UNIQUE INDEX uq_users_name ON users (lower(name));
COMMENT ON TABLE users IS 'People who may sign in, and what they may do.';
COMMENT ON COLUMN users.password_hash IS 'Argon2id; NULL where the person signs in elsewhere.';
COMMENT ON COLUMN users.oidc_subject IS 'Issuer and subject of the OpenID Connect provider that vouches for the person.';

CREATE TABLE sessions (
    session_hash BYTEA PRIMARY KEY CHECK (octet_length(session_hash) = 32),
    user_id      BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    created_at   TIMESTAMPTZ NOT NULL,
    expires_at   TIMESTAMPTZ NOT NULL
);
CREATE INDEX idx_sessions_user ON sessions (user_id);
CREATE INDEX idx_sessions_expires ON sessions (expires_at);
COMMENT ON TABLE sessions IS 'Browsers that are signed in; the cookie itself is not kept, only its SHA-256.';

CREATE TABLE api_keys (
    api_key_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id    BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    name       TEXT NOT NULL CHECK (name ~ '\S' AND char_length(name) <= 100),
    key_hash   BYTEA NOT NULL CHECK (octet_length(key_hash) = 32),
    hint       TEXT NOT NULL,
    scopes     TEXT[] NOT NULL CHECK (scopes <@ ARRAY['read', 'push', 'edit', 'admin'] AND cardinality(scopes) > 0),
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ,
    used_at    TIMESTAMPTZ,
    CONSTRAINT uq_api_keys_hash UNIQUE (key_hash)
);
CREATE INDEX idx_api_keys_user ON api_keys (user_id);
COMMENT ON TABLE api_keys IS 'Keys by which programs come in for a person; only their SHA-256 is kept.';
COMMENT ON COLUMN api_keys.hint IS 'The last characters, by which a person knows the key again.';
COMMENT ON COLUMN api_keys.scopes IS 'What the key may do, as far as its owner may.';

CREATE TABLE sign_in_failures (
    place     TEXT NOT NULL,
    failed_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX idx_sign_in_failures ON sign_in_failures (place, failed_at);
COMMENT ON TABLE sign_in_failures IS 'Wrong passwords and codes of the last minutes, by address and by name, to slow down who guesses.';

CREATE TABLE setup_codes (
    code_hash  BYTEA PRIMARY KEY CHECK (octet_length(code_hash) = 32),
    created_at TIMESTAMPTZ NOT NULL
);
COMMENT ON TABLE setup_codes IS 'Codes that a terminal showed, by which the first person makes their account; gone once one was used.';
