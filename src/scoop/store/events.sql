-- name: open
-- Open an event for each of these new stories, under the story's number and public id.
INSERT INTO events (event_id, event_uuid, collection, lead_story_id, leads, first_seen_at, last_seen_at, developed_at,
    developed_families, item_count, sources, publisher_families, languages)
SELECT story_id, story_uuid, stories.collection, story_id, jsonb_build_object(language, story_id), first_seen_at, last_seen_at,
    now(), publisher_family_count, item_count, sources, publisher_families, array_remove(ARRAY[language], 'und')
FROM stories CROSS JOIN LATERAL (
    SELECT normalized_language AS language FROM documents WHERE document_id = representative_document_id) AS representing
WHERE story_id = ANY ($1::bigint[])
ON CONFLICT (event_id) DO NOTHING;

-- name: of_stories
-- The events of these stories.
SELECT DISTINCT coverage_id FROM stories WHERE story_id = ANY ($1::bigint[]);

-- name: new_ids
-- Numbers for events that no story founded, from the sequence of the stories.
SELECT nextval('stories_story_id_seq') AS event_id FROM generate_series(1, $1);

-- name: open_numbered
-- Open events that no story founded; they are refreshed once they have their stories.
INSERT INTO events (event_id, collection, lead_story_id, first_seen_at, last_seen_at, developed_at, sources, publisher_families)
SELECT opened.event_id, collection, story_id, first_seen_at, last_seen_at, now(), sources, publisher_families
FROM unnest($1::bigint[], $2::bigint[]) AS opened (event_id, story_id) JOIN stories USING (story_id);

-- name: place
-- Set the events of stories and how central each is in its event; only what differs is written and given.
UPDATE stories SET coverage_id = placed.event_id, centrality = placed.centrality
FROM unnest($1::bigint[], $2::bigint[], $3::real[]) AS placed (story_id, event_id, centrality)
WHERE stories.story_id = placed.story_id AND (coverage_id <> placed.event_id
    OR (stories.centrality IS NULL) <> (placed.centrality IS NULL) OR abs(stories.centrality - placed.centrality) > 0.01)
RETURNING stories.story_id, coverage_id;

-- name: revive
-- Make merged events events of their own again.
UPDATE events SET status = 'active', merged_into = NULL WHERE event_id = ANY ($1::bigint[]) AND status = 'merged';

-- name: follow_founders
-- Merged events follow the stories that founded them, and those merged into these, to their present events.
UPDATE events SET merged_into = present.event_id
FROM (
    SELECT story_id, coverage_id AS event_id FROM stories WHERE story_id = ANY ($1::bigint[])
    UNION ALL
    SELECT absorbed.story_id, stays.coverage_id FROM stories AS stays JOIN stories AS absorbed ON absorbed.merged_into = stays.story_id
    WHERE stays.story_id = ANY ($1::bigint[])
) AS present
WHERE events.event_id = present.story_id AND events.status = 'merged' AND events.event_id <> present.event_id
    AND events.merged_into <> present.event_id;

-- name: merge
-- Merge events into others, with the stories that are left in them and the events that were merged into them before.
WITH merge AS (
    SELECT * FROM unnest($1::bigint[], $2::bigint[]) AS merge (goes, stays)
), moved AS (
    UPDATE stories SET coverage_id = stays FROM merge WHERE coverage_id = goes AND status <> 'merged'
)
UPDATE events SET status = 'merged', merged_into = stays
FROM merge WHERE event_id = goes OR (merged_into = goes AND event_id <> stays);

-- name: emptied
-- The events of these merged stories that have no story left, and the events that their survivors are part of.
SELECT DISTINCT ON (gone.coverage_id) gone.coverage_id AS goes, survivor.coverage_id AS stays
FROM stories AS gone JOIN stories AS survivor ON survivor.story_id = gone.merged_into
WHERE gone.story_id = ANY ($1::bigint[]) AND gone.coverage_id <> survivor.coverage_id AND NOT EXISTS (
    SELECT FROM stories AS other WHERE other.coverage_id = gone.coverage_id AND other.status <> 'merged')
ORDER BY gone.coverage_id, survivor.first_seen_at, survivor.story_id;

-- name: homeless
-- The stories among these that are not merged although their event is, and whether the event that each founded is merged.
SELECT story_id, EXISTS (SELECT FROM events AS own WHERE own.event_id = story_id AND own.status = 'merged') AS may_return
FROM stories JOIN events ON event_id = coverage_id
WHERE story_id = ANY ($1::bigint[]) AND stories.status <> 'merged' AND events.status = 'merged' ORDER BY story_id;

