-- A backend cancels what its own role enqueued.

CREATE OR REPLACE FUNCTION push_internal.newest_status(id bigint) RETURNS push.status
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    RETURN (
        SELECT r.status FROM push.result r WHERE r.id = newest_status.id ORDER BY r.arrival DESC LIMIT 1);
END $$;
COMMENT ON FUNCTION push_internal.newest_status IS 'The status of the newest result of a message; null: none.';

CREATE OR REPLACE FUNCTION push_internal.own_among(ids bigint[]) RETURNS bigint[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN (
        SELECT ARRAY(
            SELECT DISTINCT m.id
              FROM unnest(own_among.ids) u(id),
                   LATERAL (
                       SELECT m.id
                         FROM push.message m
                        WHERE m.id = u.id
                          AND m.enqueued_by = (SELECT push_internal.caller())
                          AND m.stream IS NULL
                       OFFSET 0) m
             ORDER BY m.id));
END $$;
COMMENT ON FUNCTION push_internal.own_among IS
    'Those of these messages that the caller''s own role enqueued; never one of a campaign''s run.';

CREATE OR REPLACE FUNCTION push_internal.ids_of(ids text) RETURNS bigint[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ids LIKE '{%' THEN ids::bigint[] ELSE ARRAY[ids::bigint] END;
COMMENT ON FUNCTION push_internal.ids_of IS 'Ids from a text: ''{1,2}'' or ''1''.';

CREATE OR REPLACE FUNCTION push_internal.with_contents(ids bigint[]) RETURNS bigint[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN (
        SELECT ARRAY(
            SELECT u.id
              FROM unnest(push_internal.with_translations(with_contents.ids)) u(id)
            UNION
            SELECT s.id
              FROM unnest(with_contents.ids) u(id),
                   LATERAL (SELECT k.* FROM push.content k WHERE k.id = u.id OFFSET 0) k,
                   LATERAL (
                       SELECT s.id
                         FROM push.content s
                        WHERE s.hub = k.hub
                          AND s.tag = k.tag
                          AND s.content_key = k.content_key
                          AND s.priority = k.priority
                          AND s.tenant = k.tenant
                       OFFSET 0) s
             ORDER BY 1));
END $$;
COMMENT ON FUNCTION push_internal.with_contents IS
    'These messages and the others of their contents, also those that are joined by a content_key.';

CREATE OR REPLACE FUNCTION push.cancel_own(ids bigint[], translations boolean DEFAULT false) RETURNS TABLE (id bigint, answer text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    others constant bigint[] := CASE
        WHEN translations
        THEN push_internal.own_among(ARRAY(SELECT unnest(push_internal.with_contents(ids)) EXCEPT SELECT unnest(ids)))
    END;
    asked constant bigint[] := cancel_own.ids || others;
    own constant bigint[] := push_internal.own_among(asked);
    taken bigint[];
BEGIN
    PERFORM push_internal.require_read_committed('push.cancel_own');
    taken := push_internal.take_back(
        ARRAY(SELECT u.id
                FROM unnest(own) u(id)
               WHERE coalesce(push_internal.newest_status(u.id), 'retrying') = 'retrying'),
        whole => false);
    IF taken <> '{}' THEN
        PERFORM push_internal.end_taken_back(
            taken, 'cancelled_by_caller',
            array_fill(format('Cancelled by %s, who enqueued it.', push_internal.caller()), ARRAY[cardinality(taken)]));
    END IF;
    RETURN QUERY
    SELECT u.id,
           CASE
               WHEN u.id IS NULL OR u.id NOT IN (SELECT o.id FROM unnest(own) o(id)) THEN 'unknown'
               WHEN push_internal.newest_status(u.id) = 'cancelled' THEN 'cancelled'
               ELSE 'too_late'
           END
      FROM unnest(asked) WITH ORDINALITY u(id, n)
     ORDER BY u.n;
END $$;

CREATE OR REPLACE FUNCTION push.cancel_own(id bigint, translations boolean DEFAULT false) RETURNS TABLE (id bigint, answer text)
LANGUAGE sql ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM push.cancel_own(ARRAY[$1], $2)
$$;

-- A literal, and what a driver sends without a type, comes here: PostgreSQL would not know which of the others is meant.
CREATE OR REPLACE FUNCTION push.cancel_own(ids text, translations boolean DEFAULT false) RETURNS TABLE (id bigint, answer text)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM push.cancel_own(push_internal.ids_of($1), $2)
$$;

CREATE OR REPLACE FUNCTION push.cancel_own(dedupe_key text, hub text, tenant text DEFAULT NULL) RETURNS TABLE (id bigint, answer text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    place push.hub;
    key_tenant text;
    first bigint;
    own bigint[];
BEGIN
    PERFORM push_internal.require_read_committed('push.cancel_own');
    IF push_internal.is_name(dedupe_key) IS NOT TRUE OR NOT push_internal.is_name(tenant) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.cancel_own: no message has the %s',
                             CASE WHEN push_internal.is_name(dedupe_key) THEN 'tenant ' || left(to_json(tenant)::text, 60)
                                  ELSE 'dedupe_key ' || coalesce(left(to_json(dedupe_key)::text, 60), 'NULL') END),
            HINT = 'SELECT id, answer FROM push.cancel_own(dedupe_key => ''order-17'', hub => ''news'').';
    END IF;
    SELECT h.* INTO place FROM push.hub h WHERE h.id = push_internal.hub_number(cancel_own.hub);
    key_tenant := push_internal.key_tenant(place.keys_per_tenant, tenant);
    first := push_internal.lock_dedupe_key(place.id, dedupe_key, key_tenant);
    -- A statement of its own, which sees what was enqueued while we waited for the lock.
    own := push_internal.own_among(push_internal.messages_of_key(place, dedupe_key, key_tenant, first));
    IF own = '{}' THEN
        RETURN QUERY SELECT NULL::bigint, 'unknown';
    ELSE
        RETURN QUERY SELECT c.id, c.answer FROM push.cancel_own(own) c;
    END IF;
END $$;

DO $$
DECLARE
    name regprocedure;
BEGIN
    FOR name IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = 'push'::regnamespace AND p.proname = 'cancel_own' LOOP
        EXECUTE format('COMMENT ON FUNCTION %s IS %L', name,
            'Stops messages that the caller''s own role enqueued (push.message.enqueued_by): by their ids, or all of the '
            'content that has a dedupe_key. For each: cancelled (it will not be sent), too_late (a worker has it, it was '
            'posted, or it ended otherwise), or unknown (never enqueued, not yours, or purged; without an id: so is the '
            'key). Other translations of a message are still sent, unless translations is true. Never waits for a '
            'worker, and no worker waits for the caller''s transaction. tenant: where the hub keeps keys per tenant.');
    END LOOP;
END $$;
