-- The rules of tags, handles and template properties.

-- expr := and ("||" and)*; and := unary ("&&" unary)*; unary := "!" unary | "(" expr ")" | tag.
-- One pass over the text suffices: it tracks what may come next, and how deep we are. The rules are those of
-- TagExpression in PushModel, and a test compares the two. Patterns are E'' strings, which mean the same under every
-- setting of standard_conforming_strings.
CREATE OR REPLACE FUNCTION push_internal.fault_of_expression(tag text, kind push.hub_kind) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- Where tags are topics, one with a character that only tags have is read whole, and then refused.
    token_pattern constant text := CASE kind.tag
        WHEN 'topics' THEN E'^(?: +|&&|\\|\\||[!()]|[A-Za-z0-9_@#.:~%-]+)'
        ELSE E'^(?: +|&&|\\|\\||[!()]|\\$(?:InstallationId|UserId):\\{[A-Za-z0-9_@#.:=-]+\\}|[A-Za-z0-9_@#.:-]+)'
    END;
    word constant text := CASE kind.tag WHEN 'topics' THEN 'topic' ELSE 'tag' END;
    rest text := tag;
    token text;
    at int := 1;
    tags int := 0;
    only_or boolean := true;
    wants_tag boolean := true;
    depths int[] := '{0}';    -- depth inside each open parenthesis, outermost first
    depth int := 0;           -- parentheses and ! around what comes next
    wrong text;
BEGIN
    IF octet_length(tag) > 4096 THEN
        wrong := format('it has %s bytes, 4,096 are allowed', octet_length(tag));
    ELSIF btrim(tag) = '' THEN
        wrong := 'it is empty; to reach everyone set broadcast';
    END IF;
    WHILE wrong IS NULL AND rest <> '' LOOP
        token := substring(rest COLLATE "C" FROM token_pattern);
        IF token IS NULL THEN
            wrong := CASE
                WHEN rest COLLATE "C" ~ '^[[:cntrl:]]'
                THEN format('character %s is a control character; between tags a blank is enough', at)
                WHEN left(rest, 1) IN ('"', '''')
                THEN format('character %s is a quotation mark; tags are written without', at)
                WHEN left(rest, 1) IN ('&', '|')
                THEN format('character %s is a single %s; the operators are && and ||', at, left(rest, 1))
                WHEN left(rest, 1) = '$' AND kind.tag <> 'topics'
                THEN format('character %s begins neither $InstallationId:{...} nor $UserId:{...}', at)
                ELSE format('character %s (%s) is not allowed in a %s', at, left(rest, 1), word)
            END;
        ELSIF token LIKE ' %' THEN
            NULL;
        ELSIF wants_tag AND token = '!' THEN
            only_or := false;
            depth := depth + 1;
        ELSIF wants_tag AND token = '(' THEN
            depth := depth + 1;
            depths := depths || depth;
        ELSIF wants_tag AND token NOT IN (')', '&&', '||') THEN
            tags := tags + 1;
            wants_tag := false;
            depth := depths[cardinality(depths)];
            IF kind.tag = 'topics' THEN
                IF token COLLATE "C" ~ '[@#:]' THEN
                    wrong := format('%s at character %s is a tag and no topic', push_internal.quoted(token, 60), at);
                END IF;
            ELSIF octet_length(token) > 120 THEN
                wrong := format('a tag of %s characters at %s, 120 are allowed', octet_length(token), at);
            END IF;
        ELSIF NOT wants_tag AND token = ')' AND cardinality(depths) > 1 THEN
            depths := trim_array(depths, 1);
            depth := depths[cardinality(depths)];
        ELSIF NOT wants_tag AND token IN ('&&', '||') THEN
            wants_tag := true;
            only_or := only_or AND token = '||';
        ELSE
            wrong := format('%s at character %s is not expected there', token, at);
        END IF;
        IF depth > 32 THEN
            wrong := 'parentheses and ! are nested deeper than 32';
        END IF;
        at := at + length(token);
        rest := substr(rest, length(token) + 1);
    END LOOP;
    wrong := CASE
        WHEN wrong IS NOT NULL THEN wrong
        WHEN wants_tag THEN 'it ends where a tag is expected'
        WHEN cardinality(depths) > 1 THEN 'a closing parenthesis is missing'
        WHEN tags > kind.tags THEN format('it has %s %ss, %s are allowed', tags, word, kind.tags)
        WHEN tags > kind.mixed_tags AND NOT only_or
        THEN format('it has %s %ss, %s are allowed with && or !, %s with || alone', tags, word, kind.mixed_tags, kind.tags)
    END;
    RETURN wrong;
END $$;
COMMENT ON FUNCTION push_internal.fault_of_expression IS
    'What is wrong with an expression of tags or topics at which character; null: nothing.';

CREATE OR REPLACE FUNCTION push_internal.wrong_expression(tag text) RETURNS push.problem
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    wrong constant text := (
        SELECT push_internal.fault_of_expression(wrong_expression.tag, k) FROM push.hub_kind k WHERE k.name = 'notification-hubs');
BEGIN
    IF wrong IS NULL THEN
        RETURN NULL;
    END IF;
    RETURN ('tag', 'tag_is_a_tag_or_an_expression',
            format('push.message.tag %s: %s', push_internal.quoted(tag, 100), wrong),
            'A tag has 1 to 120 of A-Z a-z 0-9 _ @ # . : - ; an expression joins tags with ||, && and !. Try one with: '
            || 'fanfare tag check ''...''')::push.problem;
