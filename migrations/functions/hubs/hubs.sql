-- Which hub a name means, and what is said when there is no such hub.

CREATE OR REPLACE FUNCTION push_internal.registered_hubs() RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce('Registered: ' || string_agg(h.name, ', ' ORDER BY h.name) || '.', 'No hub is registered yet.')
      FROM push.hub h
     WHERE h.removed_at IS NULL;
$$;
COMMENT ON FUNCTION push_internal.registered_hubs IS
    'A hint: which hubs there are. In place of a query, because no role but the owner reads push.hub.';

CREATE OR REPLACE FUNCTION push_internal.refuse_hub(hub text, what text DEFAULT 'push.message.hub') RETURNS int
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    removed push.hub;
BEGIN
    SELECT h.* INTO removed FROM push.hub h WHERE h.name = refuse_hub.hub;
    RAISE EXCEPTION USING
        ERRCODE = 'foreign_key_violation',
        SCHEMA = 'push',
        TABLE = 'message',
        COLUMN = 'hub',
        CONSTRAINT = 'hub_is_registered',
        MESSAGE = CASE
            WHEN removed.id IS NULL
            THEN format('%s %s is not registered', what, coalesce(push_internal.quoted(hub, 100), 'NULL'))
            ELSE format('%s "%s" was removed by %s on %s', what, hub, removed.removed_by,
                        to_char(removed.removed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD'))
        END,
        HINT = push_internal.registered_hubs()
               || CASE WHEN removed.id IS NULL THEN ' Add it to' ELSE ' To use it again, add it to' END
               || ' the configuration and run: fanfare migrate up';
END $$;
COMMENT ON FUNCTION push_internal.refuse_hub IS
    'Raises for a message or device of a hub that is not registered, or was removed, and names the others. what: the '
    'column or call that names it.';

CREATE OR REPLACE FUNCTION push_internal.hub_number(hub text, or_removed boolean DEFAULT false) RETURNS int
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found push.hub;
BEGIN
    SELECT h.* INTO found FROM push.hub h WHERE h.name = hub_number.hub;
    IF found.id IS NULL OR found.removed_at IS NOT NULL AND NOT or_removed THEN
        RAISE EXCEPTION USING
            ERRCODE = 'no_data_found',
            MESSAGE = format('hub %s is not registered', coalesce('"' || hub || '"', 'NULL')),
            HINT = coalesce('It was removed by ' || found.removed_by || ' on '
                            || to_char(found.removed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') || '. ', '')
                   || push_internal.registered_hubs();
    END IF;
    RETURN found.id;
END $$;
COMMENT ON FUNCTION push_internal.hub_number IS
    'The number of a hub; raises when no hub has that name. or_removed: what a hub that was removed has left can be asked '
    'for and cancelled, but nothing else is done to it.';
