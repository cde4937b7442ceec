-- Stopping what devices wait for.

CREATE OR REPLACE FUNCTION push_worker.device_backlog_v1() RETURNS SETOF push.device_backlog
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM push.device_backlog
$$;
COMMENT ON FUNCTION push_worker.device_backlog_v1 IS
    'push.device_backlog, for fanfare doctor with the login of a worker.';

CREATE OR REPLACE FUNCTION push.cancel_devices(hub text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number constant int := push_internal.hub_number(hub, or_removed => true);
    cancelled bigint;
    said constant text := 'cancelled by ' || push.person();
BEGIN
    PERFORM push_internal.begin_action();
    WITH gone AS (
        DELETE FROM push.installation_due d
         WHERE d.ctid = ANY (ARRAY(              -- in the order in which workers delete them: no deadlock
                   SELECT l.ctid
                     FROM push.installation_due l
                    WHERE l.hub = number
                      -- What is on the wire has the answer of the hub, not ours.
                      AND NOT EXISTS (
                              SELECT
                                FROM push.installation_claim c
                                     JOIN push.worker w ON w.id = c.worker AND w.epoch = c.epoch
                               WHERE c.hub = l.hub
                                 AND c.device = l.device
                                 AND push.is_alive(w.beat_at, w.lease_seconds))
                    ORDER BY l.id
                      FOR UPDATE))
        RETURNING d.id
    ), results AS (
        INSERT INTO push.installation_result (id, status, note)
        SELECT g.id, 'refused', said FROM gone g
        RETURNING 1
    )
    SELECT count(*) INTO cancelled FROM results;
    INSERT INTO push.audit (action, detail)
    VALUES ('cancel_devices', json_build_object('hub', hub, 'changes', cancelled));
    RETURN cancelled;
END $$;
COMMENT ON FUNCTION push.cancel_devices IS
    'Refuses all changes of devices that wait at a hub, but for those of a device that a living worker is changing: they get '
    'the answer of the hub. Returns how many.';
