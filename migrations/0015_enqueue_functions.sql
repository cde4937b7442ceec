-- Fanfare, migration 15: Functions that enqueue, and the wake-up call.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.enqueue_many(messages json) RETURNS TABLE (n int, id bigint, inserted boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    wrong record; ns int[]; items json[]; locales text[]; contents json[]; repeats bigint[]; ids bigint[];
    known constant text[] := '{hub,tag,handles,broadcast,locale,content,translations,content_key,format,headers,send_at,expires_at,priority,dedupe_key,on_doubt,pack,campaign,run,tenant,traceparent,meta}';
BEGIN
    IF json_typeof(messages) IS DISTINCT FROM 'array' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.enqueue_many: messages is %s, not a JSON array', coalesce('a JSON ' || json_typeof(messages), 'null')),
            HINT = 'Write [{"hub": "news", "tag": "World", "content": {"message": "hi"}}].';
    END IF;
    SELECT e.n, json_typeof(e.value) AS kind INTO wrong FROM json_array_elements(messages) WITH ORDINALITY e(value, n) WHERE json_typeof(e.value) <> 'object' LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.enqueue_many: message %s is a JSON %s, not an object', wrong.n, wrong.kind),
            HINT = 'Each message is an object with the columns of push.message as members.';
    END IF;
    SELECT e.n, m.key, json_typeof(m.value) AS kind, k.kind AS wanted INTO wrong
      FROM json_array_elements(messages) WITH ORDINALITY e(value, n), json_each(e.value) m
           LEFT JOIN (SELECT name, CASE WHEN name IN ('content', 'headers', 'meta') THEN NULL WHEN name IN ('broadcast', 'pack') THEN 'boolean' WHEN name = 'priority' THEN 'number'
                                        WHEN name = 'handles' THEN 'array' WHEN name = 'translations' THEN 'object' ELSE 'string' END AS kind FROM unnest(known) name) k ON k.name = m.key
     WHERE k.name IS NULL OR json_typeof(m.value) NOT IN ('null', k.kind) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = CASE WHEN wrong.wanted IS NULL THEN format('push.enqueue_many: message %s has the member %s, which is not a column of push.message', wrong.n, left(to_json(wrong.key)::text, 60))
                           ELSE format('push.enqueue_many: message %s: %s is a JSON %s, not a JSON %s', wrong.n, wrong.key, wrong.kind, wrong.wanted) END,
            HINT = CASE WHEN wrong.wanted IS NULL THEN format('Known: %s.', array_to_string(known, ', '))
                        ELSE 'Strings stand in quotation marks, numbers, true and false without; leave a member out for its default.' END;
    END IF;

    -- One row per content and translation, each with the message that it repeats, if any.
    SELECT array_agg(r.n ORDER BY r.n, r.i), array_agg(r.item ORDER BY r.n, r.i), array_agg(r.locale ORDER BY r.n, r.i), array_agg(r.content ORDER BY r.n, r.i),
           array_agg(CASE WHEN r.item ->> 'dedupe_key' IS NOT NULL THEN
               push.repeated(r.item ->> 'hub', r.item ->> 'dedupe_key', r.item ->> 'tag', r.item ->> 'content_key', coalesce((r.item ->> 'priority')::smallint, 1::smallint), r.locale) END ORDER BY r.n, r.i)
      INTO ns, items, locales, contents, repeats
      FROM (SELECT e.n::int AS n, e.item, t.i, t.locale, t.content
              FROM json_array_elements(messages) WITH ORDINALITY e(item, n),
                   LATERAL (SELECT 1) one LEFT JOIN
                   LATERAL (SELECT 0 AS i, e.item ->> 'locale' AS locale, e.item -> 'content' AS content WHERE json_typeof(e.item -> 'content') <> 'null'
                            UNION ALL
                            SELECT t.i, t.key, t.value FROM json_each(CASE json_typeof(e.item -> 'translations') WHEN 'object' THEN e.item -> 'translations' END) WITH ORDINALITY t(key, value, i)) t ON true) r;
    SELECT u.n INTO wrong FROM unnest(ns, contents) u(n, content) WHERE u.content IS NULL LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'not_null_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'content',
            MESSAGE = format('push.message.content: message %s has neither content nor translations', wrong.n), HINT = 'Give content, or translations such as {"en": {"message": "hi"}}.';
    END IF;
    IF ns IS NULL THEN RETURN; END IF;

    -- Translations that come with their message are complete, so nothing waits for more. The setting holds for this
    -- statement only. A SET clause of the function would do the same, but for a custom setting only a superuser may add
    -- one.
    PERFORM set_config('push.settled', CASE WHEN bool_and(u.item -> 'translations' IS NOT NULL) THEN 'on' ELSE '' END, true)
       FROM unnest(items) u(item) WHERE u.item ->> 'content_key' IS NOT NULL;
    -- Tells the trigger which rows belong together: an object with translations is a content of its own.
    PERFORM set_config('push.entries', string_agg(CASE WHEN json_typeof(u.item -> 'translations') = 'object' THEN u.n ELSE 0 END::text, ',' ORDER BY u.i), true)
       FROM unnest(ns, items, repeats) WITH ORDINALITY u(n, item, repeated, i) WHERE u.repeated IS NULL;
    WITH put AS (
        INSERT INTO push.message (hub, tag, handles, broadcast, locale, content, content_key, format, headers, send_at, expires_at, priority, dedupe_key, on_doubt, pack, campaign, run, tenant, traceparent, meta)
        SELECT r.hub, r.tag, r.handles, coalesce(r.broadcast, false), u.locale, u.content, r.content_key, coalesce(r.format, 'template'), r.headers, coalesce(r.send_at, clock_timestamp()),
               r.expires_at, coalesce(r.priority, 1::smallint), r.dedupe_key, r.on_doubt, coalesce(r.pack, true), r.campaign, r.run, r.tenant, r.traceparent, r.meta
          FROM unnest(items, locales, contents, repeats) WITH ORDINALITY u(item, locale, content, repeated, i),
               LATERAL json_to_record(u.item) r(hub text, tag text, handles text[], broadcast boolean, content_key text, format text, headers json, send_at timestamptz, expires_at timestamptz,
                    priority smallint, dedupe_key text, on_doubt text, pack boolean, campaign text, run text, tenant text, traceparent text, meta json)
         WHERE u.repeated IS NULL ORDER BY u.i
        RETURNING id)
    SELECT array_agg(p.id ORDER BY p.id) INTO ids FROM put p;
    PERFORM set_config('push.settled', '', true), set_config('push.entries', '', true);

    -- A duplicate within the list, or of a transaction that was open when we looked, ended in the trigger.
    RETURN QUERY
    SELECT w.n, coalesce(min(w.id) FILTER (WHERE w.repeated IS NULL), min(w.repeated)), bool_or(w.repeated IS NULL)
      FROM (SELECT u.n, i.id, CASE WHEN i.id IS NULL THEN u.repeated
                        WHEN u.item ->> 'dedupe_key' IS NOT NULL AND EXISTS (SELECT FROM push.result r WHERE r.id = i.id AND r.reason = 'duplicate_key') THEN
                            push.repeated(u.item ->> 'hub', u.item ->> 'dedupe_key', u.item ->> 'tag', u.item ->> 'content_key', coalesce((u.item ->> 'priority')::smallint, 1::smallint), u.locale) END AS repeated
              FROM (SELECT u.*, CASE WHEN u.repeated IS NULL THEN count(*) FILTER (WHERE u.repeated IS NULL) OVER (ORDER BY u.i) END AS place
                      FROM unnest(ns, items, locales, repeats) WITH ORDINALITY u(n, item, locale, repeated, i)) u
                   LEFT JOIN LATERAL (SELECT ids[u.place] AS id) i ON true) w
     GROUP BY w.n ORDER BY w.n;
END $$;
COMMENT ON FUNCTION push.enqueue_many IS
    'Enqueues a JSON array of objects with one statement, inside the caller''s transaction. Members are the columns '
    'of push.message, and translations ({"en": {...}, "fr": {...}}). Returns for each object (n from 1) its id and '
    'whether it was inserted; for a duplicate the id of the first.';

CREATE FUNCTION push.enqueue(
    hub text, tag text DEFAULT NULL, content json DEFAULT NULL, locale text DEFAULT NULL, broadcast boolean DEFAULT false, send_at timestamptz DEFAULT NULL,
    expires_at timestamptz DEFAULT NULL, priority smallint DEFAULT 1::smallint, on_doubt text DEFAULT NULL, pack boolean DEFAULT true,
    headers json DEFAULT NULL, campaign text DEFAULT NULL, run text DEFAULT NULL, tenant text DEFAULT NULL, traceparent text DEFAULT NULL,
    meta json DEFAULT NULL, content_key text DEFAULT NULL, dedupe_key text DEFAULT NULL, format text DEFAULT 'template', handles text[] DEFAULT NULL,
    translations json DEFAULT NULL, OUT id bigint, OUT inserted boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF $18 IS NULL AND $21 IS NULL AND $3 IS NOT NULL THEN
        INSERT INTO push.message AS m (hub, tag, content, locale, broadcast, send_at, expires_at, priority, on_doubt, pack, headers, campaign, run, tenant, traceparent, meta,
                                       content_key, format, handles)
        VALUES ($1, $2, $3, $4, $5, coalesce($6, clock_timestamp()), $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $19, $20)
        RETURNING m.id, true INTO enqueue.id, enqueue.inserted;
        RETURN;
    END IF;
    SELECT e.id, e.inserted INTO enqueue.id, enqueue.inserted FROM push.enqueue_many(json_build_array(json_build_object(
        'hub', $1, 'tag', $2, 'content', $3, 'locale', $4, 'broadcast', $5, 'send_at', $6, 'expires_at', $7, 'priority', $8, 'on_doubt', $9, 'pack', $10,
        'headers', $11, 'campaign', $12, 'run', $13, 'tenant', $14, 'traceparent', $15, 'meta', $16, 'content_key', $17, 'dedupe_key', $18, 'format', $19,
        'handles', $20, 'translations', $21))) e;
END $$;
COMMENT ON FUNCTION push.enqueue IS
    'Enqueues one message inside the caller''s transaction, or one content with its translations ({"en": {...}, "fr": '
    '{...}}); content is then the row without locale, or left out. Returns the id and whether it was inserted; for a '
    'repeated dedupe_key the id of the first. With translations a content_key does not wait for more.';

-- No trigger does this: a commit that notifies waits for every other commit that does, in the whole server. So backends
-- call it for messages that are worth that price, and it notifies only while a worker sleeps. A crashed worker stays
-- asleep for ever, so workers without a heartbeat for two minutes do not count (with the longest lease, 300 s, a worker
-- beats every 60 s).
CREATE FUNCTION push.wake_up() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM push.worker w WHERE w.asleep AND w.beat_at > clock_timestamp() - interval '2 minutes') THEN
        RETURN false;
    END IF;
    PERFORM pg_notify('push_due', '');
    RETURN true;
END $$;
COMMENT ON FUNCTION push.wake_up IS
    'Wakes sleeping workers (dispatch.listen) when the caller''s transaction commits; call it once, after the '
    'inserts. Returns whether a worker sleeps. It is a hint: without it the message is found within a quarter of a '
    'second. Costs a look at push.worker, and a NOTIFY while a worker sleeps.';

INSERT INTO push.migration (version, name) VALUES (15, 'enqueue_functions');
