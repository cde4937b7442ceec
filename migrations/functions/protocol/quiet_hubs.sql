-- For workers with many hubs, most of them quiet: one look for all.

CREATE OR REPLACE FUNCTION push_worker.due_lanes_v1(OUT hubs int[], OUT priorities smallint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
#variable_conflict use_column
BEGIN
    -- From one hub and priority that has a pointer to the next: what has none costs nothing. Without marks: it reads the
    -- dead entries of busy hubs, so push_worker.look_v1 is for lanes that work now and then.
    WITH RECURSIVE lane AS (
        (SELECT d.hub, d.priority, d.due_at
           FROM push.due d
          ORDER BY d.hub, d.priority, d.due_at, d.id
          LIMIT 1)
        UNION ALL
        SELECT n.hub, n.priority, n.due_at
          FROM lane l,
               LATERAL (
                   SELECT d.hub, d.priority, d.due_at
                     FROM push.due d
                    WHERE (d.hub, d.priority) > (l.hub, l.priority)
                    ORDER BY d.hub, d.priority, d.due_at, d.id
                    LIMIT 1) n
    )
    SELECT coalesce(array_agg(l.hub), '{}'), coalesce(array_agg(l.priority), '{}')
      INTO hubs, priorities
      FROM lane l
     WHERE l.due_at <= now()
        OR EXISTS (
               SELECT FROM push.waiting w WHERE w.hub = l.hub AND w.priority = l.priority AND w.look_at <= now() OFFSET 0);
END $$;
COMMENT ON FUNCTION push_worker.due_lanes_v1 IS
    'Every hub and priority that has something due, or a wait to look at, of all workers. Costs as much as there are of them, and nothing '
    'for those without a pointer.';

CREATE OR REPLACE FUNCTION push_worker.due_device_hubs_v1() RETURNS int[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
    moment constant timestamptz := clock_timestamp();     -- volatile, it would be no condition of the index
BEGIN
    -- From one hub that has a pointer to the next, like push_worker.due_lanes_v1.
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
           AND push_internal.takes_devices(w.hub));
END $$;
COMMENT ON FUNCTION push_worker.due_device_hubs_v1 IS
    'Every hub that has a change of a device due and takes it now, of all workers. Costs as much as there are hubs '
    'with changes that wait, and nothing for the others.';
