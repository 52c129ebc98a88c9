-- The labels that people give events in reading apps.

CREATE TABLE event_labels (
    user_id  BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    label    TEXT NOT NULL CHECK (length(label) BETWEEN 1 AND 100),
    event_id BIGINT NOT NULL REFERENCES events (event_id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, label, event_id)
);
COMMENT ON TABLE event_labels IS 'The labels that a person gave to events, such as Later.';
CREATE INDEX idx_event_labels_event ON event_labels (event_id);
