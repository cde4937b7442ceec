-- What is wrong with the rows of one statement together, and which row is meant.

CREATE OR REPLACE FUNCTION push_internal.wrong_list(messages json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    members constant json := '{
        "hub": "string", "tag": "string", "handles": "array", "broadcast": "boolean", "locale": "string",
        "content": null, "translations": "object", "content_key": "string", "format": "string", "headers": null,
        "send_at": "string", "expires_at": "string", "priority": "number", "dedupe_key": "string",
        "on_doubt": "string", "pack": "boolean", "campaign": "string", "run": "string", "tenant": "string",
        "traceparent": "string", "meta": null, "replace": "boolean", "after": "number", "after_device": "string",
        "after_at_most": "string"}';
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
    IF NOT FOUND THEN                      -- apart, because what follows is planned when it is first evaluated
        RETURN NULL;
    END IF;
    RETURN CASE
        WHEN wrong.is_unknown THEN (
            NULL, NULL,
            format('push.enqueue_many: message %s has the member %s, which is not a column of push.message',
                   wrong.n, push_internal.quoted(wrong.key, 60)),
            (SELECT format('Known: %s.', string_agg(k, ', ')) FROM json_object_keys(members) k))::push.problem
        ELSE (
            NULL, NULL,
            format('push.enqueue_many: message %s: %s is a JSON %s, not a JSON %s',
                   wrong.n, wrong.key, wrong.type, wrong.wanted),
            'Strings stand in quotation marks, numbers, true and false without; leave a member out for its default.'
        )::push.problem
    END;
END $$;
COMMENT ON FUNCTION push_internal.wrong_list IS 'The problem of a list for push.enqueue_many; null: none.';

CREATE OR REPLACE FUNCTION push_internal.repeated_language(hub push.hub, tag text, locales text[], numbers bigint[]) RETURNS push.problem
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    WITH row AS (
        SELECT u.locale, u.number, push_internal.language_of(hub.languages, u.locale) AS language, u.n
          FROM unnest(locales, coalesce(numbers, '{}')) WITH ORDINALITY u(locale, number, n)
         WHERE u.locale IS NOT NULL
    )
    SELECT push_internal.wrong_for_hub(
               hub, 'language_is_given_once', 'locale',
               CASE
                   WHEN numbers IS NULL THEN format('the translations "%s" and "%s"', a.locale, b.locale)
                   ELSE format('row %s (locale "%s") and row %s (locale "%s")', a.number, a.locale, b.number, b.locale)
               END || CASE WHEN tag <> '' THEN format(' for tag "%s"', tag) ELSE '' END
                   || format(' are both for the language "%s"', a.language))
      FROM row a
           JOIN row b ON b.language = a.language AND b.n > a.n AND lower(b.locale) <> lower(a.locale)
     ORDER BY b.n, a.n
     LIMIT 1
$$;
COMMENT ON FUNCTION push_internal.repeated_language IS
    'The problem of locales of one content, such as fr and fr-CA, that one language of the hub would have to stand for; null: '
    'none. numbers: of the rows in their statement; null: the caller said that they are one content.';

CREATE OR REPLACE FUNCTION push_internal.wrong_translations(hub push.hub, tag text, locales text[], numbers bigint[]) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    given constant text[] := array_remove(locales, NULL);
    plain constant int := array_position(locales, NULL);
    fallback constant int := (
        SELECT min(u.n) FROM unnest(locales) WITH ORDINALITY u(locale, n) WHERE lower(u.locale) = lower(hub.fallback));
