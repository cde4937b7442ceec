-- What people do to a hub. Every call is written to push.audit.

CREATE OR REPLACE FUNCTION push.rotate_hub(hub text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number constant int := push_internal.hub_number(hub);
    fit    bigint;
    unfit  text;
    fresh  text;
    lacks  constant text := format(                      -- the setting of a second key, by kind of hub
        'hubs.%s.%s', hub,
        CASE (SELECT h.kind FROM push.hub h WHERE h.id = number)
            WHEN 'fcm' THEN 'secondaryServiceAccount'
            WHEN 'apns' THEN 'secondaryKey'
            ELSE 'secondaryConnectionString'
        END);
BEGIN
    PERFORM push_internal.begin_action();
    SELECT CASE s.key WHEN 'primary' THEN 'secondary' ELSE 'primary' END INTO fresh
      FROM push.hub_state s
     WHERE s.hub = number
       FOR UPDATE;
    SELECT count(*) FILTER (WHERE v.has_secondary),
           string_agg(w.name, ', ' ORDER BY w.name) FILTER (WHERE NOT v.has_secondary)
      INTO fit, unfit
      FROM push.serving v
           JOIN push.worker w ON w.id = v.worker
     WHERE v.hub = number
       AND push.is_alive(w.beat_at, w.lease_seconds);
    IF fit = 0 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('no worker serves hub "%s" with a secondary key', hub),
            HINT = CASE
                WHEN unfit IS NULL
                THEN format('Start a worker that serves it (fanfare run) with %s set.', lacks)
                ELSE format('Set %s and reload the workers: %s', lacks, unfit)
            END;
    END IF;
    UPDATE push.hub_state s
       SET key = fresh,
           key_since = clock_timestamp(),
           key_reason = 'rotated by ' || push.person()
     WHERE s.hub = number;
    INSERT INTO push.audit (action, detail)
    VALUES ('rotate_hub', json_build_object('hub', hub, 'key', fresh));
    IF unfit IS NOT NULL THEN
        RAISE WARNING USING
            MESSAGE = format('these workers have no secondary key for hub "%s" and go on with the primary one: %s',
                             hub, unfit),
            HINT = 'Do not make the primary key invalid before they have one.';
    END IF;
    RETURN fresh;
END $$;
COMMENT ON FUNCTION push.rotate_hub IS
    'Makes all workers sign with the hub''s other key within a second; returns which one: primary or secondary. Fails '
    'while no living worker has a secondary key. If the hub refuses the new key, the workers fall back by themselves '
    'and push.hub_state.key_reason has the reason.';

CREATE OR REPLACE FUNCTION push.pause_hub(hub text, reason text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number constant int := push_internal.hub_number(hub);
BEGIN
    PERFORM push_internal.begin_action();
    IF length(reason) > 200 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.pause_hub: the reason has %s characters', length(reason)),
            HINT = 'At most 200 are allowed: views show it behind "paused by".';
    END IF;
    UPDATE push.hub_state s
       SET paused_by = push.person(),
           paused_why = push_internal.said(reason),
           changed_at = clock_timestamp()
     WHERE s.hub = number;
    INSERT INTO push.audit (action, detail)
    VALUES ('pause_hub', json_build_object('hub', hub, 'reason', push_internal.said(reason)));
END $$;
COMMENT ON FUNCTION push.pause_hub IS
    'Stops sending to a hub until push.resume_hub; its messages wait. reason: at most 200 characters, shown with who '
    'paused it.';

CREATE OR REPLACE FUNCTION push.resume_hub(hub text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number constant int := push_internal.hub_number(hub);
BEGIN
    PERFORM push_internal.begin_action();
    UPDATE push.hub_state s
       SET paused_by = NULL,
           paused_why = NULL,
           held_since = NULL,
           hold_reason = NULL,
           probe_at = NULL,
           gate_until = NULL,
           broken_until = NULL,
           broken_why = NULL,
           paced_from = clock_timestamp(),
           devices_until = NULL,
           refused_until = CASE
                               WHEN s.held_since IS NOT NULL OR s.gate_until > clock_timestamp()
                               THEN greatest(s.refused_until, s.gate_until, clock_timestamp())
                               ELSE s.refused_until
                           END,
           opened_at = clock_timestamp(),
           changed_at = clock_timestamp()
     WHERE s.hub = number;
    INSERT INTO push.audit (action, detail)
    VALUES ('resume_hub', json_build_object('hub', hub));
END $$;
COMMENT ON FUNCTION push.resume_hub IS
    'Ends a pause, a hold, a closed gate, a slow-down, or a wait of its devices: the hub is tried again at once, also with '
    'what it refused meanwhile.';

CREATE OR REPLACE FUNCTION push.open_gate(hub text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number constant int := push_internal.hub_number(hub);
    closed_until timestamptz;
BEGIN
    PERFORM push_internal.begin_action();
    SELECT s.gate_until INTO closed_until
      FROM push.hub_state s
     WHERE s.hub = number
       FOR UPDATE;
    UPDATE push.hub_state s
       SET gate_until = NULL,
           refused_until = CASE WHEN s.gate_until > clock_timestamp() THEN greatest(s.refused_until, s.gate_until)
                                ELSE s.refused_until END,
           opened_at = clock_timestamp(),
           changed_at = clock_timestamp()
     WHERE s.hub = number
       AND s.gate_until IS NOT NULL;
    INSERT INTO push.audit (action, detail)
    VALUES ('open_gate', json_build_object('hub', hub, 'was_closed_until', closed_until));
    RETURN coalesce(closed_until > clock_timestamp(), false);
END $$;
COMMENT ON FUNCTION push.open_gate IS
    'Opens a closed gate at once, also for what the hub refused meanwhile; a hub that still throttles closes it again. '
    'True: it was closed. A pause or a hold stays: push.resume_hub ends those.';

CREATE OR REPLACE FUNCTION push.set_rate(hub text, rate real) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    number constant int := push_internal.hub_number(set_rate.hub);
BEGIN
    PERFORM push_internal.begin_action();
    IF set_rate.rate NOT BETWEEN 0 AND 100000 OR set_rate.rate = 'NaN' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.set_rate: %s is not a rate', set_rate.rate),
            HINT = 'Posts per second over all workers, 0 to 100000; 0: no limit; NULL: ratePerSecond of the '
                   'configuration.';
    END IF;
    UPDATE push.hub_state s
       SET rate = set_rate.rate,
           paced_from = clock_timestamp()
     WHERE s.hub = number;
    INSERT INTO push.audit (action, detail)
    VALUES ('set_rate', json_build_object('hub', set_rate.hub, 'rate', set_rate.rate));
END $$;
COMMENT ON FUNCTION push.set_rate IS
    'Limits the posts per second to a hub, over all workers, from now on. 0: no limit; null: ratePerSecond of the '
    'configuration. Also ends a slow-down after throttling.';
