-- name: claim
-- Take a chore upon oneself that has not been done for so long; gives its name to one of those who ask.
INSERT INTO chores (name, done_at) VALUES ($1, now())
ON CONFLICT (name) DO UPDATE SET done_at = now() WHERE chores.done_at <= now() - $2::interval
RETURNING name;
