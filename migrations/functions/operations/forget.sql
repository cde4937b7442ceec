-- Forgetting keys whose time is over, and messages and posts that nobody needs any more.

CREATE OR REPLACE FUNCTION push_worker.forget_keys_v1(n int DEFAULT 10000) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    moment constant timestamptz := clock_timestamp();
    counted record;
    walked record;                                      -- a batch of push.content
    mark bigint := 0;
    batch bigint;
    forgotten bigint;
BEGIN
    IF NOT push_internal.take_lock('keys') THEN
        RETURN NULL;
    END IF;

    -- 1. Add what backends and rescues counted to its minute.
    FOR counted IN
        WITH moved AS (
            DELETE FROM push.tally t
             WHERE t.minute <> date_trunc('minute', t.minute)
               AND t.status IN ('duplicate', 'rejected', 'in_doubt', 'retrying', 'cancelled')
            RETURNING t.*
        ), summed AS (
            SELECT m.hub, date_trunc('minute', m.minute) AS minute, m.status, m.reason, sum(m.n)::bigint AS n
              FROM moved m
             GROUP BY 1, 2, 3, 4
        )
        SELECT s.minute, array_agg(s.hub) AS hubs, array_agg(s.status) AS statuses, array_agg(s.reason) AS reasons,
               array_agg(s.n) AS ns
          FROM summed s
         GROUP BY s.minute
         ORDER BY s.minute
    LOOP
        PERFORM push_internal.count_results(counted.hubs, counted.statuses, counted.reasons, counted.ns, counted.minute);
    END LOOP;

    -- 2. dedupe_key, oldest first. Keys that an INSERT has locked are in use and are skipped.
    DELETE FROM push.dedupe
     WHERE ctid = ANY (ARRAY(
               SELECT d.ctid
                 FROM push.dedupe d
                WHERE d.at < moment - (SELECT min(h.keep_dedupe) FROM push.hub h)
                  AND d.at < moment - (SELECT h.keep_dedupe FROM push.hub h WHERE h.id = d.hub)
                ORDER BY d.at
                LIMIT forget_keys_v1.n
                  FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS forgotten = ROW_COUNT;

    -- 3. content_key: rows that are old and final, whose key is free, and that no pointer stands for. Ids grow with
    -- time, so the loop ends at the first batch without an old row.
    WHILE forgotten < n LOOP
        SELECT count(*) AS seen,
               count(*) FILTER (WHERE k.at < moment - (SELECT min(h.keep_content) FROM push.hub h)) AS old,
               max(k.id) AS last,
               array_agg(k.id) FILTER (
                   WHERE k.at < moment - h.keep_content
                     AND push_internal.have_final_results(ARRAY[k.id])
                     AND (t.ids IS NULL OR t.at < moment - h.keep_content AND push_internal.have_final_results(t.ids))
                     AND d.id IS NULL) AS free
          INTO walked
          FROM (SELECT * FROM push.content k WHERE k.id > mark ORDER BY k.id LIMIT 1000) k
               CROSS JOIN LATERAL (SELECT h.keep_content FROM push.hub h WHERE h.id = k.hub OFFSET 0) h
               LEFT JOIN LATERAL (
                   SELECT t.at, t.ids
                     FROM push.content_taken t
                    WHERE (t.hub, t.tag, t.content_key, t.priority, t.tenant)
                        = (k.hub, k.tag, k.content_key, k.priority, k.tenant)
                   OFFSET 0) t ON true
               LEFT JOIN LATERAL (
                   SELECT d.id
                     FROM push.due d
                    WHERE (d.hub, d.priority, d.due_at, d.id) = (k.hub, k.priority, k.due_at, k.lead)
                      AND d.kind = 'k'
                   OFFSET 0) d ON true;
        EXIT WHEN walked.seen = 0;
        mark := walked.last;
        WITH deleted AS (
            DELETE FROM push.content
             WHERE id = ANY (ARRAY(
                       SELECT k.id FROM push.content k WHERE k.id = ANY (walked.free) FOR UPDATE SKIP LOCKED))
            RETURNING hub, tag, content_key, priority, tenant
        ), freed AS (
            DELETE FROM push.content_taken
             WHERE ctid = ANY (ARRAY(
                       SELECT x.row
                         FROM (SELECT DISTINCT * FROM deleted) k,
                              LATERAL (
                                  SELECT t.ctid AS row
                                    FROM push.content_taken t
                                   WHERE (t.hub, t.tag, t.content_key, t.priority, t.tenant)
                                       = (k.hub, k.tag, k.content_key, k.priority, k.tenant)
                                     AND t.at < moment - (SELECT h.keep_content FROM push.hub h WHERE h.id = k.hub)
                                     FOR UPDATE SKIP LOCKED) x))
        )
        SELECT count(*) INTO batch FROM deleted;
        forgotten := forgotten + batch;
        EXIT WHEN walked.old = 0;
    END LOOP;

    -- 4. Whom campaigns with a cap reached. Last, because it locks out who expands them.
    PERFORM push_internal.forget_reached();
    RETURN forgotten;
END $$;
COMMENT ON FUNCTION push_worker.forget_keys_v1 IS
    'Forgets about n dedupe_keys and content_keys whose time is over; returns how many, or null, with a notice: '
    'another session does it now. Workers call it every few minutes until it returns less than n. A content_key is '
    'kept while one of its messages is pending. Also drops partitions of push.reached whose time is over.';

CREATE OR REPLACE FUNCTION push_internal.open_messages(first bigint, last bigint) RETURNS TABLE (why text, n bigint, example bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT o.why, count(*), min(o.id)
      FROM (
        SELECT 'pending', coalesce(t.id, k.id, d.id)
          FROM push.due d
               LEFT JOIN push.translation t ON d.kind = 't' AND t.lead = d.id
               LEFT JOIN push.content k ON d.kind = 'k' AND k.lead = d.id
        UNION ALL
        SELECT 'held by a worker', u.id
          FROM push.claim c, unnest(c.ids) u(id)
        UNION ALL
        SELECT 'in doubt', r.id
          FROM push.result r
         WHERE r.status = 'in_doubt'
           AND NOT EXISTS (SELECT FROM push.result n WHERE n.id = r.id AND n.arrival > r.arrival OFFSET 0)
           ) o(why, id)
     WHERE o.id BETWEEN open_messages.first AND open_messages.last
     GROUP BY o.why
$$;
COMMENT ON FUNCTION push_internal.open_messages IS
    'Which messages in a range of ids are not final: why, how many, and one of them.';

CREATE OR REPLACE FUNCTION push_internal.is_final_before(id bigint, cutoff timestamptz) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT coalesce(
               (SELECT m.created_at < is_final_before.cutoff
                       AND coalesce(
                               (SELECT r.status NOT IN ('retrying', 'in_doubt') AND r.at < is_final_before.cutoff
                                  FROM push.result r
                                 WHERE r.id = m.id
                                 ORDER BY r.arrival DESC
                                 LIMIT 1),
                               false)
                  FROM push.message m
                 WHERE m.id = is_final_before.id),
               true)
$$;
COMMENT ON FUNCTION push_internal.is_final_before IS
    'Whether a message was enqueued and got its final result before a time, or does not exist.';

CREATE OR REPLACE FUNCTION push_internal.delete_messages(
    first bigint, last bigint, cutoff timestamptz, n int,
    OUT seen bigint, OUT old bigint, OUT deleted bigint, OUT mark bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    ids bigint[];
    held bigint[];
    locked bigint[];                                    -- an id for each of its results
    uncounted int8multirange;
    in_range text;
BEGIN
    EXECUTE format($sql$
        SELECT count(*), count(*) FILTER (WHERE m.created_at < $1), coalesce(max(m.id), %2$s) + 1,
               array_agg(m.id) FILTER (WHERE m.created_at < $1)
          FROM (SELECT id, created_at FROM push.message WHERE id BETWEEN %1$s AND %2$s ORDER BY id LIMIT %3$s) m
        $sql$, first, last, n)
       INTO seen, old, mark, ids
      USING cutoff;
    deleted := 0;
    IF old = 0 THEN
        RETURN;
    END IF;
    in_range := format('SELECT x.id FROM push.%%s x WHERE x.id BETWEEN %s AND %s AND x.id = ANY ($1) ORDER BY x.id '
                       '   FOR UPDATE SKIP LOCKED', first, mark - 1);

    -- 1. The locks. push.retry and push.resolve lock results before they send a message again, so what we cannot lock
    -- may be sent again now, and what we can lock nobody sends again.
    EXECUTE format('SELECT array_agg(m.id) FROM (%s) m', format(in_range, 'message')) INTO ids USING ids;
    EXECUTE format('SELECT array_agg(r.id) FROM (%s) r', format(in_range, 'result')) INTO locked USING ids;

    -- 2. A new snapshot: it has what was committed before we got the locks.
    held := ARRAY(SELECT u.id FROM push.claim c, unnest(c.ids) u(id) WHERE u.id BETWEEN first AND mark - 1);
    uncounted := coalesce(
        (SELECT range_agg(int8range(s.first_id, s.last_id, '[]')) FROM push_internal.uncounted_slices(first, mark - 1) s), '{}');
    ids := ARRAY(
        SELECT l.id
          FROM (SELECT u.id, count(*) AS n FROM unnest(locked) u(id) GROUP BY u.id) l
         WHERE l.n = (SELECT count(*) FROM push.result r WHERE r.id = l.id)
           AND l.id <> ALL (held)
           AND push_internal.is_final_before(l.id, cutoff)
           AND NOT EXISTS (SELECT FROM push.content k WHERE k.id = l.id)      -- until push_worker.forget_keys_v1 forgets the key
           AND NOT l.id <@ uncounted                                          -- until the slice of its run is counted
           AND NOT EXISTS (                                                   -- translations go together
               SELECT
                 FROM push.translation t,
                      LATERAL (SELECT s.id FROM push.translation s WHERE s.lead = t.lead AND s.id <> t.id OFFSET 0) s
                WHERE t.id = l.id
                  AND NOT push_internal.is_final_before(s.id, cutoff)));

    -- 3. The rows.
    PERFORM set_config('push.erasing', 'on', true);     -- the trigger of push.message refuses DELETE otherwise
    EXECUTE format('DELETE FROM push.message WHERE id BETWEEN %s AND %s AND id = ANY ($1)', first, mark - 1) USING ids;
    GET DIAGNOSTICS deleted = ROW_COUNT;
    PERFORM set_config('push.erasing', '', true);
    EXECUTE format('DELETE FROM push.result WHERE id BETWEEN %s AND %s AND id = ANY ($1)', first, mark - 1) USING ids;
    DELETE FROM push.translation                        -- not while push.retry gives the others a new lead
     WHERE id = ANY (ARRAY(SELECT t.id FROM push.translation t WHERE t.id = ANY (ids) FOR UPDATE SKIP LOCKED));
END $$;
COMMENT ON FUNCTION push_internal.delete_messages IS
    'Looks at the first n messages in a range of ids: seen, how many of them are old, how many it deleted with their '
    'results, and the id to go on from. Kept: what is not final, what became final after the cut-off, what a worker '
    'holds, what has a content_key that is remembered, translations of such, and what belongs to a slice of a run '
    'that is not counted yet.';

CREATE OR REPLACE FUNCTION push_internal.delete_posts(
    first bigint, last bigint, cutoff timestamptz, n int,
    OUT seen bigint, OUT old bigint, OUT deleted bigint, OUT mark bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    posts bigint[];
BEGIN
    EXECUTE format($sql$
        SELECT count(*), count(*) FILTER (WHERE p.at < $1), coalesce(max(p.id), %2$s) + 1,
               array_agg(p.id) FILTER (
                   WHERE p.at < $1
                     AND NOT EXISTS (SELECT FROM push.claim c WHERE c.id = push.claim_of(p.id))
                     AND NOT EXISTS (
                         SELECT
                           FROM unnest(p.ids) u(id),
                                LATERAL (SELECT FROM push.message m WHERE m.id = u.id OFFSET 0) m))
          FROM (SELECT x.*, sum(cardinality(x.ids)) OVER (ORDER BY x.id) - cardinality(x.ids) AS messages
                  FROM (SELECT id, at, ids FROM push.post WHERE id BETWEEN %1$s AND %2$s ORDER BY id LIMIT %3$s) x) p
         WHERE p.messages < %4$s
        $sql$, first, last, n, 10 * n::bigint)
       INTO seen, old, mark, posts
      USING cutoff;
    EXECUTE format('DELETE FROM push.answer WHERE post BETWEEN %s AND %s AND post = ANY ($1)', first, last) USING posts;
    EXECUTE format('DELETE FROM push.post WHERE id BETWEEN %s AND %s AND id = ANY ($1)', first, last) USING posts;
    GET DIAGNOSTICS deleted = ROW_COUNT;
END $$;
COMMENT ON FUNCTION push_internal.delete_posts IS
    'Looks at the first n posts in a range of ids, or fewer when they carry many messages: seen, how many of them are'
    ' old, how many it deleted with their answers, and the id to go on from. Kept: posts of messages that still '
    'exist, and of claims that a worker holds.';
