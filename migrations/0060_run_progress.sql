-- Fanfare, migration 60: How far runs are: counting slices that are through, ending runs, and the views.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.close_slice(stream bigint, n int) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_nestloop = off AS $$
#variable_conflict use_column
DECLARE
    this record;
    results record;
BEGIN
    SELECT s.*, push.contents_of_run(t.run) AS contents INTO this
      FROM push.slice s
           JOIN push.stream t ON t.id = s.stream
     WHERE s.stream = close_slice.stream AND s.n = close_slice.n;
    -- The usual case: every message of the stretch is ours and has one result, which is final.
    SELECT count(*) AS rows, coalesce(bool_and(r.status IN ('accepted', 'rejected', 'expired', 'cancelled')), false) AS final
      INTO results
      FROM push.result r
     WHERE r.id BETWEEN this.first_id AND this.last_id;
    IF results.rows < this.rows THEN
        RETURN false;
    ELSIF results.final AND results.rows = this.rows AND this.last_id - this.first_id + 1 = this.rows THEN
        INSERT INTO push.slice_count (stream, n, status, reason, rows)
        SELECT this.stream, this.n, r.status, r.reason, count(*)
          FROM push.result r
         WHERE r.id BETWEEN this.first_id AND this.last_id
         GROUP BY r.status, r.reason;
        RETURN true;
    END IF;
    WITH newest AS MATERIALIZED (
        SELECT DISTINCT ON (r.id) r.id, r.status, r.reason
          FROM push.result r
         WHERE r.id BETWEEN this.first_id AND this.last_id
         ORDER BY r.id, r.arrival DESC
    ), ours AS MATERIALIZED (
        SELECT m.id
          FROM push.message m
         WHERE m.id BETWEEN this.first_id AND this.last_id
           AND m.run_content = ANY (this.contents)
    ), counted AS MATERIALIZED (
        SELECT w.status, w.reason, count(*) AS rows
          FROM ours o
               JOIN newest w ON w.id = o.id
         GROUP BY w.status, w.reason
    )
    INSERT INTO push.slice_count (stream, n, status, reason, rows)
    SELECT this.stream, this.n, c.status, c.reason, c.rows
      FROM counted c
     WHERE (SELECT sum(o.rows) FROM counted o WHERE o.status <> 'retrying') = this.rows;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push.close_slice IS
    'Counts what became of a slice, if all its messages are final; false: some are not. Only for push.tend_runs_v1.';

