-- What documents are found and compared by, where it is cheap to write and to search.

ALTER TABLE documents DROP COLUMN signals, DROP COLUMN title_bands, ADD COLUMN headline BIGINT;

COMMENT ON COLUMN documents.headline IS 'Stands for the words of the title that say something, in any order and with any endings.';
COMMENT ON COLUMN documents.sketch IS 'A sample of the body''s phrases of five words: bodies that share passages share some.';

CREATE INDEX idx_documents_headline ON documents (collection, headline, seen_at) WHERE headline IS NOT NULL;

-- Every document is searched for as soon as it is written: a list of what is pending would be read with every search.
DROP INDEX idx_documents_sketch;
CREATE INDEX idx_documents_sketch ON documents USING gin (sketch) WITH (fastupdate = off) WHERE sketch <> '{}';

CREATE TABLE document_signals (
    document_id BIGINT PRIMARY KEY REFERENCES documents (document_id) ON DELETE CASCADE,
    signals     BYTEA NOT NULL
);

COMMENT ON TABLE document_signals IS 'Weighty words, names, numbers and phrases of each document, packed for comparison (core/signals.py).';

ALTER TABLE document_signals ALTER COLUMN signals SET STORAGE EXTERNAL;
ALTER TABLE document_signals SET (toast_tuple_target = 8160);

-- What was read before is read again, so that it has a headline, a sketch of the new kind, and its signals.
INSERT INTO work (stage, subject) SELECT 'normalize', raw_arrival_id FROM documents ON CONFLICT DO NOTHING;
