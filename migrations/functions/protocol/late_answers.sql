-- Answers that come after their claim was rescued.

CREATE OR REPLACE FUNCTION push_internal.lock_doubts(posts bigint[]) RETURNS bigint[]
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
COMMENT ON FUNCTION push_internal.lock_doubts IS
    'Before late answers: push.resolve may run at the same moment, and the first session to lock a doubt decides it. '
    'Locks the doubts about these posts, without waiting; returns the claims of those that another session holds.';

CREATE OR REPLACE FUNCTION push_internal.settle_late(
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
    PERFORM push_internal.reopen_slices(array_agg(m.id))
       FROM unnest(posts) u(post),
            LATERAL (SELECT p.ids FROM push.post p WHERE p.id = u.post OFFSET 0) p,
            unnest(p.ids) m(id)
     HAVING count(*) > 0;
    PERFORM push_internal.write_results(
                array_agg(u.id), array_agg(a.post), array_agg(coalesce(a.status, 'retrying')::push.status),
                array_agg(coalesce(a.reason, 'not_sent')::push.reason),
                array_agg(moment + make_interval(secs => coalesce(a.delay, 0))), array_agg(a.note),
                array_agg(p.hub), array_agg(m.priority), array_agg(0::smallint),
                array_agg(push_internal.expiry_when_resent(u.id, '0') IS NOT NULL), arrived)
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
COMMENT ON FUNCTION push_internal.settle_late IS
    'Settles doubts by answers that came after their claim was rescued: only messages that are in doubt because of '
    'this very post. A message that the hub turns out not to have taken goes back to push.due, and so does every '
    'message of a post that the hub refused as a whole (a null status); attempts were lost with the claim and start '
    'again. The caller holds the locks of the doubts.';
