-- Mentions added up by hour, so that the sentiment cache reads no million of them for each refresh.

ALTER TABLE mentions ADD COLUMN story_key BIGINT NOT NULL GENERATED ALWAYS AS (coalesce(story_id, -document_id)) STORED;
COMMENT ON COLUMN mentions.story_key IS 'What is counted as one story: the story, or the document if it has none.';
DROP INDEX idx_mentions_story;
-- Both answer "is there a later mention of this tool?" without a look at the table.
CREATE INDEX idx_mentions_story ON mentions (story_key, tool_number, event_at, mention_id);
CREATE INDEX idx_mentions_family ON mentions (tool_number, publisher_family, event_at, mention_id);

CREATE TABLE mention_hours (
    tool_number   INTEGER NOT NULL REFERENCES tools (tool_number) ON DELETE CASCADE,
    hour          TIMESTAMPTZ NOT NULL,
    positive      INTEGER NOT NULL,
    negative      INTEGER NOT NULL,
    total         INTEGER NOT NULL,
    compound_sum  NUMERIC NOT NULL,
    last_stories  INTEGER NOT NULL,
    last_families INTEGER NOT NULL,
    PRIMARY KEY (tool_number, hour)
);
COMMENT ON TABLE mention_hours IS 'The mentions of a tool added up by the hour of their event, as of when mention_changes was last empty of it.';
COMMENT ON COLUMN mention_hours.compound_sum IS 'The sum of their compounds; decimal numbers add up to the same in any order.';
COMMENT ON COLUMN mention_hours.last_stories IS 'Stories whose latest mention is in this hour: their sum since a moment counts each story once.';
COMMENT ON COLUMN mention_hours.last_families IS 'Publisher families whose latest mention is in this hour.';

CREATE TABLE mention_changes (
    tool_number      INTEGER NOT NULL,
    story_key        BIGINT NOT NULL,
    publisher_family TEXT NOT NULL,
    event_at         TIMESTAMPTZ NOT NULL
);
COMMENT ON TABLE mention_changes IS 'Mentions that came, changed or went since they were added up; until then their tools are counted one by one.';
CREATE INDEX idx_mention_changes_tool ON mention_changes (tool_number);
INSERT INTO mention_changes SELECT DISTINCT tool_number, story_key, publisher_family, event_at FROM mentions;

-- Only rows are added here: writers never wait for each other, as they would for shared sums.
CREATE FUNCTION note_mentions() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO news.mention_changes (tool_number, story_key, publisher_family, event_at)
    SELECT DISTINCT tool_number, story_key, publisher_family, event_at FROM changed;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION note_mentions IS 'Notes which sums of mention_hours no longer hold.';
CREATE TRIGGER trg_mentions_note_new AFTER INSERT ON mentions
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_mentions();
CREATE TRIGGER trg_mentions_note_before AFTER UPDATE ON mentions
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_mentions();
CREATE TRIGGER trg_mentions_note_after AFTER UPDATE ON mentions
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_mentions();
CREATE TRIGGER trg_mentions_note_gone AFTER DELETE ON mentions
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_mentions();
