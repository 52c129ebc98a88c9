-- name: plan_for_values
-- A plan that fits all values would not know which index fits these.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true);
