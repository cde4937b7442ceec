-- Fanfare, migration 68: Runs in everybody's own time zone, windows of the day, and rates that grow.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

-- AT TIME ZONE has another rule: a time that the clocks skip is read with the offset of before, and of two it takes the
-- second.
CREATE FUNCTION push.instant_of(wall timestamp, zone text) RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reach constant interval := '26 h';         -- no clock is further from UTC (RFC 9636, section 3.2)
    usual constant timestamptz := wall AT TIME ZONE zone;
    utc constant timestamptz := wall AT TIME ZONE 'UTC';
    found timestamptz;
    low bigint;
    high bigint;
    middle bigint;
BEGIN
    IF usual AT TIME ZONE zone = wall AND (usual - reach) AT TIME ZONE zone = wall - reach
       AND (usual + reach) AT TIME ZONE zone = wall + reach
    THEN
        RETURN usual;
    END IF;
    -- The clocks change nearby: the first instant at which they show it, with any of the offsets around.
    found := (
        SELECT min(c.at)
          FROM generate_series(-26, 26) h,
               LATERAL (SELECT utc + h * interval '1 h' AS at) o,
               LATERAL (SELECT (wall - (o.at AT TIME ZONE zone - o.at AT TIME ZONE 'UTC')) AT TIME ZONE 'UTC' AS at) c
         WHERE c.at AT TIME ZONE zone = wall);
    IF found IS NOT NULL THEN
        RETURN found;
    END IF;
    -- They skip it: the first instant at which they show more.
    low := floor(extract(epoch FROM utc - reach));
    high := ceil(extract(epoch FROM utc + reach));
    WHILE high - low > 1 LOOP
        middle := (low + high) / 2;
        IF to_timestamp(middle) AT TIME ZONE zone < wall THEN
            low := middle;
        ELSE
            high := middle;
        END IF;
    END LOOP;
    RETURN to_timestamp(high);
END $$;
COMMENT ON FUNCTION push.instant_of IS
    'When the clocks of a zone show a time: the first instant if they show it twice, and the first instant after the '
    'jump if they skip it. Only for other functions.';

