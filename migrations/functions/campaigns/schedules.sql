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
           moved_at = clock_timestamp(),
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
            HINT = format('Give it one: fanfare schedule set %s "weekdays 09:00 Europe/Berlin"', name);
    END IF;
    UPDATE push.campaign c
       SET schedule_paused_at = coalesce(c.schedule_paused_at, clock_timestamp()),
           schedule_why = concat_ws(': ', 'paused by ' || push.person(), nullif(note, ''))
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
    'fanfare schedule backfill starts that.';

CREATE OR REPLACE FUNCTION push_worker.due_schedules_v1(most int, except_of int[])
RETURNS TABLE (campaign int, name text, next_at bigint, fires_at double precision, clock double precision, is_due boolean,
               is_ahead boolean, cron text, once text, zone text, not_before text, not_after text, jitter double precision,
               misfire text, catch_up double precision, overlap text, is_local boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    now_at constant timestamptz := clock_timestamp();
    -- A clock that is corrected by a little moves nothing.
    set_back constant timestamptz := now_at + interval '1 min';
BEGIN
    RETURN QUERY
    SELECT c.id, c.name, extract(epoch FROM nullif(c.next_at, '-infinity'))::bigint,
           extract(epoch FROM c.fires_at)::double precision, extract(epoch FROM now_at)::double precision,
           v.is_due, v.is_due AND c.fires_at > now_at,
           s.schedule ->> 'cron', s.schedule ->> 'at', push.zone_of_schedule(s.schedule), s.schedule ->> 'from', s.schedule ->> 'until',
           extract(epoch FROM (s.schedule ->> 'jitter')::interval)::double precision, s.schedule ->> 'misfire',
           extract(epoch FROM (s.schedule ->> 'catchUp')::interval)::double precision, s.schedule ->> 'overlap',
           coalesce(s.schedule ->> 'local' = 'true', false)
      FROM ((SELECT c.* FROM push.campaign c
              WHERE c.fires_at <= now_at AND c.id <> ALL (except_of)
              ORDER BY c.fires_at LIMIT most)
             UNION ALL
            (SELECT c.* FROM push.campaign c
              WHERE c.moved_at > set_back AND c.fires_at > now_at AND c.id <> ALL (except_of)
              ORDER BY c.moved_at LIMIT most)
             UNION ALL
            (SELECT c.* FROM push.campaign c WHERE c.fires_at > now_at AND c.moved_at <= set_back ORDER BY c.fires_at LIMIT 1)) c,
           LATERAL (SELECT c.fires_at <= now_at OR c.moved_at > set_back AS is_due OFFSET 0) v,
           LATERAL (SELECT CASE WHEN v.is_due THEN push_internal.schedule_of(c.id) END AS schedule OFFSET 0) s
     ORDER BY v.is_due DESC, c.fires_at;
END $$;
COMMENT ON FUNCTION push_worker.due_schedules_v1 IS
    'Campaigns whose time has come, except some, with what a worker needs to know what comes then; and behind them '
    'that which fires next: when to ask again. is_ahead: its next time was worked out when the server''s clock was '
    'ahead, and is worked out again. Times are seconds since 1970 UTC; next_at null: to be worked out, from fires_at '
    'on. once: "at" of the schedule; not_before and not_after: its "from" and "until".';

CREATE OR REPLACE FUNCTION push_internal.key_of_time(at timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
COMMENT ON FUNCTION push_internal.key_of_time IS 'The key of a run that a schedule starts.';

CREATE OR REPLACE FUNCTION push_worker.report_schedule_fault_v1(campaign int, why text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE push.campaign c
       SET schedule_why = f.why
      FROM (SELECT left(report_schedule_fault_v1.why, 2000) AS why) f
     WHERE c.id = report_schedule_fault_v1.campaign
       AND c.schedule_paused_at IS NULL
       AND c.schedule_why IS DISTINCT FROM f.why;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push_worker.report_schedule_fault_v1 IS
    'Says at a campaign why a worker cannot work out its next time, such as a time zone that its machine does not '
    'know, or cannot start it, such as a view that takes too long. The schedule stays: another worker may, or a later try. '
    'False: that was said before.';

CREATE OR REPLACE FUNCTION push.schedule_campaign(name text, schedule json, OUT revision int, OUT changed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known constant push.campaign := push_internal.campaign_of(name);
    once json;
    at timestamptz;
BEGIN
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
        at := push_internal.instant_of_moment(once ->> 'at', push.zone_of_schedule(once));
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

CREATE OR REPLACE FUNCTION push_internal.refuse_backfill(this push.campaign, times timestamptz[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    last constant timestamptz := (SELECT max(u.at) FROM unnest(times) u(at));
    waiting constant int := push_internal.count_waiting_runs(this.id);
    most constant int := push_internal.most_waiting_runs();
    more int;
BEGIN
    IF this.state <> 'ready' THEN
        PERFORM push_internal.refuse_unready(this.name, this.state);
    ELSIF cardinality(times) > 1000 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.backfill_campaign: %s runs at once', cardinality(times)),
            HINT = 'At most 1000: give the times in parts.';
    ELSIF last > clock_timestamp() THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.backfill_campaign: %s has not come yet: it is %s now', push.iso(last), push.iso(clock_timestamp())),
            HINT = 'Is the year right? What is to come starts by the schedule, and a run by hand: push.start_run.';
    END IF;
    more := (SELECT count(DISTINCT u.at)
               FROM unnest(times) u(at)
              WHERE NOT EXISTS (
                        SELECT FROM push.run r WHERE r.campaign = this.id AND r.key = push_internal.key_of_time(u.at)));
    IF waiting + more > most THEN
        RAISE EXCEPTION USING
            ERRCODE = 'program_limit_exceeded',
            MESSAGE = format('campaign %s has %s runs that wait, and %s more would be too many: at most %s wait at once',
                             this.name, waiting, more, most),
            HINT = 'Give fewer times, or wait until some of those runs are over.';
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.refuse_backfill IS
    'Raises if a campaign cannot be backfilled with these times: too many, one that has not come yet, or more runs than '
    'may wait.';

CREATE OR REPLACE FUNCTION push.backfill_campaign(name text, times timestamptz[], OUT started bigint, OUT known bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    this constant push.campaign := push_internal.campaign_of(name);
    to_run int;
    at timestamptz;
    open push.run_state;
    decision text;
    begun record;
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM push_internal.require_read_committed('push.backfill_campaign');
    -- A firing of the schedule at this moment is before us or behind us.
    PERFORM FROM push.campaign c WHERE c.id = this.id FOR NO KEY UPDATE;
    PERFORM push_internal.free_unsent_keys(this.id, ARRAY(SELECT push_internal.key_of_time(u.at) FROM unnest(times) u(at)));
    PERFORM push_internal.refuse_backfill(this, times);
    to_run := push.revision_to_run(this.id);
    started := 0;
    known := 0;
    FOR at IN SELECT u.at FROM unnest(times) u(at) ORDER BY u.at LOOP
        open := (SELECT r.state
                   FROM push.run r
                  WHERE r.campaign = this.id AND r.ended_at IS NULL AND NOT r.is_test
                  LIMIT 1);
        decision := push_internal.decide_start(NULL, 'backfill', open);
        SELECT b.* INTO begun
          FROM push_internal.begin_run(
                   this, to_run, push_internal.key_of_time(at), push.person(),
                   CASE decision WHEN 'start' THEN 'running' ELSE 'waiting' END::push.run_state,
                   CASE decision WHEN 'wait' THEN 'waits for its turn' END) b;
        IF begun.started THEN
            started := started + 1;
        ELSE
            known := known + 1;
        END IF;
    END LOOP;
    PERFORM push.wake_up();
END $$;
COMMENT ON FUNCTION push.backfill_campaign IS
    'Starts the runs that a schedule would have started at these times, at most 1000 and none of the future: one behind '
    'the other, each under the key that the schedule gives it. At most 1000 runs of a campaign wait at once. What the '
    'schedule skipped or missed, or could not begin, is started. known: how many of them there were already. fanfare schedule backfill works '
    'out the times.';
