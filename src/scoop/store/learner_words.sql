-- name: put
-- Add a word to a list; one that is there keeps its reviews and gets the new example.
INSERT INTO learner_words AS known (user_id, word, lemma, word_class, level, definition, example, lesson_id, card, due_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (user_id, lemma, word_class) DO UPDATE SET word = $2, level = $5,
    definition = CASE WHEN $6 <> '' THEN $6 ELSE known.definition END,
    example = CASE WHEN $7 <> '' THEN $7 ELSE known.example END, lesson_id = coalesce($8, known.lesson_id)
RETURNING word_id;

-- name: words
-- The words of a person, those that are due first; $2: only those due by then.
SELECT word_id, word, lemma, word_class, learner_words.level, definition, example, learner_words.lesson_id, card, due_at,
    reviewed_at, review_count, learner_words.created_at
FROM learner_words
WHERE user_id = $1 AND ($2::timestamptz IS NULL OR due_at <= $2) ORDER BY due_at, word_id LIMIT $3;

-- name: word
-- A word of a person, locked until the transaction ends.
SELECT word_id, word, lemma, word_class, level, definition, example, lesson_id, card, due_at, reviewed_at, review_count,
    created_at
FROM learner_words WHERE user_id = $1 AND word_id = $2 FOR UPDATE;

-- name: review
-- Store the outcome of a review.
WITH changed AS (
    UPDATE learner_words SET card = $2, due_at = $3, reviewed_at = $5, review_count = review_count + 1 WHERE word_id = $1
)
INSERT INTO word_reviews (word_id, answer, due_at, reviewed_at) VALUES ($1, $4, $3, $5);

-- name: remove
-- Remove a word of a person with its reviews.
DELETE FROM learner_words WHERE user_id = $1 AND word_id = $2 RETURNING word_id;

-- name: count_due
-- How many words of a person are due, and how many there are.
SELECT count(*) FILTER (WHERE due_at <= $2) AS due, count(*) AS words FROM learner_words WHERE user_id = $1;
