-- Fanfare, migration 33: Deleting what is final and old.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.open_ids(parent text, first bigint, last bigint, OUT n bigint, OUT example bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT count(*), min(o.id) INTO n, example FROM (
        SELECT d.id FROM push.due d WHERE parent IN ('message', 'result') AND d.id BETWEEN first AND last
        UNION ALL
        SELECT t.id FROM push.translation t, LATERAL (SELECT FROM push.due d WHERE d.id = t.lead AND d.translations) d
         WHERE parent IN ('message', 'result') AND t.id BETWEEN first AND last AND t.id <> t.lead
        UNION ALL
        SELECT k.id FROM push.due d, LATERAL (SELECT k.id FROM push.content k WHERE k.lead = d.id) k
         WHERE parent IN ('message', 'result') AND d.keyed AND k.id BETWEEN first AND last AND k.id <> d.id
        UNION ALL
        SELECT u.id FROM push.claim c, unnest(c.ids) u(id) WHERE parent IN ('message', 'result') AND u.id BETWEEN first AND last
        UNION ALL
        SELECT c.id FROM push.claim c WHERE parent IN ('post', 'answer') AND c.id * 10000 BETWEEN first - 9999 AND last
        UNION ALL          -- in doubt: a person or a late answer still needs the row
        SELECT r.id FROM push.result r
         WHERE r.status = 'in_doubt' AND (parent IN ('message', 'result') AND r.id BETWEEN first AND last OR parent IN ('post', 'answer') AND r.post BETWEEN first AND last)
           AND NOT EXISTS (SELECT FROM push.result x WHERE x.id = r.id AND x.at > r.at OFFSET 0)
    ) o;
END $$;
COMMENT ON FUNCTION push.open_ids IS
    'How many messages (or claims) that are not final lie in a range of ids, and one of them. Only for other '
    'functions.';

CREATE FUNCTION push.purge(older_than interval, batch int DEFAULT 10000, keep_audit interval DEFAULT '1 year')
RETURNS TABLE (what text, action text, n bigint, note text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms' AS $$
#variable_conflict use_column
DECLARE
    spec record; part record; first bigint; last bigint; reached bigint; newest timestamptz; open record; gone bigint; dropped text; kept text[] := '{}';
    cutoff timestamptz := clock_timestamp() - $1; oldest bigint;
BEGIN
    IF $1 IS NULL OR $1 < '1 day' OR $2 IS NULL OR $2 NOT BETWEEN 1 AND 1000000 OR $3 IS NULL OR $3 < '1 day' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.purge: older than %s, a batch of %s, audit of %s', coalesce($1::text, 'NULL'), coalesce($2::text, 'NULL'), coalesce($3::text, 'NULL')),
            HINT = 'At least one day, and 1 to 1000000 rows: SELECT * FROM push.purge(older_than => ''30 days''), again until no row says deleted or dropped.';
    END IF;

    -- 1. Rows, one batch of each kind. Old rows come first, so a batch is found without reading the rest.
    gone := push.forget_keys($2);
    IF gone > 0 THEN RETURN QUERY SELECT 'keys', 'deleted', gone, 'dedupe and content keys past the keep time of their hub'; END IF;

    DELETE FROM push.tally t WHERE t.ctid = ANY (ARRAY(SELECT t.ctid FROM push.tally t WHERE t.minute < cutoff LIMIT $2 FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS gone = ROW_COUNT;
    IF gone > 0 THEN RETURN QUERY SELECT 'tally', 'deleted', gone, 'minutes before ' || push.iso(cutoff); END IF;

    DELETE FROM push.audit a WHERE a.id = ANY (ARRAY(SELECT a.id FROM push.audit a WHERE a.at < clock_timestamp() - $3 ORDER BY a.id LIMIT $2));
    GET DIAGNOSTICS gone = ROW_COUNT;
    IF gone > 0 THEN RETURN QUERY SELECT 'audit', 'deleted', gone, 'entries before ' || push.iso(clock_timestamp() - $3); END IF;

    SELECT m.id INTO oldest FROM push.message m ORDER BY m.id LIMIT 1;        -- dropped partitions leave these behind
    DELETE FROM push.translation t WHERE t.id = ANY (ARRAY(SELECT t.id FROM push.translation t WHERE t.id < oldest / 4000000 * 4000000 ORDER BY t.id LIMIT $2));
    GET DIAGNOSTICS gone = ROW_COUNT;
    IF gone > 0 THEN RETURN QUERY SELECT 'translation', 'deleted', gone, 'of purged messages'; END IF;

    -- 2. Whole partitions, the oldest of each table first. One per call, because DETACH keeps its lock on the table
    -- until the call ends, and every INSERT waits for it.
    FOR spec IN SELECT * FROM (VALUES ('message', 'id', 'created_at', 4000000::bigint, 'push.message_id_seq'), ('result', 'id', 'at', 4000000, 'push.message_id_seq'),
                                      ('answer', 'post', 'at', 1000000000, 'push.claim_id'), ('post', 'id', 'at', 1000000000, 'push.claim_id')) s(parent, key, at, span, counter) LOOP
        reached := coalesce(pg_sequence_last_value(spec.counter::regclass), 0) * CASE WHEN spec.span > 4000000 THEN 10000 ELSE 1 END;
        FOR part IN EXECUTE format('SELECT substr(c.relname, length(%L) + 2)::bigint AS number, c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = %L::regclass AND c.relname ~ %L ORDER BY 1',
                                   spec.parent, 'push.' || spec.parent, '^' || spec.parent || '_[0-9]+$') LOOP
            first := part.number * spec.span;
            last := first + spec.span - 1;
            EXIT WHEN last >= reached;                                         -- in use now, or later
            IF dropped IS NOT NULL THEN                                        -- one per call
                EXIT;
            END IF;
            IF spec.parent = 'result' AND to_regclass('push.message_' || part.number) IS NOT NULL THEN CONTINUE; END IF;   -- messages first: a message without a result would look lost
            IF spec.parent = 'message' THEN                                    -- ids grow with time: look at the newest
                EXECUTE format('SELECT max(created_at) FROM (SELECT created_at FROM push.%I ORDER BY id DESC LIMIT 1000) m', part.name) INTO newest;
            ELSE
                EXECUTE format('SELECT max(at) FROM push.%I', part.name) INTO newest;
            END IF;
            IF newest >= cutoff THEN
                kept := kept || format('%s|is in use until %s', part.name, push.iso(newest + $1));
                EXIT;
            END IF;
            SELECT * INTO open FROM push.open_ids(spec.parent, first, last);
            IF open.n > 0 THEN                                                 -- one forgotten doubt must not keep all later partitions
                kept := kept || format('%s|%s not final, such as %s', part.name, open.n || CASE WHEN open.n = 1 THEN ' is' ELSE ' are' END, open.example);
                CONTINUE;
            END IF;
            dropped := part.name || '|' || spec.parent || '|' || first || '|' || last;
        END LOOP;
    END LOOP;
    RETURN QUERY SELECT split_part(k, '|', 1), 'kept', NULL::bigint, split_part(k, '|', 2) FROM unnest(kept) k;

    IF dropped IS NOT NULL THEN
        DECLARE name text := split_part(dropped, '|', 1); parent text := split_part(dropped, '|', 2);
        BEGIN
            first := split_part(dropped, '|', 3);
            last := split_part(dropped, '|', 4);
            gone := (SELECT nullif(c.reltuples, -1)::bigint FROM pg_class c WHERE c.oid = ('push.' || name)::regclass);
            -- The lock first: then every transaction that wrote in this range has committed and is visible.
            EXECUTE format('LOCK TABLE ONLY push.%I IN ACCESS EXCLUSIVE MODE', parent);
            EXECUTE format('LOCK TABLE push.%I IN ACCESS EXCLUSIVE MODE', name);
            SELECT * INTO open FROM push.open_ids(parent, first, last);
            IF open.n > 0 THEN
                RETURN QUERY SELECT name, 'kept', NULL::bigint, format('%s not final, such as %s', open.n || CASE WHEN open.n = 1 THEN ' is' ELSE ' are' END, open.example);
            ELSE
                EXECUTE format('ALTER TABLE push.%I DETACH PARTITION push.%I', parent, name);
                EXECUTE format('DROP TABLE push.%I', name);
                RETURN QUERY SELECT name, 'dropped', gone, format('ids %s to %s', first, last);
            END IF;
        EXCEPTION WHEN lock_not_available THEN
            RETURN QUERY SELECT name, 'kept', NULL::bigint, 'another session holds a lock on the table: try again';
        END;
    END IF;
    INSERT INTO push.audit (action, detail) VALUES ('purge', json_build_object('older_than', $1, 'dropped', split_part(dropped, '|', 1)));
END $$;
COMMENT ON FUNCTION push.purge IS
    'Deletes what is final and older than that: whole partitions of message, result, post and answer, one per call, '
    'and one batch of keys, counters, audit and translations. Returns what it did, and what it kept and why; call it '
    'again until no row says deleted or dropped.';

INSERT INTO push.migration (version, name) VALUES (33, 'purge');
