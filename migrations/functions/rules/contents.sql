-- Which content and which headers a format takes.

CREATE OR REPLACE FUNCTION push_internal.wrong_message(format text, content json, headers json, direct boolean) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rules push.payload_format;
    bytes constant int := octet_length(content::text);
    wrong text[];
    fault text;
BEGIN
    SELECT f.* INTO rules FROM push.payload_format f WHERE f.name = wrong_message.format;
    IF NOT FOUND THEN
        RETURN ('format', 'format_is_known',
                format('push.message.format %s is not known', push_internal.quoted(format, 60)),
                (SELECT format('Known: %s.', string_agg(f.name, ', ' ORDER BY f.name)) FROM push.payload_format f)
               )::push.problem;
    END IF;
    IF headers IS NOT NULL THEN
        fault := push_internal.json_fault(headers);
        wrong := CASE
            WHEN fault IS NOT NULL THEN ARRAY[fault, 'Leave it out.']
            ELSE push_internal.broken_rule('header', headers, rules, NULL, direct)
        END;
        IF wrong IS NOT NULL THEN
            RETURN ('headers', 'headers_are_allowed', 'push.message.headers ' || wrong[1], wrong[2])::push.problem;
        END IF;
    END IF;
    fault := CASE WHEN bytes <= 65536 THEN push_internal.json_fault(content) END;
    wrong := CASE
        WHEN bytes > 65536 THEN ARRAY[
            format('has %s bytes, 65,536 are allowed in one request', bytes),
            'Send less, or a key under which the app fetches the rest.']
        WHEN fault IS NOT NULL THEN ARRAY[
            fault, CASE WHEN fault ~ '^is nested' THEN 'Send less, or a key under which the app fetches the rest.' ELSE 'Leave it out.' END]
        WHEN format <> 'template' THEN push_internal.broken_rule(format, content, rules, headers, direct)
        WHEN json_typeof(content) <> 'object' THEN ARRAY[
            format('is a JSON %s, not an object of template properties', json_typeof(content)),
            'A template message is one flat JSON object of strings, such as {"title": "...", "badge": "3"}.']
        ELSE array_append(ARRAY[push_internal.wrong_property(content)],
            'A template message is one flat JSON object of strings, such as {"title": "...", "badge": "3"}.')
    END;
    IF wrong[1] IS NULL THEN
        RETURN NULL;
    END IF;
    RETURN ('content', 'content_fits_its_format', 'push.message.content ' || wrong[1], wrong[2])::push.problem;
END $$;
COMMENT ON FUNCTION push_internal.wrong_message IS 'The problem of format, headers or content; null: none.';

-- The type guarantees that the content is JSON. So it is a flat object of strings if it consists of pairs of strings
-- with nothing but spaces, braces, colons and commas around them: a name, with the characters of one, and a value.
-- Matching the good form is cheaper than searching for a bad one (18,100 instead of 23,700 instructions for 82 bytes).
-- What does not match goes to push_internal.wrong_message, which reads it properly: an empty object, which is taken with a
-- warning, and escapes that may be NUL or a surrogate.
CREATE OR REPLACE FUNCTION push_internal.is_usual_content(content json) RETURNS boolean
LANGUAGE sql STABLE
RETURN octet_length(content::text) <= 65536
       AND content::text COLLATE "C"
           ~ (E'^[\\s{]*(?:"[A-Za-z0-9_]+"[\\s:]*"(?:[^"\\\\]|\\\\(?:[^u]|u(?:[^0dD]|0[^0]|00[^0]|[dD][0-7])))*"'
              '[\\s,}]*)+$');
COMMENT ON FUNCTION push_internal.is_usual_content IS 'Whether a content is certainly one that every template takes.';

-- json_strip_nulls writes every member, jsonb only the last one of equal names, and both escape alike. Without spaces
-- they have the same length, unless a name is repeated. In lower case, because a hub takes Message for message. Comparing with
-- the text as it came is cheaper, but an escape that jsonb does not need (Python and PHP write \u00e9) makes that longer, too.
CREATE OR REPLACE FUNCTION push_internal.repeats_name(content json) RETURNS boolean
LANGUAGE sql STABLE
RETURN octet_length(replace(json_strip_nulls(content)::text, ' ', ''))
       > octet_length(replace(lower(content::text COLLATE "C")::jsonb #>> '{}', ' ', ''));
COMMENT ON FUNCTION push_internal.repeats_name IS
    'Whether a property stands twice, in any case, in a content that a template takes (push_internal.wrong_message). Others may '
    'raise. In a database that is not in UTF-8: always false.';
DO $$
BEGIN
    IF getdatabaseencoding() <> 'UTF8' THEN   -- jsonb cannot take every \u there, and a row must not fail for a warning
        CREATE OR REPLACE FUNCTION push_internal.repeats_name(content json) RETURNS boolean
        LANGUAGE sql STABLE
        RETURN false;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION push_internal.wrong_content(format text, content json, headers json, direct boolean) RETURNS push.problem
LANGUAGE sql STABLE
RETURN CASE
    WHEN NOT CASE format
                 WHEN 'template' THEN headers IS NULL AND push_internal.is_usual_content(content)
                 ELSE push_internal.is_usual_payload(format, content, headers)
             END
    THEN push_internal.wrong_message(format, content, headers, direct)
END;
COMMENT ON FUNCTION push_internal.wrong_content IS 'The problem of format, headers or content; null: none.';
