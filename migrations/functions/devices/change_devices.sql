-- What backends call: push.put_device, push.patch_device and push.drop_device.

CREATE OR REPLACE FUNCTION push_internal.warn_of_device(name text, document json) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- In a body, which is JSON in a text: a string that begins with something else and goes on with an expression.
    shown constant text := substring(document::text FROM E'\\\\"([^"\\\\$#.%{][^"\\\\]*\\$\\([^)"\\\\]*\\))');
BEGIN
    IF shown IS NOT NULL THEN
        RAISE WARNING USING
            MESSAGE = format('%s: a template shows %s as it is written', name, push_internal.quoted(shown, 80)),
            HINT = 'A value is an expression only when it begins with one: write {''text '' + $(name)}.';
    END IF;
    IF document ->> 'platform' = 'gcm' THEN
        RAISE WARNING USING
            MESSAGE = format('%s: Google ended the service behind gcm in 2024', name),
            HINT = 'Register the device with the platform fcmV1 and its Firebase token.';
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.warn_of_device IS
    'Warns of what a hub takes and no phone shows: a template whose text is never filled, a platform that has ended.';

CREATE OR REPLACE FUNCTION push_internal.change_device(
    hub text, device text, action push.device_action, document json, wrong push.problem)
RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    name constant text := format('push.%s_device', action);
    change bigint;
BEGIN
    IF wrong.rule IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'installation_change', COLUMN = wrong.col,
            CONSTRAINT = wrong.rule, HINT = wrong.hint,
            MESSAGE = CASE WHEN starts_with(wrong.message, 'push.') THEN '' ELSE name || ': ' END || wrong.message;
    END IF;
    -- One statement: three cost a third more. A transaction that finds the device locked waits here, and draws its
    -- number after that. The hub is looked up under the lock that push.remove_hub waits for.
    WITH named AS (
        INSERT INTO push.device AS d (hub, device, change, dropped)
        SELECT h.id, change_device.device, nextval('push.installation_change_id_seq'), change_device.action = 'drop'
          FROM push.hub h
               JOIN push.hub_kind k ON k.name = h.kind AND k.keeps_devices
         WHERE h.name = change_device.hub
           AND h.removed_at IS NULL
            ON CONFLICT ON CONSTRAINT device_pkey DO UPDATE
           SET change = nextval('push.installation_change_id_seq'),
               dropped = CASE change_device.action WHEN 'patch' THEN d.dropped ELSE excluded.dropped END
         WHERE change_device.action <> 'patch'
            OR NOT d.dropped
        RETURNING d.hub, d.device, d.change
    ), asked AS (
        INSERT INTO push.installation_change (id, hub, device, action, document)
        OVERRIDING SYSTEM VALUE
        SELECT n.change, n.hub, n.device, change_device.action, change_device.document FROM named n
    )
    INSERT INTO push.installation_due (due_at, id, hub, device)
    SELECT clock_timestamp(), n.change, n.hub, n.device FROM named n
    RETURNING id INTO change;
    IF change IS NULL THEN
        IF NOT EXISTS (SELECT FROM push.hub h WHERE h.name = change_device.hub AND h.removed_at IS NULL) THEN
            PERFORM push_internal.refuse_hub(hub, name || ': hub');
        END IF;
        PERFORM push_internal.refuse_kind(hub, name);
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state', SCHEMA = 'push', TABLE = 'device',
            MESSAGE = format('%s: device %s of hub "%s" was dropped', name, push_internal.quoted(device, 100), hub),
            HINT = 'Register it again: SELECT push.put_device(...)';
    END IF;
    PERFORM push_internal.warn_of_device(name, document);
    RETURN change;
END $$;
COMMENT ON FUNCTION push_internal.change_device IS 'Writes one change of a device, or raises the problem.';

-- Four functions of one name, because PostgreSQL calls none that takes json with a jsonb value, and the other way
-- round. A literal, and what a driver sends without a type, goes to the one with text. A user id is of any type.
-- None is in the language SQL: PostgreSQL 15 plans such a function anew for each statement that calls it.
CREATE OR REPLACE FUNCTION push.put_device(
    hub       text,
    device    text,
    platform  text,
    handle    text,
    templates text,
    user_id   anycompatible DEFAULT NULL::text,
    tags      text[] DEFAULT '{}')
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known constant text := push_internal.device_platform(platform);
    wrong constant push.problem := push_internal.wrong_put(device, platform, known, handle, tags, user_id::text, templates);