-- name: facts
-- Events with the figures of their stories; an event whose stories are all suppressed is suppressed.
SELECT event_id, events.collection, developed_at, developed_families, lead_story_id, chosen_lead_id,
    events.story_count AS known_stories, gathered.*,
    ARRAY(SELECT DISTINCT source FROM stories CROSS JOIN unnest(sources) AS source
        WHERE story_id = ANY (gathered.story_ids) ORDER BY 1) AS sources,
    ARRAY(SELECT DISTINCT family FROM stories CROSS JOIN unnest(publisher_families) AS family
        WHERE story_id = ANY (gathered.story_ids) ORDER BY 1) AS publisher_families,
    ARRAY(SELECT DISTINCT normalized_language FROM stories JOIN documents ON document_id = representative_document_id
        WHERE story_id = ANY (gathered.story_ids) AND normalized_language <> 'und' ORDER BY 1) AS languages
FROM events CROSS JOIN LATERAL (
    SELECT array_agg(story_id) AS story_ids, count(*)::int AS story_count, sum(item_count)::int AS item_count,
        min(first_seen_at) AS first_seen_at, max(last_seen_at) AS last_seen_at,
        CASE WHEN bool_or(shown.status = 'active') THEN 'active' ELSE 'suppressed' END AS status
    FROM stories AS shown
    WHERE coverage_id = event_id AND shown.status <> 'merged' AND (shown.status = 'active' OR NOT EXISTS (
        SELECT FROM stories AS active WHERE active.coverage_id = event_id AND active.status = 'active'))) AS gathered
WHERE event_id = ANY ($1::bigint[]) AND events.status <> 'merged' AND gathered.story_count > 0;

-- name: lead_candidates
-- The stories that may lead these events: of each the most central ones, and its present lead.
SELECT asked.event_id, story_id, canonical_title AS title, candidate.canonical_url AS url,
    candidate.publisher_family_count, candidate.first_seen_at, centrality, coalesce(normalized_language, 'und') AS language
FROM unnest($1::bigint[]) AS asked (event_id) JOIN events USING (event_id) CROSS JOIN LATERAL (
    SELECT * FROM stories
    WHERE coverage_id = asked.event_id AND stories.status <> 'merged' AND (stories.status = 'active' OR NOT EXISTS (
        SELECT FROM stories AS active WHERE active.coverage_id = asked.event_id AND active.status = 'active'))
    ORDER BY story_id = lead_story_id DESC, story_id = chosen_lead_id DESC NULLS LAST, centrality DESC NULLS LAST,
        stories.publisher_family_count DESC, stories.first_seen_at, story_id
    LIMIT $2) AS candidate
LEFT JOIN documents ON document_id = representative_document_id;

-- name: put
-- Write the figures of events; those that are as they were are left alone.
UPDATE events SET status = facts.status, lead_story_id = facts.lead_story_id, leads = facts.leads,
    first_seen_at = facts.first_seen_at, last_seen_at = facts.last_seen_at, story_count = facts.story_count,
    item_count = facts.item_count, sources = facts.sources, publisher_families = facts.publisher_families,
    languages = facts.languages,
    developed_at = CASE WHEN facts.has_developed THEN now() ELSE events.developed_at END,
    developed_families = CASE WHEN facts.has_developed THEN cardinality(facts.publisher_families)
        ELSE events.developed_families END,
    chosen_lead_id = CASE WHEN events.chosen_lead_id = facts.lead_story_id THEN events.chosen_lead_id END
FROM jsonb_to_recordset($1) AS facts (event_id bigint, status text, lead_story_id bigint, leads jsonb, first_seen_at timestamptz,
    last_seen_at timestamptz, story_count int, item_count int, sources text[], publisher_families text[], languages text[],
    has_developed bool)
WHERE events.event_id = facts.event_id;

-- name: choose_lead
-- Let a story lead its event, or let the rule choose again.
UPDATE events SET chosen_lead_id = $2 WHERE event_id = $1;

-- name: suppress
-- Suppress an event's stories by a decision.
UPDATE stories SET status = 'suppressed', suppressed_by = $2 WHERE coverage_id = $1 AND status = 'active';

-- name: inherit_suppression
-- Suppress the stories that came into these events if a person suppressed the event.
UPDATE stories SET status = 'suppressed', suppressed_by = known.decision_id
FROM events CROSS JOIN LATERAL (
    SELECT max(suppressed_by) AS decision_id FROM stories WHERE coverage_id = event_id AND status = 'suppressed') AS known
WHERE event_id = ANY ($1::bigint[]) AND events.status = 'suppressed' AND coverage_id = event_id
    AND stories.status = 'active' AND known.decision_id IS NOT NULL;

-- name: suppressions
-- The decisions that suppress stories of an event.
SELECT DISTINCT suppressed_by AS decision_id FROM stories
WHERE coverage_id = $1 AND status = 'suppressed' AND suppressed_by IS NOT NULL;

-- name: end_suppression
-- Show the stories that decisions suppressed, unless they are merged; gives those that are shown.
WITH ended AS (
    UPDATE stories SET suppressed_by = NULL, status = CASE status WHEN 'suppressed' THEN 'active' ELSE status END
    WHERE suppressed_by = ANY ($1::bigint[]) RETURNING story_id, status
)
SELECT story_id FROM ended WHERE status = 'active' ORDER BY story_id;
