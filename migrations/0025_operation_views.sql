-- Fanfare, migration 25: Views for operations: backlog, workers, throughput, hubs, and what holds back vacuum.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE VIEW push.backlog AS
SELECT h.name AS hub, d.priority, count(*) FILTER (WHERE d.due_at <= now()) AS due, count(*) FILTER (WHERE d.due_at > now()) AS later,
       count(*) FILTER (WHERE d.attempt > 0) AS retrying, min(d.due_at) AS oldest, now() - min(d.due_at) FILTER (WHERE d.due_at <= now()) AS waiting
  FROM push.due d JOIN push.hub h ON h.id = d.hub GROUP BY h.name, d.priority;
COMMENT ON VIEW push.backlog IS 'What is pending per hub and priority. Translations of one content count once.';
COMMENT ON COLUMN push.backlog.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.backlog.priority IS '0 urgent, 1 normal, 2 bulk.';
COMMENT ON COLUMN push.backlog.due IS 'Pointers that are due now.';
COMMENT ON COLUMN push.backlog.later IS 'Pointers that are scheduled, or wait for another try.';
COMMENT ON COLUMN push.backlog.retrying IS 'Pointers of messages that were tried before.';
COMMENT ON COLUMN push.backlog.oldest IS 'The earliest due_at.';
COMMENT ON COLUMN push.backlog.waiting IS 'How long the oldest due pointer has waited; null: none is due.';

CREATE VIEW push.workers AS
SELECT w.id, w.name, w.version, w.started_at, now() - w.beat_at AS last_beat, w.doing,
       count(c.id) AS claims, coalesce(sum(cardinality(c.ids)), 0) AS messages
  FROM push.worker w LEFT JOIN push.claim c ON c.worker = w.id GROUP BY w.id;
COMMENT ON VIEW push.workers IS 'Workers and what they hold.';
COMMENT ON COLUMN push.workers.id IS 'Number of the worker: push.worker.id.';
COMMENT ON COLUMN push.workers.name IS 'Host and process id: host/pid.';
COMMENT ON COLUMN push.workers.version IS 'Version of fanfare.';
COMMENT ON COLUMN push.workers.started_at IS 'When the worker registered.';
COMMENT ON COLUMN push.workers.last_beat IS 'Time since its last heartbeat.';
COMMENT ON COLUMN push.workers.doing IS 'What the worker is doing, in one line of its own; null: no heartbeat yet.';
COMMENT ON COLUMN push.workers.claims IS 'Claims it holds.';
COMMENT ON COLUMN push.workers.messages IS 'Messages in these claims.';

CREATE VIEW push.throughput AS
SELECT h.name AS hub, t.minute, t.status, t.reason, t.n AS messages
  FROM push.tally t JOIN push.hub h ON h.id = t.hub;
COMMENT ON VIEW push.throughput IS
    'Results per hub and minute, counted as they are written, so that asking never scans results.';
COMMENT ON COLUMN push.throughput.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.throughput.minute IS
    'Start of the minute; exact time for results that an enqueuing backend wrote (push.tally.minute).';
COMMENT ON COLUMN push.throughput.status IS 'retrying, or a final status.';
COMMENT ON COLUMN push.throughput.reason IS 'Why; push.reason_class(reason) names who must act.';
COMMENT ON COLUMN push.throughput.messages IS
    'Results written in that minute. A message that was retried counts again.';

