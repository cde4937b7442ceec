-- Fanfare, migration 53: For workers with many hubs: intents of several claims in one statement, and one look for all
-- hubs that have been quiet.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.intents_v1(
    worker  int,
    epoch   int,
    claims  bigint[],
    posts   bigint[],
    first   int[],
    last    int[],
    ids     bigint[],
    targets text[],
    bytes   int[],
    OUT alive     bigint[],
    OUT busy      bigint[],
    OUT cancelled bigint[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    hubs smallint[];
    have_cancelled boolean;
BEGIN
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
        PERFORM push.require_durable_commit();
    END IF;
    IF EXISTS (SELECT FROM unnest(posts) u(post) WHERE push.is_no_post(u.post)) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('posts of a claim are numbered from 1 to %s', push.last_post(0));
    END IF;
    -- The lock is the fence, as in push.intent_v1. It never waits: the claims are of many hubs, and a cancel in an open
    -- transaction may hold one of them for long. In order, like push.complete_v1.
    SELECT array_agg(c.id), array_agg(c.hub), bool_or(c.cancelled <> '{}')
      INTO alive, hubs, have_cancelled
      FROM (SELECT c.id, c.hub, c.cancelled
              FROM push.claim c
             WHERE c.id = ANY (claims) AND c.worker = intents_v1.worker AND c.epoch = intents_v1.epoch
             ORDER BY c.id
               FOR SHARE SKIP LOCKED) c;
    alive := coalesce(alive, '{}');
    busy := '{}';
    cancelled := '{}';
    IF cardinality(alive) < cardinality(claims) THEN
        -- A statement of its own: a claim that was deleted meanwhile is not busy.
        busy := ARRAY(
            SELECT c.id
              FROM push.claim c
             WHERE c.id = ANY (claims) AND c.worker = intents_v1.worker AND c.epoch = intents_v1.epoch
               AND c.id <> ALL (alive));
    END IF;
    IF have_cancelled THEN
        cancelled := ARRAY(SELECT m.id FROM push.claim c, unnest(c.cancelled) m(id) WHERE c.id = ANY (alive));
    END IF;
    BEGIN
        WITH folded AS MATERIALIZED (SELECT intents_v1.ids AS ids)
        INSERT INTO push.post (id, hub, target, bytes, ids)
        SELECT p.post, c.hub, p.target, p.bytes, folded.ids[p.first:p.last]
          FROM folded, unnest(posts, first, last, targets, bytes) p(post, first, last, target, bytes)
               JOIN unnest(alive, hubs) c(id, hub) ON c.id = push.claim_of(p.post)
         WHERE cancelled = '{}' OR NOT folded.ids[p.first:p.last] && cancelled;
    EXCEPTION WHEN unique_violation THEN
        PERFORM push.repeat_intent(
                    c.id, c.hub, array_agg((p.post - push.post_id(c.id, 0))::int), array_agg(p.first),
                    array_agg(p.last), ids, array_agg(p.target), array_agg(p.bytes))
           FROM unnest(posts, first, last, targets, bytes) p(post, first, last, target, bytes)
                JOIN unnest(alive, hubs) c(id, hub) ON c.id = push.claim_of(p.post)
          WHERE NOT ids[p.first:p.last] && cancelled
          GROUP BY c.id, c.hub;
    END;
END $$;
COMMENT ON FUNCTION push.intents_v1 IS
    'push.intent_v1 for several claims: writes the posts that may leave now; the i-th carries ids[first[i]:last[i]]. '
    'Posts of claims that are alive were written, but for those with a cancelled message. busy: another session holds '
    'the claim, and nothing of it was written; it does not wait for that. A claim that is in neither was rescued, or '
    'is not this worker''s: post nothing. 23505: a post was written for other messages; nothing was written.';

CREATE FUNCTION push.due_lanes_v1(OUT hubs smallint[], OUT priorities smallint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
#variable_conflict use_column
BEGIN
    -- From one hub and priority that has a pointer to the next: what has none costs nothing. Without marks: it reads the
    -- dead entries of busy hubs, so push.look_v1 is for lanes that work now and then.
    WITH RECURSIVE lane AS (
        (SELECT d.hub, d.priority, d.due_at
           FROM push.due d
          ORDER BY d.hub, d.priority, d.due_at, d.id
          LIMIT 1)
        UNION ALL
        SELECT n.hub, n.priority, n.due_at
          FROM lane l,
               LATERAL (
                   SELECT d.hub, d.priority, d.due_at
                     FROM push.due d
                    WHERE (d.hub, d.priority) > (l.hub, l.priority)
                    ORDER BY d.hub, d.priority, d.due_at, d.id
                    LIMIT 1) n
    )
    SELECT coalesce(array_agg(l.hub), '{}'), coalesce(array_agg(l.priority), '{}')
      INTO hubs, priorities
      FROM lane l
     WHERE l.due_at <= now();
END $$;
COMMENT ON FUNCTION push.due_lanes_v1 IS
    'Every hub and priority that has something due, of all workers. Costs as much as there are of them, and nothing '
    'for those without a pointer.';

SELECT push.grant_roles();

INSERT INTO push.migration (version, name, works_from) VALUES (53, 'many_hubs', 61);
