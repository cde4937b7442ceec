-- What a dead worker held is due again, or in doubt.

CREATE OR REPLACE FUNCTION push.due_at_of(id bigint) RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER
SET enable_seqscan = off
SET enable_bitmapscan = off
BEGIN ATOMIC
    SELECT coalesce(
        (SELECT CASE WHEN r.status = 'retrying' THEN r.due_at END
           FROM push.result r WHERE r.id = due_at_of.id ORDER BY r.arrival DESC LIMIT 1),
        (SELECT k.due_at FROM push.content k WHERE k.id = due_at_of.id),
        (SELECT push_internal.first_due_at(m.send_at, m.created_at, m.after, m.after_device, m.after_at_most)
           FROM push.message m WHERE m.id = due_at_of.id));
END;
COMMENT ON FUNCTION push.due_at_of IS 'The due_at of a message in push.due, if it is pending.';

CREATE OR REPLACE FUNCTION push_internal.rescue_claim(
    claim bigint,
    arrival bigint,
    OUT hub int, OUT returned int, OUT doubted int, OUT resent int, OUT split int, OUT missing bigint[])
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    held push.claim;
    waiting bigint[];
BEGIN
    -- Two statements on purpose: the snapshot of the second must be newer than the lock of the first. Otherwise an
    -- intent that commits in between would be invisible, and a sent message would be called unsent.
    SELECT c.* INTO held FROM push.claim c WHERE c.id = rescue_claim.claim FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    WITH waiting AS MATERIALIZED (             -- messages that are still in the claim: they have no result of it
        SELECT u.id, u.attempt
          FROM unnest(held.ids, held.attempts) u(id, attempt)
         WHERE NOT EXISTS (
               SELECT FROM push.result r
                WHERE r.id = u.id AND r.post BETWEEN push_internal.no_post(held.id) AND push.last_post(held.id) OFFSET 0)
    ), sent AS MATERIALIZED (                  -- messages in a post without an answer
        SELECT p.id AS post, u.id
          FROM push.post p, unnest(p.ids) u(id)
         WHERE p.id BETWEEN push.first_post(held.id) AND push.last_post(held.id)
           AND NOT EXISTS (SELECT FROM push.answer a WHERE a.post = p.id OFFSET 0)
    ), each AS MATERIALIZED (                  -- combined by grouping: a join could become a loop over all pairs
        SELECT x.id, max(x.attempt) AS attempt, max(x.post) AS post
          FROM (SELECT id, attempt, NULL::bigint AS post FROM waiting UNION ALL SELECT id, NULL, post FROM sent) x
         GROUP BY x.id
        HAVING count(x.attempt) > 0
    ), message AS MATERIALIZED (
        SELECT e.id, e.attempt, e.post,
               CASE WHEN e.post IS NULL THEN push.due_at_of(e.id) ELSE clock_timestamp() END AS at,
               coalesce(m.on_doubt, (SELECT h.on_doubt FROM push.hub h WHERE h.id = held.hub)) = 'resend' AS resend
          FROM each e, LATERAL (SELECT m.on_doubt FROM push.message m WHERE m.id = e.id OFFSET 0) m
    ), results AS (
        INSERT INTO push.result (id, post, arrival, at, status, reason, due_at, note)
        SELECT m.id, m.post, rescue_claim.arrival, m.at,
               CASE WHEN m.resend THEN 'retrying' ELSE 'in_doubt' END::push.status,
               CASE WHEN m.resend THEN 'resent' ELSE 'worker_lost' END::push.reason,
               CASE WHEN m.resend THEN m.at END,
               'The worker ended after this post was about to leave; whether the hub took it is not known.'
          FROM message m
         WHERE m.post IS NOT NULL
    ), split AS MATERIALIZED (                 -- refused together with others, and not yet sent again in halves
        INSERT INTO push.result (id, post, arrival, status, reason, due_at)
        SELECT m.id, push_internal.no_post(held.id), rescue_claim.arrival, 'retrying', 'released', m.at
          FROM message m
         WHERE m.post IS NULL
           AND m.id IN (SELECT unnest(p.ids) FROM push.post p
                         WHERE p.id BETWEEN push.first_post(held.id) AND push.last_post(held.id))
        RETURNING 1
    ), back AS MATERIALIZED (
        SELECT push_internal.return_messages(
                   array_agg(held.hub), array_agg(held.priority), array_agg(m.id),
                   array_agg((m.attempt + CASE WHEN m.post IS NULL THEN 0 ELSE 1 END)::smallint),
                   array_agg(m.at), held.resent)
          FROM message m
         WHERE m.post IS NULL OR m.resend
        HAVING count(*) > 0
    )
    SELECT held.hub, (SELECT array_agg(e.id) FROM each e),
           count(*) FILTER (WHERE m.post IS NULL OR m.resend) + 0 * (SELECT count(*) FROM back),
           count(m.post), count(m.post) FILTER (WHERE m.resend), (SELECT count(*) FROM split)
      INTO hub, waiting, returned, doubted, resent, split
      FROM message m;
    IF cardinality(waiting) > returned + doubted - resent THEN
        missing := push_internal.drop_orphans(held.hub, waiting);
    END IF;
    DELETE FROM push.claim c WHERE c.id = held.id;
