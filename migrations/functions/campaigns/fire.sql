-- A schedule whose time has come starts a run.

CREATE OR REPLACE FUNCTION push_internal.fire(
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
        overlap := coalesce(push_internal.schedule_of(known.id) ->> 'overlap', 'skip');
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
            PERFORM push_internal.change_run(r.id, 'cancel', format('cancelled by the schedule for run %s', to_json(fire.key)))
               FROM push.run r
              WHERE r.campaign = known.id AND r.ended_at IS NULL AND r.key <> fire.key AND NOT r.is_test;
        END IF;
    END IF;
    IF state = 'skipped' THEN
        PERFORM push_internal.record_unsent_run(known, key, state, why);
        RETURN;
    END IF;
    BEGIN
        SELECT s.* INTO standing FROM push_internal.standing_of(known.id) s;
        SELECT b.* INTO begun FROM push_internal.begin_run(known, standing.to_run, key, 'schedule', state, why) b;
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
        PERFORM push_internal.record_unsent_run(known, key, state, why);
        PERFORM push_internal.stop_schedule(known.id, format('run %s could not begin: %s', to_json(key), SQLERRM));
    END;
END $$;
COMMENT ON FUNCTION push_internal.fire IS
    'Starts a campaign by its schedule; or records why not, as a run that is skipped or failed. state null: a run of '
    'that key was there already.';

CREATE OR REPLACE FUNCTION push_internal.record_unsent_run(known push.campaign, key text, state push.run_state, why text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO push.run (campaign, revision, key, state, why, started_by, ended_at, closed_at)
    VALUES (known.id, known.revision, record_unsent_run.key, record_unsent_run.state, left(record_unsent_run.why, 2000), 'schedule', clock_timestamp(),
            clock_timestamp())
        ON CONFLICT DO NOTHING;
    INSERT INTO push.audit (action, detail)
    VALUES ('run_' || state, json_build_object('campaign', known.name, 'key', key, 'why', left(why, 2000)));
END $$;
COMMENT ON FUNCTION push_internal.record_unsent_run IS 'Records a run that sends nothing.';

CREATE OR REPLACE FUNCTION push_internal.stop_schedule(campaign int, why text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    share constant double precision := (push_internal.schedule_of(campaign) ->> 'pauseOnFailure')::double precision;
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
COMMENT ON FUNCTION push_internal.stop_schedule IS 'Pauses a schedule that has pauseOnFailure, after a run failed.';

CREATE OR REPLACE FUNCTION push_worker.fire_v1(
    campaigns int[], expected bigint[], scheduled bigint[], next bigint[], fires double precision[], upcoming text[])
RETURNS TABLE (campaign text, key text, state push.run_state, why text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    this record;
    known push.campaign;
BEGIN
    PERFORM push_internal.require_read_committed('push_worker.fire_v1');
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
            key := push_internal.key_of_time(to_timestamp(this.scheduled));
            SELECT f.state, f.why INTO state, why FROM push_internal.fire(known, key) f;
        END IF;
        RETURN NEXT;
    END LOOP;
    PERFORM push.wake_up();
END $$;
COMMENT ON FUNCTION push_worker.fire_v1 IS
    'Moves the next times of campaigns by compare-and-set, and starts those that are to start, in one transaction: of '
    'several workers one fires. The key of a run is its scheduled time in UTC. Times are seconds since 1970; expected '
    'null: not worked out yet; scheduled null: nothing starts; next null: the schedule is over. One row for each '
    'campaign that it moved; state null: nothing started, or a run of that key was there.';
