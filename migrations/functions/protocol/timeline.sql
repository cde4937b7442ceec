-- A server that was replaced: its timeline, and numbers that do not come again.

CREATE OR REPLACE FUNCTION push_internal.current_timeline() RETURNS text
LANGUAGE sql VOLATILE
RETURN CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END;
COMMENT ON FUNCTION push_internal.current_timeline IS 'The timeline that this server writes; null on a standby.';
INSERT INTO push.timeline (timeline) SELECT push_internal.current_timeline() WHERE NOT EXISTS (SELECT FROM push.timeline);

CREATE OR REPLACE FUNCTION push_internal.require_timeline() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known text := (SELECT t.timeline FROM push.timeline t);
BEGIN
    IF known = push_internal.current_timeline() THEN
        RETURN;
    END IF;
    IF pg_is_in_recovery() THEN
        RAISE EXCEPTION USING ERRCODE = 'read_only_sql_transaction',
            MESSAGE = 'this server is a standby: nothing can be claimed or recorded here',
            HINT = 'Connect to the primary: target_session_attrs=read-write finds it among several hosts.';
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'PT001',
        MESSAGE = format('the server was replaced: it writes timeline %s, and the numbers in use are of timeline %s',
                         push_internal.current_timeline(), known),
        HINT = 'Workers register anew by themselves, which moves the numbers on.';
END $$;
COMMENT ON FUNCTION push_internal.require_timeline IS
    'Raises PT001 when the server was replaced since push_worker.begin_timeline_v1, 25006 on a standby.';

CREATE OR REPLACE FUNCTION push_worker.begin_timeline_v1() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    known text := (SELECT t.timeline FROM push.timeline t);
    messages constant regclass := pg_get_serial_sequence('push.message', 'id')::regclass;
    workers constant regclass := pg_get_serial_sequence('push.worker', 'id')::regclass;
    changes constant regclass := pg_get_serial_sequence('push.installation_change', 'id')::regclass;
    -- Not always the same: a second server that knows nothing of the first move hardly comes to the same numbers. If it
    -- does, the epochs tell the workers apart.
    step constant bigint := 10000000 + floor(random() * 1000000);
BEGIN
    IF known = push_internal.current_timeline() THEN
        RETURN false;
    END IF;
    SELECT t.timeline INTO known FROM push.timeline t FOR UPDATE;        -- one worker does it, the others wait
    IF known = push_internal.current_timeline() THEN
        RETURN false;
    END IF;
    PERFORM FROM push.lock l WHERE l.name = 'partitions' FOR UPDATE;     -- else push.make_partitions may be busy below
    PERFORM setval('push.claim_id', nextval('push.claim_id') + step),
            setval('push.arrival', nextval('push.arrival') + step),
            setval(messages, nextval(messages) + step),
            setval(changes, nextval(changes) + step),
            setval('push.installation_claim_id', nextval('push.installation_claim_id') + step),
            setval(workers, nextval(workers) + step / 10000);
    PERFORM push.make_partitions();
    UPDATE push.timeline SET timeline = push_internal.current_timeline(), since = now(), moved = moved + 1;
    INSERT INTO push.audit (action, detail)
    VALUES ('begin_timeline', json_build_object('before', known, 'now', push_internal.current_timeline()));
    RETURN true;
END $$;
COMMENT ON FUNCTION push_worker.begin_timeline_v1 IS
    'When the server writes another timeline than push.timeline says: moves the sequences of claims, results, '
    'messages and changes of devices on by 10 to 11 million and that of workers by 1,000 to 1,100. Returns whether '
    'it did. A registering worker calls it.';
