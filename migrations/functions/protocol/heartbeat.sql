-- Workers register, beat and sleep.

CREATE OR REPLACE FUNCTION push.is_alive(beat_at timestamptz, lease_seconds real) RETURNS boolean
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN beat_at > clock_timestamp() - make_interval(secs => 2 * lease_seconds);
COMMENT ON FUNCTION push.is_alive IS
    'Whether a worker with this heartbeat and lease counts as alive: its last heartbeat is at most two leases old.';

CREATE OR REPLACE FUNCTION push_internal.lowest_claim() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER
RETURN coalesce((SELECT min(w.lowest_claim) FROM push.worker w), 0);
COMMENT ON FUNCTION push_internal.lowest_claim IS
    'No claim that stands has a lower id. Every look through push.claim begins here: while an old snapshot keeps '
    'vacuum away, millions of claims that ended long ago may lie below.';

CREATE OR REPLACE FUNCTION push_internal.is_current_worker(worker int, epoch int) RETURNS boolean
LANGUAGE sql VOLATILE
RETURN EXISTS (
    SELECT FROM push.worker w, push.timeline t
     WHERE w.id = is_current_worker.worker
       AND w.epoch = is_current_worker.epoch
       AND w.timeline = t.timeline
       AND t.timeline = push_internal.current_timeline());
COMMENT ON FUNCTION push_internal.is_current_worker IS
    'Whether this is the server that the worker registered with, and the worker was not declared dead. After a '
    'fail-over rows that it relies on may be missing.';

CREATE OR REPLACE FUNCTION push_worker.register_v1(name text, version text, lease_seconds real)
RETURNS TABLE (
    id           int,
    epoch        int,
    lowest_claim bigint)
LANGUAGE plpgsql SECURITY DEFINER ROWS 1
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '2s' AS $$
#variable_conflict use_column
BEGIN
    PERFORM push_worker.begin_timeline_v1();
    DELETE FROM push.installation_claim c        -- only a fail-over that lost rows can leave such claims
     WHERE NOT EXISTS (SELECT FROM push.worker w WHERE w.id = c.worker AND w.epoch = c.epoch);
    RETURN QUERY
    INSERT INTO push.worker AS w (name, version, lease_seconds, timeline, lowest_claim)
    SELECT register_v1.name, register_v1.version, register_v1.lease_seconds, t.timeline, s.last_value
      FROM push.timeline t, push.claim_id s
    RETURNING w.id, w.epoch, w.lowest_claim;
END $$;
COMMENT ON FUNCTION push_worker.register_v1 IS
    'Registers a worker. Returns its number and epoch, which together name it, and an id that all its claims will '
    'reach. On a server that was replaced it first moves the numbers on (push_worker.begin_timeline_v1).';

CREATE OR REPLACE FUNCTION push_worker.heartbeat_v2(
    worker           int,
    epoch            int,
    lowest_claim     bigint,
    doing            text,
    hubs             int[],
    keys             text[],
    have_secondary   boolean[],
    tokens_expire_at timestamptz[],
    signings         int[],
    windows          int[],
    in_flight        int[],
    rates            double precision[],
    skews            double precision[],
    settings_hashes  text[],
    trouble          text,
    hub_troubles     text[],
    milliseconds_p50 double precision[],
    milliseconds_p95 double precision[],
    milliseconds_p99 double precision[])
RETURNS TABLE (
    id           int,
    worker_epoch int,
    lease        real,
    beats        bigint,
    claims       bigint[],
    newest_claim bigint)
LANGUAGE plpgsql SECURITY DEFINER ROWS 10
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '2s'
SET plan_cache_mode = force_generic_plan
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    look_from constant bigint := CASE
        WHEN heartbeat_v2.lowest_claim IS NULL THEN 0
        ELSE least(heartbeat_v2.lowest_claim, push_internal.lowest_claim())
    END;
    is_recorded boolean := false;
