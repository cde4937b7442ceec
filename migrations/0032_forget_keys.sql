-- Fanfare, migration 32: Forgetting keys whose time is over.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.forget_keys(n int DEFAULT 10000) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE moment timestamptz := clock_timestamp(); gone bigint := 0; batch bigint; after bigint := 0; seen int; old int; last bigint; free bigint[];
BEGIN
    IF NOT pg_try_advisory_xact_lock(7310868735422034535) THEN RETURN 0; END IF;      -- one at a time

    -- Adds what enqueuing backends counted to its minute.
    WITH counted AS (
        DELETE FROM push.tally WHERE minute <> date_trunc('minute', minute) AND status IN ('duplicate', 'rejected') RETURNING hub, minute, status, reason, n
    )
    INSERT INTO push.tally AS t (hub, minute, status, reason, n)
    SELECT hub, date_trunc('minute', minute), status, reason, sum(n) FROM counted GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
        ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n;

    -- dedupe_key, oldest first. Keys that an INSERT has locked are in use and are skipped.
    DELETE FROM push.dedupe WHERE ctid = ANY (ARRAY(
        SELECT d.ctid FROM push.dedupe d WHERE d.at < moment - (SELECT min(keep_dedupe) FROM push.hub)
           AND d.at < moment - (SELECT h.keep_dedupe FROM push.hub h WHERE h.id = d.hub)
         ORDER BY d.at LIMIT $1 FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS gone = ROW_COUNT;

    -- content_key: rows that are old and final and whose key is free. Ids grow with time, so the loop ends at the first
    -- batch without an old row.
    WHILE gone < $1 LOOP
        SELECT count(*), count(*) FILTER (WHERE k.at < moment - (SELECT min(keep_content) FROM push.hub)), max(k.id),
               array_agg(k.id) FILTER (WHERE k.at < moment - h.keep_content AND push.are_final(ARRAY[k.id])
                                         AND (t.ids IS NULL OR t.at < moment - h.keep_content AND push.are_final(t.ids)))
          INTO seen, old, last, free
          FROM (SELECT * FROM push.content WHERE id > after ORDER BY id LIMIT 1000) k,
               LATERAL (SELECT h.keep_content FROM push.hub h WHERE h.id = k.hub OFFSET 0) h
               LEFT JOIN LATERAL (SELECT t.at, t.ids FROM push.content_taken t
                                   WHERE t.hub = k.hub AND t.tag = k.tag AND t.content_key = k.content_key AND t.priority = k.priority OFFSET 0) t ON true;
        EXIT WHEN seen = 0;
        after := last;
        WITH forgotten AS (
            DELETE FROM push.content WHERE id = ANY (free) RETURNING hub, tag, content_key, priority
        ), key AS MATERIALIZED (
            SELECT DISTINCT hub, tag, content_key, priority FROM forgotten
        ), freed AS (
            DELETE FROM push.content_taken t WHERE t.ctid = ANY (ARRAY(
                SELECT x.row FROM key k, LATERAL (
                    SELECT t.ctid AS row FROM push.content_taken t
                     WHERE t.hub = k.hub AND t.tag = k.tag AND t.content_key = k.content_key AND t.priority = k.priority
                       AND t.at < moment - (SELECT h.keep_content FROM push.hub h WHERE h.id = k.hub) FOR UPDATE SKIP LOCKED) x))
        )
        SELECT count(*) INTO batch FROM forgotten;
        gone := gone + batch;
        EXIT WHEN old = 0;
    END LOOP;
    RETURN gone;
END $$;
COMMENT ON FUNCTION push.forget_keys IS
    'Forgets about n dedupe_keys and content_keys whose time is over; returns how many. Workers call it every few '
    'minutes until it returns less than n. A content_key is kept while one of its messages is pending.';

INSERT INTO push.migration (version, name) VALUES (32, 'forget_keys');
