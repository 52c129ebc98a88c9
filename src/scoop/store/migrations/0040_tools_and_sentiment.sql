-- Tools, who mentions them with which sentiment, and the cache of the aggregates.

CREATE TABLE tools (
    tool_number   INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tool_id       UUID NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    slug          TEXT NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9_]{1,64}$'),
    name          TEXT NOT NULL CHECK (length(trim(name)) > 0),
    name_key      TEXT NOT NULL UNIQUE,
    vendor        TEXT NOT NULL DEFAULT '',
    categories    TEXT[] NOT NULL CHECK (cardinality(categories) BETWEEN 1 AND 5),
    context_words TEXT[] NOT NULL DEFAULT '{}',
    status        TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'archived')),
    merged_into   INTEGER REFERENCES tools (tool_number) ON DELETE RESTRICT,
    origin        TEXT NOT NULL DEFAULT 'person' CHECK (origin IN ('person', 'candidate', 'starter', 'demo')),
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT tools_not_merged_into_itself CHECK (merged_into <> tool_number)
);
COMMENT ON TABLE tools IS 'Tools whose mentions are counted.';
COMMENT ON COLUMN tools.tool_id IS 'The id that the outside sees.';
COMMENT ON COLUMN tools.name_key IS 'The name as it is looked for in texts: case-folded, with single spaces.';
COMMENT ON COLUMN tools.context_words IS 'Words near an ambiguous name that speak for the tool.';
COMMENT ON COLUMN tools.merged_into IS 'The tool that its mentions count for; NULL: they count for itself.';
COMMENT ON COLUMN tools.origin IS 'Who proposed it: a person, the search for candidates, the starter list, or the demo.';
CREATE INDEX idx_tools_merged_into ON tools (merged_into) WHERE merged_into IS NOT NULL;
CREATE TRIGGER trg_tools_touch_updated_at BEFORE UPDATE ON tools FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE tool_aliases (
    alias_key   TEXT PRIMARY KEY,
    tool_number INTEGER NOT NULL REFERENCES tools (tool_number) ON DELETE CASCADE,
    alias       TEXT NOT NULL CHECK (length(trim(alias)) > 0),
    created_at  TIMESTAMPTZ NOT NULL DEFAULT now()
);
COMMENT ON TABLE tool_aliases IS 'Other names of tools; each belongs to one tool.';
COMMENT ON COLUMN tool_aliases.alias_key IS 'The alias as it is looked for in texts.';
CREATE INDEX idx_tool_aliases_tool ON tool_aliases (tool_number);

CREATE TABLE tool_merges (
    merge_id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tool_number   INTEGER NOT NULL REFERENCES tools (tool_number) ON DELETE CASCADE,
    target_number INTEGER NOT NULL REFERENCES tools (tool_number) ON DELETE CASCADE,
    merged_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
    merged_by     TEXT NOT NULL DEFAULT '',
    undone_at     TIMESTAMPTZ,
    undone_by     TEXT
);
COMMENT ON TABLE tool_merges IS 'Every merge of a tool into another, and whether it was undone.';
COMMENT ON COLUMN tool_merges.merged_by IS 'The name of the person at that time; empty for the command line.';
CREATE UNIQUE INDEX idx_tool_merges_open ON tool_merges (tool_number) WHERE undone_at IS NULL;
CREATE INDEX idx_tool_merges_tool ON tool_merges (tool_number);
CREATE INDEX idx_tool_merges_target ON tool_merges (target_number);

CREATE TABLE tool_audit (
    audit_id   BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tool_id    UUID NOT NULL,
    action     TEXT NOT NULL,
    before     JSONB,
    after      JSONB,
    changed_by TEXT NOT NULL DEFAULT '',
    changed_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
COMMENT ON TABLE tool_audit IS 'Every change of a tool, appended in order; it outlives the tool.';
COMMENT ON COLUMN tool_audit.before IS 'The tool before the change; NULL: it was created.';
COMMENT ON COLUMN tool_audit.after IS 'The tool after the change; NULL: it was deleted.';
CREATE INDEX idx_tool_audit_tool ON tool_audit (tool_id, audit_id DESC);
CREATE TRIGGER trg_tool_audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON tool_audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE tool_candidates (
    name_key   TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    status     TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'rejected')),
    decided_by TEXT,
    decided_at TIMESTAMPTZ
);
COMMENT ON TABLE tool_candidates IS 'Names that look like tools in texts, and what a person decided about them.';

