-- Fanfare, migration 25: What completion and rescue both write: results, and pointers that go back. And late answers.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.drop_orphans(hub smallint, ids bigint[], pointers tid[] DEFAULT '{}') RETURNS bigint[]
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
COMMENT ON FUNCTION push.drop_orphans IS
    'Drops what is left of messages that do not exist any more, because somebody deleted their rows or their '
    'partition, and says so in push.audit. Returns their ids. Only for other functions.';

CREATE FUNCTION push.back_v1(
    hubs       smallint[],
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
    orphans constant bigint[] := push.drop_orphans(hubs[1], ids);
    broken bigint;
    left_over bigint[];
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
             WHERE t.id = ANY (back_v1.ids)
             ORDER BY t.id);
        DELETE FROM push.translation t WHERE t.lead = broken;
        INSERT INTO push.translation (id, lead)
        SELECT u.id, left_over[1] FROM unnest(left_over) u(id) WHERE cardinality(left_over) > 1;
    END LOOP;
    INSERT INTO push.due (due_at, id, hub, priority, attempt, kind, resent)
    SELECT coalesce(u.due_at, now()), u.id, u.hub, u.priority, u.attempt,
           CASE WHEN t.lead IS NULL THEN 'p' ELSE 't' END, u.id = ANY (back_v1.resent)
      FROM unnest(due_ats, ids, hubs, priorities, attempts) u(due_at, id, hub, priority, attempt)
           LEFT JOIN LATERAL (SELECT t.lead FROM push.translation t WHERE t.id = u.id OFFSET 0) t ON true
     WHERE (t.lead IS NULL OR t.lead = u.id)
       AND u.id <> ALL (orphans);
END $$;
COMMENT ON FUNCTION push.back_v1 IS
    'Puts messages back into push.due, translations under one pointer. resent: those of ids that a person sent again. '
    'Messages that do not exist any more are dropped (push.drop_orphans). Only for other functions.';

CREATE FUNCTION push.write_results(
    ids        bigint[],
    posts      bigint[],
    statuses   push.status[],
    reasons    push.reason[],
    due_ats    timestamptz[],
    notes      text[],
    hubs       smallint[],
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
    PERFORM push.back_v1(array_agg(u.hub), array_agg(u.priority), array_agg(u.id), array_agg(u.attempt),
                         array_agg(u.due_at), coalesce(array_agg(u.id) FILTER (WHERE u.resent), '{}'))
       FROM unnest(ids, statuses, due_ats, hubs, priorities, attempts, resents)
            u(id, status, due_at, hub, priority, attempt, resent)
      WHERE u.status = 'retrying'
     HAVING count(*) > 0;
    PERFORM push.count_results(array_agg(c.hub), array_agg(c.status), array_agg(c.reason), array_agg(c.n))
       FROM (SELECT u.hub, u.status, u.reason, count(*) AS n
               FROM unnest(hubs, statuses, reasons) u(hub, status, reason)
              GROUP BY u.hub, u.status, u.reason) c;
END $$;
COMMENT ON FUNCTION push.write_results IS
    'Writes results under one number of arrival, puts those that retry back into push.due and counts all. Only for '
    'other functions.';

CREATE FUNCTION push.lock_doubts(posts bigint[]) RETURNS bigint[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    carried constant bigint[] := ARRAY(
        SELECT m.id
          FROM unnest(posts) u(post),
               LATERAL (SELECT p.ids FROM push.post p WHERE p.id = u.post OFFSET 0) p,
               unnest(p.ids) m(id));
    locked constant bigint[] := ARRAY(
        SELECT r.id FROM push.result r
         WHERE r.id = ANY (carried) AND r.status = 'in_doubt'
         ORDER BY r.id
           FOR UPDATE SKIP LOCKED);
BEGIN
    RETURN ARRAY(
        SELECT DISTINCT push.claim_of(u.post)
          FROM unnest(posts) u(post),
               LATERAL (SELECT p.ids FROM push.post p WHERE p.id = u.post OFFSET 0) p,
               unnest(p.ids) m(id),
               LATERAL (SELECT r.id FROM push.result r WHERE r.id = m.id AND r.status = 'in_doubt' OFFSET 0) r
         WHERE r.id <> ALL (locked));
END $$;
COMMENT ON FUNCTION push.lock_doubts IS
    'Before late answers: push.resolve may run at the same moment, and the first session to lock a doubt decides it. '
    'Locks the doubts about these posts, without waiting; returns the claims of those that another session holds. Only '
    'for push.complete_v1.';

CREATE FUNCTION push.settle_late(
    posts    bigint[],
    verdicts text[],
    statuses text[],
    reasons  text[],
    delays   double precision[],
    notes    text[],
    moment   timestamptz,
    arrived  bigint)
RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    -- First, because the row of a run is locked before those of push.tally.
    PERFORM push.reopen_slices(array_agg(m.id))
       FROM unnest(posts) u(post),
            LATERAL (SELECT p.ids FROM push.post p WHERE p.id = u.post OFFSET 0) p,
            unnest(p.ids) m(id)
     HAVING count(*) > 0;
    PERFORM push.write_results(
                array_agg(u.id), array_agg(a.post), array_agg(coalesce(a.status, 'retrying')::push.status),
                array_agg(coalesce(a.reason, 'not_sent')::push.reason),
                array_agg(moment + make_interval(secs => coalesce(a.delay, 0))), array_agg(a.note),
                array_agg(p.hub), array_agg(m.priority), array_agg(0::smallint),
                array_agg(push.life_v1(u.id, '0') IS NOT NULL), arrived)
       FROM unnest(posts, verdicts, statuses, reasons, delays, notes) a(post, verdict, status, reason, delay, note),
            LATERAL (SELECT p.ids, p.hub FROM push.post p WHERE p.id = a.post OFFSET 0) p,
            unnest(p.ids) u(id),
            LATERAL (SELECT r.status, r.post FROM push.result r WHERE r.id = u.id ORDER BY r.arrival DESC LIMIT 1) r,
            LATERAL (SELECT m.priority FROM push.message m WHERE m.id = u.id OFFSET 0) m
      WHERE (a.status IN ('accepted', 'rejected')
             OR a.status = 'retrying' AND a.reason <> 'resent'
             OR a.status IS NULL AND a.verdict NOT IN ('accepted', 'unknown'))
        AND r.status = 'in_doubt' AND r.post = a.post
     HAVING count(*) > 0;
END $$;
COMMENT ON FUNCTION push.settle_late IS
    'Settles doubts by answers that came after their claim was rescued: only messages that are in doubt because of '
    'this very post. A message that the hub turns out not to have taken goes back to push.due, and so does every '
    'message of a post that the hub refused as a whole (a null status); attempts were lost with the claim and start '
    'again. The caller holds the locks of the doubts. Only for push.complete_v1.';

CREATE FUNCTION push.give_up_v1(worker int, claim bigint, post bigint, messages bigint[], answer text, words text)
RETURNS void LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
    INSERT INTO push.audit (action, detail)
    VALUES ('unrecorded', json_build_object(
        'worker', worker, 'claim', claim, 'post', post, 'messages', messages, 'answer', answer, 'error', words));
END;
COMMENT ON FUNCTION push.give_up_v1 IS
    'Notes in push.audit that an answer or outcome can never be recorded, and why. Its claim is rescued.';

INSERT INTO push.migration (version, name, works_from) VALUES (25, 'results', 61);
