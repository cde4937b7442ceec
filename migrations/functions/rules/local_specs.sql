-- What a spec may say of everybody's own time zone.

CREATE OR REPLACE FUNCTION push_internal.is_local(spec json) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN spec -> 'local' IS NOT NULL OR coalesce(push.read_schedule(spec -> 'schedule') ->> 'local' = 'true', false);
COMMENT ON FUNCTION push_internal.is_local IS 'Whether a spec is sent in each recipient''s own zone.';

CREATE OR REPLACE FUNCTION push_internal.home_zone(spec json) RETURNS json
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(spec -> 'local' -> 'default', push.read_schedule(spec -> 'schedule') -> 'zone')
$$;
COMMENT ON FUNCTION push_internal.home_zone IS
    'The zone for recipients without one, and whose date a start by hand takes.';

CREATE OR REPLACE FUNCTION push_internal.tag_of_zone(form text, zone text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN replace(form, '{zone}', replace(zone, '/', '_'));
COMMENT ON FUNCTION push_internal.tag_of_zone IS
    'The tag of a hub for a time zone: of tz:{zone} and Europe/Paris it is tz:Europe_Paris, because a tag has no "/".';

CREATE OR REPLACE FUNCTION push_internal.parts_of_audience(spec json, list int DEFAULT NULL) RETURNS TABLE (zone text, part text, zone_known boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    most constant int := 400;
    zones constant json := spec -> 'local' -> 'zones';
    audience constant json := push_internal.pinned_audience(spec -> 'audience', list);
    listed constant text[] := CASE json_typeof(zones) WHEN 'array' THEN ARRAY(SELECT json_array_elements_text(zones)) END;
    found text[];
    known text[];
BEGIN
    IF coalesce(audience -> 'view', audience -> 'list', audience -> 'handles') IS NULL THEN
        RETURN QUERY SELECT DISTINCT u.zone, u.zone, true FROM unnest(listed) u(zone);
        RETURN;
    END IF;
    found := ARRAY(SELECT push_internal.zones_of_audience(audience, most + 1));
    IF cardinality(array_remove(found, NULL)) > most THEN
        RAISE EXCEPTION USING
            ERRCODE = 'program_limit_exceeded',
            MESSAGE = format('the audience has more than %s different time_zone, such as %s', most, to_json(left(found[1], 60))),
            HINT = 'There are fewer zones in the world: the column holds names such as Europe/Berlin, or null.';
    END IF;
    known := ARRAY(
        SELECT n.name
          FROM pg_timezone_names n
         WHERE n.name = ANY (found) AND push_internal.is_zone_name(n.name) AND (listed IS NULL OR n.name = ANY (listed)));
    RETURN QUERY
    SELECT CASE WHEN k.is_known THEN u.part ELSE push_internal.home_zone(spec) #>> '{}' END, u.part, k.is_known
      FROM unnest(CASE WHEN found = '{}' THEN '{NULL}' ELSE found END) u(part),
           LATERAL (SELECT coalesce(u.part = ANY (known), false) AS is_known) k;
END $$;
COMMENT ON FUNCTION push_internal.parts_of_audience IS
    'The streams that a local run has on each hub, as in push.stream: one for each time zone. For tags part is the '
    'zone, and not yet its tag. Raises for more than 400. list: of a run that began with it.';

CREATE OR REPLACE FUNCTION push_internal.wrong_zones(spec json) RETURNS push.problem
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
            RETURN push_internal.spec_problem('local.zones', 'is neither "audience" nor a list of 1 to 400 zones',
                                     'Write ["Europe/Berlin", "America/New_York"].');
        END IF;
        SELECT p.* INTO problem
          FROM json_array_elements(zones) WITH ORDINALITY z(zone, n), push_internal.wrong_zone('local.zones', z.zone) p
         WHERE NOT p IS NULL
         ORDER BY z.n
         LIMIT 1;
        IF NOT problem IS NULL THEN
            RETURN problem;
        END IF;
    END IF;
    IF audience -> 'view' IS NOT NULL THEN
        IF NOT push_internal.audience_has_zone(audience ->> 'view') THEN
            RETURN push_internal.spec_problem('audience.view', 'has no column "time_zone" of type text',
                                     'It holds names such as Europe/Berlin; docs/campaigns.md has a recipe.');
        END IF;
        RETURN NULL;
    ELSIF audience -> 'list' IS NOT NULL OR audience -> 'handles' IS NOT NULL THEN
        RETURN NULL;
    ELSIF zones IS NULL OR json_typeof(zones) <> 'array' THEN
        RETURN push_internal.spec_problem('local.zones', 'is not a list, and tags do not say which zones there are',
                                 'Write ["Europe/Berlin", "America/New_York"].');
    END IF;
    FOR hub IN
        SELECT h.*
          FROM push.hub h
         WHERE h.name IN (SELECT e.value #>> '{}' FROM json_array_elements(spec -> 'hubs') e)
         ORDER BY h.name
    LOOP
        IF hub.settings ->> 'zoneTag' IS NULL THEN
            RETURN push_internal.spec_problem('local', format('needs zoneTag of hub %s, because the audience is of tags', hub.name),
                                     format('Set hubs.%s.zoneTag to "tz:{zone}" and run fanfare migrate up.', hub.name));
        END IF;
        FOR tag IN
            SELECT r.tag
              FROM json_array_elements_text(zones) z(zone),
                   push_internal.recipients(audience, '{}', NULL, 10000, push_internal.tag_of_zone(hub.settings ->> 'zoneTag', z.zone)) r
        LOOP
            problem := push_internal.wrong_tag_of_hub(hub, tag);
            IF NOT problem IS NULL THEN
                RETURN push_internal.spec_problem('audience', format('becomes %s, which %s', tag,
                                                            replace(problem.message, 'push.message.tag ', '')), problem.hint);
            END IF;
        END LOOP;
    END LOOP;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.wrong_zones IS
    'What is wrong with the zones of a local spec and its audience; null: nothing.';

CREATE OR REPLACE FUNCTION push_internal.wrong_local(spec json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this constant json := spec -> 'local';
    by_schedule constant boolean := coalesce(push.read_schedule(spec -> 'schedule') ->> 'local' = 'true', false);
    problem push.problem;
BEGIN
    IF this IS NOT NULL AND json_typeof(this) <> 'object' THEN
        RETURN push_internal.spec_problem('local', 'is not an object', 'Write {"time": "09:00", "default": "Europe/Berlin"}.');
    END IF;
    problem := coalesce(
        push_internal.unknown_member('local', this, '{time,zones,default,passed}'),
        CASE
            WHEN this -> 'time' IS NULL AND this IS NOT NULL AND NOT by_schedule
                THEN push_internal.spec_problem('local.time', 'is missing', 'Write "09:00"; or set "local" of the schedule to true.')
            WHEN this -> 'time' IS NOT NULL AND by_schedule
                THEN push_internal.spec_problem('local.time', 'stands beside "local" of the schedule',
                                       'One of the two: a local schedule names the time itself.')
            WHEN this -> 'time' IS NOT NULL AND coalesce(this ->> 'time', '') !~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'
                THEN push_internal.spec_problem('local.time', format('is %s, not a time of day', left((this -> 'time')::text, 60)),
                                       'From "00:00" to "23:59".')
            WHEN this -> 'passed' IS NOT NULL AND coalesce(this ->> 'passed', '') NOT IN ('now', 'skip')
                THEN push_internal.spec_problem('local.passed', 'is neither "now" nor "skip"', 'Leave it out for now.')
        END,
        push_internal.wrong_window(spec), push_internal.wrong_interval('ramp', spec -> 'ramp'),
        CASE WHEN spec -> 'ramp' IS NOT NULL AND coalesce(spec -> 'rate', spec -> 'spread') IS NULL
             THEN push_internal.spec_problem('ramp', 'needs a rate', 'Add "rate": 2000, or "spread": "2 h".') END);
    IF NOT problem IS NULL OR NOT push_internal.is_local(spec) THEN
        RETURN problem;
    END IF;
    RETURN coalesce(push_internal.wrong_zone('local.default', push_internal.home_zone(spec)), push_internal.wrong_zones(spec));
END $$;
COMMENT ON FUNCTION push_internal.wrong_local IS 'What is wrong with local, window and ramp of a spec; null: nothing.';

CREATE OR REPLACE FUNCTION push_internal.check_window(spec json, zones text[], wall timestamp, takes interval)
RETURNS TABLE (level text, about text, finding text, hint text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    shut constant json := spec -> 'window';
    spent constant interval := (spec ->> 'expires')::interval;
    hit record;
BEGIN
    IF shut IS NULL OR wall IS NULL THEN
        RETURN;
    END IF;
    SELECT count(*) AS zones,
           count(*) FILTER (WHERE w.opens > i.at) AS shut,
           count(*) FILTER (WHERE w.opens >= i.at + spent OR w.goes_on >= i.at + spent) AS spent,
           count(*) FILTER (WHERE w.goes_on > i.at + takes) AS broken
      INTO hit
      FROM unnest(check_window.zones) u(zone),
           LATERAL (SELECT push_internal.instant_of(wall, u.zone) AS at) i,
           LATERAL (SELECT push_internal.window_opens(shut, u.zone, i.at) AS opens, push_internal.window_opens(shut, u.zone, i.at + takes) AS goes_on) w;
    IF hit.shut > 0 AND shut ->> 'outside' = 'drop' THEN
        RETURN QUERY
        SELECT 'warning', 'window', format('is shut at that time in %s of %s zones: nobody there gets it', hit.shut, hit.zones),
               'Move the time or the window; "outside": "hold" waits for it.';
    ELSIF hit.shut > 0 THEN
        RETURN QUERY
        SELECT 'info', 'window', format('is shut at that time in %s of %s zones: they wait for it', hit.shut, hit.zones), NULL;
    ELSIF hit.broken > 0 AND shut ->> 'outside' = 'drop'
          -- push_internal.check_sums reports a run that never fits.
          AND (push_internal.is_local(spec) OR takes <= make_interval(secs => push_internal.seconds_open(shut))) THEN
        RETURN QUERY
        SELECT 'warning', 'window', format('ends before all are sent at this rate in %s of %s zones: the rest gets nothing',
                                           hit.broken, hit.zones), 'Raise the rate, or begin earlier.';
    END IF;
    IF hit.spent > 0 AND shut ->> 'outside' IS DISTINCT FROM 'drop' THEN
        RETURN QUERY
        SELECT 'warning', 'expires', format('is over before the window opens again in %s of %s zones', hit.spent, hit.zones),
               'expires goes on counting while the window is shut: what is left then is sent to nobody.';
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.check_window IS
    'What push.check_campaign says of the window of a spec, in the zones in which its run begins at a time on the '
    'wall and takes so long.';

CREATE OR REPLACE FUNCTION push_internal.check_passed_zones(spec json, recipients bigint, is_next boolean)
RETURNS TABLE (level text, about text, finding text, hint text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    most constant bigint := 1000000;           -- whom counting one by one would take too long
    wall constant timestamp := push_internal.wall_time_of_run(spec, NULL);
    is_left_out constant boolean := coalesce(spec -> 'local' ->> 'passed' = 'skip', false);
    audience constant json := spec -> 'audience';
    hit record;
BEGIN
    SELECT count(DISTINCT p.zone) AS zones, count(DISTINCT p.zone) FILTER (WHERE p.is_past) AS past,
           sum(CASE
                   WHEN NOT p.is_past OR check_passed_zones.recipients > most THEN NULL
                   WHEN audience -> 'view' IS NOT NULL THEN push_internal.audience_rest(audience ->> 'view', true, p.part, NULL)
                   WHEN audience -> 'list' IS NOT NULL OR audience -> 'handles' IS NOT NULL THEN (
                       SELECT count(*)
                         FROM push.list l
                              JOIN push.list_member m ON m.list = l.id
                        WHERE l.name = coalesce(audience ->> 'list', audience -> 'handles' ->> 'list')
                          AND m.time_zone IS NOT DISTINCT FROM p.part)
               END) AS people
      INTO hit
      FROM (SELECT a.zone, a.part, push_internal.instant_of(wall, a.zone) < clock_timestamp() - interval '1 min' AS is_past
              FROM push_internal.parts_of_audience(spec) a) p;
    IF hit.past > 0 THEN
        RETURN QUERY
        SELECT CASE WHEN is_next THEN 'warning' ELSE 'info' END, 'local.time',
               format('if started now: %s of %s zones are past, %s %s', hit.past, hit.zones,
                      coalesce(to_char(hit.people, 'FM999,999,999'), 'their recipients'),
                      CASE WHEN is_left_out THEN 'are left out' ELSE 'get it at once' END),
               CASE WHEN is_left_out THEN 'Start it earlier, or leave "passed" out to send to them at once.'
                    ELSE 'Start it earlier, or set "passed": "skip" to leave them out.' END;
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.check_passed_zones IS
    'What push.check_campaign says of zones where local.time is past for a run that starts now. is_next: that is how it '
    'starts, not by a schedule.';

CREATE OR REPLACE FUNCTION push_internal.check_local(known push.campaign, spec json)
RETURNS TABLE (level text, about text, finding text, hint text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    is_local constant boolean := push_internal.is_local(spec);
    is_of_tags constant boolean := coalesce(
        spec -> 'audience' -> 'view', spec -> 'audience' -> 'list', spec -> 'audience' -> 'handles') IS NULL;
    home constant text := push_internal.home_zone(spec) #>> '{}';
    shut constant json := spec -> 'window';
    by_hand constant boolean := spec -> 'local' -> 'time' IS NOT NULL;
    next_at constant timestamptz := nullif(known.next_at, '-infinity');
    starts constant timestamptz := coalesce(next_at, clock_timestamp());
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
        SELECT sum(push_internal.estimate_audience(
                       spec -> 'audience',
                       CASE WHEN h.localization = 'tags' THEN cardinality(push_internal.locales_of(spec -> 'content')) ELSE 0 END))
          FROM push.hub h
         WHERE h.name IN (SELECT e.value #>> '{}' FROM json_array_elements(spec -> 'hubs') e));
    takes := make_interval(secs => coalesce(
        recipients / (spec ->> 'rate')::double precision, extract(epoch FROM (spec ->> 'spread')::interval), 0));
    IF NOT is_local THEN
        SELECT ARRAY[coalesce(shut ->> 'zone', home)] AS zones INTO parts;
        wall := starts AT TIME ZONE parts.zones[1];
    ELSE
        IF by_hand OR next_at IS NOT NULL THEN
            wall := push_internal.wall_time_of_run(spec, push_internal.key_of_time(next_at), starts);
        END IF;
        BEGIN
            SELECT array_agg(DISTINCT p.zone) AS zones, array_agg(p.part) FILTER (WHERE NOT p.zone_known) AS unknown,
                   count(*) FILTER (WHERE NOT p.zone_known) AS strange
              INTO parts
              FROM push_internal.parts_of_audience(spec) p;
        EXCEPTION WHEN program_limit_exceeded THEN
            RETURN QUERY SELECT 'error', 'local.zones', SQLERRM, 'The column holds names such as Europe/Berlin, or null.';
            RETURN;
        END;
        RETURN QUERY
        SELECT 'info', 'local',
               format('%s time zones', cardinality(parts.zones))
               || coalesce((SELECT format(': it begins at %s and the last zone at %s',
                                          push.iso(greatest(min(push_internal.instant_of(wall, u.zone)), starts)),
                                          push.iso(greatest(max(push_internal.instant_of(wall, u.zone)), starts)))
                              FROM unnest(parts.zones) u(zone)
                             WHERE wall IS NOT NULL
                            HAVING count(*) > 0), ''), NULL;
        IF by_hand THEN
            RETURN QUERY SELECT p.level, p.about, p.finding, p.hint FROM push_internal.check_passed_zones(spec, recipients, next_at IS NULL) p;
        END IF;
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
        ELSIF spec -> 'audience' -> 'view' IS NOT NULL AND push_internal.audience_zone_sorts(spec -> 'audience' ->> 'view') THEN
            RETURN QUERY
            SELECT 'warning', 'audience.view', 'has no index (time_zone, key): every slice of a zone reads or sorts more than its rows',
                   'CREATE INDEX ON the table beneath it, with the columns that are time_zone and key.';
        END IF;
        IF takes > interval '1 day' THEN
            RETURN QUERY
            SELECT 'warning', 'rate', format('%s recipients take %s, longer than a day', recipients, date_trunc('minute', takes)),
                   'The next day''s time arrives before the last zones are done: raise the rate.';
        END IF;
        SELECT count(*) FILTER (WHERE i.at >= i.first + (spec ->> 'maxDuration')::interval) AS late, count(*) AS zones INTO hit
          FROM (SELECT push_internal.instant_of(wall, u.zone) AS at, min(push_internal.instant_of(wall, u.zone)) OVER () AS first
                  FROM unnest(parts.zones) u(zone)) i;
        IF hit.late > 0 THEN
            RETURN QUERY
            SELECT 'warning', 'maxDuration', format('ends the run before the time of %s of %s zones', hit.late, hit.zones),
                   'It counts from the first zone; the last comes up to 26 hours later.';
        END IF;
    END IF;
    RETURN QUERY SELECT w.level, w.about, w.finding, w.hint FROM push_internal.check_window(spec, parts.zones, wall, takes) w;
END $$;
COMMENT ON FUNCTION push_internal.check_local IS 'What push.check_campaign says of zones and windows.';