CREATE VIEW push.hub_health AS
SELECT h.name AS hub,
       CASE WHEN s.paused_by IS NOT NULL THEN 'paused' WHEN s.held_since IS NOT NULL THEN 'held' WHEN s.gate_until > now() THEN 'gate closed'
            WHEN s.broken_until > now() THEN 'failing' ELSE 'open' END AS state,
       coalesce('paused by ' || s.paused_by, s.hold_reason, CASE WHEN s.gate_until > now() THEN 'the hub asked to wait' WHEN s.broken_until > now() THEN s.broken_why END) AS why,
       coalesce(s.held_since, s.changed_at) AS since, CASE WHEN s.gate_until > now() THEN s.gate_until END AS gate_until, s.probe_at AS next_probe,
       b.due, b.later, now() - b.oldest AS waiting,
       CASE WHEN coalesce(v.workers, 0) = 0 THEN 'no worker serves this hub' END AS worker, coalesce(v.workers, 0) AS workers,
       coalesce(s.key, 'primary') AS key, s.key_since, s.key_reason, v.token_expires_at,
       v."window", v.in_flight, v.answers_per_second,
       nullif(coalesce(s.rate, (h.settings ->> 'ratePerSecond')::real), 0) AS rate, s.rate IS NOT NULL AS rate_set, v.skew_seconds,
       nullif(c.speed, 0) AS speed, CASE WHEN c.grown IS NOT NULL THEN s.slowed_why END AS speed_why, CASE WHEN c.grown IS NOT NULL THEN s.slowed_at END AS slowed_at
  FROM push.hub h LEFT JOIN push.hub_state s ON s.hub = h.id
       LEFT JOIN LATERAL (SELECT count(*) FILTER (WHERE d.due_at <= now()) AS due, count(*) FILTER (WHERE d.due_at > now()) AS later,
                                 min(d.due_at) FILTER (WHERE d.due_at <= now()) AS oldest
                            FROM push.due d WHERE d.hub = h.id) b ON true
       LEFT JOIN LATERAL (SELECT count(*) AS workers, min(v.token_expires_at) AS token_expires_at, sum(v."window") AS "window", sum(v.in_flight) AS in_flight,
                                 sum(v.rate) AS answers_per_second, max(v.skew_seconds) FILTER (WHERE abs(v.skew_seconds) = v.furthest) AS skew_seconds
                            FROM (SELECT v.*, max(abs(v.skew_seconds)) OVER () AS furthest
                                    FROM push.serving v JOIN push.worker w ON w.id = v.worker
                                   WHERE v.hub = h.id AND w.beat_at > now() - interval '30 seconds') v) v ON true
       LEFT JOIN LATERAL (SELECT push.speed(coalesce(s.rate, (h.settings ->> 'ratePerSecond')::double precision, 0), s.slowed_to, extract(epoch FROM now() - s.slowed_at)::double precision) AS speed,
                                 push.grown(s.slowed_to, extract(epoch FROM now() - s.slowed_at)::double precision) AS grown) c ON true;
COMMENT ON VIEW push.hub_health IS 'Whether each hub takes posts now, why not, and which workers serve it.';
COMMENT ON COLUMN push.hub_health.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.hub_health.state IS
    'open, failing (posts of some worker do not get through), gate closed, held or paused.';
COMMENT ON COLUMN push.hub_health.why IS 'Why it is not open; null: it is.';
COMMENT ON COLUMN push.hub_health.since IS
    'When the hub was held, else when gate, pause or breaker last changed; null: no state yet.';
COMMENT ON COLUMN push.hub_health.gate_until IS
    'When a closed gate opens; push.open_gate opens it now. Null: not closed.';
COMMENT ON COLUMN push.hub_health.next_probe IS 'When the next message is tried on a held hub; null: not held.';
COMMENT ON COLUMN push.hub_health.due IS 'Pointers that are due now. Translations of one content count once.';
COMMENT ON COLUMN push.hub_health.later IS 'Pointers that are due later.';
COMMENT ON COLUMN push.hub_health.waiting IS 'How long the oldest due pointer has waited; null: none is due.';
COMMENT ON COLUMN push.hub_health.worker IS 'The text "no worker serves this hub"; null: at least one does.';
COMMENT ON COLUMN push.hub_health.workers IS 'Workers that serve it, with a heartbeat in the last 30 seconds.';
COMMENT ON COLUMN push.hub_health.key IS 'The key that workers sign with: primary or secondary.';
COMMENT ON COLUMN push.hub_health.key_since IS 'When the key was last changed; null: never.';
COMMENT ON COLUMN push.hub_health.key_reason IS
    'Who changed the key, or what the hub said about the other one; null: it was never changed.';
COMMENT ON COLUMN push.hub_health.token_expires_at IS
    'When the first of the workers'' tokens expires; they sign new ones before that. Null: no token yet.';
COMMENT ON COLUMN push.hub_health."window" IS
    'Posts that all workers together may have in flight now; null: no worker.';
COMMENT ON COLUMN push.hub_health.in_flight IS 'Posts they have in flight; null: no worker.';
COMMENT ON COLUMN push.hub_health.answers_per_second IS 'Answers per second they got of late; null: no worker.';
COMMENT ON COLUMN push.hub_health.rate IS 'Posts per second at most, over all workers; null: no limit.';
COMMENT ON COLUMN push.hub_health.speed IS
    'Posts per second at most, over all workers, at this moment: the rate, or less for three minutes after the hub '
    'throttled, doubling every 30 seconds. Null: no limit.';
COMMENT ON COLUMN push.hub_health.speed_why IS
    'What the hub said when it throttled; null: it did not in the last three minutes.';
