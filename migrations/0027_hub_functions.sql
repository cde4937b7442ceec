-- Fanfare, migration 27: What people do to a hub. Every call is written to push.audit.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.rotate_hub(hub text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE state push.hub_state; fit int; unfit text; fresh text;
BEGIN
    SELECT s.* INTO state FROM push.hub_state s JOIN push.hub h ON h.id = s.hub WHERE h.name = $1 FOR UPDATE OF s;
    IF NOT FOUND THEN RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('hub "%s" is not registered', $1), HINT = 'SELECT name FROM push.hub'; END IF;
    SELECT count(*) FILTER (WHERE v.has_secondary), string_agg(w.name, ', ' ORDER BY w.name) FILTER (WHERE NOT v.has_secondary) INTO fit, unfit
      FROM push.serving v JOIN push.worker w ON w.id = v.worker
     WHERE v.hub = state.hub AND w.beat_at > clock_timestamp() - interval '30 seconds';
    IF fit = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('no worker serves hub "%s" with a secondary key', $1),
            HINT = CASE WHEN unfit IS NULL THEN 'Start a worker that serves it (fanfare run) with hubs.' || $1 || '.secondaryConnectionString set.'
                        ELSE 'Set hubs.' || $1 || '.secondaryConnectionString and reload the workers: ' || unfit END;
    END IF;
    fresh := CASE state.key WHEN 'primary' THEN 'secondary' ELSE 'primary' END;
    UPDATE push.hub_state s SET key = fresh, key_since = clock_timestamp(), key_reason = 'rotated by ' || session_user WHERE s.hub = state.hub;
    INSERT INTO push.audit (action, detail) VALUES ('rotate_hub', json_build_object('hub', $1, 'key', fresh));
    IF unfit IS NOT NULL THEN
        RAISE WARNING USING MESSAGE = format('these workers have no secondary key for hub "%s" and go on with the primary one: %s', $1, unfit),
            HINT = 'Do not make the primary key invalid before they have one.';
    END IF;
    RETURN fresh;
END $$;
COMMENT ON FUNCTION push.rotate_hub IS
    'Makes all workers sign with the hub''s other key within a second; returns which one: primary or secondary. Fails '
    'while no living worker has a secondary key. If the hub refuses the new key, the workers fall back by themselves '
    'and push.hub_state.key_reason says so.';

CREATE FUNCTION push.pause_hub(hub text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE push.hub_state s SET paused_by = session_user, changed_at = clock_timestamp() FROM push.hub h WHERE h.id = s.hub AND h.name = $1;
    IF NOT FOUND THEN RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('hub "%s" is not registered', $1), HINT = 'SELECT name FROM push.hub'; END IF;
    INSERT INTO push.audit (action, detail) VALUES ('pause_hub', json_build_object('hub', $1));
END $$;
COMMENT ON FUNCTION push.pause_hub IS 'Stops sending to a hub until push.resume_hub; its messages wait.';

CREATE FUNCTION push.resume_hub(hub text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE push.hub_state s SET paused_by = NULL, held_since = NULL, hold_reason = NULL, probe_at = NULL, gate_until = NULL,
           broken_until = NULL, broken_why = NULL, slowed_to = NULL, slowed_at = NULL, slowed_why = NULL, changed_at = clock_timestamp()
      FROM push.hub h WHERE h.id = s.hub AND h.name = $1;
    IF NOT FOUND THEN RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('hub "%s" is not registered', $1), HINT = 'SELECT name FROM push.hub'; END IF;
    INSERT INTO push.audit (action, detail) VALUES ('resume_hub', json_build_object('hub', $1));
END $$;
COMMENT ON FUNCTION push.resume_hub IS
    'Ends a pause, a hold, a closed gate or a slow-down: the hub is tried again at once.';

CREATE FUNCTION push.open_gate(hub text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE number smallint := push.hub_of($1); was timestamptz;
BEGIN
    SELECT s.gate_until INTO was FROM push.hub_state s WHERE s.hub = number FOR UPDATE;
    UPDATE push.hub_state s SET gate_until = NULL, changed_at = clock_timestamp() WHERE s.hub = number AND s.gate_until IS NOT NULL;
    INSERT INTO push.audit (action, detail) VALUES ('open_gate', json_build_object('hub', $1, 'was_closed_until', was));
    RETURN coalesce(was > clock_timestamp(), false);
END $$;
COMMENT ON FUNCTION push.open_gate IS
    'Opens a closed gate at once; a hub that still throttles closes it again. True: it was closed. A pause or a hold '
    'stays: push.resume_hub ends those.';

CREATE FUNCTION push.set_rate(hub text, rate real) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE number smallint := push.hub_of($1);
BEGIN
    IF $2 NOT BETWEEN 0 AND 100000 OR $2 = 'NaN' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.set_rate: %s is not a rate', $2),
            HINT = 'Posts per second over all workers, 0 to 100000; 0: no limit; NULL: ratePerSecond of the configuration.';
    END IF;
    UPDATE push.hub_state s SET rate = $2, tokens = NULL, tokens_at = NULL, slowed_to = NULL, slowed_at = NULL, slowed_why = NULL WHERE s.hub = number;
    INSERT INTO push.audit (action, detail) VALUES ('set_rate', json_build_object('hub', $1, 'rate', $2));
END $$;
COMMENT ON FUNCTION push.set_rate IS
    'Limits the posts per second to a hub, over all workers, from now on. 0: no limit; null: ratePerSecond of the '
    'configuration. Also ends a slow-down after throttling.';

CREATE FUNCTION push.add_hub(name text, localization text DEFAULT 'properties', languages text[] DEFAULT '{}', fallback text DEFAULT NULL,
    allow_broadcast boolean DEFAULT false, on_doubt text DEFAULT 'hold', expire_after interval DEFAULT '24 hours', settle interval DEFAULT '500 ms',
    keep_content interval DEFAULT '24 hours', keep_dedupe interval DEFAULT '168 hours', kind text DEFAULT 'notification-hubs') RETURNS smallint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE number smallint; wrong text;
BEGIN
    IF $1 IS NULL OR $1 !~ '^[a-z0-9_-]{1,63}$' THEN wrong := format('the name %s', coalesce(to_json($1)::text, 'NULL'));
    ELSIF $2 IS NULL OR $2 NOT IN ('properties', 'tags') THEN wrong := format('localization %s', coalesce(to_json($2)::text, 'NULL'));
    ELSIF $6 IS NULL OR $6 NOT IN ('hold', 'resend') THEN wrong := format('on_doubt %s', coalesce(to_json($6)::text, 'NULL'));
    ELSIF $11 IS DISTINCT FROM 'notification-hubs' THEN wrong := format('kind %s', coalesce(to_json($11)::text, 'NULL'));
    ELSIF $4 IS NOT NULL AND NOT $4 = ANY ($3) THEN wrong := format('fallback %s, which is not one of the languages', to_json($4));
    ELSIF least($7, $8, $9, $10) < '0 s' OR $7 = '0 s' THEN wrong := 'a time that is not positive';
    END IF;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.add_hub: %s', wrong),
            HINT = 'A name has 1 to 63 of a-z 0-9 _ -; localization is properties or tags, on_doubt hold or resend, kind notification-hubs.';
    END IF;
    -- settings_hash stays null: a worker that has this hub in its configuration replaces these settings.
    INSERT INTO push.hub AS h (name, kind, localization, languages, fallback, allow_broadcast, on_doubt, expire_after, settle, keep_content, keep_dedupe)
    VALUES ($1, $11, $2, coalesce($3, '{}'), $4, coalesce($5, false), $6, $7, $8, $9, $10) ON CONFLICT ON CONSTRAINT hub_name_key DO NOTHING RETURNING h.id INTO number;
    IF number IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'unique_violation', MESSAGE = format('hub "%s" is registered already', $1),
            HINT = 'Its settings come from the configuration of its workers: change them there and run fanfare migrate up.';
    END IF;
    INSERT INTO push.hub_state (hub) VALUES (number);
    INSERT INTO push.audit (action, detail) VALUES ('add_hub', json_build_object('hub', $1));
    RETURN number;
END $$;
COMMENT ON FUNCTION push.add_hub IS
    'Registers a hub, so that backends can enqueue for it before a worker serves it; returns its number. It holds no '
    'secret: connection strings stay in the configuration, and a worker replaces these settings with those of its '
    'configuration.';

INSERT INTO push.migration (version, name) VALUES (27, 'hub_functions');