END $$;
COMMENT ON FUNCTION push_internal.rescue_claim IS
    'Takes one claim away from its worker, as push_worker.rescue_claims_v1 says. Returns how many messages are due '
    'again and how many were in an unanswered post (resent: of those, how many are due again too), how many were in a'
    ' post that was to be split, and those that have no row in push.message any more. hub is null: another session '
    'holds the claim.';

CREATE OR REPLACE FUNCTION push_worker.rescue_claims_v1(
    dead bigint[],
    for_seconds double precision DEFAULT 'infinity',
    OUT claims int, OUT returned int, OUT doubted int, OUT missing bigint[], OUT failed bigint[], OUT failure text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '2s' AS $$
#variable_conflict use_column
DECLARE
    until constant timestamptz := clock_timestamp() + least(for_seconds, 86400) * interval '1 second';
    arrival constant bigint := push_internal.next_arrival();
    next bigint;
    found record;
    hubs int[] := '{}';
    statuses push.status[] := '{}';
    reasons push.reason[] := '{}';
    ns bigint[] := '{}';
BEGIN
    PERFORM push_internal.require_read_committed('push.rescue');
    SELECT 0, 0, 0, '{}', '{}' INTO claims, returned, doubted, missing, failed;
    FOR next IN SELECT DISTINCT u.id FROM unnest(dead) u(id) ORDER BY u.id LOOP
        EXIT WHEN claims > 0 AND clock_timestamp() > until;
        BEGIN                              -- each claim on its own: one that cannot be taken does not keep the others
            SELECT r.* INTO found FROM push_internal.rescue_claim(next, arrival) r;
            CONTINUE WHEN found.hub IS NULL;
            claims := claims + 1;
            returned := returned + found.returned;
            doubted := doubted + found.doubted;
            missing := missing || found.missing;
            hubs := hubs || found.hub || found.hub || found.hub;
            statuses := statuses || '{in_doubt,retrying,retrying}';
            reasons := reasons || '{worker_lost,resent,released}';
            ns := ns || ARRAY[found.doubted - found.resent, found.resent, found.split]::bigint[];
        EXCEPTION WHEN OTHERS THEN
            failed := failed || next;
            failure := SQLSTATE || ' ' || SQLERRM;
            PERFORM push_internal.record_rescue_trouble(next, SQLSTATE, SQLERRM);
        END;
    END LOOP;
    -- Counted under the exact time, as backends do: a row of the minute is one that others may hold or wait for.
    PERFORM push_internal.count_results(array_agg(g.hub), array_agg(g.status), array_agg(g.reason), array_agg(g.n),
                               clock_timestamp())
       FROM (SELECT u.hub, u.status, u.reason, sum(u.n)::bigint AS n
               FROM unnest(hubs, statuses, reasons, ns) u(hub, status, reason, n)
              GROUP BY u.hub, u.status, u.reason
             HAVING sum(u.n) > 0) g
     HAVING count(*) > 0;
END $$;
COMMENT ON FUNCTION push_worker.rescue_claims_v1 IS
    'Takes claims away from a dead worker. Messages in no post were not sent and go back; messages in an unanswered '
    'post end in doubt, or go back if on_doubt is resend; those that were deleted from push.message are dropped '
    '(missing: push_internal.drop_orphans). failed: claims that could not be taken; the failure is that of the last '
    'one. Takes no further claim after for_seconds.';

CREATE OR REPLACE FUNCTION push_internal.record_rescue_trouble(claim bigint, sqlstate text, message text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    UPDATE push.claim c
       SET trouble = record_rescue_trouble.sqlstate || ' ' || record_rescue_trouble.message
     WHERE c.id = record_rescue_trouble.claim
       AND c.trouble IS NULL
       AND record_rescue_trouble.sqlstate !~ '^(40|53|55P03|57|58030)';  -- no lock, conflict or lack of room, which passes
    IF FOUND THEN
        INSERT INTO push.audit (action, detail)
        VALUES ('rescue_failed', json_build_object(
            'claim', record_rescue_trouble.claim, 'sqlstate', record_rescue_trouble.sqlstate, 'message', record_rescue_trouble.message));
    END IF;
EXCEPTION WHEN OTHERS THEN
    NULL;                                  -- the row itself cannot be written: the caller reports the first error
END $$;
COMMENT ON FUNCTION push_internal.record_rescue_trouble IS 'Writes why a claim cannot be rescued, once.';

CREATE OR REPLACE FUNCTION push_worker.rescue_v1(
    worker int,
    epoch int DEFAULT NULL,
    for_seconds double precision DEFAULT 'infinity',
    OUT claims int, OUT returned int, OUT doubted int, OUT missing bigint[], OUT failed bigint[], OUT failure text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    look_from constant bigint := push_internal.lowest_claim();
BEGIN
    SELECT r.claims, r.returned, r.doubted, r.missing, r.failed, r.failure
      INTO claims, returned, doubted, missing, failed, failure
      FROM push_worker.rescue_claims_v1(
               ARRAY(SELECT c.id FROM push.claim c
                      WHERE c.id >= look_from
                        AND c.worker = rescue_v1.worker
                        AND c.epoch = coalesce(rescue_v1.epoch, c.epoch)),
               for_seconds) r;
    BEGIN
        DELETE FROM push.worker w
         WHERE w.id = rescue_v1.worker
           AND w.epoch = coalesce(rescue_v1.epoch, w.epoch)
           AND NOT EXISTS (SELECT FROM push.claim c
                            WHERE c.id >= look_from AND c.worker = w.id AND c.epoch = w.epoch);
        PERFORM push_worker.return_devices_v1(worker, epoch);   -- last: without its row it can claim no device any more
    EXCEPTION WHEN lock_not_available THEN
        NULL;                              -- another session holds a row: what it held is rescued all the same, and
                                           -- the devices by the next rescue
    END;
END $$;
COMMENT ON FUNCTION push_worker.rescue_v1 IS
    'Rescues everything a worker holds, as push_worker.rescue_claims_v1 does, and removes the worker when nothing '
    'is left. Only for a dead worker: a live one loses its claims and posts nothing more of them. A null epoch: '
    'whichever worker has this number.';

CREATE OR REPLACE FUNCTION push.rescue(worker int, force boolean DEFAULT false, OUT claims int, OUT returned int, OUT doubted int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    seen push.worker;
    failed bigint[];
    failure text;
BEGIN
    PERFORM push_internal.begin_action();
    SELECT w.* INTO seen FROM push.worker w WHERE w.id = rescue.worker;
    IF NOT FOUND AND NOT EXISTS (
            SELECT FROM push.claim c WHERE c.id >= push_internal.lowest_claim() AND c.worker = rescue.worker) THEN
        RAISE EXCEPTION USING ERRCODE = 'no_data_found',
            MESSAGE = format('there is no worker %s', coalesce(rescue.worker::text, 'NULL')),
            HINT = 'SELECT id, name, last_beat FROM push.workers';
    END IF;
    IF push.is_alive(seen.beat_at, seen.lease_seconds) AND force IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'object_in_use',
            MESSAGE = format('worker %s (%s) is alive: its last heartbeat was %s s ago', seen.id, seen.name,
                             greatest(0, round(extract(epoch FROM clock_timestamp() - seen.beat_at), 1))),
            HINT = format('Stop it, and it leaves nothing behind. SELECT push.rescue(%s, force => true) takes '
                          'everything from it at once; what it is posting ends in doubt.', seen.id);
    END IF;
    SELECT r.claims, r.returned, r.doubted, r.failed, r.failure INTO claims, returned, doubted, failed, failure
      FROM push_worker.rescue_v1(rescue.worker) r;
    IF failed <> '{}' THEN
        RAISE WARNING 'claims % cannot be rescued: %', failed, failure
            USING HINT = 'Their messages stay claimed. Have the owner look: SELECT * FROM push.claim WHERE id = ...';
    END IF;
    INSERT INTO push.audit (action, detail)
    VALUES ('rescue', json_build_object(
        'worker', rescue.worker, 'name', seen.name, 'force', force, 'claims', claims, 'returned', returned,
        'doubted', doubted, 'failed', failed));
END $$;
COMMENT ON FUNCTION push.rescue IS
    'Takes everything from a dead worker, without waiting for another worker to notice: messages in no post are due '
    'again, messages in an unanswered post are in doubt. Fails for a worker that counts as alive (a heartbeat within '
    'its last two leases), unless forced.';
