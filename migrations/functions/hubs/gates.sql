-- Whether a hub takes posts: gates, holds, breakers and keys.

CREATE OR REPLACE FUNCTION push_internal.left_hubs() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- SKIP LOCKED: this is only for people, and rescue must not wait for one of them.
    UPDATE push.hub_state s
       SET served_at = g.at
      FROM (SELECT l.hub, max(l.at) AS at FROM leaving l GROUP BY l.hub) g
     WHERE s.ctid = ANY (ARRAY(
               SELECT h.ctid
                 FROM push.hub_state h
                WHERE h.hub IN (SELECT l.hub FROM leaving l)
                  FOR NO KEY UPDATE SKIP LOCKED))
       AND s.hub = g.hub;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.left_hubs IS
    'Trigger: remembers when a worker that leaves, or died, last served its hubs.';

CREATE OR REPLACE TRIGGER left_hubs AFTER DELETE ON push.serving REFERENCING OLD TABLE AS leaving
    FOR EACH STATEMENT EXECUTE FUNCTION push_internal.left_hubs();
COMMENT ON TRIGGER left_hubs ON push.serving IS 'So that push.hub_health can say since when no worker serves a hub.';

CREATE OR REPLACE FUNCTION push_worker.open_breaker_v1(hub int, seconds double precision, why text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
    UPDATE push.hub_state s
       SET broken_until = greatest(s.broken_until, clock_timestamp() + make_interval(secs => open_breaker_v1.seconds)),
           broken_why = open_breaker_v1.why,
           changed_at = clock_timestamp()
     WHERE s.hub = open_breaker_v1.hub
$$;
COMMENT ON FUNCTION push_worker.open_breaker_v1 IS
    'This worker''s posts do not get through to the hub, and it tries again after this many seconds. The other '
    'workers try one post first.';

CREATE OR REPLACE FUNCTION push_worker.close_breaker_v1(hub int) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
    UPDATE push.hub_state s
       SET broken_until = NULL,
           broken_why = NULL,
           changed_at = clock_timestamp()
     WHERE s.hub = close_breaker_v1.hub
       AND s.broken_until IS NOT NULL
$$;
COMMENT ON FUNCTION push_worker.close_breaker_v1 IS
    'A post got through after others did not: ends what push_worker.open_breaker_v1 began.';

CREATE OR REPLACE FUNCTION push_worker.close_gate_v1(hub int, seconds double precision) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
    UPDATE push.hub_state s
       SET gate_until = g.until,
           changed_at = clock_timestamp()
      FROM (SELECT clock_timestamp() + make_interval(secs => least(close_gate_v1.seconds, 3600)) AS until) g
     WHERE s.hub = close_gate_v1.hub
       AND (s.gate_until IS NULL OR s.gate_until < g.until)
$$;
COMMENT ON FUNCTION push_worker.close_gate_v1 IS
    'The hub throttles: closes its gate for all workers, for this many seconds, at most an hour: one wrong date of a '
    'proxy must not stop a hub for a day, and one post shows whether it still throttles. Never shortens a wait.';

CREATE OR REPLACE FUNCTION push_worker.hold_hub_v1(
    hub int, reason text, probe_seconds double precision, age double precision) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
BEGIN
    UPDATE push.hub_state s
       SET held_since = coalesce(s.held_since, clock_timestamp()),
           hold_reason = hold_hub_v1.reason,
           probe_at = clock_timestamp() + make_interval(secs => hold_hub_v1.probe_seconds),
           changed_at = clock_timestamp()
     WHERE s.hub = hold_hub_v1.hub
       AND (s.opened_at IS NULL OR s.opened_at < clock_timestamp() - make_interval(secs => hold_hub_v1.age));
    IF FOUND THEN
        RETURN true;
    END IF;
    UPDATE push.hub_state s
       SET refused_until = greatest(s.refused_until, clock_timestamp())
     WHERE s.hub = hold_hub_v1.hub;
    RETURN false;
END $$;
COMMENT ON FUNCTION push_worker.hold_hub_v1 IS
    'The hub refuses us: keeps its messages, records why, and lets one message be tried after this many seconds; null: '
    'none is tried, only push.resume_hub ends the hold. age: seconds since the refused post left. False: a hold or a '
    'wait was ended after that, so nothing is held, and what was refused is due at once.';

CREATE OR REPLACE FUNCTION push_worker.take_probe_v1(hub int, probe_seconds double precision) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- SKIP LOCKED: another worker or an open transaction may hold the row, and this does not wait for it.
    PERFORM
       FROM push.hub_state s
      WHERE s.hub = take_probe_v1.hub
        AND s.held_since IS NOT NULL
        AND s.probe_at <= clock_timestamp()
        FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE push.hub_state s
       SET probe_at = clock_timestamp() + make_interval(secs => probe_seconds)
     WHERE s.hub = take_probe_v1.hub;
    RETURN true;
END $$;
COMMENT ON FUNCTION push_worker.take_probe_v1 IS 'True for the one worker that may now try one message on a held hub.';

CREATE OR REPLACE FUNCTION push_worker.release_hub_v1(hub int) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
    UPDATE push.hub_state s
       SET held_since = NULL,
           hold_reason = NULL,
           probe_at = NULL,
           refused_until = greatest(s.refused_until, clock_timestamp()),
           opened_at = clock_timestamp(),
           changed_at = clock_timestamp()
     WHERE s.hub = release_hub_v1.hub
       AND s.held_since IS NOT NULL
$$;
COMMENT ON FUNCTION push_worker.release_hub_v1 IS
    'A probe was accepted: the hub takes posts again, and push_worker.return_refused_v1 has something to do.';

CREATE OR REPLACE FUNCTION push_worker.return_refused_v1(
    hub int, within_seconds double precision, after text, OUT returned bigint, OUT next text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO'
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    most     constant int := 10000;
    begins   constant int := coalesce(split_part(after, '/', 1)::int, 0);
    mark_at  timestamptz := coalesce(split_part(after, '/', 2)::timestamptz, clock_timestamp());
    mark_id  bigint := coalesce(split_part(after, '/', 3)::bigint, 0);
    is_last  boolean := split_part(after, '/', 4)::boolean;
    latest   timestamptz;
    part     record;
    free     tid[];
BEGIN
    returned := 0;
    -- SKIP LOCKED: another worker is at it, or a person holds the row in an open transaction.
    SELECT least(greatest(s.refused_until, clock_timestamp()), clock_timestamp() + interval '1 hour')  -- the longest gate
           + make_interval(secs => within_seconds)
      INTO latest
      FROM push.hub_state s
     WHERE s.hub = return_refused_v1.hub
       AND s.refused_until IS NOT NULL
       AND s.held_since IS NULL
       FOR NO KEY UPDATE SKIP LOCKED;
    IF latest IS NULL THEN
        RETURN;
    END IF;
    -- A post that left before may still be refused: its messages come when its claim has ended.
    is_last := coalesce(is_last, NOT EXISTS (
        SELECT
          FROM push.claim c
               JOIN push.hub_state s ON s.hub = c.hub
         WHERE c.hub = return_refused_v1.hub
           AND c.claimed_at <= s.opened_at
           AND c.trouble IS NULL));
    FOR class IN begins .. 2 LOOP                                             -- urgent ones first
        SELECT count(*) AS n,
               max(d.due_at) AS at,
               (array_agg(d.id ORDER BY d.due_at DESC, d.id DESC))[1] AS id,
               array_agg(d.pointer) FILTER (WHERE r.is_refused) AS pointers,
               array_agg(d.id) FILTER (WHERE r.is_refused) AS ids
          INTO part
          FROM (SELECT d.ctid AS pointer, d.due_at, d.id
                  FROM push.due d
                 WHERE d.hub = return_refused_v1.hub
                   AND d.priority = class
                   AND d.due_at <= latest
                   AND (d.due_at, d.id) > (mark_at, mark_id)
                 ORDER BY d.due_at, d.id
                 LIMIT most) d
               LEFT JOIN LATERAL (
                   SELECT r.status = 'retrying'
                          AND r.reason IN ('auth_refused', 'hub_not_found', 'quota_exceeded', 'throttled') AS is_refused
                     FROM push.result r
                    WHERE r.id = d.id
                    ORDER BY r.arrival DESC
                    LIMIT 1) r ON true;
        -- What a person is cancelling is passed over.
        free := ARRAY(
            SELECT d.ctid
              FROM push.due d
             WHERE d.ctid = ANY (part.pointers)
               AND CASE WHEN d.id IN (SELECT u.id FROM unnest(part.ids) u(id)) THEN true END
               FOR UPDATE SKIP LOCKED);
        returned := returned + push_internal.move_pointers(free, part.ids, 'resumed', clock_timestamp(), 0);
        IF part.n = most THEN
            next := class || '/' || part.at || '/' || part.id || '/' || is_last;
            RETURN;
        END IF;
        mark_at := clock_timestamp();
        mark_id := 0;
    END LOOP;
    UPDATE push.hub_state s SET refused_until = NULL WHERE s.hub = return_refused_v1.hub AND is_last;
END $$;
COMMENT ON FUNCTION push_worker.return_refused_v1 IS
    'After a hold or a wait (push.hub_state.refused_until): makes what the hub refused meanwhile due at once, urgent ones '
    'first, and returns how many. One call looks at up to 10,000 pointers of each priority that are due within that '
    'many seconds of the end of the wait: call it again with after => next until next is null. push.hub_state.refused_until stays '
    'while claims from before the end of the hold (opened_at) are open: what they return is looked for too.';

CREATE OR REPLACE FUNCTION push_worker.use_key_v1(hub int, key text, reason text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
BEGIN
    UPDATE push.hub_state s
       SET key = use_key_v1.key,
           key_since = clock_timestamp(),
           key_reason = use_key_v1.reason
     WHERE s.hub = use_key_v1.hub
       AND s.key <> use_key_v1.key;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push_worker.use_key_v1 IS
    'A worker found that the hub takes only this key: all workers sign with it from now on. False: they already did.';

CREATE OR REPLACE FUNCTION push_worker.unserved_hubs_v1() RETURNS text[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    RETURN ARRAY(
        SELECT h.name
          FROM push.hub h
         WHERE (EXISTS (SELECT FROM push.due d WHERE d.hub = h.id OFFSET 0)
                OR EXISTS (SELECT FROM push.installation_due d WHERE d.hub = h.id OFFSET 0))
           AND NOT EXISTS (
                   SELECT
                     FROM push.serving v
                          JOIN push.worker w ON w.id = v.worker
                    WHERE v.hub = h.id
                      AND push.is_alive(w.beat_at, w.lease_seconds))
         ORDER BY h.name);
END $$;
COMMENT ON FUNCTION push_worker.unserved_hubs_v1 IS
    'Hubs that have messages or changes of devices pending and no living worker, such as hubs that were taken out of '
    'the configuration.';

CREATE OR REPLACE FUNCTION push_worker.hub_states_v1()
RETURNS TABLE (
    hub            int,
    gate_seconds   double precision,
    hold_reason    text,
    probe_seconds  double precision,
    paused_by      text,
    key            text,
    rate           double precision,
    slowed_to      double precision,
    broken_seconds double precision,
    paused_why     text,
    has_refused    boolean)
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
           push.throttled_rate(p.slowed_to, push.seconds_between(p.slowed_at, c.now)),
           push.seconds_between(c.now, s.broken_until),
           s.paused_why,
           s.refused_until IS NOT NULL AND s.held_since IS NULL
      FROM push.hub_state s
           JOIN push.hub_pace r ON r.hub = s.hub,
           LATERAL push.pace_of(r, s.paced_from) p,
           (SELECT clock_timestamp() AS now) c
     -- Also a wait that is over: workers distinguish it from one that a person ended.
     WHERE s.gate_until IS NOT NULL
        OR s.held_since IS NOT NULL
        OR s.probe_at IS NOT NULL
        OR s.paused_by IS NOT NULL
        OR s.key <> 'primary'
        OR s.rate IS NOT NULL
        OR p.slowed_to IS NOT NULL
        OR s.broken_until IS NOT NULL
        OR s.refused_until IS NOT NULL
$$;
COMMENT ON FUNCTION push_worker.hub_states_v1 IS
    'Gates, holds, pauses, keys, rates and breakers of all hubs that have something of that; the others take posts, '
    'with the primary key and as configured. Times are seconds from now, at most a day, so that no worker''s clock '
    'matters. has_refused: push_worker.return_refused_v1 has something to do.';
