-- What an older system has told and seen, and when it was asked to post once more.

CREATE TABLE legacy_digest_items (
    legacy_digest_item_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic_id           INTEGER NOT NULL REFERENCES topics (topic_id) ON DELETE CASCADE,
    run_date           DATE NOT NULL,
    position           INTEGER NOT NULL CHECK (position >= 1),
    title              TEXT NOT NULL,
    url                TEXT,
    canonical_url_hash BYTEA CHECK (canonical_url_hash IS NULL OR octet_length(canonical_url_hash) = 32),
    normalized_title   TEXT NOT NULL,
    posted_at          TIMESTAMPTZ NOT NULL,
    source             TEXT,
    item_hash          BYTEA NOT NULL CHECK (octet_length(item_hash) = 32),
    copy               INTEGER NOT NULL CHECK (copy >= 1),
    imported_at        TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT uq_legacy_digest_items UNIQUE (topic_id, run_date, item_hash, copy)
);
COMMENT ON TABLE legacy_digest_items IS 'What an older system posted of a topic on a local date, as it was imported.';
COMMENT ON COLUMN legacy_digest_items.posted_at IS 'When it was posted; where nobody wrote that down, when the topic''s digest was due.';
COMMENT ON COLUMN legacy_digest_items.item_hash IS 'SHA-256 of the canonical URL, or of the normalized title where there is none.';
COMMENT ON COLUMN legacy_digest_items.copy IS 'The how manieth time the same item stood in that digest: doubles are what it is compared for.';

CREATE TABLE legacy_seen_items (
    legacy_seen_item_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic_id           INTEGER REFERENCES topics (topic_id) ON DELETE CASCADE,
    key                BYTEA NOT NULL CHECK (octet_length(key) = 32),
    canonical_url_hash BYTEA CHECK (canonical_url_hash IS NULL OR octet_length(canonical_url_hash) = 32),
    title              TEXT NOT NULL,
    seen_at            TIMESTAMPTZ,
    line               TEXT NOT NULL,
    imported_at        TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT uq_legacy_seen_items UNIQUE NULLS NOT DISTINCT (topic_id, key)
);
COMMENT ON TABLE legacy_seen_items IS 'What an older system had seen, from the files by which it knew what was new to it.';
COMMENT ON COLUMN legacy_seen_items.topic_id IS 'NULL: it did not say of which topic.';
COMMENT ON COLUMN legacy_seen_items.key IS 'SHA-256 of the item''s own id, else of its canonical URL, else of its normalized title.';
COMMENT ON COLUMN legacy_seen_items.line IS 'The line as it came.';
CREATE INDEX idx_legacy_seen_items_url ON legacy_seen_items (canonical_url_hash) WHERE canonical_url_hash IS NOT NULL;

CREATE TABLE legacy_fallbacks (
    topic_id   INTEGER NOT NULL REFERENCES topics (topic_id) ON DELETE CASCADE,
    run_date   DATE NOT NULL,
    claimed_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    ended_at   TIMESTAMPTZ,
    exit_code  INTEGER,
    error      TEXT,
    PRIMARY KEY (topic_id, run_date),
    CONSTRAINT legacy_fallbacks_end_together CHECK ((ended_at IS NULL) = (exit_code IS NULL))
);
COMMENT ON TABLE legacy_fallbacks IS 'When an older system was asked to post instead: claimed before its program runs, so that it runs once.';
COMMENT ON COLUMN legacy_fallbacks.exit_code IS 'NULL: it is running, or nobody knows whether it ran.';
COMMENT ON COLUMN legacy_fallbacks.error IS 'The last line of what the program complained of.';

CREATE FUNCTION is_gathered(wanted TEXT, otherwise BOOLEAN) RETURNS BOOLEAN
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT coalesce((SELECT bool_or(coalesce(write_raw_ledger, otherwise)) FROM topics WHERE enabled AND wanted = ANY (collections)), otherwise);
END;
COMMENT ON FUNCTION is_gathered IS 'Whether a collection is gathered: when one of its topics says so; where none says anything, as for all.';
