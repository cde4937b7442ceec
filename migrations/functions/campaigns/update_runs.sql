-- Looking after runs: counting slices, stopping those that fail, ending those that are through.

CREATE OR REPLACE FUNCTION push_internal.reason_to_stop(stop_when json, run bigint) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    p record;
    results bigint;
BEGIN
    SELECT o.* INTO p FROM push.progress_of_run(run) o;
    results := p.accepted + p.rejected + p.expired + p.in_doubt;
    IF results < coalesce((stop_when ->> 'least')::int, 100) THEN
        RETURN NULL;
    ELSIF p.rejected > results * (stop_when ->> 'rejected')::double precision THEN
        RETURN format('stopped itself: %s of %s results were rejected, more than %s', p.rejected, results, stop_when ->> 'rejected');
    ELSIF p.in_doubt > results * (stop_when ->> 'doubt')::double precision THEN
        RETURN format('stopped itself: %s of %s results are in doubt, more than %s', p.in_doubt, results, stop_when ->> 'doubt');
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.reason_to_stop IS 'Why a run has to stop by its stop_when; null: it goes on.';

CREATE OR REPLACE FUNCTION push_internal.end_run(run bigint) RETURNS push.run_state
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.run;
    counted record;
    ending push.run_state;
BEGIN
    SELECT r.* INTO this FROM push.run r WHERE r.id = end_run.run FOR NO KEY UPDATE;
    -- With the lock: a message that is sent again opens its slice and the run, in the same order.
    IF this.closed_at IS NOT NULL
       OR this.state = 'paused'
       OR this.state IN ('waiting', 'canary', 'running')
          AND EXISTS (SELECT FROM push.stream t WHERE t.run = this.id AND t.done_at IS NULL)
       OR EXISTS (
              SELECT
                FROM push.stream t
                     JOIN push.slice s ON s.stream = t.id
               WHERE t.run = this.id AND s.rows > 0
                 AND NOT EXISTS (SELECT FROM push.slice_count c WHERE c.stream = s.stream AND c.n = s.n OFFSET 0))
    THEN
        RETURN NULL;
    END IF;
    SELECT coalesce(sum(c.rows), 0) AS rows, coalesce(sum(c.rows) FILTER (WHERE c.status IN ('accepted', 'in_doubt')), 0) AS sent
      INTO counted
      FROM push_internal.counts_of_run(this.id) c;
    ending := CASE
        WHEN this.state = 'cancelling' THEN 'cancelled'
        WHEN this.state IN ('cancelled', 'expired') THEN this.state
        WHEN counted.rows > 0 AND counted.sent = 0 THEN 'failed'
        ELSE 'done'
    END;
    IF ending <> this.state THEN
        PERFORM push_internal.set_run_state(
            this.id, ARRAY[this.state], ending,
            CASE ending
                WHEN 'cancelled' THEN this.why
                WHEN 'failed' THEN 'nothing could be sent'
                WHEN 'done' THEN CASE
                    WHEN counted.rows > 0 THEN NULL
                    WHEN EXISTS (SELECT FROM push.stream t WHERE t.run = this.id AND t.slices > 0)
                    THEN 'everybody in the audience was left out'
                    ELSE 'the audience was empty'
                END
            END);
    END IF;
    UPDATE push.run r SET closed_at = clock_timestamp() WHERE r.id = this.id;
    PERFORM push_internal.pause_schedule_of_failed_run(this.id);
    RETURN ending;
END $$;
COMMENT ON FUNCTION push_internal.end_run IS 'Ends a run whose audience and slices are through; null: it goes on.';

CREATE OR REPLACE FUNCTION push_internal.waits_for_earlier_run(this push.run) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT EXISTS (
        SELECT
          FROM push.run o
         WHERE o.closed_at IS NULL AND o.ended_at IS NULL AND o.campaign = this.campaign AND o.id < this.id
           AND NOT o.is_test)
$$;
COMMENT ON FUNCTION push_internal.waits_for_earlier_run IS
    'Whether a run of the same campaign that was started before is not over.';

