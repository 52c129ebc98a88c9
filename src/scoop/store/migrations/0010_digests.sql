-- Topics say what they are about, digests remember what they told, and posts leave exactly once.

CREATE TABLE desk (
    desk_id UUID NOT NULL DEFAULT gen_random_uuid(),
    is_one  BOOLEAN PRIMARY KEY DEFAULT true CHECK (is_one)
);
COMMENT ON TABLE desk IS 'Who this desk is: two desks that post to one channel do not take each other''s posts for their own.';
INSERT INTO desk DEFAULT VALUES;

CREATE TYPE topic_mode AS ENUM ('legacy', 'shadow', 'prod');

ALTER TABLE topics
    ADD COLUMN collections TEXT[] NOT NULL DEFAULT '{}',
    ADD COLUMN max_entries SMALLINT NOT NULL DEFAULT 12 CHECK (max_entries BETWEEN 1 AND 100),
    ADD COLUMN max_per_family SMALLINT NOT NULL DEFAULT 3 CHECK (max_per_family >= 1),
    ADD COLUMN mode topic_mode,
    ADD COLUMN publish_v2 BOOLEAN,
    ADD COLUMN write_raw_ledger BOOLEAN,
    ADD COLUMN legacy_command TEXT[],
    ADD COLUMN legacy_deadline INTERVAL,
    ALTER COLUMN digest_cron SET DEFAULT '0 9 * * *';
UPDATE topics SET collections = ARRAY[topic_slug];
COMMENT ON COLUMN topics.collections IS 'Whose stories belong to the topic by nature.';
COMMENT ON COLUMN topics.discord_channel_id IS 'The Discord channel of its discord_bot channels that name none of their own.';
COMMENT ON COLUMN topics.max_entries IS 'How many stories its digest tells at most.';
COMMENT ON COLUMN topics.max_per_family IS 'How many of them may be one publisher family''s.';
COMMENT ON COLUMN topics.mode IS 'Where the move from an older system stands; NULL: as NP_MODE says for all.';
COMMENT ON COLUMN topics.publish_v2 IS 'Whether its digests are posted; NULL: as NP_PUBLISH_V2 says for all.';
COMMENT ON COLUMN topics.write_raw_ledger IS 'Whether its collections are gathered; NULL: as NP_WRITE_RAW_LEDGER says for all.';
COMMENT ON COLUMN topics.legacy_command IS 'The older system''s program that posts this topic, with its arguments.';
COMMENT ON COLUMN topics.legacy_deadline IS 'How long after its time a digest may come before that program posts instead.';

CREATE TABLE topic_channels (
    topic_id   INTEGER NOT NULL REFERENCES topics (topic_id) ON DELETE CASCADE,
    name       TEXT NOT NULL CHECK (name ~ '^[a-z0-9_]+$'),
    kind       TEXT NOT NULL,
    options    JSONB NOT NULL DEFAULT '{}',
    enabled    BOOLEAN NOT NULL DEFAULT true,
    problem    TEXT,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (topic_id, name)
);
COMMENT ON TABLE topic_channels IS 'Where the digests of a topic go. Secrets are named in the options, never held there.';
COMMENT ON COLUMN topic_channels.problem IS 'Why the channel takes nothing any more: its token is wrong, or it is gone.';
CREATE TRIGGER trg_topic_channels_touch_updated_at BEFORE UPDATE ON topic_channels
    FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