BEGIN
    IF cardinality(locales) > 100 THEN
        RETURN push_internal.wrong_for_hub(hub, 'translations_are_at_most_100', 'locale', tag);
    ELSIF cardinality(given) > (SELECT count(DISTINCT lower(u.locale)) FROM unnest(given) u(locale))
       OR cardinality(locales) > cardinality(given) + 1 THEN
        RETURN push_internal.wrong_for_hub(hub, 'locale_is_given_once', 'locale', tag);
    ELSIF numbers IS NOT NULL AND plain IS NOT NULL AND fallback IS NOT NULL THEN
        RETURN push_internal.wrong_for_hub(
            hub, 'fallback_is_given_once', 'locale',
            format('row %s (no locale) and row %s (locale "%s") for %s', numbers[plain], numbers[fallback],
                   locales[fallback], coalesce('tag "' || tag || '"', 'everyone')));
    ELSIF num_nonnulls(plain, fallback) = 0
      AND push_internal.has_language(hub.fallback, hub.languages, given) IS NOT TRUE
      AND EXISTS (
              SELECT FROM unnest(hub.languages) l(name) WHERE NOT push_internal.has_language(l.name, hub.languages, given)) THEN
        RETURN push_internal.wrong_for_hub(hub, 'translations_have_a_fallback', 'locale', tag);
    END IF;
    RETURN CASE
        WHEN NOT given <@ hub.languages THEN push_internal.repeated_language(hub, tag, locales, numbers)
    END;
END $$;
COMMENT ON FUNCTION push_internal.wrong_translations IS
    'The problem of rows of one statement that are one content, side by side with their locales; null: none. numbers: '
    'of the rows in their statement; null: the caller said that they are one content.';

CREATE OR REPLACE FUNCTION push_internal.wrong_fold(hub push.hub, tag text, locales text[], contents json[]) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    base int := coalesce(
        array_position(locales, NULL),
        (SELECT min(u.n) FROM unnest(locales) WITH ORDINALITY u(locale, n) WHERE lower(u.locale) = lower(hub.fallback)));
    spoken text[];                -- locales whose row has a property
    bytes int;                    -- of one language, if each property had its longest translation
    stray record;
BEGIN
    SELECT sum(p.bytes) INTO bytes
      FROM (SELECT max(length(m.key) + octet_length(m.value::text) + 44) AS bytes       -- 40 for the suffix
              FROM unnest(contents) c(content), json_each(c.content) m
             GROUP BY lower(m.key)) p;
    IF bytes * (cardinality(hub.languages) + 1) > 65536 THEN
        RETURN push_internal.wrong_for_hub(hub, 'translations_fit_one_request', 'content', tag);
    END IF;
    IF base IS NULL THEN                      -- en-GB may stand for en
        base := (SELECT min(u.n)
                   FROM unnest(locales) WITH ORDINALITY u(locale, n)
                  WHERE push_internal.has_language(hub.fallback, hub.languages, ARRAY[u.locale]));
    END IF;
    SELECT u.locale, k.name INTO stray
      FROM unnest(locales, contents) WITH ORDINALITY u(locale, content, n), json_object_keys(u.content) k(name)
     WHERE u.n <> base
       AND lower(k.name) NOT IN (SELECT lower(b.name) FROM json_object_keys(contents[base]) b(name))
     LIMIT 1;
    IF FOUND THEN
        spoken := ARRAY(
            SELECT u.locale
              FROM unnest(locales, contents) u(locale, content)
             WHERE u.locale IS NOT NULL
               AND EXISTS (SELECT FROM json_object_keys(u.content)));
        IF NOT push_internal.has_language(hub.fallback, hub.languages, spoken)
           AND EXISTS (SELECT FROM unnest(hub.languages) l(name) WHERE NOT push_internal.has_language(l.name, hub.languages, spoken))
           AND NOT EXISTS (
                   SELECT
                     FROM unnest(locales, contents) u(locale, content), json_object_keys(u.content) k(name)
                    WHERE u.locale IS NOT NULL
                      AND lower(k.name) IN (
                              SELECT lower(p.name) FROM json_object_keys(contents[array_position(locales, NULL)]) p(name))) THEN
            RETURN push_internal.wrong_for_hub(hub, 'the_rest_has_a_property', 'content', tag);
        END IF;
        RAISE WARNING USING
            MESSAGE = format('push.message: for tag "%s" only the translation in "%s" has the property "%s"', tag,
                             stray.locale, left(stray.name, 120)),
            HINT = 'Devices in languages without it show nothing in its place. Is the name spelled alike in all of '
                   'them? Give it to the row in the fallback language, or to the one without locale.';
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.wrong_fold IS
    'The problem of what the rows of one content say, side by side with their locales; null: none. Warns of a property '
    'that the fallback lacks: it may be meant.';

