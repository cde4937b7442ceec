-- Fanfare, migration 18: The intent: posts are written before their first byte leaves. And what completion and rescue
-- both write: results, and pointers that go back.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.require_durable_commit() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
        PERFORM set_config('synchronous_commit', 'on', true);         -- until the end of the transaction
    END IF;
END $$;
COMMENT ON FUNCTION push.require_durable_commit IS
    'Makes the commit of this transaction wait until no crash can undo it, whatever the database''s setting. Only for '
    'other functions.';

CREATE FUNCTION push.repeat_intent(
    claim   bigint,
    hub     smallint,
    n       int[],
    first   int[],
    last    int[],
    ids     bigint[],
    targets text[],
    bytes   int[])
RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    other record;
BEGIN
    SELECT p.n, t.ids
      INTO other
      FROM unnest(n, first, last) p(n, first, last),
           LATERAL (SELECT t.ids FROM push.post t WHERE t.id = push.post_id(claim, p.n) OFFSET 0) t
     WHERE t.ids <> repeat_intent.ids[p.first:p.last]
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'unique_violation', SCHEMA = 'push', TABLE = 'post',
            MESSAGE = format('post %s of claim %s was written for other messages', other.n, claim),
            DETAIL = format('It carries %s.', left(other.ids::text, 200));
    END IF;
    INSERT INTO push.post (id, hub, target, bytes, ids)
    SELECT push.post_id(claim, p.n), repeat_intent.hub, p.target, p.bytes, ids[p.first:p.last]
      FROM unnest(n, first, last, targets, bytes) p(n, first, last, target, bytes)
        ON CONFLICT DO NOTHING;
END $$;
COMMENT ON FUNCTION push.repeat_intent IS
    'Writes the posts that are not there yet: the intent comes again, because the answer to its commit was lost. '
    'Raises 23505 if a post is there for other messages. Only for other functions.';

CREATE FUNCTION push.intent_v1(
    claim   bigint,
    worker  int,
    epoch   int,
    n       int[],
    first   int[],
    last    int[],
    ids     bigint[],
    targets text[],
    bytes   int[],
    OUT alive     boolean,
    OUT written   int[],
    OUT cancelled bigint[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    held record;
BEGIN
    -- A post must not leave before a crash can no longer undo its intent.
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
        PERFORM push.require_durable_commit();
    END IF;
    IF (1 <= ALL (n) AND push.last_post(0) >= ALL (n)) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('posts of a claim are numbered from 1 to %s', push.last_post(0));
    END IF;
    -- The lock is the fence: rescue deletes this row and cancel updates it, so they wait for us or we for them. With an
    -- EXISTS test, or FOR KEY SHARE, a message that was just rescued or cancelled would still be sent (tried). The wait
    -- ends after lock_timeout: a cancel in an open transaction may hold the row, and the rest of the lane must go on.
    SELECT c.hub, c.cancelled
      INTO held
      FROM push.claim c
     WHERE c.id = claim AND c.worker = intent_v1.worker AND c.epoch = intent_v1.epoch
       FOR SHARE;
    alive := FOUND;
    IF NOT alive THEN
        RETURN;
    END IF;
    cancelled := held.cancelled;
    written := n;
    IF cancelled <> '{}' THEN
        written := ARRAY(
            SELECT p.n
              FROM unnest(n, first, last) p(n, first, last)
             WHERE NOT (ids[p.first:p.last] && held.cancelled));
    END IF;
    -- plpgsql keeps arrays in expanded form, and each slice flattens the whole array first. A CTE holds it flat, which
    -- saves that for every post (11 instead of 22 us a post).
    BEGIN
        WITH folded AS MATERIALIZED (SELECT intent_v1.ids AS ids)
        INSERT INTO push.post (id, hub, target, bytes, ids)
        SELECT push.post_id(claim, p.n), held.hub, p.target, p.bytes, folded.ids[p.first:p.last]
          FROM folded, unnest(n, first, last, targets, bytes) p(n, first, last, target, bytes)
         WHERE held.cancelled = '{}' OR p.n = ANY (written);
    EXCEPTION WHEN unique_violation THEN
        PERFORM push.repeat_intent(
                    claim, held.hub, array_agg(p.n), array_agg(p.first), array_agg(p.last), ids,
                    array_agg(p.target), array_agg(p.bytes))
           FROM unnest(n, first, last, targets, bytes) p(n, first, last, target, bytes)
          WHERE p.n = ANY (written);
    END;
END $$;
COMMENT ON FUNCTION push.intent_v1 IS
    'Writes the posts that may leave now; post n (1 to 9,999) carries ids[first:last]. alive is false when the claim '
    'was rescued or is not this worker''s: post nothing. Posts with a cancelled message are left out. SQLSTATE 55P03: '
    'another session holds the claim; post nothing of it now. 23505: a post was written for other messages.';

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

CREATE FUNCTION push.give_up_v1(worker int, claim bigint, post bigint, messages bigint[], answer text, words text)
RETURNS void LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
    INSERT INTO push.audit (action, detail)
    VALUES ('unrecorded', json_build_object(
        'worker', worker, 'claim', claim, 'post', post, 'messages', messages, 'answer', answer, 'error', words));
END;
COMMENT ON FUNCTION push.give_up_v1 IS
    'Notes in push.audit that an answer or outcome can never be recorded, and why. Its claim is rescued.';

INSERT INTO push.migration (version, name, works_from) VALUES (18, 'intent', 36);
