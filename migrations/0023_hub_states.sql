-- Fanfare, migration 23: Whether a hub takes posts, as workers learn it: gates, holds, breakers and keys.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.register_hub_v1(name text, kind text, localization text, languages text[], fallback text, allow_broadcast boolean,
    on_doubt text, expire_seconds int, settle_milliseconds int,
    content_key_hours int, dedupe_hours int, settings json, settings_hash text) RETURNS smallint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE known push.hub;
BEGIN
    SELECT * INTO known FROM push.hub h WHERE h.name = $1;
    IF known.settings_hash = $13 THEN RETURN known.id; END IF;
    INSERT INTO push.hub AS h (name, kind, localization, languages, fallback, allow_broadcast, on_doubt, expire_after, settle, keep_content, keep_dedupe, settings, settings_hash)
    VALUES ($1, $2, $3, $4, $5, $6, $7, make_interval(secs => $8), $9 * interval '1 ms', $10 * interval '1 hour', $11 * interval '1 hour', $12, $13)
        ON CONFLICT ON CONSTRAINT hub_name_key DO UPDATE SET (kind, localization, languages, fallback, allow_broadcast, on_doubt, expire_after, settle, keep_content, keep_dedupe, settings, settings_hash)
         = ROW ($2, $3, $4, $5, $6, $7, make_interval(secs => $8), $9 * interval '1 ms', $10 * interval '1 hour', $11 * interval '1 hour', $12, $13)
    RETURNING h.* INTO known;
    INSERT INTO push.hub_state (hub) VALUES (known.id) ON CONFLICT DO NOTHING;
    RETURN known.id;
END $$;
COMMENT ON FUNCTION push.register_hub_v1 IS 'Writes a hub''s settings if they changed; returns its number.';

CREATE FUNCTION push.hub_states_v1()
RETURNS TABLE (hub smallint, gate_seconds double precision, hold_reason text, probe_seconds double precision, paused_by text, key text, rate double precision,
               slowed_to double precision, broken_seconds double precision)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT hub, extract(epoch FROM gate_until - clock_timestamp()), CASE WHEN held_since IS NOT NULL THEN hold_reason END,
           extract(epoch FROM probe_at - clock_timestamp()), paused_by, key, rate,
           push.grown(slowed_to, extract(epoch FROM clock_timestamp() - slowed_at)::double precision), extract(epoch FROM broken_until - clock_timestamp())
      FROM push.hub_state
$$;
COMMENT ON FUNCTION push.hub_states_v1 IS
    'Gates, holds, pauses, keys, rates and breakers of all hubs. Times are seconds from now, so that no worker''s '
    'clock matters.';

CREATE FUNCTION push.break_hub_v1(hub smallint, seconds double precision, why text) RETURNS void
LANGUAGE sql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.hub_state SET broken_until = greatest(broken_until, clock_timestamp() + make_interval(secs => $2)), broken_why = $3, changed_at = clock_timestamp()
     WHERE hub = $1
$$;
COMMENT ON FUNCTION push.break_hub_v1 IS
    'This worker''s posts do not get through to the hub, and it tries again after this many seconds. The other '
    'workers try one post first.';

CREATE FUNCTION push.mend_hub_v1(hub smallint) RETURNS void
LANGUAGE sql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.hub_state SET broken_until = NULL, broken_why = NULL, changed_at = clock_timestamp() WHERE hub = $1 AND broken_until IS NOT NULL
$$;
COMMENT ON FUNCTION push.mend_hub_v1 IS 'A post got through after others did not: ends what push.break_hub_v1 began.';

CREATE FUNCTION push.close_gate_v1(hub smallint, seconds double precision) RETURNS void
LANGUAGE sql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.hub_state SET gate_until = clock_timestamp() + make_interval(secs => $2), changed_at = clock_timestamp()
     WHERE hub = $1 AND (gate_until IS NULL OR gate_until < clock_timestamp() + make_interval(secs => $2))
$$;
COMMENT ON FUNCTION push.close_gate_v1 IS
    'The hub throttles: closes its gate for all workers, for this many seconds. Never shortens a wait.';

CREATE FUNCTION push.hold_hub_v1(hub smallint, reason text, probe_seconds double precision) RETURNS void
LANGUAGE sql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.hub_state SET held_since = coalesce(held_since, clock_timestamp()), hold_reason = $2,
           probe_at = clock_timestamp() + make_interval(secs => $3), changed_at = clock_timestamp() WHERE hub = $1
$$;
COMMENT ON FUNCTION push.hold_hub_v1 IS
    'The hub refuses us: keeps its messages, records why, and lets one message be tried after this many seconds.';

CREATE FUNCTION push.take_probe_v1(hub smallint, probe_seconds double precision) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- SKIP LOCKED: another worker or an open transaction may hold the row, and this does not wait for it.
    PERFORM FROM push.hub_state s WHERE s.hub = $1 AND s.held_since IS NOT NULL AND s.probe_at <= clock_timestamp() FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN false; END IF;
    UPDATE push.hub_state s SET probe_at = clock_timestamp() + make_interval(secs => $2) WHERE s.hub = $1;
    RETURN true;
END $$;
COMMENT ON FUNCTION push.take_probe_v1 IS 'True for the one worker that may now try one message on a held hub.';

CREATE FUNCTION push.release_hub_v1(hub smallint) RETURNS void
LANGUAGE sql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.hub_state SET held_since = NULL, hold_reason = NULL, probe_at = NULL, changed_at = clock_timestamp() WHERE hub = $1 AND held_since IS NOT NULL
$$;
COMMENT ON FUNCTION push.release_hub_v1 IS 'A probe was accepted: the hub takes posts again.';

CREATE FUNCTION push.use_key_v1(hub smallint, key text, reason text) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE push.hub_state s SET key = $2, key_since = clock_timestamp(), key_reason = $3 WHERE s.hub = $1 AND s.key <> $2;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push.use_key_v1 IS
    'A worker found that the hub takes only this key: all workers sign with it from now on. False: they already did.';

INSERT INTO push.migration (version, name) VALUES (23, 'hub_states');
