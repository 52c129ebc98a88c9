-- name: plan_for_values
-- A generic plan cannot know which index fits these values.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true);
