-- What completion and rescue both write: results, pointers that go back, and counters.

CREATE OR REPLACE FUNCTION push_internal.count_results(
    hubs     int[],
    statuses push.status[],
    reasons  push.reason[],
    ns       bigint[],
    minute   timestamptz DEFAULT date_trunc('minute', clock_timestamp()))
RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO push.tally AS t (hub, minute, status, reason, n)
    SELECT u.hub, count_results.minute, u.status, u.reason, u.n
      FROM unnest(hubs, statuses, reasons, ns) u(hub, status, reason, n)
     ORDER BY u.hub, u.status, u.reason           -- always in this order, so that no two sessions wait for each other
        ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n;
END $$;
COMMENT ON FUNCTION push_internal.count_results IS
    'Adds results to push.tally, by default to the current minute. The caller groups them: each hub, status and '
    'reason once.';

CREATE OR REPLACE FUNCTION push_internal.drop_orphans(hub int, ids bigint[], pointers tid[] DEFAULT '{}') RETURNS bigint[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    orphans bigint[];
BEGIN
    orphans := ARRAY(
        SELECT u.id
          FROM unnest(ids) u(id)
         WHERE NOT EXISTS (SELECT FROM push.message m WHERE m.id = u.id OFFSET 0));
    IF orphans <> '{}' THEN
        DELETE FROM push.due d WHERE d.ctid = ANY (pointers) AND d.id = ANY (orphans) AND d.kind <> 't';
        DELETE FROM push.translation t WHERE t.id = ANY (orphans);
        INSERT INTO push.audit (action, detail)
        VALUES ('dropped_pointer', json_build_object(
            'hub', (SELECT h.name FROM push.hub h WHERE h.id = drop_orphans.hub),
            'messages', orphans));
    END IF;
    RETURN orphans;
END $$;
COMMENT ON FUNCTION push_internal.drop_orphans IS
    'Drops what is left of messages that do not exist any more, because somebody deleted their rows or their '
    'partition, and records that in push.audit. Returns their ids.';

CREATE OR REPLACE FUNCTION push_internal.return_messages(
    hubs       int[],
    priorities smallint[],
    ids        bigint[],
    attempts   smallint[],
    due_ats    timestamptz[],
    resent     bigint[] DEFAULT '{}')
RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    orphans constant bigint[] := push_internal.drop_orphans(hubs[1], ids);
    broken bigint;
    left_over bigint[];
    is_paused constant boolean := EXISTS (SELECT FROM push.run r WHERE r.state = 'paused');
    suppressed constant bigint[] := push_internal.suppressed_among(ids);
BEGIN
    -- Translations go back together, under their lead's pointer. If some of them have left meanwhile (cancelled), the
    -- others first get a new lead.
    FOR broken IN
        SELECT g.lead
          FROM (SELECT t.lead, count(DISTINCT u.id) AS n
                  FROM unnest(ids) u(id),
                       LATERAL (SELECT t.lead FROM push.translation t WHERE t.id = u.id OFFSET 0) t
                 GROUP BY t.lead) g
         WHERE g.n < (SELECT count(*) FROM push.translation s WHERE s.lead = g.lead)
            OR g.lead <> ALL (ids)
            OR g.lead = ANY (orphans)
    LOOP
        left_over := ARRAY(
            SELECT t.id
              FROM (SELECT t.id FROM push.translation t WHERE t.lead = broken OFFSET 0) t
             WHERE t.id = ANY (return_messages.ids)
             ORDER BY t.id);
        DELETE FROM push.translation t WHERE t.lead = broken;
        INSERT INTO push.translation (id, lead)
        SELECT u.id, left_over[1] FROM unnest(left_over) u(id) WHERE cardinality(left_over) > 1;
    END LOOP;
    INSERT INTO push.due (due_at, id, hub, priority, attempt, kind, resent)
    SELECT coalesce(u.due_at, now()), u.id, u.hub, u.priority, u.attempt,
           CASE WHEN t.lead IS NULL THEN 'p' ELSE 't' END, u.id = ANY (return_messages.resent)
      FROM unnest(due_ats, ids, hubs, priorities, attempts) u(due_at, id, hub, priority, attempt)
           LEFT JOIN LATERAL (SELECT t.lead FROM push.translation t WHERE t.id = u.id OFFSET 0) t ON true
     WHERE (t.lead IS NULL OR t.lead = u.id)
       AND u.id <> ALL (orphans);
    IF is_paused OR suppressed <> '{}' THEN
        PERFORM push_internal.hold_returned(hubs, priorities, ids, due_ats, suppressed);
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.return_messages IS
    'Puts messages back into push.due, translations under one pointer. resent: those of ids that a person sent again.'
    ' Messages that do not exist any more are dropped (push_internal.drop_orphans).';

CREATE OR REPLACE FUNCTION push_internal.write_results(
    ids        bigint[],
    posts      bigint[],
    statuses   push.status[],
    reasons    push.reason[],
    due_ats    timestamptz[],
    notes      text[],
    hubs       int[],
    priorities smallint[],
    attempts   smallint[],
    resents    boolean[],
    arrived    bigint)
RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO push.result (id, post, arrival, status, reason, due_at, note)
    SELECT u.id, u.post, arrived, u.status, u.reason, CASE WHEN u.status = 'retrying' THEN u.due_at END, u.note
      FROM unnest(ids, posts, statuses, reasons, due_ats, notes) u(id, post, status, reason, due_at, note);
    PERFORM push_internal.return_messages(array_agg(u.hub), array_agg(u.priority), array_agg(u.id), array_agg(u.attempt),
                         array_agg(u.due_at), coalesce(array_agg(u.id) FILTER (WHERE u.resent), '{}'))
       FROM unnest(ids, statuses, due_ats, hubs, priorities, attempts, resents)
            u(id, status, due_at, hub, priority, attempt, resent)
      WHERE u.status = 'retrying'
     HAVING count(*) > 0;
    PERFORM push_internal.count_results(array_agg(c.hub), array_agg(c.status), array_agg(c.reason), array_agg(c.n))
       FROM (SELECT u.hub, u.status, u.reason, count(*) AS n
               FROM unnest(hubs, statuses, reasons) u(hub, status, reason)
              GROUP BY u.hub, u.status, u.reason) c;
END $$;
COMMENT ON FUNCTION push_internal.write_results IS
    'Writes results under one number of arrival, puts those that retry back into push.due and counts all.';

CREATE OR REPLACE FUNCTION push_worker.give_up_v1(worker int, claim bigint, post bigint, messages bigint[], answer text, words text)
RETURNS void LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
    INSERT INTO push.audit (action, detail)
    VALUES ('unrecorded', json_build_object(
        'worker', worker, 'claim', claim, 'post', post, 'messages', messages, 'answer', answer, 'error', words));
END;
COMMENT ON FUNCTION push_worker.give_up_v1 IS
    'Notes in push.audit that an answer or outcome can never be recorded, and why. Its claim is rescued.';
