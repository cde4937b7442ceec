-- Fanfare, migration 28: Stopping one message.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.stop(id bigint) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE m record; newest record; key record; leader bigint; pointer record; holder record; stay bigint[]; said text;
BEGIN
    PERFORM push.require_read_committed('push.cancel');
    SELECT x.hub, x.priority, x.content_key, h.id AS hub_id INTO m FROM push.message x JOIN push.hub h ON h.name = x.hub WHERE x.id = $1;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('there is no message %s', $1), HINT = 'Ids come from INSERT ... RETURNING id.';
    END IF;
    FOR try IN 1 .. 5 LOOP                       -- it may move between the tables while we look
        SELECT r.status INTO newest FROM push.result r WHERE r.id = $1 ORDER BY r.at DESC LIMIT 1;
        IF FOUND AND newest.status <> 'retrying' THEN said := CASE newest.status WHEN 'cancelled' THEN 'cancelled' ELSE 'too_late' END; EXIT; END IF;

        -- A content with a key that no worker has gathered yet. We lock the message and not its pointer, which stands
        -- for others too; gathering locks both. While we waited for the lock the message may have been gathered or
        -- ended.
        IF m.content_key IS NOT NULL THEN
            SELECT k.* INTO key FROM push.content k WHERE k.id = $1 FOR NO KEY UPDATE;
            IF FOUND AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = $1) AND EXISTS (SELECT FROM push.due d
                    WHERE d.hub = key.hub AND d.priority = key.priority AND d.due_at = key.due_at AND d.id = key.lead AND d.keyed)
               AND NOT EXISTS (SELECT FROM push.content_taken t WHERE t.hub = key.hub AND t.tag = key.tag AND t.content_key = key.content_key
                                  AND t.priority = key.priority AND $1 = ANY (t.ids)) THEN
                INSERT INTO push.result (id, status, reason) VALUES ($1, 'cancelled', 'cancelled_by_caller');
                DELETE FROM push.due d WHERE d.ctid = (          -- the last of its statement; if it is locked, gathering deletes it
                    SELECT d.ctid FROM push.due d WHERE d.hub = key.hub AND d.priority = key.priority AND d.due_at = key.due_at AND d.id = key.lead AND d.keyed
                       AND NOT EXISTS (SELECT FROM push.content k WHERE k.lead = key.lead AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = k.id))
                       FOR UPDATE SKIP LOCKED);
                said := 'cancelled';
                EXIT;
            END IF;
        END IF;

        leader := coalesce((SELECT t.lead FROM push.translation t WHERE t.id = $1), $1);
        SELECT d.ctid AS row, d.attempt INTO pointer FROM push.due d
         WHERE d.hub = m.hub_id AND d.priority = m.priority AND d.due_at = push.due_at_of(leader) AND d.id = leader AND NOT d.keyed FOR UPDATE;
        IF FOUND THEN
            DELETE FROM push.due d WHERE d.ctid = pointer.row;
            INSERT INTO push.result (id, status, reason) VALUES ($1, 'cancelled', 'cancelled_by_caller');
            stay := ARRAY(SELECT t.id FROM push.translation t WHERE t.lead = leader AND t.id <> $1 ORDER BY t.id);
            IF stay <> '{}' THEN                 -- the other translations are still sent
                PERFORM push.back_v1(array_fill(m.hub_id, ARRAY[cardinality(stay)]), array_fill(m.priority, ARRAY[cardinality(stay)]), stay,
                    array_fill(pointer.attempt, ARRAY[cardinality(stay)]), ARRAY(SELECT push.due_at_of(s) FROM unnest(stay) s));
            END IF;
            said := 'cancelled';
            EXIT;
        END IF;

        UPDATE push.claim c SET cancelled = c.cancelled || $1 WHERE $1 = ANY (c.ids) AND NOT $1 = ANY (c.cancelled)
           AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = $1 AND r.post / 10000 = c.id) RETURNING c.id INTO holder;
        IF FOUND THEN                            -- separate statements: they see all that got the lock before us
            IF EXISTS (SELECT FROM push.result r WHERE r.id = $1 AND r.post / 10000 = holder.id) THEN
                UPDATE push.claim c SET cancelled = array_remove(c.cancelled, $1) WHERE c.id = holder.id;
                CONTINUE;                        -- it left the claim while we waited: it is final or due again
            ELSIF EXISTS (SELECT FROM push.post p WHERE p.id >= holder.id * 10000 AND p.id < (holder.id + 1) * 10000 AND $1 = ANY (p.ids)
                             -- an answered post that gave it no result was split: the message waits to leave again
                             AND NOT EXISTS (SELECT FROM push.answer a WHERE a.post = p.id OFFSET 0)) THEN
                UPDATE push.claim c SET cancelled = array_remove(c.cancelled, $1) WHERE c.id = holder.id;
                said := 'too_late';
            ELSE
                INSERT INTO push.result (id, post, status, reason) VALUES ($1, holder.id * 10000, 'cancelled', 'cancelled_by_caller');
                said := 'cancelled';
            END IF;
            EXIT;
        END IF;
    END LOOP;
    said := coalesce(said, 'too_late');
    IF said = 'cancelled' AND newest.status IS DISTINCT FROM 'cancelled' THEN
        INSERT INTO push.tally AS t VALUES (m.hub_id, date_trunc('minute', clock_timestamp()), 'cancelled', 'cancelled_by_caller', 1)
            ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + 1;
    END IF;
    RETURN said;
END $$;
COMMENT ON FUNCTION push.stop IS 'What push.cancel does to one message, without the audit. Only for other functions.';

CREATE FUNCTION push.cancel(id bigint) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE said text := push.stop($1);
BEGIN
    INSERT INTO push.audit (action, detail) VALUES ('cancel', json_build_object('id', $1, 'answer', said));
    RETURN said;
END $$;
COMMENT ON FUNCTION push.cancel(bigint) IS
    'Stops a message. Returns cancelled (it will not be sent) or too_late (it was posted, or is final). Other '
    'translations of its content are still sent.';

INSERT INTO push.migration (version, name) VALUES (28, 'cancel');
