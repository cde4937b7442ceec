-- Fanfare, migration 5: for operations. Views of failures, throughput and hubs, and of what holds back vacuum;
-- functions that act on a hub, or on many messages. Every action is written to push.audit.
--
-- A function that acts on many messages does one batch per call and returns where to continue (next; null: done). So no
-- transaction is long, and a person sees the progress and can stop it.

SELECT pg_advisory_xact_lock(7310868735422034533);
SET LOCAL lock_timeout = '5s';

-- Looking -------------------------------------------------------------------------------------------------------------

CREATE INDEX result_failed ON push.result (at, id) WHERE status IN ('rejected', 'expired');
COMMENT ON INDEX push.result_failed IS
    'Failures by time, for push.recent_failures and push.retry: few rows among millions, and accepted results cost '
    'nothing.';
COMMENT ON INDEX push.result_of_message IS 'The results of one message.';
COMMENT ON INDEX push.result_in_doubt IS 'For push.in_doubt: few rows among millions, looked for often.';

CREATE VIEW push.recent_failures AS
SELECT r.id, m.hub, push.target_of(m.tag, m.handles, m.broadcast) AS target,
       m.locale, r.status, r.reason, push.reason_class(r.reason) AS class, r.at, coalesce(r.note, a.error) AS note,
       nullif(r.post, r.post / 10000 * 10000) AS post, a.http, a.tracking_id, m.campaign, m.run, m.tenant
  FROM push.result r,
       LATERAL (SELECT hub, tag, handles, broadcast, locale, campaign, run, tenant FROM push.message m WHERE m.id = r.id OFFSET 0) m
       LEFT JOIN LATERAL (SELECT http, tracking_id, error FROM push.answer a WHERE a.post = r.post OFFSET 0) a ON true
 WHERE r.status IN ('rejected', 'expired') AND r.at > now() - interval '24 hours'
   AND NOT EXISTS (SELECT FROM push.result n WHERE n.id = r.id AND n.at > r.at OFFSET 0)
 ORDER BY r.at DESC;
COMMENT ON VIEW push.recent_failures IS
    'Messages that failed for good in the last 24 hours, newest first, without those that were sent again since. Send '
    'again with push.retry.';
COMMENT ON COLUMN push.recent_failures.id IS 'The message: push.message.id.';
COMMENT ON COLUMN push.recent_failures.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.recent_failures.target IS 'The tag or expression, how many handles, or (everyone).';
COMMENT ON COLUMN push.recent_failures.locale IS 'Language of the content; null: it has none.';
COMMENT ON COLUMN push.recent_failures.status IS 'rejected or expired.';
COMMENT ON COLUMN push.recent_failures.reason IS 'Why it failed.';
COMMENT ON COLUMN push.recent_failures.class IS
    'Who must act on the reason: content, target, credentials, provider, network, policy.';
COMMENT ON COLUMN push.recent_failures.at IS 'When it failed.';
COMMENT ON COLUMN push.recent_failures.note IS
    'What was wrong and what to do; else what the hub said. Null: nothing is known.';
COMMENT ON COLUMN push.recent_failures.post IS 'The post that decided it; null: it failed without one.';
COMMENT ON COLUMN push.recent_failures.http IS 'HTTP status of that post''s answer; null: no answer.';
COMMENT ON COLUMN push.recent_failures.tracking_id IS
    'The hub''s id of the request, which its support asks for; null: no answer, or none in it.';
COMMENT ON COLUMN push.recent_failures.campaign IS 'push.message.campaign.';
COMMENT ON COLUMN push.recent_failures.run IS 'push.message.run.';
COMMENT ON COLUMN push.recent_failures.tenant IS 'push.message.tenant.';

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

CREATE FUNCTION push.hub_of(hub text, hint text DEFAULT 'SELECT name FROM push.hub') RETURNS smallint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE number smallint := (SELECT h.id FROM push.hub h WHERE h.name = $1);
BEGIN
    IF number IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('hub %s is not registered', coalesce('"' || $1 || '"', 'NULL')), HINT = $2;
    END IF;
    RETURN number;
