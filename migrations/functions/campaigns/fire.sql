-- A schedule whose time has come starts a run.

CREATE OR REPLACE FUNCTION push_internal.decide_start(overlap text, occasion text, open push.run_state) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
           WHEN open IS NULL THEN 'start'
           WHEN occasion IN ('all', 'backfill') THEN 'wait'
           WHEN overlap = 'allow' THEN 'start'
           WHEN overlap = 'cancel' THEN 'cancel'
           WHEN overlap = 'queue' AND open <> 'waiting' THEN 'wait'
           ELSE 'skip'
       END;
COMMENT ON FUNCTION push_internal.decide_start IS
    'What a schedule does with one of its times: start; wait for the runs before; skip; or cancel these and start. '
    'occasion: on time, once or all (missed, by misfire), or backfill. open: the state of a run of the campaign that is '
    'not over, waiting before all others; null: none is open. StartDecision in Swift is the same, and docs/cron.md '
    'shows all combinations.';

CREATE OR REPLACE FUNCTION push_internal.most_waiting_runs() RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 1000;
COMMENT ON FUNCTION push_internal.most_waiting_runs IS 'How many runs of a campaign may wait for their turn at once.';

CREATE OR REPLACE FUNCTION push_internal.count_waiting_runs(campaign int) RETURNS int
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT count(*)::int
      FROM push.run r
     WHERE r.state = 'waiting' AND r.campaign = count_waiting_runs.campaign
$$;
COMMENT ON FUNCTION push_internal.count_waiting_runs IS 'How many runs of a campaign wait for their turn.';

CREATE OR REPLACE FUNCTION push_internal.fire(
    known push.campaign, key text, overlap text, occasion text, OUT run bigint, OUT state push.run_state, OUT why text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    other push.run;
    decision text;
    standing record;
    begun record;
BEGIN
    -- The clock was set back: a time that comes after all was not missed.
    DELETE FROM push.run r
     WHERE r.campaign = known.id AND r.key = fire.key AND r.state = 'skipped' AND r.why LIKE 'missed: %';
    SELECT r.* INTO other
      FROM push.run r
     WHERE r.campaign = known.id AND r.ended_at IS NULL AND r.key <> fire.key
       AND NOT r.is_test
     ORDER BY r.state = 'waiting' DESC, r.id
     LIMIT 1;
    decision := push_internal.decide_start(overlap, occasion, other.state);
    state := CASE decision WHEN 'wait' THEN 'waiting' WHEN 'skip' THEN 'skipped' ELSE 'running' END;
    why := CASE
               WHEN decision = 'wait' AND occasion = 'all' THEN 'waits for its turn'
               WHEN decision = 'wait' THEN format('waits for the end of run %s', to_json(other.key))
               WHEN decision = 'skip' THEN format('run %s is %s', to_json(other.key), other.state)
           END;
    IF decision = 'wait' AND push_internal.count_waiting_runs(known.id) >= push_internal.most_waiting_runs() THEN
        state := 'skipped';
        why := format('%s runs wait already', push_internal.most_waiting_runs());
    ELSIF decision = 'cancel' THEN
        PERFORM push_internal.change_run(r.id, 'cancel', format('cancelled by the schedule for run %s', to_json(fire.key)))
           FROM push.run r
          WHERE r.campaign = known.id AND r.ended_at IS NULL AND r.key <> fire.key AND NOT r.is_test;
    END IF;
    IF state = 'skipped' THEN
        IF push_internal.record_unsent_runs(known, ARRAY[key], state, why) = 0 THEN
            state := NULL;
            why := NULL;
        END IF;
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
        PERFORM push_internal.record_unsent_runs(known, ARRAY[key], state, why);
        PERFORM push_internal.stop_schedule(known.id, format('run %s could not begin: %s', to_json(key), SQLERRM));
    END;
END $$;
COMMENT ON FUNCTION push_internal.fire IS
    'Starts a campaign by its schedule, or has the run wait (push_internal.decide_start); or records why not, as a run '
    'that is skipped or failed. state null: a run of that key was there already.';

CREATE OR REPLACE FUNCTION push_internal.record_unsent_runs(known push.campaign, keys text[], state push.run_state, why text) RETURNS int
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    recorded int;
BEGIN
    INSERT INTO push.run (campaign, revision, key, state, why, started_by, ended_at, closed_at)
    SELECT known.id, known.revision, u.key, record_unsent_runs.state, left(record_unsent_runs.why, 2000), 'schedule', clock_timestamp(),
           clock_timestamp()
      FROM unnest(keys) WITH ORDINALITY u(key, n)
     ORDER BY u.n
        ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS recorded = ROW_COUNT;
    IF recorded > 0 THEN
        INSERT INTO push.audit (action, detail)
        VALUES ('run_' || state, json_build_object('campaign', known.name, 'key', keys[1], 'why', left(why, 2000)));
    END IF;
    RETURN recorded;
END $$;
COMMENT ON FUNCTION push_internal.record_unsent_runs IS
    'Records runs that send nothing; push.audit gets one row, with the first key. Returns how many had no run yet.';

CREATE OR REPLACE FUNCTION push_internal.free_unsent_keys(campaign int, keys text[]) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    -- What began has a content.
    DELETE FROM push.run r
     WHERE r.campaign = free_unsent_keys.campaign AND r.key = ANY (keys) AND r.state IN ('skipped', 'failed')
       AND NOT EXISTS (SELECT FROM push.run_content x WHERE x.run = r.id OFFSET 0)
$$;
COMMENT ON FUNCTION push_internal.free_unsent_keys IS
    'Frees keys of runs that a schedule put on record and that sent nothing: skipped, missed, or not begun. push.audit '
    'keeps them.';

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
    campaigns int[], expected bigint[], scheduled bigint[], overlap text[], occasion text[], skipped text[], whys text[],
    next bigint[], fires double precision[], upcoming text[])
