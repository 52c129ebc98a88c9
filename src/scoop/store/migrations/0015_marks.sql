-- What each person has read and starred, for the apps that they read in.

CREATE TABLE story_marks (
    user_id    BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    story_id   BIGINT NOT NULL REFERENCES stories (story_id) ON DELETE CASCADE,
    is_read    BOOLEAN,
    is_starred BOOLEAN NOT NULL DEFAULT false,
    marked_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (user_id, story_id)
);
CREATE INDEX idx_story_marks_starred ON story_marks (user_id, story_id) WHERE is_starred;
CREATE INDEX idx_story_marks_story ON story_marks (story_id);
COMMENT ON TABLE story_marks IS 'What a person said of a story by itself: read or unread, starred.';
COMMENT ON COLUMN story_marks.is_read IS 'NULL: not said; then what was read all at once decides.';

CREATE TABLE reading_lines (
    user_id      BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    collection   TEXT NOT NULL,
    read_through BIGINT NOT NULL,
    PRIMARY KEY (user_id, collection)
);
COMMENT ON TABLE reading_lines IS 'Up to which story a person has read everything, or everything of a collection.';
COMMENT ON COLUMN reading_lines.collection IS 'Empty: of all collections.';

CREATE INDEX idx_stories_created_at ON stories (created_at);

CREATE VIEW marked_stories AS
SELECT users.user_id, stories.*, coalesce(is_starred, false) AS is_starred,
    coalesce(is_read, stories.story_id <= greatest(everywhere.read_through, there.read_through), false) AS is_read
FROM users CROSS JOIN stories
LEFT JOIN story_marks ON story_marks.user_id = users.user_id AND story_marks.story_id = stories.story_id
LEFT JOIN reading_lines AS everywhere ON everywhere.user_id = users.user_id AND everywhere.collection = ''
LEFT JOIN reading_lines AS there ON there.user_id = users.user_id AND there.collection = stories.collection
WHERE status = 'active';
COMMENT ON VIEW marked_stories IS 'Every story as every person has it: read or not, starred or not.';
