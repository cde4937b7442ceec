-- Which runs a drain still has to wait for.

CREATE OR REPLACE FUNCTION push_internal.waits_for_window(this push.run) RETURNS boolean
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
                  AND push_internal.is_open(this, t.zone));
END $$;
COMMENT ON FUNCTION push_internal.waits_for_window IS
    'Whether a run waits for the hour of its next zone or for its window.';

CREATE OR REPLACE FUNCTION push_worker.open_runs_v1(hubs text[], OUT working int, OUT paused int)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT count(*) FILTER (WHERE NOT p.is_paused)::int, count(*) FILTER (WHERE p.is_paused)::int
      FROM (SELECT r.id, r.state = 'paused' OR push_internal.waits_for_window(r) AS is_paused
              FROM push.run r
             WHERE r.closed_at IS NULL AND r.state <> 'waiting'
             UNION ALL
            -- One that waits for a paused one waits for a person, too; one that rests waits for hours.
            SELECT r.id, EXISTS (
                       SELECT
                         FROM push.run o
                        WHERE o.ended_at IS NULL AND o.campaign = r.campaign AND o.state = 'paused' AND o.id < r.id
                          AND NOT o.is_test
                       OFFSET 0)
              FROM push_internal.first_waiting() r) p
     WHERE EXISTS (
               SELECT
                 FROM push.stream t
                      JOIN push.hub h ON h.id = t.hub
                WHERE t.run = p.id AND h.name = ANY (hubs))
$$;
COMMENT ON FUNCTION push_worker.open_runs_v1 IS
    'How many runs of these hubs are not over: being sent or ending, and paused or waiting for a zone or window. Of '
    'those that wait for another run each campaign counts once. For a drain that has to know whether it may end.';
