-- Partitions of the large tables, made ahead of need and closed after a while.

CREATE OR REPLACE FUNCTION push_internal.number_in_use(spec push.partitioned) RETURNS bigint
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(pg_sequence_last_value((spec).sequence::regclass), 0) * (spec).per_number / (spec).span
$$;
COMMENT ON FUNCTION push_internal.number_in_use IS 'Number of the partition that the newest key of a table belongs to.';

CREATE OR REPLACE FUNCTION push_internal.partitions(parent text) RETURNS TABLE (name text, number bigint, first bigint, last bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT n.name, n.number, n.number * s.span, (n.number + 1) * s.span - 1
      FROM push.partitioned s,
           pg_inherits i,
           pg_class c,
           LATERAL (SELECT c.relname::text, substr(c.relname, length(s.parent) + 2)::bigint) n(name, number)
     WHERE s.parent = partitions.parent
       AND i.inhparent = format('push.%I', s.parent)::regclass
       AND c.oid = i.inhrelid
       AND c.relname ~ '_[0-9]+$'                       -- not the DEFAULT partition
$$;
COMMENT ON FUNCTION push_internal.partitions IS 'The partitions of a table and their keys.';

CREATE OR REPLACE FUNCTION push_internal.identify_rows(name regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_class c
                WHERE c.oid = name
                  AND c.relreplident <> 'f'
                  AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)) THEN
        EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', name);
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.identify_rows IS
    'Lets rows of a table without a primary key be deleted and changed while a publication has the table, such as one FOR ALL '
    'TABLES: PostgreSQL refuses it otherwise, and every worker would stop. It costs WAL only while there is such a publication.';
SELECT push_internal.identify_rows(c.oid)
  FROM pg_class c
 WHERE c.relnamespace = 'push'::regnamespace
   AND c.relkind IN ('r', 'p');

CREATE OR REPLACE FUNCTION push_internal.make_partition(spec push.partitioned, number bigint) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name constant text := format('%s_%s', spec.parent, number);
    known constant regclass := to_regclass(format('push.%I', name));
    first constant bigint := number * spec.span;
    last constant bigint := first + spec.span - 1;
BEGIN
    IF known IS NOT NULL THEN
        RETURN CASE WHEN EXISTS (SELECT FROM pg_inherits i
                                  WHERE i.inhrelid = known AND i.inhparent = format('push.%I', spec.parent)::regclass)
                    THEN 'exists' ELSE 'somebody detached it' END;
    END IF;
    -- CREATE ... PARTITION OF behind one open reader blocks every INSERT; LIKE and ATTACH with a short lock_timeout do
    -- not. ATTACH also waits for readers of the DEFAULT partition.
    FOR try IN 1 .. 5 LOOP
        BEGIN
            EXECUTE format('CREATE TABLE push.%I (LIKE push.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS '
                           'INCLUDING INDEXES INCLUDING STORAGE) %s', name, spec.parent, spec.storage);
            EXECUTE format('COMMENT ON TABLE push.%I IS %L', name,
                           format('Partition of push.%s: %s %s to %s.', spec.parent, spec.key, first, last));
            PERFORM push_internal.identify_rows(format('push.%I', name)::regclass);
            EXECUTE format('ALTER TABLE push.%I ATTACH PARTITION push.%I FOR VALUES FROM (%s) TO (%s)',
                           spec.parent, name, first, last + 1);
            RETURN 'made';
        EXCEPTION
            WHEN lock_not_available THEN
                NULL;                                   -- try again
            WHEN check_violation THEN                   -- push.empty_default_partitions() moves them
                RETURN 'its rows are in the DEFAULT partition';
        END;
    END LOOP;
    RETURN 'busy';
END $$;
COMMENT ON FUNCTION push_internal.make_partition IS
    'Makes one partition. Returns made, exists, busy (a reader of the DEFAULT partition was in the way for five times'
    ' the lock_timeout), or in words why it could not.';

CREATE OR REPLACE FUNCTION push_internal.close_partition(spec push.partitioned) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    used constant bigint := push_internal.number_in_use(spec);
    last constant bigint := (used + 1) * spec.span / spec.per_number - 1;
    numbers constant regclass := spec.sequence;
    open_for interval;
    missing bigint;
BEGIN
    IF spec.in_use IS DISTINCT FROM used OR spec.since IS NULL THEN
        UPDATE push.partitioned
           SET in_use = used, since = clock_timestamp()
         WHERE parent = spec.parent AND pg_sequence_last_value(numbers) IS NOT NULL;
        RETURN;
    END IF;
    SELECT greatest(spec.close_after, r.keep / 4) INTO open_for
      FROM push.retention r
     WHERE r.purged_at > clock_timestamp() - interval '30 days';
    IF open_for IS NULL OR spec.since > clock_timestamp() - open_for THEN
        RETURN;
    END IF;
    -- Never into the DEFAULT partitions.
    IF EXISTS (SELECT FROM push.partitioned t
                WHERE spec.parent IN (t.parent, t.follows)
                  AND NOT EXISTS (SELECT FROM push_internal.partitions(t.parent) p WHERE p.number = used + 1))
    THEN
        RETURN;
    END IF;
    -- The numbers that are left are taken and thrown away. setval could set the sequence back behind what other
    -- sessions took meanwhile; nextval cannot. 4,000,000 of them take 0.9 s and 12 MB of WAL.
    LOOP
        missing := last - pg_sequence_last_value(numbers);
        EXIT WHEN missing <= 0;
        PERFORM count(nextval(numbers)) FROM generate_series(1, least(missing, 10000));
    END LOOP;
