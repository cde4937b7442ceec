-- Removing a hub.

CREATE OR REPLACE FUNCTION push_internal.refuse_used_hub(number int, hub text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    serving text;
    pending bigint;
BEGIN
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
END $$;
COMMENT ON FUNCTION push_internal.refuse_used_hub IS
    'Raises where a hub is served or has something pending.';

-- No call may be under way that has seen the hub in use. That is known behind a lock that every INSERT waits for, of any
-- hub. So it is taken last, at the COMMIT, and given up after 0.1 s, for 5 s again and again: a person may leave the
-- transaction open, and so may a backend.
CREATE OR REPLACE FUNCTION push_internal.hub_removed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
DECLARE
    began constant timestamptz := clock_timestamp();
BEGIN
    LOOP
        BEGIN
            LOCK TABLE push.message, push.device IN SHARE MODE;
            EXIT;
        EXCEPTION
            WHEN lock_not_available THEN
                IF clock_timestamp() - began > interval '5 s' THEN
                    RAISE EXCEPTION USING
                        ERRCODE = 'lock_not_available',
                        MESSAGE = format('hub "%s" was not removed: a transaction that enqueues stays open', NEW.name),
                        HINT = 'Call push.remove_hub again when it has ended: pg_locks has who holds a lock of push.message.';
                END IF;
        END;
        PERFORM pg_sleep(0.1);                  -- sessions that waited behind the lock go on
    END LOOP;
    PERFORM push_internal.refuse_used_hub(NEW.id, NEW.name);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.hub_removed IS
    'Trigger of push.hub, at the COMMIT: refuses to remove a hub for which something was enqueued since push.remove_hub looked.';

DO $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_trigger t WHERE t.tgrelid = 'push.hub'::regclass AND t.tgname = 'hub_removed')
    THEN
        CREATE CONSTRAINT TRIGGER hub_removed AFTER UPDATE OF removed_at ON push.hub
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL)
            EXECUTE FUNCTION push_internal.hub_removed();
    END IF;
END $$;
COMMENT ON TRIGGER hub_removed ON push.hub IS
    'What is enqueued while push.remove_hub is under way keeps the hub.';

CREATE OR REPLACE FUNCTION push.remove_hub(hub text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number constant int := push_internal.hub_number(hub, or_removed => true);
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM push_internal.refuse_used_hub(number, hub);
    DELETE FROM push.waiting w WHERE w.hub = number;         -- of messages that were cancelled: no worker looks any more
    DELETE FROM push.device_template t WHERE t.hub = number;
    DELETE FROM push.reach r WHERE r.hub = number;
    UPDATE push.hub h
       SET removed_at = clock_timestamp(),
           removed_by = push.person(),
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
    'The COMMIT waits at most 5 s for open transactions that enqueue, and fails if one of them enqueued for the hub; nobody '
    'else waits for it for more than 0.1 s.';
