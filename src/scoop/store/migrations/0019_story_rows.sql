-- A story as every interface shows it, in one place.

CREATE VIEW story_rows AS
SELECT stories.story_id, stories.story_uuid, stories.collection, stories.canonical_title AS title,
    stories.canonical_url AS url, stories.status, stories.first_seen_at, stories.last_seen_at, stories.item_count,
    stories.source_count, stories.publisher_family_count, stories.sources, stories.publisher_families,
    coalesce(documents.normalized_language, 'und') AS language, coalesce(left(documents.body_text, 400), '') AS lead,
    stories.merged_into, stories.coverage_id,
    stories.representative_document_id, stories.created_at, stories.updated_at
FROM stories LEFT JOIN documents ON documents.document_id = stories.representative_document_id;
COMMENT ON VIEW story_rows IS 'Stories as every interface shows them, with the language and the first characters of the document that represents each.';

CREATE VIEW story_outlets AS
SELECT story_id, jsonb_agg(jsonb_build_object(
        'source', source, 'source_name', (SELECT name FROM sources WHERE sources.slug = first.source), 'url', url)
    ORDER BY seen_at, document_id) AS outlets
FROM (
    SELECT DISTINCT ON (story_id, source) story_id, source, documents.canonical_url AS url, seen_at, document_id
    FROM story_members JOIN documents USING (document_id) ORDER BY story_id, source, seen_at, document_id
) AS first
GROUP BY story_id;
COMMENT ON VIEW story_outlets IS 'The sources of each story in order of appearance, with the URL of the first document of each.';

ALTER TABLE story_marks ADD COLUMN star_from BIGINT;
COMMENT ON COLUMN story_marks.star_from IS 'The merged story that the star comes from; NULL: the person starred this story.';

-- Until now a star stayed behind on a story that was merged.
INSERT INTO story_marks AS kept (user_id, story_id, is_starred, marked_at, star_from)
SELECT user_id, stories.merged_into, true, max(marked_at), min(story_id) FROM story_marks JOIN stories USING (story_id)
WHERE is_starred AND stories.merged_into IS NOT NULL GROUP BY user_id, stories.merged_into
ON CONFLICT (user_id, story_id) DO UPDATE SET is_starred = true,
    star_from = CASE WHEN NOT kept.is_starred THEN EXCLUDED.star_from ELSE kept.star_from END;

DROP VIEW marked_stories;
CREATE VIEW marked_stories AS
SELECT users.user_id, story_rows.*, coalesce(is_starred, false) AS is_starred,
    coalesce(is_read, story_rows.story_id <= greatest(everywhere.read_through, there.read_through), false) AS is_read
FROM users CROSS JOIN story_rows
LEFT JOIN story_marks ON story_marks.user_id = users.user_id AND story_marks.story_id = story_rows.story_id
LEFT JOIN reading_lines AS everywhere ON everywhere.user_id = users.user_id AND everywhere.collection = ''
LEFT JOIN reading_lines AS there ON there.user_id = users.user_id AND there.collection = story_rows.collection
WHERE story_rows.status = 'active';
COMMENT ON VIEW marked_stories IS 'Every active story as every person has it: read or not, starred or not.';
