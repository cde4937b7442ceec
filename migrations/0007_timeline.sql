-- Fanfare, migration 7: A server that was replaced: its timeline, and numbers that do not come again.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

-- A promoted server may lack what the old one had confirmed, the last numbers of the sequences among it. Such numbers
-- come again for other rows, and a worker that still knows the old ones would settle messages that are not its own.
-- Every promotion begins a new timeline, so a new timeline moves all numbers on, and all workers begin anew.
CREATE TABLE push.timeline (
    timeline text NOT NULL,
    since    timestamptz NOT NULL DEFAULT now(),
    moved    bigint NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX timeline_is_one_row ON push.timeline ((true));
COMMENT ON TABLE push.timeline IS
    'The timeline of the server that the numbers of push.message, push.claim, push.result and push.worker belong to. '
    'One row.';
COMMENT ON COLUMN push.timeline.timeline IS 'As PostgreSQL writes it in names of WAL files: eight hexadecimal digits.';
COMMENT ON COLUMN push.timeline.since IS 'When fanfare first saw this timeline.';
COMMENT ON COLUMN push.timeline.moved IS 'How many times the numbers were moved on.';
COMMENT ON INDEX push.timeline_is_one_row IS 'Refuses a second row.';

CREATE FUNCTION push.current_timeline() RETURNS text
LANGUAGE sql VOLATILE
RETURN CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END;
COMMENT ON FUNCTION push.current_timeline IS 'The timeline that this server writes; null on a standby.';
INSERT INTO push.timeline (timeline) VALUES (push.current_timeline());

CREATE FUNCTION push.require_timeline() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known text := (SELECT t.timeline FROM push.timeline t);
BEGIN
    IF known = push.current_timeline() THEN
        RETURN;
    END IF;
    IF pg_is_in_recovery() THEN
        RAISE EXCEPTION USING ERRCODE = 'read_only_sql_transaction',
            MESSAGE = 'this server is a standby: nothing can be claimed or recorded here',
            HINT = 'Connect to the primary: target_session_attrs=read-write finds it among several hosts.';
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'PT001',
        MESSAGE = format('the server was replaced: it writes timeline %s, and the numbers in use are of timeline %s',
                         push.current_timeline(), known),
        HINT = 'Workers register anew by themselves, which moves the numbers on.';
END $$;
COMMENT ON FUNCTION push.require_timeline IS
    'Raises PT001 when the server was replaced since push.begin_timeline_v1, 25006 on a standby. Only for other '
    'functions.';

CREATE FUNCTION push.begin_timeline_v1() RETURNS boolean
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
    IF known = push.current_timeline() THEN
        RETURN false;
    END IF;
    SELECT t.timeline INTO known FROM push.timeline t FOR UPDATE;        -- one worker does it, the others wait
    IF known = push.current_timeline() THEN
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
    UPDATE push.timeline SET timeline = push.current_timeline(), since = now(), moved = moved + 1;
    INSERT INTO push.audit (action, detail)
    VALUES ('begin_timeline', json_build_object('before', known, 'now', push.current_timeline()));
    RETURN true;
END $$;
COMMENT ON FUNCTION push.begin_timeline_v1 IS
    'When the server writes another timeline than push.timeline says: moves the sequences of claims, results, messages '
    'and changes of devices on by 10 to 11 million and that of workers by 1,000 to 1,100. Returns whether it did. A registering '
    'worker calls it.';

INSERT INTO push.migration (version, name, works_from) VALUES (7, 'timeline', 61);
