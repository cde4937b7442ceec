-- Fanfare, migration 21: What a dead worker held is due again, or in doubt.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.due_at_of(id bigint) RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT coalesce((SELECT CASE WHEN r.status = 'retrying' THEN r.due_at END FROM push.result r WHERE r.id = $1 ORDER BY r.at DESC LIMIT 1),
                    (SELECT k.due_at FROM push.content k WHERE k.id = $1),
                    (SELECT m.send_at FROM push.message m WHERE m.id = $1))
$$;
COMMENT ON FUNCTION push.due_at_of IS 'The due_at of a message in push.due, if it is pending.';

CREATE FUNCTION push.rescue_claims_v1(dead bigint[], OUT claims int, OUT returned int, OUT doubted int)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE locked bigint[];
BEGIN
    PERFORM push.require_read_committed('push.rescue');
    -- Two statements on purpose: the snapshot of the second must be newer than the locks of the first. Otherwise an
    -- intent that commits in between would be invisible, and a sent message would be called unsent.
    locked := ARRAY(SELECT c.id FROM push.claim c WHERE c.id = ANY (dead) FOR UPDATE SKIP LOCKED);
    WITH held AS MATERIALIZED (        -- messages that are still in their claim: they have no result of it
        SELECT c.id AS claim, c.hub, c.priority, u.id, u.attempt
          FROM push.claim c, unnest(c.ids, c.attempts) u(id, attempt)
         WHERE c.id = ANY (locked)
           AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = u.id AND r.post >= c.id * 10000 AND r.post < (c.id + 1) * 10000 OFFSET 0)
    ), sent AS MATERIALIZED (
        SELECT p.id AS post, u.id FROM unnest(locked) d(claim),
               LATERAL (SELECT p.id, p.ids FROM push.post p WHERE p.id >= d.claim * 10000 AND p.id < (d.claim + 1) * 10000 OFFSET 0) p, unnest(p.ids) u(id)
         WHERE NOT EXISTS (SELECT FROM push.answer a WHERE a.post = p.id OFFSET 0)
    ), each AS MATERIALIZED (          -- combined by grouping, because a join could become a loop over all pairs
        SELECT claim, id, max(hub) AS hub, max(priority) AS priority, max(attempt) AS attempt, max(post) AS post
          FROM (SELECT claim, id, hub, priority, attempt, NULL::bigint AS post FROM held
                UNION ALL SELECT post / 10000, id, NULL, NULL, NULL, post FROM sent) x
         GROUP BY claim, id HAVING count(hub) > 0
    ), doubt AS MATERIALIZED (
        SELECT e.*, coalesce(m.on_doubt, b.on_doubt) = 'resend' AS resend, clock_timestamp() AS at
          FROM each e, LATERAL (SELECT on_doubt FROM push.message m WHERE m.id = e.id OFFSET 0) m,
               LATERAL (SELECT on_doubt FROM push.hub b WHERE b.id = e.hub OFFSET 0) b
         WHERE e.post IS NOT NULL
    ), results AS (
        INSERT INTO push.result (id, post, at, status, reason, due_at, note)
        SELECT id, post, at, CASE WHEN resend THEN 'retrying' ELSE 'in_doubt' END::push.status, CASE WHEN resend THEN 'resent' ELSE 'worker_lost' END::push.reason,
               CASE WHEN resend THEN at END, 'The worker ended after this post was about to leave; whether the hub took it is not known.' FROM doubt
    ), back AS MATERIALIZED (
        SELECT hub, priority, id, attempt, push.due_at_of(id) AS due_at FROM each WHERE post IS NULL
        UNION ALL
        SELECT hub, priority, id, (attempt + 1)::smallint, at FROM doubt WHERE resend
    ), counted AS (
        INSERT INTO push.tally AS t (hub, minute, status, reason, n)
        SELECT hub, date_trunc('minute', clock_timestamp()), CASE WHEN resend THEN 'retrying' ELSE 'in_doubt' END::push.status,
               CASE WHEN resend THEN 'resent' ELSE 'worker_lost' END::push.reason, count(*) FROM doubt GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
            ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n
    ), done AS MATERIALIZED (
        SELECT push.back_v1(array_agg(hub), array_agg(priority), array_agg(id), array_agg(attempt), array_agg(due_at)) FROM back HAVING count(*) > 0
    )
    SELECT cardinality(locked), count(*), (SELECT count(*) FROM doubt) + 0 * (SELECT count(*) FROM done) INTO claims, returned, doubted FROM back;
    DELETE FROM push.claim WHERE id = ANY (locked);
END $$;
COMMENT ON FUNCTION push.rescue_claims_v1 IS
    'Takes claims away from a dead worker. Messages in no post were not sent and go back; messages in an unanswered '
    'post end in doubt, or go back if on_doubt is resend.';

CREATE FUNCTION push.rescue_v1(worker int, OUT claims int, OUT returned int, OUT doubted int)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT * INTO claims, returned, doubted FROM push.rescue_claims_v1(ARRAY(SELECT c.id FROM push.claim c WHERE c.worker = $1));
    DELETE FROM push.worker w WHERE w.id = $1 AND NOT EXISTS (SELECT FROM push.claim c WHERE c.worker = $1);
END $$;
COMMENT ON FUNCTION push.rescue_v1 IS
    'Rescues everything a worker holds. Only for a dead worker: a live one loses its claims and posts nothing more of '
    'them.';

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

INSERT INTO push.migration (version, name) VALUES (21, 'rescue');
