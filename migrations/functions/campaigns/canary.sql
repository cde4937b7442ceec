-- Canaries: a share of a run first, and the rest when that went well.

CREATE OR REPLACE FUNCTION push_internal.wrong_canary(canary json) RETURNS push.problem
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
               WHEN canary IS NULL THEN NULL
               WHEN json_typeof(canary) <> 'object'
                   THEN push_internal.spec_problem('canary', 'is not an object', 'Write {"share": 0.01, "least": 500, "wait": "5 min"}.')
               WHEN canary -> 'outcomes' IS NOT NULL
                   THEN push_internal.spec_problem(
                       'canary.outcomes', 'cannot be judged: no hub''s own telemetry is read',
                       'Leave it out. failed and doubt are counted by the answers of the hub.')
               WHEN canary ->> 'then' NOT IN ('continue', 'ask')
                   THEN push_internal.spec_problem('canary.then', 'is neither "continue" nor "ask"', 'Leave it out for continue.')
               ELSE coalesce(
                   push_internal.unknown_member('canary', canary, '{share,least,wait,failed,doubt,outcomes,then}'),
                   push_internal.wrong_number('canary.share', canary -> 'share', 0, 1),
                   push_internal.wrong_whole_number('canary.least', canary -> 'least', 1, 1000000000),
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
    'How many recipients a canary has; recipients null: their number is unknown, and the canary has the least. Null: '
    'no canary.';

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