END $$;
COMMENT ON FUNCTION push_internal.wrong_expression IS
    'The problem of a tag expression: what is wrong at which character; null: none.';

CREATE OR REPLACE FUNCTION push_internal.is_plain_tag(tag text) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN tag COLLATE "C" ~ '^[A-Za-z0-9_@#.:-]+$' AND octet_length(tag) <= 120;
COMMENT ON FUNCTION push_internal.is_plain_tag IS 'Whether it is one tag, without operators.';

CREATE OR REPLACE FUNCTION push_internal.wrong_tag(tag text) RETURNS push.problem
LANGUAGE sql STABLE
RETURN CASE WHEN NOT push_internal.is_plain_tag(tag) THEN push_internal.wrong_expression(tag) END;
COMMENT ON FUNCTION push_internal.wrong_tag IS 'The problem of a tag or tag expression; null: none.';

CREATE OR REPLACE FUNCTION push_internal.odd_tag(tag text) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    parts constant text[] := ARRAY(
        SELECT m.part[1]
          FROM regexp_matches(lower(tag COLLATE "C"), E'[a-z0-9_@#.:-]+|&&|\\|\\||[!()]', 'g') WITH ORDINALITY m(part, n)
         ORDER BY m.n);
    names constant text[] := ARRAY(SELECT DISTINCT p.name FROM unnest(parts) p(name) WHERE p.name ~ '^[a-z0-9_@#.:-]');
    any_set boolean;
    all_set boolean;
BEGIN
    IF names && '{and,or,not}' THEN
        RETURN 'word tag';
    ELSIF strpos(tag, '!') = 0 OR tag ~ '[$~%]' OR cardinality(names) > 6 THEN
        RETURN NULL;
    END IF;
    -- All that devices may have of these tags, as the bits of a number. Nothing of the text itself gets into the statement.
    EXECUTE format('SELECT bool_or(%1$s), bool_and(%1$s) FROM generate_series(0, %2$s) h(held)',
                   (SELECT string_agg(CASE p.part
                                          WHEN '&&' THEN ' AND '
                                          WHEN '||' THEN ' OR '
                                          WHEN '!' THEN ' NOT '
                                          WHEN '(' THEN '('
                                          WHEN ')' THEN ')'
                                          ELSE format('(h.held >> %s & 1 = 1)', array_position(names, p.part) - 1)
                                      END, '' ORDER BY p.n)
                      FROM unnest(parts) WITH ORDINALITY p(part, n)),
                   (1 << cardinality(names)) - 1)
       INTO any_set, all_set;
    RETURN CASE WHEN NOT any_set THEN 'impossible tags' WHEN all_set THEN 'tags of everybody' END;
END $$;
COMMENT ON FUNCTION push_internal.odd_tag IS
    'What is odd about a valid tag expression: it has a tag named and, or or not (word tag), no device can match it (impossible '
    'tags), or every device does (tags of everybody); null: nothing. Expressions with $, and topics with ~ or %, are not looked into.';

CREATE OR REPLACE FUNCTION push_internal.header(headers json, name text) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT h.value
      FROM json_each_text(CASE WHEN json_typeof(headers) = 'object' THEN headers END) h
     WHERE lower(h.key COLLATE "C") = header.name
$$;
COMMENT ON FUNCTION push_internal.header IS 'The value of a header, by its name in lower case; null: it is not set.';

CREATE OR REPLACE FUNCTION push_internal.wrong_handles(format text, tag text, handles text[], broadcast boolean, headers json)
RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rule constant text := 'exactly_one_of_tag_handles_and_broadcast';
    hint text := 'A handle is what Apple, Google or another push service gave to a device; tags need none.';
    wrong text;
    place int;
    bad text;
    bytes bigint;
