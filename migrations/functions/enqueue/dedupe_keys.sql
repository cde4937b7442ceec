-- The messages behind a dedupe_key, and the lock of the key.

-- By push.message_search alone, a page range or two: the index of ids would read every row between.
CREATE OR REPLACE FUNCTION push_internal.same_transaction(first bigint, at timestamptz, dedupe_key text) RETURNS bigint[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_indexscan = off SET cpu_index_tuple_cost = 1000000 AS $$
    SELECT ARRAY(
        SELECT m.id
          FROM push.message m
         WHERE m.id BETWEEN same_transaction.first AND same_transaction.first + 100000
           AND m.created_at = same_transaction.at
           AND m.dedupe_key = same_transaction.dedupe_key)
$$;
COMMENT ON FUNCTION push_internal.same_transaction IS
    'Messages that one transaction enqueued with one dedupe_key, from the first on.';

CREATE OR REPLACE FUNCTION push_internal.messages_of_key(hub push.hub, dedupe_key text, key_tenant text, first bigint) RETURNS bigint[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    -- The rows of a hub localised by tags have nothing in common but their key, nor has a first row that was cancelled alone
    -- with its translations.
    RETURN (
        SELECT ARRAY(
            SELECT u.id
              FROM unnest(push_internal.with_contents(ARRAY[first])
                          || CASE
                                 WHEN hub.localization = 'tags' OR push_internal.newest_status(first) = 'cancelled'
                                 THEN push_internal.same_transaction(
                                          first,
                                          (SELECT d.at
                                             FROM push.dedupe d
                                            WHERE d.hub = messages_of_key.hub.id
                                              AND d.key = messages_of_key.dedupe_key
                                              AND d.tenant = key_tenant),
                                          dedupe_key)
                             END) u(id),
                   LATERAL (SELECT m.hub, m.dedupe_key FROM push.message m WHERE m.id = u.id OFFSET 0) m
             WHERE m.hub = messages_of_key.hub.name
               AND m.dedupe_key = messages_of_key.dedupe_key
               AND push_internal.newest_status(u.id) IS DISTINCT FROM 'duplicate'
             GROUP BY u.id
             ORDER BY u.id));
END $$;
COMMENT ON FUNCTION push_internal.messages_of_key IS
    'The messages of the content that has a dedupe_key, of which first was enqueued first (push.dedupe.id).';

CREATE OR REPLACE FUNCTION push_internal.lock_dedupe_key(hub int, dedupe_key text, key_tenant text) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    first bigint;
BEGIN
    LOOP
        SELECT d.id INTO first
          FROM push.dedupe d
         WHERE d.hub = lock_dedupe_key.hub
           AND d.key = lock_dedupe_key.dedupe_key
           AND d.tenant = key_tenant
           FOR UPDATE;
        EXIT WHEN FOUND OR NOT EXISTS (      -- the transaction that held it may have given the key to another message
            SELECT
              FROM push.dedupe d
             WHERE d.hub = lock_dedupe_key.hub
               AND d.key = lock_dedupe_key.dedupe_key
               AND d.tenant = key_tenant);
    END LOOP;
    RETURN first;
END $$;
COMMENT ON FUNCTION push_internal.lock_dedupe_key IS
    'Locks a dedupe_key and returns the first message that has it; null: none has. Waits for other backends that use the '
    'key, never for a worker.';
