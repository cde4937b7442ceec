-- Fanfare, migration 54: For workers with thousands of hubs, most of them quiet: what is asked twice a second costs nothing
-- for those.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.hub_states_v2()
RETURNS TABLE (
    hub            smallint,
    gate_seconds   double precision,
    hold_reason    text,
    probe_seconds  double precision,
    paused_by      text,
    key            text,
    rate           double precision,
    slowed_to      double precision,
    broken_seconds double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT s.hub,
           push.seconds_between(c.now, s.gate_until),
           CASE
               WHEN s.held_since IS NOT NULL
               THEN s.hold_reason
           END,
           push.seconds_between(c.now, s.probe_at),
           s.paused_by,
           s.key,
           s.rate,
           push.grown(s.slowed_to, push.seconds_between(s.slowed_at, c.now)),
           push.seconds_between(c.now, s.broken_until)
      FROM push.hub_state s,
           (SELECT clock_timestamp() AS now) c
     -- Also a wait that is over: workers tell it from one that a person ended.
     WHERE s.gate_until IS NOT NULL
        OR s.held_since IS NOT NULL
        OR s.probe_at IS NOT NULL
        OR s.paused_by IS NOT NULL
        OR s.key <> 'primary'
        OR s.rate IS NOT NULL
        OR s.slowed_to IS NOT NULL
        OR s.broken_until IS NOT NULL
$$;
COMMENT ON FUNCTION push.hub_states_v2 IS
    'Gates, holds, pauses, keys, rates and breakers of all hubs that have something of that; the others take posts, with '
    'the primary key and as configured. Times are seconds from now, at most a day, so that no worker''s clock matters.';

CREATE FUNCTION push.due_device_hubs_v1() RETURNS smallint[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
    moment constant timestamptz := clock_timestamp();     -- volatile, it would be no condition of the index
BEGIN
    -- From one hub that has a pointer to the next, like push.due_lanes_v1.
    RETURN ARRAY(
        WITH RECURSIVE waiting AS (
            (SELECT d.hub
               FROM push.installation_due d
              ORDER BY d.hub, d.due_at, d.id
              LIMIT 1)
            UNION ALL
            SELECT n.hub
              FROM waiting w,
                   LATERAL (
                       SELECT d.hub
                         FROM push.installation_due d
                        WHERE d.hub > w.hub
                        ORDER BY d.hub, d.due_at, d.id
                        LIMIT 1) n
        )
        SELECT w.hub
          FROM waiting w
         WHERE EXISTS (
                   SELECT
                     FROM push.installation_due d
                    WHERE d.hub = w.hub
                      AND d.due_at <= moment
                      AND NOT EXISTS (
                              SELECT FROM push.installation_claim c
                               WHERE c.hub = d.hub AND c.device = d.device OFFSET 0)
                   OFFSET 0)
           AND push.takes_devices(w.hub));
END $$;
COMMENT ON FUNCTION push.due_device_hubs_v1 IS
    'Every hub that has a change of a device due and takes it now, of all workers. Costs as much as there are hubs with '
    'changes that wait, and nothing for the others.';

SELECT push.grant_roles();

INSERT INTO push.migration (version, name, works_from) VALUES (54, 'quiet_hubs', 61);
