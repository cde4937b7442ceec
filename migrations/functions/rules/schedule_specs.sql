-- What a schedule of a campaign may be, as people write it.

CREATE OR REPLACE FUNCTION push_internal.is_zone_name(name text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN name COLLATE "C" ~ ('^([A-Z][A-Za-z_-]*(/[A-Za-z_-]+){1,2}|Etc/GMT([+-]?[0-9]{1,2})?|UTC|UCT|Universal|Zulu|GMT([+-]?0)?|'
                           'Greenwich|Cuba|Egypt|Eire|GB(-Eire)?|Hongkong|Iceland|Iran|Israel|Jamaica|Japan|Kwajalein|Libya|Mexico|'
                           'NZ(-CHAT)?|Navajo|Poland|Portugal|PRC|ROC|ROK|Singapore|Turkey|W-SU)$');
COMMENT ON FUNCTION push_internal.is_zone_name IS
    'Whether a text looks like the name of a time zone: region and city, or one of the old names that mean one zone. CET, '
    'EST and their like follow one zone of several. TimeZoneName in Swift takes the same.';

CREATE OR REPLACE FUNCTION push_internal.wrong_zone(path text, zone json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF zone IS NULL THEN
        RETURN push_internal.spec_problem(path, 'is missing', 'Write "Europe/Berlin", or "UTC".');
    ELSIF json_typeof(zone) <> 'string' OR NOT push_internal.is_zone_name(zone #>> '{}') THEN
        RETURN push_internal.spec_problem(
            path, format('is %s, not the name of a time zone', left(zone::text, 60)),
            'Write region and city, such as "Europe/Berlin", or "UTC". Abbreviations such as CET mean several zones.');
    END IF;
    PERFORM clock_timestamp() AT TIME ZONE (zone #>> '{}');
    -- PostgreSQL ignores case, a worker reads a file of that name. Most names are looked up nowhere, because that takes 30 ms.
    IF zone #>> '{}' !~ '^([^/]+|Etc/GMT.*|[A-Z][a-z]{2,}(/[A-Z][a-z]{2,}([_-][A-Z][a-z]{2,})*)+)$'
       AND NOT EXISTS (SELECT FROM pg_timezone_names z WHERE z.name = zone #>> '{}') THEN
        RAISE invalid_parameter_value;
    END IF;
    RETURN NULL;
EXCEPTION WHEN invalid_parameter_value THEN
    RETURN push_internal.spec_problem(
        path, format('is %s, and there is no such time zone', left(zone::text, 60)),
        coalesce('Do you mean '
                 || push_internal.nearest_word(zone #>> '{}', ARRAY(SELECT z.name FROM pg_timezone_names z WHERE z.name LIKE '%/%' ORDER BY 1))
                 || '?',
                 'Write region and city, such as "Europe/Berlin".'));
END $$;
COMMENT ON FUNCTION push_internal.wrong_zone IS 'The problem of a time zone in a spec; null: none.';

CREATE OR REPLACE FUNCTION push_internal.wrong_moment(path text, moment json, zone json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    form constant text := '^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})?)?$';
BEGIN
    IF moment IS NULL THEN
        RETURN NULL;
    ELSIF json_typeof(moment) <> 'string' OR moment #>> '{}' !~ form THEN
        RETURN push_internal.spec_problem(path, format('is %s, not a time', left(moment::text, 60)),
                                 'Write "2027-03-01T09:00:00+01:00", or "2027-03-01T09:00" in the zone beside it.');
    ELSIF moment #>> '{}' !~ '(Z|[+-][0-9]{2}:[0-9]{2})$' AND zone IS NULL THEN
        RETURN push_internal.spec_problem(path, 'has neither an offset nor a zone beside it', 'Add "zone": "Europe/Berlin".');
    END IF;
    PERFORM (moment #>> '{}')::timestamptz;
    IF moment #>> '{}' ~ '^(0|1[0-8]|19[0-6])|[T ]24|:60' THEN      -- times for PostgreSQL, and not for OneOffTime in Swift
        RAISE datetime_field_overflow;
    END IF;
    RETURN NULL;
EXCEPTION WHEN datetime_field_overflow OR invalid_datetime_format OR invalid_time_zone_displacement_value THEN
    RETURN push_internal.spec_problem(path, format('is %s, and there is no such day or hour', left(moment::text, 60)),
                             'Is the month that long? Hours go from 00 to 23, seconds to 59, and years begin with 1970.');
END $$;
COMMENT ON FUNCTION push_internal.wrong_moment IS 'The problem of a time in a spec; null: none.';

CREATE OR REPLACE FUNCTION push.read_schedule(schedule json) RETURNS json
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    words text[];
    zone text;
    days text;
    times text[];
BEGIN
    IF schedule IS NULL OR json_typeof(schedule) <> 'string' THEN
        RETURN schedule;
    END IF;
    words := regexp_split_to_array(btrim(left(schedule #>> '{}', 500), E' \t'), '[ \t]+');
    -- A word too many, which no field of cron can be: 0 9 * * MON has no zone.
    IF cardinality(words) = (CASE WHEN words[2] LIKE '%:%' THEN 3 WHEN words[1] LIKE '@%' THEN 2 ELSE 6 END)
       AND words[cardinality(words)] ~* '^[a-z].*(/|[a-z]{2})'
       AND words[cardinality(words)] !~* '^(sun|mon|tue|wed|thu|fri|sat)$'
    THEN
        zone := words[cardinality(words)];
        words := words[:cardinality(words) - 1];
    END IF;
    IF cardinality(words) = 2 THEN
        times := ARRAY(SELECT t.part[2]::int::text FROM regexp_matches(words[2], '(^|,)([0-9]{1,2}):[0-9]{2}(?=,|$)', 'g') t(part));
        days := CASE
                    WHEN lower(words[1]) = 'daily' THEN '* * *'
                    WHEN lower(words[1]) = 'weekdays' THEN '* * 1-5'
                    WHEN lower(words[1]) = 'weekends' THEN '* * 6,0'
                    WHEN words[1] ~* '^[0-9]{1,2}(st|nd|rd|th)(,[0-9]{1,2}(st|nd|rd|th))*$'
                        THEN regexp_replace(words[1], '(st|nd|rd|th)', '', 'gi') || ' * *'
                    WHEN words[1] ~* '^[a-z]{3}([,-][a-z]{3})*$' THEN '* * ' || lower(words[1])
                END;
        IF days IS NOT NULL AND words[2] ~ '^[0-9]{1,2}:([0-9]{2})(,[0-9]{1,2}:\1)*$' THEN
            words := ARRAY[concat_ws(
                ' ', substring(words[2] FROM ':([0-9]{2})')::int::text, array_to_string(times, ','), days)];
        END IF;
    END IF;
    RETURN json_strip_nulls(json_build_object('cron', array_to_string(words, ' '), 'zone', zone));
END $$;
COMMENT ON FUNCTION push.read_schedule IS
    'The schedule of a spec as an object: "weekdays 07:00 Europe/Paris" and "0 7 * * 1-5 Europe/Paris" become cron and '
    'zone.';

CREATE OR REPLACE FUNCTION push.zone_of_schedule(schedule json) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN schedule ->> 'local' = 'true' THEN 'Pacific/Kiritimati' ELSE schedule ->> 'zone' END;
COMMENT ON FUNCTION push.zone_of_schedule IS
    'Whose clocks a schedule follows. One that is meant in everybody''s own zone opens where a day begins first, at '
    'UTC+14.';

CREATE OR REPLACE FUNCTION push_internal.wrong_schedule(given json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    schedule constant json := push.read_schedule(given);
    zone constant json := to_json(push.zone_of_schedule(schedule));
    problem text;
BEGIN
    IF schedule IS NULL THEN
        RETURN NULL;
    ELSIF json_typeof(schedule) <> 'object' THEN
        RETURN push_internal.spec_problem('schedule', 'is not an object', 'Write {"cron": "0 9 * * 1-5", "zone": "Europe/Berlin"}.');
    ELSIF (schedule -> 'cron' IS NULL) = (schedule -> 'at' IS NULL) THEN
        RETURN push_internal.spec_problem('schedule', 'has ' || CASE WHEN schedule -> 'at' IS NULL THEN 'neither' ELSE 'both' END
                                 || ' cron and at', 'One of the two: "cron" for again and again, "at" for once.');
    ELSIF schedule -> 'cron' IS NOT NULL THEN
        problem := CASE json_typeof(schedule -> 'cron')
                       WHEN 'string' THEN push_internal.wrong_cron(schedule ->> 'cron')
                       ELSE 'it is not a text'
                   END;
        IF problem IS NOT NULL THEN
            RETURN push_internal.spec_problem('schedule.cron', format('is %s: %s', left((schedule -> 'cron')::text, 60), problem),
                                     'fanfare schedule next says what a line means.');
        END IF;
    END IF;
    RETURN coalesce(
        push_internal.unknown_member('schedule', schedule, '{cron,at,zone,jitter,overlap,misfire,catchUp,from,until,pauseOnFailure,'
                                                 'local}'),
        push_internal.wrong_moment('schedule.at', schedule -> 'at', zone),
        push_internal.wrong_moment('schedule.from', schedule -> 'from', zone),
        push_internal.wrong_moment('schedule.until', schedule -> 'until', zone),
        push_internal.wrong_interval('schedule.jitter', schedule -> 'jitter'),
        push_internal.wrong_interval('schedule.catchUp', schedule -> 'catchUp'),
        CASE
            WHEN json_typeof(schedule -> 'local') <> 'boolean'
                THEN push_internal.spec_problem('schedule.local', 'is neither true nor false',
                                       'true: its times are meant in each recipient''s zone.')
            WHEN schedule ->> 'local' = 'true' AND schedule ->> 'at' ~ '(Z|[+-][0-9]{2}:[0-9]{2})$'
                THEN push_internal.spec_problem('schedule.at', 'has an offset, and is meant in each recipient''s zone',
                                       'Leave the offset out: "2027-03-01T09:00".')
            WHEN (schedule ->> 'jitter')::interval > interval '1 day'
                THEN push_internal.spec_problem('schedule.jitter', 'is longer than a day',
                                       'It spreads the starts of one time, such as "5 min".')
            WHEN (schedule ->> 'catchUp')::interval > interval '7 days'
                THEN push_internal.spec_problem('schedule.catchUp', 'is longer than 7 days',
                                       'fanfare schedule backfill starts what is older.')
            WHEN (schedule ->> 'overlap') NOT IN ('skip', 'queue', 'cancel', 'allow')
                THEN push_internal.spec_problem('schedule.overlap', 'is not one of skip, queue, cancel, allow',
                                       'Leave it out for skip; for allow where a local schedule comes daily.')
            WHEN (schedule ->> 'misfire') NOT IN ('skip', 'once', 'all')
                THEN push_internal.spec_problem('schedule.misfire', 'is not one of skip, once, all', 'Leave it out for once.')
        END,
        push_internal.wrong_number('schedule.pauseOnFailure', schedule -> 'pauseOnFailure', 0, 1));
END $$;
COMMENT ON FUNCTION push_internal.wrong_schedule IS
    'What is wrong with the schedule of a spec, but for its zone; null: nothing.';

CREATE OR REPLACE FUNCTION push_internal.instant_of_moment(moment text, zone text) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN CASE
           WHEN moment ~ '(Z|[+-][0-9]{2}:[0-9]{2})$' THEN moment::timestamptz
           ELSE moment::timestamp AT TIME ZONE zone
       END;
COMMENT ON FUNCTION push_internal.instant_of_moment IS
    'When a time of a spec is; one without an offset is meant in the zone beside it. Null: null.';

CREATE OR REPLACE FUNCTION push_internal.wrong_zone_of_schedule(given json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    schedule constant json := push.read_schedule(given);
    zone constant text := push.zone_of_schedule(schedule);
    problem push.problem;
    at timestamptz;
    first timestamptz;
    last timestamptz;
BEGIN
    IF schedule -> 'zone' IS NOT NULL OR schedule -> 'cron' IS NOT NULL THEN
        problem := push_internal.wrong_zone('schedule.zone', coalesce(schedule -> 'zone', to_json(zone)));
        IF NOT problem IS NULL THEN
            RETURN problem;
        END IF;
    END IF;
    at := push_internal.instant_of_moment(schedule ->> 'at', zone);
    first := push_internal.instant_of_moment(schedule ->> 'from', zone);
    last := push_internal.instant_of_moment(schedule ->> 'until', zone);
    RETURN CASE
        WHEN last < first
            THEN push_internal.spec_problem('schedule.until', format('is %s, before from, %s: it never starts',
                                                                     schedule -> 'until', schedule -> 'from'), 'Change them over.')
        WHEN at < first
            THEN push_internal.spec_problem('schedule.at', format('is %s, before from, %s: it never starts',
                                                                  schedule -> 'at', schedule -> 'from'), 'Leave from out.')
        WHEN at > last
            THEN push_internal.spec_problem('schedule.at', format('is %s, behind until, %s: it never starts',
                                                                  schedule -> 'at', schedule -> 'until'), 'Leave until out.')
    END;
END $$;
COMMENT ON FUNCTION push_internal.wrong_zone_of_schedule IS
    'What is wrong with the zone of a spec''s schedule, and with the order of its times in that zone; null: nothing, or it '
    'has none.';
