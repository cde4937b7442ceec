-- A server that was replaced: its timeline, and numbers that are never used twice.

CREATE OR REPLACE FUNCTION push_internal.current_timeline() RETURNS text
LANGUAGE sql VOLATILE
RETURN CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END;
COMMENT ON FUNCTION push_internal.current_timeline IS 'The timeline that this server writes; null on a standby.';

CREATE OR REPLACE FUNCTION push_internal.current_system() RETURNS bigint
LANGUAGE sql VOLATILE
RETURN (SELECT s.system_identifier FROM pg_control_system() s);
COMMENT ON FUNCTION push_internal.current_system IS 'push.timeline.system of this server. Reads a file, so only a worker that begins calls it.';

INSERT INTO push.timeline (timeline, system)
SELECT push_internal.current_timeline(), push_internal.current_system()
 WHERE NOT EXISTS (SELECT FROM push.timeline);

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
        HINT = 'Workers register again by themselves, with new numbers.';
END $$;
COMMENT ON FUNCTION push_internal.require_timeline IS
    'Raises PT001 when the server was replaced since push_worker.begin_timeline_v1, 25006 on a standby.';

CREATE OR REPLACE FUNCTION push_internal.highest_arrival() RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
    low    bigint := 0;
    high   bigint := 9223372036854775807;
    middle bigint;
BEGIN
    -- The column has a BRIN index alone, so max() would read all results. Halving the range reads a few pages each time.
    WHILE high - low > 1000000 LOOP
        middle := low + (high - low) / 2;
        IF EXISTS (SELECT FROM push.result r WHERE r.arrival > middle) THEN
            low := middle;
        ELSE
            high := middle;
        END IF;
    END LOOP;
    RETURN high;
END $$;
COMMENT ON FUNCTION push_internal.highest_arrival IS 'No result has a higher arrival, and some may have one that is up to a million lower.';

CREATE OR REPLACE FUNCTION push_internal.follow_rows() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part record;
BEGIN
    FOR part IN
        SELECT s.oid::regclass AS sequence, d.refobjid::regclass AS relation, a.attname AS name
          FROM pg_class s
               JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.oid AND d.refclassid = 'pg_class'::regclass
                                   AND d.deptype IN ('a', 'i')
               JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
         WHERE s.relkind = 'S'
           AND s.relnamespace = 'push'::regnamespace
    LOOP
        EXECUTE format('SELECT setval(%L, greatest(nextval(%1$L), max(%I))) FROM %s', part.sequence, part.name, part.relation);
    END LOOP;
    PERFORM setval('push.claim_id', greatest(nextval('push.claim_id'), (SELECT max(c.id) FROM push.claim c),
                                             (SELECT push.claim_of(max(p.id)) FROM push.post p))),
            setval('push.arrival', greatest(nextval('push.arrival'), push_internal.highest_arrival())),
            setval('push.installation_claim_id', greatest(nextval('push.installation_claim_id'),
                                                          (SELECT max(c.id) FROM push.installation_claim c)));
END $$;
COMMENT ON FUNCTION push_internal.follow_rows IS
    'Moves every sequence behind the rows that are there: logical replication brings rows and no sequences.';

CREATE OR REPLACE FUNCTION push_worker.begin_timeline_v1() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    known push.timeline;
    here constant bigint := push_internal.current_system();
    messages constant regclass := pg_get_serial_sequence('push.message', 'id')::regclass;
    workers constant regclass := pg_get_serial_sequence('push.worker', 'id')::regclass;
    changes constant regclass := pg_get_serial_sequence('push.installation_change', 'id')::regclass;
    -- Random: a second server that knows nothing of the first move is unlikely to reach the same numbers. If it does, the
    -- epochs distinguish the workers.
    step constant bigint := 10000000 + floor(random() * 1000000);
BEGIN
    SELECT t.* INTO known FROM push.timeline t;
    IF known.timeline = push_internal.current_timeline() AND known.system = here THEN
        RETURN false;
    END IF;
    SELECT t.* INTO known FROM push.timeline t FOR UPDATE;               -- one worker does it, the others wait
    IF known.timeline = push_internal.current_timeline() AND known.system = here THEN
        RETURN false;
    END IF;
    PERFORM FROM push.lock l WHERE l.name = 'partitions' FOR UPDATE;     -- else push.make_partitions may be busy below
    IF known.system <> here THEN
        PERFORM push_internal.follow_rows();
    END IF;
    PERFORM setval('push.claim_id', nextval('push.claim_id') + step),
            setval('push.arrival', nextval('push.arrival') + step),
            setval(messages, nextval(messages) + step),
            setval(changes, nextval(changes) + step),
            setval('push.installation_claim_id', nextval('push.installation_claim_id') + step),
            setval(workers, nextval(workers) + step / 10000);
    PERFORM push.make_partitions();
    UPDATE push.timeline
       SET timeline = push_internal.current_timeline(), system = here, since = now(), moved = moved + 1;
    INSERT INTO push.audit (action, detail)
    VALUES ('begin_timeline', json_build_object('before', known.timeline, 'now', push_internal.current_timeline(),
                                                'another_server', known.system <> here));
    RETURN true;
END $$;
COMMENT ON FUNCTION push_worker.begin_timeline_v1 IS
    'When the server writes another timeline than push.timeline says, or is another one: moves the sequences of claims, results, '
    'messages and changes of devices on by 10 to 11 million and that of workers by 1,000 to 1,100. Returns whether '
    'it did. A registering worker calls it.';
