-- Runs in everybody's own time zone.

CREATE OR REPLACE FUNCTION push_internal.make_streams(run bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    spec json;
    list int;
    is_of_tags boolean;
    zones bigint;
BEGIN
    SELECT coalesce(r.test, v.spec), r.list INTO spec, list
      FROM push.run r
           JOIN push.campaign_revision v ON v.campaign = r.campaign AND v.revision = r.revision
     WHERE r.id = make_streams.run;
    IF coalesce(spec -> 'window', spec -> 'ramp') IS NOT NULL THEN
        UPDATE push.run r
           SET ramp = (spec ->> 'ramp')::interval,
               send_window = (
                   SELECT json_object_agg(e.key, e.value)
                     FROM (SELECT e.key, e.value FROM json_each(spec -> 'window') e WHERE e.key <> 'zone'
                            UNION ALL
                           SELECT 'zone', coalesce(spec -> 'window' -> 'zone', push_internal.home_zone(spec))) e
                    WHERE spec -> 'window' IS NOT NULL)
         WHERE r.id = make_streams.run;
    END IF;
    IF NOT push_internal.is_local(spec) THEN
        RETURN;
    END IF;
    is_of_tags := coalesce(spec -> 'audience' -> 'view', spec -> 'audience' -> 'list', spec -> 'audience' -> 'handles') IS NULL;
    WITH whole AS (
        DELETE FROM push.stream t WHERE t.run = make_streams.run RETURNING t.*
    ), parts AS (
        INSERT INTO push.stream (run, hub, priority, zone, part, zone_known)
        SELECT w.run, w.hub, w.priority, p.zone,
               CASE WHEN is_of_tags THEN push_internal.tag_of_zone(h.settings ->> 'zoneTag', p.part) ELSE p.part END, p.zone_known
          FROM push_internal.parts_of_audience(spec, list) p, whole w
               JOIN push.hub h ON h.id = w.hub
         ORDER BY p.zone, p.part, h.name
        RETURNING zone
    )
    SELECT count(DISTINCT p.zone) INTO zones FROM parts p;
    IF is_of_tags THEN                         -- each tag once in each zone
        UPDATE push.run r
           SET estimate = r.estimate * zones, rate = CASE WHEN spec -> 'rate' IS NULL THEN r.rate * zones ELSE r.rate END
         WHERE r.id = make_streams.run;
    END IF;
    PERFORM push_internal.release_streams(make_streams.run);
END $$;
COMMENT ON FUNCTION push_internal.make_streams IS
    'Gives a run its window and ramp, and, where it is local, a stream for each hub and zone.';

CREATE OR REPLACE FUNCTION push_internal.wall_time_of_run(
    spec json, key text, starts timestamptz DEFAULT clock_timestamp()) RETURNS timestamp
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF spec -> 'local' -> 'time' IS NOT NULL THEN
        RETURN (starts AT TIME ZONE (push_internal.home_zone(spec) #>> '{}'))::date + (spec -> 'local' ->> 'time')::time;
    ELSIF key !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('%s is not a time, and the run''s local time is taken from its key', to_json(left(key, 80))),
            HINT = 'Take a key such as push.campaign_next shows, '
                   || to_json(push_internal.key_of_time(date_trunc('hour', clock_timestamp()))) || '; or set local.time in the spec.';
    END IF;
    RETURN key::timestamptz AT TIME ZONE 'Pacific/Kiritimati';
END $$;
COMMENT ON FUNCTION push_internal.wall_time_of_run IS
    'What the clocks of a zone show when a local run begins there: local.time of the day on which it starts, by the date in '
    'the default zone; or the time of the schedule, from the run''s key.';

CREATE OR REPLACE FUNCTION push_internal.release_streams(run bigint) RETURNS void
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
    IF NOT push_internal.is_local(this.spec) THEN
        RETURN;
    END IF;
    wall := push_internal.wall_time_of_run(this.spec, this.key);
    UPDATE push.stream t
       SET release_at = z.at
      FROM (SELECT o.zone, push_internal.instant_of(wall, o.zone) AS at
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
        UPDATE push.stream t SET left_out = 'passed' WHERE t.id = ANY (passed);
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.release_streams IS
    'Works out when each stream of a local run begins: when the clocks of its zone show the time. What is past begins'
    ' now, or is left out ("passed": "skip"; not what is late by less than a minute and the jitter).';

CREATE OR REPLACE FUNCTION push_worker.leave_out_v1(stream bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    this record;
    rest bigint;
BEGIN
    SELECT t.*, push_internal.pinned_audience(v.spec -> 'audience', r.list) AS audience,
           CASE WHEN h.localization = 'tags' THEN push_internal.locales_of(x.content) ELSE '{}' END AS locales
      INTO this
      FROM push.stream t
           JOIN push.run r ON r.id = t.run
           JOIN push.campaign_revision v ON v.campaign = r.campaign AND v.revision = r.revision
           JOIN push.run_content x ON x.run = t.run
           JOIN push.hub h ON h.id = t.hub
     WHERE t.id = leave_out_v1.stream AND t.left_out IS NOT NULL AND t.done_at IS NULL
       FOR UPDATE OF t SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN NULL;
    ELSIF this.audience -> 'view' IS NOT NULL THEN
        rest := push_internal.audience_rest(this.audience ->> 'view', this.part IS NOT NULL OR NOT this.zone_known, this.part, this.cursor);
    ELSIF this.audience -> 'list' IS NOT NULL OR this.audience -> 'handles' IS NOT NULL THEN
        SELECT count(*) INTO rest
          FROM push.list_member m
         WHERE m.list = push_internal.list_of(this.audience) AND m.key > coalesce(this.cursor, '')
           AND (this.part IS NULL AND this.zone_known OR m.time_zone IS NOT DISTINCT FROM this.part);
    ELSE
        SELECT count(*) INTO rest
          FROM push_internal.recipients(this.audience, this.locales, this.cursor, 2147483647, this.part, this.zone_known) p;
    END IF;
    INSERT INTO push.slice (stream, n, first_id, last_id, rows, left_out, due_from, due_to)
    VALUES (this.id, this.slices + 1, 0, 0, 0, json_build_object(this.left_out, rest), clock_timestamp(), clock_timestamp());
    UPDATE push.stream t SET slices = t.slices + 1, done_at = clock_timestamp() WHERE t.id = this.id;
    RETURN rest;
END $$;
COMMENT ON FUNCTION push_worker.leave_out_v1 IS
    'Ends a stream that has left_out: recipients of its audience without a message get none, and are counted under that '
    'reason. Takes about as long as reading them. Null: the stream has ended, or another worker has it.';

CREATE OR REPLACE FUNCTION push_internal.leave_out_outside_window(this push.run) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    -- Their audience is read by push_worker.leave_out_v1, in a transaction of its own: a view may take long, or fail.
    UPDATE push.stream t
       SET left_out = 'outside_window'
     WHERE t.id = ANY (ARRAY(
               SELECT o.id
                 FROM push.stream o
                WHERE o.run = this.id
                  AND o.done_at IS NULL
                  AND o.left_out IS NULL
                  AND o.release_at <= clock_timestamp()
                  AND NOT push_internal.is_open(this, o.zone)
                ORDER BY o.id
                  FOR UPDATE SKIP LOCKED));
END $$;
COMMENT ON FUNCTION push_internal.leave_out_outside_window IS
    'Leaves out the rest of the streams of a run that have begun and are outside their window ("outside": "drop").';

CREATE OR REPLACE FUNCTION push_internal.local_progress(
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
    IF NOT push_internal.waits_for_window(this) THEN
        RETURN;
    END IF;
    SELECT o.at, o.at > o.release_at AS by_window INTO next
      FROM (SELECT z.release_at,
                   CASE
                       WHEN this.send_window IS NULL THEN z.release_at
                       ELSE push_internal.window_opens(
                                this.send_window, coalesce(z.zone, this.send_window ->> 'zone'), greatest(z.release_at, now_at))
                   END AS at
              FROM (SELECT DISTINCT t.zone, t.release_at FROM push.stream t WHERE t.run = this.id AND t.done_at IS NULL) z) o
     ORDER BY o.at
     LIMIT 1;
    waits_until := next.at;
    waits_for := CASE WHEN next.by_window THEN 'window' WHEN next.at IS NOT NULL THEN 'zone' END;
END $$;
COMMENT ON FUNCTION push_internal.local_progress IS 'What push.run_progress shows of zones and windows.';
