-- How long a run sends, against the times that it is given.

CREATE OR REPLACE FUNCTION push_internal.sent_within(rate double precision, ramp interval, seconds double precision)
RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    -- A ramp grows in a straight line from a twentieth of the rate.
    SELECT rate * (0.05 * t.grows + CASE WHEN t.whole > 0 THEN 0.475 * t.grows ^ 2 / t.whole ELSE 0 END + seconds - t.grows)
      FROM (SELECT r.whole, least(seconds, r.whole) AS grows
              FROM (SELECT coalesce(extract(epoch FROM ramp), 0)::double precision AS whole) r) t
$$;
COMMENT ON FUNCTION push_internal.sent_within IS
    'How many messages a run sends in a time at a rate; ramp null: it has the full rate at once.';

CREATE OR REPLACE FUNCTION push_internal.sending_time(recipients bigint, rate double precision, ramp interval)
RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
               WHEN recipients >= push_internal.sent_within(rate, ramp, r.seconds)
               THEN r.seconds + (recipients - push_internal.sent_within(rate, ramp, r.seconds)) / rate
               ELSE (sqrt(0.0025 + 1.9 * recipients / (rate * r.seconds)) - 0.05) * r.seconds / 0.95
           END
      FROM (SELECT coalesce(extract(epoch FROM ramp), 0)::double precision AS seconds) r
$$;
COMMENT ON FUNCTION push_internal.sending_time IS
    'Seconds in which a run sends its messages at a rate: the inverse of push_internal.sent_within.';

CREATE OR REPLACE FUNCTION push_internal.seconds_open(send_window json) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN w.length > 0 THEN w.length ELSE w.length + 86400 END
      FROM (SELECT extract(epoch FROM coalesce(send_window ->> 'until', '24:00')::time
                                      - coalesce(send_window ->> 'from', '00:00')::time)::double precision AS length) w
$$;
COMMENT ON FUNCTION push_internal.seconds_open IS 'Seconds a day for which a window is open; null, the whole day: 86,400.';

CREATE OR REPLACE FUNCTION push_internal.clock_time(seconds double precision) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN make_interval(secs => ceil(round(seconds::numeric, 3))::double precision)::text;
COMMENT ON FUNCTION push_internal.clock_time IS 'A time in hours, minutes and seconds, rounded up, as a spec takes it.';

CREATE OR REPLACE FUNCTION push_internal.faster(spec json, recipients bigint, ramp interval, seconds double precision) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
               WHEN spec -> 'rate' IS NULL THEN format('Set spread to "%s"', push_internal.clock_time(floor(seconds)))
               ELSE format('Set rate to %s', ceil((recipients / push_internal.sent_within(1, ramp, seconds))::numeric))
           END
$$;
COMMENT ON FUNCTION push_internal.faster IS 'The advice which rate or spread sends to all in a time.';

CREATE OR REPLACE FUNCTION push_internal.check_sums(spec json, recipients bigint)
RETURNS TABLE (level text, about text, finding text, hint text)
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    day constant double precision := 86400;
    ramp constant interval := (spec ->> 'ramp')::interval;
    rate constant double precision := coalesce((spec ->> 'rate')::double precision,
                                               recipients / extract(epoch FROM (spec ->> 'spread')::interval));
    is_local constant boolean := push_internal.is_local(spec);
    shut constant json := CASE WHEN NOT is_local THEN spec -> 'window' END;
    open constant double precision := push_internal.seconds_open(shut);
    takes double precision;
    lasts double precision;
    ends record;
    usable double precision;
BEGIN
    IF rate IS NULL OR recipients = 0 THEN
        RETURN;
    END IF;
    takes := push_internal.sending_time(recipients, rate, ramp);
    -- It begins when the window opens: later, or with days on which it stays shut, the run lasts longer.
    lasts := takes + (ceil(takes / open) - 1) * (day - open);
    RETURN QUERY
    SELECT 'info', CASE WHEN spec -> 'rate' IS NULL THEN 'spread' ELSE 'rate' END,
           format('%s messages at %s a second: %s', recipients, round(rate::numeric, 1), push_internal.clock_time(takes)), NULL::text;
    IF takes > open AND shut ->> 'outside' = 'drop' THEN
        RETURN QUERY
        SELECT 'warning', 'window',
               format('is open for %s, and %s recipients at %s a second take %s: about %s of them get nothing',
                      push_internal.clock_time(open), recipients, round(rate::numeric, 1), push_internal.clock_time(takes),
                      ceil((recipients - push_internal.sent_within(rate, ramp, open))::numeric)),
               push_internal.faster(spec, recipients, ramp, open) || ', or leave out "outside": the run then goes on the next day.';
    ELSIF takes > open THEN
        RETURN QUERY
        SELECT 'info', 'window',
               format('is open for %s a day: the run needs %s of them, and lasts %s at least', push_internal.clock_time(open),
                      ceil(takes / open), push_internal.clock_time(lasts)), NULL::text;
    END IF;
    FOR ends IN
        SELECT e.member, extract(epoch FROM (spec ->> e.member)::interval)::double precision AS after, e.verb
          FROM (VALUES ('maxDuration', 'get nothing'), ('expires', 'expire unsent')) e(member, verb)
         -- In a local run it counts anew in each zone.
         WHERE NOT (is_local AND e.member = 'expires')
    LOOP
        CONTINUE WHEN lasts <= ends.after OR ends.after IS NULL;
        usable := floor(ends.after / day) * open + least(ends.after - floor(ends.after / day) * day, open);
        RETURN QUERY
        SELECT 'warning', ends.member,
               format('is over after %s, and %s recipients at %s a second take %s%s: about %s of them %s',
                      push_internal.clock_time(ends.after), recipients, round(rate::numeric, 1), push_internal.clock_time(lasts),
                      CASE WHEN lasts > takes THEN ' with the hours for which the window is shut' ELSE '' END,
                      ceil((recipients - push_internal.sent_within(rate, ramp, usable))::numeric), ends.verb),
               format('%s, or %s to "%s".', push_internal.faster(spec, recipients, ramp, usable), ends.member,
                      push_internal.clock_time(lasts));
    END LOOP;
END $$;
COMMENT ON FUNCTION push_internal.check_sums IS
    'What push.check_campaign says of rate and recipients: how long they take, and what of the window, maxDuration and '
    'expires of the spec ends before. Nothing of a run without a rate.';
