-- Steering runs: cancel, pause, resume, rate.

CREATE OR REPLACE FUNCTION push.cancel_run(
    campaign text, INOUT key text, after text DEFAULT NULL, batch int DEFAULT 10000,
    OUT cancelled bigint, OUT too_late bigint, OUT next text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.run := push_internal.find_run(campaign, key, after IS NOT NULL);
BEGIN
    key := this.key;
    PERFORM push_internal.begin_action();
    PERFORM push_internal.require_read_committed('push.cancel_run');
    IF after IS NULL AND NOT push_internal.set_run_state(
           this.id, '{waiting,canary,running,paused}', 'cancelling', 'cancelled by ' || push_internal.caller())
       AND this.state NOT IN ('cancelling', 'cancelled')
    THEN
        IF this.closed_at IS NULL AND this.state = 'expired' THEN
            NULL;                              -- what was expanded can still be stopped
        ELSE
            PERFORM push_internal.refuse_state(this, campaign, 'cancelled');
        END IF;
    END IF;
    SELECT h.stopped, h.too_late, h.next INTO cancelled, too_late, next
      FROM push_internal.stop_run_batch(this.id, 'cancelled', 'cancelled_by_caller', after, batch) h;
END $$;
COMMENT ON FUNCTION push.cancel_run IS
    'Stops a run for good: its audience is not read on, and what is not posted yet ends as cancelled. key null: the '
    'newest run. One call stops one batch: call it again with key and after => next of the answer until next is null. '
    'too_late: messages that are on the wire at the end.';

CREATE OR REPLACE FUNCTION push.pause_run(
    campaign text, INOUT key text, reason text DEFAULT NULL, after text DEFAULT NULL, batch int DEFAULT 10000,
    OUT paused bigint, OUT on_the_wire bigint, OUT next text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.run := push_internal.find_run(campaign, key, after IS NOT NULL);
BEGIN
    key := this.key;
    PERFORM push_internal.begin_action();
    PERFORM push_internal.require_read_committed('push.pause_run');
    IF after IS NULL AND NOT push_internal.set_run_state(
           this.id, '{waiting,canary,running}', 'paused', concat_ws(': ', 'paused by ' || push_internal.caller(), pause_run.reason))
       AND this.state <> 'paused'
    THEN
        PERFORM push_internal.refuse_state(this, campaign, 'paused');
    END IF;
    SELECT h.stopped, h.too_late, h.next INTO paused, on_the_wire, next
      FROM push_internal.stop_run_batch(this.id, 'retrying', 'paused', after, batch) h;
END $$;
COMMENT ON FUNCTION push.pause_run IS
    'Stops a run until push.resume_run. What is on the wire ends; expires_at goes on counting. key null: the newest '
    'run. One call stops one batch: call it again with key and after => next of the answer until next is null.';

CREATE OR REPLACE FUNCTION push.resume_run(
    campaign text, INOUT key text, after bigint DEFAULT NULL, batch int DEFAULT 10000, OUT resumed bigint, OUT next bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    this push.run := push_internal.find_run(campaign, key, after IS NOT NULL);
    contents constant bigint[] := push_internal.contents_of_run(this.id);
    stream record;
    part record;
BEGIN
    key := this.key;
    PERFORM push_internal.begin_action();
    PERFORM push_internal.require_read_committed('push.resume_run');
    PERFORM push_internal.check_filter('resume_run', NULL, NULL, NULL, batch);
    IF after IS NULL AND NOT push_internal.set_run_state(this.id, '{paused}', 'running', NULL) AND this.state <> 'running' THEN
        PERFORM push_internal.refuse_state(this, campaign, 'resumed');
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
        resumed := resumed + push_internal.stop_pointers(
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

CREATE OR REPLACE FUNCTION push.set_run_rate(campaign text, key text, rate real) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.run := push_internal.find_run(campaign, key);
BEGIN
    PERFORM push_internal.begin_action();
    IF rate IS NOT NULL AND rate NOT BETWEEN 0.01 AND 1000000 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.set_run_rate: %s messages a second', rate),
            HINT = '0.01 to 1000000; null: as fast as the hubs take them. push.pause_run stops a run.';
    ELSIF this.ended_at IS NOT NULL THEN
        PERFORM push_internal.refuse_state(this, campaign, 'given a rate');
    END IF;
    UPDATE push.run r SET rate = set_run_rate.rate WHERE r.id = this.id;
    INSERT INTO push.audit (action, detail)
    VALUES ('set_run_rate', json_build_object('campaign', campaign, 'key', this.key, 'rate', rate));
END $$;
COMMENT ON FUNCTION push.set_run_rate IS
    'Messages a second of a run, over all hubs, from its next slice on; null: as fast as the hubs take them. A '
    'hub''s own '
    'rate holds beneath it. key null: the newest run.';
