-- Taking messages back for a backend, whose transaction may stay open for long.

-- So this waits for nobody and holds nothing that a worker waits for: claims, gathering and tidying up pass over pointers and
-- rows of push.content that are locked, and what is in a claim stays there. Three statements, each with a new snapshot.
CREATE OR REPLACE FUNCTION push_internal.take_back(ids bigint[], whole boolean) RETURNS bigint[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    keyed  bigint[];              -- messages that no worker has gathered
    locked tid[];                 -- the pointers of the others
    found  record;
BEGIN
    keyed := ARRAY(
        SELECT l.id
          FROM (SELECT DISTINCT u.id FROM unnest(ids) u(id)) u,
               LATERAL (SELECT k.id FROM push.content k WHERE k.id = u.id OFFSET 0) k,
               LATERAL (SELECT l.id FROM push_internal.lock_keyed(k.id, waits => false) l OFFSET 0) l
         WHERE l.id IS NOT NULL);
    locked := ARRAY(
        SELECT p.row
          FROM (SELECT DISTINCT coalesce(t.lead, u.id) AS lead, h.id AS hub, m.priority
                  FROM unnest(ids) u(id)
                       LEFT JOIN LATERAL (SELECT t.lead FROM push.translation t WHERE t.id = u.id OFFSET 0) t ON true,
                       LATERAL (SELECT m.hub, m.priority FROM push.message m WHERE m.id = u.id OFFSET 0) m,
                       LATERAL (SELECT h.id FROM push.hub h WHERE h.name = m.hub OFFSET 0) h) c,
               LATERAL (
                   SELECT d.ctid AS row
                     FROM push.due d
                    WHERE d.hub = c.hub
                      AND d.priority = c.priority
                      AND d.due_at = push.due_at_of(c.lead)
                      AND d.id = c.lead
                      AND d.kind <> 'k'
                      FOR UPDATE SKIP LOCKED) p);
    -- Translations that are not asked for are still sent.
    SELECT coalesce(array_agg(m.id) FILTER (WHERE m.is_asked), '{}') AS ids,
           array_agg(m.row) FILTER (WHERE m.is_asked) AS pointers,
           coalesce(array_agg(m.id) FILTER (WHERE NOT m.is_asked), '{}') AS others,
           array_agg(m.hub) FILTER (WHERE NOT m.is_asked) AS hubs,
           array_agg(m.priority) FILTER (WHERE NOT m.is_asked) AS priorities,
           array_agg(m.attempt) FILTER (WHERE NOT m.is_asked) AS attempts,
           array_agg(push.due_at_of(m.id)) FILTER (WHERE NOT m.is_asked) AS due_ats,
           coalesce(array_agg(m.id) FILTER (WHERE NOT m.is_asked AND m.resent), '{}') AS resent
      INTO found
      FROM (SELECT m.*, bool_or(m.is_asked) OVER (PARTITION BY m.lead) AS is_meant
              FROM (SELECT d.ctid AS row, d.id AS lead, d.hub, d.priority, d.attempt, d.resent, x.id,
                           x.id IN (SELECT u.id FROM unnest(ids) u(id)) AS is_asked
                      FROM push.due d,
                           LATERAL (
                               SELECT d.id
                                WHERE d.kind = 'p'
                               UNION ALL
                               SELECT t.id
                                 FROM push.translation t
                                WHERE d.kind = 't'
                                  AND t.lead = d.id) x(id)
                     WHERE d.ctid = ANY (locked)) m) m
     WHERE m.is_meant;
    IF whole AND cardinality(keyed || found.ids) < (SELECT count(DISTINCT u.id) FROM unnest(ids) u(id)) THEN
        RETURN '{}';
    END IF;
    DELETE FROM push.due d WHERE d.ctid = ANY (found.pointers);
    IF found.others <> '{}' THEN
        PERFORM push_internal.return_messages(
            found.hubs, found.priorities, found.others, found.attempts, found.due_ats, found.resent);
    END IF;
    RETURN keyed || found.ids;
END $$;
COMMENT ON FUNCTION push_internal.take_back IS
    'Takes those of these pending messages out of the queue that no worker has and nobody else holds; returns which. The '
    'caller then ends them (push_internal.end_taken_back). whole: all of them, or none.';

CREATE OR REPLACE FUNCTION push_internal.end_taken_back(ids bigint[], reason push.reason, notes text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    -- Counted under a minute of its own: no worker waits for this row of push.tally.
    PERFORM push_internal.end_messages_without_pointer(ids, 'cancelled', reason, notes, clock_timestamp());
    PERFORM push_internal.drop_spent_pointer(k.key)
       FROM unnest(ids) u(id),
            LATERAL (SELECT k AS key FROM push.content k WHERE k.id = u.id OFFSET 0) k;
END $$;
COMMENT ON FUNCTION push_internal.end_taken_back IS 'Ends messages that push_internal.take_back took, as cancelled.';
