-- name: to_speak
-- Lessons with their sentences, and the hash of their recording.
SELECT lesson_id, lessons.level, lessons.sentences, recording_hash
FROM lessons LEFT JOIN recordings USING (lesson_id) WHERE lesson_id = ANY ($1::bigint[]) ORDER BY lesson_id;

-- name: put
-- Store the recording of a lesson; it replaces one by another voice.
INSERT INTO recordings (lesson_id, recording_hash, object_key, voice, model, speed, byte_count, duration_ms, sentences, made_in_ms)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (lesson_id) DO UPDATE SET recording_hash = excluded.recording_hash, object_key = excluded.object_key,
    voice = excluded.voice, model = excluded.model, speed = excluded.speed, byte_count = excluded.byte_count,
    duration_ms = excluded.duration_ms, sentences = excluded.sentences, made_in_ms = excluded.made_in_ms;

-- name: find
-- The recording of a lesson.
SELECT lesson_id, object_key, voice, model, speed, byte_count, duration_ms, sentences, made_in_ms, created_at, updated_at
FROM recordings WHERE lesson_id = $1;

-- name: waiting
-- How far the recording of a lesson is in the queue.
SELECT state::text AS state, due_at, attempts, error FROM work WHERE stage = $2 AND subject = $1;

-- name: ahead
-- The lessons of the articles that were chosen lately, at the levels of learners, that have no recording and wait for none.
SELECT lesson_id FROM listening_articles JOIN lessons ON subject_kind = 'document' AND subject_id = document_id
WHERE chosen_on >= $1 AND (level IN (SELECT level FROM learners) OR (level = 'B1' AND NOT EXISTS (SELECT FROM learners)))
    AND NOT EXISTS (SELECT FROM recordings WHERE recordings.lesson_id = lessons.lesson_id)
    AND NOT EXISTS (SELECT FROM work WHERE stage = $2 AND subject = lesson_id)
ORDER BY chosen_on DESC, lesson_id LIMIT $3;

-- name: episodes
-- The recorded lessons of one level of the articles that were chosen since a date, of a topic or all, with their titles.
SELECT recordings.lesson_id, article_id, documents.title, documents.canonical_url AS url, published_at, documents.fetched_at,
    chosen_on, recordings.object_key, recordings.byte_count, recordings.duration_ms, recordings.sentences, recordings.updated_at
FROM listening_articles JOIN documents USING (document_id)
    JOIN lessons ON lessons.subject_kind = 'document' AND lessons.subject_id = document_id AND level = $1
    JOIN recordings USING (lesson_id)
WHERE chosen_on >= $2 AND (documents.source, documents.collection) NOT IN (SELECT source, collection FROM hidden_sources)
    AND ($3::bigint IS NULL OR EXISTS (
        SELECT FROM story_members JOIN story_topic_state USING (story_id)
        WHERE story_members.document_id = documents.document_id AND topic_id = $3))
ORDER BY chosen_on DESC, lesson_id;

-- name: unfinished_days
-- The days since a date with a chosen article whose lesson of a level is not recorded, and may still be: neither the text nor
-- the sound has failed for good.
SELECT DISTINCT chosen_on FROM listening_articles
WHERE chosen_on >= $2 AND NOT EXISTS (
    SELECT FROM lessons LEFT JOIN recordings USING (lesson_id)
        LEFT JOIN work ON stage = $3 AND subject = lesson_id AND state = 'quarantined'
    WHERE subject_kind = 'document' AND subject_id = document_id AND level = $1
        AND (recordings.lesson_id IS NOT NULL OR work.subject IS NOT NULL)
) AND NOT EXISTS (
    SELECT FROM briefs LEFT JOIN work ON stage = $4 AND subject = brief_id
    WHERE kind = 'lesson' AND subject_kind = 'document' AND subject_id = document_id AND level = $1
        AND written_at IS NULL AND (state = 'quarantined' OR (state IS NULL AND problem IS NOT NULL)));

-- name: unrecorded
-- The lessons of a level of the articles that were chosen since a date, that have no recording and wait for none.
SELECT lesson_id FROM listening_articles JOIN lessons ON subject_kind = 'document' AND subject_id = document_id AND level = $1
WHERE chosen_on >= $2 AND NOT EXISTS (SELECT FROM recordings WHERE recordings.lesson_id = lessons.lesson_id)
    AND NOT EXISTS (SELECT FROM work WHERE stage = $3 AND subject = lesson_id)
ORDER BY lesson_id;

-- name: lengths
-- How long the recordings of documents are at a level.
SELECT subject_id AS document_id, lesson_id, duration_ms, recordings.updated_at FROM lessons JOIN recordings USING (lesson_id)
WHERE subject_kind = 'document' AND subject_id = ANY ($1::bigint[]) AND level = $2;
