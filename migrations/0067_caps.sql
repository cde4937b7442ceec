-- Fanfare, migration 67: Caps: not too many campaigns of a group for one recipient. And who is never reached, from a file.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE TABLE push.cap_group (
    id   int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE
         CONSTRAINT name_is_short_and_plain CHECK (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$')
);
COMMENT ON TABLE push.cap_group IS
    'The groups that caps name. The lock of a row keeps two runs of a group from being expanded at the same moment, so that '
    'both see whom the other reached.';
COMMENT ON COLUMN push.cap_group.id IS 'Number of the group in the other tables.';
COMMENT ON COLUMN push.cap_group.name IS 'What a spec names: {"cap": {"group": "marketing"}}.';

CREATE TABLE push.capped_run (
    cap_group int NOT NULL,
    day       date NOT NULL,
    run       bigint NOT NULL,
    PRIMARY KEY (cap_group, day, run)
);
COMMENT ON TABLE push.capped_run IS
    'The runs of each group by day: while there are fewer than a cap allows, nobody has to be looked up.';
COMMENT ON COLUMN push.capped_run.cap_group IS 'The group: push.cap_group.id.';
COMMENT ON COLUMN push.capped_run.day IS 'A day in UTC on which messages of the run were made.';
COMMENT ON COLUMN push.capped_run.run IS 'The run: push.run.id.';

CREATE TYPE push.key_range AS RANGE (subtype = bytea, multirange_type_name = push.key_multirange);
COMMENT ON TYPE push.key_range IS
    'From a first key to a last one: their beginnings, as far as tells the two apart, in lower case, compared by bytes.';

-- An audience is read in the order of its keys, so those of a page that any run reached lie in a few rows. They are found by
-- their ranges and compared in memory: no index has an entry for each recipient, which would need 46 to 83 bytes.
CREATE TABLE push.reached (
    day       date NOT NULL,
    cap_group int NOT NULL,
    run       bigint NOT NULL,
    keys      push.key_range NOT NULL,
    hashes    bigint[] NOT NULL
) PARTITION BY RANGE (day);
ALTER TABLE push.reached ALTER hashes SET STORAGE PLAIN;  -- read where they lie: at most 480, two rows a page
CREATE INDEX reached_by_keys ON push.reached USING gist (keys);
COMMENT ON TABLE push.reached IS
    'Whom campaigns with a cap reached, for as long as caps.rememberDays of the configuration says; written with the '
    'messages. A partition has ten days.';
COMMENT ON COLUMN push.reached.day IS 'The day in UTC on which the messages were made.';
COMMENT ON COLUMN push.reached.cap_group IS 'The group: push.cap_group.id.';
COMMENT ON COLUMN push.reached.run IS 'The run: push.run.id. It has each recipient once, also with several hubs.';
COMMENT ON COLUMN push.reached.keys IS 'Between which keys all of them lie: beginnings of two of them.';
COMMENT ON COLUMN push.reached.hashes IS
    'hashtextextended(key, 0) of up to 480 recipients. Nobody can be found by it whose key is not known.';
COMMENT ON INDEX push.reached_by_keys IS 'Where somebody may be among those who were reached.';

ALTER TABLE push.retention
    ADD remember_days int NOT NULL DEFAULT 30
    CONSTRAINT remember_days_are_1_to_366 CHECK (remember_days BETWEEN 1 AND 366);
COMMENT ON COLUMN push.retention.remember_days IS
    'caps.rememberDays of the configuration, as fanfare migrate up read it: how long push.reached is kept.';

CREATE FUNCTION push.number_of_reached(day date) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (day - '2000-01-01'::date) / 10;
COMMENT ON FUNCTION push.number_of_reached IS
    'Number of the partition of push.reached that has a day. Never change it: their names depend on it. Only for other '
    'functions.';

CREATE FUNCTION push.make_reached() RETURNS int
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    today constant date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    made int := 0;
    name text;
    first date;
BEGIN
    FOR number IN push.number_of_reached(today) .. push.number_of_reached(today) + 1 LOOP
        name := format('reached_%s', number);
        CONTINUE WHEN to_regclass('push.' || name) IS NOT NULL;
        PERFORM FROM push.lock l WHERE l.name = 'partitions' FOR UPDATE;
        CONTINUE WHEN to_regclass('push.' || name) IS NOT NULL;
        first := '2000-01-01'::date + number * 10;
        EXECUTE format('CREATE TABLE push.%I (LIKE push.reached INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES '
                       'INCLUDING STORAGE)', name);
        EXECUTE format('COMMENT ON TABLE push.%I IS %L', name,
                       format('Partition of push.reached: day %s to %s.', first, first + 9));
        EXECUTE format('ALTER TABLE push.reached ATTACH PARTITION push.%I FOR VALUES FROM (%L) TO (%L)',
                       name, first, first + 10);
        made := made + 1;
    END LOOP;
    RETURN made;
END $$;
COMMENT ON FUNCTION push.make_reached IS
    'Makes the partitions of push.reached for now and next. Returns how many. Only for other functions.';

SELECT push.make_reached();

CREATE FUNCTION push.forget_reached() RETURNS int
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms' AS $$
DECLARE
    last constant date := (clock_timestamp() AT TIME ZONE 'UTC')::date - (SELECT r.remember_days FROM push.retention r);
    name text;
    dropped int := 0;
BEGIN
    PERFORM push.make_reached();
    FOR name IN
        SELECT c.relname
          FROM pg_inherits i
               JOIN pg_class c ON c.oid = i.inhrelid
         WHERE i.inhparent = 'push.reached'::regclass
           AND c.relname ~ '^reached_[0-9]+$'
           AND substr(c.relname, 9)::int < push.number_of_reached(last)
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
COMMENT ON FUNCTION push.forget_reached IS
    'Drops partitions of push.reached that are older than caps.rememberDays. Returns how many. Only for push.forget_keys.';

CREATE FUNCTION push.remember_caps_v1(days int) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM push.begin_action();
    IF days IS NULL OR days NOT BETWEEN 1 AND 366 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.remember_caps_v1: %s days', coalesce(days::text, 'null')),
            HINT = '1 to 366, as caps.rememberDays of the configuration.';
    END IF;
    UPDATE push.retention r SET remember_days = days WHERE r.remember_days <> days;
    IF FOUND THEN
        INSERT INTO push.audit (action, detail) VALUES ('remember_caps', json_build_object('days', days));
    END IF;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push.remember_caps_v1 IS
    'Sets for how many days it is known whom campaigns with a cap reached. fanfare migrate up calls it with '
    'caps.rememberDays of the configuration. False: it was so already.';

CREATE FUNCTION push.wrong_cap(cap json, audience json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    example constant text := 'Write {"count": 3, "days": 7, "group": "marketing"}.';
    remembered constant int := (SELECT r.remember_days FROM push.retention r);
    problem push.problem;
BEGIN
    IF cap IS NULL THEN
        RETURN NULL;
    ELSIF json_typeof(cap) <> 'object' THEN
        RETURN push.spec_problem('cap', 'is no object', example);
    ELSIF audience -> 'tags' IS NOT NULL OR audience -> 'expression' IS NOT NULL OR audience -> 'broadcast' IS NOT NULL THEN
        RETURN push.spec_problem(
            'cap', format('does not go with {"%s": ...}', (SELECT k FROM json_object_keys(audience) k LIMIT 1)),
            'The hub knows who is behind a tag, and Fanfare does not. A cap counts the keys of a view or a list.');
    END IF;
    problem := coalesce(
        push.unknown_member('cap', cap, '{count,days,group}'),
        CASE
            WHEN cap -> 'count' IS NULL OR cap -> 'days' IS NULL OR cap -> 'group' IS NULL
                THEN push.spec_problem('cap', 'lacks count, days or group', example)
            WHEN json_typeof(cap -> 'group') <> 'string' OR cap ->> 'group' !~ '^[a-z0-9][a-z0-9_-]{0,62}$'
                THEN push.spec_problem('cap.group', format('is %s, not the name of a group', left((cap -> 'group')::text, 80)),
                                       'A group is 1 to 63 of a-z 0-9 _ -, not beginning with _ or -.')
        END,
        push.wrong_number('cap.count', cap -> 'count', 1, 100),
        push.wrong_number('cap.days', cap -> 'days', 1, 366));
    IF NOT problem IS NULL THEN
        RETURN problem;
    ELSIF (cap ->> 'count')::numeric % 1 <> 0 OR (cap ->> 'days')::numeric % 1 <> 0 THEN
        RETURN push.spec_problem('cap', 'has a fraction of a campaign or of a day', example);
    ELSIF (cap ->> 'days')::numeric > remembered THEN
        RETURN push.spec_problem(
            'cap.days', format('is %s, and whom campaigns reached is known for %s days', cap ->> 'days', remembered),
            format('Set caps.rememberDays to %s and run fanfare migrate up.', cap ->> 'days'));
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push.wrong_cap IS 'What is wrong with the cap of a spec; null: nothing. Only for push.wrong_references.';

CREATE FUNCTION push.check_cap(cap json) RETURNS TABLE (level text, about text, finding text, hint text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT 'info', 'cap',
           format('group %s had %s in %s days: ', cap ->> 'group',
                  CASE n.runs WHEN 0 THEN 'no run' WHEN 1 THEN 'one run' ELSE n.runs || ' runs' END, cap ->> 'days')
           || CASE WHEN n.runs < (cap ->> 'count')::int THEN 'nobody is left out yet'
                   WHEN cap ->> 'count' = '1' THEN 'whom one of them reached is left out'
                   ELSE format('whom %s of them reached is left out', cap ->> 'count') END,
           NULL
      FROM (SELECT count(DISTINCT r.run) AS runs
              FROM push.cap_group g
                   JOIN push.capped_run r ON r.cap_group = g.id
             WHERE g.name = cap ->> 'group' AND r.day > (clock_timestamp() AT TIME ZONE 'UTC')::date - (cap ->> 'days')::int) n
     WHERE cap IS NOT NULL
$$;
COMMENT ON FUNCTION push.check_cap IS 'What push.check_campaign says of the cap of a spec; nothing without one.';

CREATE FUNCTION push.make_cap_group(name text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO push.cap_group (name) VALUES (make_cap_group.name) ON CONFLICT DO NOTHING
$$;
COMMENT ON FUNCTION push.make_cap_group IS 'Makes a group, if it is new. Only for push.begin_run.';

CREATE FUNCTION push.begin_cap(
    cap json, run bigint, OUT cap_group int, OUT cap_day date, OUT cap_since date, OUT cap_most int, OUT cap_looks boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    cap_day := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    cap_since := cap_day - (cap ->> 'days')::int;
    cap_most := (cap ->> 'count')::int;
    cap_looks := false;
    -- Of two runs of a group that are expanded at the same moment both could be the last that the cap allows.
    SELECT g.id INTO cap_group
      FROM push.cap_group g
     WHERE g.name = cap ->> 'group'
       FOR NO KEY UPDATE SKIP LOCKED;
    IF cap_group IS NULL THEN
        RETURN;
    END IF;
    PERFORM push.make_reached();
    INSERT INTO push.capped_run VALUES (begin_cap.cap_group, begin_cap.cap_day, begin_cap.run) ON CONFLICT DO NOTHING;
    cap_looks := cap_most <= (
        SELECT count(DISTINCT r.run)
          FROM push.capped_run r
         WHERE r.cap_group = begin_cap.cap_group AND r.day > cap_since AND r.run <> begin_cap.run);
END $$;
COMMENT ON FUNCTION push.begin_cap IS
    'Locks the group of a cap for the transaction. cap_group null: another run of it is being expanded. cap_looks: so many '
    'runs were there that recipients have to be looked up. Only for push.expand_v1.';

CREATE FUNCTION push.key_range_of(first text, last text) RETURNS push.key_range
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
COMMENT ON FUNCTION push.key_range_of IS
    'The range from one key to another, which lie in the order of their bytes. Only for push.rows_of_keys.';

CREATE FUNCTION push.rows_of_keys(recipients text[]) RETURNS TABLE (keys push.key_range, hashes bigint[])
LANGUAGE plpgsql IMMUTABLE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT push.key_range_of(min(k.word), max(k.word)), array_agg(DISTINCT k.hash)
      FROM (SELECT hashtextextended(u.key, 0) AS hash, lower(left(u.key, 64) COLLATE "C") AS word, (u.n - 1) / 480 AS part
              FROM unnest(recipients) WITH ORDINALITY u(key, n)) k
     GROUP BY k.part;
END $$;
COMMENT ON FUNCTION push.rows_of_keys IS
    'Keys in the order in which an audience is read, as rows of push.reached. Only for other functions.';

CREATE FUNCTION push.capped(recipients text[], cap_group int, since date, until date, most int, run bigint)
RETURNS TABLE (hash bigint)
LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_nestloop = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    ranges constant push.key_multirange := (SELECT range_agg(p.keys) FROM push.rows_of_keys(recipients) p);
    looked_up constant bigint[] := ARRAY(SELECT DISTINCT hashtextextended(k.key, 0) FROM unnest(recipients) k(key));
BEGIN
    RETURN QUERY
    SELECT l.hash
      FROM unnest(looked_up) l(hash)
           JOIN (SELECT unnest(r.hashes) AS hash
                   FROM push.reached r
                  WHERE r.keys && ranges AND r.day > since AND r.day <= until AND r.cap_group = capped.cap_group
                    AND r.run <> capped.run) r ON r.hash = l.hash
     GROUP BY l.hash
    HAVING count(*) >= most;
END $$;
COMMENT ON FUNCTION push.capped IS
    'Hashes of those of some recipients that so many other runs of a group reached after a day. Only for push.expand_v1.';

CREATE FUNCTION push.pack_reached(recipients text[], cap_group int, run bigint)
RETURNS TABLE (keys push.key_range, hashes bigint[])
LANGUAGE plpgsql STABLE ROWS 20 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    IF (SELECT count(*) FROM push.stream t WHERE t.run = pack_reached.run) = 1 THEN
        RETURN QUERY SELECT p.* FROM push.rows_of_keys(recipients) p;
        RETURN;
    END IF;
    -- A run with several hubs has each recipient once.
    RETURN QUERY
    WITH made AS MATERIALIZED (
        SELECT p.* FROM push.rows_of_keys(recipients) WITH ORDINALITY p(keys, hashes, n)
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
COMMENT ON FUNCTION push.pack_reached IS
    'The rows of push.reached for some recipients of a run, without those that it has already. Only for push.expand_v1.';

CREATE FUNCTION push.bypass_suppression(run bigint, campaign text, key text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.run r SET bypasses_suppression = true WHERE r.id = bypass_suppression.run;
    INSERT INTO push.audit (action, detail)
    VALUES ('bypass_suppression', json_build_object('campaign', bypass_suppression.campaign, 'key', bypass_suppression.key))
$$;
COMMENT ON FUNCTION push.bypass_suppression IS
    'A run that just began reaches suppressed recipients, too, and push.audit says who asked for it. Only for push.start_run.';

CREATE FUNCTION push.suppress_many(
    what text[], value text[], reason text[], until timestamptz[], OUT added bigint, OUT changed bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    wrong record;
BEGIN
    PERFORM push.begin_action();
    SELECT o.n, o.what, o.value INTO wrong
      FROM unnest(suppress_many.what, suppress_many.value) WITH ORDINALITY o(what, value, n)
     WHERE o.what IS NULL OR o.what NOT IN ('tag', 'handle', 'key') OR coalesce(o.value, '') = ''
     ORDER BY o.n
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.suppress_many: in row %s what is "%s" and value has %s characters', wrong.n,
                             left(wrong.what, 40), coalesce(length(wrong.value), 0)),
            HINT = 'what is tag, handle or key, and value is that tag, handle or key.';
    END IF;
    WITH asked AS (
        SELECT DISTINCT ON (o.what, o.value) o.*
          FROM unnest(suppress_many.what, suppress_many.value, suppress_many.reason, suppress_many.until)
               WITH ORDINALITY o(what, value, reason, until, n)
         ORDER BY o.what, o.value, o.n DESC
    ), written AS (
        INSERT INTO push.suppression AS s (what, value, reason, until)
        SELECT a.what, a.value, a.reason, a.until FROM asked a
            ON CONFLICT (what, value) DO UPDATE
           SET reason = excluded.reason, until = excluded.until, by = excluded.by, at = excluded.at
         WHERE (s.reason, s.until) IS DISTINCT FROM (excluded.reason, excluded.until)
        RETURNING s.xmax = 0 AS is_new
    )
    SELECT count(*) FILTER (WHERE w.is_new), count(*) FILTER (WHERE NOT w.is_new) INTO added, changed FROM written w;
    IF added + changed > 0 THEN
        INSERT INTO push.audit (action, detail)
        VALUES ('suppress_many', json_build_object('added', added, 'changed', changed));
    END IF;
END $$;
COMMENT ON FUNCTION push.suppress_many IS
    'push.suppress for many, such as the lines of a file; of two rows about the same the last holds. added: new ones; changed: '
    'those that got another reason or end.';

SELECT push.grant_roles();

INSERT INTO push.migration (version, name, works_from) VALUES (67, 'caps', 61);