BEGIN
    RETURN push_internal.change_device(
        hub, device, 'put',
        CASE WHEN wrong IS NULL THEN json_build_object(
            'platform', known, 'handle', handle, 'user_id', user_id::text, 'tags', coalesce(tags, '{}'),
            'templates', templates::json) END,
        wrong);
END $$;

CREATE OR REPLACE FUNCTION push.put_device(
    hub       text,
    device    text,
    platform  text,
    handle    text,
    templates json,
    user_id   anycompatible DEFAULT NULL::text,
    tags      text[] DEFAULT '{}')
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN push.put_device(hub, device, platform, handle, templates::text, user_id::text, tags);
END $$;

CREATE OR REPLACE FUNCTION push.put_device(
    hub       text,
    device    text,
    platform  text,
    handle    text,
    templates jsonb,
    user_id   anycompatible DEFAULT NULL::text,
    tags      text[] DEFAULT '{}')
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN push.put_device(hub, device, platform, handle, templates::text, user_id::text, tags);
END $$;

CREATE OR REPLACE FUNCTION push.put_device(
    hub      text,
    device   text,
    platform text,
    handle   text,
    tags     text[] DEFAULT '{}',
    user_id  anycompatible DEFAULT NULL::text)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN push.put_device(hub, device, platform, handle, NULL::text, user_id::text, tags);
END $$;

CREATE OR REPLACE FUNCTION push.patch_device(
    hub         text,
    device      text,
    templates   text,
    add_tags    text[] DEFAULT '{}',
    remove_tags text[] DEFAULT '{}',
    handle      text DEFAULT NULL,
    user_id     anycompatible DEFAULT NULL::text)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    wrong constant push.problem := push_internal.wrong_patch(
        device, add_tags, remove_tags, handle, user_id::text, templates);
BEGIN
    RETURN push_internal.change_device(
        hub, device, 'patch',
        CASE WHEN wrong IS NULL THEN json_build_object(
            'handle', handle, 'user_id', user_id::text, 'add_tags', coalesce(add_tags, '{}'),
            'remove_tags', coalesce(remove_tags, '{}'), 'templates', templates::json) END,
        wrong);
END $$;

CREATE OR REPLACE FUNCTION push.patch_device(
    hub         text,
    device      text,
    templates   json,
    add_tags    text[] DEFAULT '{}',
    remove_tags text[] DEFAULT '{}',
    handle      text DEFAULT NULL,
    user_id     anycompatible DEFAULT NULL::text)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN push.patch_device(hub, device, templates::text, add_tags, remove_tags, handle, user_id::text);
END $$;

CREATE OR REPLACE FUNCTION push.patch_device(
    hub         text,
    device      text,
    templates   jsonb,
    add_tags    text[] DEFAULT '{}',
    remove_tags text[] DEFAULT '{}',
    handle      text DEFAULT NULL,
    user_id     anycompatible DEFAULT NULL::text)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN push.patch_device(hub, device, templates::text, add_tags, remove_tags, handle, user_id::text);
END $$;

CREATE OR REPLACE FUNCTION push.patch_device(
    hub         text,
    device      text,
    add_tags    text[] DEFAULT '{}',
    remove_tags text[] DEFAULT '{}',
    handle      text DEFAULT NULL,
    user_id     anycompatible DEFAULT NULL::text)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN push.patch_device(hub, device, NULL::text, add_tags, remove_tags, handle, user_id::text);
END $$;

CREATE OR REPLACE FUNCTION push.drop_device(hub text, device text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN push_internal.change_device(hub, device, 'drop', '{}', push_internal.wrong_device(device));
END $$;
COMMENT ON FUNCTION push.drop_device IS
    'Removes a device from its hub, inside the caller''s transaction. Returns the id of the change. A device that the '
    'hub does not have is removed already.';

DO $$
DECLARE
    called record;
BEGIN
    FOR called IN
        SELECT p.oid::regprocedure AS name, p.proname AS function
          FROM pg_proc p
         WHERE p.pronamespace = 'push'::regnamespace
           AND p.proname IN ('put_device', 'patch_device')
    LOOP
        EXECUTE format('COMMENT ON FUNCTION %s IS %L', called.name, CASE called.function
            WHEN 'put_device' THEN
                'Registers a device at its hub or replaces it whole, inside the caller''s transaction. Returns the id '
                'of the change; a worker applies it (push.device_status). templates is text, json or jsonb; user_id is '
                'of any type.'
            ELSE
                'Changes parts of a device, inside the caller''s transaction: tags to add and to remove, handle, user, '
                'templates by name (null removes one). What is null stays. Returns the id of the change. Refused for '
                'a device that was dropped.'
        END);
    END LOOP;
END $$;
