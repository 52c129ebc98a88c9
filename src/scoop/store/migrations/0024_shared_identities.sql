-- What identifies no article: URLs that one source gives to several items, texts and phrases that many documents share.

ALTER TABLE documents
    ADD COLUMN body_hash BIGINT,
    ADD COLUMN fragment_url_hash BYTEA CHECK (octet_length(fragment_url_hash) = 32);
COMMENT ON COLUMN documents.body_hash IS 'Hash of the normalized text; NULL: it is too short to identify an article.';
COMMENT ON COLUMN documents.fragment_url_hash IS 'SHA-256 of the other spelling of a URL that has a fragment: with it if canonical_url is without, else without; NULL: it has none.';

ALTER TABLE raw_arrivals ADD COLUMN keeps_fragment BOOLEAN NOT NULL DEFAULT false;
COMMENT ON COLUMN raw_arrivals.keeps_fragment IS 'Whether the feed distinguishes its items by the fragment of the link, so that it belongs to the canonical URL.';

-- No query reads it: titles are found by the headline.
DROP INDEX idx_documents_title_simhash;
CREATE INDEX idx_documents_body_hash ON documents (collection, body_hash, title_simhash) WHERE body_hash IS NOT NULL;

-- A shared URL identifies a document only together with the title.
DROP INDEX idx_documents_canonical_url_hash;
DROP INDEX idx_documents_tracked_url_hash;
CREATE INDEX idx_documents_canonical_url_hash ON documents (collection, canonical_url_hash, coalesce(title_simhash, 0))
    WHERE canonical_url_hash IS NOT NULL;
CREATE INDEX idx_documents_tracked_url_hash ON documents (collection, tracked_url_hash, coalesce(title_simhash, 0))
    WHERE tracked_url_hash IS NOT NULL;
CREATE INDEX idx_documents_fragment_url_hash ON documents (collection, fragment_url_hash, coalesce(title_simhash, 0))
    WHERE fragment_url_hash IS NOT NULL;

CREATE TABLE shared_urls (
    collection TEXT NOT NULL,
    url_hash   BYTEA NOT NULL CHECK (octet_length(url_hash) = 32),
    found_at   TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (collection, url_hash)
);
COMMENT ON TABLE shared_urls IS 'URLs that a source gives to items with different titles, such as its home page: they identify no article.';

CREATE TABLE boilerplate_bodies (
    collection TEXT NOT NULL,
    body_hash  BIGINT NOT NULL,
    found_at   TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (collection, body_hash)
);
COMMENT ON TABLE boilerplate_bodies IS 'Texts under many titles that they do not mention, such as a cookie notice: they identify no article.';

CREATE TABLE common_phrases (
    collection TEXT NOT NULL,
    phrase     INTEGER NOT NULL,
    found_at   TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (collection, phrase)
);
COMMENT ON TABLE common_phrases IS 'Phrases that hundreds of documents share: copies are not searched by them.';