CREATE OR REPLACE FUNCTION push_internal.odd_expression(tag text) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN CASE WHEN tag COLLATE "C" ~ '[!&|]' THEN push_internal.odd_tag(tag) END;
COMMENT ON FUNCTION push_internal.odd_expression IS 'As push_internal.odd_tag; a plain tag costs next to nothing.';

CREATE OR REPLACE FUNCTION push_internal.warning_about(
    content json, format text, tag text, expires_at timestamptz, is_last boolean)
RETURNS text
LANGUAGE sql STABLE
RETURN CASE
    WHEN format = 'template' AND content::text COLLATE "C" ~ E'^\\s*\\{\\s*\\}\\s*$' THEN 'no property'
    WHEN expires_at <= statement_timestamp() THEN 'too late'
    WHEN NOT is_last THEN NULL
    WHEN format <> 'template' THEN coalesce(push_internal.odd_payload(format, content), push_internal.odd_expression(tag))
    WHEN push_internal.repeats_name(content) THEN 'repeated property'
    ELSE push_internal.odd_expression(tag)
END;
COMMENT ON FUNCTION push_internal.warning_about IS
    'What is odd about a message that can be enqueued all the same; null: nothing. is_last: it is one of the last '
    'three of its statement, and only in these a property that stands twice, an odd payload and an odd tag expression are '
    'looked for.';

CREATE OR REPLACE FUNCTION push_internal.raise_warnings(oddities text[], tags text[], numbers bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    odd record;
BEGIN
    FOR odd IN
        SELECT u.oddity, count(*) AS n, (array_agg(u.tag ORDER BY u.number))[1] AS tag, min(u.number) AS number
          FROM unnest(oddities, tags, numbers) u(oddity, tag, number)
         GROUP BY u.oddity
    LOOP
        RAISE WARNING USING
            MESSAGE = format(
                'push.message: rows %s: %s, first row %s%s',
                CASE odd.oddity
                    WHEN 'no property' THEN 'with a content without properties'
                    WHEN 'repeated property' THEN 'with a content that has a property twice'
                    WHEN 'too late' THEN 'that end as expired, past expires_at or past send_at plus the hub''s expire_after'
                    WHEN 'word tag' THEN 'with a tag named and, or or not'
                    WHEN 'impossible tags' THEN 'with a tag expression that no device can match'
                    WHEN 'tags of everybody' THEN 'with a tag expression that every device matches'
                    ELSE format('with a content whose %s', split_part(odd.oddity, E'\n', 1))
                END, odd.n, odd.number, ' (tag "' || odd.tag || '")'),
            HINT = CASE odd.oddity
                WHEN 'no property' THEN 'A template that inserts a property shows nothing in its place.'
                WHEN 'repeated property' THEN 'The case of a name does not count. Of names that are equal the last counts, of others one.'
                WHEN 'word tag' THEN 'It is a tag here and no operator; the operators are &&, || and !.'
                WHEN 'impossible tags' THEN 'It asks for a tag and for its absence: it is accepted, and nobody gets it.'
                WHEN 'tags of everybody' THEN 'This is a broadcast, whatever tags a device has.'
                WHEN 'too late' THEN 'Leave send_at and expires_at out to send now.'
                ELSE split_part(odd.oddity, E'\n', 2)
            END;
    END LOOP;
END $$;
COMMENT ON FUNCTION push_internal.raise_warnings IS
    'Warns of rows that are odd (push_internal.warning_about): a backend that is late must not lose its transaction '
    'for it.';

CREATE OR REPLACE FUNCTION push_internal.row_name(tag text, locale text, n bigint, total bigint, entry int) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN CASE
    WHEN total = 1 THEN ''
    ELSE format('%s %s%s: ', CASE WHEN entry IS NULL THEN 'row' ELSE 'message' END, coalesce(abs(entry), n),
                ' (' || nullif(concat_ws(', ', 'tag "' || left(tag, 120) || '"', 'locale "' || left(locale, 40) || '"'),
                               '') || ')')
END;
COMMENT ON FUNCTION push_internal.row_name IS
    'Which of several rows of a statement an error is about, such as: row 7 (tag "World"). Empty: there is only one.';
