-- Audiences from files.

CREATE OR REPLACE FUNCTION push.make_list(name text, OUT id int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM push_internal.begin_action();
    IF name IS NULL OR name !~ '^[a-z0-9][a-z0-9_-]{0,62}$' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'list', COLUMN = 'name',
            CONSTRAINT = 'name_is_short_and_plain',
            MESSAGE = format('the name of a list is 1 to 63 of a-z 0-9 _ -, not %s',
                             coalesce(left(to_json(name)::text, 80), 'NULL')),
            HINT = 'It does not begin with _ or -.';
    END IF;
    INSERT INTO push.list AS l (name) VALUES (name) ON CONFLICT DO NOTHING RETURNING l.id INTO id;
    IF id IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'duplicate_object', MESSAGE = format('there is a list %s already', name),
            HINT = 'Drop it first, or take another name: a run may be reading it.';
    END IF;
    INSERT INTO push.audit (action, detail) VALUES ('make_list', json_build_object('list', name));
END $$;
COMMENT ON FUNCTION push.make_list IS
    'An empty list of recipients. Returns its number, for COPY push.list_member (list, key, tag, handle, locale, '
    'properties, time_zone) FROM STDIN in the same transaction.';

CREATE OR REPLACE FUNCTION push.drop_list(name text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number int;
    members bigint;
BEGIN
    PERFORM push_internal.begin_action();
    SELECT l.id INTO number FROM push.list l WHERE l.name = drop_list.name FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'no_data_found', MESSAGE = format('there is no list %s', coalesce(left(to_json(name)::text, 80), 'NULL')),
            HINT = 'SELECT name FROM push.list';
    END IF;
    DELETE FROM push.list_member m WHERE m.list = number;
    GET DIAGNOSTICS members = ROW_COUNT;
    DELETE FROM push.list l WHERE l.id = number;
    INSERT INTO push.audit (action, detail) VALUES ('drop_list', json_build_object('list', name, 'members', members));
    RETURN members;
END $$;
COMMENT ON FUNCTION push.drop_list IS
    'Deletes a list and its recipients, and returns how many. A run that is still reading it pauses.';
