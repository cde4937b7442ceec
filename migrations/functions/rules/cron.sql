-- Lines of cron.

CREATE OR REPLACE FUNCTION push_internal.wrong_cron_field(field text, name text, lowest int, highest int, names text[]) RETURNS text
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
COMMENT ON FUNCTION push_internal.wrong_cron_field IS
    'What is wrong with one field of a line of cron; null: nothing. names: of the values from the lowest on.';

CREATE OR REPLACE FUNCTION push_internal.values_of_cron_field(field text, lowest int, highest int, names text[]) RETURNS int[]
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
COMMENT ON FUNCTION push_internal.values_of_cron_field IS 'The values that a field of cron without a mistake means.';

CREATE OR REPLACE FUNCTION push_internal.wrong_cron(line text) RETURNS text
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
    ELSIF words ~ '(^|[ \t])(every|each|first|second|third|fourth|last|fortnightly|biweekly)([ \t]|$)' THEN
        RETURN 'cron has no words for every second week, the first Friday or the last day: each time matches by itself';
    ELSIF cardinality(fields) <> 5 THEN
        RETURN format('it has %s, not 5: minute, hour, day, month, weekday%s',
                      CASE cardinality(fields) WHEN 1 THEN 'one field' ELSE cardinality(fields) || ' fields' END,
                      CASE WHEN cardinality(fields) IN (6, 7) THEN '; there are no seconds and no years' ELSE '' END);
    END IF;
    problem := coalesce(
        push_internal.wrong_cron_field(fields[1], 'minute', 0, 59, NULL), push_internal.wrong_cron_field(fields[2], 'hour', 0, 23, NULL),
        push_internal.wrong_cron_field(fields[3], 'day', 1, 31, NULL), push_internal.wrong_cron_field(fields[4], 'month', 1, 12, months),
        push_internal.wrong_cron_field(fields[5], 'weekday', 0, 7, days));
    -- Where both day fields are given, either will do; one that begins with * is not given.
    IF problem IS NULL AND fields[3] NOT LIKE '*%' AND fields[5] LIKE '*%' THEN
        IF (push_internal.values_of_cron_field(fields[3], 1, 31, NULL))[1] > (
               SELECT max(('{31,29,31,30,31,30,31,31,30,31,30,31}'::int[])[m])
                 FROM unnest(push_internal.values_of_cron_field(fields[4], 1, 12, months)) m)
        THEN
            RETURN 'it never starts: none of its months has that day';
        END IF;
    END IF;
    RETURN problem;
END $$;
COMMENT ON FUNCTION push_internal.wrong_cron IS
    'What is wrong with a line of cron, in words; null: nothing. As Debian''s cron reads it.';
