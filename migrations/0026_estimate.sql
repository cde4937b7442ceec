-- Fanfare, migration 26: When what is pending will have been sent.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.eta(hub text DEFAULT NULL, campaign text DEFAULT NULL)
RETURNS TABLE (hub_name text, pending bigint, ahead bigint, per_second double precision, seconds double precision, done_at timestamptz, why text)
LANGUAGE plpgsql SECURITY DEFINER STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
    IF $1 IS NOT NULL THEN PERFORM push.hub_of($1); END IF;
    RETURN QUERY
    WITH hubs AS MATERIALIZED (
        SELECT h.id, h.name, s.paused_by, s.held_since, s.gate_until FROM push.hub h LEFT JOIN push.hub_state s ON s.hub = h.id WHERE $1 IS NULL OR h.name = $1
    ), asked AS MATERIALIZED (          -- messages asked about, and the last of them in each lane
        SELECT h.id AS hub, d.priority, sum(d.n) AS n, max(d.due_at) AS last
          FROM hubs h, LATERAL (SELECT d.priority, d.due_at, d.id,
                                       CASE WHEN d.translations THEN (SELECT count(*) FROM push.translation t WHERE t.lead = d.id)
                                            WHEN d.keyed THEN (SELECT count(*) FROM push.content k WHERE k.lead = d.id) ELSE 1 END AS n
                                  FROM push.due d WHERE d.hub = h.id OFFSET 0) d
         WHERE $2 IS NULL OR (SELECT m.campaign = $2 FROM push.message m WHERE m.id = d.id)
         GROUP BY h.id, d.priority
    ), held AS MATERIALIZED (           -- held by workers
        SELECT h.id AS hub, count(*) FILTER (WHERE $2 IS NULL OR (SELECT m.campaign = $2 FROM push.message m WHERE m.id = u.id)) AS mine, count(*) AS n
          FROM hubs h, LATERAL (SELECT c.id, c.ids FROM push.claim c WHERE c.hub = h.id OFFSET 0) c, unnest(c.ids) u(id)
         WHERE NOT EXISTS (SELECT FROM push.result r WHERE r.id = u.id AND r.post / 10000 = c.id OFFSET 0)
         GROUP BY h.id
    ), ahead AS MATERIALIZED (          -- everything that leaves before the last of them
        SELECT a.hub, max(d.n) AS n
          FROM asked a, LATERAL (SELECT count(*) AS n FROM push.due d WHERE d.hub = a.hub AND d.priority <= a.priority AND d.due_at <= a.last OFFSET 0) d
         GROUP BY a.hub
    ), pace AS MATERIALIZED (           -- ten whole minutes; a retried message counts when it ends
        SELECT h.id AS hub, (SELECT sum(t.n) FROM push.tally t WHERE t.hub = h.id AND t.minute >= date_trunc('minute', now()) - interval '10 minutes'
                                AND t.minute < date_trunc('minute', now()) AND t.status IN ('accepted', 'rejected', 'in_doubt'))
                            / nullif((SELECT count(DISTINCT date_trunc('minute', t.minute)) FROM push.tally t WHERE t.hub = h.id AND t.minute >= date_trunc('minute', now()) - interval '10 minutes'
                                         AND t.minute < date_trunc('minute', now()) AND t.status IN ('accepted', 'rejected', 'in_doubt')) * 60, 0) AS per_second
          FROM hubs h
    ), sums AS (
        SELECT h.*, coalesce((SELECT sum(a.n) FROM asked a WHERE a.hub = h.id), 0)::bigint + coalesce(l.mine, 0) AS pending,
               greatest(coalesce((SELECT a.n FROM ahead a WHERE a.hub = h.id), 0), coalesce((SELECT sum(a.n) FROM asked a WHERE a.hub = h.id), 0))::bigint + coalesce(l.n, 0) AS ahead,
               (SELECT max(a.last) FROM asked a WHERE a.hub = h.id) AS last, p.per_second::double precision
          FROM hubs h LEFT JOIN held l ON l.hub = h.id JOIN pace p ON p.hub = h.id
    ), said AS (
        SELECT s.*, CASE WHEN s.pending = 0 THEN 'nothing is pending' WHEN s.paused_by IS NOT NULL THEN 'paused by ' || s.paused_by
                         WHEN s.held_since IS NOT NULL THEN 'the hub is held' WHEN s.per_second IS NULL THEN 'nothing was sent in the last ten minutes' END AS why
          FROM sums s
    ), timed AS (
        SELECT s.*, CASE WHEN s.why IS NULL THEN greatest(s.ahead / s.per_second, extract(epoch FROM greatest(s.last, s.gate_until) - now())::double precision) END AS seconds FROM said s
    )
    SELECT t.name, t.pending, CASE WHEN t.pending > 0 THEN t.ahead ELSE 0 END, t.per_second, t.seconds, now() + make_interval(secs => t.seconds), t.why
      FROM timed t WHERE $2 IS NULL OR t.pending > 0 ORDER BY t.name;
END $$;
COMMENT ON FUNCTION push.eta IS
    'When what is pending will have been sent, per hub: messages pending (all, or of the campaign), messages that '
    'leave before the last of them, messages per second in those of the last ten minutes that sent anything, and the '
    'seconds that follow from them, but not before the last message is due. If that is not known, these are null and '
    'why says so. Reads everything that is pending.';

INSERT INTO push.migration (version, name) VALUES (26, 'estimate');