BEGIN
    IF num_nonnulls(tag, handles) + broadcast::int <> 1 THEN
        RETURN ('tag', rule,
                'push.message.tag, handles and broadcast: exactly one says whom the message is for',
                'Name a tag, or device handles, or leave both out and set broadcast to reach every registration of '
                || 'the hub.')::push.problem;
    ELSIF handles IS NULL THEN
        RETURN NULL;
    ELSIF format = 'template' THEN
        wrong := ' need a native format; a template is rendered for registered devices only';
        hint := 'Set format to apple, fcmv1, windows, adm, baidu, browser or xiaomi, or name a tag.';
    ELSIF cardinality(handles) = 0 THEN
        wrong := ' are empty, 1 to 1,000 go into one request';
    ELSIF array_ndims(handles) > 1 THEN
        wrong := ' are nested, a plain array is needed';
    ELSIF cardinality(handles) > push_internal.most_handles() THEN      -- other kinds: push_internal.wrong_for_kind
        wrong := format(' has %s handles, %s go into one request', cardinality(handles),
                        to_char(push_internal.most_handles(), 'FM9,999,999'));
    ELSIF format = 'browser'
          AND (cardinality(handles) > 1
               OR push_internal.header(headers, 'auth') IS NULL
               OR push_internal.header(headers, 'p256dh') IS NULL) THEN
        wrong := ' of a browser: one at a time, with the headers Auth and P256DH, which are its own';
        hint := 'Write headers as {"Auth": "...", "P256DH": "..."} and enqueue one message per browser.';
    ELSE
        SELECT min(u.n) FILTER (WHERE push_internal.is_usual_handle(push_internal.platform_of(format), u.handle) IS NOT TRUE),
               sum(octet_length(u.handle))
          INTO place, bytes
          FROM unnest(handles) WITH ORDINALITY u(handle, n);
        IF place IS NOT NULL THEN
            bad := handles[array_lower(handles, 1) + place - 1];
            wrong := format('[%s] ', place) || CASE
                WHEN bad IS NULL THEN 'is null'
                ELSE push_internal.fault_of_handle(push_internal.platform_of(format), bad)
            END;
        ELSIF bytes > push_internal.most_handle_bytes() THEN
            wrong := format(' have %s bytes together, %s are allowed', bytes,
                            to_char(push_internal.most_handle_bytes(), 'FM9,999,999'));
            hint := 'Enqueue several messages, each for some of the handles.';
        END IF;
    END IF;
    RETURN CASE
        WHEN wrong IS NOT NULL THEN ('handles', rule, 'push.message.handles' || wrong, hint)::push.problem
    END;
END $$;
COMMENT ON FUNCTION push_internal.wrong_handles IS 'The problem of a message that is not simply for a tag; null: none.';

CREATE OR REPLACE FUNCTION push_internal.wrong_target(format text, tag text, handles text[], broadcast boolean, headers json)
RETURNS push.problem
LANGUAGE sql STABLE
RETURN CASE
    WHEN NOT (handles IS NULL AND (tag IS NULL) = broadcast)
    THEN push_internal.wrong_handles(format, tag, handles, broadcast, headers)
END;
COMMENT ON FUNCTION push_internal.wrong_target IS
    'The problem of tag, handles and broadcast, of which exactly one says whom the message is for; null: none.';

CREATE OR REPLACE FUNCTION push_internal.json_fault(document json) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    brackets text;
BEGIN
    -- Rounds that each take the innermost brackets away; as many as JSONNode in PushModel reads. PostgreSQL itself takes
    -- thousands of levels.
    IF octet_length(document::text) - octet_length(translate(document::text, '[{', '')) > 64 THEN
        brackets := regexp_replace(document::text, E'"(?:[^"\\\\]|\\\\.)*"', '', 'g');
        brackets := translate(regexp_replace(brackets, '[^][{}]+', '', 'g'), '{}', '[]');
        FOR round IN 1..64 LOOP
            EXIT WHEN brackets = '';
            brackets := replace(brackets, '[]', '');
        END LOOP;
        IF brackets <> '' THEN
            RETURN 'is nested deeper than 64 levels';
        END IF;
    END IF;
    IF document::text COLLATE "C" ~* E'\\\\u(0000|d[89a-f])' THEN
        BEGIN
            PERFORM document #>> '{-}';
        EXCEPTION
            WHEN untranslatable_character THEN
                RETURN 'holds the character NUL';
            WHEN invalid_text_representation THEN
                RETURN 'holds half a surrogate pair';
        END;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.json_fault IS
    'What keeps PostgreSQL or a worker from reading a JSON text: a string that PostgreSQL checks only when it reads it, or more '
    'than 64 levels; null: nothing.';

CREATE OR REPLACE FUNCTION push_internal.wrong_property(content json) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
               WHEN p.key COLLATE "C" !~ '^[A-Za-z0-9_]+$'
               THEN format('has the property %s; a name has only A-Z a-z 0-9 _', push_internal.quoted(p.key, 60))
               WHEN length(p.key) > 120
               THEN format('has the property "%s..." of %s characters; a name has at most 120',
                           left(p.key, 40), length(p.key))
               ELSE format('has %s as value of "%s"; template properties are strings',
                           CASE
                               WHEN json_typeof(p.value) = 'null' THEN 'null'
                               WHEN json_typeof(p.value) IN ('array', 'object') THEN 'an ' || json_typeof(p.value)
                               ELSE 'a ' || json_typeof(p.value)
                           END, left(p.key, 60))
           END
      FROM json_each(content) WITH ORDINALITY p(key, value, i)
     WHERE p.key COLLATE "C" !~ '^[A-Za-z0-9_]{1,120}$'
        OR json_typeof(p.value) <> 'string'
     ORDER BY p.i
     LIMIT 1
$$;
COMMENT ON FUNCTION push_internal.wrong_property IS 'The first property that no template could show; null: none.';
