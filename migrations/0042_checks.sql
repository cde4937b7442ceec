-- Fanfare, migration 42: What drain and doctor ask: what is left to do, whether partitions are missing, how hubs stand.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

-- Without SECURITY DEFINER and SET, so that PostgreSQL puts it into the statements below as if it were written there.
CREATE FUNCTION push.left_to_do(within_seconds double precision) RETURNS SETOF push.due
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT d.*
      FROM push.due d
     WHERE d.due_at <= now() + make_interval(secs => within_seconds)
       AND (d.due_at <= now()
            OR d.attempt > 0
            OR d.resent
            OR d.kind = 'k'            -- not scheduled: it only waits for translations
               AND EXISTS (
                   SELECT
                     FROM push.content k,
                          LATERAL (SELECT m.send_at FROM push.message m WHERE m.id = k.id OFFSET 0) m
                    WHERE k.lead = d.id
                      AND m.send_at <= now()
                   OFFSET 0)
            OR EXISTS (SELECT FROM push.result r WHERE r.id = d.id OFFSET 0));      -- tried, and it cost no attempt
END;
COMMENT ON FUNCTION push.left_to_do IS
    'Pointers that a drain has to wait for: due within that time, and not merely scheduled for later. Only for other '
    'functions.';

CREATE FUNCTION push.next_due_v1(hubs text[], within_seconds double precision) RETURNS double precision
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
    RETURN (
        SELECT extract(epoch FROM min(front.due_at) - clock_timestamp())
          FROM push.hub h,
               LATERAL (
                   SELECT d.due_at
                     FROM generate_series(0, 2) p(priority),
                          LATERAL (
                              SELECT d.due_at
                                FROM push.left_to_do(within_seconds) d
                               WHERE d.hub = h.id
                                 AND d.priority = p.priority
                               ORDER BY d.due_at, d.id
                               LIMIT 1) d
                   UNION ALL
                   (SELECT d.due_at
                      FROM push.installation_due d
                     WHERE d.hub = h.id
                       AND d.due_at <= now() + make_interval(secs => within_seconds)
                     ORDER BY d.due_at, d.id
                     LIMIT 1)) front
         WHERE h.name = ANY (hubs));
END $$;
COMMENT ON FUNCTION push.next_due_v1 IS
    'In how many seconds the next message, or change of a device, of these hubs is due, negative: it is due; null: '
    'nothing is left. Looks only at the front of each lane.';

CREATE FUNCTION push.count_left_v1(hubs text[], within_seconds double precision) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    ids constant smallint[] := ARRAY(SELECT h.id FROM push.hub h WHERE h.name = ANY (hubs));
BEGIN
    RETURN (SELECT count(*) FROM push.left_to_do(within_seconds) d WHERE d.hub = ANY (ids))
         + (SELECT count(*) FROM push.installation_due d
             WHERE d.hub = ANY (ids) AND d.due_at <= now() + make_interval(secs => within_seconds));
END $$;
COMMENT ON FUNCTION push.count_left_v1 IS
    'How many pointers of these hubs a drain has to wait for, of messages and of changes of devices. Counts one by '
    'one.';

CREATE FUNCTION push.claims_of_others_v1(hubs text[], name text) RETURNS bigint[]
LANGUAGE sql STABLE SECURITY DEFINER
BEGIN ATOMIC
    SELECT coalesce(array_agg(c.id), '{}')
      FROM push.claim c
           JOIN push.hub h ON h.id = c.hub
     WHERE h.name = ANY (hubs)
       AND c.worker IS DISTINCT FROM (SELECT max(w.id) FROM push.worker w WHERE w.name = claims_of_others_v1.name);
END;
COMMENT ON FUNCTION push.claims_of_others_v1 IS
    'Claims on messages of these hubs, but not those of the newest worker of this name; null: all.';

CREATE FUNCTION push.count_held_v1(claims bigint[]) RETURNS bigint
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
              AND r.post BETWEEN push.no_post(c.id) AND push.last_post(c.id));
END;
COMMENT ON FUNCTION push.count_held_v1 IS 'How many messages are still in these claims.';

CREATE FUNCTION push.filled_defaults() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER
BEGIN ATOMIC
    SELECT 'message_default' WHERE EXISTS (SELECT FROM push.message_default)
    UNION ALL
    SELECT 'result_default' WHERE EXISTS (SELECT FROM push.result_default)
    UNION ALL
    SELECT 'post_default' WHERE EXISTS (SELECT FROM push.post_default)
    UNION ALL
    SELECT 'answer_default' WHERE EXISTS (SELECT FROM push.answer_default);
END;
COMMENT ON FUNCTION push.filled_defaults IS
    'DEFAULT partitions that have rows: push.mend_partitions() moves them out. Empty: all is well.';

CREATE FUNCTION push.missing_partitions() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT s.parent
      FROM push.partitioned s
     WHERE to_regclass(format('push.%I', s.parent || '_' || (push.number_in_use(s) + 1))) IS NULL
     ORDER BY s.parent
$$;
COMMENT ON FUNCTION push.missing_partitions IS
    'Tables without a partition beyond the one in use: soon they will write into their DEFAULT partition. Empty: all '
    'is well.';

CREATE FUNCTION push.incidents() RETURNS TABLE (action text, times bigint, last timestamptz)
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
CREATE FUNCTION push.hub_health_v1() RETURNS SETOF push.hub_health
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM push.hub_health
$$;
COMMENT ON FUNCTION push.hub_health_v1 IS 'push.hub_health, for fanfare doctor with the login of a worker.';

CREATE FUNCTION push.workers_v1() RETURNS SETOF push.workers
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM push.workers
$$;
COMMENT ON FUNCTION push.workers_v1 IS 'push.workers, for fanfare doctor with the login of a worker.';

CREATE FUNCTION push.throughput_v1() RETURNS SETOF push.throughput
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM push.throughput t WHERE t.minute > now() - interval '1 hour'
$$;
COMMENT ON FUNCTION push.throughput_v1 IS
    'The last hour of push.throughput, for fanfare doctor with the login of a worker.';

CREATE FUNCTION push.count_in_doubt_v1() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT count(*) FROM push.in_doubt
$$;
COMMENT ON FUNCTION push.count_in_doubt_v1 IS
    'How many messages are in doubt, for fanfare doctor with the login of a worker.';

INSERT INTO push.migration (version, name, works_from) VALUES (42, 'checks', 61);
