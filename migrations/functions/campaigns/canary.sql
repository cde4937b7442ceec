-- Canaries: a share of a run first, and the rest when that went well.

CREATE OR REPLACE FUNCTION push_internal.wrong_canary(canary json) RETURNS push.problem
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
               WHEN canary IS NULL THEN NULL
               WHEN json_typeof(canary) <> 'object'
                   THEN push_internal.spec_problem('canary', 'is no object', 'Write {"share": 0.01, "least": 500, "wait": "5 min"}.')
               WHEN canary -> 'outcomes' IS NOT NULL
                   THEN push_internal.spec_problem(
                       'canary.outcomes', 'cannot be judged: no hub''s own telemetry is read',
                       'Leave it out. failed and doubt go by the answers of the hub.')
               WHEN canary ->> 'then' NOT IN ('continue', 'ask')
                   THEN push_internal.spec_problem('canary.then', 'is neither "continue" nor "ask"', 'Leave it out for continue.')
               ELSE coalesce(
                   push_internal.unknown_member('canary', canary, '{share,least,wait,failed,doubt,outcomes,then}'),
                   push_internal.wrong_number('canary.share', canary -> 'share', 0, 1),
                   push_internal.wrong_number('canary.least', canary -> 'least', 1, 1000000000),
                   push_internal.wrong_interval('canary.wait', canary -> 'wait'),
                   push_internal.wrong_number('canary.failed', canary -> 'failed', 0, 1),
                   push_internal.wrong_number('canary.doubt', canary -> 'doubt', 0, 1))
           END
$$;
COMMENT ON FUNCTION push_internal.wrong_canary IS 'What is wrong with the canary of a spec; null: nothing.';

CREATE OR REPLACE FUNCTION push_internal.canary_size(canary json, recipients bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN canary IS NOT NULL
    THEN greatest(coalesce((canary ->> 'least')::bigint, 500),
                  ceil(coalesce((canary ->> 'share')::double precision, 0.01) * recipients)::bigint)
END;
COMMENT ON FUNCTION push_internal.canary_size IS
    'How many recipients a canary is; recipients null: nobody knows how many there are, and it is the least. Null: '
    'there is no canary.';

CREATE OR REPLACE FUNCTION push_internal.canary_left(run bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    size bigint;
BEGIN
    IF NOT EXISTS (
        SELECT FROM push.run r WHERE r.id = canary_left.run AND r.canary_size IS NOT NULL AND r.canary_judged_at IS NULL)
    THEN
        RETURN NULL;
    END IF;
    -- Its hubs one after the other, so that they do not all take what is left.
    SELECT r.canary_size INTO size
      FROM push.run r
     WHERE r.id = canary_left.run AND r.canary_judged_at IS NULL
       FOR NO KEY UPDATE;
    RETURN greatest(0, size - (SELECT sum(t.expanded) FROM push.stream t WHERE t.run = canary_left.run));
END $$;
COMMENT ON FUNCTION push_internal.canary_left IS
    'How many recipients of its canary a run has not reached yet; null: it has none, or the canary is judged. Locks '
    'the run.';

CREATE OR REPLACE FUNCTION push_internal.wrong_with_canary(canary json, run bigint) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    counted record;
    most_failed constant double precision := coalesce((canary ->> 'failed')::double precision, 0.02);
    most_doubt constant double precision := coalesce((canary ->> 'doubt')::double precision, 0.01);
    reasons text;
BEGIN
    SELECT coalesce(sum(c.rows), 0)::bigint AS rows,
           coalesce(sum(c.rows) FILTER (WHERE c.status IN ('rejected', 'expired')), 0)::bigint AS failed,
           coalesce(sum(c.rows) FILTER (WHERE c.status = 'in_doubt'), 0)::bigint AS doubt
      INTO counted
      FROM push_internal.counts_of_run(run) c
     WHERE c.status <> 'cancelled';
    IF counted.failed <= counted.rows * most_failed AND counted.doubt <= counted.rows * most_doubt THEN
        RETURN NULL;
    END IF;
    reasons := (
        SELECT string_agg(format('%s %s', o.reason, o.rows), ', ' ORDER BY o.rows DESC, o.reason)
          FROM (SELECT c.reason, sum(c.rows) AS rows
                  FROM push_internal.counts_of_run(run) c
                 WHERE c.status IN ('rejected', 'expired', 'in_doubt')
                 GROUP BY c.reason
                 ORDER BY 2 DESC, 1
                 LIMIT 3) o);
    RETURN format('of its canary of %s %s failed (at most %s %%) and %s are in doubt (at most %s %%): %s',
                  counted.rows, counted.failed, round((most_failed * 100)::numeric, 2)::real, counted.doubt,
                  round((most_doubt * 100)::numeric, 2)::real, reasons);
END $$;
COMMENT ON FUNCTION push_internal.wrong_with_canary IS
    'Why the rest of a run should not be sent, with the three most frequent reasons; null: the canary went well.';

CREATE OR REPLACE FUNCTION push_internal.advance_canary(this push.run) RETURNS push.run_state
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    wait constant interval := coalesce((this.canary ->> 'wait')::interval, interval '5 min');
    reached record;
    why text;
    fate push.run_state := 'running';
BEGIN
    SELECT sum(t.expanded) AS expanded, bool_and(t.done_at IS NOT NULL) AS is_through INTO reached
      FROM push.stream t
     WHERE t.run = this.id;
    IF reached.is_through THEN                 -- its window ended, and there is no rest that could wait
        RETURN CASE WHEN push_internal.set_run_state(this.id, '{canary}', 'running', NULL) THEN 'running' END;
    ELSIF reached.expanded < this.canary_size THEN
        RETURN NULL;
    ELSIF this.state = 'running' THEN
        why := format('its first %s are made; the rest follows when their results are in, %s later at the earliest',
                      reached.expanded, push_internal.time_in_words(extract(epoch FROM wait)::double precision));
        RETURN CASE WHEN push_internal.set_run_state(this.id, '{running}', 'canary', why) THEN 'canary' END;
    ELSIF this.state_since > clock_timestamp() - wait
          OR EXISTS (
                 SELECT
                   FROM push.stream t
                        JOIN push.slice s ON s.stream = t.id
                  WHERE t.run = this.id AND s.rows > 0
                    AND NOT EXISTS (SELECT FROM push.slice_count c WHERE c.stream = s.stream AND c.n = s.n OFFSET 0))
    THEN
        RETURN NULL;
    END IF;
    why := push_internal.wrong_with_canary(this.canary, this.id);
    IF why IS NOT NULL OR this.canary ->> 'then' = 'ask' THEN
        fate := 'paused';
        why := 'stopped itself: ' || coalesce(
            why, format('its canary of %s went well, and a person decides; fanfare campaign resume sends the rest', reached.expanded));
    END IF;
    IF NOT push_internal.set_run_state(this.id, '{canary}', fate, why) THEN
        RETURN NULL;
    END IF;
    UPDATE push.run r SET canary_judged_at = clock_timestamp() WHERE r.id = this.id;
    RETURN fate;
END $$;
COMMENT ON FUNCTION push_internal.advance_canary IS
    'Lets a run stand when its canary is expanded, and go on or pause when that is judged. Returns its new state; '
    'null: it has the old one.';
