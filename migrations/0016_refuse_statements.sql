-- Fanfare, migration 16: What is wrong with the rows of one statement together, and which row is meant.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.wrong_list(messages json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    members constant json := '{
        "hub": "string", "tag": "string", "handles": "array", "broadcast": "boolean", "locale": "string",
        "content": null, "translations": "object", "content_key": "string", "format": "string", "headers": null,
        "send_at": "string", "expires_at": "string", "priority": "number", "dedupe_key": "string",
        "on_doubt": "string", "pack": "boolean", "campaign": "string", "run": "string", "tenant": "string",
        "traceparent": "string", "meta": null}';
    wrong record;
BEGIN
    IF json_typeof(messages) IS DISTINCT FROM 'array' THEN
        RETURN (NULL, NULL,
                format('push.enqueue_many: messages is %s, not a JSON array',
                       coalesce('a JSON ' || json_typeof(messages), 'null')),
                'Write [{"hub": "news", "tag": "World", "content": {"message": "hi"}}].')::push.problem;
    END IF;
    SELECT e.n, json_typeof(e.value) AS type INTO wrong
      FROM json_array_elements(messages) WITH ORDINALITY e(value, n)
     WHERE json_typeof(e.value) <> 'object'
     LIMIT 1;
    IF FOUND THEN
        RETURN (NULL, NULL,
                format('push.enqueue_many: message %s is a JSON %s, not an object', wrong.n, wrong.type),
                'Each message is an object with the columns of push.message as members.')::push.problem;
    END IF;
    SELECT e.n, m.key, json_typeof(m.value) AS type, members ->> m.key AS wanted, members -> m.key IS NULL AS is_unknown
      INTO wrong
      FROM json_array_elements(messages) WITH ORDINALITY e(value, n),
           json_each(e.value) m
     WHERE members -> m.key IS NULL
        OR json_typeof(m.value) NOT IN ('null', members ->> m.key)
     LIMIT 1;
    RETURN CASE
        WHEN NOT FOUND THEN NULL
        WHEN wrong.is_unknown THEN (
            NULL, NULL,
            format('push.enqueue_many: message %s has the member %s, which is not a column of push.message',
                   wrong.n, left(to_json(wrong.key)::text, 60)),
            (SELECT format('Known: %s.', string_agg(k, ', ')) FROM json_object_keys(members) k))::push.problem
        ELSE (
            NULL, NULL,
            format('push.enqueue_many: message %s: %s is a JSON %s, not a JSON %s',
                   wrong.n, wrong.key, wrong.type, wrong.wanted),
            'Strings stand in quotation marks, numbers, true and false without; leave a member out for its default.'
        )::push.problem
    END;
END $$;
COMMENT ON FUNCTION push.wrong_list IS 'The problem of a list for push.enqueue_many; null: none.';

CREATE FUNCTION push.wrong_translations(hub push.hub, tag text, locales text[], numbers bigint[]) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    given constant text[] := array_remove(locales, NULL);
    plain constant int := array_position(locales, NULL);
    fallback constant int := (
        SELECT min(u.n) FROM unnest(locales) WITH ORDINALITY u(locale, n) WHERE lower(u.locale) = lower(hub.fallback));
BEGIN
    IF cardinality(locales) > 100 THEN
        RETURN push.wrong_for_hub(hub, 'translations_are_at_most_100', 'locale', tag);
    ELSIF cardinality(given) > (SELECT count(DISTINCT lower(u.locale)) FROM unnest(given) u(locale))
       OR cardinality(locales) > cardinality(given) + 1 THEN
        RETURN push.wrong_for_hub(hub, 'locale_is_given_once', 'locale', tag);
    ELSIF numbers IS NOT NULL AND plain IS NOT NULL AND fallback IS NOT NULL THEN
        RETURN push.wrong_for_hub(
            hub, 'fallback_is_given_once', 'locale',
            format('row %s (no locale) and row %s (locale "%s") for %s', numbers[plain], numbers[fallback],
                   locales[fallback], coalesce('tag "' || tag || '"', 'everyone')));
    ELSIF plain IS NULL
      AND (SELECT bool_or(push.is_language_of(u.locale, hub.fallback)) FROM unnest(given) u(locale)) IS NOT TRUE
      AND NOT push.has_every_language(hub.languages, given) THEN
        RETURN push.wrong_for_hub(hub, 'translations_have_a_fallback', 'locale', tag);
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push.wrong_translations IS
    'The problem of rows of one statement that are one content, side by side with their locales; null: none. numbers: '
    'of the rows in their statement; null: the caller said that they are one content.';

CREATE FUNCTION push.row_name(tag text, locale text, n bigint, total bigint, entry int) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN CASE
    WHEN total = 1 THEN ''
    ELSE format('%s %s%s: ', CASE WHEN entry IS NULL THEN 'row' ELSE 'message' END, coalesce(abs(entry), n),
                ' (' || nullif(concat_ws(', ', 'tag "' || left(tag, 120) || '"', 'locale "' || left(locale, 40) || '"'),
                               '') || ')')
END;
COMMENT ON FUNCTION push.row_name IS
    'Which of several rows of a statement an error is about, such as: row 7 (tag "World"). Empty: there is only one.';

INSERT INTO push.migration (version, name, works_from) VALUES (16, 'refuse_statements', 42);
