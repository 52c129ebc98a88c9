-- name: learner
-- The settings of a person as a learner; those of one who never changed them are the defaults.
SELECT users.user_id, coalesce(level, 'B1') AS level, coalesce(timezone, 'Asia/Tokyo') AS timezone,
    users.created_at, coalesce(learners.updated_at, users.created_at) AS updated_at
FROM users LEFT JOIN learners USING (user_id) WHERE users.user_id = $1;

-- name: put
-- Change the settings of a learner; NULL leaves one as it is.
INSERT INTO learners (user_id, level, timezone) VALUES ($1, coalesce($2, 'B1'), coalesce($3, 'Asia/Tokyo'))
ON CONFLICT (user_id) DO UPDATE SET level = coalesce($2, learners.level), timezone = coalesce($3, learners.timezone),
    updated_at = now();

-- name: put_progress
-- Store where a person stopped in a lesson at a moment, unless a newer place is known; the first time that it is heard to the
-- end stays.
INSERT INTO lesson_progress AS known (user_id, lesson_id, sentence, position_ms, heard_at, updated_at)
VALUES ($1, $2, $3, $4, CASE WHEN $5 THEN $6::timestamptz END, $6)
ON CONFLICT (user_id, lesson_id) DO UPDATE SET
    sentence = CASE WHEN excluded.updated_at >= known.updated_at THEN excluded.sentence ELSE known.sentence END,
    position_ms = CASE WHEN excluded.updated_at >= known.updated_at THEN excluded.position_ms ELSE known.position_ms END,
    heard_at = coalesce(known.heard_at, excluded.heard_at),
    updated_at = greatest(known.updated_at, excluded.updated_at);

-- name: is_heard
-- Whether a person has heard a lesson to the end; locks the row until the transaction ends.
SELECT heard_at IS NOT NULL FROM lesson_progress WHERE user_id = $1 AND lesson_id = $2 FOR UPDATE;

-- name: count_day
-- Count a lesson that a person heard to the end on a date.
INSERT INTO listening_days AS known (user_id, day, heard) VALUES ($1, $2, 1)
ON CONFLICT (user_id, day) DO UPDATE SET heard = known.heard + 1;

-- name: progress
-- Where a person stopped in the lessons of documents.
SELECT lesson_id, subject_id AS document_id, level, sentence, position_ms, heard_at, lesson_progress.updated_at
FROM lesson_progress JOIN lessons USING (lesson_id)
WHERE user_id = $1 AND subject_kind = 'document' AND subject_id = ANY ($2::bigint[]) ORDER BY subject_id, level;

-- name: progress_of_lesson
-- Where a person stopped in a lesson.
SELECT lesson_id, CASE WHEN subject_kind = 'document' THEN subject_id END AS document_id, level, sentence, position_ms,
    heard_at, lesson_progress.updated_at
FROM lesson_progress JOIN lessons USING (lesson_id) WHERE user_id = $1 AND lesson_id = $2;

-- name: days
-- The dates on which a person heard lessons to the end, the latest first.
SELECT day, heard FROM listening_days WHERE user_id = $1 ORDER BY day DESC LIMIT $2;

-- name: heard
-- How many lessons a person has heard to the end.
SELECT count(*) FROM lesson_progress WHERE user_id = $1 AND heard_at IS NOT NULL;
