-- Fanfare, migration 8: Partitions of the large tables, made ahead of need.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.make_partitions() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms' AS $$
DECLARE
    spec record; first bigint; part text; made int := 0; tries int;
BEGIN
    -- One caller at a time: of two that make the same partition, one waits and then fails. So the second caller leaves
    -- it to the first.
    IF NOT pg_try_advisory_xact_lock(7310868735422034534) THEN RETURN 0; END IF;
    FOR spec IN
        SELECT 'message' AS parent, 4000000::bigint AS span, coalesce(pg_sequence_last_value(pg_get_serial_sequence('push.message', 'id')::regclass), 1) AS reached
        UNION ALL SELECT 'result', 4000000, coalesce(pg_sequence_last_value(pg_get_serial_sequence('push.message', 'id')::regclass), 1)
        UNION ALL SELECT 'post',   1000000000, coalesce(pg_sequence_last_value('push.claim_id'), 1) * 10000
        UNION ALL SELECT 'answer', 1000000000, coalesce(pg_sequence_last_value('push.claim_id'), 1) * 10000
    LOOP
        <<ahead>> FOR i IN 0 .. 3 LOOP
            first := (spec.reached / spec.span + i) * spec.span;
            part := format('%s_%s', spec.parent, first / spec.span);
            CONTINUE WHEN to_regclass(format('push.%I', part)) IS NOT NULL;
            -- CREATE ... PARTITION OF behind one open reader blocks every INSERT; LIKE and ATTACH with a short
            -- lock_timeout do not. ATTACH also waits for readers of the DEFAULT partition. After a second we give up;
            -- the next call tries again, and there are three partitions to spare.
            EXECUTE format('CREATE TABLE push.%I (LIKE push.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING STORAGE)', part, spec.parent);
            EXECUTE format('COMMENT ON TABLE push.%I IS %L', part, format('Partition of push.%s: ids %s to %s.', spec.parent, first, first + spec.span - 1));
            tries := 0;
            LOOP
                BEGIN
                    EXECUTE format('ALTER TABLE push.%I ATTACH PARTITION push.%I FOR VALUES FROM (%s) TO (%s)', spec.parent, part, first, first + spec.span);
                    made := made + 1;
                    EXIT;
                EXCEPTION
                    WHEN lock_not_available THEN
                        tries := tries + 1;
                        IF tries >= 5 THEN EXECUTE format('DROP TABLE push.%I', part); EXIT ahead; END IF;
                    WHEN check_violation THEN     -- rows of this range are already in DEFAULT: push.mend_partitions() moves them
                        EXECUTE format('DROP TABLE push.%I', part);
                        EXIT;
                END;
            END LOOP;
        END LOOP;
    END LOOP;
    RETURN made;
END $$;
COMMENT ON FUNCTION push.make_partitions IS
    'Makes the partitions of message, result, post and answer three ahead of need; returns how many it made. fanfare '
    'run, drain and migrate call it.';

CREATE FUNCTION push.mend_partitions() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
    spec record; lowest bigint; highest bigint; first bigint; part text; moved bigint; total bigint := 0;
BEGIN
    FOR spec IN SELECT * FROM (VALUES ('message', 'id', 4000000::bigint), ('result', 'id', 4000000), ('post', 'id', 1000000000), ('answer', 'post', 1000000000)) s(parent, key, span) LOOP
        EXECUTE format('SELECT min(%I), max(%I) FROM push.%I', spec.key, spec.key, spec.parent || '_default') INTO lowest, highest;
        CONTINUE WHEN lowest IS NULL;
        EXECUTE format('ALTER TABLE push.%I DETACH PARTITION push.%I', spec.parent, spec.parent || '_default');
        FOR n IN lowest / spec.span .. highest / spec.span LOOP
            first := n * spec.span;
            part := format('%s_%s', spec.parent, n);
            IF to_regclass(format('push.%I', part)) IS NULL THEN
                EXECUTE format('CREATE TABLE push.%I (LIKE push.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING STORAGE)', part, spec.parent);
                EXECUTE format('COMMENT ON TABLE push.%I IS %L', part, format('Partition of push.%s: ids %s to %s.', spec.parent, first, first + spec.span - 1));
                EXECUTE format('ALTER TABLE push.%I ATTACH PARTITION push.%I FOR VALUES FROM (%s) TO (%s)', spec.parent, part, first, first + spec.span);
            END IF;
            -- Into the partition, not into the parent: the trigger of push.message must not fire again.
            EXECUTE format('WITH gone AS (DELETE FROM push.%I WHERE %I >= %s AND %I < %s RETURNING *) INSERT INTO push.%I OVERRIDING SYSTEM VALUE SELECT * FROM gone',
                spec.parent || '_default', spec.key, first, spec.key, first + spec.span, part);
            GET DIAGNOSTICS moved = ROW_COUNT;
            total := total + moved;
        END LOOP;
        EXECUTE format('ALTER TABLE push.%I ATTACH PARTITION push.%I DEFAULT', spec.parent, spec.parent || '_default');
    END LOOP;
    INSERT INTO push.audit (action, detail) VALUES ('mend_partitions', json_build_object('rows', total));
    RETURN total;
END $$;
COMMENT ON FUNCTION push.mend_partitions IS
    'Moves rows out of the DEFAULT partitions into partitions of their own; returns how many rows. Blocks enqueuing '
    'while it runs.';

CREATE TABLE push.message_default PARTITION OF push.message DEFAULT;

CREATE TABLE push.result_default PARTITION OF push.result DEFAULT;

CREATE TABLE push.post_default PARTITION OF push.post DEFAULT;

CREATE TABLE push.answer_default PARTITION OF push.answer DEFAULT;
COMMENT ON TABLE push.message_default IS
    'Catches ids for which no partition was made. Rows here are an alarm: SELECT push.mend_partitions().';
COMMENT ON TABLE push.result_default IS
    'Catches ids for which no partition was made. Rows here are an alarm: SELECT push.mend_partitions().';
COMMENT ON TABLE push.post_default IS
    'Catches ids for which no partition was made. Rows here are an alarm: SELECT push.mend_partitions().';
COMMENT ON TABLE push.answer_default IS
    'Catches ids for which no partition was made. Rows here are an alarm: SELECT push.mend_partitions().';

SELECT push.make_partitions();

INSERT INTO push.migration (version, name) VALUES (8, 'partitions');