RETURNS TABLE (campaign text, key text, state push.run_state, why text, missed int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    this record;
    known push.campaign;
    keys text[];
BEGIN
    PERFORM push_internal.require_read_committed('push_worker.fire_v1');
    FOR this IN
        SELECT u.*
          FROM unnest(campaigns, expected, scheduled, overlap, occasion, skipped, whys, next, fires, upcoming)
               u(campaign, expected, scheduled, overlap, occasion, skipped, why, next, fires, upcoming)
         ORDER BY u.campaign
    LOOP
        -- One that another worker is at is left to it.
        SELECT c.* INTO known FROM push.campaign c WHERE c.id = this.campaign FOR NO KEY UPDATE SKIP LOCKED;
        CONTINUE WHEN known.next_at IS DISTINCT FROM coalesce(to_timestamp(this.expected), '-infinity');
        keys := ARRAY(
            SELECT push_internal.key_of_time(to_timestamp(u.at))
              FROM unnest(this.skipped::bigint[]) WITH ORDINALITY u(at, n)
             ORDER BY u.n);
        UPDATE push.campaign c
           SET next_at = to_timestamp(this.next),
               fires_at = to_timestamp(this.fires),
               upcoming = ARRAY(SELECT to_timestamp(u.at) FROM unnest(this.upcoming::bigint[]) WITH ORDINALITY u(at, n)
                                 ORDER BY u.n),
               moved_at = clock_timestamp(),
               -- What was missed is said until the schedule moves on.
               schedule_why = CASE WHEN this.scheduled IS NULL
                                   THEN left(nullif(concat_ws(' ', 'run ' || to_json(keys[1]), this.why), ''), 2000) END
         WHERE c.id = this.campaign;
        campaign := known.name;
        IF keys <> '{}' THEN
            missed := push_internal.record_unsent_runs(known, keys, 'skipped', this.why);
            key := keys[1];
            state := 'skipped';
            why := this.why;
            RETURN NEXT;
            CONTINUE WHEN this.scheduled IS NULL;
        END IF;
        key := NULL;
        state := NULL;
        why := NULL;
        missed := 0;
        IF this.scheduled IS NOT NULL THEN
            key := push_internal.key_of_time(to_timestamp(this.scheduled));
            SELECT f.state, f.why INTO state, why FROM push_internal.fire(known, key, this.overlap, this.occasion) f;
        END IF;
        RETURN NEXT;
    END LOOP;
    PERFORM push.wake_up();
END $$;
COMMENT ON FUNCTION push_worker.fire_v1 IS
    'Moves the next times of campaigns by compare-and-set, and starts those that are to start, in one transaction: of '
    'several workers one fires. The key of a run is its scheduled time in UTC. Times are seconds since 1970; expected '
    'null: not worked out yet; scheduled null: nothing starts; next null: the schedule is over. skipped: times that '
    'start nothing, which are put on record with why. why alone: why no time comes. overlap, occasion: as '
    'push_internal.decide_start takes them. One row for each campaign that it moved, and before it one for what was '
    'missed, with the first key and how many were put on record; state null: nothing started, or a run of that key '
    'was there.';
