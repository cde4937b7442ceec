-- Fanfare, migration 64: Campaigns that start themselves, by their schedules.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.schedule_of(campaign int) RETURNS json
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT push.read_schedule(r.spec -> 'schedule')
      FROM push.campaign c
           JOIN push.campaign_revision r
                ON r.campaign = c.id AND r.revision = coalesce(push.revision_to_run(c.id), c.revision)
     WHERE c.id = schedule_of.campaign
$$;
COMMENT ON FUNCTION push.schedule_of IS
    'The schedule of the revision that a run of a campaign takes; where none is approved, that of the newest. Null: it has '
    'no schedule. Only for other functions.';

CREATE FUNCTION push.reschedule(campaign int) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.campaign c
       SET next_at = CASE WHEN n.is_on THEN '-infinity'::timestamptz END,
           fires_at = CASE WHEN n.is_on THEN clock_timestamp() END,
           upcoming = '{}'
      FROM (SELECT o.state = 'ready' AND o.schedule_paused_at IS NULL AND push.schedule_of(o.id) IS NOT NULL AS is_on
              FROM push.campaign o
             WHERE o.id = reschedule.campaign) n
     WHERE c.id = reschedule.campaign
$$;
COMMENT ON FUNCTION push.reschedule IS
    'Has a worker work out when a campaign fires, from now on; nothing of before is made up. Only for other functions.';