ALTER TABLE story_topic_state
    ADD COLUMN weight SMALLINT NOT NULL DEFAULT 1 CHECK (weight >= 0),
    ADD COLUMN matched TEXT[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN story_topic_state.weight IS 'How much the topic''s rules make of the story: the sum of those that caught it, at least 1.';
COMMENT ON COLUMN story_topic_state.matched IS 'What put the story into the topic: collection:NAME, source:NAME, keyword:PATTERN.';

ALTER TABLE digest_entries
    ADD COLUMN score_parts JSONB NOT NULL DEFAULT '{}',
    ADD COLUMN told JSONB NOT NULL DEFAULT '{}',
    ADD COLUMN change TEXT NOT NULL DEFAULT '',
    ADD COLUMN twin_of BIGINT REFERENCES stories (story_id) ON DELETE RESTRICT,
    ADD COLUMN published_at TIMESTAMPTZ;
COMMENT ON COLUMN digest_entries.score_parts IS 'What the score was made of.';
COMMENT ON COLUMN digest_entries.told IS 'The story as it was then: what a reader saw, and what later tellings are compared with.';
COMMENT ON COLUMN digest_entries.change IS 'What is new in a story that was told before and has developed.';
COMMENT ON COLUMN digest_entries.twin_of IS 'The story of the same digest that this one stands beside.';
COMMENT ON COLUMN digest_entries.published_at IS 'When a channel first accepted it.';
CREATE INDEX idx_digest_entries_published ON digest_entries (published_at) WHERE published_at IS NOT NULL;

ALTER TABLE digest_runs ADD COLUMN left_to_legacy_at TIMESTAMPTZ;
COMMENT ON COLUMN digest_runs.left_to_legacy_at IS 'When the older system was asked to post instead; nothing of this run leaves after that.';

CREATE TYPE post_state AS ENUM ('waiting', 'sending', 'sent', 'held', 'failed', 'dropped');

CREATE TABLE posts (
    post_id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest_run_id BIGINT NOT NULL REFERENCES digest_runs (digest_run_id) ON DELETE RESTRICT,
    topic_id      INTEGER NOT NULL REFERENCES topics (topic_id) ON DELETE RESTRICT,
    run_date      DATE NOT NULL,
    channel       TEXT NOT NULL,
    kind          TEXT NOT NULL,
    options       JSONB NOT NULL,
    part_no       SMALLINT NOT NULL CHECK (part_no >= 1),
    parts         SMALLINT NOT NULL CHECK (parts >= part_no),
    key           TEXT NOT NULL UNIQUE,
    marker        TEXT NOT NULL UNIQUE,
    payload       TEXT NOT NULL,
    correction    TEXT,
    story_ids     BIGINT[] NOT NULL,
    state         post_state NOT NULL DEFAULT 'waiting',
    sending_at    TIMESTAMPTZ,
    tried_at      TIMESTAMPTZ,
    looks         SMALLINT NOT NULL DEFAULT 0,
    sent_at       TIMESTAMPTZ,
    message_id    TEXT,
    error         TEXT,
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT uq_posts_one_for_each_part UNIQUE (topic_id, run_date, channel, part_no),
    CONSTRAINT posts_sending_has_a_time CHECK (state <> 'sending' OR sending_at IS NOT NULL),
    CONSTRAINT posts_sent_has_a_time CHECK (state <> 'sent' OR sent_at IS NOT NULL)
);
COMMENT ON TABLE posts IS 'The outbox: one row for each part of a digest and each channel, written with the digest and sent once.';
COMMENT ON COLUMN posts.options IS 'The options of the channel when the digest was made: a digest goes to one place, whatever is changed meanwhile.';
COMMENT ON COLUMN posts.key IS 'Desk, topic, date, channel and part: the same for every try.';
COMMENT ON COLUMN posts.marker IS 'A short hash of the key, shown in the post; by it a post is found again.';
COMMENT ON COLUMN posts.payload IS 'What is sent, byte for byte.';
COMMENT ON COLUMN posts.correction IS 'What a post that was sent shall say instead.';
COMMENT ON COLUMN posts.sending_at IS 'When the first try began whose outcome is not known: since then it may have arrived.';
COMMENT ON COLUMN posts.tried_at IS 'When the last try began.';
COMMENT ON COLUMN posts.looks IS 'How often it was looked for in vain since the last try.';
CREATE INDEX idx_posts_run ON posts (digest_run_id, channel, part_no);
CREATE INDEX idx_posts_state ON posts (state, updated_at DESC) WHERE state <> 'sent';
CREATE TRIGGER trg_posts_touch_updated_at BEFORE UPDATE ON posts
    FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

-- What is there already finds its topics.
INSERT INTO work (stage, subject) SELECT 'assign-topics', story_id FROM stories WHERE status = 'active' ON CONFLICT DO NOTHING;
