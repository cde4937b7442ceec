-- What a drain holds, and what is left for it to do.

CREATE OR REPLACE FUNCTION push_worker.hold_drain_v1(name text, holder bigint, lease_seconds real) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
#variable_conflict use_column
DECLARE
    at timestamptz := clock_timestamp();
BEGIN
    INSERT INTO push.drain AS r (name, holder, lease_seconds)
    VALUES (hold_drain_v1.name, hold_drain_v1.holder, hold_drain_v1.lease_seconds)
        ON CONFLICT (name) DO UPDATE
       SET holder = excluded.holder,
           started_at = CASE WHEN r.holder = excluded.holder THEN r.started_at ELSE at END,
           beat_at = at,
           lease_seconds = excluded.lease_seconds
     WHERE r.holder = excluded.holder
           -- A beat from the future: the clock was set back. It counts no longer than any other.
        OR abs(extract(epoch FROM at - r.beat_at)) > r.lease_seconds;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push_worker.hold_drain_v1 IS
    'Begins a drain, or renews its lease. False: another process drains under that name.';

CREATE OR REPLACE FUNCTION push_worker.end_drain_v1(name text, holder bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
    DELETE FROM push.drain r WHERE r.name = end_drain_v1.name AND r.holder = end_drain_v1.holder;
END;
COMMENT ON FUNCTION push_worker.end_drain_v1 IS 'Ends a drain: its name is free at once.';

-- Without SECURITY DEFINER and SET, so that PostgreSQL puts it into the statements below as if it were written there.
CREATE OR REPLACE FUNCTION push_internal.count_pointers_left(within_seconds double precision) RETURNS SETOF push.due
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
COMMENT ON FUNCTION push_internal.count_pointers_left IS
    'Pointers that a drain has to wait for: due within that time, and not merely scheduled for later.';

-- Scheduled ones wait for their time first, and what is due is counted as such.
CREATE OR REPLACE FUNCTION push_internal.waits_left(hub int, within_seconds double precision) RETURNS SETOF push.waiting
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT w.*
      FROM push.waiting w
     WHERE w.hub = waits_left.hub
       AND w.since <= now()
       AND w.due_at > now()
       AND (w.until <= now() + make_interval(secs => within_seconds)
            OR push_internal.count_awaited(w.hub, w.after, w.device, w.change) = 0)
$$;
COMMENT ON FUNCTION push_internal.waits_left IS
    'Messages that wait for another one or for a device, and for which a drain has to wait: for what has come, or until '
    'a time that is near enough.';

CREATE OR REPLACE FUNCTION push_worker.next_due_v1(hubs text[], within_seconds double precision) RETURNS double precision
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
                                FROM push_internal.count_pointers_left(within_seconds) d
                               WHERE d.hub = h.id
                                 AND d.priority = p.priority
                               ORDER BY d.due_at, d.id
                               LIMIT 1) d
                   UNION ALL
                   SELECT w.look_at
                     FROM push_internal.waits_left(h.id, within_seconds) w
                   UNION ALL
                   (SELECT d.due_at
                      FROM push.installation_due d
                     WHERE d.hub = h.id
                       AND d.due_at <= now() + make_interval(secs => within_seconds)
                     ORDER BY d.due_at, d.id
                     LIMIT 1)) front
         WHERE h.name = ANY (hubs));
END $$;
COMMENT ON FUNCTION push_worker.next_due_v1 IS
    'In how many seconds the next message, or change of a device, of these hubs is due, negative: it is due; null: '
    'nothing is left. Looks only at the front of each lane.';

CREATE OR REPLACE FUNCTION push_worker.count_left_v1(hubs text[], within_seconds double precision) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    ids constant int[] := ARRAY(SELECT h.id FROM push.hub h WHERE h.name = ANY (hubs));
BEGIN
    RETURN (SELECT count(*) FROM push_internal.count_pointers_left(within_seconds) d WHERE d.hub = ANY (ids))
         + (SELECT count(*) FROM unnest(ids) u(hub), push_internal.waits_left(u.hub, within_seconds))
         + (SELECT count(*) FROM push.installation_due d
             WHERE d.hub = ANY (ids) AND d.due_at <= now() + make_interval(secs => within_seconds));
END $$;
COMMENT ON FUNCTION push_worker.count_left_v1 IS
    'How many pointers of these hubs a drain has to wait for, of messages and of changes of devices. Counts one by '
    'one.';

CREATE OR REPLACE FUNCTION push_worker.claims_of_others_v1(hubs text[], name text) RETURNS bigint[]
LANGUAGE sql STABLE SECURITY DEFINER
BEGIN ATOMIC
    SELECT coalesce(array_agg(c.id), '{}')
      FROM push.claim c
           JOIN push.hub h ON h.id = c.hub
     WHERE h.name = ANY (hubs)
       AND c.worker IS DISTINCT FROM (SELECT max(w.id) FROM push.worker w WHERE w.name = claims_of_others_v1.name);
END;
COMMENT ON FUNCTION push_worker.claims_of_others_v1 IS
    'Claims on messages of these hubs, but not those of the newest worker of this name; null: all.';
