-- Audiences from files.

CREATE OR REPLACE FUNCTION push_internal.check_list_name(name text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF name IS NULL OR name !~ '^[a-z0-9][a-z0-9_-]{0,62}$' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'list', COLUMN = 'name',
            CONSTRAINT = 'name_is_short_and_plain',
            MESSAGE = format('the name of a list is 1 to 63 of a-z 0-9 _ -, not %s',
                             coalesce(push_internal.quoted(name, 80), 'NULL')),
            HINT = 'It does not begin with _ or -.';
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.check_list_name IS 'Raises for what cannot be the name of a list.';

CREATE OR REPLACE FUNCTION push.make_list(name text, OUT id int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM push_internal.check_list_name(name);
    INSERT INTO push.list AS l (name) VALUES (name) ON CONFLICT DO NOTHING RETURNING l.id INTO id;
    IF id IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'unique_violation', MESSAGE = format('there is a list %s already', name),
            HINT = 'fanfare campaign audience load takes --replace or --merge; in SQL it is push.replace_list.';
    END IF;
    INSERT INTO push.audit (action, detail) VALUES ('make_list', json_build_object('list', name));
END $$;
COMMENT ON FUNCTION push.make_list IS
    'An empty list of recipients. Returns its number, for COPY push.list_member (list, key, tag, handle, locale, '
    'properties, time_zone) FROM STDIN in the same transaction.';

CREATE OR REPLACE FUNCTION push.replace_list(name text, OUT id int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM push_internal.check_list_name(name);
    id := nextval(pg_get_serial_sequence('push.list', 'id'));
    LOOP                                       -- again when another session made one meanwhile
        UPDATE push.list l SET replaced_by = replace_list.id WHERE l.name = replace_list.name AND l.replaced_by IS NULL;
        INSERT INTO push.list (id, name) OVERRIDING SYSTEM VALUE VALUES (id, name) ON CONFLICT DO NOTHING;
        EXIT WHEN FOUND;
    END LOOP;
    INSERT INTO push.audit (action, detail) VALUES ('replace_list', json_build_object('list', name));
END $$;
COMMENT ON FUNCTION push.replace_list IS
    'An empty list of recipients in the place of the one of that name, if there is one: fill it in the same '
    'transaction, as that of push.make_list. Runs that are under way keep the list they began with.';

CREATE OR REPLACE FUNCTION push.keep_members(list int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    n bigint;
BEGIN
    PERFORM push_internal.begin_action();
    INSERT INTO push.list_member (list, key, tag, handle, locale, properties, time_zone)
    SELECT keep_members.list, m.key, m.tag, m.handle, m.locale, m.properties, m.time_zone
      FROM push.list_member m
     WHERE m.list = (SELECT o.id FROM push.list o WHERE o.replaced_by = keep_members.list)
        ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;
COMMENT ON FUNCTION push.keep_members IS
    'Gives a list from push.replace_list the recipients of the list before whose key it does not have, in the same '
    'transaction and when it has its own. Returns how many.';

CREATE OR REPLACE FUNCTION push.drop_list(name text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number int;
    members bigint;
BEGIN
    PERFORM push_internal.begin_action();
    SELECT l.id INTO number FROM push.list l WHERE l.name = drop_list.name AND l.replaced_by IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'no_data_found', MESSAGE = format('there is no list %s', coalesce(push_internal.quoted(name, 80), 'NULL')),
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

CREATE OR REPLACE FUNCTION push_internal.pinned_audience(audience json, list int) RETURNS json
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
           WHEN list IS NULL THEN audience
           ELSE json_build_object('list', coalesce(audience -> 'list', audience -> 'handles' -> 'list'), 'id', list)
       END;
COMMENT ON FUNCTION push_internal.pinned_audience IS
    'The audience of a run that began with this list, which another may have replaced; null: it is as its spec says.';

CREATE OR REPLACE FUNCTION push_internal.list_of(audience json) RETURNS int
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN coalesce(
        (SELECT l.id FROM push.list l WHERE l.id = (audience ->> 'id')::int),
        (SELECT l.id
           FROM push.list l
          WHERE l.name = coalesce(audience ->> 'list', audience -> 'handles' ->> 'list') AND l.replaced_by IS NULL));
END $$;
COMMENT ON FUNCTION push_internal.list_of IS
    'The number of the list of an audience; null: no list has that name.';

CREATE OR REPLACE FUNCTION push_internal.hold_list(audience json) RETURNS int
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found_one int;
BEGIN
    LOOP                                       -- again when it was replaced meanwhile
        SELECT l.id INTO found_one FROM push.list l WHERE l.id = push_internal.list_of(audience) FOR KEY SHARE;
        EXIT WHEN FOUND OR push_internal.list_of(audience) IS NULL;
    END LOOP;
    RETURN found_one;
END $$;
COMMENT ON FUNCTION push_internal.hold_list IS
    'The list that a run begins with, kept from being dropped until the run is seen to have it; null: its audience is '
    'no list.';

CREATE OR REPLACE FUNCTION push_internal.drop_replaced_lists() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number int;
BEGIN
    SELECT l.id INTO number
      FROM push.list l
     WHERE l.replaced_by IS NOT NULL
       AND NOT EXISTS (SELECT FROM push.run r WHERE r.list = l.id AND r.closed_at IS NULL)
     LIMIT 1
       FOR UPDATE SKIP LOCKED;
    -- A run that began with it before it was locked can be seen only now.
    IF NOT FOUND OR EXISTS (SELECT FROM push.run r WHERE r.list = number AND r.closed_at IS NULL) THEN
        RETURN;
    END IF;
    DELETE FROM push.list_member m
     WHERE m.ctid = ANY (ARRAY(SELECT o.ctid FROM push.list_member o WHERE o.list = number ORDER BY o.key LIMIT 10000));
    IF NOT FOUND THEN
        DELETE FROM push.list l WHERE l.id = number;
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.drop_replaced_lists IS
    'Deletes a list that was replaced and that no run reads any more, 10,000 recipients a call.';
