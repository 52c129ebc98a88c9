-- The sentiment of whole texts, beside that of the mentions in them.

CREATE TABLE document_sentiment (
    document_id BIGINT PRIMARY KEY REFERENCES documents (document_id) ON DELETE CASCADE,
    text_hash   BIGINT NOT NULL,
    compound    REAL NOT NULL CHECK (compound BETWEEN -1 AND 1),
    confidence  REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    label       SMALLINT NOT NULL CHECK (label BETWEEN -1 AND 1),
    method      TEXT NOT NULL,
    version     TEXT NOT NULL,
    scored_at   TIMESTAMPTZ NOT NULL DEFAULT now()
);
COMMENT ON TABLE document_sentiment IS 'The sentiment of each comment, and of each document that mentions a tool, as a whole.';
COMMENT ON COLUMN document_sentiment.text_hash IS 'A hash of the text: while it is the same, only a re-analysis changes the score.';
