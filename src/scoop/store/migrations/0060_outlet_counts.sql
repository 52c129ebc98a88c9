-- Events count outlets as readers know them: two sections of one paper under one name are one outlet.

DROP VIEW marked_events;
CREATE OR REPLACE VIEW event_rows AS
SELECT events.event_id, events.event_uuid, events.collection, led_by.title, led_by.url, events.status,
    events.first_seen_at, events.last_seen_at, events.developed_at, events.story_count, events.item_count,
    events.source_count, events.publisher_family_count, events.language_count, events.sources, events.publisher_families,
    events.languages, led_by.language, led_by.lead, led_by.image_url, led_by.own_publisher, events.lead_story_id,
    led_by.story_uuid AS lead_story_uuid, events.merged_into, events.rank, events.created_at, events.updated_at,
    events.leads, events.chosen_lead_id, led_by.representative_document_id, summaries.summary_text AS summary,
    summaries.language AS summary_language, summaries.disclaimer_id AS summary_disclaimer,
    -- Different publishers may have sources of one name, as Top Stories: those are outlets of their own.
    CASE WHEN events.source_count = 1 THEN 1 ELSE greatest(
        least(events.source_count, events.publisher_family_count), (
        SELECT count(DISTINCT coalesce(name, listed.source)) FROM unnest(events.sources) AS listed (source)
        LEFT JOIN source_names ON source_names.source = listed.source)::int) END AS outlet_count
FROM events JOIN story_rows AS led_by ON led_by.story_id = events.lead_story_id
LEFT JOIN summaries ON summaries.summary_id = events.summary_id;

CREATE VIEW marked_events AS
SELECT users.user_id, event_rows.*, coalesce(event_marks.is_starred, false) AS is_starred,
    CASE WHEN event_marks.is_read THEN event_rows.developed_at <= event_marks.marked_at
        WHEN NOT event_marks.is_read THEN false
        ELSE coalesce(event_rows.event_id <= everywhere.read_through AND event_rows.developed_at <= everywhere.drawn_at, false)
            OR coalesce(event_rows.event_id <= there.read_through AND event_rows.developed_at <= there.drawn_at, false)
        END AS is_read
FROM users CROSS JOIN event_rows
LEFT JOIN event_marks ON event_marks.user_id = users.user_id AND event_marks.event_id = event_rows.event_id
LEFT JOIN reading_lines AS everywhere ON everywhere.user_id = users.user_id AND everywhere.collection = ''
LEFT JOIN reading_lines AS there ON there.user_id = users.user_id AND there.collection = event_rows.collection
WHERE event_rows.status = 'active';
COMMENT ON VIEW marked_events IS 'Every active event as every person has it: read or not, starred or not.';