COMMENT ON COLUMN push.hub_health.slowed_at IS 'When the hub throttled; null: it did not in the last three minutes.';
COMMENT ON COLUMN push.hub_health.rate_set IS
    'Whether push.set_rate set the rate; otherwise it is ratePerSecond of the configuration.';
COMMENT ON COLUMN push.hub_health.skew_seconds IS
    'Seconds the clock of the worker that is furthest off is ahead of the hub''s (negative: behind); null: not known.';

CREATE FUNCTION push.holders_of_snapshots()
RETURNS TABLE (kind text, holder text, who text, application text, since timestamptz, transactions int, mend text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    -- Runs as the owner of the schema, because a dashboard's role does not see the sessions of others. So it shows no
    -- text of a statement. Sessions of other databases do not hold back the vacuum of our tables.
    RETURN QUERY
    SELECT * FROM (
        SELECT 'session', a.pid::text, a.usename::text, a.application_name, coalesce(a.xact_start, a.backend_start), age(coalesce(a.backend_xmin, a.backend_xid)),
               format('SELECT pg_terminate_backend(%s)%s', a.pid, CASE WHEN a.state LIKE 'idle in%' THEN '; set idle_in_transaction_session_timeout' ELSE '' END)
          FROM pg_stat_activity a
         WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.backend_type <> 'walsender' AND coalesce(a.backend_xmin, a.backend_xid) IS NOT NULL
        UNION ALL
        SELECT 'prepared transaction', p.gid, p.owner::text, NULL, p.prepared, age(p.transaction), format('ROLLBACK PREPARED %L, or COMMIT PREPARED', p.gid)
          FROM pg_prepared_xacts p WHERE p.database = current_database()
        UNION ALL
        SELECT 'replication slot', s.slot_name::text, NULL, s.plugin::text, NULL, age(s.xmin),
               CASE WHEN s.active THEN 'its standby holds it (hot_standby_feedback): look for a long query there' ELSE format('SELECT pg_drop_replication_slot(%L), if it is unused', s.slot_name) END
          FROM pg_replication_slots s WHERE s.xmin IS NOT NULL
        UNION ALL
        SELECT 'standby', r.pid::text, r.usename::text, r.application_name, r.backend_start, age(r.backend_xmin), 'look for a long query there (hot_standby_feedback)'
          FROM pg_stat_replication r WHERE r.backend_xmin IS NOT NULL
        UNION ALL
        SELECT 'hidden', count(*)::text, NULL, NULL, NULL, NULL, format('GRANT pg_read_all_stats TO %I, to see the sessions of other roles here', current_user)
          FROM pg_stat_activity a
         WHERE a.datname = current_database() AND NOT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AND NOT pg_has_role(current_user, a.usesysid, 'USAGE')
        HAVING count(*) > 0) h(kind, holder, who, application, since, transactions, mend)
     ORDER BY h.transactions DESC NULLS LAST, h.since;
END $$;
COMMENT ON FUNCTION push.holders_of_snapshots IS 'The rows of push.snapshot_holders.';

CREATE VIEW push.snapshot_holders AS
SELECT kind, holder, who, application, since, now() - since AS held, transactions, mend FROM push.holders_of_snapshots();
COMMENT ON VIEW push.snapshot_holders IS
    'What keeps vacuum from removing dead rows of this database, the oldest first. A queue stays fast under an old '
    'snapshot, but its tables grow until it ends.';
COMMENT ON COLUMN push.snapshot_holders.kind IS
    'session, prepared transaction, replication slot or standby; hidden: sessions that the owner of the schema may '
    'not see.';
COMMENT ON COLUMN push.snapshot_holders.holder IS
    'Process id, name of the prepared transaction or of the slot; for hidden, how many sessions.';
COMMENT ON COLUMN push.snapshot_holders.who IS 'Role of the session; null: not known.';
COMMENT ON COLUMN push.snapshot_holders.application IS
    'application_name of the session, or plugin of the slot; null: not known.';
COMMENT ON COLUMN push.snapshot_holders.since IS 'When its transaction began; null: not known.';
COMMENT ON COLUMN push.snapshot_holders.held IS 'Time since then; null: not known.';
COMMENT ON COLUMN push.snapshot_holders.transactions IS
    'Transactions begun since: their dead rows cannot be removed. Null: not known.';
COMMENT ON COLUMN push.snapshot_holders.mend IS 'What ends it: a statement, or where to look.';

INSERT INTO push.migration (version, name) VALUES (25, 'operation_views');
