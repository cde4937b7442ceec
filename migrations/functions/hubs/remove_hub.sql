-- Removing a hub.

CREATE OR REPLACE FUNCTION push.remove_hub(hub text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
    number constant smallint := push_internal.hub_number(hub, or_removed => true);
    serving text;
    pending bigint;
BEGIN
    PERFORM push_internal.begin_action();
    LOCK TABLE push.message, push.device IN SHARE MODE;     -- no call is under way that has seen the hub in use
    SELECT string_agg(w.name, ', ' ORDER BY w.name) INTO serving
      FROM push.serving v
           JOIN push.worker w ON w.id = v.worker
     WHERE v.hub = number
       AND push.is_alive(w.beat_at, w.lease_seconds);
    IF serving IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('hub "%s" is served by %s', hub, serving),
            HINT = format('Take hubs.%s out of the configuration of these workers and reload them (SIGHUP).', hub);
    END IF;
    pending := (SELECT count(*) FROM push.due d WHERE d.hub = number)
             + (SELECT coalesce(sum(cardinality(c.ids)), 0) FROM push.claim c WHERE c.hub = number);
    IF pending > 0 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('hub "%s" has %s pending message%s', hub, pending, CASE WHEN pending > 1 THEN 's' END),
            HINT = format('Let a worker send them, or cancel them: SELECT * FROM push.cancel_hub(''%s'') until next '
                          'is null, or fanfare hub remove %1$s --cancel.', hub);
    END IF;
    pending := (SELECT count(*) FROM push.installation_due d WHERE d.hub = number);
    IF pending > 0 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('hub "%s" has %s waiting change%s of devices', hub, pending,
                             CASE WHEN pending > 1 THEN 's' END),
            HINT = format('Let a worker apply them, or refuse them: SELECT push.cancel_devices(''%s''), or fanfare '
                          'hub remove %1$s --cancel.', hub);
    END IF;
    DELETE FROM push.waiting w WHERE w.hub = number;         -- of messages that were cancelled: no worker looks any more
    UPDATE push.hub h
       SET removed_at = clock_timestamp(),
           removed_by = push_internal.caller(),
           settings_hash = NULL                 -- a configuration that has it again writes its settings
     WHERE h.id = number
       AND h.removed_at IS NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'no_data_found',
            MESSAGE = format('hub "%s" was removed already', hub);
    END IF;
    INSERT INTO push.audit (action, detail)
    VALUES ('remove_hub', json_build_object('hub', hub));
END $$;
COMMENT ON FUNCTION push.remove_hub IS
    'Removes a hub that no living worker serves and that has no pending messages: nothing can be enqueued for it from '
    'then on. What was sent to it stays, and so do its doubts. A configuration that has it again registers it again. '
    'Waits at most 5 s for open transactions that enqueue, and they wait for it.';
