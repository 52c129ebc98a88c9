-- name: curators
-- All curators that are not hidden, or the one of a topic, with their interests.
SELECT topic_id, topic_slug, topic_name, enabled, interests_from, freshness_days, language, curators.problem, read_at,
    checked_at, settings_from_file,
    version AS interests_version, curators.interests_id, interests
FROM curators JOIN topics USING (topic_id) LEFT JOIN interest_versions USING (topic_id, interests_id)
WHERE NOT is_hidden AND ($1::integer IS NULL OR topic_id = $1) ORDER BY topic_slug;

-- name: put
-- Make a topic a curator, or change its settings; what was read from another file is forgotten.
INSERT INTO curators AS known (topic_id, interests_from, freshness_days, language) VALUES ($1, $2, $3, $4)
ON CONFLICT (topic_id) DO UPDATE SET interests_from = excluded.interests_from, freshness_days = excluded.freshness_days,
    language = excluded.language,
    settings_from_file = CASE WHEN known.interests_from IS NOT DISTINCT FROM excluded.interests_from
        THEN known.settings_from_file ELSE '{}' END,
    read_at = CASE WHEN known.interests_from IS NOT DISTINCT FROM excluded.interests_from THEN known.read_at END,
    problem = CASE WHEN known.interests_from IS NOT DISTINCT FROM excluded.interests_from THEN known.problem END;

-- name: append_version
-- Append a version of the interests of a curator and use it, unless it is the one in use; clears the problem.
WITH appended AS (
    INSERT INTO interest_versions (topic_id, version, interests, origin, created_by)
    SELECT $1, 1 + coalesce((SELECT max(version) FROM interest_versions WHERE topic_id = $1), 0), $2::jsonb, $3, $4
    WHERE NOT EXISTS (
        SELECT FROM curators JOIN interest_versions USING (topic_id, interests_id) WHERE topic_id = $1 AND interests = $2::jsonb)
    RETURNING interests_id
)
UPDATE curators SET interests_id = coalesce((SELECT interests_id FROM appended), interests_id), problem = NULL,
    read_at = now()
WHERE topic_id = $1 RETURNING interests_id, EXISTS (SELECT FROM appended) AS is_new;

-- name: set_settings_from_file
-- Note which settings are read from the file of the interests.
UPDATE curators SET settings_from_file = $2 WHERE topic_id = $1;

-- name: set_problem
-- Note why the interests of a curator could not be read; the last valid version stays in use.
UPDATE curators SET problem = $2, read_at = now() WHERE topic_id = $1;

-- name: forget_reading
-- Let the file or URL of the interests be read at the next look.
UPDATE curators SET read_at = NULL WHERE topic_id = $1;

-- name: touch
-- Note that a curator looked for new articles.
UPDATE curators SET checked_at = now() WHERE topic_id = $1;

-- name: enabled
-- The curators that look for articles.
SELECT topic_id FROM curators JOIN topics USING (topic_id) WHERE enabled AND NOT is_hidden
    AND (interests_id IS NOT NULL OR interests_from IS NOT NULL) ORDER BY topic_id;

-- name: versions
-- The versions of the interests of a curator, or those before one, the newest first.
SELECT interests_id, version, interests, origin, created_by, created_at FROM interest_versions
WHERE topic_id = $1 AND ($2::bigint IS NULL OR version < $2) ORDER BY version DESC LIMIT $3;

-- name: version
-- A version of the interests of a curator.
SELECT interests_id, version, interests, origin, created_by, created_at FROM interest_versions
WHERE topic_id = $1 AND version = $2;

-- name: max_entries
-- A curator posts at most as many articles as its interests say.
UPDATE topics SET max_entries = $2 WHERE topic_id = $1 AND max_entries <> $2;

-- name: labels
-- The labels of a curator's articles, the newest first.
SELECT document_id, article_id, title, is_wanted, untuned_score, untuned_topic_scores, labelled_by, labelled_at
FROM evaluation_labels JOIN documents USING (document_id) WHERE topic_id = $1
ORDER BY labelled_at DESC, document_id DESC LIMIT $2;

-- name: put_label
-- Store a label of an article; it replaces the one before.
INSERT INTO evaluation_labels (topic_id, document_id, is_wanted, untuned_score, untuned_topic_scores, labelled_by)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (topic_id, document_id) DO UPDATE SET is_wanted = excluded.is_wanted, untuned_score = excluded.untuned_score,
    untuned_topic_scores = excluded.untuned_topic_scores, labelled_by = excluded.labelled_by, labelled_at = now();

-- name: remove_label
-- Remove the label of an article.
DELETE FROM evaluation_labels WHERE topic_id = $1 AND document_id = $2 RETURNING document_id;
