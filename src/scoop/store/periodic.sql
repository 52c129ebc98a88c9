-- name: claim
-- Claim a job that never ran, or not since then; gives its name to one of the workers that ask.
INSERT INTO chores (name, done_at) VALUES ($1, $3)
ON CONFLICT (name) DO UPDATE SET done_at = $3 WHERE chores.done_at < $2
RETURNING name;
