-- What workers do for runs that are not over: facts out, one change of state in. Sources/Campaigns/Run decides.

CREATE OR REPLACE FUNCTION push_internal.results_to_judge(run bigint, OUT results bigint, OUT rejected bigint, OUT doubts bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    -- Of the same messages: accepted ones count as soon as rejected ones do.
    SELECT coalesce(sum(c.rows), 0), coalesce(sum(c.rows) FILTER (WHERE c.status = 'rejected'), 0),
           coalesce(sum(c.rows) FILTER (WHERE c.status = 'in_doubt'), 0)
      INTO results, rejected, doubts
      FROM push_internal.counts_until_now(results_to_judge.run) c
     WHERE c.status IN ('accepted', 'rejected', 'expired', 'in_doubt');
END $$;
COMMENT ON FUNCTION push_internal.results_to_judge IS
    'What stop_when compares: the results of a run until now, of counted slices and of open ones.';

CREATE OR REPLACE FUNCTION push_internal.is_first_of_campaign(this push.run) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT NOT EXISTS (
        SELECT
          FROM push.run o
         WHERE o.ended_at IS NULL AND o.campaign = this.campaign AND o.id < this.id AND NOT o.is_test)
$$;
COMMENT ON FUNCTION push_internal.is_first_of_campaign IS
    'Whether no run of the same campaign that was started before is still going on.';

CREATE OR REPLACE FUNCTION push_internal.first_waiting() RETURNS SETOF push.run
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    -- From campaign to campaign in the index, however many wait.
    WITH RECURSIVE head AS (
        (SELECT r.id, r.campaign FROM push.run r WHERE r.state = 'waiting' ORDER BY r.campaign, r.id LIMIT 1)
         UNION ALL
        SELECT n.id, n.campaign
          FROM head h,
               LATERAL (
                   SELECT r.id, r.campaign
                     FROM push.run r
                    WHERE r.state = 'waiting' AND r.campaign > h.campaign
                    ORDER BY r.campaign, r.id
                    LIMIT 1) n
    )
    SELECT r.*
      FROM head h,
           LATERAL (SELECT r.* FROM push.run r WHERE r.id = h.id OFFSET 0) r
$$;
COMMENT ON FUNCTION push_internal.first_waiting IS 'Of each campaign that has runs that wait the first.';

CREATE OR REPLACE FUNCTION push_internal.count_slices_of_run(run bigint, OUT closed int, OUT open int)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    part record;
BEGIN
    closed := 0;
    open := 0;
    -- Which ones are tried is left to chance where many wait: a hub may be closed for hours.
    FOR part IN
        SELECT s.stream, s.n
          FROM push.stream t
               JOIN push.slice s ON s.stream = t.id
         WHERE t.run = count_slices_of_run.run
           AND s.rows > 0
           AND NOT EXISTS (SELECT FROM push.slice_count c WHERE c.stream = s.stream AND c.n = s.n OFFSET 0)
         ORDER BY random()
         LIMIT 50
    LOOP
        IF push_internal.count_unclaimed_of_slice(part.stream, part.n, 1) = 0 AND push_internal.close_slice(part.stream, part.n) THEN
            closed := closed + 1;
        ELSE
            open := open + 1;
        END IF;
        EXIT WHEN open = 3;                    -- the others with the next look
    END LOOP;
    IF closed = 50 THEN
        open := 1;                             -- there may be more
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.count_slices_of_run IS
    'Counts finished slices of a run, at most 50; open: how many of those it tried are not finished. 0: all are '
    'counted.';

CREATE OR REPLACE FUNCTION push_worker.look_at_runs_v1(after bigint, most int)
RETURNS TABLE (
    run bigint, campaign text, key text, state push.run_state, since timestamptz, in_state double precision,
    ends_in double precision, expanded bigint, estimate bigint, is_expanded boolean, left_out boolean, open int, has_parked boolean,
    results bigint, rejected bigint, expired bigint, doubts bigint, reasons text,
    judged_results bigint, judged_rejected bigint, judged_doubts bigint,
    stop_rejected double precision, stop_doubts double precision, stop_least int,
    canary_size bigint, canary_wait double precision, canary_failed double precision, canary_doubts double precision,
    canary_asks boolean, pause_share double precision)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    this push.run;
    held bigint[];
BEGIN
    PERFORM push_internal.require_read_committed('push_worker.look_at_runs_v1');
    -- Another worker may be updating a run. Rows that nothing else locks; an advisory lock could be taken by any login.
    -- A run that has been paused for long needs nothing until its time is up: messages that return to it are parked.
    held := ARRAY(
        SELECT c.run
          FROM push.run r
               JOIN push.run_content c ON c.run = r.id
         WHERE r.closed_at IS NULL AND r.state <> 'waiting' AND r.id > look_at_runs_v1.after
           AND (r.state <> 'paused' OR r.state_since > clock_timestamp() - interval '5 min' OR r.ends_at <= clock_timestamp())
         ORDER BY r.id
         LIMIT most
           FOR UPDATE OF c SKIP LOCKED);
    IF look_at_runs_v1.after = 0 THEN
        PERFORM push_internal.drop_replaced_lists();
        held := held || ARRAY(SELECT r.id FROM push_internal.first_waiting() r WHERE push_internal.is_first_of_campaign(r));
    END IF;
    FOR this IN SELECT r.* FROM unnest(held) u(id), LATERAL (SELECT r.* FROM push.run r WHERE r.id = u.id OFFSET 0) r LOOP
        run := this.id;
        campaign := (SELECT c.name FROM push.campaign c WHERE c.id = this.campaign);
        key := this.key;
        state := this.state;
        since := this.state_since;
        in_state := extract(epoch FROM clock_timestamp() - this.state_since);
        ends_in := extract(epoch FROM this.ends_at - clock_timestamp());
        estimate := this.estimate;
        IF state IN ('canary', 'running') AND this.send_window ->> 'outside' = 'drop' THEN
            PERFORM push_internal.leave_out_outside_window(this);
        END IF;
        SELECT coalesce(sum(t.expanded), 0), coalesce(bool_and(t.done_at IS NOT NULL), false), coalesce(sum(t.slices), 0) > 0
          INTO expanded, is_expanded, left_out
          FROM push.stream t
         WHERE t.run = this.id;
        open := (SELECT c.open FROM push_internal.count_slices_of_run(this.id) c);
        has_parked := push_internal.has_parked(this.id);
        SELECT sum(c.rows), sum(c.rows) FILTER (WHERE c.status = 'rejected'), sum(c.rows) FILTER (WHERE c.status = 'expired'),
               sum(c.rows) FILTER (WHERE c.status = 'in_doubt')
          INTO results, rejected, expired, doubts
          FROM push_internal.counts_of_run(this.id) c
         WHERE c.status <> 'cancelled' AND open = 0;
        canary_size := CASE WHEN this.canary_judged_at IS NULL THEN this.canary_size END;
        canary_wait := coalesce(extract(epoch FROM (this.canary ->> 'wait')::interval), 300);
        canary_failed := coalesce((this.canary ->> 'failed')::double precision, 0.02);
        canary_doubts := coalesce((this.canary ->> 'doubt')::double precision, 0.01);
        canary_asks := this.canary ->> 'then' IS NOT DISTINCT FROM 'ask';
        reasons := CASE WHEN state = 'canary' AND open = 0 THEN push_internal.reasons_of_failures(this.id) END;
        stop_rejected := (this.stop_when ->> 'rejected')::double precision;
        stop_doubts := (this.stop_when ->> 'doubt')::double precision;
        stop_least := coalesce((this.stop_when ->> 'least')::int, 100);
        SELECT NULL::bigint, NULL::bigint, NULL::bigint INTO judged_results, judged_rejected, judged_doubts;
        IF state = 'running' AND this.stop_when IS NOT NULL THEN
            SELECT j.results - this.judged_results, j.rejected - this.judged_rejected, j.doubts - this.judged_doubts
              INTO judged_results, judged_rejected, judged_doubts
              FROM push_internal.results_to_judge(this.id) j;
        END IF;
        pause_share := CASE
            WHEN this.started_by = 'schedule' AND open = 0 AND (is_expanded OR state NOT IN ('canary', 'running'))
            THEN (push_internal.schedule_of(this.campaign) ->> 'pauseOnFailure')::double precision
        END;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION push_worker.look_at_runs_v1 IS
    'A page of the runs behind an id that are not over, with the facts that decide their next step; and with after => 0 '
    'those whose turn has come. Counts finished slices, and drops lists that were replaced. Fewer rows than asked for: '
    'the last page, and workers begin again at 0. Leaves out runs that another worker looks at now. Times are in seconds; '
    'results to doubts are of slices that are counted, 0 while some are not.';

CREATE OR REPLACE FUNCTION push_internal.reasons_of_failures(run bigint) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT string_agg(format('%s %s', o.reason, o.rows), ', ' ORDER BY o.rows DESC, o.reason)
      FROM (SELECT c.reason, sum(c.rows) AS rows
              FROM push_internal.counts_of_run(run) c
             WHERE c.status IN ('rejected', 'expired', 'in_doubt')
             GROUP BY c.reason
             ORDER BY 2 DESC, 1
             LIMIT 3) o
$$;
COMMENT ON FUNCTION push_internal.reasons_of_failures IS 'The three most frequent reasons why messages of a run failed: "bad_request 15".';

CREATE OR REPLACE FUNCTION push_worker.change_run_v1(run bigint, since timestamptz, event text, why text) RETURNS push.run_state
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    changed record;
BEGIN
    PERFORM push_internal.require_read_committed('push_worker.change_run_v1');
    SELECT c.* INTO changed FROM push_internal.change_run(run, event, why, since) c;
    IF changed.state IS NULL THEN
        RETURN NULL;
    ELSIF event = 'turn_comes' THEN
        -- Its times count from now.
        UPDATE push.stream t SET release_at = clock_timestamp() WHERE t.run = change_run_v1.run;
        PERFORM push_internal.release_streams(change_run_v1.run);
        UPDATE push.run r
           SET begun_at = clock_timestamp(), started_at = clock_timestamp(), ends_at = clock_timestamp() + (r.ends_at - r.started_at)
         WHERE r.id = change_run_v1.run;
        PERFORM push.wake_up();
    ELSIF event IN ('canary_passes', 'canary_fails', 'canary_asks') THEN
        UPDATE push.run r SET canary_judged_at = clock_timestamp() WHERE r.id = change_run_v1.run;
    END IF;
    RETURN changed.state;
END $$;
COMMENT ON FUNCTION push_worker.change_run_v1 IS
    'What a worker found of a run that has been in its state since then: its new state; null: somebody else changed it '
    'meanwhile.';

CREATE OR REPLACE FUNCTION push_worker.end_run_v1(run bigint, since timestamptz, event text, why text, pause_schedule text)
RETURNS push.run_state
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_variable
DECLARE
    this push.run;
    reached push.run_state;
BEGIN
    PERFORM push_internal.require_read_committed('push_worker.end_run_v1');
    SELECT r.* INTO this FROM push.run r WHERE r.id = run AND r.state_since = since AND r.closed_at IS NULL FOR NO KEY UPDATE;
    -- With the lock: a message that is sent again opens its slice and the run, in the same order.
    IF NOT FOUND
       OR EXISTS (
              SELECT
                FROM push.stream t
                     JOIN push.slice s ON s.stream = t.id
               WHERE t.run = run AND s.rows > 0
                 AND NOT EXISTS (SELECT FROM push.slice_count c WHERE c.stream = s.stream AND c.n = s.n OFFSET 0))
       OR NOT push_internal.is_over(this.state) AND this.state <> 'cancelling'
          AND EXISTS (SELECT FROM push.stream t WHERE t.run = run AND t.done_at IS NULL)
    THEN
        RETURN NULL;
    END IF;
    SELECT c.state INTO reached FROM push_internal.change_run(run, event, coalesce(why, this.why), since) c;
    IF reached IS NOT NULL THEN
        UPDATE push.run r SET closed_at = clock_timestamp() WHERE r.id = run;
        PERFORM push_internal.stop_schedule(this.campaign, pause_schedule) WHERE pause_schedule IS NOT NULL;
    END IF;
    RETURN reached;
END $$;
COMMENT ON FUNCTION push_worker.end_run_v1 IS
    'Ends a run whose slices are all counted, and whose audience is read to its end or not read on; pauses its schedule '
    'if pause_schedule has a reason. Null: some slices are not counted, or somebody else changed the run since.';

CREATE OR REPLACE FUNCTION push_worker.move_messages_v1(run bigint, since timestamptz, move text, batch int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.run;
    status constant push.status := CASE move WHEN 'park' THEN 'retrying' WHEN 'cancel' THEN 'cancelled' WHEN 'expire' THEN 'expired' END;
    part record;
    moved bigint;
BEGIN
    PERFORM push_internal.require_read_committed('push_worker.move_messages_v1');
    SELECT r.* INTO this FROM push.run r WHERE r.id = move_messages_v1.run AND r.state_since = move_messages_v1.since FOR SHARE;
    IF NOT FOUND THEN
        RETURN 0;
    ELSIF move = 'give_back' THEN
        moved := (SELECT g.given FROM push_internal.give_back_messages(this, batch) g);
        PERFORM push.wake_up() WHERE moved > 0;
        RETURN moved;
    ELSIF move = 'expire' THEN                 -- what is due may still be sent
        SELECT p.* INTO part FROM push_internal.parked_pointers(this.id, batch) p;
        RETURN push_internal.stop_pointers(this.id, part.pointers, part.ids, status);
    END IF;
    moved := push_internal.stop_pending_messages(this.id, status, batch);
    RETURN moved + (SELECT o.stopped FROM push_internal.stop_messages_of_open_slices(this.id, status, batch, 0, 0) o);
END $$;
COMMENT ON FUNCTION push_worker.move_messages_v1 IS
    'Brings messages of a run that has been in its state since then where they belong, at most a batch: park or '
    'cancel what workers gave back, give_back or expire what is parked. Returns how many; 0 also where somebody '
    'changed the run meanwhile.';

CREATE OR REPLACE FUNCTION push_worker.stop_stream_v1(stream bigint, event text, why text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- A person who resumes a run whose audience repeats has looked: it is counted again when it made twice as many.
    UPDATE push.stream t SET count_at = 2 * t.expanded WHERE t.id = stop_stream_v1.stream AND event = 'audience_repeats';
    RETURN (SELECT c.state IS NOT NULL
              FROM push_internal.change_run(
                       (SELECT t.run FROM push.stream t WHERE t.id = stop_stream_v1.stream), event, why) c);
END $$;
COMMENT ON FUNCTION push_worker.stop_stream_v1 IS
    'Pauses a run by an event that says what is wrong with its audience. What is expanded is parked by '
    'push_worker.move_messages_v1.';
