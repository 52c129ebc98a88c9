-- Names for people: of sources, also of those that were removed, and of publishers.

ALTER TABLE sources ADD COLUMN name_from TEXT NOT NULL DEFAULT 'person' CHECK (name_from IN ('address', 'title', 'person'));
COMMENT ON COLUMN sources.name_from IS 'Where the name is from: the address until the first visit, the title of the feed or of a list of feeds, or a person, whose name is never replaced.';

-- Nobody typed a name that is the host.
UPDATE sources SET name_from = 'address' WHERE name = host;

CREATE TABLE source_names (
    source TEXT PRIMARY KEY,
    name   TEXT NOT NULL CHECK (name <> '')
);
COMMENT ON TABLE source_names IS 'The last name of every source that was ever added; it stays when the source is removed.';

INSERT INTO source_names (source, name) SELECT slug, name FROM sources WHERE name <> '';

CREATE TABLE publishers (
    family    TEXT PRIMARY KEY,
    name      TEXT NOT NULL CHECK (name <> ''),
    is_edited BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE publishers IS 'The name of every publisher family, from its first document or source on.';
COMMENT ON COLUMN publishers.is_edited IS 'Whether a person chose the name; no source renames it then.';

INSERT INTO publishers (family, name) VALUES
    ('abc_news_us', 'ABC News (US)'),
    ('al_jazeera', 'Al Jazeera'),
    ('ap', 'AP'),
    ('ard', 'ARD'),
    ('asahi', 'Asahi Shimbun'),
    ('bbc', 'BBC'),
    ('bloomberg', 'Bloomberg'),
    ('business_insider', 'Business Insider'),
    ('caixin', 'Caixin'),
    ('cctv', 'CCTV'),
    ('china_daily', 'China Daily'),
    ('cna', 'CNA'),
    ('cnn', 'CNN'),
    ('daily_express', 'Daily Express'),
    ('daily_mail', 'Daily Mail'),
    ('daily_mirror', 'Daily Mirror'),
    ('dow_jones', 'Wall Street Journal'),
    ('dw', 'Deutsche Welle'),
    ('economist', 'The Economist'),
    ('el_pais', 'El País'),
    ('faz', 'FAZ'),
    ('fox_news', 'Fox News'),
    ('franceinfo', 'franceinfo'),
    ('ft', 'Financial Times'),
    ('global_times', 'Global Times'),
    ('google', 'Google'),
    ('guardian', 'The Guardian'),
    ('hindu', 'The Hindu'),
    ('huffpost', 'HuffPost'),
    ('independent', 'The Independent'),
    ('interfax', 'Interfax'),
    ('jiji', 'Jiji Press'),
    ('joongang', 'JoongAng Ilbo'),
    ('kyodo', 'Kyodo News'),
    ('mainichi', 'Mainichi Shimbun'),
    ('nbc_news', 'NBC News'),
    ('ndtv', 'NDTV'),
    ('nhk', 'NHK'),
    ('nikkei', 'Nikkei'),
    ('npr', 'NPR'),
    ('nyt', 'New York Times'),
    ('peoples_daily', 'People''s Daily'),
    ('politico', 'Politico'),
    ('reuters', 'Reuters'),
    ('rossiya_segodnya', 'RIA Novosti'),
    ('sankei', 'Sankei Shimbun'),
    ('scmp', 'South China Morning Post'),
    ('sky_news', 'Sky News'),
    ('spiegel', 'Der Spiegel'),
    ('sueddeutsche', 'Süddeutsche Zeitung'),
    ('sun', 'The Sun'),
    ('tass', 'TASS'),
    ('the_register', 'The Register'),
    ('times_of_london', 'The Times'),
    ('washington_post', 'Washington Post'),
    ('wired', 'Wired'),
    ('xinhua', 'Xinhua'),
    ('yahoo', 'Yahoo'),
    ('yomiuri', 'Yomiuri Shimbun'),
    ('yonhap', 'Yonhap'),
    ('zdf', 'ZDF'),
    ('zeit', 'Die Zeit');

INSERT INTO publishers (family, name)
SELECT family, coalesce((
    SELECT name FROM sources WHERE name_from <> 'address' AND name <> ''
        AND (slug = family OR host IN (family, 'www.' || family, 'feeds.' || family, 'rss.' || family))
    ORDER BY source_id LIMIT 1), family)
FROM (SELECT DISTINCT publisher_family AS family FROM documents) AS families
WHERE family <> ''
ON CONFLICT (family) DO NOTHING;

-- The names of outlets stay when their source is removed.
CREATE OR REPLACE VIEW story_outlets AS
SELECT story_id, jsonb_agg(jsonb_build_object(
        'source', source, 'source_name', (SELECT name FROM source_names WHERE source_names.source = first.source), 'url', url,
        'publisher_family', publisher_family,
        'publisher_name', coalesce((SELECT name FROM publishers WHERE family = publisher_family), publisher_family))
    ORDER BY seen_at, document_id) AS outlets
FROM (
    SELECT DISTINCT ON (story_id, source) story_id, source, documents.canonical_url AS url, seen_at, document_id, publisher_family
    FROM story_members JOIN documents USING (document_id) ORDER BY story_id, source, seen_at, document_id
) AS first
GROUP BY story_id;
