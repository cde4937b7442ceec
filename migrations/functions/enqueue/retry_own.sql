-- A backend sends again what its own role enqueued, and what never left.

CREATE OR REPLACE FUNCTION push_internal.why_not_retried(id bigint) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    message record;
    newest  record;
BEGIN
    SELECT m.content, m.dedupe_key INTO message
      FROM push.message m
     WHERE m.id = why_not_retried.id;
    SELECT r.status, r.reason INTO newest
      FROM push.result r
     WHERE r.id = why_not_retried.id
     ORDER BY r.arrival DESC
     LIMIT 1;
    RETURN CASE
        WHEN coalesce(newest.status, 'retrying') = 'retrying' THEN 'pending'
        WHEN newest.status NOT IN ('expired', 'cancelled') THEN newest.status::text
        WHEN push_internal.may_have_left(id) THEN 'in_doubt'
        WHEN newest.reason = 'replaced' OR message.dedupe_key IS NOT NULL AND push_internal.has_lost_its_key(id) THEN 'replaced'
        WHEN push_internal.is_erased(message.content) THEN 'erased'
        WHEN push_internal.has_pending_translations(id) THEN 'pending'
    END;
END $$;
COMMENT ON FUNCTION push_internal.why_not_retried IS
    'Why push.retry_own does not send a message of the caller''s again, in one word; null: it does.';

CREATE OR REPLACE FUNCTION push.retry_own(ids bigint[]) RETURNS TABLE (id bigint, answer text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    own constant bigint[] := push_internal.own_among(push_internal.with_contents(ids));
    answers text[];
    retried bigint[];
BEGIN
    PERFORM push_internal.require_read_committed('push.retry_own');
    -- A call that gives the key of a message to another one locks the key first, and one that sends a message again locks what it
    -- ended with. The statements after these two see what they did.
    PERFORM
       FROM push.dedupe d
      WHERE d.ctid = ANY (ARRAY(
                SELECT d.ctid
                  FROM unnest(own) u(id),
                       LATERAL (SELECT m.* FROM push.message m WHERE m.id = u.id AND m.dedupe_key IS NOT NULL OFFSET 0) m,
                       LATERAL (SELECT h.id, h.keys_per_tenant FROM push.hub h WHERE h.name = m.hub OFFSET 0) h,
                       LATERAL (
                           SELECT d.ctid
                             FROM push.dedupe d
                            WHERE d.hub = h.id
                              AND d.key = m.dedupe_key
                              AND d.tenant = push_internal.key_tenant(h.keys_per_tenant, m.tenant)
                           OFFSET 0) d))
      ORDER BY d.hub, d.key, d.tenant
        FOR UPDATE;
    PERFORM
       FROM push.result r
      WHERE r.id = ANY (own)
        AND r.status::text IN ('expired', 'cancelled')      -- text, or the index of all failures by time may be read whole
      ORDER BY r.id, r.arrival
        FOR UPDATE;
    answers := ARRAY(
        SELECT CASE
                   WHEN u.id IS NULL OR u.id NOT IN (SELECT o.id FROM unnest(own) o(id)) THEN 'unknown'
                   ELSE coalesce(push_internal.why_not_retried(u.id), 'retried')
               END
          FROM unnest(ids) WITH ORDINALITY u(id, n)
         ORDER BY u.n);
    retried := ARRAY(SELECT u.id FROM unnest(own) u(id) WHERE push_internal.why_not_retried(u.id) IS NULL);
    IF retried <> '{}' THEN            -- counted under a minute of its own: no worker waits for this row of push.tally
        PERFORM push_internal.send_again(retried, clock_timestamp());
    END IF;
    RETURN QUERY SELECT a.id, a.answer FROM unnest(ids, answers) a(id, answer);
END $$;

CREATE OR REPLACE FUNCTION push.retry_own(id bigint) RETURNS TABLE (id bigint, answer text)
LANGUAGE sql ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM push.retry_own(ARRAY[$1])
$$;

CREATE OR REPLACE FUNCTION push.retry_own(ids text) RETURNS TABLE (id bigint, answer text)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM push.retry_own(push_internal.ids_of($1))
$$;

DO $$
DECLARE
    name regprocedure;
BEGIN
    FOR name IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = 'push'::regnamespace AND p.proname = 'retry_own' LOOP
        EXECUTE format('COMMENT ON FUNCTION %s IS %L', name,
            'Sends messages again that the caller''s own role enqueued and that ended expired or cancelled before they '
            'left: ten new attempts, and the hub''s expire_after from now on. Translations of one content go together. For '
            'each id: retried, unknown (never enqueued, not yours, or purged), pending (it, or a translation of it, waits '
            'or is with a worker), accepted, rejected, duplicate, in_doubt (a post of it may have arrived), replaced (a '
            'later message has its dedupe_key), or erased.');
    END LOOP;
END $$;