BEGIN
    PERFORM push_internal.require_timeline();
    IF NOT push_internal.is_current_worker(worker, epoch)
       AND EXISTS (SELECT FROM push.worker w WHERE w.id = heartbeat_v2.worker AND w.epoch = heartbeat_v2.epoch) THEN
        RAISE EXCEPTION USING ERRCODE = 'PT001',
            MESSAGE = format('the server was replaced since worker %s registered', heartbeat_v2.worker),
            HINT = 'The worker registers again by itself.';
    END IF;

    -- Another session may hold our row, such as a person's open push.rescue. Then we record no beat, which the count
    -- that we return shows, and still watch the others.
    BEGIN
        UPDATE push.worker w
           SET beats = w.beats + 1,
               beat_at = clock_timestamp(),
               doing = heartbeat_v2.doing,
               trouble = heartbeat_v2.trouble,
               lowest_claim = coalesce(heartbeat_v2.lowest_claim, w.lowest_claim)
         WHERE w.id = heartbeat_v2.worker AND w.epoch = heartbeat_v2.epoch;
        is_recorded := FOUND;
    EXCEPTION WHEN lock_not_available THEN
        NULL;
    END;
    IF is_recorded AND cardinality(hubs) > 0 THEN     -- a worker declared dead no longer reports about hubs
        BEGIN
            PERFORM push_internal.report_hubs(heartbeat_v2.worker, hubs, keys, have_secondary, tokens_expire_at, signings,
                                     windows, in_flight, rates, skews, settings_hashes, hub_troubles, milliseconds_p50,
                                     milliseconds_p95, milliseconds_p99);
        EXCEPTION WHEN OTHERS THEN                    -- the heartbeat counts without it
            RAISE WARNING 'worker % cannot report about its hubs: % %', heartbeat_v2.worker, SQLSTATE, SQLERRM;
        END;
    END IF;

    RETURN QUERY
    WITH held AS MATERIALIZED (                       -- one look through push.claim
        SELECT c.worker, c.epoch, array_agg(c.id) AS claims
          FROM push.claim c
         WHERE c.id >= look_from
         GROUP BY c.worker, c.epoch
    )
    SELECT w.id, w.epoch, w.lease_seconds, w.beats, mine.claims, mine.newest
      FROM push.worker w
           LEFT JOIN LATERAL (
               SELECT coalesce((SELECT h.claims FROM held h WHERE h.worker = w.id AND h.epoch = w.epoch), '{}')
                          AS claims,
                      (SELECT s.last_value FROM push.claim_id s) AS newest
                WHERE w.id = heartbeat_v2.worker) mine ON true
     WHERE w.id <> heartbeat_v2.worker OR w.epoch = heartbeat_v2.epoch
    UNION ALL
    -- A stalled worker that was rescued may have claimed once more before it learned that, and then ended: its number
    -- is in no row any more, but its claims stand. Its beats never change, so it is rescued like any other.
    SELECT h.worker, h.epoch, NULL::real, 0::bigint, h.claims, NULL::bigint
      FROM held h
     WHERE (h.worker, h.epoch) <> (heartbeat_v2.worker, heartbeat_v2.epoch)
       AND NOT EXISTS (SELECT FROM push.worker w WHERE w.id = h.worker AND w.epoch = h.epoch);
END $$;
COMMENT ON FUNCTION push_worker.heartbeat_v2 IS
    'Records that the worker lives and how it serves its hubs (push.serving). Returns every worker with its beats; '
    'for the caller also its claims and the newest id of any claim. Of a worker without a row only the claims are '
    'left. The caller is missing when it was declared dead and rescued. Claims below lowest_claim are not looked '
    'through; null: all are. PT001: the server was replaced; register anew.';

-- What workers call that were built before heartbeat_v2.
CREATE OR REPLACE FUNCTION push_worker.heartbeat_v1(
    worker           int,
    epoch            int,
    lowest_claim     bigint,
    doing            text,
    hubs             int[],
    keys             text[],
    have_secondary   boolean[],
    tokens_expire_at timestamptz[],
    signings         int[],
    windows          int[],
    in_flight        int[],
    rates            double precision[],
    skews            double precision[],
    settings_hashes  text[] DEFAULT NULL,
    trouble          text DEFAULT NULL,
    hub_troubles     text[] DEFAULT NULL)