CREATE FUNCTION push.pause_schedule(name text, note text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known constant push.campaign := push.campaign_of(name);
BEGIN
    PERFORM push.begin_action();
    IF push.schedule_of(known.id) IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('campaign %s has no schedule', name),
            HINT = format('Give it one: fanfare campaign schedule %s "weekdays 09:00 Europe/Berlin"', name);
    END IF;
    UPDATE push.campaign c
       SET schedule_paused_at = coalesce(c.schedule_paused_at, clock_timestamp()),
           schedule_why = concat_ws(': ', 'paused by ' || push.caller(), nullif(note, ''))
     WHERE c.id = known.id;
    PERFORM push.reschedule(known.id);
    INSERT INTO push.audit (action, detail)
    VALUES ('pause_schedule', json_strip_nulls(json_build_object('campaign', name, 'note', note)));
END $$;
COMMENT ON FUNCTION push.pause_schedule IS
    'A campaign does not start itself until push.resume_schedule. A run that is under way goes on.';

CREATE FUNCTION push.resume_schedule(name text, note text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known constant push.campaign := push.campaign_of(name);
BEGIN
    PERFORM push.begin_action();
    UPDATE push.campaign c SET schedule_paused_at = NULL, schedule_why = NULL
     WHERE c.id = known.id AND c.schedule_paused_at IS NOT NULL;
    IF FOUND THEN
        PERFORM push.reschedule(known.id);
        INSERT INTO push.audit (action, detail)
        VALUES ('resume_schedule', json_strip_nulls(json_build_object('campaign', name, 'note', note)));
    END IF;
END $$;
COMMENT ON FUNCTION push.resume_schedule IS
    'A campaign starts itself again, from its next time on. What it missed while it was paused is not made up: '
    'fanfare campaign backfill starts that.';

CREATE FUNCTION push.due_schedules_v1(most int, except_of int[])
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
           LATERAL (SELECT CASE WHEN c.fires_at <= now_at THEN push.schedule_of(c.id) END AS schedule OFFSET 0) v
     ORDER BY c.fires_at;
END $$;
COMMENT ON FUNCTION push.due_schedules_v1 IS
    'Campaigns whose time has come, except some, with what a worker needs to know what comes then; and behind them that '
    'which fires next: when to ask again. Times are seconds since 1970 UTC; next_at null: to be worked out, from '
    'fires_at on. once: "at" of the schedule; not_before and not_after: its "from" and "until".';

CREATE FUNCTION push.key_of_time(at timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
COMMENT ON FUNCTION push.key_of_time IS 'The key of a run that a schedule starts. Only for other functions.';

CREATE FUNCTION push.fire(
    known push.campaign, key text, OUT run bigint, OUT state push.run_state, OUT why text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    other push.run;
    overlap text;
    standing record;
    begun record;
BEGIN
    SELECT r.* INTO other
      FROM push.run r
     WHERE r.campaign = known.id AND r.ended_at IS NULL AND r.key <> fire.key AND NOT r.is_test
     ORDER BY r.state = 'waiting' DESC, r.id
     LIMIT 1;
    state := 'running';
    IF other.id IS NOT NULL THEN
        overlap := coalesce(push.schedule_of(known.id) ->> 'overlap', 'skip');
        state := CASE
                     WHEN overlap = 'queue' AND other.state <> 'waiting' THEN 'waiting'
                     WHEN overlap IN ('skip', 'queue') THEN 'skipped'
                     ELSE 'running'
                 END;
        why := CASE
                   WHEN state = 'waiting' THEN format('waits for the end of run %s', to_json(other.key))
                   WHEN state = 'skipped' THEN format('run %s is %s', to_json(other.key), other.state)
               END;
        IF overlap = 'cancel' THEN
            PERFORM push.set_run_state(
                r.id, '{waiting,canary,running,paused}', 'cancelling', format('cancelled by the schedule for run %s', to_json(fire.key)))
               FROM push.run r
              WHERE r.campaign = known.id AND r.ended_at IS NULL AND r.key <> fire.key AND NOT r.is_test;
        END IF;
    END IF;
    IF state = 'skipped' THEN
        PERFORM push.note_run(known, key, state, why);
        RETURN;
    END IF;
    BEGIN
        SELECT s.* INTO standing FROM push.standing_of(known.id) s;
        SELECT b.* INTO begun FROM push.begin_run(known, standing.to_run, key, 'schedule', state, why) b;
        run := begun.run;
        why := nullif(concat_ws('; ', why, standing.unapproved), '');
        IF NOT begun.started THEN              -- somebody started it by hand under this key
            state := NULL;
            why := NULL;
        END IF;
    EXCEPTION WHEN OTHERS THEN
        IF SQLSTATE ~ '^(40|53|55P|57|58)' THEN -- of the server, not of the campaign: again with the next look
            RAISE;
        END IF;
        state := 'failed';
        why := SQLERRM;
        PERFORM push.note_run(known, key, state, why);
        PERFORM push.stop_schedule(known.id, format('run %s could not begin: %s', to_json(key), SQLERRM));
    END;
END $$;
COMMENT ON FUNCTION push.fire IS
    'Starts a campaign by its schedule; or records why not, as a run that is skipped or failed. state null: a run of '
    'that key was there already. Only for push.fire_v1.';

CREATE FUNCTION push.note_run(known push.campaign, key text, state push.run_state, why text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO push.run (campaign, revision, key, state, why, started_by, ended_at, closed_at)
    VALUES (known.id, known.revision, note_run.key, note_run.state, left(note_run.why, 2000), 'schedule', clock_timestamp(),
            clock_timestamp())
        ON CONFLICT DO NOTHING;
    INSERT INTO push.audit (action, detail)
    VALUES ('run_' || state, json_build_object('campaign', known.name, 'key', key, 'why', left(why, 2000)));
END $$;
COMMENT ON FUNCTION push.note_run IS 'Records a run that sends nothing. Only for push.fire.';

CREATE FUNCTION push.stop_schedule(campaign int, why text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    share constant double precision := (push.schedule_of(campaign) ->> 'pauseOnFailure')::double precision;
BEGIN
    IF share IS NULL THEN
        RETURN;
    END IF;
    UPDATE push.campaign c
       SET schedule_paused_at = clock_timestamp(), schedule_why = left('paused itself: ' || why, 2000), next_at = NULL,
           fires_at = NULL, upcoming = '{}'
     WHERE c.id = stop_schedule.campaign AND c.schedule_paused_at IS NULL;
    IF FOUND THEN
        INSERT INTO push.audit (action, detail)
        SELECT 'pause_schedule', json_build_object('campaign', c.name, 'note', c.schedule_why)
          FROM push.campaign c
         WHERE c.id = stop_schedule.campaign;
    END IF;
END $$;
COMMENT ON FUNCTION push.stop_schedule IS
    'Pauses a schedule that has pauseOnFailure, after a run failed. Only for other functions.';

CREATE FUNCTION push.judge_run(run bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this record;
    counted record;
BEGIN
    SELECT r.*, (push.schedule_of(r.campaign) ->> 'pauseOnFailure')::double precision AS share INTO this
      FROM push.run r
     WHERE r.id = judge_run.run;
    IF this.started_by <> 'schedule' OR this.share IS NULL THEN
        RETURN;
    END IF;
    SELECT coalesce(sum(c.rows), 0) AS rows, coalesce(sum(c.rows) FILTER (WHERE c.status IN ('rejected', 'expired')), 0) AS failed
      INTO counted
      FROM push.counts_of_run(judge_run.run) c;
    IF counted.failed > counted.rows * this.share THEN
        PERFORM push.stop_schedule(
            this.campaign, format('of run %s %s of %s messages failed, more than %s', to_json(this.key), counted.failed,
                                  counted.rows, this.share));
    END IF;
END $$;
COMMENT ON FUNCTION push.judge_run IS
    'Pauses the schedule that started a run if more of it failed than pauseOnFailure allows. Only for push.end_run.';

CREATE FUNCTION push.fire_v1(
    campaigns int[], expected bigint[], scheduled bigint[], next bigint[], fires double precision[], upcoming text[])
RETURNS TABLE (campaign text, key text, state push.run_state, why text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    this record;
    known push.campaign;
BEGIN
    PERFORM push.require_read_committed('push.fire_v1');
    FOR this IN
        SELECT u.*
          FROM unnest(campaigns, expected, scheduled, next, fires, upcoming)
               u(campaign, expected, scheduled, next, fires, upcoming)
         ORDER BY u.campaign
    LOOP
        -- One that another worker is at is left to it.
        SELECT c.* INTO known FROM push.campaign c WHERE c.id = this.campaign FOR NO KEY UPDATE SKIP LOCKED;
        CONTINUE WHEN known.next_at IS DISTINCT FROM coalesce(to_timestamp(this.expected), '-infinity');
        UPDATE push.campaign c
           SET next_at = to_timestamp(this.next),
               fires_at = to_timestamp(this.fires),
               upcoming = ARRAY(SELECT to_timestamp(u.at) FROM unnest(this.upcoming::bigint[]) WITH ORDINALITY u(at, n)
                                 ORDER BY u.n),
               schedule_why = NULL
         WHERE c.id = this.campaign;
        campaign := known.name;
        key := NULL;
        state := NULL;
        why := NULL;
        IF this.scheduled IS NOT NULL THEN
            key := push.key_of_time(to_timestamp(this.scheduled));
            SELECT f.state, f.why INTO state, why FROM push.fire(known, key) f;
        END IF;
        RETURN NEXT;
    END LOOP;
    PERFORM push.wake_up();
END $$;
COMMENT ON FUNCTION push.fire_v1 IS
    'Moves the next times of campaigns by compare-and-set, and starts those that are to start, in one transaction: of '
    'several workers one fires. The key of a run is its scheduled time in UTC. Times are seconds since 1970; expected '
    'null: not worked out yet; scheduled null: nothing starts; next null: the schedule is over. One row for each '
    'campaign that it moved; state null: nothing started, or a run of that key was there.';

CREATE FUNCTION push.doubt_schedule_v1(campaign int, why text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE push.campaign c
       SET schedule_why = left(doubt_schedule_v1.why, 2000)
     WHERE c.id = doubt_schedule_v1.campaign
       AND c.schedule_paused_at IS NULL
       AND c.schedule_why IS DISTINCT FROM left(doubt_schedule_v1.why, 2000);
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push.doubt_schedule_v1 IS
    'Says at a campaign why a worker cannot work out its next time, such as a time zone that its machine does not '
    'know. The schedule stays: another worker may know it. False: that was said before.';

CREATE FUNCTION push.schedule_campaign(name text, schedule json, OUT revision int, OUT changed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known constant push.campaign := push.campaign_of(name);
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

CREATE FUNCTION push.backfill_campaign(name text, times timestamptz[], OUT started bigint, OUT known bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    this constant push.campaign := push.campaign_of(name);
    to_run int;
    at timestamptz;
    is_first boolean;
    begun record;
BEGIN
    PERFORM push.begin_action();
    PERFORM push.require_read_committed('push.backfill_campaign');
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
          FROM push.begin_run(
                   this, to_run, push.key_of_time(at), push.caller(),
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

CREATE VIEW push.campaign_next AS
SELECT c.name AS campaign,
       u.n::int AS n,
       u.at,
       to_char(u.at AT TIME ZONE s.zone, 'YYYY-MM-DD HH24:MI:SS') AS local,
       s.zone,
       s.schedule,
       c.schedule_paused_at AS paused_at,
       c.schedule_why AS why
  FROM push.campaign c,
       LATERAL (
           SELECT r.spec -> 'schedule' AS schedule,
                  coalesce(push.zone_of_schedule(push.read_schedule(r.spec -> 'schedule')), 'UTC') AS zone
             FROM push.campaign_revision r
            WHERE r.campaign = c.id AND r.revision = coalesce(push.revision_to_run(c.id), c.revision)
           OFFSET 0) s
       LEFT JOIN LATERAL unnest(c.upcoming) WITH ORDINALITY u(at, n) ON true
 WHERE s.schedule IS NOT NULL
   AND c.state <> 'retired';
COMMENT ON VIEW push.campaign_next IS
    'When campaigns start themselves, by the revision that a run takes: the next five times of each. at null: '
    'the schedule is paused or over, its campaign a draft, or no worker has worked it out yet.';
COMMENT ON COLUMN push.campaign_next.campaign IS 'Name of the campaign.';
COMMENT ON COLUMN push.campaign_next.n IS 'From 1 on, the next first.';
COMMENT ON COLUMN push.campaign_next.at IS 'When, by the schedule; the run begins up to its jitter later.';
COMMENT ON COLUMN push.campaign_next.local IS 'The same on the clock of the schedule''s zone.';
COMMENT ON COLUMN push.campaign_next.zone IS
    'The time zone of the schedule; of one that is meant in everybody''s own zone that where a day begins first.';
COMMENT ON COLUMN push.campaign_next.schedule IS 'The schedule as it was given.';
COMMENT ON COLUMN push.campaign_next.paused_at IS 'Since when the schedule is paused; null: it is not.';
COMMENT ON COLUMN push.campaign_next.why IS 'Why it is paused, or why no worker can work it out.';

SELECT push.grant_roles();

INSERT INTO push.migration (version, name, works_from) VALUES (64, 'fire_campaigns', 61);
