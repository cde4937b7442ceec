-- Campaigns for a page of fifty, and what starts in the next days, among ten thousand campaigns.

CREATE OR REPLACE FUNCTION push.find_campaigns_v1(
    state text DEFAULT NULL, tags text[] DEFAULT '{}', name_has text DEFAULT NULL, is_archived boolean DEFAULT false,
    after text DEFAULT NULL, at_most int DEFAULT 50)
RETURNS TABLE (name text)
LANGUAGE plpgsql STABLE ROWS 50 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
    run_state constant push.run_state := (
        SELECT u.known FROM unnest(enum_range(NULL::push.run_state)) u(known) WHERE u.known::text = find_campaigns_v1.state);
BEGIN
    IF (at_most BETWEEN 1 AND 1000) IS NOT TRUE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.find_campaigns_v1: at_most is %s', coalesce(at_most::text, 'null')),
            HINT = '1 to 1000 campaigns.';
    END IF;
    RETURN QUERY
    SELECT c.name
      FROM push.campaign c
     WHERE c.name > coalesce(find_campaigns_v1.after, '')
       AND c.tags @> coalesce(find_campaigns_v1.tags, '{}')
       AND (name_has IS NULL OR strpos(c.name, name_has) > 0)
       AND (is_archived IS NULL OR (c.state = 'archived') = is_archived)
       AND (find_campaigns_v1.state IS NULL
            OR find_campaigns_v1.state IN (c.state::text, CASE WHEN c.unapproved IS NOT NULL THEN 'unapproved' END)
            -- Of the other states no run is looked at.
            OR CASE
                   WHEN run_state IS NOT NULL
                   THEN run_state = (
                            SELECT r.state
                              FROM push.run r
                             WHERE r.campaign = c.id AND r.state <> 'skipped' AND NOT r.is_test
                             ORDER BY r.id DESC
                             LIMIT 1)
               END)
     ORDER BY c.name
     LIMIT at_most;
END $$;
COMMENT ON FUNCTION push.find_campaigns_v1 IS
    'Names of campaigns, in their order, behind the name after; null: from the first on. state: draft, ready, unapproved, or '
    'where the newest run stands; tags: all of which it has; name_has: a part of its name; is_archived: null: both. '
    'push.campaigns has the rest of each. Counts nothing, so that looking through ten thousand campaigns is cheap.';

CREATE OR REPLACE FUNCTION push.starts_ahead_v1(until timestamptz, at_most int DEFAULT 200)
RETURNS TABLE (campaign text, at timestamptz, local text, zone text)
LANGUAGE plpgsql STABLE ROWS 200 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off AS $$
#variable_conflict use_column
BEGIN
    IF (at_most BETWEEN 1 AND 10000) IS NOT TRUE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.starts_ahead_v1: at_most is %s', coalesce(at_most::text, 'null')),
            HINT = '1 to 10000 times.';
    END IF;
    RETURN QUERY
    SELECT o.name, o.at, to_char(o.at AT TIME ZONE z.zone, 'YYYY-MM-DD HH24:MI:SS'), z.zone
      FROM (SELECT c.id, c.name, u.at
              -- Which campaign starts among the first has one of the first next_at, too.
              FROM (SELECT c.* FROM push.campaign c
                     WHERE c.next_at < until AND c.next_at > '-infinity' AND c.state <> 'archived'
                     ORDER BY c.next_at, c.name
                     LIMIT at_most) c,
                   unnest(c.upcoming) u(at)
             WHERE u.at < until
             ORDER BY u.at, c.name
             LIMIT at_most) o,
           -- OFFSET 0: only for those that are shown.
           LATERAL (SELECT coalesce(push.zone_of_schedule(push_internal.schedule_of(o.id)), 'UTC') AS zone OFFSET 0) z
     ORDER BY o.at, o.name;
END $$;
COMMENT ON FUNCTION push.starts_ahead_v1 IS
    'When campaigns start themselves before a time, the first of all first: the next five times of each, as in '
    'push.campaign_next, which reads the schedules of all campaigns.';
