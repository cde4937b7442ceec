-- The intent: posts are written before their first byte leaves.

CREATE OR REPLACE FUNCTION push_internal.require_durable_commit() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
        PERFORM set_config('synchronous_commit', 'on', true);         -- until the end of the transaction
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.require_durable_commit IS
    'Makes the commit of this transaction wait until no crash can undo it, whatever the database''s setting.';

CREATE OR REPLACE FUNCTION push_internal.repeat_intent(
    claim   bigint,
    hub     int,
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
           LATERAL (SELECT t.ids FROM push.post t WHERE t.id = push_internal.post_id(claim, p.n) OFFSET 0) t
     WHERE t.ids <> repeat_intent.ids[p.first:p.last]
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'unique_violation', SCHEMA = 'push', TABLE = 'post',
            MESSAGE = format('post %s of claim %s was written for other messages', other.n, claim),
            DETAIL = format('It carries %s.', left(other.ids::text, 200));
    END IF;
    INSERT INTO push.post (id, hub, target, bytes, ids)
    SELECT push_internal.post_id(claim, p.n), repeat_intent.hub, p.target, p.bytes, ids[p.first:p.last]
      FROM unnest(n, first, last, targets, bytes) p(n, first, last, target, bytes)
        ON CONFLICT DO NOTHING;
END $$;
COMMENT ON FUNCTION push_internal.repeat_intent IS
    'Writes the posts that are not there yet: the intent is repeated, because the answer to its commit was lost. '
    'Raises 23505 if a post is there for other messages.';

CREATE OR REPLACE FUNCTION push_worker.intent_v1(
    claim   bigint,
    worker  int,
    epoch   int,
    n       int[],
    first   int[],
    last    int[],
    ids     bigint[],
    targets text[],
    bytes   int[],
    waits   boolean DEFAULT true,
    OUT alive     boolean,
    OUT written   int[],
    OUT cancelled bigint[],
    OUT busy      boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    held record;
BEGIN
    -- A post must not leave before a crash can no longer undo its intent.
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
        PERFORM push_internal.require_durable_commit();
    END IF;
    IF (1 <= ALL (n) AND push.last_post(0) >= ALL (n)) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('posts of a claim are numbered from 1 to %s', push.last_post(0));
    END IF;
    -- The lock is the fence: rescue deletes this row and cancel updates it, so they wait for us or we for them. With an
    -- EXISTS test, or FOR KEY SHARE, a message that was just rescued or cancelled would still be sent (tried). The wait
    -- ends after lock_timeout: a cancel in an open transaction may hold the row, and the rest of the lane must go on.
    IF waits THEN
        SELECT c.hub, c.cancelled
          INTO held
          FROM push.claim c
         WHERE c.id = claim AND c.worker = intent_v1.worker AND c.epoch = intent_v1.epoch
           FOR SHARE;
    ELSE
        SELECT c.hub, c.cancelled
          INTO held
          FROM push.claim c
         WHERE c.id = claim AND c.worker = intent_v1.worker AND c.epoch = intent_v1.epoch
           FOR SHARE SKIP LOCKED;
    END IF;
    alive := FOUND;
    busy := false;
    IF NOT alive THEN
        -- A statement of its own: a claim that was deleted meanwhile is not busy.
        busy := NOT waits AND EXISTS (
            SELECT FROM push.claim c
             WHERE c.id = claim AND c.worker = intent_v1.worker AND c.epoch = intent_v1.epoch);
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
        SELECT push_internal.post_id(claim, p.n), held.hub, p.target, p.bytes, folded.ids[p.first:p.last]
          FROM folded, unnest(n, first, last, targets, bytes) p(n, first, last, target, bytes)
         WHERE held.cancelled = '{}' OR p.n = ANY (written);
    EXCEPTION WHEN unique_violation THEN
        PERFORM push_internal.repeat_intent(
                    claim, held.hub, array_agg(p.n), array_agg(p.first), array_agg(p.last), ids,
                    array_agg(p.target), array_agg(p.bytes))
           FROM unnest(n, first, last, targets, bytes) p(n, first, last, target, bytes)
          WHERE p.n = ANY (written);
    END;
END $$;
COMMENT ON FUNCTION push_worker.intent_v1 IS
    'Writes the posts that may leave now; post n (1 to 9,999) carries ids[first:last]. alive is false when the '
    'claim was rescued or is not this worker''s: post nothing. Posts with a cancelled message are left out. '
    'SQLSTATE 55P03, or with waits false at once busy: another session holds the claim; post nothing of it now. '
    '23505: a post was written for other messages.';

CREATE OR REPLACE FUNCTION push_worker.intents_v1(
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
    hubs int[];
    have_cancelled boolean;
BEGIN
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
        PERFORM push_internal.require_durable_commit();
    END IF;
    IF EXISTS (SELECT FROM unnest(posts) u(post) WHERE push.is_no_post(u.post)) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('posts of a claim are numbered from 1 to %s', push.last_post(0));
    END IF;
    -- The lock is the fence, as in push_worker.intent_v1. It never waits: the claims are of many hubs, and a cancel in an open
    -- transaction may hold one of them for long. In order, like push_worker.complete_v1.
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
        PERFORM push_internal.repeat_intent(
                    c.id, c.hub, array_agg((p.post - push_internal.post_id(c.id, 0))::int), array_agg(p.first),
                    array_agg(p.last), ids, array_agg(p.target), array_agg(p.bytes))
           FROM unnest(posts, first, last, targets, bytes) p(post, first, last, target, bytes)
                JOIN unnest(alive, hubs) c(id, hub) ON c.id = push.claim_of(p.post)
          WHERE NOT ids[p.first:p.last] && cancelled
          GROUP BY c.id, c.hub;
    END;
END $$;
COMMENT ON FUNCTION push_worker.intents_v1 IS
    'push_worker.intent_v1 for several claims: writes the posts that may leave now; the i-th carries '
    'ids[first[i]:last[i]]. Posts of claims that are alive were written, but for those with a cancelled message. '
    'busy: another session holds the claim, and nothing of it was written; it does not wait for that. A claim that '
    'is in neither was rescued, or is not this worker''s: post nothing. 23505: a post was written for other '
    'messages; nothing was written.';
