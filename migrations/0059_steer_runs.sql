-- Fanfare, migration 59: Steering runs: cancel, pause, resume, rate, and what failed once more.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.run_of(campaign text, key text, goes_on boolean DEFAULT false) RETURNS push.run
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known constant push.campaign := push.campaign_of(campaign);
    this push.run;
BEGIN
    -- A schedule may have started a newer run since the call before.
    IF goes_on AND key IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'null_value_not_allowed',
            MESSAGE = format('after says where a run of campaign %s goes on, but no key says which run', campaign),
            HINT = 'Give the key that the call before returned.';
    END IF;
    SELECT r.* INTO this
      FROM push.run r
     WHERE r.campaign = known.id
       AND (r.key = run_of.key OR run_of.key IS NULL AND r.state <> 'skipped' AND NOT r.is_test)
     ORDER BY r.id DESC
     LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'no_data_found',
            MESSAGE = format('campaign %s has no run%s', campaign, coalesce(' ' || left(to_json(key)::text, 80), '')),
            HINT = coalesce(
                (SELECT 'Its newest runs: ' || string_agg(x.key, ', ')
                   FROM (SELECT r.key FROM push.run r WHERE r.campaign = known.id ORDER BY r.id DESC LIMIT 5) x),
                format('Start one: SELECT * FROM push.start_run(%L, %L)', campaign, 'a key'));
    END IF;
    RETURN this;
END $$;
COMMENT ON FUNCTION push.run_of IS
    'The run of a campaign with this key; null: its newest that was not skipped and is no test. Raises if there is '
    'none, and for a call that goes on without a key. Only for other functions.';

