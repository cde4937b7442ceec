-- Windows of the day, and rates that grow.

-- AT TIME ZONE has another rule: a time that the clocks skip is read with the offset of before, and of two it takes the
-- second.
CREATE OR REPLACE FUNCTION push_internal.instant_of(wall timestamp, zone text) RETURNS timestamptz
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
COMMENT ON FUNCTION push_internal.instant_of IS
    'When the clocks of a zone show a time: the first instant if they show it twice, and the first instant after the '
    'jump if they skip it.';

CREATE OR REPLACE FUNCTION push_internal.days_of(days text) RETURNS int[]
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
COMMENT ON FUNCTION push_internal.days_of IS
    'The days of "mon-fri", "sat,sun" or "fri-mon" as 1 (Monday) to 7; null: it is none of these.';

CREATE OR REPLACE FUNCTION push_internal.is_in_window(send_window json, zone text, at timestamptz) RETURNS boolean
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
    RETURN send_window ->> 'days' IS NULL OR extract(isodow FROM day)::int = ANY (push_internal.days_of(send_window ->> 'days'));
END $$;
COMMENT ON FUNCTION push_internal.is_in_window IS
    'Whether the clocks of a zone show a time of a window: from counts, until does not. Over midnight the day is that'
    ' on which the window begins.';

CREATE OR REPLACE FUNCTION push_internal.window_opens(send_window json, zone text, at timestamptz) RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    starts constant time := coalesce(send_window ->> 'from', '00:00');
    opens timestamptz;
BEGIN
    IF push_internal.is_in_window(send_window, zone, at) THEN
        RETURN at;
    END IF;
    FOR n IN -1..14 LOOP                       -- a week, and one more: a zone may skip a day
        opens := push_internal.instant_of((at AT TIME ZONE zone)::date + n + starts, zone);
        IF opens >= at AND push_internal.is_in_window(send_window, zone, opens) THEN
            RETURN opens;
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION push_internal.window_opens IS
    'The first instant from a given one on at which a window is open; null: not within two weeks.';

CREATE OR REPLACE FUNCTION push_internal.wrong_window(spec json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this constant json := spec -> 'window';
BEGIN
    IF this IS NULL THEN
        RETURN NULL;
    ELSIF json_typeof(this) <> 'object' THEN
        RETURN push_internal.spec_problem('window', 'is not an object', 'Write {"from": "08:00", "until": "21:00"}.');
    END IF;
    RETURN coalesce(
        push_internal.unknown_member('window', this, '{from,until,days,outside,zone}'),
        CASE
            WHEN coalesce(this -> 'from', this -> 'until', this -> 'days') IS NULL
                THEN push_internal.spec_problem('window', 'has neither from, until nor days', 'Write {"from": "08:00", "until": "21:00"}.')
            WHEN this ->> 'from' !~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'
                THEN push_internal.spec_problem('window.from', format('is %s, not a time of day', left((this -> 'from')::text, 60)),
                                       'From "00:00" to "23:59".')
            WHEN this ->> 'until' !~ '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$'
                THEN push_internal.spec_problem('window.until', format('is %s, not a time of day', left((this -> 'until')::text, 60)),
                                       'From "00:01" to "24:00".')
            WHEN coalesce(this ->> 'from', '00:00') = coalesce(this ->> 'until', '24:00')
                 OR coalesce(this ->> 'from', '00:00') = '00:00' AND this ->> 'until' = '00:00'
                THEN push_internal.spec_problem('window', format('begins and ends at %s', this ->> 'until'),
                                       'Leave from and until out for the whole day. "22:00" to "06:00" goes over midnight.')
            WHEN this -> 'days' IS NOT NULL AND push_internal.days_of(this ->> 'days') IS NULL
                THEN push_internal.spec_problem('window.days', format('is %s, not days of the week', left((this -> 'days')::text, 60)),
                                       'Write "mon-sat", or "mon,wed,fri".')
            WHEN this -> 'outside' IS NOT NULL AND coalesce(this ->> 'outside', '') NOT IN ('hold', 'drop')
                THEN push_internal.spec_problem('window.outside', 'is neither "hold" nor "drop"', 'Leave it out for hold.')
            WHEN this -> 'zone' IS NOT NULL THEN push_internal.wrong_zone('window.zone', this -> 'zone')
            WHEN NOT push_internal.is_local(spec) AND push_internal.home_zone(spec) IS NULL THEN push_internal.wrong_zone('window.zone', NULL)
        END);
END $$;
COMMENT ON FUNCTION push_internal.wrong_window IS 'What is wrong with the window of a spec; null: nothing.';

CREATE OR REPLACE FUNCTION push_internal.is_open(this push.run, zone text) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN this.send_window IS NULL
        OR push_internal.is_in_window(this.send_window, coalesce(zone, this.send_window ->> 'zone'), clock_timestamp());
END $$;
COMMENT ON FUNCTION push_internal.is_open IS 'Whether the window of a run is open for its streams of a zone.';

CREATE OR REPLACE FUNCTION push_internal.rate_share(this push.run) RETURNS double precision
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
       AND push_internal.is_open(this, o.zone);
    RETURN share / greatest(streams, 1);
END $$;
COMMENT ON FUNCTION push_internal.rate_share IS
    'Messages a second of each stream of a run that is released, in its window and not expanded yet: they share its rate, '
    'which grows from a twentieth during its ramp. Null: the run has no rate.';
