-- Which run a call means, what an event does to its state, and where the messages of a paused run lie in push.due.

CREATE OR REPLACE FUNCTION push.paused_until() RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN '2199-01-01 00:00+00'::timestamptz;
COMMENT ON FUNCTION push.paused_until IS 'From here on in push.due lie the pointers of paused runs.';

CREATE OR REPLACE FUNCTION push_internal.parked_at(run bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN push.paused_until() + run * interval '1 microsecond';
COMMENT ON FUNCTION push_internal.parked_at IS 'Where the pointers of this run lie in push.due while it is paused.';

CREATE OR REPLACE FUNCTION push_internal.streams_of_run(run bigint) RETURNS bigint[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off
RETURN ARRAY(SELECT t.id FROM push.stream t WHERE t.run = streams_of_run.run);
COMMENT ON FUNCTION push_internal.streams_of_run IS 'What push.message.stream may be in a run''s messages.';

CREATE OR REPLACE FUNCTION push_internal.find_run(campaign text, key text, goes_on boolean, prefers_open boolean) RETURNS push.run
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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
    -- Each from its own index: a campaign may have had ten thousand runs.
    SELECT o.* INTO this
      FROM ((SELECT r.* FROM push.run r WHERE r.campaign = known.id AND r.key = find_run.key)
             UNION ALL
            (SELECT r.*
               FROM push.run r
              WHERE find_run.key IS NULL AND prefers_open AND r.campaign = known.id AND r.ended_at IS NULL AND NOT r.is_test
              ORDER BY r.id DESC
              LIMIT 1)
             UNION ALL
            (SELECT r.*
               FROM push.run r
              WHERE find_run.key IS NULL AND r.campaign = known.id AND r.state <> 'skipped' AND NOT r.is_test
              ORDER BY r.id DESC
              LIMIT 1)) o
     LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'no_data_found',
            MESSAGE = format('campaign %s has no run%s', campaign, coalesce(' ' || push_internal.quoted(key, 80), '')),
            HINT = coalesce(
                (SELECT 'Its newest runs: ' || string_agg(x.key, ', ')
                   FROM (SELECT r.key FROM push.run r WHERE r.campaign = known.id ORDER BY r.id DESC LIMIT 5) x),
                format('Nobody has started it yet: fanfare campaign run %s --key KEY does.', campaign));
    END IF;
    RETURN this;
END $$;
COMMENT ON FUNCTION push_internal.find_run IS
    'The run of a campaign with this key; null: its newest, or, if it prefers open ones, its newest that is not over; '
    'not one that was skipped, and no test. Raises if no such run exists, and for a call that goes on without a key.';

CREATE OR REPLACE FUNCTION push_internal.change_run(
    run bigint, event text, why text, since timestamptz DEFAULT NULL,
    OUT was push.run_state, OUT state push.run_state, OUT because text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    this push.run;
BEGIN
    SELECT r.* INTO this
      FROM push.run r
     WHERE r.id = change_run.run AND r.state_since = coalesce(change_run.since, r.state_since)
       FOR NO KEY UPDATE;
    IF NOT FOUND THEN                          -- somebody else changed it since
        RETURN;
    END IF;
    was := this.state;
    SELECT t.next, t.because INTO STRICT change_run.state, change_run.because
      FROM push.run_transition t
     WHERE t.state = was AND t.event = change_run.event;
    IF state <> was THEN
        UPDATE push.run r
           SET state = change_run.state, event = change_run.event, why = left(change_run.why, 2000), state_since = clock_timestamp(),
               ended_at = CASE WHEN push_internal.is_over(change_run.state) THEN clock_timestamp() END
         WHERE r.id = this.id;
        INSERT INTO push.audit (action, detail)
        SELECT 'run_' || change_run.state,
               json_strip_nulls(json_build_object('campaign', c.name, 'key', this.key, 'why', left(change_run.why, 2000)))
          FROM push.campaign c
         WHERE c.id = this.campaign;
    ELSIF event = 'is_stopped' THEN            -- it is counted now, and its state has said the rest
        UPDATE push.run r SET event = change_run.event WHERE r.id = this.id;
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.change_run IS
    'What an event does to a run, by push.run_transition: its state before and after, in push.audit if they differ. '
    'state null: the event is refused, and because says why; or the run is not in the state any more that it has had '
    'since. The row is locked until the transaction ends.';

CREATE OR REPLACE FUNCTION push_internal.is_over(state push.run_state) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN state IN ('cancelled', 'done', 'failed', 'expired', 'skipped');
COMMENT ON FUNCTION push_internal.is_over IS 'Whether a run in this state makes no messages any more.';

CREATE OR REPLACE FUNCTION push_internal.steer(this push.run, campaign text, event text, why text) RETURNS push.run_state
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    changed record;
BEGIN
    SELECT c.* INTO changed FROM push_internal.change_run(this.id, event, why) c;
    IF changed.state IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('run %s of campaign %s is %s: %s', to_json(this.key), campaign, changed.was, changed.because),
            HINT = 'fanfare campaign status shows it; fanfare campaign states says what can be done in which state.';
    END IF;
    RETURN changed.state;
END $$;
COMMENT ON FUNCTION push_internal.steer IS 'What a person asks of a run: its new state. Raises where that is refused.';

CREATE OR REPLACE FUNCTION push_internal.require_state(this push.run, campaign text, states push.run_state[], doing text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- A statement of its own: it waits for those who change the run, and sees what they did.
    SELECT r.* INTO this FROM push.run r WHERE r.id = this.id FOR SHARE;
    IF this.state <> ALL (states) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('run %s of campaign %s is %s since %s and is not %s any more', to_json(this.key), campaign,
                             this.state, to_char(this.state_since, 'HH24:MI:SS'), doing),
            HINT = concat_ws(' ', this.why || '.', 'fanfare campaign status shows it.');
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.require_state IS
    'Holds a run in one of these states until the transaction ends. Raises if somebody else changed it meanwhile.';
