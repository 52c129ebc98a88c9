-- name: add_missing
-- Name publisher families that have no name yet; one without a host is a source and has its name. In order, so that two
-- workers do not wait for each other.
INSERT INTO publishers (family, name)
SELECT family, coalesce((SELECT name FROM source_names WHERE source_names.source = missing.family), missing.name)
FROM unnest($1::text[], $2::text[]) AS missing (family, name)
WHERE NOT EXISTS (SELECT FROM publishers WHERE publishers.family = missing.family)
ORDER BY family ON CONFLICT (family) DO NOTHING;

-- name: name_after_sources
-- Name publisher families after sources of theirs. A name that a person chose stays, and so does that of another source.
WITH named AS (
    SELECT DISTINCT ON (family) family, source, name, default_name,
        (SELECT known.name FROM source_names AS known WHERE known.source = given.source) AS former_name
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY
        AS given (family, source, name, default_name, position)
    ORDER BY family, position
), renamed AS (
    UPDATE publishers SET name = named.name FROM named
    WHERE publishers.family IN (named.family, named.source) AND NOT is_edited
        AND publishers.name IN (named.default_name, named.former_name)
)
INSERT INTO publishers (family, name) SELECT family, name FROM named ORDER BY family ON CONFLICT (family) DO NOTHING;

-- name: names
-- The names of publisher families.
SELECT family, name FROM publishers WHERE family = ANY ($1::text[]);

-- name: publishers
-- Publishers by name, after a cursor: all, or those with words in their name or family.
SELECT family, name, is_edited FROM publishers
WHERE ($1::text IS NULL OR strpos(lower(name), lower($1)) > 0 OR strpos(lower(family), lower($1)) > 0)
    AND (lower(name), family) > (lower($2), $3)
ORDER BY lower(name), family LIMIT $4;

-- name: of_source
-- The publishers of the latest documents of a source, the most frequent first.
SELECT family, name, is_edited FROM publishers JOIN (
    SELECT publisher_family, count(*) AS documents FROM (
        SELECT publisher_family FROM documents WHERE source = $1 ORDER BY created_at DESC, document_id DESC LIMIT 100) AS latest
    GROUP BY publisher_family) AS counted ON family = publisher_family
ORDER BY documents DESC, family LIMIT $2;

-- name: publisher
-- One publisher.
SELECT family, name, is_edited FROM publishers WHERE family = $1;

-- name: rename
-- Set the name of a publisher; $3 is whether a person chose it.
UPDATE publishers SET name = $2, is_edited = $3 WHERE family = $1 RETURNING family, name, is_edited;