CREATE TABLE candidate_mentions (
    name_key    TEXT NOT NULL REFERENCES tool_candidates (name_key) ON DELETE CASCADE,
    document_id BIGINT NOT NULL REFERENCES documents (document_id) ON DELETE CASCADE,
    event_at    TIMESTAMPTZ NOT NULL,
    mentions    INTEGER NOT NULL CHECK (mentions > 0),
    PRIMARY KEY (name_key, document_id)
);
COMMENT ON TABLE candidate_mentions IS 'How often a document has a name that looks like a tool; deleted after 30 days.';
CREATE INDEX idx_candidate_mentions_document ON candidate_mentions (document_id);
CREATE INDEX idx_candidate_mentions_event ON candidate_mentions (event_at);

CREATE VIEW tool_roots AS
WITH RECURSIVE roots (tool_number, root_number) AS (
    SELECT tool_number, tool_number FROM tools WHERE merged_into IS NULL
    UNION ALL
    SELECT tools.tool_number, roots.root_number FROM tools JOIN roots ON tools.merged_into = roots.tool_number
)
SELECT tool_number, root_number FROM roots;
COMMENT ON VIEW tool_roots IS 'The tool that the mentions of each tool count for, through all merges.';

CREATE TABLE mentions (
    mention_id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document_id      BIGINT NOT NULL REFERENCES documents (document_id) ON DELETE CASCADE,
    story_id         BIGINT,
    event_at         TIMESTAMPTZ NOT NULL,
    scored_at        TIMESTAMPTZ NOT NULL DEFAULT now(),
    text_hash        BIGINT NOT NULL,
    tool_number      INTEGER NOT NULL REFERENCES tools (tool_number) ON DELETE CASCADE,
    start_offset     INTEGER NOT NULL CHECK (start_offset >= 0),
    end_offset       INTEGER NOT NULL,
    passage_start    INTEGER NOT NULL,
    passage_end      INTEGER NOT NULL,
    compound         REAL NOT NULL CHECK (compound BETWEEN -1 AND 1),
    confidence       REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    label            SMALLINT NOT NULL CHECK (label BETWEEN -1 AND 1),
    publisher_family TEXT NOT NULL,
    alias            TEXT NOT NULL,
    method           TEXT NOT NULL,
    version          TEXT NOT NULL,
    CONSTRAINT uq_mentions UNIQUE (document_id, start_offset, tool_number),
    CONSTRAINT mentions_range CHECK (end_offset > start_offset AND passage_start <= start_offset AND passage_end >= end_offset)
);
COMMENT ON TABLE mentions IS 'Every mention of a tool in a document or comment, with its sentiment.';
COMMENT ON COLUMN mentions.story_id IS 'The story of the document; it follows story_members.';
COMMENT ON COLUMN mentions.event_at IS 'When the document appeared (documents.seen_at), not when it was collected or analysed.';
COMMENT ON COLUMN mentions.text_hash IS 'A hash of the text: while it is the same, only a re-analysis changes the score.';
COMMENT ON COLUMN mentions.start_offset IS 'In characters of the text that core/mention_texts.py makes of the document, as the other offsets.';
COMMENT ON COLUMN mentions.passage_start IS 'The passage that the sentiment was read from.';
COMMENT ON COLUMN mentions.label IS '1: positive, 0: neutral, -1: negative.';
COMMENT ON COLUMN mentions.method IS 'How the score was made; version is that of the method.';
CREATE INDEX idx_mentions_event ON mentions (event_at);
CREATE INDEX idx_mentions_tool_event ON mentions (tool_number, event_at DESC, mention_id DESC);
CREATE INDEX idx_mentions_story ON mentions (story_id) WHERE story_id IS NOT NULL;

CREATE TABLE post_engagement (
    document_id   BIGINT PRIMARY KEY REFERENCES documents (document_id) ON DELETE CASCADE,
    is_comment    BOOLEAN NOT NULL,
    comment_count INTEGER NOT NULL CHECK (comment_count >= 0),
    upvote_count  INTEGER NOT NULL CHECK (upvote_count >= 0)
);
COMMENT ON TABLE post_engagement IS 'Comments and points of documents that mention a tool, as they were when the item was read.';

-- A document that moves to another story takes its mentions with it.
CREATE FUNCTION move_mentions() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    UPDATE news.mentions SET story_id = moved.story_id FROM moved
    WHERE mentions.document_id = moved.document_id AND mentions.story_id IS DISTINCT FROM moved.story_id;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION move_mentions IS 'Gives the mentions of documents the story that these belong to now.';
CREATE TRIGGER trg_story_members_new_mentions AFTER INSERT ON story_members
    REFERENCING NEW TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION move_mentions();
CREATE TRIGGER trg_story_members_move_mentions AFTER UPDATE ON story_members
    REFERENCING NEW TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION move_mentions();

