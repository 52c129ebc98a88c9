-- Projections: how far other stores have been brought up to date, and what they were sent.

CREATE TABLE projection_feeds (
    feed_id        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    projection     TEXT NOT NULL,
    subject_kind   TEXT NOT NULL,
    cursor_at      TIMESTAMPTZ NOT NULL DEFAULT 'epoch',
    cursor_id      BIGINT NOT NULL DEFAULT 0,
    scope          TEXT NOT NULL DEFAULT '',
    generation     INTEGER NOT NULL DEFAULT 0,
    complete_until TIMESTAMPTZ,
    swept_at       TIMESTAMPTZ NOT NULL DEFAULT 'epoch',
    items_written  BIGINT NOT NULL DEFAULT 0,
    items_deleted  BIGINT NOT NULL DEFAULT 0,
    CONSTRAINT uq_projection_feeds UNIQUE (projection, subject_kind)
);
COMMENT ON TABLE projection_feeds IS 'The changes of one kind of subject on their way to one projection; empty if no projection is configured.';
COMMENT ON COLUMN projection_feeds.cursor_at IS 'When the last row that was read changed, with cursor_id.';
COMMENT ON COLUMN projection_feeds.scope IS 'The target of the projection and a hash of the hidden sources; all rows are read again if it changes.';
COMMENT ON COLUMN projection_feeds.generation IS 'Raised by a rebuild, so that a worker that began before it does not move the cursor.';
COMMENT ON COLUMN projection_feeds.complete_until IS 'The projection has all changes before this time; NULL before the first pass has ended.';
COMMENT ON COLUMN projection_feeds.swept_at IS 'When items without a subject were last looked for.';

CREATE TABLE projected_items (
    feed_id     BIGINT NOT NULL REFERENCES projection_feeds (feed_id) ON DELETE CASCADE,
    subject     TEXT NOT NULL,
    row_id      BIGINT NOT NULL,
    keys        TEXT[] NOT NULL,
    fingerprint BYTEA,
    expires_at  TIMESTAMPTZ,
    problem     TEXT,
    PRIMARY KEY (feed_id, subject)
);
COMMENT ON TABLE projected_items IS 'The items that a projection was sent; empty if no projection is configured.';
COMMENT ON COLUMN projected_items.row_id IS 'The id of the row that the item was made from.';
COMMENT ON COLUMN projected_items.keys IS 'The keys that the item may have in the store: several while a write that moves it has not ended.';
COMMENT ON COLUMN projected_items.fingerprint IS 'A hash of the content; NULL while a write has not ended.';
COMMENT ON COLUMN projected_items.problem IS 'Why the store cannot hold the item.';
CREATE INDEX idx_projected_items_row ON projected_items (feed_id, row_id);

-- Only a desk with a projection pays for these indexes.
CREATE FUNCTION index_changes() RETURNS void LANGUAGE sql AS $$
    CREATE INDEX IF NOT EXISTS idx_documents_changes ON news.documents (updated_at, document_id);
    CREATE INDEX IF NOT EXISTS idx_ingest_runs_changes ON news.ingest_runs (updated_at, run_id);
    CREATE INDEX IF NOT EXISTS idx_briefs_changes ON news.briefs (attempted_at, subject_id)
        WHERE kind = 'summary' AND subject_kind = 'document';
$$;
COMMENT ON FUNCTION index_changes IS 'Creates the indexes by which projections find changed rows.';
