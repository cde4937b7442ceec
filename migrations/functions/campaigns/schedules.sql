-- Campaigns that start themselves: when each is next, and what people do to a schedule.

CREATE OR REPLACE FUNCTION push_internal.schedule_of(campaign int) RETURNS json
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT push.read_schedule(r.spec -> 'schedule')
      FROM push.campaign c
           JOIN push.campaign_revision r
                ON r.campaign = c.id AND r.revision = coalesce(push.revision_to_run(c.id), c.revision)
     WHERE c.id = schedule_of.campaign
$$;
COMMENT ON FUNCTION push_internal.schedule_of IS
    'The schedule of the revision that a run of a campaign takes; where none is approved, that of the newest. Null: '
    'it has no schedule.';

CREATE OR REPLACE FUNCTION push_internal.reschedule(campaign int) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.campaign c
       SET next_at = CASE WHEN n.is_on THEN '-infinity'::timestamptz END,
           fires_at = CASE WHEN n.is_on THEN clock_timestamp() END,
           upcoming = '{}'
      FROM (SELECT o.state = 'ready' AND o.schedule_paused_at IS NULL AND push_internal.schedule_of(o.id) IS NOT NULL AS is_on
              FROM push.campaign o
             WHERE o.id = reschedule.campaign) n
     WHERE c.id = reschedule.campaign
$$;
COMMENT ON FUNCTION push_internal.reschedule IS
    'Has a worker work out when a campaign fires, from now on; nothing of before is made up.';

