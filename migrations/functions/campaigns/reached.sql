-- Whom campaigns with a cap reached.

CREATE OR REPLACE FUNCTION push_internal.number_of_reached(day date) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (day - '2000-01-01'::date) / 10;
COMMENT ON FUNCTION push_internal.number_of_reached IS
    'Number of the partition of push.reached that has a day. Never change it: their names depend on it.';

CREATE OR REPLACE FUNCTION push_internal.make_reached() RETURNS int
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    today constant date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    made int := 0;
    name text;
    first date;
BEGIN
    FOR number IN push_internal.number_of_reached(today) .. push_internal.number_of_reached(today) + 1 LOOP
        name := format('reached_%s', number);
        CONTINUE WHEN to_regclass('push.' || name) IS NOT NULL;
        PERFORM FROM push.lock l WHERE l.name = 'partitions' FOR UPDATE;
        CONTINUE WHEN to_regclass('push.' || name) IS NOT NULL;
        first := '2000-01-01'::date + number * 10;
        EXECUTE format('CREATE TABLE push.%I (LIKE push.reached INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES '
                       'INCLUDING STORAGE)', name);
        PERFORM push_internal.identify_rows(format('push.%I', name)::regclass);
        EXECUTE format('COMMENT ON TABLE push.%I IS %L', name,
                       format('Partition of push.reached: day %s to %s.', first, first + 9));
        EXECUTE format('ALTER TABLE push.reached ATTACH PARTITION push.%I FOR VALUES FROM (%L) TO (%L)',
                       name, first, first + 10);
        made := made + 1;
    END LOOP;
    RETURN made;
END $$;
COMMENT ON FUNCTION push_internal.make_reached IS
    'Makes the partitions of push.reached for now and next. Returns how many.';

SELECT push_internal.make_reached();

CREATE OR REPLACE FUNCTION push_internal.forget_reached() RETURNS int
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms' AS $$
DECLARE
    last constant date := (clock_timestamp() AT TIME ZONE 'UTC')::date - (SELECT r.remember_days FROM push.retention r);
    name text;
    dropped int := 0;
BEGIN
    PERFORM push_internal.make_reached();
    FOR name IN
        SELECT c.relname
          FROM pg_inherits i
               JOIN pg_class c ON c.oid = i.inhrelid
         WHERE i.inhparent = 'push.reached'::regclass
           AND c.relname ~ '^reached_[0-9]+$'
           AND substr(c.relname, 9)::int < push_internal.number_of_reached(last)
         ORDER BY 1
    LOOP
        EXECUTE format('DROP TABLE push.%I', name);
        dropped := dropped + 1;
    END LOOP;
    DELETE FROM push.capped_run r WHERE r.day < last;
    RETURN dropped;
EXCEPTION WHEN lock_not_available THEN         -- a campaign is being expanded; the next call tries again
    RETURN 0;
END $$;
COMMENT ON FUNCTION push_internal.forget_reached IS
    'Drops partitions of push.reached that are older than caps.rememberDays. Returns how many.';

CREATE OR REPLACE FUNCTION push_worker.remember_caps_v1(days int) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM push_internal.begin_action();
    IF days IS NULL OR days NOT BETWEEN 1 AND 366 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value', MESSAGE = format('push_worker.remember_caps_v1: %s days', coalesce(days::text, 'null')),
            HINT = '1 to 366, as caps.rememberDays of the configuration.';
    END IF;
    UPDATE push.retention r SET remember_days = days WHERE r.remember_days <> days;
    IF FOUND THEN
        INSERT INTO push.audit (action, detail) VALUES ('remember_caps', json_build_object('days', days));
    END IF;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push_worker.remember_caps_v1 IS
    'Sets for how many days it is known whom campaigns with a cap reached. fanfare migrate up calls it with '
    'caps.rememberDays of the configuration. False: it was so already.';

