-- Steering runs: cancel, pause, resume, rate.

CREATE OR REPLACE FUNCTION push.cancel_run(
    campaign text, INOUT key text DEFAULT NULL, after text DEFAULT NULL, batch int DEFAULT 10000,
    OUT cancelled bigint, OUT too_late bigint, OUT next text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.run := push_internal.find_run(campaign, key, after IS NOT NULL, true);
BEGIN
    key := this.key;
    PERFORM push_internal.begin_action();
    PERFORM push_internal.require_read_committed('push.cancel_run');
    IF after IS NULL THEN
        PERFORM push_internal.steer(this, campaign, 'cancel', 'cancelled by ' || push.person());
    END IF;
    SELECT h.stopped, h.too_late, h.next INTO cancelled, too_late, next
      FROM push_internal.stop_run_batch(this, campaign, 'cancelled', after, batch) h;
END $$;
COMMENT ON FUNCTION push.cancel_run IS
    'Stops a run for good: its audience is not read on, and what is not posted yet ends as cancelled, also what a '
    'pause has parked. key null: the newest run that is not over. One call stops one batch: call it again with key '
    'and after => next of the answer until next is null. too_late: messages that are on the wire at the end.';

CREATE OR REPLACE FUNCTION push.pause_run(
    campaign text, INOUT key text DEFAULT NULL, reason text DEFAULT NULL, after text DEFAULT NULL, batch int DEFAULT 10000,
    OUT paused bigint, OUT on_the_wire bigint, OUT next text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.run := push_internal.find_run(campaign, key, after IS NOT NULL, true);
BEGIN
    key := this.key;
    PERFORM push_internal.begin_action();
    PERFORM push_internal.require_read_committed('push.pause_run');
    IF after IS NULL THEN
        PERFORM push_internal.steer(this, campaign, 'pause', concat_ws(': ', 'paused by ' || push.person(), pause_run.reason));
    END IF;
    SELECT h.stopped, h.too_late, h.next INTO paused, on_the_wire, next
      FROM push_internal.stop_run_batch(this, campaign, 'retrying', after, batch) h;
END $$;
COMMENT ON FUNCTION push.pause_run IS
    'Stops a run until push.resume_run. What is on the wire ends; expires_at goes on counting. key null: the newest '
    'run that is not over. One call stops one batch: call it again with key and after => next of the answer until '
    'next is null. Raises if the run is resumed by somebody else meanwhile.';

CREATE OR REPLACE FUNCTION push.resume_run(
    campaign text, INOUT key text DEFAULT NULL, after bigint DEFAULT NULL, batch int DEFAULT 10000, OUT resumed bigint,
    OUT next bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.run := push_internal.find_run(campaign, key, after IS NOT NULL, true);
    is_all boolean;
BEGIN
    key := this.key;
    PERFORM push_internal.begin_action();
    PERFORM push_internal.require_read_committed('push.resume_run');
    PERFORM push_internal.check_filter('resume_run', NULL, NULL, NULL, batch);
    PERFORM push_internal.refuse_withdrawn(this, campaign, 'resumed');
    IF after IS NULL THEN
        PERFORM push_internal.steer(this, campaign, CASE WHEN this.begun_at IS NULL THEN 'resume_in_turn' ELSE 'resume' END, NULL);
        PERFORM push_internal.judge_from_here(this);
    END IF;
    PERFORM push_internal.require_state(this, campaign, '{waiting,canary,running}', 'resumed');
    SELECT r.* INTO this FROM push.run r WHERE r.id = this.id;
    SELECT g.given, CASE WHEN NOT g.is_all THEN coalesce(after, 0) + g.given END INTO resumed, next
      FROM push_internal.give_back_messages(this, batch) g;
    PERFORM push.wake_up();
END $$;
COMMENT ON FUNCTION push.resume_run IS
    'A paused run goes on, at its rate, and without recipients who were suppressed meanwhile; one that had not begun '
    'waits for its turn again. key null: the newest run that is not over. One call gives back one batch of its '
    'messages: call it again with key and after => next of the answer until next is null. Raises if the run is paused '
    'or cancelled by somebody else meanwhile, if its campaign is archived, and if its revision was rejected.';

CREATE OR REPLACE FUNCTION push_internal.judge_from_here(this push.run) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE push.run r
       SET judged_results = c.results, judged_rejected = c.rejected, judged_doubts = c.doubts
      FROM push_internal.results_to_judge(this.id) c
     WHERE r.id = this.id AND r.stop_when IS NOT NULL;
END $$;
COMMENT ON FUNCTION push_internal.judge_from_here IS
    'A person has seen the results of a run until now: its stop_when counts only later ones.';

CREATE OR REPLACE FUNCTION push.set_run_rate(campaign text, key text DEFAULT NULL, rate real DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.run := push_internal.find_run(campaign, key, false, true);
    state push.run_state;
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM push_internal.require_read_committed('push.set_run_rate');
    IF rate IS NOT NULL AND rate NOT BETWEEN 0.01 AND 1000000 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.set_run_rate: %s messages a second', rate),
            HINT = '0.01 to 1000000; null: as fast as the hubs take them. push.pause_run stops a run.';
    END IF;
    state := push_internal.steer(this, campaign, 'set_rate', NULL);
    UPDATE push.run r SET rate = set_run_rate.rate WHERE r.id = this.id RETURNING r.* INTO this;
    INSERT INTO push.audit (action, detail)
    VALUES ('set_run_rate', json_build_object('campaign', campaign, 'key', this.key, 'rate', rate));
    IF state IN ('canary', 'running') THEN
        PERFORM push_internal.pace_messages(this);
        PERFORM push.wake_up();
    END IF;
END $$;
COMMENT ON FUNCTION push.set_run_rate IS
    'Messages a second of a run, over all hubs; null: as fast as the hubs take them. Holds from now on, also for what '
    'was made ahead and no worker has taken yet. A hub''s own rate holds beneath it. key null: the newest run that is '
    'not over.';
