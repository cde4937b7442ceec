-- What drain, doctor and top ask: how hubs and workers stand.

CREATE OR REPLACE FUNCTION push_worker.count_held_v1(claims bigint[]) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER
BEGIN ATOMIC
    SELECT count(*)
      FROM push.claim c,
           unnest(c.ids) u(id)
     WHERE c.id = ANY (claims)
       AND NOT EXISTS (
           SELECT
             FROM push.result r
            WHERE r.id = u.id
              AND r.post BETWEEN push_internal.no_post(c.id) AND push.last_post(c.id));
END;
COMMENT ON FUNCTION push_worker.count_held_v1 IS 'How many messages are still in these claims.';

CREATE OR REPLACE FUNCTION push.incidents() RETURNS TABLE (action text, times bigint, last timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER
BEGIN ATOMIC
    SELECT a.action, count(*), max(a.at)
      FROM push.audit a
     WHERE a.action IN ('dropped_pointer', 'rescue_failed', 'unrecorded')
       AND a.at > now() - interval '1 day'
     GROUP BY a.action
     ORDER BY a.action;
END;
COMMENT ON FUNCTION push.incidents IS
    'What went wrong in the last day and only push.audit says: pointers without a message (dropped_pointer), claims '
    'that cannot be rescued (rescue_failed), answers that cannot be recorded (unrecorded). Empty: all is well.';

-- A worker has no right on any view. With these its login can ask how things stand.
CREATE OR REPLACE FUNCTION push_worker.hub_health_v1() RETURNS SETOF push.hub_health
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM push.hub_health
$$;
COMMENT ON FUNCTION push_worker.hub_health_v1 IS 'push.hub_health, for fanfare doctor with the login of a worker.';

CREATE OR REPLACE FUNCTION push_worker.workers_v1() RETURNS SETOF push.workers
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM push.workers
$$;
COMMENT ON FUNCTION push_worker.workers_v1 IS 'push.workers, for fanfare doctor with the login of a worker.';

CREATE OR REPLACE FUNCTION push_worker.throughput_v1() RETURNS SETOF push.throughput
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM push.throughput t WHERE t.minute > now() - interval '1 hour'
$$;
COMMENT ON FUNCTION push_worker.throughput_v1 IS
    'The last hour of push.throughput, for fanfare doctor with the login of a worker.';

CREATE OR REPLACE FUNCTION push_worker.count_in_doubt_v1() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT count(*) FROM push.in_doubt
$$;
COMMENT ON FUNCTION push_worker.count_in_doubt_v1 IS
    'How many messages are in doubt, for fanfare doctor with the login of a worker.';
