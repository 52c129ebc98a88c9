-- name: has_collection
-- Whether a story or a source is in this collection.
SELECT EXISTS (SELECT FROM stories WHERE collection = $1 AND status <> 'suppressed') OR EXISTS (SELECT FROM sources WHERE collection = $1);

-- name: collections
-- The numbers of arrivals, documents and stories of each collection, without those of hidden sources.
SELECT collection, coalesce(arrivals, 0) AS arrivals, coalesce(documents, 0) AS documents, coalesce(stories, 0) AS stories
FROM (
    SELECT collection, count(*) AS arrivals FROM raw_arrivals
    WHERE (source, collection) NOT IN (SELECT source, collection FROM hidden_sources) GROUP BY collection) AS a
FULL JOIN (
    SELECT collection, count(*) AS documents FROM documents
    WHERE (source, collection) NOT IN (SELECT source, collection FROM hidden_sources) GROUP BY collection) AS d USING (collection)
FULL JOIN (SELECT collection, count(*) AS stories FROM stories WHERE status = 'active' GROUP BY collection) AS s USING (collection)
ORDER BY collection;

-- name: names
-- The collections that sources and topics name.
SELECT collection FROM sources UNION SELECT unnest(collections) FROM topics WHERE NOT is_hidden ORDER BY collection;
