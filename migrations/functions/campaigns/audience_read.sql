-- Reading an audience: the one place where code of a view's owner runs in a session of ours, or of a person.

-- A view calls whatever functions its owner wrote, and they run with the rights of push_audience in the session of a
-- reader: a worker, an operator, a superuser. So it reads in a subtransaction that is read only, and that is rolled back when
-- the rows are in variables, which a rollback leaves alone. With it goes all that code can leave in a transaction: queued
-- triggers, which would run at COMMIT as the session's user, settings, cursors WITH HOLD, NOTIFY, LISTEN, temporary tables,
-- large objects, locks, changes of these functions themselves, which belong to push_audience. Two things outlive a rollback
-- and are looked for afterwards: statements that were prepared, perhaps by the name of one of the session's own, and advisory
-- locks of the session.
CREATE OR REPLACE FUNCTION push_internal.audience_prepared() RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN ARRAY(SELECT format('%s %s %s', p.name, p.prepare_time, p.statement) FROM pg_prepared_statements p WHERE p.from_sql);
COMMENT ON FUNCTION push_internal.audience_prepared IS
    'The statements that PREPARE made in this session: what a view can make, and no driver does.';

CREATE OR REPLACE FUNCTION push_internal.audience_locks() RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN ARRAY(SELECT format('%s %s %s %s', l.classid, l.objid, l.objsubid, l.mode)
               FROM pg_lock_status() l
              WHERE l.pid = pg_backend_pid() AND l.locktype = 'advisory');
COMMENT ON FUNCTION push_internal.audience_locks IS 'The advisory locks of this session.';

CREATE OR REPLACE FUNCTION push_internal.audience_forget(prepared text[], locks text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text;
    lock text;
    release text;
    is_released boolean;
BEGIN
    FOR name IN
        SELECT p.name
          FROM pg_prepared_statements p
         WHERE p.from_sql AND format('%s %s %s', p.name, p.prepare_time, p.statement) <> ALL (prepared)
    LOOP
        EXECUTE format('DEALLOCATE %I', name);
    END LOOP;
    FOREACH lock IN ARRAY push_internal.audience_locks() LOOP
        CONTINUE WHEN lock = ANY (locks);
        -- objsubid 1: one bigint; 2: two integers.
        release := format('SELECT pg_advisory_unlock%s(%s)',
                          CASE split_part(lock, ' ', 4) WHEN 'ShareLock' THEN '_shared' END,
                          CASE split_part(lock, ' ', 3)
                              WHEN '1' THEN ((split_part(lock, ' ', 1)::bigint << 32) | split_part(lock, ' ', 2)::bigint)::text
                              ELSE format('%s, %s', split_part(lock, ' ', 1)::bigint::bit(32)::int, split_part(lock, ' ', 2)::bigint::bit(32)::int)
                          END);
        LOOP
            EXECUTE release INTO is_released;
            EXIT WHEN NOT is_released OR lock <> ALL (push_internal.audience_locks());
        END LOOP;
    END LOOP;
END $$;
COMMENT ON FUNCTION push_internal.audience_forget IS
    'Gives up what was prepared and locked in this session beside these.';

CREATE OR REPLACE FUNCTION push_internal.audience_read(
    query text, behind text, zone text,
    OUT value text, OUT recipients push_internal.recipient[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off SET datestyle = 'ISO' AS $$
DECLARE
    read_to_the_end constant text := 'PU000';
    is_read boolean := false;
    prepared constant text[] := push_internal.audience_prepared();
    locks constant text[] := push_internal.audience_locks();
BEGIN
    BEGIN
        PERFORM set_config('transaction_read_only', 'on', true);       -- and nothing in a subtransaction sets it off again
        EXECUTE query INTO value, recipients USING behind, zone;
        is_read := true;
        RAISE EXCEPTION USING ERRCODE = read_to_the_end, MESSAGE = 'the audience is read, and what it left behind goes';
    EXCEPTION WHEN OTHERS OR query_canceled OR assert_failure THEN
        PERFORM push_internal.audience_forget(prepared, locks);
        IF is_read AND SQLSTATE = read_to_the_end THEN
            NULL;
        ELSIF SQLSTATE ~ '^2[23]|^(42501|42703|42883|42P01|57014)$' THEN
            RAISE;
        ELSE
            -- A view raises what its owner likes. It must not look like an outage, a standby or a pooler of ours.
            RAISE EXCEPTION USING
                ERRCODE = CASE
                              WHEN SQLSTATE = '25006' THEN '38002'
                              WHEN SQLSTATE ~ '^(08|40|53|55P|57P|58)' THEN '38000'
                              ELSE 'P0001'
                          END,
                MESSAGE = SQLERRM, DETAIL = format('What the audience reads raised it, as SQLSTATE %s.', SQLSTATE),
                HINT = CASE
                           WHEN SQLSTATE = '25006' THEN 'A view that a campaign reads may change nothing, nor may the functions that it calls.'
                           ELSE 'Ask its owner. fanfare campaign check reads it as a run does.'
                       END;
        END IF;
    END;
END $$;
COMMENT ON FUNCTION push_internal.audience_read IS
    'Runs a query that reads an audience, and leaves nothing of what it did. Its first column is value, its second, if it '
    'has one, recipients. $1 is behind, $2 zone. 38000: the view raised a code that says to try again; 38002: it changes '
    'something. Runs with the rights of push_audience.';

CREATE OR REPLACE FUNCTION push_internal.audience_recipients(query text, behind text, zone text) RETURNS push_internal.recipient[]
LANGUAGE sql SET search_path = pg_catalog, pg_temp
RETURN (push_internal.audience_read(
            format('SELECT NULL, array_agg(ROW(p.*)::push_internal.recipient) FROM (%s) p', query), behind, zone)).recipients;
COMMENT ON FUNCTION push_internal.audience_recipients IS
    'The recipients that a query of an audience finds, in its order; null: it finds nobody. $1 is behind, $2 zone.';

CREATE OR REPLACE FUNCTION push_internal.audience_plan(options text, query text) RETURNS json
LANGUAGE sql SET search_path = pg_catalog, pg_temp
RETURN ((push_internal.audience_read(format('EXPLAIN (%s) %s', options, query), NULL, NULL)).value)::json;
COMMENT ON FUNCTION push_internal.audience_plan IS
    'The plan of a query of an audience. Planning calls functions of the view, too.';

CREATE OR REPLACE FUNCTION push_internal.audience_number(query text, behind text DEFAULT NULL, zone text DEFAULT NULL) RETURNS bigint
LANGUAGE sql SET search_path = pg_catalog, pg_temp
RETURN ((push_internal.audience_read(query, behind, zone)).value)::bigint;
COMMENT ON FUNCTION push_internal.audience_number IS
    'The number that a query of an audience counts. $1 is behind, $2 zone.';
