-- name: add
-- Store a question with its facts; gives its number.
INSERT INTO tool_questions (question, facts, asked_by) VALUES ($1, $2, $3) RETURNING question_id;

-- name: list
-- One question or the newest ones, with why the last attempt at an answer failed.
SELECT question_id, question, facts, answer, cited, model, asked_by, tool_questions.asked_at, answered_at, problem
FROM tool_questions LEFT JOIN briefs ON kind = 'question' AND subject_kind = 'question' AND subject_id = question_id
WHERE $1::bigint IS NULL OR question_id = $1 ORDER BY question_id DESC LIMIT $2;

-- name: answered
-- The briefs whose question has an answer.
SELECT brief_id FROM briefs JOIN tool_questions ON subject_kind = 'question' AND subject_id = question_id
WHERE brief_id = ANY ($1::bigint[]) AND answered_at IS NOT NULL;

-- name: answer
-- Store the answer to a question.
UPDATE tool_questions SET answer = $2, cited = $3, model = $4, answered_at = now() WHERE question_id = $1;