CREATE FUNCTION push.days_of(days text) RETURNS int[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
               WHEN days ~* '^(mon|tue|wed|thu|fri|sat|sun)(-(mon|tue|wed|thu|fri|sat|sun))?(,(mon|tue|wed|thu|fri|sat|sun)(-(mon|tue|wed|thu|fri|sat|sun))?)*$'
               THEN (
                   SELECT array_agg(DISTINCT (d - 1) % 7 + 1)
                     FROM unnest(string_to_array(lower(days), ',')) item,
                          LATERAL (
                              SELECT (strpos('montuewedthufrisatsun', left(item, 3)) + 2) / 3 AS first,
                                     (strpos('montuewedthufrisatsun', right(item, 3)) + 2) / 3 AS last) e,
                          LATERAL generate_series(e.first, e.last + CASE WHEN e.last < e.first THEN 7 ELSE 0 END) d)
           END
$$;
COMMENT ON FUNCTION push.days_of IS
    'The days of "mon-fri", "sat,sun" or "fri-mon" as 1 (Monday) to 7; null: it is none of these. Only for other functions.';

CREATE FUNCTION push.is_in_window(send_window json, zone text, at timestamptz) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    wall constant timestamp := at AT TIME ZONE zone;
    starts constant time := coalesce(send_window ->> 'from', '00:00');
    ends constant time := coalesce(send_window ->> 'until', '24:00');
    day date := wall::date;
BEGIN
    IF starts < ends THEN
        IF wall::time < starts OR wall::time >= ends THEN
            RETURN false;
        END IF;
    ELSIF wall::time < ends THEN
        day := day - 1;                        -- a night belongs to the day on which it begins
    ELSIF wall::time < starts THEN
        RETURN false;
    END IF;
    RETURN send_window ->> 'days' IS NULL OR extract(isodow FROM day)::int = ANY (push.days_of(send_window ->> 'days'));
END $$;
COMMENT ON FUNCTION push.is_in_window IS
    'Whether the clocks of a zone show a time of a window: from counts, until does not. Over midnight the day is that on '
    'which the window begins. Only for other functions.';

CREATE FUNCTION push.window_opens(send_window json, zone text, at timestamptz) RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    starts constant time := coalesce(send_window ->> 'from', '00:00');
    opens timestamptz;
BEGIN
    IF push.is_in_window(send_window, zone, at) THEN
        RETURN at;
    END IF;
    FOR n IN -1..14 LOOP                       -- a week, and one more: a zone may skip a day
        opens := push.instant_of((at AT TIME ZONE zone)::date + n + starts, zone);
        IF opens >= at AND push.is_in_window(send_window, zone, opens) THEN
            RETURN opens;
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION push.window_opens IS
    'The first instant from a given one on at which a window is open; null: not within two weeks. Only for other '
    'functions.';

CREATE FUNCTION push.is_open(this push.run, zone text) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN this.send_window IS NULL
        OR push.is_in_window(this.send_window, coalesce(zone, this.send_window ->> 'zone'), clock_timestamp());
END $$;
COMMENT ON FUNCTION push.is_open IS
    'Whether the window of a run is open for its streams of a zone. Only for other functions.';

CREATE FUNCTION push.rate_share(this push.run) RETURNS double precision
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    share double precision := this.rate;
    streams bigint;
BEGIN
    IF share IS NULL THEN
        RETURN NULL;
    END IF;
    IF this.ramp > interval '0' THEN
        share := share * least(1, 0.05 + 0.95 * greatest(0, extract(epoch FROM clock_timestamp() - this.started_at))
                                              / extract(epoch FROM this.ramp));
    END IF;
    SELECT count(*) INTO streams
      FROM push.stream o
     WHERE o.run = this.id
       AND o.done_at IS NULL
       AND o.release_at <= clock_timestamp()
       AND push.is_open(this, o.zone);
    RETURN share / greatest(streams, 1);
END $$;
COMMENT ON FUNCTION push.rate_share IS
    'Messages a second of each stream of a run that is released, in its window and not through: they share its rate, '
    'which grows from a twentieth during its ramp. Null: the run has no rate. Only for other functions.';

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

CREATE FUNCTION push.is_local(spec json) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN spec -> 'local' IS NOT NULL OR coalesce(push.read_schedule(spec -> 'schedule') ->> 'local' = 'true', false);
COMMENT ON FUNCTION push.is_local IS
    'Whether a spec is sent in each recipient''s own zone. Only for other functions.';

CREATE FUNCTION push.home_zone(spec json) RETURNS json
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(spec -> 'local' -> 'default', push.read_schedule(spec -> 'schedule') -> 'zone')
$$;
COMMENT ON FUNCTION push.home_zone IS
    'The zone for recipients without one, and whose date a start by hand takes. Only for other functions.';

CREATE FUNCTION push.tag_of_zone(form text, zone text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN replace(form, '{zone}', replace(zone, '/', '_'));
COMMENT ON FUNCTION push.tag_of_zone IS
    'The tag of a hub for a time zone: of tz:{zone} and Europe/Paris it is tz:Europe_Paris, because a tag has no "/". Only '
    'for other functions.';

CREATE FUNCTION push.wrong_window(spec json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this constant json := spec -> 'window';
BEGIN
    IF this IS NULL THEN
        RETURN NULL;
    ELSIF json_typeof(this) <> 'object' THEN
        RETURN push.spec_problem('window', 'is no object', 'Write {"from": "08:00", "until": "21:00"}.');
    END IF;
    RETURN coalesce(
        push.unknown_member('window', this, '{from,until,days,outside,zone}'),
        CASE
            WHEN coalesce(this -> 'from', this -> 'until', this -> 'days') IS NULL
                THEN push.spec_problem('window', 'has neither from, until nor days', 'Write {"from": "08:00", "until": "21:00"}.')
            WHEN this ->> 'from' !~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'
                THEN push.spec_problem('window.from', format('is %s, not a time of day', left((this -> 'from')::text, 60)),
                                       'From "00:00" to "23:59".')
            WHEN this ->> 'until' !~ '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$'
                THEN push.spec_problem('window.until', format('is %s, not a time of day', left((this -> 'until')::text, 60)),
                                       'From "00:01" to "24:00".')
            WHEN coalesce(this ->> 'from', '00:00') = coalesce(this ->> 'until', '24:00')
                 OR coalesce(this ->> 'from', '00:00') = '00:00' AND this ->> 'until' = '00:00'
                THEN push.spec_problem('window', format('begins and ends at %s', this ->> 'until'),
                                       'Leave from and until out for the whole day. "22:00" to "06:00" goes over midnight.')
            WHEN this -> 'days' IS NOT NULL AND push.days_of(this ->> 'days') IS NULL
                THEN push.spec_problem('window.days', format('is %s, not days of the week', left((this -> 'days')::text, 60)),
                                       'Write "mon-sat", or "mon,wed,fri".')
            WHEN this -> 'outside' IS NOT NULL AND coalesce(this ->> 'outside', '') NOT IN ('hold', 'drop')
                THEN push.spec_problem('window.outside', 'is neither "hold" nor "drop"', 'Leave it out for hold.')
            WHEN this -> 'zone' IS NOT NULL THEN push.wrong_zone('window.zone', this -> 'zone')
            WHEN NOT push.is_local(spec) AND push.home_zone(spec) IS NULL THEN push.wrong_zone('window.zone', NULL)
        END);
END $$;
COMMENT ON FUNCTION push.wrong_window IS 'What is wrong with the window of a spec; null: nothing. Only for push.wrong_local.';

CREATE FUNCTION push.wrong_zones(spec json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    zones constant json := spec -> 'local' -> 'zones';
    audience constant json := spec -> 'audience';
    problem push.problem;
    tag text;
    hub push.hub;
BEGIN
    IF zones IS NOT NULL AND zones #>> '{}' IS DISTINCT FROM 'audience' THEN
        IF json_typeof(zones) <> 'array' OR json_array_length(zones) NOT BETWEEN 1 AND 400 THEN
            RETURN push.spec_problem('local.zones', 'is neither "audience" nor a list of 1 to 400 zones',
                                     'Write ["Europe/Berlin", "America/New_York"].');
        END IF;
        SELECT p.* INTO problem
          FROM json_array_elements(zones) WITH ORDINALITY z(zone, n), push.wrong_zone('local.zones', z.zone) p
         WHERE NOT p IS NULL
         ORDER BY z.n
         LIMIT 1;
        IF NOT problem IS NULL THEN
            RETURN problem;
        END IF;
    END IF;
    IF audience -> 'view' IS NOT NULL THEN
        IF NOT push.audience_has_zone(audience ->> 'view') THEN
            RETURN push.spec_problem('audience.view', 'has no column "time_zone" of type text',
                                     'It holds names such as Europe/Berlin; docs/campaigns.md has a recipe.');
        END IF;
        RETURN NULL;
    ELSIF audience -> 'list' IS NOT NULL OR audience -> 'handles' IS NOT NULL THEN
        RETURN NULL;
    ELSIF zones IS NULL OR json_typeof(zones) <> 'array' THEN
        RETURN push.spec_problem('local.zones', 'is no list, and tags do not say which zones there are',
                                 'Write ["Europe/Berlin", "America/New_York"].');
    END IF;
    FOR hub IN
        SELECT h.*
          FROM push.hub h
         WHERE h.name IN (SELECT e.value #>> '{}' FROM json_array_elements(spec -> 'hubs') e)
         ORDER BY h.name
    LOOP
        IF hub.settings ->> 'zoneTag' IS NULL THEN
            RETURN push.spec_problem('local', format('needs zoneTag of hub %s, because the audience is of tags', hub.name),
                                     format('Set hubs.%s.zoneTag to "tz:{zone}" and run fanfare migrate up.', hub.name));
        END IF;
        FOR tag IN
            SELECT r.tag
              FROM json_array_elements_text(zones) z(zone),
                   push.recipients(audience, '{}', NULL, 10000, push.tag_of_zone(hub.settings ->> 'zoneTag', z.zone)) r
        LOOP
            problem := push.wrong_tag(tag);
            IF NOT problem IS NULL THEN
                RETURN push.spec_problem('audience', format('becomes %s, which %s', tag,
                                                            replace(problem.message, 'push.message.tag ', '')), problem.hint);
            END IF;
        END LOOP;
    END LOOP;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push.wrong_zones IS
    'What is wrong with the zones of a local spec and its audience; null: nothing. Only for push.wrong_local.';

CREATE FUNCTION push.wrong_local(spec json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this constant json := spec -> 'local';
    by_schedule constant boolean := coalesce(push.read_schedule(spec -> 'schedule') ->> 'local' = 'true', false);
    problem push.problem;
BEGIN
    IF this IS NOT NULL AND json_typeof(this) <> 'object' THEN
        RETURN push.spec_problem('local', 'is no object', 'Write {"time": "09:00", "default": "Europe/Berlin"}.');
    END IF;
    problem := coalesce(
        push.unknown_member('local', this, '{time,zones,default,passed}'),
        CASE
            WHEN this -> 'time' IS NULL AND this IS NOT NULL AND NOT by_schedule
                THEN push.spec_problem('local.time', 'is missing', 'Write "09:00"; or set "local" of the schedule to true.')
            WHEN this -> 'time' IS NOT NULL AND by_schedule
                THEN push.spec_problem('local.time', 'stands beside "local" of the schedule',
                                       'One of the two: a local schedule names the time itself.')
            WHEN this -> 'time' IS NOT NULL AND coalesce(this ->> 'time', '') !~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'
                THEN push.spec_problem('local.time', format('is %s, not a time of day', left((this -> 'time')::text, 60)),
                                       'From "00:00" to "23:59".')
            WHEN this -> 'passed' IS NOT NULL AND coalesce(this ->> 'passed', '') NOT IN ('now', 'skip')
                THEN push.spec_problem('local.passed', 'is neither "now" nor "skip"', 'Leave it out for now.')
        END,
        push.wrong_window(spec), push.wrong_interval('ramp', spec -> 'ramp'),
        CASE WHEN spec -> 'ramp' IS NOT NULL AND coalesce(spec -> 'rate', spec -> 'spread') IS NULL
             THEN push.spec_problem('ramp', 'needs a rate', 'Add "rate": 2000, or "spread": "2 h".') END);
    IF NOT problem IS NULL OR NOT push.is_local(spec) THEN
        RETURN problem;
    END IF;
    RETURN coalesce(push.wrong_zone('local.default', push.home_zone(spec)), push.wrong_zones(spec));
END $$;
COMMENT ON FUNCTION push.wrong_local IS
    'What is wrong with local, window and ramp of a spec; null: nothing. Only for push.wrong_references.';

CREATE FUNCTION push.parts_of_audience(spec json) RETURNS TABLE (zone text, part text, zone_known boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    most constant int := 400;
    zones constant json := spec -> 'local' -> 'zones';
    audience constant json := spec -> 'audience';
    listed constant text[] := CASE json_typeof(zones) WHEN 'array' THEN ARRAY(SELECT json_array_elements_text(zones)) END;
    found text[];
    known text[];
BEGIN
    IF coalesce(audience -> 'view', audience -> 'list', audience -> 'handles') IS NULL THEN
        RETURN QUERY SELECT DISTINCT u.zone, u.zone, true FROM unnest(listed) u(zone);
        RETURN;
    END IF;
    found := ARRAY(SELECT push.zones_of_audience(audience, most + 1));
    IF cardinality(array_remove(found, NULL)) > most THEN
        RAISE EXCEPTION USING
            ERRCODE = 'program_limit_exceeded',
            MESSAGE = format('the audience has more than %s different time_zone, such as %s', most, to_json(left(found[1], 60))),
            HINT = 'There are fewer zones in the world: the column holds names such as Europe/Berlin, or null.';
    END IF;
    known := ARRAY(
        SELECT n.name
          FROM pg_timezone_names n
         WHERE n.name = ANY (found) AND n.name ~ '^([A-Z][^/]*/|UTC$)' AND (listed IS NULL OR n.name = ANY (listed)));
    RETURN QUERY
    SELECT CASE WHEN k.is_known THEN u.part ELSE push.home_zone(spec) #>> '{}' END, u.part, k.is_known
      FROM unnest(CASE WHEN found = '{}' THEN '{NULL}' ELSE found END) u(part),
           LATERAL (SELECT coalesce(u.part = ANY (known), false) AS is_known) k;
END $$;
COMMENT ON FUNCTION push.parts_of_audience IS
    'The streams that a local run has on each hub, as in push.stream: one for each time zone. For tags part is the zone, and '
    'not yet its tag. Raises for more than 400. Only for other functions.';

CREATE FUNCTION push.place_run(run bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    spec json;
    is_of_tags boolean;
    zones bigint;
BEGIN
    SELECT v.spec INTO spec
      FROM push.run r
           JOIN push.campaign_revision v ON v.campaign = r.campaign AND v.revision = r.revision
     WHERE r.id = place_run.run;
    IF coalesce(spec -> 'window', spec -> 'ramp') IS NOT NULL THEN
        UPDATE push.run r
           SET ramp = (spec ->> 'ramp')::interval,
               send_window = (
                   SELECT json_object_agg(e.key, e.value)
                     FROM (SELECT e.key, e.value FROM json_each(spec -> 'window') e WHERE e.key <> 'zone'
                            UNION ALL
                           SELECT 'zone', coalesce(spec -> 'window' -> 'zone', push.home_zone(spec))) e
                    WHERE spec -> 'window' IS NOT NULL)
         WHERE r.id = place_run.run;
    END IF;
    IF NOT push.is_local(spec) THEN
        RETURN;
    END IF;
    is_of_tags := coalesce(spec -> 'audience' -> 'view', spec -> 'audience' -> 'list', spec -> 'audience' -> 'handles') IS NULL;
    WITH whole AS (
        DELETE FROM push.stream t WHERE t.run = place_run.run RETURNING t.*
    ), parts AS (
        INSERT INTO push.stream (run, hub, priority, zone, part, zone_known)
        SELECT w.run, w.hub, w.priority, p.zone,
               CASE WHEN is_of_tags THEN push.tag_of_zone(h.settings ->> 'zoneTag', p.part) ELSE p.part END, p.zone_known
          FROM push.parts_of_audience(spec) p, whole w
               JOIN push.hub h ON h.id = w.hub
         ORDER BY p.zone, p.part, h.name
        RETURNING zone
    )
    SELECT count(DISTINCT p.zone) INTO zones FROM parts p;
    IF is_of_tags THEN                         -- each tag once in each zone
        UPDATE push.run r
           SET estimate = r.estimate * zones, rate = CASE WHEN spec -> 'rate' IS NULL THEN r.rate * zones ELSE r.rate END
         WHERE r.id = place_run.run;
    END IF;
    PERFORM push.release_streams(place_run.run);
END $$;
COMMENT ON FUNCTION push.place_run IS
    'Gives a run its window and ramp, and, where it is local, a stream for each hub and zone. Only for push.begin_run.';

CREATE FUNCTION push.wall_of_run(spec json, key text) RETURNS timestamp
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF spec -> 'local' -> 'time' IS NOT NULL THEN
        RETURN (clock_timestamp() AT TIME ZONE (push.home_zone(spec) #>> '{}'))::date + (spec -> 'local' ->> 'time')::time;
    ELSIF key !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('%s is not a time, and the run''s local time is taken from its key', to_json(left(key, 80))),
            HINT = 'Take a key such as push.campaign_next shows, '
                   || to_json(push.key_of_time(date_trunc('hour', clock_timestamp()))) || '; or set local.time in the spec.';
    END IF;
    RETURN key::timestamptz AT TIME ZONE 'Pacific/Kiritimati';
END $$;
COMMENT ON FUNCTION push.wall_of_run IS
    'What the clocks of a zone show when a local run begins there: local.time of today, by the date in the default zone; '
    'or the time of the schedule, from the run''s key. Only for push.release_streams.';

CREATE FUNCTION push.release_streams(run bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    this record;
    wall timestamp;
    now_at constant timestamptz := clock_timestamp();
    passed bigint[];
BEGIN
    SELECT r.key, v.spec INTO this
      FROM push.run r
           JOIN push.campaign_revision v ON v.campaign = r.campaign AND v.revision = r.revision
     WHERE r.id = release_streams.run;
    IF NOT push.is_local(this.spec) THEN
        RETURN;
    END IF;
    wall := push.wall_of_run(this.spec, this.key);
    UPDATE push.stream t
       SET release_at = z.at
      FROM (SELECT o.zone, push.instant_of(wall, o.zone) AS at
              FROM (SELECT DISTINCT o.zone FROM push.stream o WHERE o.run = release_streams.run) o) z
     WHERE t.run = release_streams.run AND t.zone = z.zone;
    -- A worker is a little late, and later by the jitter.
    passed := ARRAY(
        SELECT t.id
          FROM push.stream t
         WHERE t.run = release_streams.run
           AND t.release_at < now_at - interval '1 min'
                              - coalesce((push.read_schedule(this.spec -> 'schedule') ->> 'jitter')::interval, '0 s')
         ORDER BY t.id);
    -- expires counts from when a stream can begin.
    UPDATE push.stream t SET release_at = now_at WHERE t.run = release_streams.run AND t.release_at < now_at;
    IF this.spec -> 'local' ->> 'passed' = 'skip' THEN
        PERFORM push.leave_out(u.stream, 'passed') FROM unnest(passed) u(stream);
    END IF;
END $$;
COMMENT ON FUNCTION push.release_streams IS
    'Works out when each stream of a local run begins: when the clocks of its zone show the time. What is past begins '
    'now, or is left out ("passed": "skip"; not what is late by less than a minute and the jitter). Only for other '
    'functions.';

CREATE FUNCTION push.leave_out(stream bigint, reason text) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    this record;
    rest bigint;
BEGIN
    SELECT t.*, v.spec -> 'audience' AS audience,
           CASE WHEN h.localization = 'tags' THEN push.locales_of(x.content) ELSE '{}' END AS locales
      INTO this
      FROM push.stream t
           JOIN push.run r ON r.id = t.run
           JOIN push.campaign_revision v ON v.campaign = r.campaign AND v.revision = r.revision
           JOIN push.run_content x ON x.run = t.run
           JOIN push.hub h ON h.id = t.hub
     WHERE t.id = leave_out.stream AND t.done_at IS NULL
       FOR UPDATE OF t SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN NULL;
    ELSIF this.audience -> 'view' IS NOT NULL THEN
        rest := push.audience_rest(this.audience ->> 'view', this.part IS NOT NULL OR NOT this.zone_known, this.part, this.cursor);
    ELSIF this.audience -> 'list' IS NOT NULL OR this.audience -> 'handles' IS NOT NULL THEN
        SELECT count(*) INTO rest
          FROM push.list l,
               LATERAL (
                   SELECT m.key
                     FROM push.list_member m
                    WHERE m.list = l.id AND m.key > coalesce(this.cursor, '')
                      AND (this.part IS NULL AND this.zone_known OR m.time_zone IS NOT DISTINCT FROM this.part)
                   OFFSET 0) m
         WHERE l.name = coalesce(this.audience ->> 'list', this.audience -> 'handles' ->> 'list');
    ELSE
        SELECT count(*) INTO rest
          FROM push.recipients(this.audience, this.locales, this.cursor, 2147483647, this.part, this.zone_known) p;
    END IF;
    INSERT INTO push.slice (stream, n, first_id, last_id, rows, left_out, due_from, due_to)
    VALUES (this.id, this.slices + 1, 0, 0, 0, json_build_object(leave_out.reason, rest), clock_timestamp(), clock_timestamp());
    UPDATE push.stream t SET slices = t.slices + 1, done_at = clock_timestamp() WHERE t.id = this.id;
    RETURN rest;
END $$;
COMMENT ON FUNCTION push.leave_out IS
    'Ends a stream: who of its audience has no message yet gets none, and is counted under a reason. Null: it was '
    'through, or a worker is at it. Only for other functions.';

CREATE FUNCTION push.drop_outside(this push.run) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    PERFORM push.leave_out(t.id, 'outside_window')
       FROM push.stream t
      WHERE t.run = this.id
        AND t.done_at IS NULL
        AND t.release_at <= clock_timestamp()
        AND NOT push.is_open(this, t.zone);
END $$;
COMMENT ON FUNCTION push.drop_outside IS
    'Ends the streams of a run that have begun and are outside their window ("outside": "drop"). Only for '
    'push.tend_runs_v1.';

CREATE FUNCTION push.local_progress(
    run bigint, OUT passed bigint, OUT outside_window bigint, OUT unknown_zone bigint, OUT waits_until timestamptz,
    OUT waits_for text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    this push.run;
    now_at constant timestamptz := clock_timestamp();
    next record;
BEGIN
    SELECT r.* INTO this FROM push.run r WHERE r.id = local_progress.run;
    passed := 0;
    outside_window := 0;
    SELECT coalesce(sum(t.expanded) FILTER (WHERE NOT t.zone_known), 0) INTO unknown_zone
      FROM push.stream t
     WHERE t.run = local_progress.run;
    IF unknown_zone > 0 OR this.send_window IS NOT NULL
       OR EXISTS (SELECT FROM push.stream t WHERE t.run = local_progress.run AND t.zone IS NOT NULL)
    THEN
        SELECT coalesce(sum((s.left_out ->> 'passed')::bigint), 0), coalesce(sum((s.left_out ->> 'outside_window')::bigint), 0)
          INTO passed, outside_window
          FROM push.stream t
               JOIN push.slice s ON s.stream = t.id
         WHERE t.run = local_progress.run;
    END IF;
    IF NOT push.rests(this) THEN
        RETURN;
    END IF;
    SELECT o.at, o.at > o.release_at AS by_window INTO next
      FROM (SELECT z.release_at,
                   CASE
                       WHEN this.send_window IS NULL THEN z.release_at
                       ELSE push.window_opens(
                                this.send_window, coalesce(z.zone, this.send_window ->> 'zone'), greatest(z.release_at, now_at))
                   END AS at
              FROM (SELECT DISTINCT t.zone, t.release_at FROM push.stream t WHERE t.run = this.id AND t.done_at IS NULL) z) o
     ORDER BY o.at
     LIMIT 1;
    waits_until := next.at;
    waits_for := CASE WHEN next.by_window THEN 'window' WHEN next.at IS NOT NULL THEN 'zone' END;
END $$;
COMMENT ON FUNCTION push.local_progress IS
    'What push.run_progress shows of zones and windows. Only for push.progress_of_run.';

CREATE FUNCTION push.check_local(known push.campaign, spec json)
RETURNS TABLE (level text, about text, finding text, hint text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    is_local constant boolean := push.is_local(spec);
    is_of_tags constant boolean := coalesce(
        spec -> 'audience' -> 'view', spec -> 'audience' -> 'list', spec -> 'audience' -> 'handles') IS NULL;
    home constant text := push.home_zone(spec) #>> '{}';
    shut constant json := spec -> 'window';
    spent constant interval := (spec ->> 'expires')::interval;
    wall timestamp;
    parts record;
    hit record;
    takes interval;
    recipients bigint;
BEGIN
    IF NOT is_local AND shut IS NULL THEN
        RETURN;
    END IF;
    recipients := (
        SELECT sum(push.estimate_audience(
                       spec -> 'audience',
                       CASE WHEN h.localization = 'tags' THEN cardinality(push.locales_of(spec -> 'content')) ELSE 0 END))
          FROM push.hub h
         WHERE h.name IN (SELECT e.value #>> '{}' FROM json_array_elements(spec -> 'hubs') e));
    takes := make_interval(secs => coalesce(
        recipients / (spec ->> 'rate')::double precision, extract(epoch FROM (spec ->> 'spread')::interval), 0));
    IF NOT is_local THEN
        SELECT ARRAY[coalesce(shut ->> 'zone', home)] AS zones INTO parts;
        wall := coalesce(nullif(known.next_at, '-infinity'), clock_timestamp()) AT TIME ZONE parts.zones[1];
    ELSE
        wall := CASE
                    WHEN spec -> 'local' -> 'time' IS NOT NULL
                    THEN (clock_timestamp() AT TIME ZONE home)::date + 1 + (spec -> 'local' ->> 'time')::time
                    ELSE nullif(known.next_at, '-infinity') AT TIME ZONE 'Pacific/Kiritimati'
                END;
        BEGIN
            SELECT array_agg(DISTINCT p.zone) AS zones, array_agg(p.part) FILTER (WHERE NOT p.zone_known) AS unknown,
                   count(*) FILTER (WHERE NOT p.zone_known) AS strange
              INTO parts
              FROM push.parts_of_audience(spec) p;
        EXCEPTION WHEN program_limit_exceeded THEN
            RETURN QUERY SELECT 'error', 'local.zones', SQLERRM, 'The column holds names such as Europe/Berlin, or null.';
            RETURN;
        END;
        RETURN QUERY
        SELECT 'info', 'local',
               format('%s time zones', cardinality(parts.zones))
               || coalesce((SELECT format(': it begins at %s and the last zone at %s',
                                          push.iso(min(push.instant_of(wall, u.zone))), push.iso(max(push.instant_of(wall, u.zone))))
                              FROM unnest(parts.zones) u(zone)
                             WHERE wall IS NOT NULL
                            HAVING count(*) > 0), ''), NULL;
        IF parts.strange > 0 THEN
            RETURN QUERY
            SELECT 'warning', 'local.zones',
                   format('has values of time_zone that are not zones of it: %s, such as %s', parts.strange,
                          coalesce(to_json(left((array_remove(parts.unknown, NULL))[1], 60))::text, 'null')),
                   format('Their recipients get it at the time of %s.', home);
        END IF;
        IF is_of_tags THEN
            RETURN QUERY
            SELECT 'warning', 'local.zones', 'devices that have the tag of none of these zones are not reached',
                   'A tag expression cannot say "and none of these": it has at most 6 tags.';
        ELSIF spec -> 'audience' -> 'view' IS NOT NULL AND push.audience_zone_sorts(spec -> 'audience' ->> 'view') THEN
            RETURN QUERY
            SELECT 'warning', 'audience.view', 'has no index (time_zone, key): every slice of a zone reads or sorts more than its rows',
                   'CREATE INDEX ON the table beneath it, with the columns that are time_zone and key.';
        END IF;
        IF takes > interval '1 day' THEN
            RETURN QUERY
            SELECT 'warning', 'rate', format('%s recipients take %s, longer than a day', recipients, date_trunc('minute', takes)),
                   'The time of the first zones comes again before the last have it: raise the rate.';
        END IF;
        SELECT count(*) FILTER (WHERE i.at >= i.first + (spec ->> 'maxDuration')::interval) AS late, count(*) AS zones INTO hit
          FROM (SELECT push.instant_of(wall, u.zone) AS at, min(push.instant_of(wall, u.zone)) OVER () AS first
                  FROM unnest(parts.zones) u(zone)) i;
        IF hit.late > 0 THEN
            RETURN QUERY
            SELECT 'warning', 'maxDuration', format('ends the run before the time of %s of %s zones', hit.late, hit.zones),
                   'It counts from the first zone; the last comes up to 26 hours later.';
        END IF;
    END IF;
    IF shut IS NULL OR wall IS NULL THEN
        RETURN;
    END IF;
    SELECT count(*) AS zones,
           count(*) FILTER (WHERE w.opens > i.at) AS shut,
           count(*) FILTER (WHERE w.opens >= i.at + spent OR w.goes_on >= i.at + spent) AS spent,
           count(*) FILTER (WHERE w.goes_on > i.at + takes) AS broken
      INTO hit
      FROM unnest(parts.zones) u(zone),
           LATERAL (SELECT push.instant_of(wall, u.zone) AS at) i,
           LATERAL (SELECT push.window_opens(shut, u.zone, i.at) AS opens, push.window_opens(shut, u.zone, i.at + takes) AS goes_on) w;
    IF hit.shut > 0 AND shut ->> 'outside' = 'drop' THEN
        RETURN QUERY
        SELECT 'warning', 'window', format('is shut at that time in %s of %s zones: nobody there gets it', hit.shut, hit.zones),
               'Move the time or the window; "outside": "hold" waits for it.';
    ELSIF hit.shut > 0 THEN
        RETURN QUERY
        SELECT 'info', 'window', format('is shut at that time in %s of %s zones: they wait for it', hit.shut, hit.zones), NULL;
    ELSIF hit.broken > 0 AND shut ->> 'outside' = 'drop' THEN
        RETURN QUERY
        SELECT 'warning', 'window', format('ends before the rate is through in %s of %s zones: the rest gets nothing',
                                           hit.broken, hit.zones), 'Raise the rate, or begin earlier.';
    END IF;
    IF hit.spent > 0 AND shut ->> 'outside' IS DISTINCT FROM 'drop' THEN
        RETURN QUERY
        SELECT 'warning', 'expires', format('is over before the window opens again in %s of %s zones', hit.spent, hit.zones),
               'expires goes on counting while the window is shut: what is left then is sent to nobody.';
    END IF;
END $$;
COMMENT ON FUNCTION push.check_local IS
    'What push.check_campaign says of zones and windows. Only for it.';

SELECT push.grant_roles();

INSERT INTO push.migration (version, name, works_from) VALUES (68, 'local_delivery', 61);
