-- Audio: recordings of lessons.

CREATE TABLE recordings (
    lesson_id      BIGINT PRIMARY KEY REFERENCES lessons (lesson_id) ON DELETE CASCADE,
    recording_hash BYTEA NOT NULL CHECK (octet_length(recording_hash) = 32),
    object_key     TEXT NOT NULL,
    voice          TEXT NOT NULL,
    model          TEXT NOT NULL,
    speed          REAL NOT NULL CHECK (speed > 0),
    byte_count     INTEGER NOT NULL CHECK (byte_count > 0),
    duration_ms    INTEGER NOT NULL CHECK (duration_ms > 0),
    sentences      JSONB NOT NULL,
    made_in_ms     INTEGER NOT NULL CHECK (made_in_ms >= 0),
    created_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at     TIMESTAMPTZ NOT NULL DEFAULT now()
);
COMMENT ON TABLE recordings IS 'Recordings of lessons: where the MP3 is in the archive, and when each sentence is spoken. One for each lesson.';
COMMENT ON COLUMN recordings.recording_hash IS 'Of the sentences, the voice and its speed: the same give the same recording.';
COMMENT ON COLUMN recordings.speed IS 'Of the voice, as a share of its own; slower for beginners.';
COMMENT ON COLUMN recordings.sentences IS 'When each sentence is spoken, in milliseconds, and its words with their characters if the voice times them.';
COMMENT ON COLUMN recordings.made_in_ms IS 'How long it took to make.';
CREATE TRIGGER trg_recordings_touch_updated_at BEFORE UPDATE ON recordings
    FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
