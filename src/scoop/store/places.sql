-- name: places
-- The story of every document, and the group of coverage that the story is in.
SELECT documents.collection, source, source_item_id, story_id AS merge, coalesce(coverage_id, story_id) AS coverage
FROM documents JOIN story_members USING (document_id) JOIN stories USING (story_id);
