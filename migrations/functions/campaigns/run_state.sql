-- Which run a call means, its state, and until when what is paused lies in push.due.

CREATE OR REPLACE FUNCTION push.paused_until() RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN '2199-01-01 00:00+00'::timestamptz;
COMMENT ON FUNCTION push.paused_until IS 'Where the pointers of a paused run lie in push.due.';

CREATE OR REPLACE FUNCTION push_internal.find_run(campaign text, key text, goes_on boolean DEFAULT false) RETURNS push.run
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known constant push.campaign := push_internal.campaign_of(campaign);
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
       AND (r.key = find_run.key OR find_run.key IS NULL AND r.state <> 'skipped' AND NOT r.is_test)
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
COMMENT ON FUNCTION push_internal.find_run IS
    'The run of a campaign with this key; null: its newest that was not skipped and is no test. Raises if there is '
    'none, and for a call that goes on without a key.';

CREATE OR REPLACE FUNCTION push_internal.set_run_state(run bigint, "from" push.run_state[], "to" push.run_state, why text) RETURNS boolean
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
COMMENT ON FUNCTION push_internal.set_run_state IS
    'Changes the state of a run and says so in push.audit. False: it was in none of the states to change from.';

CREATE OR REPLACE FUNCTION push_internal.refuse_state(this push.run, campaign text, doing text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'object_not_in_prerequisite_state',
        MESSAGE = format('run %s of campaign %s is %s and cannot be %s', to_json(this.key), campaign, this.state, doing),
        HINT = 'fanfare campaign status shows it.';
END $$;
COMMENT ON FUNCTION push_internal.refuse_state IS 'Raises: the run is in a state in which this cannot be done.';