CREATE OR REPLACE FUNCTION push_internal.key_range_of(first text, last text) RETURNS push.key_range
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    low constant bytea := convert_to(first, 'UTF8');
    high constant bytea := convert_to(last, 'UTF8');
    same int := 0;
BEGIN
    WHILE same < least(length(low), length(high)) AND get_byte(low, same) = get_byte(high, same) LOOP
        same := same + 1;
    END LOOP;
    -- No text has a byte FF: this is behind all that begin so.
    RETURN push.key_range(substring(low FROM 1 FOR same + 1), substring(high FROM 1 FOR same + 1) || '\xff');
END $$;
COMMENT ON FUNCTION push_internal.key_range_of IS
    'The range from one key to another, which lie in the order of their bytes.';

CREATE OR REPLACE FUNCTION push_internal.rows_of_keys(recipients text[]) RETURNS TABLE (keys push.key_range, hashes bigint[])
LANGUAGE plpgsql IMMUTABLE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT push_internal.key_range_of(min(k.word), max(k.word)), array_agg(DISTINCT k.hash)
      FROM (SELECT hashtextextended(u.key, 0) AS hash, lower(left(u.key, 64) COLLATE "C") AS word, (u.n - 1) / 480 AS part
              FROM unnest(recipients) WITH ORDINALITY u(key, n)) k
     GROUP BY k.part;
END $$;
COMMENT ON FUNCTION push_internal.rows_of_keys IS
    'Keys in the order in which an audience is read, as rows of push.reached.';

CREATE OR REPLACE FUNCTION push_internal.hashes_at_cap(recipients text[], cap_group int, since date, until date, most int, run bigint)
RETURNS TABLE (hash bigint)
LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_nestloop = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    ranges constant push.key_multirange := (SELECT range_agg(p.keys) FROM push_internal.rows_of_keys(recipients) p);
    looked_up constant bigint[] := ARRAY(SELECT DISTINCT hashtextextended(k.key, 0) FROM unnest(recipients) k(key));
BEGIN
    RETURN QUERY
    SELECT l.hash
      FROM unnest(looked_up) l(hash)
           JOIN (SELECT unnest(r.hashes) AS hash
                   FROM push.reached r
                  WHERE r.keys && ranges AND r.day > since AND r.day <= until AND r.cap_group = hashes_at_cap.cap_group
                    AND r.run <> hashes_at_cap.run) r ON r.hash = l.hash
     GROUP BY l.hash
    HAVING count(*) >= most;
END $$;
COMMENT ON FUNCTION push_internal.hashes_at_cap IS
    'Hashes of those recipients that at least most other runs of a group reached in the days after since, up to until.';

CREATE OR REPLACE FUNCTION push_internal.pack_reached(recipients text[], cap_group int, run bigint)
RETURNS TABLE (keys push.key_range, hashes bigint[])
LANGUAGE plpgsql STABLE ROWS 20 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    IF (SELECT count(*) FROM push.stream t WHERE t.run = pack_reached.run) = 1 THEN
        RETURN QUERY SELECT p.keys, p.hashes FROM push_internal.rows_of_keys(recipients) p;
        RETURN;
    END IF;
    -- A run with several hubs has each recipient once.
    RETURN QUERY
    WITH made AS MATERIALIZED (
        SELECT p.* FROM push_internal.rows_of_keys(recipients) WITH ORDINALITY p(keys, hashes, n)
    )
    SELECT p.keys, array_agg(h.hash)
      FROM made p, unnest(p.hashes) h(hash)
     WHERE h.hash NOT IN (
               SELECT unnest(r.hashes)
                 FROM push.reached r
                WHERE r.keys && (SELECT range_agg(m.keys) FROM made m) AND r.cap_group = pack_reached.cap_group
                  AND r.run = pack_reached.run)
     GROUP BY p.n, p.keys;
END $$;
COMMENT ON FUNCTION push_internal.pack_reached IS
    'The rows of push.reached for some recipients of a run, without those that it has already.';