END $$;
COMMENT ON FUNCTION push_internal.close_partition IS
    'When the partition in use is old enough (push.partitioned.close_after): uses up its keys, so that new rows go '
    'into the next one.';

CREATE OR REPLACE FUNCTION push.make_partitions() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms' AS $$
DECLARE
    spec push.partitioned;
    number bigint;
    outcome text;
    made int := 0;
BEGIN
    -- Of two that make the same partition, one would wait and then fail.
    IF NOT push_internal.take_lock('partitions') THEN
        RETURN NULL;
    END IF;
    PERFORM push_internal.close_partition(p) FROM push.partitioned p WHERE p.close_after IS NOT NULL;
    FOR spec IN SELECT * FROM push.partitioned p ORDER BY coalesce(p.follows, p.parent), p.follows NULLS FIRST LOOP
        -- Not from .. to, whose variable is an integer.
        FOR number IN SELECT push_internal.number_in_use(spec) + n FROM generate_series(0, spec.ahead) n LOOP
            outcome := push_internal.make_partition(spec, number);
            EXIT WHEN outcome = 'busy';                 -- the next call tries again; there are some to spare
            IF outcome = 'made' THEN
                made := made + 1;
            END IF;
        END LOOP;
    END LOOP;
    RETURN made;
END $$;
COMMENT ON FUNCTION push.make_partitions IS
    'Closes partitions that were in use for long enough (push.partitioned.close_after), and makes new ones ahead of '
    'need. Returns how many it made; null, with a notice: another session does it now. fanfare run, drain and migrate '
    'call it.';

CREATE OR REPLACE FUNCTION push.empty_default_partitions() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
    spec push.partitioned;
    number bigint;
    rest text;
    outcome text;
    moved bigint;
    total bigint := 0;
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM FROM push.lock l WHERE l.name = 'partitions' FOR UPDATE;
    FOR spec IN SELECT * FROM push.partitioned p ORDER BY coalesce(p.follows, p.parent), p.follows NULLS FIRST LOOP
        rest := spec.parent || '_default';
        EXECUTE format('SELECT count(*) FROM (SELECT FROM push.%I LIMIT 1) x', rest) INTO moved;
        CONTINUE WHEN moved = 0;
        EXECUTE format('ALTER TABLE push.%I DETACH PARTITION push.%I', spec.parent, rest);
        FOR number IN EXECUTE format('SELECT DISTINCT %I / %s FROM push.%I ORDER BY 1', spec.key, spec.span, rest) LOOP
            outcome := push_internal.make_partition(spec, number);
            IF outcome NOT IN ('exists', 'made') THEN
                RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
                    MESSAGE = format('rows of push.%s belong into partition %s: %s', rest, number, outcome);
            END IF;
            -- Into the partition, not into the table: the trigger of push.message must not fire again.
            EXECUTE format('WITH moved AS (DELETE FROM push.%1$I WHERE %2$I / %3$s = %4$s RETURNING *) '
                           'INSERT INTO push.%5$I OVERRIDING SYSTEM VALUE SELECT * FROM moved',
                           rest, spec.key, spec.span, number, format('%s_%s', spec.parent, number));
            GET DIAGNOSTICS moved = ROW_COUNT;
            total := total + moved;
        END LOOP;
        EXECUTE format('ALTER TABLE push.%I ATTACH PARTITION push.%I DEFAULT', spec.parent, rest);
    END LOOP;
    INSERT INTO push.audit (action, detail) VALUES ('empty_default_partitions', json_build_object('rows', total));
    RETURN total;
END $$;
COMMENT ON FUNCTION push.empty_default_partitions IS
    'Moves rows out of the DEFAULT partitions into partitions of their own; returns how many rows. Blocks enqueuing '
    'while it runs.';

CREATE OR REPLACE FUNCTION push.filled_defaults() RETURNS SETOF text
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
    'DEFAULT partitions that have rows: push.empty_default_partitions() moves them out. Empty: all is well.';

CREATE OR REPLACE FUNCTION push.missing_partitions() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT s.parent
      FROM push.partitioned s
     WHERE to_regclass(format('push.%I', s.parent || '_' || (push_internal.number_in_use(s) + 1))) IS NULL
     ORDER BY s.parent
$$;
COMMENT ON FUNCTION push.missing_partitions IS
    'Tables without a partition beyond the one in use: soon they will write into their DEFAULT partition. Empty: all '
    'is well.';