END $$;
COMMENT ON FUNCTION push.hub_of IS 'The number of a hub; raises when no hub has that name. Only for other functions.';

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

-- Acting on a hub -----------------------------------------------------------------------------------------------------

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

CREATE FUNCTION push.rescue(worker int, force boolean DEFAULT false, OUT claims int, OUT returned int, OUT doubted int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE seen push.worker;
BEGIN
    SELECT w.* INTO seen FROM push.worker w WHERE w.id = $1;
    IF NOT FOUND AND NOT EXISTS (SELECT FROM push.claim c WHERE c.worker = $1) THEN
        RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('there is no worker %s', coalesce($1::text, 'NULL')), HINT = 'SELECT id, name, last_beat FROM push.workers';
    END IF;
    IF seen.beat_at > clock_timestamp() - interval '30 seconds' AND force IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'object_in_use',
            MESSAGE = format('worker %s (%s) is alive: its last heartbeat was %s s ago', $1, seen.name, greatest(0, round(extract(epoch FROM clock_timestamp() - seen.beat_at), 1))),
            HINT = format('Stop it, and it leaves nothing behind. SELECT push.rescue(%s, force => true) takes everything from it at once; what it is posting ends in doubt.', $1);
    END IF;
    SELECT * INTO claims, returned, doubted FROM push.rescue_v1($1);
    INSERT INTO push.audit (action, detail) VALUES ('rescue', json_build_object('worker', $1, 'name', seen.name, 'force', force, 'claims', claims, 'returned', returned, 'doubted', doubted));
END $$;
COMMENT ON FUNCTION push.rescue IS
    'Takes everything from a dead worker, without waiting for another worker to notice: messages in no post are due '
    'again, messages in an unanswered post are in doubt. Fails for a worker with a heartbeat in the last 30 seconds, '
    'unless forced.';

-- Acting on many messages ---------------------------------------------------------------------------------------------

CREATE FUNCTION push.cancel(campaign text, run text DEFAULT NULL, after text DEFAULT NULL, batch int DEFAULT 10000,
                            OUT cancelled bigint, OUT too_late bigint, OUT next text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    -- Where the last call stopped: whether anything was cancelled in this pass, the last pointer it saw (hub, priority,
    -- due_at in microseconds, id), the last claim (-1: still at the pointers), and how many were too late.
    mark bigint[] := coalesce(string_to_array(nullif($3, ''), '/')::bigint[], '{0,-32768,-32768,-9000000000000000,0,-1,0}');
    walked record; held record; mine bigint[]; wire bigint[]; seen bigint := 0;
BEGIN
    IF $1 IS NULL OR $4 IS NULL OR $4 NOT BETWEEN 1 AND 100000 OR cardinality(mark) <> 7 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'push.cancel: a campaign, and a batch of 1 to 100000',
            HINT = 'SELECT * FROM push.cancel(campaign => ''spring'', run => ''2027-03-01''), again with after => next until next is null.';
    END IF;
    cancelled := 0;
    too_late := 0;
    -- 1. Pointers, in the order of their index: messages that are scheduled, due, or wait for another try.
    IF mark[6] < 0 THEN
        WITH walk AS MATERIALIZED (
            SELECT d.ctid AS row, d.hub, d.priority, d.due_at, d.id, d.keyed, d.translations FROM push.due d
             WHERE (d.hub, d.priority, d.due_at, d.id) > (mark[2]::smallint, mark[3]::smallint, 'epoch'::timestamptz + mark[4] * interval '1 us', mark[5])
             ORDER BY d.hub, d.priority, d.due_at, d.id LIMIT $4
        ), content AS MATERIALIZED (             -- translations may belong to several campaigns
            SELECT w.row, w.id, bool_and(m.hit) AS whole, bool_or(m.hit) AS part
              FROM walk w, LATERAL (SELECT w.id WHERE NOT w.translations UNION ALL SELECT t.id FROM push.translation t WHERE w.translations AND t.lead = w.id) u(id),
                   LATERAL (SELECT coalesce(m.campaign = $1 AND ($2 IS NULL OR m.run = $2), false) AS hit FROM push.message m WHERE m.id = u.id OFFSET 0) m
             WHERE NOT w.keyed GROUP BY w.row, w.id
        ), gone AS MATERIALIZED (
            DELETE FROM push.due d WHERE d.ctid = ANY (ARRAY(SELECT row FROM content WHERE whole)) RETURNING d.hub, d.id, d.translations
        ), every AS MATERIALIZED (
            SELECT g.hub, g.id FROM gone g WHERE NOT g.translations
            UNION ALL
            SELECT g.hub, t.id FROM gone g, LATERAL (SELECT id FROM push.translation t WHERE t.lead = g.id OFFSET 0) t WHERE g.translations
        ), results AS (
            INSERT INTO push.result (id, status, reason) SELECT id, 'cancelled', 'cancelled_by_caller' FROM every
        ), counted AS (
            INSERT INTO push.tally AS t (hub, minute, status, reason, n)
            SELECT hub, date_trunc('minute', clock_timestamp()), 'cancelled', 'cancelled_by_caller', count(*) FROM every GROUP BY 1 ORDER BY 1
                ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n
        )
        SELECT (SELECT count(*) FROM every) AS n, (SELECT count(*) FROM walk) AS seen, ARRAY(SELECT w.id FROM walk w WHERE w.keyed) AS keyed,
               ARRAY(SELECT c.id FROM content c WHERE c.part AND NOT c.whole) AS mixed, l.* INTO walked
          FROM (SELECT 1) one LEFT JOIN (SELECT w.hub, w.priority, w.due_at, w.id FROM walk w ORDER BY 1 DESC, 2 DESC, 3 DESC, 4 DESC LIMIT 1) l ON true;
        cancelled := walked.n;
        FOR held IN         -- one by one: contents that wait for translations, because gathering may hold them; and single translations
            SELECT k.id FROM (SELECT k.id FROM unnest(walked.keyed) u(lead), LATERAL (SELECT k.id FROM push.content k WHERE k.lead = u.lead OFFSET 0) k
                              UNION ALL SELECT t.id FROM unnest(walked.mixed) u(lead), LATERAL (SELECT t.id FROM push.translation t WHERE t.lead = u.lead OFFSET 0) t) k,
                   LATERAL (SELECT m.campaign, m.run FROM push.message m WHERE m.id = k.id OFFSET 0) m
             WHERE m.campaign = $1 AND ($2 IS NULL OR m.run = $2) AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = k.id AND r.status <> 'retrying' OFFSET 0) ORDER BY k.id
        LOOP
            cancelled := cancelled + (push.stop(held.id) = 'cancelled')::int;
        END LOOP;
        mark[1] := greatest(mark[1], (cancelled > 0)::int);
        IF walked.seen = $4 THEN
            next := concat_ws('/', mark[1], walked.hub, walked.priority, (extract(epoch FROM walked.due_at) * 1000000)::bigint, walked.id, -1, 0);
        ELSE
            mark[6] := 0;
        END IF;
    END IF;
    IF mark[6] >= 0 THEN
        -- 2. After the pointers, what workers hold: one claim at a time and few per call, because nothing of a claim is
        -- posted or recorded while we hold it. What workers gave back meanwhile lies in front of the mark, so if this
        -- pass cancelled anything, another pass follows. Messages on the wire are counted in the last pass.
        FOR held IN SELECT c.id FROM push.claim c WHERE c.id > mark[6] ORDER BY c.id LIMIT 50 LOOP
            mark[6] := held.id;
            mine := ARRAY(SELECT u.id FROM push.claim c, unnest(c.ids) u(id), LATERAL (SELECT m.campaign, m.run FROM push.message m WHERE m.id = u.id OFFSET 0) m
                           WHERE c.id = held.id AND m.campaign = $1 AND ($2 IS NULL OR m.run = $2));
            IF mine <> '{}' THEN
                PERFORM FROM push.claim c WHERE c.id = held.id FOR NO KEY UPDATE;
                -- Separate statements: they see all that got the lock before us.
                SELECT ARRAY(SELECT u.id FROM unnest(mine) u(id)
                              WHERE NOT u.id = ANY (c.cancelled) AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = u.id AND r.post / 10000 = c.id OFFSET 0)) INTO mine
                  FROM push.claim c WHERE c.id = held.id;
                wire := ARRAY(SELECT u.id FROM push.post p, unnest(p.ids) u(id)      -- an answered post that decided nothing was split
                               WHERE p.id > held.id * 10000 AND p.id < (held.id + 1) * 10000 AND NOT EXISTS (SELECT FROM push.answer a WHERE a.post = p.id OFFSET 0));
                IF cardinality(mine) > 0 THEN
                    seen := seen + cardinality(mine);
                    too_late := too_late + cardinality(mine);
                    mine := ARRAY(SELECT unnest(mine) EXCEPT SELECT unnest(wire));
                    too_late := too_late - cardinality(mine);
                    UPDATE push.claim c SET cancelled = c.cancelled || mine WHERE c.id = held.id AND mine <> '{}';
                    INSERT INTO push.result (id, post, status, reason) SELECT u, held.id * 10000, 'cancelled', 'cancelled_by_caller' FROM unnest(mine) u;
                    INSERT INTO push.tally AS t (hub, minute, status, reason, n)
                    SELECT c.hub, date_trunc('minute', clock_timestamp()), 'cancelled', 'cancelled_by_caller', cardinality(mine) FROM push.claim c WHERE c.id = held.id AND mine <> '{}'
                        ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n;
                    cancelled := cancelled + cardinality(mine);
                END IF;
            END IF;
            EXIT WHEN seen >= least($4, 5000);
        END LOOP;
        mark[1] := greatest(mark[1], (cancelled > 0)::int);
        mark[7] := mark[7] + too_late;
        too_late := 0;
        IF EXISTS (SELECT FROM push.claim c WHERE c.id > mark[6]) THEN
            next := array_to_string(mark, '/');
        ELSIF mark[1] > 0 THEN
            next := '0/-32768/-32768/-9000000000000000/0/-1/0';
        ELSE
            too_late := mark[7];
        END IF;
    END IF;
    IF $3 IS NULL AND $2 IS NULL AND cancelled + too_late = 0 AND $1 ~ '^[0-9]{1,18}$' THEN
        -- A driver that sends untyped parameters calls this function with push.cancel($1), not push.cancel(bigint).
        IF EXISTS (SELECT FROM push.message m WHERE m.id = $1::bigint) THEN
            RAISE EXCEPTION USING ERRCODE = 'ambiguous_parameter', MESSAGE = format('push.cancel: "%s" is text, so it would name a campaign, and there is a message %s', $1, $1),
                HINT = format('To cancel message %s write push.cancel(%s::bigint); if a campaign is meant, begin with after => ''''.', $1, $1);
        END IF;
    END IF;
    IF $3 IS NULL OR cancelled + too_late > 0 THEN
        INSERT INTO push.audit (action, detail) VALUES ('cancel', json_build_object('campaign', $1, 'run', $2, 'cancelled', cancelled, 'too_late', too_late));
    END IF;
END $$;
COMMENT ON FUNCTION push.cancel(text, text, text, int) IS
    'Stops the messages of a campaign, or of one run of it, that are not posted yet. One call looks at one batch of '
    'what is pending: call it again with after => next until next is null. too_late: messages that are on the wire at '
    'the end; messages that were final before are not counted.';

CREATE FUNCTION push.again(ids bigint[], OUT retried int) RETURNS int
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE them bigint[] := push.with_translations($1);
BEGIN
    -- Two callers at once: the first to lock the failure sends it again. The second finds that done, because the next
    -- statement has a new snapshot.
    PERFORM push.require_read_committed('push.retry');
    PERFORM FROM push.result r WHERE r.id = ANY (them) AND r.status IN ('rejected', 'expired') ORDER BY r.id FOR UPDATE;
    WITH f AS MATERIALIZED (
        SELECT u.id, h.id AS hub, m.priority, clock_timestamp() AS at
          FROM unnest(them) u(id), LATERAL (SELECT m.hub, m.priority FROM push.message m WHERE m.id = u.id OFFSET 0) m,
               LATERAL (SELECT h.id FROM push.hub h WHERE h.name = m.hub OFFSET 0) h,
               LATERAL (SELECT r.status, r.reason FROM push.result r WHERE r.id = u.id ORDER BY r.at DESC LIMIT 1) r
         WHERE r.status IN ('rejected', 'expired') AND r.reason <> 'late_translation'     -- its content was already sent
           -- Translations are sent together: while one of them is pending, none may leave alone.
           AND NOT EXISTS (SELECT FROM push.translation t, LATERAL (SELECT s.id FROM push.translation s WHERE s.lead = t.lead OFFSET 0) s
                            WHERE t.id = u.id AND coalesce((SELECT n.status FROM push.result n WHERE n.id = s.id ORDER BY n.at DESC LIMIT 1), 'retrying') = 'retrying' OFFSET 0)
    ), results AS (
        INSERT INTO push.result (id, at, due_at, status, reason, note) SELECT id, at, at, 'retrying', 'resolved', 'sent again by ' || session_user FROM f
    ), back AS MATERIALIZED (            -- attempt 0 of a new life: see push.life_v1
        SELECT push.back_v1(array_agg(hub), array_agg(priority), array_agg(id), array_agg(16384::smallint), array_agg(at)) FROM f HAVING count(*) > 0
    ), counted AS (
        INSERT INTO push.tally AS t (hub, minute, status, reason, n)
        SELECT hub, date_trunc('minute', clock_timestamp()), 'retrying', 'resolved', count(*) FROM f GROUP BY 1 ORDER BY 1
            ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n
    )
    SELECT count(*) + 0 * (SELECT count(*) FROM back) INTO retried FROM f;
END $$;
COMMENT ON FUNCTION push.again IS 'What push.retry does, without the audit. Only for other functions.';

CREATE FUNCTION push.retry(ids bigint[]) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE retried int := push.again($1);
BEGIN
    INSERT INTO push.audit (action, detail) VALUES ('retry', json_build_object('ids', to_json($1), 'messages', retried));
    RETURN retried;
END $$;
COMMENT ON FUNCTION push.retry(bigint[]) IS
    'Sends messages again that failed for good (rejected, expired): ten new attempts, and the hub''s expire_after '
    'from now on. Translations of one content go together. Returns how many; the others had not failed, are in doubt '
    '(push.resolve), or are late translations.';

CREATE FUNCTION push.check_filter(fn text, reason text, since timestamptz, until timestamptz, batch int) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF $2 IS NOT NULL AND NOT $2 = ANY (enum_range(NULL::push.reason)::text[]) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.%s: reason %s is not known', $1, to_json($2)),
            HINT = 'Known: ' || array_to_string(enum_range(NULL::push.reason), ', ');
    ELSIF $3 > $4 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.%s: since is later than until', $1), HINT = 'Times are when the message got its result.';
    ELSIF $5 IS NULL OR $5 NOT BETWEEN 1 AND 100000 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.%s: a batch of %s', $1, coalesce($5::text, 'NULL')), HINT = '1 to 100000.';
    END IF;
END $$;
COMMENT ON FUNCTION push.check_filter IS
    'Raises for an unknown reason, an empty range of times or a batch out of range. Only for other functions.';

CREATE FUNCTION push.retry(hub text, reason text DEFAULT NULL, since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
                           after text DEFAULT NULL, batch int DEFAULT 10000, OUT retried bigint, OUT next text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    mark_at timestamptz := coalesce(split_part($5, '/', 1)::timestamptz, $3, '-infinity');
    mark_id bigint := coalesce(split_part($5, '/', 2)::bigint, 0);
    upto timestamptz := coalesce($4, 'infinity');
    walked record;
BEGIN
    PERFORM push.hub_of($1, 'For single messages: SELECT push.retry(ARRAY[1, 2]). Hubs: SELECT name FROM push.hub');
    PERFORM push.check_filter('retry', $2, $3, $4, $6);
    WITH walk AS MATERIALIZED (
        SELECT r.at, r.id, r.reason FROM push.result r
         WHERE r.status IN ('rejected', 'expired') AND (r.at, r.id) > (mark_at, mark_id) AND r.at <= upto ORDER BY r.at, r.id LIMIT $6
    )
    SELECT count(*) AS seen, array_agg(w.id) FILTER (WHERE ($2 IS NULL OR w.reason::text = $2) AND m.hub = $1) AS ids, max(w.at) AS at,
           (array_agg(w.id ORDER BY w.at DESC, w.id DESC))[1] AS id INTO walked
      FROM walk w, LATERAL (SELECT m.hub FROM push.message m WHERE m.id = w.id OFFSET 0) m;
    retried := coalesce(push.again(walked.ids), 0);
    IF walked.seen = $6 THEN next := walked.at || '/' || walked.id; END IF;
    IF $5 IS NULL OR retried > 0 THEN
        INSERT INTO push.audit (action, detail) VALUES ('retry', json_build_object('hub', $1, 'reason', $2, 'since', $3, 'until', $4, 'messages', retried));
    END IF;
END $$;
COMMENT ON FUNCTION push.retry(text, text, timestamptz, timestamptz, text, int) IS
    'Sends messages of a hub again that failed for good, by reason and by when they failed (since and until, both '
    'included; default: any time). One call looks at one batch of failures: call it again with after => next until '
    'next is null.';

CREATE FUNCTION push.resolve(hub text, decision text, reason text DEFAULT NULL, since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
                             after bigint DEFAULT 0, batch int DEFAULT 10000, OUT resolved bigint, OUT next bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE walked record;
BEGIN
    PERFORM push.hub_of($1, 'For single messages: SELECT push.resolve(ARRAY[1, 2], ''rejected''). Hubs: SELECT name FROM push.hub');
    PERFORM push.check_filter('resolve', $3, $4, $5, $7);
    WITH walk AS MATERIALIZED (
        SELECT r.id, r.reason, r.at FROM push.result r WHERE r.status = 'in_doubt' AND r.id > coalesce($6, 0) ORDER BY r.id LIMIT $7
    )
    SELECT count(*) AS seen, array_agg(w.id) FILTER (WHERE m.hub = $1 AND ($3 IS NULL OR w.reason::text = $3) AND w.at >= coalesce($4, '-infinity') AND w.at <= coalesce($5, 'infinity')) AS ids,
           max(w.id) AS last INTO walked
      FROM walk w, LATERAL (SELECT m.hub FROM push.message m WHERE m.id = w.id OFFSET 0) m;
    resolved := push.resolve(coalesce(walked.ids, '{}'), $2);
    IF walked.seen = $7 THEN next := walked.last; END IF;
END $$;
COMMENT ON FUNCTION push.resolve(text, text, text, timestamptz, timestamptz, bigint, int) IS
    'Decides messages of a hub that are in doubt, by reason (answer_lost, worker_lost) and by when they became so '
    '(since and until). One call looks at one batch: call it again with after => next until next is null.';

-- Retention -----------------------------------------------------------------------------------------------------------

CREATE FUNCTION push.open_ids(parent text, first bigint, last bigint, OUT n bigint, OUT example bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT count(*), min(o.id) INTO n, example FROM (
        SELECT d.id FROM push.due d WHERE parent IN ('message', 'result') AND d.id BETWEEN first AND last
        UNION ALL
        SELECT t.id FROM push.translation t, LATERAL (SELECT FROM push.due d WHERE d.id = t.lead AND d.translations) d
         WHERE parent IN ('message', 'result') AND t.id BETWEEN first AND last AND t.id <> t.lead
        UNION ALL
        SELECT k.id FROM push.due d, LATERAL (SELECT k.id FROM push.content k WHERE k.lead = d.id) k
         WHERE parent IN ('message', 'result') AND d.keyed AND k.id BETWEEN first AND last AND k.id <> d.id
        UNION ALL
        SELECT u.id FROM push.claim c, unnest(c.ids) u(id) WHERE parent IN ('message', 'result') AND u.id BETWEEN first AND last
        UNION ALL
        SELECT c.id FROM push.claim c WHERE parent IN ('post', 'answer') AND c.id * 10000 BETWEEN first - 9999 AND last
        UNION ALL          -- in doubt: a person or a late answer still needs the row
        SELECT r.id FROM push.result r
         WHERE r.status = 'in_doubt' AND (parent IN ('message', 'result') AND r.id BETWEEN first AND last OR parent IN ('post', 'answer') AND r.post BETWEEN first AND last)
           AND NOT EXISTS (SELECT FROM push.result x WHERE x.id = r.id AND x.at > r.at OFFSET 0)
    ) o;
END $$;
COMMENT ON FUNCTION push.open_ids IS
    'How many messages (or claims) that are not final lie in a range of ids, and one of them. Only for other '
    'functions.';

CREATE FUNCTION push.purge(older_than interval, batch int DEFAULT 10000, keep_audit interval DEFAULT '1 year')
RETURNS TABLE (what text, action text, n bigint, note text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms' AS $$
#variable_conflict use_column
DECLARE
    spec record; part record; first bigint; last bigint; reached bigint; newest timestamptz; open record; gone bigint; dropped text; kept text[] := '{}';
    cutoff timestamptz := clock_timestamp() - $1; oldest bigint;
BEGIN
    IF $1 IS NULL OR $1 < '1 day' OR $2 IS NULL OR $2 NOT BETWEEN 1 AND 1000000 OR $3 IS NULL OR $3 < '1 day' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.purge: older than %s, a batch of %s, audit of %s', coalesce($1::text, 'NULL'), coalesce($2::text, 'NULL'), coalesce($3::text, 'NULL')),
            HINT = 'At least one day, and 1 to 1000000 rows: SELECT * FROM push.purge(older_than => ''30 days''), again until no row says deleted or dropped.';
    END IF;

    -- 1. Rows, one batch of each kind. Old rows come first, so a batch is found without reading the rest.
    gone := push.forget_keys($2);
    IF gone > 0 THEN RETURN QUERY SELECT 'keys', 'deleted', gone, 'dedupe and content keys past the keep time of their hub'; END IF;

    DELETE FROM push.tally t WHERE t.ctid = ANY (ARRAY(SELECT t.ctid FROM push.tally t WHERE t.minute < cutoff LIMIT $2 FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS gone = ROW_COUNT;
    IF gone > 0 THEN RETURN QUERY SELECT 'tally', 'deleted', gone, 'minutes before ' || push.iso(cutoff); END IF;

    DELETE FROM push.audit a WHERE a.id = ANY (ARRAY(SELECT a.id FROM push.audit a WHERE a.at < clock_timestamp() - $3 ORDER BY a.id LIMIT $2));
    GET DIAGNOSTICS gone = ROW_COUNT;
    IF gone > 0 THEN RETURN QUERY SELECT 'audit', 'deleted', gone, 'entries before ' || push.iso(clock_timestamp() - $3); END IF;

    SELECT m.id INTO oldest FROM push.message m ORDER BY m.id LIMIT 1;        -- dropped partitions leave these behind
    DELETE FROM push.translation t WHERE t.id = ANY (ARRAY(SELECT t.id FROM push.translation t WHERE t.id < oldest / 4000000 * 4000000 ORDER BY t.id LIMIT $2));
    GET DIAGNOSTICS gone = ROW_COUNT;
    IF gone > 0 THEN RETURN QUERY SELECT 'translation', 'deleted', gone, 'of purged messages'; END IF;

    -- 2. Whole partitions, the oldest of each table first. One per call, because DETACH keeps its lock on the table
    -- until the call ends, and every INSERT waits for it.
    FOR spec IN SELECT * FROM (VALUES ('message', 'id', 'created_at', 4000000::bigint, 'push.message_id_seq'), ('result', 'id', 'at', 4000000, 'push.message_id_seq'),
                                      ('answer', 'post', 'at', 1000000000, 'push.claim_id'), ('post', 'id', 'at', 1000000000, 'push.claim_id')) s(parent, key, at, span, counter) LOOP
        reached := coalesce(pg_sequence_last_value(spec.counter::regclass), 0) * CASE WHEN spec.span > 4000000 THEN 10000 ELSE 1 END;
        FOR part IN EXECUTE format('SELECT substr(c.relname, length(%L) + 2)::bigint AS number, c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = %L::regclass AND c.relname ~ %L ORDER BY 1',
                                   spec.parent, 'push.' || spec.parent, '^' || spec.parent || '_[0-9]+$') LOOP
            first := part.number * spec.span;
            last := first + spec.span - 1;
            EXIT WHEN last >= reached;                                         -- in use now, or later
            IF dropped IS NOT NULL THEN                                        -- one per call
                EXIT;
            END IF;
            IF spec.parent = 'result' AND to_regclass('push.message_' || part.number) IS NOT NULL THEN CONTINUE; END IF;   -- messages first: a message without a result would look lost
            IF spec.parent = 'message' THEN                                    -- ids grow with time: look at the newest
                EXECUTE format('SELECT max(created_at) FROM (SELECT created_at FROM push.%I ORDER BY id DESC LIMIT 1000) m', part.name) INTO newest;
            ELSE
                EXECUTE format('SELECT max(at) FROM push.%I', part.name) INTO newest;
            END IF;
            IF newest >= cutoff THEN
                kept := kept || format('%s|is in use until %s', part.name, push.iso(newest + $1));
                EXIT;
            END IF;
            SELECT * INTO open FROM push.open_ids(spec.parent, first, last);
            IF open.n > 0 THEN                                                 -- one forgotten doubt must not keep all later partitions
                kept := kept || format('%s|%s not final, such as %s', part.name, open.n || CASE WHEN open.n = 1 THEN ' is' ELSE ' are' END, open.example);
                CONTINUE;
            END IF;
            dropped := part.name || '|' || spec.parent || '|' || first || '|' || last;
        END LOOP;
    END LOOP;
    RETURN QUERY SELECT split_part(k, '|', 1), 'kept', NULL::bigint, split_part(k, '|', 2) FROM unnest(kept) k;

    IF dropped IS NOT NULL THEN
        DECLARE name text := split_part(dropped, '|', 1); parent text := split_part(dropped, '|', 2);
        BEGIN
            first := split_part(dropped, '|', 3);
            last := split_part(dropped, '|', 4);
            gone := (SELECT nullif(c.reltuples, -1)::bigint FROM pg_class c WHERE c.oid = ('push.' || name)::regclass);
            -- The lock first: then every transaction that wrote in this range has committed and is visible.
            EXECUTE format('LOCK TABLE ONLY push.%I IN ACCESS EXCLUSIVE MODE', parent);
            EXECUTE format('LOCK TABLE push.%I IN ACCESS EXCLUSIVE MODE', name);
            SELECT * INTO open FROM push.open_ids(parent, first, last);
            IF open.n > 0 THEN
                RETURN QUERY SELECT name, 'kept', NULL::bigint, format('%s not final, such as %s', open.n || CASE WHEN open.n = 1 THEN ' is' ELSE ' are' END, open.example);
            ELSE
                EXECUTE format('ALTER TABLE push.%I DETACH PARTITION push.%I', parent, name);
                EXECUTE format('DROP TABLE push.%I', name);
                RETURN QUERY SELECT name, 'dropped', gone, format('ids %s to %s', first, last);
            END IF;
        EXCEPTION WHEN lock_not_available THEN
            RETURN QUERY SELECT name, 'kept', NULL::bigint, 'another session holds a lock on the table: try again';
        END;
    END IF;
    INSERT INTO push.audit (action, detail) VALUES ('purge', json_build_object('older_than', $1, 'dropped', split_part(dropped, '|', 1)));
END $$;
COMMENT ON FUNCTION push.purge IS
    'Deletes what is final and older than that: whole partitions of message, result, post and answer, one per call, '
    'and one batch of keys, counters, audit and translations. Returns what it did, and what it kept and why; call it '
    'again until no row says deleted or dropped.';

REVOKE ALL ON FUNCTION push.holders_of_snapshots, push.hub_of, push.eta, push.open_gate, push.set_rate, push.add_hub, push.rescue, push.cancel(text, text, text, int),
    push.again, push.retry(bigint[]), push.retry(text, text, timestamptz, timestamptz, text, int), push.check_filter,
    push.resolve(text, text, text, timestamptz, timestamptz, bigint, int), push.open_ids, push.purge FROM PUBLIC;

INSERT INTO push.migration (version, name) VALUES (5, 'operations');