CREATE FUNCTION push.counts_of_run(run bigint)
RETURNS TABLE (status push.status, reason push.reason, rows bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    -- OFFSET 0 keeps it a look-up: a table that was empty when analysed would be read whole, with the counts of all runs.
    SELECT c.status, c.reason, sum(c.rows)::bigint
      FROM push.stream t,
           LATERAL (SELECT c.status, c.reason, c.rows FROM push.slice_count c WHERE c.stream = t.id OFFSET 0) c
     WHERE t.run = counts_of_run.run
     GROUP BY c.status, c.reason
$$;
COMMENT ON FUNCTION push.counts_of_run IS
    'What became of the messages in slices that are through. Only for other functions.';

CREATE FUNCTION push.progress_of_run(
    run bigint, OUT expanded bigint, OUT is_through boolean, OUT accepted bigint, OUT rejected bigint, OUT expired bigint,
    OUT cancelled bigint, OUT in_doubt bigint, OUT under_way bigint, OUT pending bigint, OUT suppressed bigint,
    OUT capped bigint, OUT passed bigint, OUT outside_window bigint, OUT unknown_zone bigint, OUT waits_until timestamptz,
    OUT waits_for text, OUT reasons json, OUT per_second double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    contents constant bigint[] := push.contents_of_run(run);
    streams record;
    counted record;
    open record;
    failed record;
    asleep bigint;
BEGIN
    SELECT coalesce(sum(t.expanded), 0)::bigint AS expanded, coalesce(bool_and(t.done_at IS NOT NULL), false) AS is_through
      INTO streams
      FROM push.stream t
     WHERE t.run = progress_of_run.run;
    expanded := streams.expanded;
    is_through := streams.is_through;
    SELECT coalesce(sum(c.rows) FILTER (WHERE c.status = 'accepted'), 0)::bigint AS accepted,
           coalesce(sum(c.rows) FILTER (WHERE c.status = 'rejected'), 0)::bigint AS rejected,
           coalesce(sum(c.rows) FILTER (WHERE c.status = 'expired'), 0)::bigint AS expired,
           coalesce(sum(c.rows) FILTER (WHERE c.status = 'cancelled'), 0)::bigint AS cancelled,
           coalesce(sum(c.rows) FILTER (WHERE c.status = 'in_doubt'), 0)::bigint AS in_doubt,
           coalesce(sum(c.rows), 0)::bigint AS rows,
           json_object_agg(c.reason, c.rows ORDER BY c.rows DESC) FILTER (WHERE c.status = 'rejected') AS reasons
      INTO counted
      FROM push.counts_of_run(progress_of_run.run) c;
    SELECT coalesce(sum((s.left_out ->> 'suppressed')::int), 0)::bigint AS suppressed,
           coalesce(sum((s.left_out ->> 'capped')::int), 0)::bigint AS capped,
           coalesce(sum(s.rows) FILTER (WHERE s.at > clock_timestamp() - interval '10 s'), 0) / 10.0 AS per_second
      INTO open
      FROM push.stream t
           JOIN push.slice s ON s.stream = t.id
     WHERE t.run = progress_of_run.run;
    suppressed := open.suppressed;
    capped := open.capped;
    per_second := open.per_second;
    SELECT l.* INTO passed, outside_window, unknown_zone, waits_until, waits_for FROM push.local_progress(run) l;
    pending := 0;
    rejected := 0;
    expired := 0;
    IF counted.rows < expanded THEN
        -- Of slices that are not through: what waits in push.due, in the index alone, and what failed.
        pending := coalesce((
            SELECT sum((push.ahead_of_stream(t.id, 100000)).rows) FROM push.stream t WHERE t.run = progress_of_run.run), 0);
        asleep := (
            SELECT count(*)
              FROM (SELECT DISTINCT t.hub, t.priority FROM push.stream t WHERE t.run = progress_of_run.run) t,
                   LATERAL (
                       SELECT d.id
                         FROM push.due d
                        WHERE d.hub = t.hub AND d.priority = t.priority AND d.due_at = push.paused_until()
                       OFFSET 0) d,
                   LATERAL (SELECT m.run_content FROM push.message m WHERE m.id = d.id OFFSET 0) m
             WHERE m.run_content = ANY (contents));
        pending := pending + asleep;
        SELECT count(*) FILTER (WHERE r.status = 'rejected') AS rejected,
               count(*) FILTER (WHERE r.status = 'expired') AS expired
          INTO failed
          FROM (SELECT s.first_id, s.last_id, s.at
                  FROM push.stream t
                       JOIN push.slice s ON s.stream = t.id
                 WHERE t.run = progress_of_run.run
                   AND s.rows > 0
                   AND NOT EXISTS (SELECT FROM push.slice_count c WHERE c.stream = s.stream AND c.n = s.n OFFSET 0)
                OFFSET 0) o,
               LATERAL (
                   SELECT r.id, r.status
                     FROM push.result r
                    WHERE r.status IN ('rejected', 'expired') AND r.at >= o.at
                      AND r.id BETWEEN o.first_id AND o.last_id
                      AND NOT EXISTS (SELECT FROM push.result n WHERE n.id = r.id AND n.arrival > r.arrival OFFSET 0)
                   OFFSET 0) r,
               LATERAL (SELECT m.run_content FROM push.message m WHERE m.id = r.id OFFSET 0) m
         WHERE m.run_content = ANY (contents);
        rejected := failed.rejected;
        expired := failed.expired;
    END IF;
    under_way := greatest(0, expanded - counted.rows - pending - rejected - expired);
    accepted := counted.accepted;
    rejected := counted.rejected + rejected;
    expired := counted.expired + expired;
    cancelled := counted.cancelled;
    in_doubt := counted.in_doubt;
    reasons := coalesce(counted.reasons, '{}');
END $$;
COMMENT ON FUNCTION push.progress_of_run IS 'What push.run_progress shows of a run.';

CREATE VIEW push.run_progress AS
SELECT c.name AS campaign,
       r.key,
       r.state,
       r.why,
       p.expanded,
       CASE
           WHEN p.is_through THEN p.expanded + p.suppressed + p.capped + p.passed + p.outside_window
           ELSE greatest(r.estimate, p.expanded)
       END AS total,
       p.is_through,
       p.accepted,
       p.rejected,
       p.expired,
       p.cancelled,
       p.in_doubt,
       p.under_way,
       p.pending,
       p.suppressed,
       p.capped,
       p.passed,
       p.outside_window,
       p.unknown_zone,
       p.waits_until,
       p.waits_for,
       p.reasons,
       round(p.per_second::numeric, 1) AS per_second,
       r.rate,
       CASE
           WHEN r.state = 'running' AND p.per_second > 0
           THEN make_interval(secs => greatest(0, r.estimate - p.expanded - p.suppressed - p.capped + p.pending) / p.per_second)
       END AS eta,
       r.revision,
       r.is_test,
       r.started_by,
       r.started_at,
       r.state_since,
       r.ended_at,
       coalesce(r.ended_at, clock_timestamp()) - r.started_at AS took,
       r.bypasses_suppression,
       r.id AS run
  FROM push.run r
       JOIN push.campaign c ON c.id = r.campaign,
       LATERAL push.progress_of_run(r.id) p;
COMMENT ON VIEW push.run_progress IS
    'How far each run of a campaign is. Nothing is counted that was counted before, so asking is cheap at any size: '
    'SELECT * FROM push.run_progress WHERE campaign = ''spring''.';
COMMENT ON COLUMN push.run_progress.campaign IS 'Name of the campaign.';
COMMENT ON COLUMN push.run_progress.key IS 'Key of the run.';
COMMENT ON COLUMN push.run_progress.state IS 'Where it stands.';
COMMENT ON COLUMN push.run_progress.why IS 'Why, in words; null: nothing to say.';
COMMENT ON COLUMN push.run_progress.expanded IS 'Recipients that have a message by now.';
COMMENT ON COLUMN push.run_progress.total IS 'All recipients: an estimate until is_through.';
COMMENT ON COLUMN push.run_progress.is_through IS 'Whether the audience was read to its end.';
COMMENT ON COLUMN push.run_progress.accepted IS 'Messages that a hub took, in slices that are through.';
COMMENT ON COLUMN push.run_progress.rejected IS 'Messages that failed for good.';
COMMENT ON COLUMN push.run_progress.expired IS 'Messages whose time was up.';
COMMENT ON COLUMN push.run_progress.cancelled IS 'Messages that were cancelled, in slices that are through.';
COMMENT ON COLUMN push.run_progress.in_doubt IS 'Messages that may have been sent, in slices that are through.';
COMMENT ON COLUMN push.run_progress.under_way IS
    'Messages that a worker has or had in hand and that are not counted yet: on the wire, waiting for another try, or '
    'taken in a slice that is not through.';
COMMENT ON COLUMN push.run_progress.pending IS 'Messages that no worker has taken yet, those of a paused run included.';
COMMENT ON COLUMN push.run_progress.suppressed IS 'Recipients that were left out because of push.suppression.';
COMMENT ON COLUMN push.run_progress.capped IS
    'Recipients that were left out because enough campaigns of the group reached them (cap of the spec).';
COMMENT ON COLUMN push.run_progress.passed IS
    'Recipients that were left out because the time was past in their zone when the run began ("passed": "skip").';
COMMENT ON COLUMN push.run_progress.outside_window IS
    'Recipients that were left out because their window ended ("outside": "drop").';
COMMENT ON COLUMN push.run_progress.unknown_zone IS
    'Recipients with a message whose time_zone is null or not a zone of the run: they got it at its default''s time.';
COMMENT ON COLUMN push.run_progress.waits_until IS
    'When the next zone or window opens, while none is open; null: it does not wait.';
COMMENT ON COLUMN push.run_progress.waits_for IS 'What opens then: zone or window.';
COMMENT ON COLUMN push.run_progress.reasons IS
    'Why messages were rejected, in slices that are through: {"target_gone": 12}.';
COMMENT ON COLUMN push.run_progress.per_second IS 'Messages made a second, over the last ten seconds.';
COMMENT ON COLUMN push.run_progress.rate IS 'push.run.rate.';
COMMENT ON COLUMN push.run_progress.eta IS
    'How long it still takes at that pace; null: it does not run, or nobody knows.';
COMMENT ON COLUMN push.run_progress.revision IS 'The revision it sends.';
COMMENT ON COLUMN push.run_progress.is_test IS 'Whether it goes to a test audience (push.test_campaign).';
COMMENT ON COLUMN push.run_progress.started_by IS 'Who started it.';
COMMENT ON COLUMN push.run_progress.started_at IS 'When it was started.';
COMMENT ON COLUMN push.run_progress.state_since IS 'Since when it is in its state.';
COMMENT ON COLUMN push.run_progress.ended_at IS 'When it got its final state; null: it has none.';
COMMENT ON COLUMN push.run_progress.took IS 'From its start to its end, or to now.';
COMMENT ON COLUMN push.run_progress.bypasses_suppression IS 'push.run.bypasses_suppression.';
COMMENT ON COLUMN push.run_progress.run IS 'Number of the run: push.run.id.';

CREATE FUNCTION push.revision_to_run(campaign int) RETURNS int
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (push.standing_of(campaign)).to_run;
END $$;
COMMENT ON FUNCTION push.revision_to_run IS
    'The newest revision of a campaign that needs no approval or has it: a run takes it. Null: there is none.';

CREATE FUNCTION push.unapproved(campaign int) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (push.standing_of(campaign)).unapproved;
END $$;
COMMENT ON FUNCTION push.unapproved IS
    'Why a run would not take the newest revision of a campaign, and which one it takes; null: it takes the newest.';

CREATE VIEW push.campaigns AS
SELECT c.name,
       c.state,
       c.revision,
       c.changed_at,
       n.runs,
       p.key AS last_run,
       p.state AS run_state,
       p.accepted,
       p.rejected,
       p.in_doubt,
       p.why,
       p.took,
       nullif(c.next_at, '-infinity') AS next_at,
       c.unapproved
  FROM push.campaign c,
       LATERAL (
           SELECT count(*) FILTER (WHERE r.state <> 'skipped') AS runs,
                  max(r.id) FILTER (WHERE r.state <> 'skipped') AS newest
             FROM push.run r
            WHERE r.campaign = c.id AND NOT r.is_test) n
       LEFT JOIN LATERAL (SELECT p.* FROM push.run_progress p WHERE p.run = n.newest) p ON true;
COMMENT ON VIEW push.campaigns IS
    'The campaigns, each with its newest run. A run that was skipped because another was not over does not count, nor '
    'does a test.';
COMMENT ON COLUMN push.campaigns.name IS 'Name of the campaign.';
COMMENT ON COLUMN push.campaigns.state IS 'Whether it can be run.';
COMMENT ON COLUMN push.campaigns.revision IS 'The newest revision, which the next run uses if unapproved is null.';
COMMENT ON COLUMN push.campaigns.changed_at IS 'When it was changed last.';
COMMENT ON COLUMN push.campaigns.runs IS 'How often it was started.';
COMMENT ON COLUMN push.campaigns.last_run IS 'Key of the newest run; null: there is none.';
COMMENT ON COLUMN push.campaigns.run_state IS 'Where that run stands.';
COMMENT ON COLUMN push.campaigns.accepted IS 'Its messages that a hub took.';
COMMENT ON COLUMN push.campaigns.rejected IS 'Its messages that failed for good.';
COMMENT ON COLUMN push.campaigns.in_doubt IS 'Its messages that may have been sent.';
COMMENT ON COLUMN push.campaigns.why IS 'Why it is in its state; null: nothing to say.';
COMMENT ON COLUMN push.campaigns.took IS 'From its start to its end, or to now.';
COMMENT ON COLUMN push.campaigns.next_at IS
    'When it starts itself next; null: it has no schedule, the schedule is paused or over, or it is worked out just now.';
COMMENT ON COLUMN push.campaigns.unapproved IS
    'Why a run would not take the newest revision, and which one it takes: "revision 4 is not approved: revision 3 is '
    'sent"; null: it takes the newest.';

CREATE FUNCTION push.hubs_of_run(run bigint, OUT hub text, OUT workers bigint, OUT expanded bigint, OUT is_through boolean)
RETURNS SETOF record
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT h.name,
           (SELECT count(*)
              FROM push.serving v
                   JOIN push.worker w ON w.id = v.worker
             WHERE v.hub = h.id AND push.is_alive(w.beat_at, w.lease_seconds)),
           sum(t.expanded)::bigint, bool_and(t.done_at IS NOT NULL)
      FROM push.stream t
           JOIN push.hub h ON h.id = t.hub
     WHERE t.run = hubs_of_run.run
     GROUP BY h.id, h.name
$$;
COMMENT ON FUNCTION push.hubs_of_run IS 'What push.run_hubs shows of a run.';

CREATE VIEW push.run_hubs AS
SELECT c.name AS campaign,
       r.key,
       o.hub,
       o.workers,
       o.expanded,
       o.is_through,
       r.id AS run
  FROM push.run r
       JOIN push.campaign c ON c.id = r.campaign,
       LATERAL push.hubs_of_run(r.id) o;
COMMENT ON VIEW push.run_hubs IS 'The hubs of each run, and whether workers serve them.';
COMMENT ON COLUMN push.run_hubs.campaign IS 'Name of the campaign.';
COMMENT ON COLUMN push.run_hubs.key IS 'Key of the run.';
COMMENT ON COLUMN push.run_hubs.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.run_hubs.workers IS 'Workers that serve the hub now. 0: the run waits for one.';
COMMENT ON COLUMN push.run_hubs.expanded IS 'Recipients on this hub that have a message by now.';
COMMENT ON COLUMN push.run_hubs.is_through IS 'Whether the audience was read to its end for this hub.';
COMMENT ON COLUMN push.run_hubs.run IS 'Number of the run: push.run.id.';

CREATE FUNCTION push.stops_itself(stop_when json, run bigint) RETURNS text
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
COMMENT ON FUNCTION push.stops_itself IS
    'Why a run has to stop by its stop_when; null: it goes on. Only for push.tend_runs_v1.';

CREATE FUNCTION push.end_run(run bigint) RETURNS push.run_state
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
      FROM push.counts_of_run(this.id) c;
    ending := CASE
        WHEN this.state = 'cancelling' THEN 'cancelled'
        WHEN this.state IN ('cancelled', 'expired') THEN this.state
        WHEN counted.rows > 0 AND counted.sent = 0 THEN 'failed'
        ELSE 'done'
    END;
    IF ending <> this.state THEN
        PERFORM push.set_run_state(
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
    PERFORM push.judge_run(this.id);
    RETURN ending;
END $$;
COMMENT ON FUNCTION push.end_run IS
    'Ends a run whose audience and slices are through; null: it goes on. Only for push.tend_runs_v1.';

CREATE FUNCTION push.waits(this push.run) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT EXISTS (
        SELECT
          FROM push.run o
         WHERE o.closed_at IS NULL AND o.ended_at IS NULL AND o.campaign = this.campaign AND o.id < this.id
           AND NOT o.is_test)
$$;
COMMENT ON FUNCTION push.waits IS
    'Whether a run of the same campaign that was started before is not over. Only for other functions.';

CREATE FUNCTION push.begin_waiting(run bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT push.set_run_state(run, '{waiting}', 'running', NULL) THEN
        RETURN false;
    END IF;
    -- Its times count from now.
    UPDATE push.stream t SET release_at = clock_timestamp() WHERE t.run = begin_waiting.run;
    PERFORM push.release_streams(begin_waiting.run);
    UPDATE push.run r SET started_at = clock_timestamp(), ends_at = clock_timestamp() + (r.ends_at - r.started_at)
     WHERE r.id = begin_waiting.run;
    RETURN true;
END $$;
COMMENT ON FUNCTION push.begin_waiting IS
    'Begins a run that waited for the end of others of its campaign. Only for push.tend_runs_v1.';

CREATE FUNCTION push.halt_again(run bigint, status push.status, reason push.reason) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    halted bigint := push.halt_expanded(run, status, reason, 10000);
BEGIN
    RETURN halted + (SELECT o.halted FROM push.halt_open(run, status, reason, 10000, 0, 0) o);
END $$;
COMMENT ON FUNCTION push.halt_again IS
    'Stops what workers gave back after a run was stopped: what is due, and what waits for another try. Only for '
    'push.tend_runs_v1.';

CREATE FUNCTION push.tend_runs_v1()
RETURNS TABLE (campaign text, key text, state push.run_state, why text, closed int, open int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    this push.run;
    part record;
    reached push.run_state;
    halted bigint;
BEGIN
    PERFORM push.require_read_committed('push.tend_runs_v1');
    FOR this IN
        SELECT r.*
          FROM push.run r
         WHERE r.closed_at IS NULL AND (r.state <> 'waiting' OR NOT push.waits(r))
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
            IF push.begin_waiting(this.id) THEN
                state := 'running';
            END IF;
        ELSIF this.state IN ('canary', 'running', 'paused') AND this.ends_at <= clock_timestamp() THEN
            why := (SELECT format('its time was up after %s of about %s recipients',
                                  sum(t.expanded), coalesce(this.estimate::text, '?'))
                      FROM push.stream t WHERE t.run = this.id);
            IF EXISTS (SELECT FROM push.stream t WHERE t.run = this.id AND t.done_at IS NULL)
               AND push.set_run_state(this.id, ARRAY[this.state], 'expired', why)
            THEN
                state := 'expired';
            END IF;
        ELSIF this.state = 'running' AND this.stop_when IS NOT NULL THEN
            why := push.stops_itself(this.stop_when, this.id);
            IF why IS NOT NULL AND push.set_run_state(this.id, '{running}', 'paused', why) THEN
                state := 'paused';
            END IF;
        END IF;
        IF state IN ('canary', 'running') AND this.canary_size IS NOT NULL AND this.canary_judged_at IS NULL THEN
            state := coalesce(push.tend_canary(this), state);
        END IF;
        -- 2. What workers gave back after the run was stopped is stopped as well.
        halted := 0;
        IF state IN ('cancelling', 'cancelled') THEN
            halted := push.halt_again(this.id, 'cancelled', 'cancelled_by_caller');
        ELSIF state = 'paused' THEN
            -- For as long as answers may come in: a run may be paused for days.
            CONTINUE WHEN this.state = 'paused' AND this.state_since < clock_timestamp() - interval '5 min';
            halted := push.halt_again(this.id, 'retrying', 'paused');
        END IF;
        IF state IN ('canary', 'running') AND this.send_window ->> 'outside' = 'drop' THEN
            PERFORM push.drop_outside(this);
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
            IF push.left_of_slice(part.stream, part.n, 1) = 0 AND push.close_slice(part.stream, part.n) THEN
                closed := closed + 1;
            ELSE
                open := open + 1;
            END IF;
        END LOOP;
        IF open = 0 THEN
            reached := push.end_run(this.id);
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
        EXIT WHEN halted > 0;                  -- rows of push.tally are locked, and the next run comes before them
    END LOOP;
END $$;
COMMENT ON FUNCTION push.tend_runs_v1 IS
    'Looks after runs that are not over: begins those that waited, ends those whose time is up, pauses those in which '
    'too much fails, counts slices that are through, and ends runs. Workers call it about once a second. One row for '
    'each run it looked at; why: its state changed.';

CREATE FUNCTION push.rests(this push.run) RETURNS boolean
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
                  AND push.is_open(this, t.zone));
END $$;
COMMENT ON FUNCTION push.rests IS
    'Whether a run waits for the hour of its next zone or for its window. Only for other functions.';

CREATE FUNCTION push.open_runs_v1(hubs text[], OUT working int, OUT paused int)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT count(*) FILTER (WHERE NOT p.is_paused)::int, count(*) FILTER (WHERE p.is_paused)::int
      FROM push.run r,
           -- One that waits for a paused one waits for a person, too; one that rests waits for hours.
           LATERAL (
               SELECT r.state = 'paused' OR push.rests(r) OR r.state = 'waiting' AND EXISTS (
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
COMMENT ON FUNCTION push.open_runs_v1 IS
    'How many runs of these hubs are not over: being sent or ending, and paused or waiting for a zone or window. For a drain that has to know '
    'whether it may end.';

CREATE FUNCTION push.stop_stream_v1(stream bigint, why text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN push.set_run_state(
        (SELECT t.run FROM push.stream t WHERE t.id = stop_stream_v1.stream), '{running}', 'paused', left(why, 2000));
END $$;
COMMENT ON FUNCTION push.stop_stream_v1 IS
    'Pauses a run whose audience cannot be read. What is expanded is stopped by push.tend_runs_v1.';

CREATE FUNCTION push.run_contents_v1(ids bigint[])
RETURNS TABLE (id bigint, format text, headers json, fallback text, locale text, content json)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT c.id, c.format, c.headers, c.fallback, e.key, e.value
      FROM push.run_content c, json_each(c.content) e
     WHERE c.id = ANY (ids)
     ORDER BY c.id, e.key COLLATE "C"
$$;
COMMENT ON FUNCTION push.run_contents_v1 IS 'What runs say, for the planner: a row for each language.';

SELECT push.grant_roles();

INSERT INTO push.migration (version, name, works_from) VALUES (60, 'run_progress', 61);