CREATE TABLE sentiment_cache (
    tool_number            INTEGER NOT NULL REFERENCES tools (tool_number) ON DELETE CASCADE,
    period                 TEXT NOT NULL CHECK (period IN ('HOUR_1', 'HOUR_24', 'DAY_7', 'DAY_30')),
    positive_count         BIGINT NOT NULL CHECK (positive_count >= 0),
    negative_count         BIGINT NOT NULL CHECK (negative_count >= 0),
    neutral_count          BIGINT NOT NULL CHECK (neutral_count >= 0),
    story_count            BIGINT NOT NULL CHECK (story_count >= 0),
    publisher_family_count BIGINT NOT NULL CHECK (publisher_family_count >= 0),
    average_sentiment      DOUBLE PRECISION NOT NULL CHECK (average_sentiment BETWEEN -1 AND 1),
    period_start_ts        BIGINT NOT NULL,
    period_end_ts          BIGINT NOT NULL,
    last_updated_ts        BIGINT NOT NULL,
    PRIMARY KEY (tool_number, period),
    CONSTRAINT sentiment_cache_period CHECK (period_start_ts < period_end_ts)
);
COMMENT ON TABLE sentiment_cache IS 'The aggregates of a tool and period as they were last computed.';
COMMENT ON COLUMN sentiment_cache.last_updated_ts IS 'Seconds since 1970; fresh for 30 minutes after it.';
CREATE INDEX idx_sentiment_cache_updated ON sentiment_cache (last_updated_ts);

CREATE TABLE sentiment_cache_counts (
    minute   TIMESTAMPTZ PRIMARY KEY,
    hits     BIGINT NOT NULL DEFAULT 0,
    misses   BIGINT NOT NULL DEFAULT 0,
    errors   BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 50);  -- room for updates in place: every server updates the same rows
COMMENT ON TABLE sentiment_cache_counts IS 'Reads of the sentiment cache per minute, of all servers; kept for two days.';

CREATE TABLE sentiment_cache_metadata (
    id                       TEXT PRIMARY KEY DEFAULT 'metadata' CHECK (id = 'metadata'),
    last_refresh_ts          BIGINT NOT NULL,
    last_refresh_duration_ms BIGINT NOT NULL CHECK (last_refresh_duration_ms >= 0),
    tools_refreshed          UUID[] NOT NULL DEFAULT '{}'
);
COMMENT ON TABLE sentiment_cache_metadata IS 'The last refresh of the sentiment cache; one row.';

CREATE TABLE sentiment_jobs (
    job_id        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tool_number   INTEGER REFERENCES tools (tool_number) ON DELETE CASCADE,
    reason        TEXT NOT NULL,
    rescores      BOOLEAN NOT NULL DEFAULT false,
    terms         TEXT[] NOT NULL DEFAULT '{}',
    since         TIMESTAMPTZ,
    until         TIMESTAMPTZ,
    status        TEXT NOT NULL DEFAULT 'queued'
        CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
    total         BIGINT,
    done          BIGINT NOT NULL DEFAULT 0,
    mentions      BIGINT NOT NULL DEFAULT 0,
    checkpoint    BIGINT NOT NULL DEFAULT 0,
    error         TEXT,
    requested_by  TEXT NOT NULL DEFAULT '',
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    started_at    TIMESTAMPTZ,
    finished_at   TIMESTAMPTZ,
    updated_at    TIMESTAMPTZ NOT NULL DEFAULT now()
);
COMMENT ON TABLE sentiment_jobs IS 'Re-analyses of documents: one runs at a time, in the order of creation.';
COMMENT ON COLUMN sentiment_jobs.tool_number IS 'The tool that it is for; NULL: all tools and documents.';
COMMENT ON COLUMN sentiment_jobs.rescores IS 'Score mentions again that have a score; otherwise only what is new is scored.';
COMMENT ON COLUMN sentiment_jobs.terms IS 'The names whose documents are analysed; empty: all documents.';
COMMENT ON COLUMN sentiment_jobs.total IS 'The number of documents; NULL before it has started.';
COMMENT ON COLUMN sentiment_jobs.checkpoint IS 'The last document that is done: saved in one transaction with its mentions.';
CREATE INDEX idx_sentiment_jobs_open ON sentiment_jobs (job_id) WHERE status IN ('queued', 'running');
CREATE INDEX idx_sentiment_jobs_tool ON sentiment_jobs (tool_number, job_id DESC);
CREATE TRIGGER trg_sentiment_jobs_touch_updated_at BEFORE UPDATE ON sentiment_jobs
    FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
