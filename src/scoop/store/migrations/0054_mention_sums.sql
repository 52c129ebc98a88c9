-- Mentions of a window as sums by hour where these are right, for the pages that show many tools.

CREATE FUNCTION mention_sums(since TIMESTAMPTZ, until TIMESTAMPTZ, borders TIMESTAMPTZ[])
RETURNS TABLE (tool_number INTEGER, at TIMESTAMPTZ, mentions BIGINT, compound_sum FLOAT8) LANGUAGE sql STABLE AS $$
    WITH unsummed AS MATERIALIZED (
        SELECT DISTINCT tool_number FROM news.mention_changes
    ), split AS MATERIALIZED (
        SELECT DISTINCT date_bin('1 hour', border, 'epoch') AS hour FROM unnest(borders || since || until) AS border
    )
    SELECT tool_number, hour, total::bigint, compound_sum::float8 FROM news.mention_hours
    WHERE total > 0 AND hour > since AND hour < until AND hour NOT IN (SELECT hour FROM split)
        AND tool_number NOT IN (SELECT tool_number FROM unsummed)
    UNION ALL
    SELECT tool_number, event_at, 1, compound::float8 FROM split JOIN news.mentions
        ON event_at >= split.hour AND event_at < split.hour + interval '1 hour'
    WHERE event_at > since AND event_at <= until AND tool_number NOT IN (SELECT tool_number FROM unsummed)
    UNION ALL
    SELECT tool_number, event_at, 1, compound::float8 FROM unsummed JOIN news.mentions USING (tool_number)
    WHERE event_at > since AND event_at <= until
$$;
COMMENT ON FUNCTION mention_sums IS 'The mentions of all tools after a moment and until another: whole hours from mention_hours, and one by one those of the hours with a border and those of tools with changes that are not added up.';
