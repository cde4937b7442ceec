-- Stopping one message.

CREATE OR REPLACE FUNCTION push_internal.end_pointers(
    pointers tid[], ids bigint[], status push.status, reason push.reason, OUT ended bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    arrived constant bigint := push_internal.next_arrival();
    counts  record;
BEGIN
    WITH deleted AS MATERIALIZED (
        DELETE FROM push.due d         -- by place: the index would be read whole
         WHERE d.ctid = ANY (pointers)
               -- the row may be gone, and its place used again; a hash of the ids, and never a join
           AND CASE WHEN d.id IN (SELECT u.id FROM unnest(ids) u(id)) THEN true END
        RETURNING d.hub, d.id, d.kind
    ), every AS MATERIALIZED (
        SELECT d.hub, d.id
          FROM deleted d
         WHERE d.kind = 'p'
        UNION ALL
        SELECT d.hub, t.id
          FROM deleted d,
               LATERAL (SELECT t.id FROM push.translation t WHERE t.lead = d.id OFFSET 0) t
         WHERE d.kind = 't'
    ), results AS (
        INSERT INTO push.result (id, arrival, status, reason)
        SELECT e.id, arrived, end_pointers.status, end_pointers.reason
          FROM every e
    )
    SELECT array_agg(c.hub) AS hubs, array_agg(c.n) AS ns, coalesce(sum(c.n), 0) AS total INTO counts
      FROM (SELECT e.hub, count(*) AS n FROM every e GROUP BY e.hub) c;
    ended := counts.total;
    IF ended > 0 THEN
        PERFORM push_internal.count_results(
            counts.hubs, array_fill(status, ARRAY[cardinality(counts.hubs)]),
            array_fill(reason, ARRAY[cardinality(counts.hubs)]), counts.ns);
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.end_pointers IS
    'Deletes these pointers (ids: push.due.id of each) and writes a result for every message that they stand for; '
    'returns how many messages. Not for keyed pointers.';

CREATE OR REPLACE FUNCTION push_internal.lock_keyed(id bigint, waits boolean) RETURNS push.content
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    key push.content;
BEGIN
    -- We lock the message and not its pointer, which stands for others too; gathering locks both. While we waited for
    -- the lock the message may have been gathered or ended.
    IF waits THEN
        SELECT k.* INTO key FROM push.content k WHERE k.id = lock_keyed.id FOR NO KEY UPDATE;
    ELSE
        SELECT k.* INTO key FROM push.content k WHERE k.id = lock_keyed.id FOR NO KEY UPDATE SKIP LOCKED;
    END IF;
    IF NOT FOUND
       OR EXISTS (SELECT FROM push.result r WHERE r.id = key.id)
       OR NOT EXISTS (
              SELECT
                FROM push.due d
               WHERE d.hub = key.hub
                 AND d.priority = key.priority
                 AND d.due_at = key.due_at
                 AND d.id = key.lead
                 AND d.kind = 'k')
       OR EXISTS (
              SELECT
                FROM push.content_taken t
               WHERE t.hub = key.hub
                 AND t.tag = key.tag
                 AND t.content_key = key.content_key
                 AND t.priority = key.priority
                 AND t.tenant = key.tenant
                 AND key.id = ANY (t.ids))
    THEN
        RETURN NULL;
    END IF;
    RETURN key;
END $$;
COMMENT ON FUNCTION push_internal.lock_keyed IS
    'Locks a message with a content_key that no worker has gathered yet. Null: it is not there (any more), or, unless '
    'waits, another session holds it.';

CREATE OR REPLACE FUNCTION push_internal.drop_spent_pointer(key push.content) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    DELETE FROM push.due d
     WHERE d.ctid = (
               SELECT d.ctid
                 FROM push.due d
                WHERE d.hub = key.hub
                  AND d.priority = key.priority
                  AND d.due_at = key.due_at
                  AND d.id = key.lead
                  AND d.kind = 'k'
                  AND NOT EXISTS (
                          SELECT
                            FROM push.content k
                           WHERE k.lead = key.lead
                             AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = k.id OFFSET 0))
                  FOR UPDATE SKIP LOCKED)
$$;
COMMENT ON FUNCTION push_internal.drop_spent_pointer IS
    'Deletes a keyed pointer when the last message that it stands for has ended. If it is locked, gathering deletes it.';

CREATE OR REPLACE FUNCTION push_internal.end_keyed(
    id bigint, status push.status, reason push.reason, waits boolean DEFAULT true) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    key constant push.content := push_internal.lock_keyed(id, waits);
BEGIN
    IF key.id IS NULL THEN
        RETURN false;
    END IF;
    INSERT INTO push.result (id, status, reason)
    VALUES (key.id, end_keyed.status, end_keyed.reason);
    PERFORM push_internal.drop_spent_pointer(key);
    RETURN true;
END $$;
COMMENT ON FUNCTION push_internal.end_keyed IS
    'Ends a message with a content_key that no worker has gathered yet; false: push_internal.lock_keyed did not get it.';

CREATE OR REPLACE FUNCTION push_internal.cancel_pointer(id bigint, hub int, priority smallint) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    leader  bigint := coalesce((SELECT t.lead FROM push.translation t WHERE t.id = cancel_pointer.id), id);
    pointer record;
    others  bigint[];
    n       int[];