CREATE OR REPLACE FUNCTION push_internal.begin_waiting_run(run bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT push_internal.set_run_state(run, '{waiting}', 'running', NULL) THEN
        RETURN false;
    END IF;
    -- Its times count from now.
    UPDATE push.stream t SET release_at = clock_timestamp() WHERE t.run = begin_waiting_run.run;
    PERFORM push_internal.release_streams(begin_waiting_run.run);
    UPDATE push.run r SET started_at = clock_timestamp(), ends_at = clock_timestamp() + (r.ends_at - r.started_at)
     WHERE r.id = begin_waiting_run.run;
    RETURN true;
END $$;
COMMENT ON FUNCTION push_internal.begin_waiting_run IS
    'Begins a run that waited for the end of others of its campaign.';

CREATE OR REPLACE FUNCTION push_worker.update_runs_v1()
RETURNS TABLE (campaign text, key text, state push.run_state, why text, closed int, open int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    this push.run;
    part record;
    reached push.run_state;
    stopped bigint;
BEGIN
    PERFORM push_internal.require_read_committed('push_worker.update_runs_v1');
    FOR this IN
        SELECT r.*
          FROM push.run r
         WHERE r.closed_at IS NULL AND (r.state <> 'waiting' OR NOT push_internal.waits_for_earlier_run(r))
         ORDER BY r.id
         LIMIT 200
    LOOP
        -- Another worker may be looking after it. A row that nothing else locks; an advisory lock could be taken by any login.
        PERFORM FROM push.run_content c WHERE c.run = this.id FOR UPDATE SKIP LOCKED;
        CONTINUE WHEN NOT FOUND;
        state := this.state;
        why := NULL;
        closed := 0;
        -- 1. Its turn has come, its time is up, or too much of it failed.
        IF this.state = 'waiting' THEN
            IF push_internal.begin_waiting_run(this.id) THEN
                state := 'running';
            END IF;
        ELSIF this.state IN ('canary', 'running', 'paused') AND this.ends_at <= clock_timestamp() THEN
            why := (SELECT format('its time was up after %s of about %s recipients',
                                  sum(t.expanded), coalesce(this.estimate::text, '?'))
                      FROM push.stream t WHERE t.run = this.id);
            IF EXISTS (SELECT FROM push.stream t WHERE t.run = this.id AND t.done_at IS NULL)
               AND push_internal.set_run_state(this.id, ARRAY[this.state], 'expired', why)
            THEN
                state := 'expired';
            END IF;
        ELSIF this.state = 'running' AND this.stop_when IS NOT NULL THEN
            why := push_internal.reason_to_stop(this.stop_when, this.id);
            IF why IS NOT NULL AND push_internal.set_run_state(this.id, '{running}', 'paused', why) THEN
                state := 'paused';
            END IF;
        END IF;
        IF state IN ('canary', 'running') AND this.canary_size IS NOT NULL AND this.canary_judged_at IS NULL THEN
            state := coalesce(push_internal.advance_canary(this), state);
        END IF;
        -- 2. What workers gave back after the run was stopped is stopped as well.
        stopped := 0;
        IF state IN ('cancelling', 'cancelled') THEN
            stopped := push_internal.stop_returned_messages(this.id, 'cancelled', 'cancelled_by_caller');
        ELSIF state = 'paused' THEN
            -- For as long as answers may come in: a run may be paused for days.
            CONTINUE WHEN this.state = 'paused' AND this.state_since < clock_timestamp() - interval '5 min';
            stopped := push_internal.stop_returned_messages(this.id, 'retrying', 'paused');
        END IF;
        IF state IN ('canary', 'running') AND this.send_window ->> 'outside' = 'drop' THEN
            PERFORM push_internal.end_streams_outside_window(this);
        END IF;
        -- 3. Slices that are through are counted. Which ones are tried is left to chance where many wait.
        open := 0;
        FOR part IN
            SELECT s.stream, s.n
              FROM push.stream t
                   JOIN push.slice s ON s.stream = t.id
             WHERE t.run = this.id
               AND s.rows > 0
               AND NOT EXISTS (SELECT FROM push.slice_count c WHERE c.stream = s.stream AND c.n = s.n OFFSET 0)
             ORDER BY random()
             LIMIT 50
        LOOP
            IF open = 3 THEN                   -- the others with the next look: a hub may be closed for hours
                EXIT;
            END IF;
            IF push_internal.count_unclaimed_of_slice(part.stream, part.n, 1) = 0 AND push_internal.close_slice(part.stream, part.n) THEN
                closed := closed + 1;
            ELSE
                open := open + 1;
            END IF;
        END LOOP;
        IF open = 0 THEN
            reached := push_internal.end_run(this.id);
            IF reached IS NOT NULL THEN
                state := reached;
            END IF;
        END IF;
        campaign := (SELECT c.name FROM push.campaign c WHERE c.id = this.campaign);
        key := this.key;
        IF state <> this.state THEN
            why := coalesce(why, (SELECT r.why FROM push.run r WHERE r.id = this.id));
        ELSE
            why := NULL;
        END IF;
        RETURN NEXT;
        EXIT WHEN stopped > 0;                  -- rows of push.tally are locked, and the next run comes before them
    END LOOP;
END $$;
COMMENT ON FUNCTION push_worker.update_runs_v1 IS
    'Looks after runs that are not over: begins those that waited, ends those whose time is up, pauses those in which '
    'too much fails, counts slices that are through, and ends runs. Workers call it about once a second. One row for '
    'each run it looked at; why: its state changed.';

CREATE OR REPLACE FUNCTION push_internal.waits_for_window(this push.run) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    RETURN this.state = 'running'
       AND EXISTS (SELECT FROM push.stream t WHERE t.run = this.id AND t.done_at IS NULL)
       AND NOT EXISTS (
               SELECT
                 FROM push.stream t
                WHERE t.run = this.id
                  AND t.done_at IS NULL
                  AND t.release_at <= clock_timestamp()
                  AND push_internal.is_open(this, t.zone));
END $$;
COMMENT ON FUNCTION push_internal.waits_for_window IS
    'Whether a run waits for the hour of its next zone or for its window.';

CREATE OR REPLACE FUNCTION push_worker.open_runs_v1(hubs text[], OUT working int, OUT paused int)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT count(*) FILTER (WHERE NOT p.is_paused)::int, count(*) FILTER (WHERE p.is_paused)::int
      FROM push.run r,
           -- One that waits for a paused one waits for a person, too; one that rests waits for hours.
           LATERAL (
               SELECT r.state = 'paused' OR push_internal.waits_for_window(r) OR r.state = 'waiting' AND EXISTS (
                          SELECT
                            FROM push.run o
                           WHERE o.closed_at IS NULL AND o.campaign = r.campaign AND o.state = 'paused' AND o.id < r.id
                             AND NOT o.is_test
                          OFFSET 0) AS is_paused) p
     WHERE r.closed_at IS NULL
       AND EXISTS (
               SELECT
                 FROM push.stream t
                      JOIN push.hub h ON h.id = t.hub
                WHERE t.run = r.id AND h.name = ANY (hubs))
$$;
COMMENT ON FUNCTION push_worker.open_runs_v1 IS
    'How many runs of these hubs are not over: being sent or ending, and paused or waiting for a zone or window. '
    'For a drain that has to know whether it may end.';

CREATE OR REPLACE FUNCTION push_worker.stop_stream_v1(stream bigint, why text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN push_internal.set_run_state(
        (SELECT t.run FROM push.stream t WHERE t.id = stop_stream_v1.stream), '{running}', 'paused', left(why, 2000));
END $$;
COMMENT ON FUNCTION push_worker.stop_stream_v1 IS
    'Pauses a run whose audience cannot be read. What is expanded is stopped by push_worker.update_runs_v1.';