CREATE FUNCTION push.set_run_state(run bigint, "from" push.run_state[], "to" push.run_state, why text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE push.run r
       SET state = set_run_state."to", why = set_run_state.why, state_since = clock_timestamp(),
           ended_at = CASE WHEN set_run_state."to" IN ('cancelled', 'done', 'failed', 'expired', 'skipped')
                           THEN clock_timestamp() END
     WHERE r.id = set_run_state.run
       AND r.state = ANY (set_run_state."from");
    IF FOUND THEN
        INSERT INTO push.audit (action, detail)
        SELECT 'run_' || set_run_state."to",
               json_strip_nulls(json_build_object('campaign', c.name, 'key', r.key, 'why', set_run_state.why))
          FROM push.run r
               JOIN push.campaign c ON c.id = r.campaign
         WHERE r.id = set_run_state.run;
    END IF;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push.set_run_state IS
    'Changes the state of a run and says so in push.audit. False: it was in none of the states to change from. Only '
    'for other functions.';

CREATE FUNCTION push.refuse_state(this push.run, campaign text, doing text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'object_not_in_prerequisite_state',
        MESSAGE = format('run %s of campaign %s is %s and cannot be %s', to_json(this.key), campaign, this.state, doing),
        HINT = 'fanfare campaign status shows it.';
END $$;
COMMENT ON FUNCTION push.refuse_state IS 'Raises. Only for other functions.';

CREATE FUNCTION push.halt_pointers(
    pointers tid[], ids bigint[], status push.status, reason push.reason, due_at timestamptz, step double precision)
RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    arrived bigint;
    counts record;
BEGIN
    IF coalesce(cardinality(ids), 0) = 0 THEN
        RETURN 0;
    ELSIF status <> 'retrying' THEN
        RETURN push.end_pointers(pointers, ids, status, reason);
    END IF;
    arrived := push.arrive();
    WITH moved AS MATERIALIZED (
        DELETE FROM push.due d         -- by place: the index would be read whole
         WHERE d.ctid = ANY (pointers)
               -- the row may be gone, and its place used again; a hash of the ids, and never a join
           AND CASE WHEN d.id IN (SELECT u.id FROM unnest(ids) u(id)) THEN true END
        RETURNING d.*
    ), placed AS MATERIALIZED (
        SELECT m.*, halt_pointers.due_at + make_interval(secs => step * (row_number() OVER (ORDER BY m.id) - 1)) AS new_at
          FROM moved m
    ), results AS (
        INSERT INTO push.result (id, arrival, status, reason, due_at)
        SELECT p.id, arrived, 'retrying', halt_pointers.reason, p.new_at
          FROM placed p
    ), back AS (
        INSERT INTO push.due (due_at, id, hub, priority, attempt, kind, resent)
        SELECT p.new_at, p.id, p.hub, p.priority, p.attempt, p.kind, p.resent
          FROM placed p
         ORDER BY p.id
    )
    SELECT array_agg(c.hub) AS hubs, array_agg(c.n) AS ns, coalesce(sum(c.n), 0) AS total INTO counts
      FROM (SELECT p.hub, count(*) AS n FROM placed p GROUP BY p.hub) c;
    IF counts.total > 0 THEN
        PERFORM push.count_results(
            counts.hubs, array_fill('retrying'::push.status, ARRAY[cardinality(counts.hubs)]),
            array_fill(reason, ARRAY[cardinality(counts.hubs)]), counts.ns);
    END IF;
    RETURN counts.total;
END $$;
COMMENT ON FUNCTION push.halt_pointers IS
    'Ends the messages of these pointers with a final status; or, if the status is retrying, moves the pointers to '
    'due_at, each step seconds behind the one before. Returns how many. Only for other functions.';

CREATE FUNCTION push.pointers_of_slice(stream bigint, n int, "except" timestamptz, most int, OUT pointers tid[], OUT ids bigint[])
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    this record;
BEGIN
    SELECT t.hub, t.priority, s.*, push.contents_of_run(t.run) AS contents INTO this
      FROM push.slice s
           JOIN push.stream t ON t.id = s.stream
     WHERE s.stream = pointers_of_slice.stream AND s.n = pointers_of_slice.n;
    SELECT array_agg(p.pointer), array_agg(p.id) INTO pointers, ids
      FROM (SELECT d.pointer, d.id
              FROM (SELECT d.ctid AS pointer, d.id
                      FROM push.due d
                     WHERE d.hub = this.hub AND d.priority = this.priority
                       AND d.due_at BETWEEN this.due_from AND this.due_to
                       AND d.id BETWEEN this.first_id AND this.last_id
                     UNION                     -- those that wait for another try lie elsewhere
                    SELECT d.pointer, d.id
                      FROM push.result r,
                           LATERAL (
                               SELECT d.ctid AS pointer, d.id
                                 FROM push.due d
                                WHERE d.hub = this.hub AND d.priority = this.priority
                                  AND d.due_at = r.due_at AND d.id = r.id
                               OFFSET 0) d
                     WHERE r.id BETWEEN this.first_id AND this.last_id
                       AND r.status = 'retrying'
                       AND r.due_at IS DISTINCT FROM "except") d,
                   LATERAL (SELECT m.run_content FROM push.message m WHERE m.id = d.id OFFSET 0) m
             WHERE m.run_content = ANY (this.contents)
             ORDER BY d.id
             LIMIT most) p;
END $$;
COMMENT ON FUNCTION push.pointers_of_slice IS
    'The pointers of a slice''s messages, those that wait for another try included, but for those at a time to leave '
    'out. Only for other functions.';

CREATE TYPE push.halt_mark AS (
    claim    bigint,
    stream   bigint,
    n        int,
    halted   boolean,
    too_late bigint
);
COMMENT ON TYPE push.halt_mark IS
    'Where a call that stops a run ended: behind this claim; or, if stream is not null, behind all claims and behind '
    'this slice; whether this pass stopped anything, and how many messages were on the wire.';

CREATE FUNCTION push.halt_expanded(run bigint, status push.status, reason push.reason, batch int) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this record;
    part record;
    halted bigint := 0;
    n int;
BEGIN
    FOR this IN SELECT t.id, t.slices FROM push.stream t WHERE t.run = halt_expanded.run ORDER BY t.id LOOP
        n := this.slices;                      -- back to the oldest that has some left: it would be sent next
        WHILE n > 0 AND push.left_of_slice(this.id, n, 1) > 0 LOOP
            n := n - 1;
        END LOOP;
        WHILE n < this.slices AND halted < batch LOOP
            n := n + 1;
            SELECT p.* INTO part FROM push.pointers_of_slice(this.id, n, push.paused_until(), (batch - halted)::int) p;
            halted := halted + push.halt_pointers(
                part.pointers, part.ids, status, reason, CASE WHEN status = 'retrying' THEN push.paused_until() END, 0);
        END LOOP;
    END LOOP;
    RETURN halted;
END $$;
COMMENT ON FUNCTION push.halt_expanded IS
    'Stops what was expanded and not claimed yet, up to a batch. Only for push.halt_run.';

CREATE FUNCTION push.halt_open(
    run bigint, status push.status, reason push.reason, batch int, INOUT stream bigint, INOUT n int, OUT halted bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_variable
DECLARE
    this record;
    part record;
BEGIN
    halted := 0;
    FOR this IN
        SELECT s.stream, s.n
          FROM push.stream t
               JOIN push.slice s ON s.stream = t.id
         WHERE t.run = run
           AND (s.stream, s.n) > (stream, n)
           AND s.rows > 0
           AND NOT EXISTS (SELECT FROM push.slice_count c WHERE c.stream = s.stream AND c.n = s.n OFFSET 0)
         ORDER BY s.stream, s.n
         LIMIT 10
    LOOP
        SELECT p.* INTO part FROM push.pointers_of_slice(this.stream, this.n, push.paused_until(), batch) p;
        halted := halted + push.halt_pointers(
            part.pointers, part.ids, status, reason, CASE WHEN status = 'retrying' THEN push.paused_until() END, 0);
        IF cardinality(part.ids) = batch THEN              -- the rest of this slice with the next call
            RETURN;
        END IF;
        stream := this.stream;
        n := this.n;
        IF halted >= batch THEN
            RETURN;
        END IF;
    END LOOP;
    IF NOT FOUND THEN
        stream := NULL;
    END IF;
END $$;
COMMENT ON FUNCTION push.halt_open IS
    'Stops messages of slices that are not closed, behind a slice; stream null: that was the last. Only for '
    'push.halt_run.';

CREATE FUNCTION push.halt_run(
    run bigint, status push.status, reason push.reason, after text, batch int,
    OUT halted bigint, OUT too_late bigint, OUT next text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    start constant push.halt_mark := ROW (NULL, NULL, NULL, false, 0);
    mark push.halt_mark := coalesce(nullif(after, '')::push.halt_mark, start);
    contents constant bigint[] := push.contents_of_run(run);
    hubs constant smallint[] := ARRAY(SELECT t.hub FROM push.stream t WHERE t.run = halt_run.run);
    part record;
    one bigint;
    looked bigint := 0;
BEGIN
    PERFORM push.check_filter('cancel_run', NULL, NULL, NULL, batch);
    halted := 0;
    too_late := 0;
    -- 1. What was expanded and not claimed: first, because it would be sent next.
    IF mark.claim IS NULL THEN
        halted := push.halt_expanded(run, status, reason, batch);
        mark.halted := mark.halted OR halted > 0;
        IF halted < batch THEN
            mark.claim := 0;
        END IF;
    -- 2. What workers hold. Few claims a call, because nothing of a claim is posted or recorded while we hold it. Never in
    -- the call that changes the run: a completion locks its claims before it opens a slice again.
    ELSIF mark.stream IS NULL THEN
        FOR one IN
            SELECT c.id
              FROM push.claim c
             WHERE c.id >= push.lowest_claim()
               AND c.id > mark.claim
               AND c.hub = ANY (hubs)
             ORDER BY c.id
             LIMIT 50
        LOOP
            SELECT h.* INTO part
              FROM push.halt_claim(
                       one,
                       ARRAY(SELECT u.id
                               FROM push.claim c, unnest(c.ids) u(id),
                                    LATERAL (SELECT m.run_content FROM push.message m WHERE m.id = u.id OFFSET 0) m
                              WHERE c.id = one AND m.run_content = ANY (contents)),
                       status, reason, CASE WHEN status = 'retrying' THEN push.paused_until() END) h;
            mark.claim := one;
            mark.too_late := mark.too_late + part.too_late;
            halted := halted + part.halted;
            looked := looked + part.halted + part.too_late;
            EXIT WHEN looked >= least(batch, 5000);
        END LOOP;
        mark.halted := mark.halted OR halted > 0;
        IF NOT EXISTS (
            SELECT
              FROM push.claim c
             WHERE c.id >= push.lowest_claim() AND c.id > mark.claim AND c.hub = ANY (hubs))
        THEN
            mark.stream := 0;
            mark.n := 0;
        END IF;
    -- 3. What waits for another try, and what was given back meanwhile.
    ELSE
        SELECT o.* INTO part FROM push.halt_open(run, status, reason, batch, mark.stream, mark.n) o;
        halted := halted + part.halted;
        mark.halted := mark.halted OR halted > 0;
        IF part.stream IS NULL THEN
            IF mark.halted THEN                            -- workers may have given something back: once more
                next := start::text;
            ELSE
                too_late := mark.too_late;
            END IF;
            RETURN;
        END IF;
        mark.stream := part.stream;
        mark.n := part.n;
    END IF;
    next := mark::text;
END $$;
COMMENT ON FUNCTION push.halt_run IS
    'Stops one batch of a run''s messages that are not posted yet; next null: there are none any more, and too_late '
    'are on the wire. Only for other functions.';

CREATE FUNCTION push.cancel_run(
    campaign text, INOUT key text, after text DEFAULT NULL, batch int DEFAULT 10000,
    OUT cancelled bigint, OUT too_late bigint, OUT next text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.run := push.run_of(campaign, key, after IS NOT NULL);
BEGIN
    key := this.key;
    PERFORM push.begin_action();
    PERFORM push.require_read_committed('push.cancel_run');
    IF after IS NULL AND NOT push.set_run_state(
           this.id, '{waiting,canary,running,paused}', 'cancelling', 'cancelled by ' || push.caller())
       AND this.state NOT IN ('cancelling', 'cancelled')
    THEN
        IF this.closed_at IS NULL AND this.state = 'expired' THEN
            NULL;                              -- what was expanded can still be stopped
        ELSE
            PERFORM push.refuse_state(this, campaign, 'cancelled');
        END IF;
    END IF;
    SELECT h.halted, h.too_late, h.next INTO cancelled, too_late, next
      FROM push.halt_run(this.id, 'cancelled', 'cancelled_by_caller', after, batch) h;
END $$;
COMMENT ON FUNCTION push.cancel_run IS
    'Stops a run for good: its audience is not read on, and what is not posted yet ends as cancelled. key null: the '
    'newest run. One call stops one batch: call it again with key and after => next of the answer until next is null. '
    'too_late: messages that are on the wire at the end.';

CREATE FUNCTION push.pause_run(
    campaign text, INOUT key text, reason text DEFAULT NULL, after text DEFAULT NULL, batch int DEFAULT 10000,
    OUT paused bigint, OUT on_the_wire bigint, OUT next text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.run := push.run_of(campaign, key, after IS NOT NULL);
BEGIN
    key := this.key;
    PERFORM push.begin_action();
    PERFORM push.require_read_committed('push.pause_run');
    IF after IS NULL AND NOT push.set_run_state(
           this.id, '{waiting,canary,running}', 'paused', concat_ws(': ', 'paused by ' || push.caller(), pause_run.reason))
       AND this.state <> 'paused'
    THEN
        PERFORM push.refuse_state(this, campaign, 'paused');
    END IF;
    SELECT h.halted, h.too_late, h.next INTO paused, on_the_wire, next
      FROM push.halt_run(this.id, 'retrying', 'paused', after, batch) h;
END $$;
COMMENT ON FUNCTION push.pause_run IS
    'Stops a run until push.resume_run. What is on the wire ends; expires_at goes on counting. key null: the newest '
    'run. One call stops one batch: call it again with key and after => next of the answer until next is null.';

CREATE FUNCTION push.resume_run(
    campaign text, INOUT key text, after bigint DEFAULT NULL, batch int DEFAULT 10000, OUT resumed bigint, OUT next bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    this push.run := push.run_of(campaign, key, after IS NOT NULL);
    contents constant bigint[] := push.contents_of_run(this.id);
    stream record;
    part record;
BEGIN
    key := this.key;
    PERFORM push.begin_action();
    PERFORM push.require_read_committed('push.resume_run');
    PERFORM push.check_filter('resume_run', NULL, NULL, NULL, batch);
    IF after IS NULL AND NOT push.set_run_state(this.id, '{paused}', 'running', NULL) AND this.state <> 'running' THEN
        PERFORM push.refuse_state(this, campaign, 'resumed');
    END IF;
    resumed := 0;
    FOR stream IN SELECT DISTINCT t.hub, t.priority FROM push.stream t WHERE t.run = this.id ORDER BY 1, 2 LOOP
        SELECT array_agg(p.pointer) AS pointers, array_agg(p.id) AS ids, max(p.id) AS last INTO part
          FROM (SELECT d.ctid AS pointer, d.id
                  FROM push.due d,
                       LATERAL (SELECT m.run_content FROM push.message m WHERE m.id = d.id OFFSET 0) m
                 WHERE d.hub = stream.hub AND d.priority = stream.priority
                   AND d.due_at = push.paused_until() AND d.id > coalesce(after, 0)
                   AND m.run_content = ANY (contents)
                 ORDER BY d.hub, d.priority, d.due_at, d.id
                 LIMIT batch) p;
        resumed := resumed + push.halt_pointers(
            part.pointers, part.ids, 'retrying', 'resumed',
            clock_timestamp() + make_interval(secs => coalesce(resumed / this.rate, 0)), coalesce(1 / this.rate, 0));
        IF cardinality(part.ids) = batch THEN
            next := part.last;
            EXIT;
        END IF;
    END LOOP;
    PERFORM push.wake_up();
END $$;
COMMENT ON FUNCTION push.resume_run IS
    'A paused run goes on. key null: the newest run. One call gives back one batch of its messages: call it again with '
    'key and after => next of the answer until next is null.';

CREATE FUNCTION push.set_run_rate(campaign text, key text, rate real) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.run := push.run_of(campaign, key);
BEGIN
    PERFORM push.begin_action();
    IF rate IS NOT NULL AND rate NOT BETWEEN 0.01 AND 1000000 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.set_run_rate: %s messages a second', rate),
            HINT = '0.01 to 1000000; null: as fast as the hubs take them. push.pause_run stops a run.';
    ELSIF this.ended_at IS NOT NULL THEN
        PERFORM push.refuse_state(this, campaign, 'given a rate');
    END IF;
    UPDATE push.run r SET rate = set_run_rate.rate WHERE r.id = this.id;
    INSERT INTO push.audit (action, detail)
    VALUES ('set_run_rate', json_build_object('campaign', campaign, 'key', this.key, 'rate', rate));
END $$;
COMMENT ON FUNCTION push.set_run_rate IS
    'Messages a second of a run, over all hubs, from its next slice on; null: as fast as the hubs take them. A '
    'hub''s own '
    'rate holds beneath it. key null: the newest run.';

CREATE FUNCTION push.ids_of_run(run bigint, statuses push.status[], reason text, after bigint, n int) RETURNS bigint[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN ARRAY(
        SELECT r.id
          FROM push.stream t,
               LATERAL (
                   SELECT s.first_id, s.last_id
                     FROM push.slice s
                    WHERE s.stream = t.id
                      AND s.last_id > ids_of_run.after
                      AND (NOT EXISTS (SELECT FROM push.slice_count c WHERE c.stream = s.stream AND c.n = s.n OFFSET 0)
                           OR EXISTS (SELECT FROM push.slice_count c
                                       WHERE c.stream = s.stream AND c.n = s.n AND c.status = ANY (statuses)
                                         AND c.reason::text = coalesce(ids_of_run.reason, c.reason::text) OFFSET 0))
                   OFFSET 0) s,
               LATERAL (
                   SELECT r.id
                     FROM push.result r
                    WHERE r.id BETWEEN greatest(s.first_id, ids_of_run.after + 1) AND s.last_id
                      AND r.status = ANY (statuses)
                      AND r.reason::text = coalesce(ids_of_run.reason, r.reason::text)
                      AND NOT EXISTS (SELECT FROM push.result o WHERE o.id = r.id AND o.arrival > r.arrival OFFSET 0)
                   OFFSET 0) r,
               LATERAL (SELECT m.run_content FROM push.message m WHERE m.id = r.id OFFSET 0) m
         WHERE t.run = ids_of_run.run
           AND m.run_content = ANY (push.contents_of_run(ids_of_run.run))
         ORDER BY 1
         LIMIT n);
END $$;
COMMENT ON FUNCTION push.ids_of_run IS
    'Messages of a run in one of these states, behind an id. Looks only into slices that have some. Only for other '
    'functions.';

CREATE FUNCTION push.retry_run(
    campaign text, INOUT key text, reason text DEFAULT NULL, after bigint DEFAULT NULL, batch int DEFAULT 1000,
    OUT retried bigint, OUT next bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.run := push.run_of(campaign, key, after IS NOT NULL);
    ids bigint[];
BEGIN
    key := this.key;
    PERFORM push.begin_action();
    PERFORM push.check_filter('retry_run', reason, NULL, NULL, batch);
    IF this.state IN ('cancelling', 'cancelled', 'paused') THEN
        PERFORM push.refuse_state(this, campaign, 'retried');
    END IF;
    ids := push.ids_of_run(this.id, '{rejected,expired}', reason, coalesce(after, 0), batch);
    retried := push.retry_messages(ids);
    IF cardinality(ids) = batch THEN
        next := ids[batch];
    END IF;
    IF after IS NULL OR retried > 0 THEN
        INSERT INTO push.audit (action, detail)
        VALUES ('retry_run', json_strip_nulls(json_build_object(
            'campaign', campaign, 'key', this.key, 'reason', reason, 'messages', retried)));
    END IF;
END $$;
COMMENT ON FUNCTION push.retry_run IS
    'Sends messages of a run again that failed for good, or those with one reason. One call takes one batch: call it '
    'again with key and after => next of the answer until next is null. key null: the newest run.';

CREATE FUNCTION push.resolve_run(
    campaign text, INOUT key text, decision text, after bigint DEFAULT NULL, batch int DEFAULT 1000,
    OUT resolved bigint, OUT next bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.run := push.run_of(campaign, key, after IS NOT NULL);
    ids bigint[];
BEGIN
    key := this.key;
    PERFORM push.begin_action();
    PERFORM push.check_decision(decision);
    PERFORM push.check_filter('resolve_run', NULL, NULL, NULL, batch);
    ids := push.ids_of_run(this.id, '{in_doubt}', NULL, coalesce(after, 0), batch);
    resolved := push.resolve_messages(ids, decision);
    IF cardinality(ids) = batch THEN
        next := ids[batch];
    END IF;
    IF after IS NULL OR resolved > 0 THEN
        INSERT INTO push.audit (action, detail)
        VALUES ('resolve_run', json_build_object(
            'campaign', campaign, 'key', this.key, 'decision', decision, 'messages', resolved));
    END IF;
END $$;
COMMENT ON FUNCTION push.resolve_run IS
    'Decides all messages of a run that are in doubt, as push.resolve. One call takes one batch: call it again with key '
    'and after => next of the answer until next is null. key null: the newest run.';

INSERT INTO push.migration (version, name, works_from) VALUES (59, 'steer_runs', 61);
