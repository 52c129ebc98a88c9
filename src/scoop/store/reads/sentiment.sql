-- name: series
-- The mentions of a tool in each hour, day or week of a window, also of those without any. Hours follow the instants, days and
-- weeks the local dates: in the night in which clocks change, a local hour is missing or there twice.
WITH buckets AS (
    SELECT starts_at FROM generate_series(date_trunc($4, $2::timestamptz, $5), $3::timestamptz, '1 hour') AS starts_at
    WHERE $4 = 'hour'
    UNION ALL
    SELECT local AT TIME ZONE $5 FROM generate_series(date_trunc($4, $2::timestamptz AT TIME ZONE $5),
        $3::timestamptz AT TIME ZONE $5, ('1 ' || $4)::interval) AS local
    WHERE $4 <> 'hour'
), counted AS (
    SELECT date_trunc($4, event_at, $5) AS starts_at, count(*) FILTER (WHERE label = 1) AS positive,
        count(*) FILTER (WHERE label = -1) AS negative, count(*) FILTER (WHERE label = 0) AS neutral,
        sum(compound::float8) AS compound, count(DISTINCT coalesce(story_id, -document_id)) AS stories,
        count(DISTINCT publisher_family) AS families
    FROM mentions WHERE tool_number = ANY ($1::int[]) AND event_at > $2 AND event_at <= $3 GROUP BY 1
)
SELECT starts_at, coalesce(positive, 0) AS positive_count, coalesce(negative, 0) AS negative_count,
    coalesce(neutral, 0) AS neutral_count, coalesce(compound, 0) AS compound_sum, coalesce(stories, 0) AS story_count,
    coalesce(families, 0) AS publisher_family_count
FROM buckets LEFT JOIN counted USING (starts_at) ORDER BY starts_at;

-- name: sparklines
-- The mentions of all tools per day of a window, by the tool that they count for.
SELECT root_number, date_trunc('day', at AT TIME ZONE $3)::date AS day, sum(mentions)::bigint AS mentions
FROM mention_sums($1, $2, '{}') JOIN tool_roots USING (tool_number) GROUP BY 1, 2;

-- name: members
-- The numbers of a tool and of those that were merged into it.
SELECT tool_number FROM tool_roots WHERE root_number = $1;

-- name: passages
-- The mentions of a tool with their passages, the newest first, after a cursor; narrowed to a label, source or window.
SELECT mention_id, documents.article_id, documents.title, documents.body_text, documents.canonical_url AS url,
    documents.source, (SELECT name FROM source_names WHERE source_names.source = documents.source) AS source_name,
    documents.collection, mentions.publisher_family, story_uuid, normalized_language AS language, event_at,
    start_offset, end_offset, passage_start, passage_end, mentions.compound, mentions.confidence, mentions.label, alias,
    mentions.method, mentions.version, coalesce(is_comment, false) AS is_comment, text_sentiment.compound AS text_compound,
    text_sentiment.confidence AS text_confidence, text_sentiment.label AS text_label,
    text_sentiment.method AS text_method, text_sentiment.version AS text_version
FROM mentions JOIN documents USING (document_id) LEFT JOIN stories ON stories.story_id = mentions.story_id
LEFT JOIN post_engagement ON post_engagement.document_id = mentions.document_id
LEFT JOIN document_sentiment AS text_sentiment ON text_sentiment.document_id = mentions.document_id
WHERE tool_number = ANY ($1::int[]) AND event_at > $2 AND event_at <= $3 AND ($4::int IS NULL OR mentions.label = $4)
    AND ($5::text IS NULL OR documents.source = $5)
    AND (event_at, mention_id) < ($6::timestamptz, $7::bigint)
ORDER BY event_at DESC, mention_id DESC LIMIT $8;

-- name: stories
-- The stories of a window that mention a tool most: the events on its series.
SELECT stories.story_uuid, stories.canonical_title AS title, stories.first_seen_at, counted.mentions,
    stories.publisher_family_count
