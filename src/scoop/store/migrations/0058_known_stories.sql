-- The stories that curators have met.

CREATE VIEW known_stories AS
SELECT topic_id, story_id FROM evaluations JOIN story_members USING (document_id)
WHERE reason IS DISTINCT FROM 'content_extraction_failed'
UNION ALL
SELECT topic_id, story_id FROM story_topic_state WHERE publish_count > 0
UNION ALL
SELECT topic_id, merged_into FROM story_topic_state JOIN stories USING (story_id)
WHERE publish_count > 0 AND merged_into IS NOT NULL;
COMMENT ON VIEW known_stories IS 'The stories that a curator has met: one of their articles with a text was evaluated, or they, or stories that were merged into them, were posted.';
