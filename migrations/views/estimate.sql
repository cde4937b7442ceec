-- When what is pending will have been sent, and what may slow it down.

CREATE OR REPLACE FUNCTION push_internal.recent_rate(hub int) RETURNS double precision
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT sum(t.n)::double precision / nullif(60 * count(DISTINCT date_trunc('minute', t.minute)), 0)
      FROM push.tally t
     WHERE t.hub = recent_rate.hub
       AND t.minute >= date_trunc('minute', now()) - interval '10 minutes'
       AND t.minute < date_trunc('minute', now())
       AND t.status IN ('accepted', 'rejected', 'in_doubt')
$$;
COMMENT ON FUNCTION push_internal.recent_rate IS
    'Messages per second that a hub ended in those of the last ten minutes that sent anything; null: none did. A '
    'retried message counts when it ends.';

CREATE OR REPLACE FUNCTION push.eta(hub text DEFAULT NULL, campaign text DEFAULT NULL)
RETURNS TABLE (
    hub_name   text,
    pending    bigint,
    ahead      bigint,
    per_second double precision,
    seconds    double precision,
    done_at    timestamptz,
    why        text)
LANGUAGE plpgsql SECURITY DEFINER STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
    IF eta.hub IS NOT NULL THEN
        PERFORM push_internal.hub_number(eta.hub);
    END IF;
    RETURN QUERY
    WITH hubs AS MATERIALIZED (
        SELECT h.id, h.name, s.paused_by, s.paused_why, s.held_since, push_internal.recent_rate(h.id) AS per_second,
               CASE WHEN s.gate_until > now() THEN least(s.gate_until, now() + interval '1 day') END AS gate_until
          FROM push.hub h
               LEFT JOIN push.hub_state s ON s.hub = h.id
         WHERE h.removed_at IS NULL
           AND (eta.hub IS NULL OR h.name = eta.hub)
    ), asked AS MATERIALIZED (          -- messages asked about, and the last of them in each lane
        SELECT h.id AS hub, d.priority, sum(d.n) AS n, max(d.due_at) AS last
          FROM hubs h,
               LATERAL (
                   SELECT d.priority,
                          d.due_at,
                          d.id,
                          CASE d.kind
                              WHEN 't' THEN (SELECT count(*) FROM push.translation t WHERE t.lead = d.id)
                              WHEN 'k' THEN (SELECT count(*) FROM push.content k WHERE k.lead = d.id)
                              ELSE 1
                          END AS n
                     FROM push.due d
                    WHERE d.hub = h.id
                      AND d.due_at < push.paused_until()      -- not those of paused runs
                   OFFSET 0) d
         WHERE eta.campaign IS NULL
            OR (SELECT m.campaign = eta.campaign FROM push.message m WHERE m.id = d.id)
         GROUP BY h.id, d.priority
    ), held AS MATERIALIZED (           -- held by workers
        SELECT h.id AS hub,
               count(*) AS n,
               count(*) FILTER (
                   WHERE eta.campaign IS NULL
                      OR (SELECT m.campaign = eta.campaign FROM push.message m WHERE m.id = u.id)) AS asked
          FROM hubs h,
               LATERAL (
                   SELECT c.id, c.ids
                     FROM push.claim c
                    WHERE c.id >= push_internal.lowest_claim()
                      AND c.hub = h.id
                   OFFSET 0) c,
               unnest(c.ids) u(id)
         WHERE NOT EXISTS (
                   SELECT
                     FROM push.result r
                    WHERE r.id = u.id
                      AND push.claim_of(r.post) = c.id
                   OFFSET 0)
         GROUP BY h.id
    ), ahead AS MATERIALIZED (          -- everything that leaves before the last of them
        SELECT a.hub, max(d.n) AS n
          FROM asked a,
               LATERAL (
                   SELECT count(*) AS n
                     FROM push.due d
                    WHERE d.hub = a.hub
                      AND d.priority <= a.priority
                      AND d.due_at <= a.last
                   OFFSET 0) d
         GROUP BY a.hub
    ), sums AS (
        SELECT h.*,
               a.last,
               (coalesce(a.n, 0) + coalesce(w.asked, 0))::bigint AS pending,
               (greatest(coalesce(f.n, 0), coalesce(a.n, 0)) + coalesce(w.n, 0))::bigint AS ahead
          FROM hubs h
               LEFT JOIN (SELECT l.hub, sum(l.n) AS n, max(l.last) AS last FROM asked l GROUP BY 1) a ON a.hub = h.id
               LEFT JOIN ahead f ON f.hub = h.id
               LEFT JOIN held w ON w.hub = h.id
    ), reasons AS (
        SELECT s.*,
               CASE
                   WHEN s.pending = 0 THEN 'nothing is pending'
                   WHEN s.paused_by IS NOT NULL THEN concat_ws(': ', 'paused by ' || s.paused_by, s.paused_why)
                   WHEN s.held_since IS NOT NULL THEN 'the hub is held'
                   WHEN s.per_second IS NULL THEN 'nothing was sent in the last ten minutes'
               END AS why
          FROM sums s
    ), timed AS (
        SELECT r.*,
               CASE
                   WHEN r.why IS NULL
                   THEN greatest(r.ahead / r.per_second, date_part('epoch', greatest(r.last, r.gate_until) - now()))
               END AS seconds
          FROM reasons r
    )
    SELECT t.name,
           t.pending,
           CASE WHEN t.pending > 0 THEN t.ahead ELSE 0 END,
           t.per_second,
           t.seconds,
           now() + make_interval(secs => t.seconds),
           t.why
      FROM timed t
     WHERE eta.campaign IS NULL
        OR t.pending > 0
     ORDER BY t.name;
