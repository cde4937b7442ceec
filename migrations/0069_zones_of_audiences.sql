-- Fanfare, migration 69: The time zones of an audience, and who is in each.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

-- Of audiences, with the rights of push_audience: see migration 57.
CREATE FUNCTION push.audience_has_zone(view text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (
        SELECT
          FROM pg_attribute a
         WHERE a.attrelid = push.audience_view(view)::regclass
           AND a.attname = 'time_zone'
           AND a.atttypid = ANY ('{text,varchar}'::regtype[]::oid[])
           AND NOT a.attisdropped)
$$;
COMMENT ON FUNCTION push.audience_has_zone IS
    'Whether an audience has a column time_zone of type text or varchar. Runs with the rights of push_audience.';

CREATE FUNCTION push.audience_zones(view text, most int) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 40 SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
    -- From one zone to the next in the index (time_zone, key): a look-up for each, however many recipients there are.
    RETURN QUERY EXECUTE format(
        'WITH RECURSIVE z AS ((%s) UNION ALL SELECT (%s) FROM z WHERE z.zone IS NOT NULL) '
        'SELECT z.zone FROM z WHERE z.zone IS NOT NULL LIMIT %s',
        push.audience_query(view, 'v.time_zone::text AS zone', 'v.time_zone IS NOT NULL', 'ORDER BY v.time_zone LIMIT 1'),
        push.audience_query(view, 'v.time_zone::text', 'v.time_zone > z.zone', 'ORDER BY v.time_zone LIMIT 1'),
        most);
    RETURN QUERY EXECUTE push.audience_query(view, 'NULL::text', 'v.time_zone IS NULL', 'LIMIT 1');
END $$;
COMMENT ON FUNCTION push.audience_zones IS
    'The time zones of an audience, at most so many, and null if some recipient has none. Runs with the rights of '
    'push_audience.';

CREATE FUNCTION push.audience_zone_page_v1(view text, zone text, behind text, n int)
RETURNS TABLE (key text, tag text, handle text, locale text, properties json, expires_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER ROWS 10000 SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
    RETURN QUERY EXECUTE push.audience_query(
        view, '{recipient}',
        concat_ws(' AND ', CASE WHEN zone IS NULL THEN 'v.time_zone IS NULL' ELSE 'v.time_zone = $2' END,
                  CASE WHEN behind IS NULL THEN 'v.key IS NOT NULL' ELSE 'v.key > $1::{type}' END),
        'ORDER BY v.key LIMIT ' || n)
        USING behind, zone;
END $$;
COMMENT ON FUNCTION push.audience_zone_page_v1 IS
    'The next n recipients of a time zone of an audience behind a key, in the order of the keys; zone null: those '
    'without one. Runs with the rights of push_audience.';

CREATE FUNCTION push.audience_rest(view text, by_zone boolean, zone text, behind text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
    rest bigint;
BEGIN
    EXECUTE push.audience_query(
        view, 'count(*)',
        concat_ws(' AND ', CASE WHEN by_zone AND zone IS NULL THEN 'v.time_zone IS NULL' WHEN by_zone THEN 'v.time_zone = $2' END,
                  CASE WHEN behind IS NULL THEN 'v.key IS NOT NULL' ELSE 'v.key > $1::{type}' END),
        '') INTO rest USING behind, zone;
    RETURN rest;
END $$;
COMMENT ON FUNCTION push.audience_rest IS
    'How many recipients of an audience, or of one time zone of it, are behind a key. Runs with the rights of '
    'push_audience.';

CREATE FUNCTION push.audience_zone_sorts(view text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) '
            || push.audience_query(view, '{recipient}', 'v.time_zone = ''Europe/Berlin'' AND v.key > ''1''::{type}',
                                   'ORDER BY v.key LIMIT 10000') INTO plan;
    RETURN plan::text ~ '"Node Type": "(Sort|Incremental Sort)"'
        OR plan::text !~ '"Index Cond": "[^"]*Europe/Berlin';
END $$;
COMMENT ON FUNCTION push.audience_zone_sorts IS
    'Whether each page of a time zone reads or sorts more than its rows, because there is no index (time_zone, key). '
    'Runs with the rights of push_audience.';

CREATE FUNCTION push.zones_of_audience(audience json, most int) RETURNS SETOF text
LANGUAGE plpgsql STABLE ROWS 40 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    number int;
BEGIN
    IF audience -> 'view' IS NOT NULL THEN
        RETURN QUERY SELECT z.* FROM push.audience_zones(audience ->> 'view', most) z;
        RETURN;
    END IF;
    SELECT l.id INTO number
      FROM push.list l
     WHERE l.name = coalesce(audience ->> 'list', audience -> 'handles' ->> 'list');
    RETURN QUERY
    WITH RECURSIVE z AS (
        (SELECT m.time_zone
           FROM push.list_member m
          WHERE m.list = number AND m.time_zone IS NOT NULL
          ORDER BY m.list, m.time_zone LIMIT 1)
         UNION ALL
        SELECT (SELECT m.time_zone
                  FROM push.list_member m
                 WHERE m.list = number AND m.time_zone > z.time_zone
                 ORDER BY m.list, m.time_zone LIMIT 1)
          FROM z
         WHERE z.time_zone IS NOT NULL
    )
    (SELECT z.time_zone FROM z WHERE z.time_zone IS NOT NULL LIMIT most)
     UNION ALL
    (SELECT NULL FROM push.list_member m WHERE m.list = number AND m.time_zone IS NULL LIMIT 1);
END $$;
COMMENT ON FUNCTION push.zones_of_audience IS
    'What stands in the column time_zone of a view or list: each once, at most so many, and null if it has that. Only '
    'for other functions.';

CREATE FUNCTION push.recipients_of_zone(audience json, locales text[], behind text, n int, part text)
RETURNS TABLE (key text, tag text, handle text, locale text, properties json, expires_at timestamptz)
LANGUAGE plpgsql STABLE ROWS 10000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    number int;
BEGIN
    IF audience -> 'view' IS NOT NULL THEN
        RETURN QUERY SELECT p.* FROM push.audience_zone_page_v1(audience ->> 'view', part, behind, n) p;
    ELSIF audience -> 'list' IS NULL AND audience -> 'handles' IS NULL THEN
        RETURN QUERY
        SELECT p.key, concat_ws(' && ', '(' || p.tag || ')', part), p.handle, p.locale, p.properties, p.expires_at
          FROM push.recipients(audience, locales, behind, n) p;
    ELSE
        SELECT l.id INTO number
          FROM push.list l
         WHERE l.name = coalesce(audience ->> 'list', audience -> 'handles' ->> 'list');
        IF NOT FOUND THEN
            RAISE EXCEPTION USING
                ERRCODE = 'undefined_object', MESSAGE = 'the list was dropped',
                HINT = 'Load it again: fanfare campaign audience load.';
        ELSIF part IS NULL THEN
            RETURN QUERY
            SELECT m.key, m.tag, m.handle, m.locale, m.properties, NULL::timestamptz
              FROM push.list_member m
             WHERE m.list = number AND m.time_zone IS NULL AND m.key > coalesce(behind, '')
             ORDER BY m.list, m.time_zone, m.key
             LIMIT n;
        ELSE
            RETURN QUERY
            SELECT m.key, m.tag, m.handle, m.locale, m.properties, NULL::timestamptz
              FROM push.list_member m
             WHERE m.list = number AND m.time_zone = part AND m.key > coalesce(behind, '')
             ORDER BY m.list, m.time_zone, m.key
             LIMIT n;
        END IF;
    END IF;
END $$;
COMMENT ON FUNCTION push.recipients_of_zone IS
    'The next n recipients of one stream of a local run behind a key: those whose time_zone is part (null: who have '
    'none), or, of an audience of tags, its tags each with the tag of the zone. Only for push.recipients.';

SELECT push.grant_roles();

INSERT INTO push.migration (version, name, works_from) VALUES (69, 'zones_of_audiences', 61);
