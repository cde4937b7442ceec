-- Fanfare, migration 20: Workers register, beat and sleep.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.register_v1(name text, version text) RETURNS int
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO push.worker (name, version) VALUES ($1, $2) RETURNING id
$$;
COMMENT ON FUNCTION push.register_v1 IS 'Registers a worker; returns its number.';

CREATE FUNCTION push.heartbeat_v1(worker int, doing text, hubs smallint[], keys text[], have_secondary boolean[],
    tokens_expire_at timestamptz[], signings int[], windows int[], in_flight int[], rates double precision[], skews double precision[])
RETURNS TABLE (id int, beats bigint, claims bigint[]) LANGUAGE plpgsql ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    UPDATE push.worker SET beats = beats + 1, beat_at = clock_timestamp(), doing = $2 WHERE id = $1;
    IF FOUND AND cardinality($3) > 0 THEN      -- a worker declared dead no longer reports about hubs
        INSERT INTO push.serving AS s (worker, hub, key, has_secondary, token_expires_at, signings, "window", in_flight, rate, skew_seconds)
        SELECT $1, * FROM unnest($3, $4, $5, $6, $7, $8, $9, $10, $11)
            ON CONFLICT ON CONSTRAINT serving_pkey DO UPDATE
           SET (key, has_secondary, token_expires_at, signings, "window", in_flight, rate, skew_seconds, at)
             = ROW (excluded.key, excluded.has_secondary, excluded.token_expires_at, excluded.signings, excluded."window",
                    excluded.in_flight, excluded.rate, excluded.skew_seconds, excluded.at);
    END IF;
    RETURN QUERY
    SELECT w.id, w.beats, CASE WHEN w.id = $1 THEN ARRAY(SELECT c.id FROM push.claim c WHERE c.worker = $1) END FROM push.worker w
    UNION ALL
    -- A stalled worker that was rescued may have claimed once more before it learned that, and then ended: its number
    -- is in no row any more, but its claims stand. Its beats never change, so it is rescued like any other.
    SELECT DISTINCT c.worker, 0::bigint, NULL::bigint[] FROM push.claim c
     WHERE c.worker <> $1 AND NOT EXISTS (SELECT FROM push.worker w WHERE w.id = c.worker);
END $$;
COMMENT ON FUNCTION push.heartbeat_v1 IS
    'Records that the worker lives and how it serves its hubs (push.serving). Returns every worker with its beats, '
    'and the caller''s own claims. The caller is missing when it was declared dead and rescued.';

CREATE FUNCTION push.sleep_v1(worker int, asleep boolean) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- SKIP LOCKED: the heartbeat or an open transaction may hold the row, and this does not wait for it.
    UPDATE push.worker w SET asleep = $2 WHERE w.id = (SELECT o.id FROM push.worker o WHERE o.id = $1 FOR NO KEY UPDATE SKIP LOCKED);
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push.sleep_v1 IS
    'A worker that listens on push_due records that it is about to sleep, or that it woke. False: nothing was '
    'written, because the worker was declared dead and rescued or another session holds its row; then it must not '
    'sleep.';

INSERT INTO push.migration (version, name) VALUES (20, 'workers');
