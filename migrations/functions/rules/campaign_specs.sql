-- What a campaign's spec may hold.

CREATE OR REPLACE FUNCTION push_internal.nearest_word(word text, known text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT k.name
      FROM unnest(known) k(name),
           LATERAL (
               SELECT count(*) AS shared
                 FROM generate_series(1, length(nearest_word.word) - 1) i
                WHERE position(lower(substr(nearest_word.word, i, 2)) IN lower(k.name)) > 0) s
     WHERE s.shared * 2 >= greatest(length(nearest_word.word), length(k.name)) - 1
     ORDER BY s.shared DESC, k.name
     LIMIT 1
$$;
COMMENT ON FUNCTION push_internal.nearest_word IS
    'The known word that shares most pairs of letters with a word, at least half of them; null: none.';

CREATE OR REPLACE FUNCTION push_internal.spec_problem(path text, message text, hint text) RETURNS push.problem
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ROW (path, 'spec_is_valid', concat_ws(' ', nullif(path, ''), message), hint)::push.problem;
COMMENT ON FUNCTION push_internal.spec_problem IS 'A problem of a spec, with the path of the member.';

CREATE OR REPLACE FUNCTION push_internal.unknown_member(path text, document json, known text[]) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text;
BEGIN
    IF document IS NULL OR json_typeof(document) <> 'object' THEN
        RETURN NULL;
    END IF;
    SELECT k.name INTO name
      FROM json_object_keys(document) WITH ORDINALITY k(name, n)
     WHERE k.name <> ALL (known)
     ORDER BY k.n
     LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    RETURN push_internal.spec_problem(
        concat_ws('.', nullif(path, ''), left(name, 60)), 'is not known',
        coalesce('Do you mean ' || push_internal.nearest_word(name, known) || '?',
                 format('Known: %s.', array_to_string(known, ', '))));
END $$;
COMMENT ON FUNCTION push_internal.unknown_member IS 'A member that a spec does not have there; null: none.';

CREATE OR REPLACE FUNCTION push_internal.wrong_interval(path text, value json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF value IS NULL OR json_typeof(value) = 'string' AND (value #>> '{}')::interval > interval '0' THEN
        RETURN NULL;
    END IF;
    RETURN push_internal.spec_problem(path, format('is %s, not a length of time', left(value::text, 60)),
                             'Write it as text: "90 s", "30 min", "6 h" or "2 days".');
EXCEPTION WHEN invalid_datetime_format OR datetime_field_overflow OR interval_field_overflow THEN
    RETURN push_internal.spec_problem(path, format('is %s, not a length of time', left(value::text, 60)),
                             'Write it as text: "90 s", "30 min", "6 h" or "2 days".');
END $$;
COMMENT ON FUNCTION push_internal.wrong_interval IS 'The problem of a length of time in a spec; null: none.';

CREATE OR REPLACE FUNCTION push_internal.wrong_number(path text, value json, lowest numeric, highest numeric)
RETURNS push.problem
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
               WHEN wrong_number.value IS NULL THEN NULL
               -- With such an exponent it may be no numeric.
               WHEN json_typeof(wrong_number.value) = 'number' AND wrong_number.value::text !~ '[eE][+-]?[0-9]{4}'
                    AND (wrong_number.value::text)::numeric BETWEEN lowest AND highest THEN NULL
               ELSE push_internal.spec_problem(
                        path, format('is %s, not a number from %s to %s', left(wrong_number.value::text, 60), lowest, highest),
                        CASE
                            WHEN json_typeof(wrong_number.value) = 'string' AND wrong_number.value #>> '{}' ~ '^[0-9.]+$'
                            THEN 'Write it without quotation marks.'
                            ELSE 'Leave it out for the default; docs/campaigns.md has all members.'
                        END)
           END
$$;
COMMENT ON FUNCTION push_internal.wrong_number IS 'The problem of a number in a spec; null: none.';

CREATE OR REPLACE FUNCTION push_internal.wrong_whole_number(path text, value json, lowest int, highest int) RETURNS push.problem
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(
               push_internal.wrong_number(path, value, lowest, highest),
               CASE
                   WHEN (wrong_whole_number.value::text)::numeric % 1 <> 0
                   THEN push_internal.spec_problem(
                            path, format('is %s, not a whole number from %s to %s', left(wrong_whole_number.value::text, 60), lowest, highest),
                            'Leave out what is behind the point.')
               END)
$$;
COMMENT ON FUNCTION push_internal.wrong_whole_number IS 'The problem of a whole number in a spec; null: none.';

CREATE OR REPLACE FUNCTION push_internal.unseen_view(value json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    parts text[];
BEGIN
    parts := parse_ident(value #>> '{}');
    RETURN (SELECT push_internal.spec_problem(
                       'audience.view', format('is %s, in a schema that push_audience may not enter', left(value::text, 80)),
                       format('GRANT USAGE ON SCHEMA %I TO push_audience; GRANT SELECT ON %1$I.%I TO push_audience;',
                              n.nspname, c.relname))
              FROM pg_class c
                   JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE cardinality(parts) = 2
               AND n.nspname = parts[1]
               AND c.relname = parts[2]
               AND c.relkind IN ('v', 'm', 'r', 'p', 'f')
               AND n.nspname NOT IN ('push', 'push_worker', 'push_internal')
               AND NOT has_schema_privilege('push_audience', n.oid, 'USAGE'));
EXCEPTION WHEN invalid_parameter_value OR undefined_object THEN
    RETURN NULL;                               -- no name at all, or no such role
END $$;
COMMENT ON FUNCTION push_internal.unseen_view IS
    'What is wrong with a view that is there, in a schema that push_audience may not enter; null: it is not that.';

CREATE OR REPLACE FUNCTION push_internal.wrong_audience(audience json, format text, hubs text[]) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known constant text[] := '{tags,expression,broadcast,list,handles,view}';
    kind text;
    value json;
    problem push.problem;
    tag text;
    element json;
    are_topics constant boolean := (
        SELECT bool_and(h.tags_are_topics AND NOT h.takes_templates) FROM push.hub h WHERE h.name = ANY (hubs));
BEGIN
    IF audience IS NULL OR json_typeof(audience) <> 'object' THEN
        RETURN push_internal.spec_problem(
            'audience', coalesce('is ' || left(nullif(audience::text, 'null'), 80) || ', not an object', 'is missing'),
            format('Write {"tags": %s}, {"list": "beta"} or {"view": "marketing.lapsed"}; docs/campaigns.md has all kinds.',
                   CASE
                       WHEN json_typeof(audience) = 'string' AND push_internal.is_plain_tag(audience #>> '{}')
                       THEN json_build_array(audience) ELSE '["World"]'
                   END));
    END IF;
    problem := push_internal.unknown_member('audience', audience, known);
    IF NOT problem IS NULL THEN
        RETURN problem;
    END IF;
    IF (SELECT count(*) FROM json_object_keys(audience)) <> 1 THEN
        RETURN push_internal.spec_problem('audience', 'has more or less than one member',
                                 format('An audience is one of %s.', array_to_string(known, ', ')));
    END IF;
    SELECT e.key, e.value INTO kind, value FROM json_each(audience) e;
    IF kind = 'handles' THEN
        IF json_typeof(value) <> 'object' OR json_typeof(value -> 'list') IS DISTINCT FROM 'string' THEN
            RETURN push_internal.spec_problem('audience.handles', 'names no list', 'Write {"handles": {"list": "beta"}}.');
        ELSIF format = 'template' THEN
            RETURN push_internal.spec_problem('audience.handles', 'needs a native format',
                                     'Set format to what the handles are of, such as "apple" or "fcmv1".');
        END IF;
        value := value -> 'list';
        kind := 'list';
    END IF;
    CASE kind
        WHEN 'tags' THEN
            IF json_typeof(value) <> 'array' OR json_array_length(value) = 0 THEN
                RETURN push_internal.spec_problem('audience.tags', 'is not a list of tags', 'Write {"tags": ["World", "Science"]}.');
            END IF;
            FOR element IN SELECT t.value FROM json_array_elements(value) t LOOP
                IF json_typeof(element) <> 'string'
                   OR (are_topics OR push_internal.is_plain_tag(element #>> '{}')) IS NOT TRUE THEN
                    RETURN push_internal.spec_problem(
                        'audience.tags', format('has %s, which is not a tag', left(element::text, 140)),
                        'A tag is a text: 1 to 120 of A-Z a-z 0-9 _ @ # . : -; write {"expression": "a && b"} for an '
                        'expression.');
                END IF;
            END LOOP;
        WHEN 'expression' THEN
            problem := CASE
                WHEN json_typeof(value) <> 'string'
                    THEN push_internal.spec_problem('audience.expression', 'is not a text', 'Write {"expression": "a && !b"}.')
                 WHEN are_topics THEN NULL      -- push_internal.wrong_kind judges them
                ELSE push_internal.wrong_tag(value #>> '{}') END;
            IF NOT problem IS NULL THEN
                RETURN push_internal.spec_problem('audience.expression', replace(problem.message, 'push.message.tag ', ''),
                                         problem.hint);
            END IF;
        WHEN 'broadcast' THEN
            IF value::text <> 'true' THEN
                RETURN push_internal.spec_problem('audience.broadcast', 'is not true', 'Write {"broadcast": true}.');
            END IF;
            SELECT h.name INTO tag FROM push.hub h WHERE h.name = ANY (hubs) AND NOT h.allow_broadcast ORDER BY 1 LIMIT 1;
            IF FOUND THEN
                RETURN push_internal.spec_problem('audience.broadcast', format('is not allowed on hub %s', tag),
                                         format('Set hubs.%s.allowBroadcast and run fanfare migrate up.', tag));
            END IF;
        WHEN 'list' THEN
            IF json_typeof(value) <> 'string' OR NOT EXISTS (SELECT FROM push.list l WHERE l.name = value #>> '{}' AND l.replaced_by IS NULL) THEN
                RETURN push_internal.spec_problem(
                    'audience.list', format('is %s, and there is no such list', left(value::text, 80)),
                    coalesce('There are: ' || (SELECT string_agg(l.name, ', ' ORDER BY l.name)
                                                 FROM (SELECT l.name FROM push.list l WHERE l.replaced_by IS NULL ORDER BY 1 LIMIT 20) l) || '.',
                             'Load it: fanfare campaign audience load NAME --file people.csv'));
            END IF;
        WHEN 'view' THEN
            IF json_typeof(value) <> 'string' OR push_internal.audience_view(value #>> '{}') IS NULL THEN
                RETURN coalesce(
                    push_internal.unseen_view(value),
                    push_internal.spec_problem(
                        'audience.view', format('is %s, and there is no such view', left(value::text, 80)),
                        'Write schema and name, such as "marketing.lapsed"; docs/campaigns.md has a recipe.'));
            END IF;
    END CASE;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.wrong_audience IS 'What is wrong with the audience of a spec; null: nothing.';

CREATE OR REPLACE FUNCTION push_internal.wrong_kind(spec json, hub push.hub) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    asked constant text := coalesce(spec ->> 'format', 'template');
    audience constant json := spec -> 'audience';
    path constant text := CASE WHEN audience -> 'tags' IS NOT NULL THEN 'audience.tags' ELSE 'audience.expression' END;
    kind push.hub_kind;
    problem push.problem;
    tag text;
BEGIN
    IF hub.takes_templates THEN
        RETURN NULL;
    END IF;
    SELECT k.* INTO kind FROM push.hub_kind k WHERE k.name = hub.kind;
    IF asked <> ALL (kind.formats) THEN
        RETURN push_internal.spec_problem(
            'format', format('is %s, and hub %s is %s', push_internal.quoted(asked, 60), hub.name, kind.label),
            format('Write "format": %s.', push_internal.quoted(kind.formats[1], 60)));
    ELSIF kind.headers = '{}' AND json_typeof(spec -> 'headers') <> 'null' THEN
        RETURN push_internal.spec_problem(
            'headers', format('are given, and hub %s is %s, which takes none', hub.name, kind.label),
            'Leave them out: the payload says all.');
    END IF;
    problem := push_internal.wrong_headers_of_kind(hub, kind, spec -> 'headers');
    IF NOT problem IS NULL THEN
        RETURN push_internal.spec_problem('headers', replace(problem.message, 'push.message.headers: ', ''), problem.hint);
    ELSIF audience -> 'broadcast' IS NOT NULL AND NOT kind.takes_broadcasts THEN
        RETURN push_internal.spec_problem(
            'audience.broadcast', format('is for everybody, and hub %s is %s, which sends to single devices only', hub.name, kind.label),
            'Take an audience of a list or view with handles.');
    ELSIF audience -> 'broadcast' IS NOT NULL AND hub.broadcast_topic IS NULL THEN
        RETURN push_internal.spec_problem(
            'audience.broadcast', format('has no topic on hub %s', hub.name),
            format('Set hubs.%s.broadcastTopic and run fanfare migrate up.', hub.name));
    END IF;
    FOR tag IN
        SELECT t.tag FROM json_array_elements_text(CASE WHEN json_typeof(audience -> 'tags') = 'array' THEN audience -> 'tags' END) t(tag)
         UNION ALL
        SELECT audience ->> 'expression' WHERE audience -> 'expression' IS NOT NULL
    LOOP
        problem := push_internal.wrong_tag_of_kind(hub, kind, tag);
        IF NOT problem IS NULL THEN
            RETURN push_internal.spec_problem(
                path, CASE problem.rule
                          WHEN 'hub_has_tags' THEN format('names tags, and hub %s is %s and has none', hub.name, kind.label)
                          ELSE format('has %s, which is no topic of %s: %s', push_internal.quoted(tag, 100), kind.label,
                                      substr(problem.message, length('push.message.tag ' || push_internal.quoted(tag, 100) || ': ') + 1))
                      END,
                CASE problem.rule
                    WHEN 'hub_has_tags'
                    THEN replace(problem.hint, format('Name one %s in handles', kind.handle), 'Take an audience of a list or view with handles')
                    ELSE problem.hint
                END);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.wrong_kind IS
    'What a spec asks for that a hub of its kind cannot do; null: nothing. What single recipients ask for, the expansion judges.';

CREATE OR REPLACE FUNCTION push_internal.wrong_shape(format text, locale text, content json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    path constant text := push_internal.member_path('content', locale);
    problem push.problem;
BEGIN
    IF locale <> '' AND (
           json_typeof(content) <> 'object' AND format = 'template'
           OR NOT push_internal.wrong_locale(locale) IS NULL
           OR format <> 'template' AND EXISTS (
                  SELECT FROM push.payload_rule r WHERE r.format = wrong_shape.format AND r.at = '' AND r.member = locale))
    THEN
        RETURN push_internal.spec_problem(
            path, 'stands where content has its languages',
            format('Write {"": {%s: ...}} for one content without a language, or {"en": {%1$s: ...}, "fr": ...}; a language is '
                   'fr, fr-CA or zh-Hans.', push_internal.quoted(locale, 60)));
    END IF;
    RETURN push_internal.wrong_placeholder(path, content);
END $$;
COMMENT ON FUNCTION push_internal.wrong_shape IS
    'What is wrong with one text of a spec and the language that it is for; null: nothing.';

CREATE OR REPLACE FUNCTION push_internal.wrong_texts(spec json, hub push.hub) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    format constant text := coalesce(spec ->> 'format', 'template');
    is_direct constant boolean := spec -> 'audience' -> 'handles' IS NOT NULL;
    folds constant boolean := hub.localization = 'properties' AND format = 'template';
    part record;
    problem push.problem;
BEGIN
    FOR part IN SELECT e.key, e.value FROM json_each(spec -> 'content') e LOOP
        problem := push_internal.wrong_shape(format, part.key, part.value);
        IF NOT problem IS NULL THEN
            RETURN problem;
        END IF;
        problem := push_internal.wrong_content(format, part.value, spec -> 'headers', is_direct);
        IF problem IS NULL AND folds AND part.key <> '' AND push_internal.language_of(hub.languages, part.key) IS NULL THEN
            problem := push_internal.wrong_for_hub(hub, 'locale_is_a_language_of_the_hub', 'locale', part.key);
        END IF;
        IF NOT problem IS NULL THEN
            RETURN push_internal.spec_problem(
                push_internal.member_path('content', part.key),
                regexp_replace(problem.message, '^push\.message\.[a-z]+ ', ''), problem.hint);
        END IF;
    END LOOP;
    IF folds AND EXISTS (SELECT FROM json_object_keys(spec -> 'content') k(name) WHERE k.name <> '') THEN
        -- What is under "" stands in for a missing language only if it has every property.
        problem := (
            SELECT coalesce(
                       push_internal.wrong_translations(hub, '', array_agg(nullif(e.key, '')), NULL),
                       push_internal.wrong_fold(hub, '', array_agg(nullif(e.key, '')), array_agg(e.value)))
              FROM json_each(spec -> 'content') e
             WHERE e.key <> ''
                OR NOT EXISTS (
                       SELECT
                         FROM json_each(spec -> 'content') o, json_object_keys(o.value) k(name)
                        WHERE lower(k.name) NOT IN (SELECT lower(p.name) FROM json_object_keys(e.value) p(name))));
        IF problem.rule = 'translations_have_a_fallback' THEN
            RETURN push_internal.spec_problem(
                'content', format('lacks %s, the fallback language of hub %s', to_json(hub.fallback), hub.name),
                format('Add %s; or give every property under "" as well.', to_json(hub.fallback)));
        END IF;
        IF NOT problem IS NULL THEN
            RETURN push_internal.spec_problem('content', regexp_replace(problem.message, '^push\.message\.?[a-z]* *', ''), problem.hint);
        END IF;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.wrong_texts IS 'What is wrong with the content of a spec for one hub; null: nothing.';

CREATE OR REPLACE FUNCTION push_internal.wrong_languages(spec json) RETURNS push.problem
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT ROW (
               'content', 'recipients_have_a_language',
               format('content has payloads in several languages, and hub %s does not localise by tags: nothing says which of '
                      'them a tag gets', h.name),
               'Give one payload under "" and let the phone translate (title-loc-key), or take an audience of a list or view: '
               'there each recipient''s locale chooses.')::push.problem
      FROM push.hub h
     WHERE coalesce(spec ->> 'format', 'template') <> 'template'
       AND coalesce(spec -> 'audience' -> 'view', spec -> 'audience' -> 'list', spec -> 'audience' -> 'handles') IS NULL
       AND EXISTS (SELECT FROM json_object_keys(spec -> 'content') k(name) WHERE k.name <> '')
       AND h.name IN (SELECT e.value #>> '{}' FROM json_array_elements(spec -> 'hubs') e)
       AND h.localization = 'properties'
     ORDER BY h.name
     LIMIT 1
$$;
COMMENT ON FUNCTION push_internal.wrong_languages IS
    'Why nothing chooses the language of a native payload; null: something does, or it has none.';

CREATE OR REPLACE FUNCTION push_internal.wrong_members(spec json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    asked text;
BEGIN
    IF spec IS NULL OR json_typeof(spec) <> 'object' THEN
        RETURN push_internal.spec_problem('', 'The spec is not a JSON object', 'docs/campaigns.md has an example.');
    ELSIF octet_length(spec::text) > 1048576 THEN
        RETURN push_internal.spec_problem(
            '', format('The spec has %s bytes, more than 1,048,576', to_char(octet_length(spec::text), 'FM999,999,999,999')),
            'Who is reached stands in a list or a view, not in the spec: {"audience": {"view": ...}}.');
    ELSIF push_internal.json_fault(spec) IS NOT NULL THEN
        RETURN push_internal.spec_problem(
            '', 'The spec ' || push_internal.json_fault(spec),
            'Leave it out' || coalesce(': it is in ' || substring(spec::text FROM '("[^"]{1,60}")\s*:\s*"[^"]*\\u(?:0000|[dD][89a-fA-F])'), '')
            || '.');
    END IF;
    asked := coalesce(spec ->> 'format', 'template');
    RETURN coalesce(
        push_internal.repeated_member(spec),
        push_internal.unknown_member('', spec, '{hubs,format,headers,audience,content,fallback,priority,rate,spread,expires,'
                                      'maxDuration,onDoubt,pack,stopWhen,schedule,canary,approval,cap,local,window,'
                                      'ramp}'),
        CASE
            WHEN json_typeof(spec -> 'hubs') IS DISTINCT FROM 'array' OR json_array_length(spec -> 'hubs') = 0
                THEN push_internal.spec_problem('hubs', 'is not a list of hubs', 'Write "hubs": ["news"].')
            WHEN NOT EXISTS (SELECT FROM push.payload_format f WHERE f.name = asked)
                THEN push_internal.spec_problem('format', format('%s is not known', push_internal.quoted(asked, 60)),
                         (SELECT format('Known: %s.', string_agg(f.name, ', ' ORDER BY f.name))
                            FROM push.payload_format f))
            WHEN json_typeof(spec -> 'content') IS DISTINCT FROM 'object'
                 OR NOT EXISTS (SELECT FROM json_object_keys(spec -> 'content'))
                THEN push_internal.spec_problem('content', 'is missing',
                         'Write {"en": {"title": "Hello"}, "fr": {"title": "Bonjour"}}, or {"": {...}} for one content '
                         'without a language.')
            WHEN (SELECT count(*) FROM json_object_keys(spec -> 'content')) > 64
                THEN push_internal.spec_problem(
                         'content', format('has %s languages, more than 64',
                                           (SELECT count(*) FROM json_object_keys(spec -> 'content'))),
                         'A language stands for its regions: "es" is sent to es-MX and es-AR, too.')
            WHEN json_typeof(spec -> 'fallback') <> 'string' OR spec ->> 'fallback' = ''
                 OR spec -> 'content' -> (spec ->> 'fallback') IS NULL AND spec ->> 'fallback' IS NOT NULL
                THEN push_internal.spec_problem('fallback', format('is %s, and content has no such language',
                                                          left((spec -> 'fallback')::text, 60)),
                         'It is one of the languages of content.')
            WHEN spec ->> 'onDoubt' NOT IN ('hold', 'resend')
                THEN push_internal.spec_problem('onDoubt', 'is neither "hold" nor "resend"', 'Leave it out for the hub''s.')
            WHEN json_typeof(spec -> 'pack') <> 'boolean'
                THEN push_internal.spec_problem('pack', 'is neither true nor false', 'Leave it out for true.')
            WHEN spec -> 'rate' IS NOT NULL AND spec -> 'spread' IS NOT NULL
                THEN push_internal.spec_problem('spread', 'stands beside rate', 'One of the two: spread is worked out into a rate.')
            WHEN json_typeof(spec -> 'stopWhen') <> 'object'
                THEN push_internal.spec_problem('stopWhen', 'is not an object', 'Write {"rejected": 0.02, "least": 200}.')
        END,
        push_internal.wrong_whole_number('priority', spec -> 'priority', 0, 2),
        push_internal.wrong_number('rate', spec -> 'rate', 0.01, 1000000),
        push_internal.wrong_interval('spread', spec -> 'spread'),
        push_internal.wrong_interval('expires', spec -> 'expires'),
        push_internal.wrong_interval('maxDuration', spec -> 'maxDuration'),
        push_internal.unknown_member('stopWhen', spec -> 'stopWhen', '{rejected,doubt,least}'),
        push_internal.wrong_number('stopWhen.rejected', spec -> 'stopWhen' -> 'rejected', 0, 1),
        push_internal.wrong_number('stopWhen.doubt', spec -> 'stopWhen' -> 'doubt', 0, 1),
        push_internal.wrong_whole_number('stopWhen.least', spec -> 'stopWhen' -> 'least', 1, 1000000000),
        push_internal.wrong_placeholder('headers', spec -> 'headers'),
        push_internal.wrong_schedule(spec -> 'schedule'),
        push_internal.wrong_canary(spec -> 'canary'),
        push_internal.wrong_approval(spec -> 'approval'));
END $$;
COMMENT ON FUNCTION push_internal.wrong_members IS
    'What is wrong with the members of a spec by themselves, for ever; null: nothing.';

CREATE OR REPLACE FUNCTION push_internal.wrong_references(spec json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    asked constant text := coalesce(spec ->> 'format', 'template');
    hubs text[];
    hub push.hub;
    problem push.problem;
BEGIN
    hubs := ARRAY(SELECT h.value #>> '{}' FROM json_array_elements(spec -> 'hubs') h);
    problem := coalesce(
        push_internal.wrong_zone_of_schedule(spec -> 'schedule'), push_internal.wrong_audience(spec -> 'audience', asked, hubs),
        push_internal.wrong_cap(spec -> 'cap', spec -> 'audience'));
    IF NOT problem IS NULL THEN
        RETURN problem;
    END IF;
    FOR hub IN SELECT h.* FROM push.hub h WHERE h.name = ANY (hubs) AND h.removed_at IS NULL ORDER BY h.name LOOP
        hubs := array_remove(hubs, hub.name);
        problem := coalesce(push_internal.wrong_kind(spec, hub), push_internal.wrong_texts(spec, hub));
        IF NOT problem IS NULL THEN
            RETURN problem;
        END IF;
    END LOOP;
    IF hubs = '{}' THEN
        RETURN coalesce(push_internal.wrong_local(spec), push_internal.wrong_languages(spec));
    ELSE
        RETURN push_internal.spec_problem(
            'hubs', format('has %s, and there is no such hub', push_internal.quoted(hubs[1], 80)),
            coalesce('There are: ' || (SELECT string_agg(h.name, ', ' ORDER BY h.name)
                                         FROM (SELECT h.name FROM push.hub h WHERE h.removed_at IS NULL ORDER BY 1 LIMIT 20) h),
                     'Run fanfare migrate up with a configuration that has it.'));
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.wrong_references IS
    'What a spec without a mistake in its members names, and is not there or cannot carry it now: hubs and their '
    'languages, lists, views, time zones; null: nothing. Each run asks again.';

CREATE OR REPLACE FUNCTION push_internal.wrong_spec(spec json) RETURNS push.problem
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(push_internal.wrong_members(spec), push_internal.wrong_references(spec))
$$;
COMMENT ON FUNCTION push_internal.wrong_spec IS 'What is wrong with the spec of a campaign; null: nothing.';
