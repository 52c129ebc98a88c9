-- Events: every story is part of exactly one, alone or with others that report the same event.

CREATE TABLE events (
    event_id               BIGINT PRIMARY KEY,
    event_uuid             UUID NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    collection             TEXT NOT NULL,
    status                 TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suppressed', 'merged')),
    merged_into            BIGINT REFERENCES events (event_id),
    lead_story_id          BIGINT NOT NULL REFERENCES stories (story_id),
    chosen_lead_id         BIGINT REFERENCES stories (story_id),
    leads                  JSONB NOT NULL DEFAULT '{}',
    first_seen_at          TIMESTAMPTZ NOT NULL,
    last_seen_at           TIMESTAMPTZ NOT NULL,
    developed_at           TIMESTAMPTZ NOT NULL,
    developed_families     INTEGER NOT NULL DEFAULT 1 CHECK (developed_families >= 1),
    story_count            INTEGER NOT NULL DEFAULT 1 CHECK (story_count >= 1),
    item_count             INTEGER NOT NULL DEFAULT 1 CHECK (item_count >= 1),
    sources                TEXT[] NOT NULL CHECK (cardinality(sources) >= 1),
    publisher_families     TEXT[] NOT NULL CHECK (cardinality(publisher_families) >= 1),
    languages              TEXT[] NOT NULL DEFAULT '{}',
    source_count           INTEGER GENERATED ALWAYS AS (cardinality(sources)) STORED,
    publisher_family_count INTEGER GENERATED ALWAYS AS (cardinality(publisher_families)) STORED,
    language_count         INTEGER GENERATED ALWAYS AS (cardinality(languages)) STORED,
    rank                   DOUBLE PRECISION GENERATED ALWAYS AS (
        ln(1 + cardinality(publisher_families)::float8) / ln(2::float8)
            + extract(epoch FROM last_seen_at - TIMESTAMPTZ '2000-01-01 00:00:00+00')::float8 / 43200) STORED,
    created_at             TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at             TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT events_seen_window_valid CHECK (last_seen_at >= first_seen_at),
    CONSTRAINT events_merged_points_somewhere CHECK ((status = 'merged') = (merged_into IS NOT NULL)),
    CONSTRAINT events_not_merged_into_itself CHECK (merged_into <> event_id)
);
COMMENT ON TABLE events IS 'Events: the stories that report one event, which readers see as one entry. A single story is an event too.';
COMMENT ON COLUMN events.event_id IS 'The number of the story that founded it, or one from the same sequence.';
COMMENT ON COLUMN events.event_uuid IS 'The public id; it stays while the event grows, and leads to the event that it was merged into.';
COMMENT ON COLUMN events.lead_story_id IS 'The story that represents it: its title and text stand for the event.';
COMMENT ON COLUMN events.chosen_lead_id IS 'The lead that a person chose; NULL: it is chosen by rule.';
COMMENT ON COLUMN events.leads IS 'The best story of each language.';
COMMENT ON COLUMN events.developed_at IS 'When it last developed: it is new or unread again for everybody who saw it before.';
COMMENT ON COLUMN events.developed_families IS 'The number of independent publishers when it last developed.';
COMMENT ON COLUMN events.rank IS 'Order of importance: twice as many independent publishers weigh as much as 12 hours.';

UPDATE stories SET coverage_id = story_id WHERE coverage_id IS NULL AND status <> 'merged';

INSERT INTO events (event_id, event_uuid, collection, status, lead_story_id, first_seen_at, last_seen_at, developed_at,
    developed_families, story_count, item_count, sources, publisher_families, languages, created_at)
SELECT grouped.coverage_id, founder.story_uuid, grouped.collection,
    CASE WHEN grouped.is_active THEN 'active' ELSE 'suppressed' END, grouped.story_ids[1], grouped.first_seen_at,
    grouped.last_seen_at, grouped.created_at, cardinality(families), grouped.story_count, grouped.item_count, found_sources,
    families, found_languages, grouped.created_at
FROM (
    SELECT coverage_id, min(collection) AS collection, bool_or(status = 'active') AS is_active, count(*) AS story_count,
        sum(item_count) AS item_count, min(first_seen_at) AS first_seen_at, max(last_seen_at) AS last_seen_at,
        min(created_at) AS created_at,
        array_agg(story_id ORDER BY publisher_family_count DESC, first_seen_at, story_id) AS story_ids
    FROM stories WHERE status <> 'merged' GROUP BY coverage_id
) AS grouped JOIN stories AS founder ON founder.story_id = grouped.coverage_id
CROSS JOIN LATERAL (
    SELECT array_agg(DISTINCT source ORDER BY source) AS found_sources
    FROM stories CROSS JOIN unnest(sources) AS source WHERE story_id = ANY (story_ids)) AS by_source