BEGIN
    SELECT d.ctid AS row, d.attempt, d.resent INTO pointer
      FROM push.due d
     WHERE d.hub = cancel_pointer.hub
       AND d.priority = cancel_pointer.priority
       AND d.due_at = push.due_at_of(leader)
       AND d.id = leader
       AND d.kind <> 'k'
       FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM push.due d WHERE d.ctid = pointer.row;
    INSERT INTO push.result (id, status, reason)
    VALUES (id, 'cancelled', 'cancelled_by_caller');
    others := ARRAY(
        SELECT o.id
          FROM (SELECT t.id FROM push.translation t WHERE t.lead = leader OFFSET 0) o
         WHERE o.id <> cancel_pointer.id
         ORDER BY o.id);
    IF others <> '{}' THEN             -- the other translations are still sent
        n := ARRAY[cardinality(others)];
        PERFORM push_internal.return_messages(
            array_fill(hub, n), array_fill(priority, n), others, array_fill(pointer.attempt, n),
            ARRAY(SELECT push.due_at_of(o) FROM unnest(others) o),
            CASE WHEN pointer.resent THEN others ELSE '{}' END);
        UPDATE push.waiting w SET id = others[1], due_at = push.due_at_of(others[1]) WHERE w.id = leader;
    END IF;
    RETURN true;
END $$;
COMMENT ON FUNCTION push_internal.cancel_pointer IS
    'Cancels a message that is scheduled, due, or waits for another try; false: it is not there (any more).';

CREATE OR REPLACE FUNCTION push_internal.cancel_held(id bigint, hub int, priority smallint) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    held bigint := (SELECT h.claim FROM push.holder_of(id, hub, priority) h);
BEGIN
    UPDATE push.claim c
       SET cancelled = c.cancelled || cancel_held.id
     WHERE c.id = held
       AND cancel_held.id <> ALL (c.cancelled);
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    -- Separate statements from here: they see all that got the lock before us.
    IF EXISTS (
        SELECT
          FROM push.result r
         WHERE r.id = cancel_held.id
           AND r.post BETWEEN push_internal.no_post(held) AND push.last_post(held))
    THEN                               -- it left the claim while we waited: it is final or due again
        UPDATE push.claim c SET cancelled = array_remove(c.cancelled, cancel_held.id) WHERE c.id = held;
        RETURN NULL;
    END IF;
    IF EXISTS (
        SELECT
          FROM push.post p
         WHERE p.id BETWEEN push.first_post(held) AND push.last_post(held)
           AND cancel_held.id = ANY (p.ids)
               -- an answered post that gave it no result was split: the message waits to leave again
           AND NOT EXISTS (SELECT FROM push.answer a WHERE a.post = p.id OFFSET 0))
    THEN
        UPDATE push.claim c SET cancelled = array_remove(c.cancelled, cancel_held.id) WHERE c.id = held;
        RETURN 'too_late';
    END IF;
    INSERT INTO push.result (id, post, status, reason)
    VALUES (id, push_internal.no_post(held), 'cancelled', 'cancelled_by_caller');
    RETURN 'cancelled';
END $$;
COMMENT ON FUNCTION push_internal.cancel_held IS
    'Cancels a message in the hands of a worker, or says that it is too_late: its post is about to leave, or has '
    'left. Null: it is in no claim (any more).';

CREATE OR REPLACE FUNCTION push_internal.cancel_message(id bigint) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    message record;
    newest  push.status;
    outcome text;
BEGIN
    PERFORM push_internal.require_read_committed('push.cancel');
    SELECT m.priority, m.content_key, h.id AS hub INTO message
      FROM push.message m
           JOIN push.hub h ON h.name = m.hub
     WHERE m.id = cancel_message.id;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'no_data_found',
            MESSAGE = format('there is no message %s', coalesce(id::text, 'NULL')),
            HINT = 'Ids come from INSERT ... RETURNING id.';
    END IF;
    FOR try IN 1 .. 5 LOOP             -- it may move between the tables while we look
        newest := (SELECT r.status FROM push.result r WHERE r.id = cancel_message.id ORDER BY r.arrival DESC LIMIT 1);
        IF newest <> 'retrying' THEN
            RETURN CASE newest WHEN 'cancelled' THEN 'cancelled' ELSE 'too_late' END;
        END IF;
        outcome := CASE
            WHEN message.content_key IS NOT NULL AND push_internal.end_keyed(id, 'cancelled', 'cancelled_by_caller')
            THEN 'cancelled'
            WHEN push_internal.cancel_pointer(id, message.hub, message.priority)
            THEN 'cancelled'
            ELSE push_internal.cancel_held(id, message.hub, message.priority)
        END;
        EXIT WHEN outcome IS NOT NULL;
    END LOOP;
    IF outcome = 'cancelled' THEN
        PERFORM push_internal.count_results(ARRAY[message.hub], '{cancelled}', '{cancelled_by_caller}', '{1}');
    END IF;
    RETURN coalesce(outcome, 'too_late');
END $$;
COMMENT ON FUNCTION push_internal.cancel_message IS 'What push.cancel does to one message, without the audit.';

CREATE OR REPLACE FUNCTION push.cancel(id bigint) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    outcome text;
BEGIN
    PERFORM push_internal.begin_action();
    outcome := push_internal.cancel_message(id);
    INSERT INTO push.audit (action, detail)
    VALUES ('cancel', json_build_object('id', id, 'answer', outcome));
    RETURN outcome;
END $$;
COMMENT ON FUNCTION push.cancel IS
    'Stops a message. Returns cancelled (it will not be sent) or too_late (it was posted, or is final). Other '
    'translations of its content are still sent.';
