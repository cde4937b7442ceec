-- push.enqueue_many: many messages in one call.

CREATE OR REPLACE FUNCTION push.enqueue_many(messages json)
RETURNS TABLE (n int, id bigint, inserted boolean, send_at timestamptz, replaced bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
    problem constant push.problem := push_internal.wrong_list(messages);
    total constant int := CASE WHEN problem.message IS NULL THEN json_array_length(messages) END;
    item json;
    number int := 0;
    known text;                   -- a hub that is registered: most lists have one
    m push.message;
    body record;
    repeated bigint;
    -- Per content and translation: number of its object, which message it repeats, its place in rows.
    numbers int[] := '{}';
    repeats bigint[] := '{}';
    places int[] := '{}';
    -- Per row to insert: the row, and the number of its object; negative if that has no translations.
    rows push.message[] := '{}';
    entries int[] := '{}';
    put record;
    ids bigint[] := '{}';
    times timestamptz[] := '{}';
    has_keys boolean := false;
    is_settled boolean := true;
    -- What objects with replace take the place of: per object its first message, and each message with the object's number.
    replacements bigint[] := '{}';
    taken bigint[] := '{}';
    takers int[] := '{}';
    starts int[] := '{}';         -- per object: where its first row stands in rows
BEGIN
    IF problem.message IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = problem.message, HINT = problem.hint;
    END IF;
    IF (strpos(messages::text, '"replace"') > 0 OR strpos(messages::text, chr(92) || 'u') > 0)      -- hardly ever; the rest parses the list
       AND EXISTS (SELECT FROM json_array_elements(messages) e WHERE (e.value ->> 'replace')::boolean)
    THEN
        FOR put IN SELECT r.* FROM push_internal.replace_keys(messages) r LOOP
            FOREACH number IN ARRAY put.numbers LOOP
                replacements[number] := put.replaced;
            END LOOP;
            taken := taken || put.taken;
            takers := takers || array_fill(put.numbers[1], ARRAY[cardinality(put.taken)]);
        END LOOP;
        number := 0;
    END IF;
    FOR item IN SELECT e.value FROM json_array_elements(messages) e LOOP
        number := number + 1;
        m := json_populate_record(NULL::push.message, item);
        m.priority := coalesce(m.priority, 1);               -- push_internal.find_duplicate asks for it
        m.created_at := now();
        m.enqueued_by := push_internal.caller();
        IF m.hub IS NULL THEN
            RAISE EXCEPTION USING
                ERRCODE = 'not_null_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'hub',
                MESSAGE = push_internal.row_name(m.tag, m.locale, number, total, number) || 'push.message.hub is missing',
                HINT = 'Give the name of a hub. ' || push_internal.registered_hubs();
        ELSIF m.hub IS DISTINCT FROM known THEN
            IF NOT EXISTS (SELECT FROM push.hub h WHERE h.name = m.hub AND h.removed_at IS NULL) THEN
                number := push_internal.refuse_hub(
                    m.hub, push_internal.row_name(m.tag, m.locale, number, total, number) || 'push.message.hub');
            END IF;
            known := m.hub;
        END IF;
        IF m.content IS NULL AND coalesce(translate(item ->> 'translations', E' \t\r\n', ''), '{}') = '{}' THEN
            RAISE EXCEPTION USING
                ERRCODE = 'not_null_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'content',
                MESSAGE = push_internal.row_name(m.tag, m.locale, number, total, number)
                    || 'push.message.content is missing: neither content nor translations are given',
                HINT = 'Give content, or translations such as {"en": {"message": "hi"}}.';
        END IF;
        IF m.locale IS NOT NULL AND json_typeof(item -> 'translations') = 'object' THEN
            RAISE EXCEPTION USING
                ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'locale',
                CONSTRAINT = 'locale_or_translations',
                MESSAGE = push_internal.row_name(m.tag, NULL, number, total, number)
                    || format('push.message.locale %s stands beside translations, each of which names its own',
                              to_json(left(m.locale, 100))),
                HINT = 'Leave locale out. A content in that language is one of the translations: {"fr": {"message": "salut"}}.';
        END IF;
        has_keys := has_keys OR m.dedupe_key IS NOT NULL;
        is_settled := is_settled AND (m.content_key IS NULL OR json_typeof(item -> 'translations') = 'object');
        FOR body IN
            SELECT m.locale, m.content
             WHERE m.content IS NOT NULL
             UNION ALL
            SELECT t.key, t.value
              FROM json_each(CASE json_typeof(item -> 'translations') WHEN 'object' THEN item -> 'translations' END) t
        LOOP
            m.locale := body.locale;
            m.content := body.content;
            repeated := NULL;
            IF m.dedupe_key IS NOT NULL THEN
                repeated := push_internal.find_duplicate(
                    m.hub, m.dedupe_key, m.tag, m.content_key, m.priority, m.locale, m.tenant);
            END IF;
            IF repeated IS NULL THEN
                rows := rows || m;
                starts[number] := coalesce(starts[number], cardinality(rows));
                entries := entries
                    || CASE json_typeof(item -> 'translations') WHEN 'object' THEN number ELSE -number END;
            END IF;
            numbers := numbers || number;
            repeats := repeats || repeated;
            places := places || CASE WHEN repeated IS NULL THEN cardinality(rows) END;
        END LOOP;
    END LOOP;

    -- Two settings, for this statement only, pass to the trigger what the rows do not contain: translations that come
    -- with their message are complete, so nothing waits for more; and an object with translations is a content of its
    -- own. A SET clause of the function would do the same, but for such a setting only a superuser may write one.
    PERFORM set_config('push.settled', CASE WHEN is_settled THEN 'on' ELSE '' END, true),
            set_config('push.entries', array_to_string(entries, ','), true),
            set_config('push.has_duplicates', '', true);
    -- A loop, because an error of the trigger shows the text of a plain statement, and not that of a loop.
    FOR put IN
        INSERT INTO push.message OVERRIDING USER VALUE SELECT r.* FROM unnest(rows) r RETURNING id, send_at
    LOOP
        ids := ids || put.id;
        times := times || put.send_at;
    END LOOP;
    PERFORM set_config('push.settled', '', true), set_config('push.entries', '', true);
    IF taken <> '{}' THEN
        PERFORM push_internal.end_taken_back(array_agg(t.id), 'replaced', array_agg(format('Message %s replaced it.', ids[starts[t.n]])))
           FROM unnest(taken, takers) t(id, n);
    END IF;

    -- Nothing was repeated. The statement below reads tables of many partitions, and to plan it is a large part of what the
    -- first call of a connection costs.
    IF current_setting('push.has_duplicates', true) = '' AND array_remove(repeats, NULL) = '{}' THEN
        RETURN QUERY
        SELECT u.n, min(ids[u.place]), true, min(times[u.place]), replacements[u.n]
          FROM unnest(numbers, places) u(n, place)
         GROUP BY u.n
         ORDER BY u.n;
        RETURN;
    END IF;

    -- A duplicate within the list, or of a transaction that was open when we looked, ended in the trigger.
    RETURN QUERY
    SELECT w.n, coalesce(min(w.id) FILTER (WHERE w.repeated IS NULL), min(w.repeated)), bool_or(w.repeated IS NULL),
           coalesce(min(w.send_at) FILTER (WHERE w.repeated IS NULL),
                    (SELECT m.send_at FROM push.message m WHERE m.id = min(w.repeated))),
           replacements[w.n]
      FROM (SELECT u.n, ids[u.place] AS id, times[u.place] AS send_at,
                   CASE
                       WHEN u.place IS NULL THEN u.repeated
                       WHEN has_keys THEN (
                           SELECT push_internal.find_duplicate(
                                      m.hub, m.dedupe_key, m.tag, m.content_key, m.priority, m.locale, m.tenant)
                             FROM push.message m
                            WHERE m.id = ids[u.place]
                              AND m.dedupe_key IS NOT NULL
                              AND EXISTS (SELECT FROM push.result r WHERE r.id = m.id AND r.reason = 'duplicate_key'))
                   END AS repeated
              FROM unnest(numbers, repeats, places) u(n, repeated, place)) w
     GROUP BY w.n
     ORDER BY w.n;
END $$;

-- What drivers send for JSON besides json. The name of the argument is another one, because PostgREST chooses a function
-- by the names of its arguments, and finds the one above for {"messages": [...]}.
CREATE OR REPLACE FUNCTION push.enqueue_many(list jsonb)
RETURNS TABLE (n int, id bigint, inserted boolean, send_at timestamptz, replaced bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT e.n, e.id, e.inserted, e.send_at, e.replaced FROM push.enqueue_many(messages => list::json) e;
END;

CREATE OR REPLACE FUNCTION push.enqueue_many(list text)
RETURNS TABLE (n int, id bigint, inserted boolean, send_at timestamptz, replaced bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT e.n, e.id, e.inserted, e.send_at, e.replaced FROM push.enqueue_many(messages => list::json) e;
END;

DO $$
DECLARE
    name regprocedure;
BEGIN
    FOR name IN
        SELECT p.oid FROM pg_proc p WHERE p.pronamespace = 'push'::regnamespace AND p.proname = 'enqueue_many'
    LOOP
        EXECUTE format('COMMENT ON FUNCTION %s IS %L', name,
            'Enqueues a JSON array of objects with one statement, inside the caller''s transaction. Members are the '
            'columns of push.message, translations ({"en": {...}, "fr": {...}}), and replace (true: take the place of what '
            'still waits under its dedupe_key). Returns for each object (n from 1) its id, whether it was inserted, and when it '
            'is sent; for a duplicate id and time of the first; and which message it replaced.');
    END LOOP;
END $$;
