-- Ending what has expired of hubs that no living worker serves.

CREATE OR REPLACE FUNCTION push_worker.expire_unserved_v1(n int, after text DEFAULT NULL, OUT expired bigint, OUT next text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' SET datestyle = 'ISO'
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    mark   push.cancel_mark := coalesce(after, '(-32768,-32768,-infinity,0,,f,0)')::push.cancel_mark;
    walked record;
    locked record;
    keyed  record;
BEGIN
    WITH walk AS MATERIALIZED (
        SELECT d.*, h.expire_after
          FROM push.hub h,
               LATERAL (
                   SELECT d.ctid AS pointer, d.*
                     FROM push.due d
                    WHERE (d.hub, d.priority, d.due_at, d.id) > (mark.hub, mark.priority, mark.due_at, mark.id)
                      AND d.hub = h.id
                      AND d.due_at <= now()
                    ORDER BY d.hub, d.priority, d.due_at, d.id
                    LIMIT expire_unserved_v1.n) d
         WHERE h.id >= mark.hub
           AND h.name = ANY (push_worker.unserved_hubs_v1())
         ORDER BY d.hub, d.priority, d.due_at, d.id
         LIMIT expire_unserved_v1.n
    ), old AS MATERIALIZED (           -- a pointer ends when all messages that it stands for have expired
        SELECT w.pointer, w.id, w.kind
          FROM walk w,
               LATERAL (
                   SELECT w.id WHERE w.kind = 'p'
                   UNION ALL
                   SELECT t.id FROM push.translation t WHERE w.kind = 't' AND t.lead = w.id
                   UNION ALL
                   SELECT k.id FROM push.content k WHERE w.kind = 'k' AND k.lead = w.id) u(id),
               LATERAL (SELECT m.send_at, m.expires_at FROM push.message m WHERE m.id = u.id OFFSET 0) m
         GROUP BY w.pointer, w.id, w.kind
        HAVING max(CASE
                       WHEN w.resent THEN push_internal.expiry_when_resent(u.id, w.expire_after)
                       ELSE coalesce(m.expires_at, m.send_at + w.expire_after)
                   END) <= now()
    )
    SELECT array_agg(o.pointer) FILTER (WHERE o.kind <> 'k') AS pointers,
           array_agg(o.id) FILTER (WHERE o.kind <> 'k') AS ids,
           array_agg(o.id) FILTER (WHERE o.kind = 'k') AS keyed,
           (SELECT (array_agg(ROW (w.hub, w.priority, w.due_at, w.id, NULL, false, 0)::push.cancel_mark::text
                              ORDER BY w.hub DESC, w.priority DESC, w.due_at DESC, w.id DESC))[1]
              FROM walk w
            HAVING count(*) = expire_unserved_v1.n) AS next
      INTO walked
      FROM old o;
    next := walked.next;
    -- What another session holds, such as a backend that takes its message back, is left for the next look.
    SELECT array_agg(l.pointer) AS pointers, array_agg(l.id) AS ids
      INTO locked
      FROM (SELECT d.ctid AS pointer, d.id
              FROM push.due d
             WHERE d.ctid = ANY (walked.pointers)
               FOR UPDATE SKIP LOCKED) l
     WHERE CASE WHEN l.id IN (SELECT u.id FROM unnest(walked.ids) u(id)) THEN true END;      -- a hash, and never a join
    expired := push_internal.end_pointers(locked.pointers, locked.ids, 'expired', 'expired');
    FOR keyed IN
        SELECT k.id, k.hub FROM push.content k WHERE k.lead = ANY (walked.keyed) ORDER BY k.id
    LOOP
        IF push_internal.end_keyed(keyed.id, 'expired', 'expired', waits => false) THEN
            PERFORM push_internal.count_results(ARRAY[keyed.hub], '{expired}', '{expired}', '{1}');
            expired := expired + 1;
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION push_worker.expire_unserved_v1 IS
    'Ends what has expired of hubs that no living worker serves, because only a worker that serves a hub does so. One '
    'call looks at n due pointers: call it again with after => next until next is null.';
