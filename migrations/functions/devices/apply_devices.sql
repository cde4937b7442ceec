-- How workers apply changes of devices: look, claim, complete, give back.

CREATE OR REPLACE FUNCTION push_internal.takes_devices(hub int) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN NOT EXISTS (
    SELECT
      FROM push.hub_state s
     WHERE s.hub = takes_devices.hub
       AND (s.paused_by IS NOT NULL OR s.devices_until > clock_timestamp()));
COMMENT ON FUNCTION push_internal.takes_devices IS
    'Whether changes of devices may be applied at a hub now: it is not paused and did not ask to wait. A hold of its '
    'messages does not count: what a key may send and what it may register are different rights.';

CREATE OR REPLACE FUNCTION push_worker.look_devices_v1(
    hubs         int[],
    marks_at     timestamptz[],
    mark_ids     bigint[],
    back_seconds double precision[])
RETURNS int[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    moment constant timestamptz := clock_timestamp();     -- volatile, it would be no condition of the index
BEGIN
    RETURN ARRAY(
        SELECT u.hub
          FROM unnest(hubs, marks_at, mark_ids, back_seconds) u(hub, at, id, back),
               LATERAL (
                   SELECT least(u.at, moment - make_interval(secs => u.back)) AS at,
                          CASE WHEN u.at <= moment - make_interval(secs => u.back) OR u.back IS NULL
                               THEN u.id ELSE 0 END AS id) mark
         WHERE EXISTS (
                   SELECT
                     FROM push.installation_due d
                    WHERE d.hub = u.hub
                      AND d.due_at <= moment
                      AND (d.due_at, d.id) > (mark.at, mark.id)
                      AND NOT EXISTS (
                              SELECT FROM push.installation_claim c
                               WHERE c.hub = d.hub AND c.device = d.device OFFSET 0)
                   OFFSET 0)
           AND push_internal.takes_devices(u.hub));
END $$;
COMMENT ON FUNCTION push_worker.look_devices_v1 IS
    'The hubs that have a change of a device due after their mark and take it now. back_seconds: look from so long ago '
    'at the latest.';

CREATE OR REPLACE FUNCTION push_worker.claim_devices_v1(
    hub          int,
    mark_at      timestamptz,
    mark_id      bigint,
    back_seconds double precision,
    n            int,
    worker       int,
    epoch        int)
RETURNS TABLE (
    at       timestamptz,
    pointer  bigint,
    claim    bigint,
    device   text,
    id       bigint,
    attempt  smallint,
    action   push.device_action,
    document json)
LANGUAGE plpgsql ROWS 100 SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    most_changes constant int := 100;                 -- of one device
    most_bytes constant int := 262144;
    moment constant timestamptz := clock_timestamp();
    names text[];
    claims bigint[];
    last_at timestamptz;
    last_id bigint;
BEGIN
    PERFORM push_internal.require_read_committed('push_worker.claim_devices_v1');
    PERFORM push_internal.require_timeline();
    -- A worker that is being rescued at this moment claims nothing that nobody would find.
    PERFORM FROM push.worker w
      WHERE w.id = claim_devices_v1.worker AND w.epoch = claim_devices_v1.epoch FOR KEY SHARE;
    IF NOT FOUND OR NOT push_internal.takes_devices(hub) THEN
        RETURN;
    END IF;
    IF mark_at > moment - make_interval(secs => back_seconds) THEN
        mark_at := moment - make_interval(secs => back_seconds);
        mark_id := 0;
    END IF;

    -- 1. Devices with a change that is due, the oldest first. Pointers are read and not locked: two workers that want
    -- the same device meet at the key of push.installation_claim.
    SELECT array_agg(f.device ORDER BY f.device), (array_agg(f.due_at ORDER BY f.nth DESC))[1],
           (array_agg(f.id ORDER BY f.nth DESC))[1]
      INTO names, last_at, last_id
      FROM (SELECT s.device, min(s.nth) AS nth, (array_agg(s.due_at ORDER BY s.nth))[1] AS due_at,
                   (array_agg(s.id ORDER BY s.nth))[1] AS id
              FROM (SELECT d.device, d.due_at, d.id, row_number() OVER (ORDER BY d.due_at, d.id) AS nth
                      FROM (SELECT d.device, d.due_at, d.id
                              FROM push.installation_due d
                             WHERE d.hub = claim_devices_v1.hub
                               AND d.due_at <= moment
                               AND (d.due_at, d.id) > (mark_at, mark_id)
                               AND NOT EXISTS (
                                       SELECT FROM push.installation_claim c
                                        WHERE c.hub = d.hub AND c.device = d.device OFFSET 0)
                             ORDER BY d.due_at, d.id
                             LIMIT 4 * claim_devices_v1.n) d) s
             GROUP BY s.device
             ORDER BY min(s.nth)
             LIMIT claim_devices_v1.n) f;
    IF names IS NULL THEN
        RETURN;
    END IF;

    -- 2. In the order of their names, so that two workers cannot lock each other out.
    WITH taken AS (
        INSERT INTO push.installation_claim (hub, device, worker, epoch)
        SELECT claim_devices_v1.hub, u.name, claim_devices_v1.worker, claim_devices_v1.epoch
          FROM unnest(names) WITH ORDINALITY u(name, i)
         ORDER BY u.i
            ON CONFLICT ON CONSTRAINT installation_claim_pkey DO NOTHING
        RETURNING id, device
    )
    SELECT array_agg(t.id), array_agg(t.device) INTO claims, names FROM taken t;
    IF names IS NULL THEN
        RETURN;
    END IF;

    -- 3. All that waits for these devices, with a newer snapshot than that of step 1: what another worker has just
    -- finished is gone. What a later put or drop makes needless brings no document. A pointer whose change somebody
    -- deleted comes as a patch without one, so that it gets a result and is not found for ever.
    RETURN QUERY
    SELECT last_at, last_id, u.claim, u.device, c.id, c.attempt, c.action,
           CASE WHEN c.id >= c.decisive THEN c.document END
      FROM unnest(claims, names) u(claim, device),
           LATERAL (
               SELECT w.id, w.attempt, w.action, w.document,
                      coalesce(max(w.id) FILTER (WHERE w.action <> 'patch') OVER (), 0) AS decisive
                 FROM (SELECT p.id, p.attempt, coalesce(x.action, 'patch') AS action, x.document,
                              coalesce(sum(octet_length(x.document::text)) OVER (ORDER BY p.id), 0) AS bytes,
                              row_number() OVER (ORDER BY p.id) AS nth
                         FROM (SELECT p.id, p.attempt
                                 FROM push.installation_due p
                                WHERE p.hub = claim_devices_v1.hub AND p.device = u.device
                                ORDER BY p.id
                                LIMIT most_changes) p
                              LEFT JOIN push.installation_change x ON x.id = p.id) w
                WHERE w.bytes <= most_bytes OR w.nth = 1) c
     ORDER BY u.claim, c.id;
    DELETE FROM push.installation_claim c
     WHERE c.id = ANY (claims)
       AND NOT EXISTS (
               SELECT FROM push.installation_due p WHERE p.hub = c.hub AND p.device = c.device OFFSET 0);
END $$;
COMMENT ON FUNCTION push_worker.claim_devices_v1 IS
    'Takes up to n devices that have a change due after the mark. Returns what waits for each, oldest first and at '
    'most 100 changes, with the mark to go on from. Nothing: nothing is due, the hub takes none, or the worker was '
    'rescued.';

CREATE OR REPLACE FUNCTION push_worker.complete_devices_v1(
    worker       int,
    epoch        int,
    finished     bigint[],
    claims       bigint[],
    ids          bigint[],
    statuses     text[],
    delays       double precision[],
    costs        smallint[],
    https        smallint[],
    tracking_ids text[],
    errors       text[],
    notes        text[])
RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s'
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    recorded int;
BEGIN
    PERFORM push_internal.require_timeline();
    WITH held AS MATERIALIZED (                       -- whose claim is gone was recorded before, or rescued
        DELETE FROM push.installation_claim c
         WHERE c.id = ANY (finished)
           AND c.worker = complete_devices_v1.worker
           AND c.epoch = complete_devices_v1.epoch
        RETURNING c.id, c.hub, c.device
    ), said AS MATERIALIZED (                         -- in order, so that push.cancel_devices meets no deadlock
        SELECT h.hub, h.device, u.*, coalesce(u.status, 'retrying') = 'retrying' AS is_open
          FROM unnest(claims, ids, statuses, delays, costs, https, tracking_ids, errors, notes)
                   u(claim, id, status, delay, cost, http, tracking_id, error, note)
               JOIN held h ON h.id = u.claim
         ORDER BY u.id
    ), gone AS (
        DELETE FROM push.installation_due d
         USING said s
         WHERE d.hub = s.hub
           AND d.device = s.device
           AND d.id = s.id
        RETURNING d.hub, d.device, d.id, d.attempt + s.cost AS attempt, s.is_open, s.status, s.delay, s.http,
                  s.tracking_id, s.error, s.note
    ), again AS (
        INSERT INTO push.installation_due (due_at, id, hub, attempt, device)
        SELECT clock_timestamp() + make_interval(secs => coalesce(g.delay, 0)), g.id, g.hub, g.attempt, g.device
          FROM gone g
         WHERE g.is_open
    ), results AS (
        INSERT INTO push.installation_result (id, status, http, tracking_id, error, note)
        SELECT g.id, g.status::push.change_status, g.http, g.tracking_id, g.error, g.note
          FROM gone g
         WHERE g.status IS NOT NULL
         ORDER BY g.id
        RETURNING 1
    ), awaited AS (                                   -- messages that wait for these devices: a lane looks at them now
        UPDATE push.waiting w
           SET look_at = clock_timestamp()
         WHERE w.ctid = ANY (ARRAY(
                   SELECT o.row
                     FROM (SELECT DISTINCT g.hub, g.device FROM gone g WHERE NOT g.is_open) g,
                          LATERAL (
                              SELECT o.ctid AS row
                                FROM push.waiting o
                               WHERE o.hub = g.hub
                                 AND o.device = g.device
                                 AND o.since <= clock_timestamp()
                                 FOR UPDATE SKIP LOCKED) o))
    )
    SELECT count(*) INTO recorded FROM results;
    RETURN recorded;
END $$;
COMMENT ON FUNCTION push_worker.complete_devices_v1 IS
    'Records what became of changes and gives their devices back. finished: the claims that end. What is retrying '
    'waits again for delay seconds; a null status does the same without a result, for a change that was not tried. '
    'Repeating it is harmless. Returns how many results were written.';

CREATE OR REPLACE FUNCTION push_worker.close_devices_v1(hub int, seconds double precision, why text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
    INSERT INTO push.hub_state AS s (hub, devices_until, devices_why)
    VALUES (close_devices_v1.hub, clock_timestamp() + make_interval(secs => least(close_devices_v1.seconds, 3600)),
            close_devices_v1.why)
        ON CONFLICT (hub) DO UPDATE
       SET devices_until = greatest(s.devices_until, excluded.devices_until),
           devices_why = excluded.devices_why
$$;
COMMENT ON FUNCTION push_worker.close_devices_v1 IS
    'No worker applies changes of devices at this hub for that time, at most an hour. Messages do not wait. '
    'Never shortens a wait; push.resume_hub ends it.';

CREATE OR REPLACE FUNCTION push_worker.return_devices_v1(worker int, epoch int, hub int DEFAULT NULL) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
#variable_conflict use_column
DECLARE
    returned int;
BEGIN
    DELETE FROM push.installation_claim c
     WHERE c.worker = return_devices_v1.worker
       AND c.epoch = coalesce(return_devices_v1.epoch, c.epoch)
       AND c.hub = coalesce(return_devices_v1.hub, c.hub);
    GET DIAGNOSTICS returned = ROW_COUNT;
    RETURN returned;
END $$;
COMMENT ON FUNCTION push_worker.return_devices_v1 IS
    'Gives back the devices that a worker holds, of one hub or of all: what waits for them is tried again, which does '
    'no harm. push_worker.rescue_v1 calls it for a dead worker; a worker calls it when the answer to a claim was lost.';
