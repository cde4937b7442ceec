-- Fanfare, migration 16: Which content and which headers a format takes: the walk over push.payload_rule.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.broken_rule(
    rules    text,
    document json,
    format   push.payload_format,
    headers  json,
    direct   boolean)
RETURNS text[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
    is_call constant boolean := headers IS NOT NULL AND push.header(headers, 'apns-push-type') = 'voip';
    xml_type constant text := CASE WHEN rules = 'windows' THEN push.header(headers, 'x-wns-type') END;
    bytes_limit constant int := CASE
        WHEN rules = 'header' THEN NULL
        WHEN is_call THEN coalesce(format.call_bytes, format.bytes)
        ELSE format.bytes
    END;
    bytes constant int := octet_length(CASE rules WHEN 'windows' THEN document #>> '{}' ELSE document::text END);
    broken record;
    texts text[];
    path text;
    key push.payload_name;
    word text[];
BEGIN
    -- Every test must hold for any JSON: PostgreSQL may try later rules before it knows that an earlier one is broken.
    -- The frequent tests stand here, where they cost no call.
    SELECT r.*, m.name, m.node INTO broken
      FROM (SELECT x.at, x.node                -- the objects of the document that have rules
              FROM (SELECT o.at, document #> string_to_array(o.at, '.') AS node
                      FROM unnest(CASE rules WHEN 'header' THEN '{""}' ELSE format.objects END) o(at)
                     WHERE o.at = ''           -- most are not there: searching for a name is cheaper than reading JSON
                        OR position('"' || split_part(o.at, '.', -1) || '"' IN document::text) > 0
                        OR position(chr(92) IN document::text) > 0      -- a name may be escaped
                    OFFSET 0) x
             WHERE x.node IS NOT NULL
            OFFSET 0) d,
           LATERAL (
               SELECT 0 AS i, NULL AS name, d.node, '{""}'::text[] AS keys
                UNION ALL
               SELECT e.i, e.name, e.node,              -- case of a header's name does not count
                      ARRAY['*', nullif(CASE rules WHEN 'header' THEN lower(e.name COLLATE "C") ELSE e.name END, '')]
                 FROM json_each(CASE json_typeof(d.node) WHEN 'object' THEN d.node END)
                          WITH ORDINALITY e(name, node, i)) m,
           LATERAL (
               SELECT r.*
                 FROM push.payload_rule r
                WHERE r.format = rules
                  AND r.at = d.at
                  AND r.member = ANY (m.keys)
               OFFSET 0) r
     WHERE (bytes <= bytes_limit) IS NOT FALSE = (r.must <> 'fit the format')
       AND CASE r.must
               WHEN 'fit the format' THEN true
               WHEN 'be of type' THEN json_typeof(m.node) <> ALL (r.words)
               WHEN 'have' THEN json_typeof(m.node) = 'object' AND m.node -> r.words[1] IS NULL
               WHEN 'be spelled' THEN m.name <> r.words[array_position(r.words, push.folded_name(m.name)) + 1]
               WHEN 'not be spelled' THEN array_position(r.words, push.folded_name(m.name)) IS NOT NULL
               WHEN 'be among the first' THEN m.i > r.words[1]::int
               ELSE push.is_broken(r.must, r.words, d.node, m.name, m.node, broken_rule.format, direct, xml_type)
           END
     ORDER BY r.n, m.i
     LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;

    -- The texts for people, with their placeholders filled in.
    SELECT n.* INTO key FROM push.payload_name n WHERE n.folded = push.folded_name(broken.name);
    broken.name := CASE broken.must WHEN 'have' THEN broken.words[1] ELSE broken.name END;
    path := concat_ws('.', nullif(broken.at, ''), CASE
        WHEN broken.name COLLATE "C" ~ '^[A-Za-z0-9_@#.:-]{1,64}$' THEN broken.name
        ELSE left(to_json(broken.name)::text, 60)
    END);
    IF broken.must = 'list strings' THEN
        path := format('%s[%s]', path, push.unlisted(broken.node));
        broken.node := broken.node -> push.unlisted(broken.node);
    END IF;
    texts := ARRAY[broken.wrong, broken.hint];
    FOREACH word SLICE 1 IN ARRAY ARRAY[
        ['{at}', broken.at],
        ['{above}', regexp_replace(broken.at, '[.][^.]*$', '')],
        ['{beside}', format('%s.%s%s', broken.at, left(broken.name, -length(broken.words[1])), broken.words[2])],
        ['{type}', json_typeof(broken.node)],
        ['{bytes}', (CASE broken.must
                         WHEN 'fit the format' THEN bytes
                         ELSE octet_length(broken.node #>> '{}')
                     END)::text],
        ['{limit}', bytes_limit::text],
        ['{words}', array_to_string(broken.words, ', ')],
        ['{format}', format.name],
        ['{headers}', coalesce(nullif(array_to_string(format.headers, ', '), ''), 'none')
                      || CASE WHEN format.direct THEN ', only with handles' ELSE '' END],
        ['{apple}', key.apple],
        ['{android}', key.android]]
    LOOP
        texts := ARRAY[replace(texts[1], word[1], coalesce(word[2], '')),
                       replace(texts[2], word[1], coalesce(word[2], ''))];
    END LOOP;
    RETURN ARRAY[concat_ws(' ', nullif(path, ''), texts[1]), texts[2]];
END $$;
COMMENT ON FUNCTION push.broken_rule IS
    'What is wrong with a payload or with headers by push.payload_rule, and a hint; null: nothing. The document must '
    'be readable.';

CREATE FUNCTION push.wrong_message(format text, content json, headers json, direct boolean) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rules push.payload_format;
    bytes constant int := octet_length(content::text);
    wrong text[];
BEGIN
    SELECT f.* INTO rules FROM push.payload_format f WHERE f.name = wrong_message.format;
    IF NOT FOUND THEN
        RETURN ('format', 'format_is_known',
                format('push.message.format %s is not known', left(to_json(format)::text, 60)),
                (SELECT format('Known: %s.', string_agg(f.name, ', ' ORDER BY f.name)) FROM push.payload_format f)
               )::push.problem;
    END IF;
    IF headers IS NOT NULL THEN
        wrong := CASE
            WHEN push.unreadable(headers) IS NOT NULL THEN ARRAY[push.unreadable(headers), 'Leave it out.']
            ELSE push.broken_rule('header', headers, rules, NULL, direct)
        END;
        IF wrong IS NOT NULL THEN
            RETURN ('headers', 'headers_are_allowed', 'push.message.headers ' || wrong[1], wrong[2])::push.problem;
        END IF;
    END IF;
    wrong := CASE
        WHEN bytes > 65536 THEN ARRAY[
            format('has %s bytes, 65,536 are allowed in one request', bytes),
            'Send less, or a key under which the app fetches the rest.']
        WHEN push.unreadable(content) IS NOT NULL THEN ARRAY[push.unreadable(content), 'Leave it out.']
        WHEN format <> 'template' THEN push.broken_rule(format, content, rules, headers, direct)
        WHEN json_typeof(content) <> 'object' THEN ARRAY[
            format('is a JSON %s, not an object of template properties', json_typeof(content)),
            'A template message is one flat JSON object of strings, such as {"title": "...", "badge": "3"}.']
        ELSE array_append(ARRAY[push.wrong_property(content)],
            'A template message is one flat JSON object of strings, such as {"title": "...", "badge": "3"}.')
    END;
    IF wrong[1] IS NULL THEN
        RETURN NULL;
    END IF;
    RETURN ('content', 'content_fits_its_format', 'push.message.content ' || wrong[1], wrong[2])::push.problem;
END $$;
COMMENT ON FUNCTION push.wrong_message IS 'The problem of format, headers or content; null: none.';

-- The type guarantees that the content is JSON. So it is a flat object of strings if it consists of pairs of strings
-- with nothing but spaces, braces, colons and commas around them: a name, with the characters of one, and a value.
-- Matching the good form is cheaper than searching for a bad one (18,100 instead of 23,700 instructions for 82 bytes).
-- What does not match goes to push.wrong_message, which reads it properly: an empty object, which is taken with a
-- warning, and escapes that may be NUL or a surrogate.
CREATE FUNCTION push.is_usual_content(content json) RETURNS boolean
LANGUAGE sql STABLE
RETURN octet_length(content::text) <= 65536
       AND content::text COLLATE "C"
           ~ (E'^[\\s{]*(?:"[A-Za-z0-9_]+"[\\s:]*"(?:[^"\\\\]|\\\\(?:[^u]|u(?:[^0dD]|0[^0]|00[^0]|[dD][0-7])))*"'
              '[\\s,}]*)+$');
COMMENT ON FUNCTION push.is_usual_content IS 'Whether a content is certainly one that every template takes.';

-- json_strip_nulls writes every member, jsonb only the last one of equal names, and both escape alike. Without spaces
-- they have the same length, unless a name is repeated. Comparing with the text as it came is cheaper, but an escape
-- that jsonb does not need (Python and PHP write \u00e9) makes that longer, too.
CREATE FUNCTION push.repeats_name(content json) RETURNS boolean
LANGUAGE sql STABLE
RETURN octet_length(replace(json_strip_nulls(content)::text, ' ', ''))
       > octet_length(replace(to_jsonb(content) #>> '{}', ' ', ''));
COMMENT ON FUNCTION push.repeats_name IS
    'Whether a property stands twice in a content that a template takes (push.wrong_message). Others may raise. In a '
    'database that is not in UTF-8: always false.';
DO $$
BEGIN
    IF getdatabaseencoding() <> 'UTF8' THEN   -- jsonb cannot take every \u there, and a row must not fail for a warning
        CREATE OR REPLACE FUNCTION push.repeats_name(content json) RETURNS boolean
        LANGUAGE sql STABLE
        RETURN false;
    END IF;
END $$;

CREATE FUNCTION push.wrong_content(format text, content json, headers json, direct boolean) RETURNS push.problem
LANGUAGE sql STABLE
RETURN CASE
    WHEN NOT (format = 'template' AND headers IS NULL AND push.is_usual_content(content))
    THEN push.wrong_message(format, content, headers, direct)
END;
COMMENT ON FUNCTION push.wrong_content IS 'The problem of format, headers or content; null: none.';

INSERT INTO push.migration (version, name, works_from) VALUES (16, 'refuse_content', 61);