CROSS JOIN LATERAL (
    SELECT array_agg(DISTINCT family ORDER BY family) AS families
    FROM stories CROSS JOIN unnest(publisher_families) AS family WHERE story_id = ANY (story_ids)) AS by_family
CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(DISTINCT normalized_language ORDER BY normalized_language), '{}') AS found_languages
    FROM stories JOIN documents ON document_id = representative_document_id WHERE story_id = ANY (story_ids)) AS by_language;

-- Every other story has a merged event of its number, so that addresses of stories are addresses of events too.
INSERT INTO events (event_id, event_uuid, collection, status, merged_into, lead_story_id, first_seen_at, last_seen_at,
    developed_at, sources, publisher_families, created_at)
SELECT story.story_id, story.story_uuid, story.collection, 'merged', survivor.coverage_id, story.story_id, story.first_seen_at,
    story.last_seen_at, story.created_at, story.sources, story.publisher_families, story.created_at
FROM stories AS story JOIN stories AS survivor ON survivor.story_id = coalesce(story.merged_into, story.story_id)
WHERE NOT EXISTS (SELECT FROM events WHERE event_id = story.story_id);
UPDATE stories SET coverage_id = story_id WHERE status = 'merged';

DROP INDEX idx_stories_coverage;
ALTER TABLE stories
    ALTER COLUMN coverage_id SET NOT NULL,
    ADD COLUMN centrality REAL,
    ADD CONSTRAINT stories_coverage_id_fkey FOREIGN KEY (coverage_id) REFERENCES events (event_id)
        DEFERRABLE INITIALLY DEFERRED;
COMMENT ON COLUMN stories.coverage_id IS 'The event that it is part of.';
COMMENT ON COLUMN stories.centrality IS 'The mean link probability to the other stories of its event; NULL if it is alone.';
CREATE INDEX idx_stories_coverage ON stories (coverage_id) WHERE status <> 'merged';