END $$;
COMMENT ON FUNCTION push.eta IS
    'When what is pending will have been sent, per hub: messages pending (all, or of the campaign), messages that '
    'leave before the last of them, messages per second (push_internal.recent_rate), and the seconds that follow '
    'from them, but not before the last message is due. If that is not known, these are null and why has the reason. '
    'Reads everything that is pending.';

CREATE OR REPLACE FUNCTION push.holders_of_snapshots()
RETURNS TABLE (
    kind         text,
    holder       text,
    who          text,
    application  text,
    since        timestamptz,
    transactions int,
    remedy       text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    -- Runs as the owner of the schema, because a dashboard's role does not see the sessions of others. So it shows no
    -- text of a statement. Sessions of other databases do not hold back the vacuum of our tables.
    RETURN QUERY
    SELECT h.*
      FROM (SELECT 'session',
                   a.pid::text,
                   a.usename::text,
                   a.application_name,
                   coalesce(a.xact_start, a.backend_start),
                   age(coalesce(a.backend_xmin, a.backend_xid)),
                   format('SELECT pg_terminate_backend(%s)', a.pid)
                       || CASE
                              WHEN a.state LIKE 'idle in%' THEN '; set idle_in_transaction_session_timeout'
                              ELSE ''
                          END
              FROM pg_stat_activity a
             WHERE a.datname = current_database()
               AND a.pid <> pg_backend_pid()
               -- The VACUUM of the autovacuum holds nothing back, and its ANALYZE ends by itself.
               AND a.backend_type NOT IN ('walsender', 'autovacuum worker')
               AND coalesce(a.backend_xmin, a.backend_xid) IS NOT NULL
            UNION ALL
            SELECT 'prepared transaction',
                   p.gid,
                   p.owner::text,
                   NULL,
                   p.prepared,
                   age(p.transaction),
                   format('ROLLBACK PREPARED %L, or COMMIT PREPARED', p.gid)
              FROM pg_prepared_xacts p
             WHERE p.database = current_database()
            UNION ALL
            SELECT 'replication slot',
                   s.slot_name::text,
                   NULL,
                   s.plugin::text,
                   NULL,
                   age(s.xmin),
                   CASE
                       WHEN s.active
                       THEN 'its standby holds it (hot_standby_feedback): look for a long query there'
                       ELSE format('SELECT pg_drop_replication_slot(%L), if it is unused', s.slot_name)
                   END
              FROM pg_replication_slots s
             WHERE s.xmin IS NOT NULL
            UNION ALL
            SELECT 'log',
                   s.slot_name::text,
                   NULL,
                   s.plugin::text,
                   NULL,
                   NULL::int,
                   format('nobody reads this slot, so the server keeps %s of WAL for it, until its disk is full: '
                          'SELECT pg_drop_replication_slot(%L), if it is unused', pg_size_pretty(w.bytes), s.slot_name)
              FROM pg_replication_slots s,
                   pg_wal_lsn_diff(CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_lsn() END, s.restart_lsn) w(bytes)
             WHERE NOT s.active
               AND w.bytes > 1 << 30
            UNION ALL
            SELECT 'standby',
                   r.pid::text,
                   r.usename::text,
                   r.application_name,
                   r.backend_start,
                   age(r.backend_xmin),
                   'look for a long query there (hot_standby_feedback)'
              FROM pg_stat_replication r
             WHERE r.backend_xmin IS NOT NULL
            UNION ALL
            SELECT DISTINCT 'results',
                   a.pid::text,
                   a.usename::text,
                   a.application_name,
                   a.xact_start,
                   NULL::int,
                   format('commit or roll back there, or SELECT pg_terminate_backend(%s): push.ended_since, '
                          'push.gone_targets_after and push.run_events_since stop at what it has changed', a.pid)
              FROM push_internal.open_arrivals() o
                   JOIN pg_stat_activity a ON a.pid = o.pid
             WHERE a.pid <> pg_backend_pid()
            UNION ALL
            SELECT 'hidden',
                   count(*)::text,
                   NULL,
                   NULL,
                   NULL,
                   NULL,
                   format('GRANT pg_read_all_stats TO %I, to see the sessions of other roles here', current_user)
              FROM pg_stat_activity a
             WHERE a.datname = current_database()
               AND NOT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')
               AND NOT pg_has_role(current_user, a.usesysid, 'USAGE')
            HAVING count(*) > 0) h(kind, holder, who, application, since, transactions, remedy)
     ORDER BY h.transactions DESC NULLS LAST, h.since;
END $$;
COMMENT ON FUNCTION push.holders_of_snapshots IS 'The rows of push.snapshot_holders.';

CREATE OR REPLACE VIEW push.snapshot_holders AS
SELECT s.kind,
       s.holder,
       s.who,
       s.application,
       s.since,
       now() - s.since AS held,
       s.transactions,
       s.remedy
  FROM push.holders_of_snapshots() s;
COMMENT ON VIEW push.snapshot_holders IS
    'What keeps vacuum from removing dead rows of this database, the oldest first, and which open transactions the '
    'readers of results wait for. A queue stays fast under an old snapshot, but its tables grow until it ends.';
COMMENT ON COLUMN push.snapshot_holders.kind IS
    'session, prepared transaction, replication slot or standby; log: a slot that nobody reads and for which the server keeps '
    'more than 1 GB of WAL; results: a session behind whose '
    'transaction push.ended_since, push.gone_targets_after and push.run_events_since wait; hidden: sessions that the owner of the schema may not see.';
COMMENT ON COLUMN push.snapshot_holders.holder IS
    'Process id, name of the prepared transaction or of the slot; for hidden, how many sessions.';
COMMENT ON COLUMN push.snapshot_holders.who IS 'Role of the session; null: not known.';
COMMENT ON COLUMN push.snapshot_holders.application IS
    'application_name of the session, or plugin of the slot; null: not known.';
COMMENT ON COLUMN push.snapshot_holders.since IS 'When its transaction began; null: not known.';
COMMENT ON COLUMN push.snapshot_holders.held IS 'Time since then; null: not known.';
COMMENT ON COLUMN push.snapshot_holders.transactions IS
    'Transactions begun since: their dead rows cannot be removed. Null: not known.';
COMMENT ON COLUMN push.snapshot_holders.remedy IS 'What ends it: a statement, or where to look.';
