-- A key for a monitoring system: it reads metrics and nothing else.
ALTER TABLE api_keys DROP CONSTRAINT api_keys_scopes_check;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_scopes_check
    CHECK (scopes <@ ARRAY['read', 'push', 'edit', 'metrics', 'admin'] AND cardinality(scopes) > 0);
