-- Programs that are told of stories and digests: who they are, what each knows, and what is on its way to them.

CREATE TYPE webhook_event AS ENUM ('story.new', 'story.developed', 'digest.told');

CREATE TABLE webhooks (
    webhook_id    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9_]{1,64}$'),
    url           TEXT NOT NULL,
    secret        TEXT NOT NULL CHECK (secret ~ '^[a-z0-9_]{1,100}$'),
    events        webhook_event[] NOT NULL CHECK (cardinality(events) >= 1),
    collection    TEXT,
    topic_id      INTEGER REFERENCES topics (topic_id) ON DELETE CASCADE,
    allow_private BOOLEAN NOT NULL DEFAULT false,
    enabled       BOOLEAN NOT NULL DEFAULT true,
    problem       TEXT,
    since         TIMESTAMPTZ NOT NULL DEFAULT now(),
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at    TIMESTAMPTZ NOT NULL DEFAULT now()
);
COMMENT ON TABLE webhooks IS 'Programs that are told of new and developed stories and of digests.';
COMMENT ON COLUMN webhooks.secret IS 'The name of the secret that signs what is sent, never the secret.';
COMMENT ON COLUMN webhooks.collection IS 'Only stories of this collection; NULL: of all.';
COMMENT ON COLUMN webhooks.topic_id IS 'Only stories and digests of this topic; NULL: of all.';
COMMENT ON COLUMN webhooks.allow_private IS 'Whether its host may have a private address.';
COMMENT ON COLUMN webhooks.problem IS 'Why it is told nothing any more: it said that it is gone.';
COMMENT ON COLUMN webhooks.since IS 'What documents joined before is known to it, or no news.';
CREATE INDEX idx_webhooks_topic ON webhooks (topic_id) WHERE topic_id IS NOT NULL;
CREATE TRIGGER trg_webhooks_touch_updated_at BEFORE UPDATE ON webhooks
    FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE webhook_stories (
    webhook_id BIGINT NOT NULL REFERENCES webhooks (webhook_id) ON DELETE CASCADE,
    story_id   BIGINT NOT NULL REFERENCES stories (story_id) ON DELETE CASCADE,
    item_count INTEGER NOT NULL CHECK (item_count >= 1),
    PRIMARY KEY (webhook_id, story_id)
);
COMMENT ON TABLE webhook_stories IS 'What a program knows of a story: of how many documents it was last told.';
CREATE INDEX idx_webhook_stories_story ON webhook_stories (story_id);

CREATE TYPE webhook_delivery_state AS ENUM ('waiting', 'sent', 'dropped');

CREATE TABLE webhook_deliveries (
    webhook_delivery_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook_id          BIGINT NOT NULL REFERENCES webhooks (webhook_id) ON DELETE CASCADE,
    event               webhook_event NOT NULL,
    digest_run_id       BIGINT REFERENCES digest_runs (digest_run_id) ON DELETE CASCADE,
    story_count         INTEGER NOT NULL CHECK (story_count >= 0),
    key                 TEXT NOT NULL UNIQUE,
    payload             TEXT NOT NULL,
    state               webhook_delivery_state NOT NULL DEFAULT 'waiting',
    tries               INTEGER NOT NULL DEFAULT 0 CHECK (tries >= 0),
    tried_at            TIMESTAMPTZ,
    sent_at             TIMESTAMPTZ,
    error               TEXT,
    created_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT uq_webhook_deliveries_digest UNIQUE (webhook_id, digest_run_id),
    CONSTRAINT webhook_deliveries_sent_has_a_time CHECK ((state = 'sent') = (sent_at IS NOT NULL))
);
COMMENT ON TABLE webhook_deliveries IS 'The outbox of webhooks: written with what it tells of, sent until the program took it or it is given up.';
COMMENT ON COLUMN webhook_deliveries.key IS 'The webhook-id of every try: by it a program knows what it has already.';
COMMENT ON COLUMN webhook_deliveries.payload IS 'What is sent and signed, byte for byte.';
COMMENT ON COLUMN webhook_deliveries.error IS 'Why the last try failed, or why it was dropped.';
CREATE INDEX idx_webhook_deliveries_webhook ON webhook_deliveries (webhook_id, webhook_delivery_id DESC);
CREATE INDEX idx_webhook_deliveries_digest ON webhook_deliveries (digest_run_id) WHERE digest_run_id IS NOT NULL;
CREATE INDEX idx_webhook_deliveries_done ON webhook_deliveries (tried_at) WHERE state <> 'waiting';
