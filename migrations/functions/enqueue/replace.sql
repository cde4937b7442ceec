-- replace => true: a message takes the place of one that still waits under its dedupe_key.

CREATE OR REPLACE FUNCTION push_internal.may_have_left(id bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    RETURN (
        SELECT EXISTS (
            SELECT
              FROM push.result r
             WHERE r.id = may_have_left.id
               AND (r.status IN ('accepted', 'in_doubt') OR r.reason = 'resent')));
END $$;
COMMENT ON FUNCTION push_internal.may_have_left IS
    'Whether a hub may have taken a message at any time, whatever became of it later.';

CREATE OR REPLACE FUNCTION push_internal.replacements_in(messages json)
RETURNS TABLE (hub int, dedupe_key text, key_tenant text, numbers int[])
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    wrong record;
BEGIN
    SELECT m.n, m.tag, m.locale, m.dedupe_key, count(*) OVER () AS total, m.content_key, m.earlier INTO wrong
      FROM (SELECT e.n, e.value ->> 'tag' AS tag, e.value ->> 'locale' AS locale, e.value ->> 'dedupe_key' AS dedupe_key,
                   e.value ->> 'content_key' AS content_key, (e.value ->> 'replace')::boolean AS is_replacing,
                   bool_or((e.value ->> 'replace')::boolean) OVER same AS same_is_replacing,
                   first_value(e.n) OVER same AS earlier
              FROM json_array_elements(messages) WITH ORDINALITY e(value, n)
            WINDOW same AS (
                PARTITION BY e.value ->> 'hub', e.value ->> 'dedupe_key', e.value ->> 'tenant', lower(e.value ->> 'locale')
                ORDER BY e.n
                ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)) m
     WHERE m.is_replacing AND (m.dedupe_key IS NULL OR m.content_key IS NOT NULL)
        OR m.same_is_replacing AND m.dedupe_key IS NOT NULL AND m.earlier < m.n
     ORDER BY m.n
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = push_internal.row_name(wrong.tag, wrong.locale, wrong.n, json_array_length(messages), wrong.n::int) || CASE
                WHEN wrong.dedupe_key IS NULL THEN 'replace is true, and there is no dedupe_key'
                WHEN wrong.content_key IS NOT NULL THEN 'replace is true beside a content_key'
                ELSE format('its dedupe_key, which is replaced, is also that of message %s', wrong.earlier)
            END,
            HINT = CASE
                WHEN wrong.dedupe_key IS NULL THEN 'What waits under the dedupe_key is replaced: give the one of the earlier message.'
                WHEN wrong.content_key IS NOT NULL
                THEN 'Give all translations at once: {"dedupe_key": "k", "replace": true, "translations": {"en": {...}, "fr": {...}}}.'
                ELSE 'Put a key that is replaced into a list once.'
            END;
    END IF;
    RETURN QUERY                          -- in the order in which push_internal.take_dedupe_keys takes keys
    SELECT h.id, m.dedupe_key, k.tenant, array_agg(m.n::int)
      FROM (SELECT e.n, e.value ->> 'hub' AS hub, e.value ->> 'dedupe_key' AS dedupe_key, e.value ->> 'tenant' AS tenant
              FROM json_array_elements(messages) WITH ORDINALITY e(value, n)
             WHERE (e.value ->> 'replace')::boolean) m
           JOIN push.hub h ON h.name = m.hub AND h.removed_at IS NULL,
           LATERAL (SELECT push_internal.key_tenant(h.keys_per_tenant, m.tenant)) k(tenant)
     WHERE push_internal.is_name(m.dedupe_key)
       AND push_internal.is_name(m.tenant) IS NOT FALSE
     GROUP BY h.id, m.dedupe_key, k.tenant
     ORDER BY 1, 2, 3;
END $$;
COMMENT ON FUNCTION push_internal.replacements_in IS
    'The keys that objects of a list for push.enqueue_many replace, and the numbers of those objects. Refuses a list in which '
    'it is not clear what is replaced by what. Keys and hubs that the trigger refuses are left out.';

CREATE OR REPLACE FUNCTION push_internal.replace_keys(messages json)
RETURNS TABLE (numbers int[], replaced bigint, taken bigint[])
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    key record;
    place push.hub;
    first bigint;
    ids bigint[];
    waiting bigint[];
BEGIN
    PERFORM push_internal.require_read_committed('replace');
    FOR key IN SELECT r.* FROM push_internal.replacements_in(messages) r LOOP
        LOOP                              -- the key is ours until the end of the transaction, whether it was free or not
            first := push_internal.lock_dedupe_key(key.hub, key.dedupe_key, key.key_tenant);
            EXIT WHEN first IS NOT NULL;
            INSERT INTO push.dedupe (hub, key, tenant, id)
            VALUES (key.hub, key.dedupe_key, key.key_tenant, 0)
                ON CONFLICT DO NOTHING;
            EXIT WHEN FOUND;
        END LOOP;
        numbers := key.numbers;
        replaced := NULL;
        taken := '{}';
        IF first IS NOT NULL THEN
            SELECT h.* INTO place FROM push.hub h WHERE h.id = key.hub;
            ids := push_internal.messages_of_key(place, key.dedupe_key, key.key_tenant, first);
            waiting := ARRAY(
                SELECT u.id
                  FROM unnest(ids) u(id)
                 WHERE coalesce(push_internal.newest_status(u.id), 'retrying') = 'retrying');
            -- Too late: it may have left, a worker has it, it is gone, or it is another role's. Then it keeps its key.
            CONTINUE WHEN ids = '{}'
                OR cardinality(push_internal.own_among(ids)) < cardinality(ids)
                OR EXISTS (SELECT FROM unnest(ids) u(id) WHERE push_internal.may_have_left(u.id));
            taken := push_internal.take_back(waiting, whole => true);
            CONTINUE WHEN taken = '{}' AND waiting <> '{}';
            replaced := CASE WHEN waiting <> '{}' THEN first END;
        END IF;
        DELETE FROM push.dedupe d
         WHERE d.hub = key.hub
           AND d.key = key.dedupe_key
           AND d.tenant = key.key_tenant;
        IF replaced IS NOT NULL THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION push_internal.replace_keys IS
    'Frees the keys that objects of a list for push.enqueue_many replace, unless it is too late. For each that has something to '
    'replace: the numbers of the objects, the first message that is replaced, and all of them, which the caller ends with '
    'push_internal.end_taken_back.';
