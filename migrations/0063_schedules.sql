-- Fanfare, migration 63: What a schedule of a campaign may be, as people write it.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.wrong_cron_field(field text, name text, lowest int, highest int, names text[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    item text;
    part text[];
    ends int[];
    word text;
BEGIN
    IF field ~ '[#?]' OR field ~* '(^|,)l|[0-9][lw]' THEN
        RETURN format('%s: %s is not cron''s: L, W, # and ? come from other schedulers', name, to_json(field));
    END IF;
    FOREACH item IN ARRAY string_to_array(lower(field), ',') LOOP
        part := regexp_match(item, '^(\*|([0-9]{1,9}|[a-z]{3})(-([0-9]{1,9}|[a-z]{3}))?)(/([0-9]{1,9}))?$');
        IF part IS NULL THEN
            RETURN format('%s: %s is neither a value, a range, * nor a step of one', name, to_json(item));
        ELSIF part[6]::int = 0 THEN
            RETURN format('%s: a step of 0 never comes', name);
        ELSIF part[5] IS NOT NULL AND part[1] <> '*' AND part[3] IS NULL THEN
            RETURN format('%s: a step wants a range: write %s-%s%s', name, part[2], highest, part[5]);
        ELSIF part[1] = '*' THEN
            CONTINUE;
        END IF;
        ends := '{}';
        FOREACH word IN ARRAY ARRAY[part[2], coalesce(part[4], part[2])] LOOP
            ends := ends || CASE WHEN word ~ '^[0-9]' THEN word::int ELSE array_position(names, word) - 1 + lowest END;
            IF ends[cardinality(ends)] IS NULL OR ends[cardinality(ends)] NOT BETWEEN lowest AND highest THEN
                RETURN format('%s: %s is not %s to %s', name, to_json(word), lowest, highest);
            END IF;
        END LOOP;
        IF ends[1] > ends[2] THEN
            RETURN format('%s: %s runs backwards', name, to_json(item));
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push.wrong_cron_field IS
    'What is wrong with one field of a line of cron; null: nothing. names: of the values from the lowest on. Only for '
    'push.wrong_cron.';

CREATE FUNCTION push.values_of_cron_field(field text, lowest int, highest int, names text[]) RETURNS int[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(DISTINCT v ORDER BY v)
      FROM unnest(string_to_array(lower(field), ',')) item,
           LATERAL regexp_match(item, '^(\*|([^-/*]+)(-([^/]+))?)(/(.+))?$') part,
           LATERAL (
               SELECT CASE WHEN part[1] = '*' THEN lowest
                           WHEN part[2] ~ '^[0-9]' THEN part[2]::int
                           ELSE array_position(names, part[2]) - 1 + lowest
                      END AS first,
                      CASE WHEN part[1] = '*' THEN highest
                           WHEN coalesce(part[4], part[2]) ~ '^[0-9]' THEN coalesce(part[4], part[2])::int
                           ELSE array_position(names, coalesce(part[4], part[2])) - 1 + lowest
                      END AS last) ends,
           LATERAL generate_series(ends.first, ends.last, coalesce(part[6]::int, 1)) v
$$;
COMMENT ON FUNCTION push.values_of_cron_field IS
    'The values that a field of cron without a mistake means. Only for push.wrong_cron.';

CREATE FUNCTION push.wrong_cron(line text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    months constant text[] := '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}';
    days constant text[] := '{sun,mon,tue,wed,thu,fri,sat}';
    words constant text := lower(btrim(line, E' \t'));
    fields constant text[] := regexp_split_to_array(btrim(line, E' \t'), '[ \t]+');
    problem text;
BEGIN
    IF length(line) > 500 THEN
        RETURN 'the line has more than 500 characters';
    ELSIF words IN ('@hourly', '@daily', '@midnight', '@weekly', '@monthly', '@yearly', '@annually') THEN
        RETURN NULL;
    ELSIF words = '@reboot' THEN
        RETURN '@reboot: a campaign does not start because a machine does';
    ELSIF words ~ '^@' THEN
        RETURN format('%s is not known; known: @hourly, @daily, @weekly, @monthly, @yearly', to_json(left(line, 60)));
    ELSIF cardinality(fields) <> 5 THEN
        RETURN format('it has %s, not 5: minute, hour, day, month, weekday%s',
                      CASE cardinality(fields) WHEN 1 THEN 'one field' ELSE cardinality(fields) || ' fields' END,
                      CASE WHEN cardinality(fields) IN (6, 7) THEN '; there are no seconds and no years' ELSE '' END);
    END IF;
    problem := coalesce(
        push.wrong_cron_field(fields[1], 'minute', 0, 59, NULL), push.wrong_cron_field(fields[2], 'hour', 0, 23, NULL),
        push.wrong_cron_field(fields[3], 'day', 1, 31, NULL), push.wrong_cron_field(fields[4], 'month', 1, 12, months),
        push.wrong_cron_field(fields[5], 'weekday', 0, 7, days));
    -- Where both day fields are given, either will do; one that begins with * is not given.
    IF problem IS NULL AND fields[3] NOT LIKE '*%' AND fields[5] LIKE '*%' THEN
        IF (push.values_of_cron_field(fields[3], 1, 31, NULL))[1] > (
               SELECT max(('{31,29,31,30,31,30,31,31,30,31,30,31}'::int[])[m])
                 FROM unnest(push.values_of_cron_field(fields[4], 1, 12, months)) m)
        THEN
            RETURN 'it never comes: none of its months has that day';
        END IF;
    END IF;
    RETURN problem;
END $$;
COMMENT ON FUNCTION push.wrong_cron IS
    'What is wrong with a line of cron, in words; null: nothing. As Debian''s cron reads it. Only for other functions.';

CREATE FUNCTION push.wrong_zone(path text, zone json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF zone IS NULL THEN
        RETURN push.spec_problem(path, 'is missing', 'Write "Europe/Berlin", or "UTC".');
    ELSIF json_typeof(zone) <> 'string' OR zone #>> '{}' !~ '^([A-Z][A-Za-z_-]*(/[A-Za-z_-]+){1,2}|Etc/GMT([+-]?[0-9]{1,2})?|UTC)$' THEN
        RETURN push.spec_problem(
            path, format('is %s, not the name of a time zone', left(zone::text, 60)),
            'Write region and city, such as "Europe/Berlin", or "UTC". Abbreviations such as CET mean several zones.');
    END IF;
    PERFORM clock_timestamp() AT TIME ZONE (zone #>> '{}');
    RETURN NULL;
EXCEPTION WHEN invalid_parameter_value THEN
    RETURN push.spec_problem(
        path, format('is %s, and there is no such time zone', left(zone::text, 60)),
        coalesce('Do you mean '
                 || push.nearest(zone #>> '{}', ARRAY(SELECT z.name FROM pg_timezone_names z WHERE z.name LIKE '%/%' ORDER BY 1))
                 || '?',
                 'Write region and city, such as "Europe/Berlin".'));
END $$;
COMMENT ON FUNCTION push.wrong_zone IS 'The problem of a time zone in a spec; null: none. Only for other functions.';

CREATE FUNCTION push.wrong_moment(path text, moment json, zone json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    form constant text := '^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?)?(Z|[+-][0-9]{2}:[0-9]{2})?$';
BEGIN
    IF moment IS NULL THEN
        RETURN NULL;
    ELSIF json_typeof(moment) <> 'string' OR moment #>> '{}' !~ form THEN
        RETURN push.spec_problem(path, format('is %s, not a time', left(moment::text, 60)),
                                 'Write "2027-03-01T09:00:00+01:00", or "2027-03-01T09:00" in the zone beside it.');
    ELSIF moment #>> '{}' !~ '(Z|[+-][0-9]{2}:[0-9]{2})$' AND zone IS NULL THEN
        RETURN push.spec_problem(path, 'has neither an offset nor a zone beside it', 'Add "zone": "Europe/Berlin".');
    END IF;
    PERFORM (moment #>> '{}')::timestamptz;
    RETURN NULL;
EXCEPTION WHEN datetime_field_overflow OR invalid_datetime_format THEN
    RETURN push.spec_problem(path, format('is %s, and there is no such day or hour', left(moment::text, 60)),
                             'Is the month that long? Hours go from 00 to 23.');
END $$;
COMMENT ON FUNCTION push.wrong_moment IS 'The problem of a time in a spec; null: none. Only for other functions.';

CREATE FUNCTION push.read_schedule(schedule json) RETURNS json
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
    'zone. Only for other functions.';

CREATE FUNCTION push.zone_of_schedule(schedule json) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN schedule ->> 'local' = 'true' THEN 'Pacific/Kiritimati' ELSE schedule ->> 'zone' END;
COMMENT ON FUNCTION push.zone_of_schedule IS
    'Whose clocks a schedule follows. One that is meant in everybody''s own zone opens where a day begins first, at '
    'UTC+14. Only for other functions.';

CREATE FUNCTION push.wrong_schedule(given json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    schedule constant json := push.read_schedule(given);
    zone constant json := to_json(push.zone_of_schedule(schedule));
    problem text;
BEGIN
    IF schedule IS NULL THEN
        RETURN NULL;
    ELSIF json_typeof(schedule) <> 'object' THEN
        RETURN push.spec_problem('schedule', 'is no object', 'Write {"cron": "0 9 * * 1-5", "zone": "Europe/Berlin"}.');
    ELSIF (schedule -> 'cron' IS NULL) = (schedule -> 'at' IS NULL) THEN
        RETURN push.spec_problem('schedule', 'has ' || CASE WHEN schedule -> 'at' IS NULL THEN 'neither' ELSE 'both' END
                                 || ' cron and at', 'One of the two: "cron" for again and again, "at" for once.');
    ELSIF schedule -> 'cron' IS NOT NULL THEN
        problem := CASE json_typeof(schedule -> 'cron')
                       WHEN 'string' THEN push.wrong_cron(schedule ->> 'cron')
                       ELSE 'it is no text'
                   END;
        IF problem IS NOT NULL THEN
            RETURN push.spec_problem('schedule.cron', format('is %s: %s', left((schedule -> 'cron')::text, 60), problem),
                                     'fanfare schedule next says what a line means.');
        END IF;
    END IF;
    RETURN coalesce(
        push.unknown_member('schedule', schedule, '{cron,at,zone,jitter,overlap,misfire,catchUp,from,until,pauseOnFailure,'
                                                 'local}'),
        push.wrong_moment('schedule.at', schedule -> 'at', zone),
        push.wrong_moment('schedule.from', schedule -> 'from', zone),
        push.wrong_moment('schedule.until', schedule -> 'until', zone),
        push.wrong_interval('schedule.jitter', schedule -> 'jitter'),
        push.wrong_interval('schedule.catchUp', schedule -> 'catchUp'),
        CASE
            WHEN json_typeof(schedule -> 'local') <> 'boolean'
                THEN push.spec_problem('schedule.local', 'is neither true nor false',
                                       'true: its times are meant in each recipient''s zone.')
            WHEN schedule ->> 'local' = 'true' AND schedule ->> 'at' ~ '(Z|[+-][0-9]{2}:[0-9]{2})$'
                THEN push.spec_problem('schedule.at', 'has an offset, and is meant in each recipient''s zone',
                                       'Leave the offset out: "2027-03-01T09:00".')
            WHEN (schedule ->> 'jitter')::interval > interval '1 day'
                THEN push.spec_problem('schedule.jitter', 'is longer than a day',
                                       'It spreads the starts of one time, such as "5 min".')
            WHEN (schedule ->> 'catchUp')::interval > interval '7 days'
                THEN push.spec_problem('schedule.catchUp', 'is longer than 7 days',
                                       'fanfare campaign backfill starts what is older.')
            WHEN (schedule ->> 'overlap') NOT IN ('skip', 'queue', 'cancel', 'allow')
                THEN push.spec_problem('schedule.overlap', 'is none of skip, queue, cancel, allow', 'Leave it out for skip.')
            WHEN (schedule ->> 'misfire') NOT IN ('skip', 'once', 'all')
                THEN push.spec_problem('schedule.misfire', 'is none of skip, once, all', 'Leave it out for once.')
        END,
        push.wrong_number('schedule.pauseOnFailure', schedule -> 'pauseOnFailure', 0, 1));
END $$;
COMMENT ON FUNCTION push.wrong_schedule IS
    'What is wrong with the schedule of a spec, but for its zone; null: nothing. Only for push.wrong_members.';

CREATE FUNCTION push.wrong_zone_of_schedule(given json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    schedule constant json := push.read_schedule(given);
BEGIN
    IF schedule -> 'zone' IS NULL AND schedule -> 'cron' IS NULL THEN
        RETURN NULL;
    END IF;
    RETURN push.wrong_zone('schedule.zone', coalesce(schedule -> 'zone', to_json(push.zone_of_schedule(schedule))));
END $$;
COMMENT ON FUNCTION push.wrong_zone_of_schedule IS
    'What is wrong with the zone of a spec''s schedule; null: nothing, or it has none. Only for push.wrong_references.';

INSERT INTO push.migration (version, name, works_from) VALUES (63, 'schedules', 61);