FROM (
    SELECT story_id, count(*) AS mentions FROM mentions
    WHERE tool_number = ANY ($1::int[]) AND event_at > $2 AND event_at <= $3 AND story_id IS NOT NULL GROUP BY story_id
    ORDER BY count(*) DESC, story_id DESC LIMIT $4
) AS counted JOIN stories USING (story_id) ORDER BY stories.first_seen_at;

-- name: hot
-- The tools by heat: ten for each mention, two for each comment under a post that mentions it, one for each of its points.
SELECT tools.tool_id, tools.slug, tools.name, sum(counted.mentions)::bigint AS mentions,
    coalesce(sum(comment_count), 0)::bigint AS comments, coalesce(sum(upvote_count), 0)::bigint AS upvotes,
    10 * sum(counted.mentions)::bigint + 2 * coalesce(sum(comment_count), 0)::bigint
        + coalesce(sum(upvote_count), 0)::bigint AS heat,
    sum(compound) / sum(counted.mentions) AS average_sentiment, count(*) AS posts
FROM (
    SELECT root_number, document_id, count(*) AS mentions, sum(compound::float8) AS compound
    FROM mentions JOIN tool_roots USING (tool_number) WHERE event_at > $1 AND event_at <= $2 GROUP BY 1, 2
) AS counted JOIN tools ON tools.tool_number = counted.root_number LEFT JOIN post_engagement USING (document_id)
WHERE tools.status = 'active' GROUP BY tools.tool_number ORDER BY heat DESC, tools.slug LIMIT $3;

-- name: hot_posts
-- The posts of a window that mention a tool, by heat.
SELECT documents.document_id, article_id, title, canonical_url AS url, source, seen_at AS event_at, counted.mentions,
    coalesce(comment_count, 0) AS comments, coalesce(upvote_count, 0) AS upvotes,
    10 * counted.mentions + 2 * coalesce(comment_count, 0) + coalesce(upvote_count, 0) AS heat,
    counted.compound AS average_sentiment, text_sentiment.compound AS text_compound,
    text_sentiment.confidence AS text_confidence, text_sentiment.label AS text_label,
    text_sentiment.method AS text_method, text_sentiment.version AS text_version
FROM (
    SELECT document_id, count(*) AS mentions, avg(compound::float8) AS compound FROM mentions
    WHERE tool_number = ANY ($1::int[]) AND event_at > $2 AND event_at <= $3 GROUP BY document_id
) AS counted JOIN documents USING (document_id) LEFT JOIN post_engagement USING (document_id)
LEFT JOIN document_sentiment AS text_sentiment USING (document_id)
ORDER BY heat DESC, document_id DESC LIMIT $4;

-- name: trending
-- The active tools with their mentions in a window and in the one before it.
SELECT tools.tool_id, tools.slug, tools.name, coalesce(sum(mentions) FILTER (WHERE at > $2), 0)::bigint AS mentions,
    coalesce(sum(mentions) FILTER (WHERE at <= $2), 0)::bigint AS previous_mentions,
    coalesce(sum(compound_sum) FILTER (WHERE at > $2) / sum(mentions) FILTER (WHERE at > $2), 0) AS average_sentiment,
    coalesce(sum(compound_sum) FILTER (WHERE at <= $2) / sum(mentions) FILTER (WHERE at <= $2), 0) AS previous_average
FROM mention_sums($1, $3, ARRAY[$2::timestamptz]) JOIN tool_roots USING (tool_number)
JOIN tools ON tools.tool_number = root_number
WHERE tools.status = 'active' GROUP BY tools.tool_number;

-- name: hourly
-- The mentions of each active tool per hour of a window: what spikes are judged by.
SELECT root_number, date_bin('1 hour', at, 'epoch') AS hour, sum(mentions)::bigint AS mentions
FROM mention_sums($1, $2, '{}') JOIN tool_roots USING (tool_number) GROUP BY 1, 2;