CREATE OR REPLACE FUNCTION push.pause_schedule(name text, note text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known constant push.campaign := push_internal.campaign_of(name);
BEGIN
    PERFORM push_internal.begin_action();
    IF push_internal.schedule_of(known.id) IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('campaign %s has no schedule', name),
            HINT = format('Give it one: fanfare campaign schedule %s "weekdays 09:00 Europe/Berlin"', name);
    END IF;
    UPDATE push.campaign c
       SET schedule_paused_at = coalesce(c.schedule_paused_at, clock_timestamp()),
           schedule_why = concat_ws(': ', 'paused by ' || push_internal.caller(), nullif(note, ''))
     WHERE c.id = known.id;
    PERFORM push_internal.reschedule(known.id);
    INSERT INTO push.audit (action, detail)
    VALUES ('pause_schedule', json_strip_nulls(json_build_object('campaign', name, 'note', note)));
END $$;
COMMENT ON FUNCTION push.pause_schedule IS
    'A campaign does not start itself until push.resume_schedule. A run that is under way goes on.';

CREATE OR REPLACE FUNCTION push.resume_schedule(name text, note text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known constant push.campaign := push_internal.campaign_of(name);
BEGIN
    PERFORM push_internal.begin_action();
    UPDATE push.campaign c SET schedule_paused_at = NULL, schedule_why = NULL
     WHERE c.id = known.id AND c.schedule_paused_at IS NOT NULL;
    IF FOUND THEN
        PERFORM push_internal.reschedule(known.id);
        INSERT INTO push.audit (action, detail)
        VALUES ('resume_schedule', json_strip_nulls(json_build_object('campaign', name, 'note', note)));
    END IF;
END $$;
COMMENT ON FUNCTION push.resume_schedule IS
    'A campaign starts itself again, from its next time on. What it missed while it was paused is not made up: '
    'fanfare campaign backfill starts that.';

CREATE OR REPLACE FUNCTION push_worker.due_schedules_v1(most int, except_of int[])
RETURNS TABLE (campaign int, name text, next_at bigint, fires_at double precision, clock double precision, is_due boolean,
               cron text, once text, zone text, not_before text, not_after text, jitter double precision, misfire text,
               catch_up double precision)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    now_at constant timestamptz := clock_timestamp();
BEGIN
    RETURN QUERY
    SELECT c.id, c.name, extract(epoch FROM nullif(c.next_at, '-infinity'))::bigint,
           extract(epoch FROM c.fires_at)::double precision, extract(epoch FROM now_at)::double precision,
           c.fires_at <= now_at,
           v.schedule ->> 'cron', v.schedule ->> 'at', push.zone_of_schedule(v.schedule), v.schedule ->> 'from', v.schedule ->> 'until',
           extract(epoch FROM (v.schedule ->> 'jitter')::interval)::double precision, v.schedule ->> 'misfire',
           extract(epoch FROM (v.schedule ->> 'catchUp')::interval)::double precision
      FROM ((SELECT c.* FROM push.campaign c
              WHERE c.fires_at <= now_at AND c.id <> ALL (except_of)
              ORDER BY c.fires_at LIMIT most)
             UNION ALL
            (SELECT c.* FROM push.campaign c WHERE c.fires_at > now_at ORDER BY c.fires_at LIMIT 1)) c,
           LATERAL (SELECT CASE WHEN c.fires_at <= now_at THEN push_internal.schedule_of(c.id) END AS schedule OFFSET 0) v
     ORDER BY c.fires_at;
END $$;
COMMENT ON FUNCTION push_worker.due_schedules_v1 IS
    'Campaigns whose time has come, except some, with what a worker needs to know what comes then; and behind them '
    'that which fires next: when to ask again. Times are seconds since 1970 UTC; next_at null: to be worked out, '
    'from fires_at on. once: "at" of the schedule; not_before and not_after: its "from" and "until".';

CREATE OR REPLACE FUNCTION push_internal.key_of_time(at timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
COMMENT ON FUNCTION push_internal.key_of_time IS 'The key of a run that a schedule starts.';

CREATE OR REPLACE FUNCTION push_worker.report_schedule_fault_v1(campaign int, why text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE push.campaign c
       SET schedule_why = left(report_schedule_fault_v1.why, 2000)
     WHERE c.id = report_schedule_fault_v1.campaign
       AND c.schedule_paused_at IS NULL
       AND c.schedule_why IS DISTINCT FROM left(report_schedule_fault_v1.why, 2000);
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push_worker.report_schedule_fault_v1 IS
    'Says at a campaign why a worker cannot work out its next time, such as a time zone that its machine does not '
    'know. The schedule stays: another worker may know it. False: that was said before.';

CREATE OR REPLACE FUNCTION push.schedule_campaign(name text, schedule json, OUT revision int, OUT changed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known constant push.campaign := push_internal.campaign_of(name);
    once json;
    at timestamptz;
BEGIN
    IF known.state = 'retired' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('campaign %s is retired', name),
            HINT = 'fanfare campaign create brings it back.';
    END IF;
    SELECT c.revision, c.changed INTO revision, changed
      FROM push.create_campaign(
               name,
               (SELECT json_object_agg(e.key, e.value ORDER BY e.n)
                  FROM (SELECT e.key, e.value, e.n
                          FROM push.campaign_revision r, json_each(r.spec) WITH ORDINALITY e(key, value, n)
                         WHERE r.campaign = known.id AND r.revision = known.revision AND e.key <> 'schedule'
                         UNION ALL
                        SELECT 'schedule', schedule_campaign.schedule, 2147483647
                         WHERE json_typeof(schedule_campaign.schedule) <> 'null') e),
               known.state = 'draft') c;
    once := push.read_schedule(schedule);              -- it may wait for approval
    IF once ->> 'at' IS NOT NULL AND known.state <> 'draft' THEN
        at := CASE
                  WHEN once ->> 'at' ~ '(Z|[+-][0-9]{2}:[0-9]{2})$' THEN (once ->> 'at')::timestamptz
                  ELSE (once ->> 'at')::timestamp AT TIME ZONE push.zone_of_schedule(once)
              END;
        IF changed AND at <= clock_timestamp() THEN
            RAISE EXCEPTION USING
                ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'campaign_revision', COLUMN = 'schedule.at',
                CONSTRAINT = 'spec_can_be_run', MESSAGE = format('schedule.at: %s is past', once ->> 'at'),
                HINT = format('Start it now: fanfare campaign run %s --key %s', name, to_char(current_date, 'YYYY-MM-DD'));
        END IF;
    END IF;
END $$;
COMMENT ON FUNCTION push.schedule_campaign IS
    'Gives a campaign another schedule, as a new revision; null: none. Refuses a single time that is past. The rest of '
    'its spec stays. Members: docs/campaigns.md, "On time".';

CREATE OR REPLACE FUNCTION push.backfill_campaign(name text, times timestamptz[], OUT started bigint, OUT known bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    this constant push.campaign := push_internal.campaign_of(name);
    to_run int;
    at timestamptz;
    is_first boolean;
    begun record;
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM push_internal.require_read_committed('push.backfill_campaign');
    IF this.state <> 'ready' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('campaign %s is %s', name, this.state),
            HINT = 'fanfare campaign create makes it ready.';
    ELSIF cardinality(times) > 1000 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.backfill_campaign: %s runs at once', cardinality(times)),
            HINT = 'At most 1000: give the times in parts.';
    END IF;
    -- A firing of the schedule at this moment is before us or behind us.
    PERFORM FROM push.campaign c WHERE c.id = this.id FOR NO KEY UPDATE;
    to_run := push.revision_to_run(this.id);
    started := 0;
    known := 0;
    FOR at IN SELECT u.at FROM unnest(times) u(at) ORDER BY u.at LOOP
        is_first := NOT EXISTS (
            SELECT FROM push.run r WHERE r.campaign = this.id AND r.ended_at IS NULL AND NOT r.is_test);
        SELECT b.* INTO begun
          FROM push_internal.begin_run(
                   this, to_run, push_internal.key_of_time(at), push_internal.caller(),
                   CASE WHEN is_first THEN 'running' ELSE 'waiting' END::push.run_state,
                   CASE WHEN NOT is_first THEN 'waits for its turn' END) b;
        IF begun.started THEN
            started := started + 1;
        ELSE
            known := known + 1;
        END IF;
    END LOOP;
    PERFORM push.wake_up();
END $$;
COMMENT ON FUNCTION push.backfill_campaign IS
    'Starts the runs that a schedule would have started at these times, at most 1000: one behind the other, each under '
    'the key that the schedule gives it. known: how many of them there were already. fanfare campaign backfill works '
    'out the times.';