RETURNS TABLE (
    id           int,
    worker_epoch int,
    lease        real,
    beats        bigint,
    claims       bigint[],
    newest_claim bigint)
LANGUAGE sql SECURITY DEFINER ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    SELECT *
      FROM push_worker.heartbeat_v2(
               worker, epoch, lowest_claim, doing, hubs, keys, have_secondary, tokens_expire_at, signings, windows, in_flight,
               rates, skews, settings_hashes, trouble, hub_troubles, NULL, NULL, NULL)
$$;
COMMENT ON FUNCTION push_worker.heartbeat_v1 IS
    'push_worker.heartbeat_v2 of workers that do not report how long the hubs took to answer.';

CREATE OR REPLACE FUNCTION push_internal.report_hubs(
    worker           int,
    hubs             int[],
    keys             text[],
    have_secondary   boolean[],
    tokens_expire_at timestamptz[],
    signings         int[],
    windows          int[],
    in_flight        int[],
    rates            double precision[],
    skews            double precision[],
    settings_hashes  text[],
    hub_troubles     text[],
    milliseconds_p50 double precision[],
    milliseconds_p95 double precision[],
    milliseconds_p99 double precision[])
RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO push.serving AS s (worker, hub, key, has_secondary, token_expires_at, signings, "window", in_flight,
                                   rate, skew_seconds, settings_hash, trouble, milliseconds_p50, milliseconds_p95,
                                   milliseconds_p99)
    SELECT report_hubs.worker, u.hub, u.key, u.has_secondary, u.token_expires_at, u.signings, u."window", u.in_flight,
           u.rate, u.skew, u.settings_hash, u.trouble, u.p50, u.p95, u.p99
      FROM unnest(hubs, keys, have_secondary, tokens_expire_at, signings, windows, report_hubs.in_flight, rates, skews,
                  settings_hashes, hub_troubles, report_hubs.milliseconds_p50, report_hubs.milliseconds_p95,
                  report_hubs.milliseconds_p99)
               u(hub, key, has_secondary, token_expires_at, signings, "window", in_flight, rate, skew, settings_hash,
                 trouble, p50, p95, p99)
     WHERE EXISTS (SELECT FROM push.hub h WHERE h.id = u.hub)
        ON CONFLICT ON CONSTRAINT serving_pkey DO UPDATE
       SET key = excluded.key,
           has_secondary = excluded.has_secondary,
           token_expires_at = excluded.token_expires_at,
           signings = excluded.signings,
           "window" = excluded."window",
           in_flight = excluded.in_flight,
           rate = excluded.rate,
           skew_seconds = excluded.skew_seconds,
           settings_hash = excluded.settings_hash,
           trouble = excluded.trouble,
           milliseconds_p50 = excluded.milliseconds_p50,
           milliseconds_p95 = excluded.milliseconds_p95,
           milliseconds_p99 = excluded.milliseconds_p99,
           at = excluded.at;
END $$;
COMMENT ON FUNCTION push_internal.report_hubs IS 'Writes what a worker reports about its hubs (push.serving).';

CREATE OR REPLACE FUNCTION push_worker.report_sleep_v1(worker int, epoch int, asleep boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    -- SKIP LOCKED: the heartbeat or an open transaction may hold the row, and this does not wait for it.
    UPDATE push.worker w
       SET asleep = report_sleep_v1.asleep
     WHERE w.id = (SELECT o.id FROM push.worker o
                    WHERE o.id = report_sleep_v1.worker AND o.epoch = report_sleep_v1.epoch
                      FOR NO KEY UPDATE SKIP LOCKED);
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push_worker.report_sleep_v1 IS
    'A worker that listens on push_due records that it is about to sleep, or that it woke. False: nothing was '
    'written, because the worker was declared dead and rescued or another session holds its row; then it must not '
    'sleep.';