CREATE INDEX idx_events_latest ON events (last_seen_at DESC, event_id DESC) WHERE status = 'active';
CREATE INDEX idx_events_collection_latest ON events (collection, last_seen_at DESC, event_id DESC) WHERE status = 'active';
CREATE INDEX idx_events_rank ON events (rank DESC, event_id DESC) WHERE status = 'active';
CREATE INDEX idx_events_collection_rank ON events (collection, rank DESC, event_id DESC) WHERE status = 'active';
CREATE INDEX idx_events_developed ON events (developed_at DESC, event_id DESC) WHERE status = 'active';
CREATE INDEX idx_events_merged_into ON events (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX idx_events_lead ON events (lead_story_id);
CREATE TRIGGER trg_events_touch_updated_at BEFORE UPDATE ON events
    FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

-- What a person has read and starred is said of events.
CREATE TABLE event_marks (
    user_id    BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    event_id   BIGINT NOT NULL REFERENCES events (event_id) ON DELETE CASCADE,
    is_read    BOOLEAN,
    is_starred BOOLEAN NOT NULL DEFAULT false,
    marked_at  TIMESTAMPTZ NOT NULL,
    star_from  BIGINT,
    PRIMARY KEY (user_id, event_id)
);
CREATE INDEX idx_event_marks_starred ON event_marks (user_id, event_id) WHERE is_starred;
CREATE INDEX idx_event_marks_event ON event_marks (event_id);
COMMENT ON TABLE event_marks IS 'What a person said of an event by itself: read or unread, starred.';
COMMENT ON COLUMN event_marks.is_read IS 'NULL: not said; then what was read all at once decides.';
COMMENT ON COLUMN event_marks.marked_at IS 'An event that developed later than this is unread again.';
COMMENT ON COLUMN event_marks.star_from IS 'The merged event that the star comes from; NULL: the person starred this event.';

INSERT INTO event_marks (user_id, event_id, is_read, is_starred, marked_at, star_from)
SELECT user_id, coverage_id, bool_and(is_read), bool_or(is_starred), max(marked_at),
    CASE WHEN bool_or(is_starred AND stories.story_id = coverage_id) THEN NULL
        ELSE min(stories.story_id) FILTER (WHERE is_starred) END
FROM story_marks JOIN stories USING (story_id) WHERE status <> 'merged' GROUP BY user_id, coverage_id;

ALTER TABLE reading_lines ADD COLUMN drawn_at TIMESTAMPTZ NOT NULL DEFAULT now();
COMMENT ON TABLE reading_lines IS 'Up to which event a person has read everything, or everything of a collection.';
COMMENT ON COLUMN reading_lines.drawn_at IS 'An event that developed later than this is unread again.';

ALTER TABLE users ADD COLUMN visited_at TIMESTAMPTZ, ADD COLUMN previous_visit_at TIMESTAMPTZ;
COMMENT ON COLUMN users.previous_visit_at IS 'When the visit before the current one ended: events since then are marked.';

DROP VIEW marked_stories;
DROP TABLE story_marks;
DROP INDEX idx_stories_created_at;

CREATE OR REPLACE VIEW story_rows AS
SELECT stories.story_id, stories.story_uuid, stories.collection, stories.canonical_title AS title,
    stories.canonical_url AS url, stories.status, stories.first_seen_at, stories.last_seen_at, stories.item_count,
    stories.source_count, stories.publisher_family_count, stories.sources, stories.publisher_families,
    coalesce(documents.normalized_language, 'und') AS language, coalesce(left(documents.body_text, 400), '') AS lead,
    stories.merged_into, stories.coverage_id,
    stories.representative_document_id, stories.created_at, stories.updated_at, documents.image_url,
    documents.publisher_family AS own_publisher, stories.centrality, events.event_uuid
FROM stories LEFT JOIN documents ON documents.document_id = stories.representative_document_id
LEFT JOIN events ON events.event_id = stories.coverage_id;

CREATE VIEW event_rows AS
SELECT events.event_id, events.event_uuid, events.collection, led_by.title, led_by.url, events.status,
    events.first_seen_at, events.last_seen_at, events.developed_at, events.story_count, events.item_count,
    events.source_count, events.publisher_family_count, events.language_count, events.sources, events.publisher_families,
    events.languages, led_by.language, led_by.lead, led_by.image_url, led_by.own_publisher, events.lead_story_id,
    led_by.story_uuid AS lead_story_uuid, events.merged_into, events.rank, events.created_at, events.updated_at,
    events.leads, events.chosen_lead_id, led_by.representative_document_id
FROM events JOIN story_rows AS led_by ON led_by.story_id = events.lead_story_id;
COMMENT ON VIEW event_rows IS 'Events as every interface shows them, with the title and the first characters of the story that leads each.';

CREATE VIEW marked_events AS
SELECT users.user_id, event_rows.*, coalesce(event_marks.is_starred, false) AS is_starred,
    CASE WHEN event_marks.is_read THEN event_rows.developed_at <= event_marks.marked_at
        WHEN NOT event_marks.is_read THEN false
        ELSE coalesce(event_rows.event_id <= everywhere.read_through AND event_rows.developed_at <= everywhere.drawn_at, false)
            OR coalesce(event_rows.event_id <= there.read_through AND event_rows.developed_at <= there.drawn_at, false)
        END AS is_read
FROM users CROSS JOIN event_rows
LEFT JOIN event_marks ON event_marks.user_id = users.user_id AND event_marks.event_id = event_rows.event_id
LEFT JOIN reading_lines AS everywhere ON everywhere.user_id = users.user_id AND everywhere.collection = ''
LEFT JOIN reading_lines AS there ON there.user_id = users.user_id AND there.collection = event_rows.collection
WHERE event_rows.status = 'active';
COMMENT ON VIEW marked_events IS 'Every active event as every person has it: read or not, starred or not.';

-- People can also put stories into one event that no rule would group, and choose the lead of an event.
ALTER TABLE story_decisions DROP CONSTRAINT story_decisions_action_check;
ALTER TABLE story_decisions ADD CONSTRAINT story_decisions_action_check
    CHECK (action IN ('merge', 'apart', 'split', 'move'));

CREATE TABLE event_ties (
    tie_id            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    decision_id       BIGINT NOT NULL REFERENCES story_decisions (decision_id) ON DELETE CASCADE,
    one_document_id   BIGINT NOT NULL REFERENCES documents (document_id) ON DELETE CASCADE,
    other_document_id BIGINT NOT NULL REFERENCES documents (document_id) ON DELETE CASCADE,
    undone_at         TIMESTAMPTZ,
    undone_by         TEXT NOT NULL DEFAULT '',
    CONSTRAINT event_ties_in_order CHECK (one_document_id < other_document_id)
);
COMMENT ON TABLE event_ties IS 'Documents that people put into one event; every later grouping follows them.';
CREATE INDEX idx_event_ties_one ON event_ties (one_document_id) WHERE undone_at IS NULL;
CREATE INDEX idx_event_ties_other ON event_ties (other_document_id) WHERE undone_at IS NULL;
CREATE INDEX idx_event_ties_decision ON event_ties (decision_id);

-- Programs are notified of events; of single stories if they ask for them.
ALTER TYPE webhook_event ADD VALUE 'event.new';
ALTER TYPE webhook_event ADD VALUE 'event.developed';

CREATE TABLE webhook_events (
    webhook_id   BIGINT NOT NULL REFERENCES webhooks (webhook_id) ON DELETE CASCADE,
    event_id     BIGINT NOT NULL REFERENCES events (event_id) ON DELETE CASCADE,
    developed_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (webhook_id, event_id)
);
COMMENT ON TABLE webhook_events IS 'What a program knows of an event: when it had last developed as the program was notified.';
CREATE INDEX idx_webhook_events_event ON webhook_events (event_id);
