-- The texts of a campaign's spec: placeholders, languages, and what stands there twice.

CREATE OR REPLACE FUNCTION push_internal.member_path(path text, name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN concat_ws('.', nullif(path, ''),
                 CASE WHEN path IS DISTINCT FROM 'content' AND name ~ '^[A-Za-z0-9_-]{1,60}$' THEN name
                      ELSE push_internal.quoted(name, 60) END);
COMMENT ON FUNCTION push_internal.member_path IS 'Where a member of a spec stands: content."en".title.';

CREATE OR REPLACE FUNCTION push_internal.json_members(document json, at text DEFAULT '')
RETURNS TABLE (path text, name text, value json, depth int)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE node(path, value, depth) AS (
        SELECT at, document, 0
        UNION ALL
        SELECT c.path, c.value, n.depth + 1
          FROM node n,
               LATERAL (
                   SELECT push_internal.member_path(n.path, e.key), e.value
                     FROM json_each(CASE json_typeof(n.value) WHEN 'object' THEN n.value END) e
                    UNION ALL
                   SELECT format('%s[%s]', n.path, e.i - 1), e.value
                     FROM json_array_elements(CASE json_typeof(n.value) WHEN 'array' THEN n.value END) WITH ORDINALITY e(value, i)
               ) c(path, value)
    )
    SELECT n.path, e.key, e.value, n.depth
      FROM node n, json_each(CASE json_typeof(n.value) WHEN 'object' THEN n.value END) e
     UNION ALL
    SELECT n.path, NULL, e.value, n.depth
      FROM node n, json_array_elements(CASE json_typeof(n.value) WHEN 'array' THEN n.value END) e
$$;
COMMENT ON FUNCTION push_internal.json_members IS
    'The members of all objects and arrays in a JSON text, with the path of the object or array and how deep it lies. '
    'name null: an element. The text must be readable (push_internal.json_fault).';

CREATE OR REPLACE FUNCTION push_internal.repeated_member(spec json) RETURNS push.problem
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT push_internal.spec_problem(push_internal.member_path(r.path, r.name), 'is given twice',
                                      'Leave one out: which of them counts, not every reader would agree on.')
      FROM (SELECT m.path, min(m.name) AS name, m.depth
              FROM push_internal.json_members(spec) m
             WHERE m.name IS NOT NULL
             -- Languages, and properties of templates, are the same in any case.
             GROUP BY m.path, m.depth,
                      CASE
                          WHEN m.path = 'content'
                               OR m.path LIKE 'content.%' AND coalesce(spec ->> 'format', 'template') = 'template'
                          THEN lower(m.name) ELSE m.name
                      END
            HAVING count(*) > 1) r
     ORDER BY r.depth, r.path, r.name
     LIMIT 1
$$;
COMMENT ON FUNCTION push_internal.repeated_member IS
    'A member that stands twice in its object, anywhere in a spec; null: none. Readers of JSON take the first or the '
    'last, so that one could be approved and the other sent.';

CREATE OR REPLACE FUNCTION push_internal.without_placeholders(value text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(value, '\{\{( *[A-Za-z0-9_.-]{1,100} *|[A-Za-z0-9_.-]{1,100}\|(?! | *default *[:(])[^{}]*)\}\}', '', 'g');
COMMENT ON FUNCTION push_internal.without_placeholders IS 'A text without the placeholders that are filled in it.';

CREATE OR REPLACE FUNCTION push_internal.wrong_placeholder(at text, content json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    hint constant text :=
        'A placeholder is {{name}} or {{name|text if the recipient has no name}}; name is of A-Z a-z 0-9 _ . -';
    this record;
    wrong text;
    name text;
    otherwise text;
BEGIN
    IF content IS NULL OR push_internal.json_fault(content) IS NOT NULL THEN
        RETURN NULL;
    ELSIF content::text ~* '(^|[^\\])(\\\\)*\\u007[bcd]' THEN
        RETURN push_internal.spec_problem(at, 'writes a brace or a bar as \u007b, \u007c or \u007d',
                                          'Write { | } as they are: placeholders are looked for in the JSON as it is written.');
    END IF;
    SELECT w.path, w.rest INTO this
      FROM (SELECT push_internal.member_path(m.path, m.name) AS path, push_internal.without_placeholders(m.value #>> '{}') AS rest
              FROM push_internal.json_members(content, at) m
             WHERE json_typeof(m.value) = 'string' AND m.value::text ~ '\{\{|\}\}'
            UNION ALL
            SELECT at, push_internal.without_placeholders(content #>> '{}') WHERE json_typeof(content) = 'string') w
     WHERE w.rest ~ '\{\{'
        -- A text may hold JSON, which ends in }} as well.
        OR w.rest ~ '(?<![A-Za-z0-9_.-])(?!(true|false|null)\})[A-Za-z_][A-Za-z0-9_.-]*\}\}'
     ORDER BY w.path
     LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    wrong := coalesce(substring(this.rest, '\{\{[^{}]*\}*'), substring(this.rest, '\{?[A-Za-z_][A-Za-z0-9_.-]*\}\}'));
    name := substring(wrong, '^\{* *([A-Za-z0-9_.-]{1,100})(?: *[|}]|$|[^A-Za-z0-9_. -])');
    otherwise := btrim(regexp_replace(substring(wrong, '\|([^{}]*)'), '^ *default *[:(] *', ''), ' ''"()');
    RETURN push_internal.spec_problem(
        this.path, format('has %s, which is not a placeholder', left(wrong, 60)),
        CASE
            WHEN name IS NULL THEN hint
            WHEN otherwise IS NULL THEN format('Write {{%s}}.', name)
            ELSE format('Write {{%s|%s}}: what follows the bar is the text as it is shown.', name, left(otherwise, 60))
        END);
END $$;
COMMENT ON FUNCTION push_internal.wrong_placeholder IS
    'A text in a run''s content or headers with {{ or }} that is no placeholder, and its place; null: none.';

CREATE OR REPLACE FUNCTION push_internal.spec_remarks(spec json) RETURNS SETOF push.problem
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT push_internal.spec_problem(push_internal.member_path(t.path, t.name), r.message, r.hint)
      FROM (SELECT m.path, m.name, m.value #>> '{}' AS text
              FROM push_internal.json_members(
                       CASE WHEN push_internal.json_fault(spec) IS NULL THEN spec -> 'content' END, 'content') m
             WHERE json_typeof(m.value) = 'string') t,
           LATERAL (
               SELECT format('has %s, which is sent as it is', substring(t.text, '(?<!\{)\{[A-Za-z_][A-Za-z0-9_.-]{0,50}\}(?!\})')) AS message,
                      'A placeholder has two braces: {{name}}.' AS hint
                WHERE t.text ~ '(?<!\{)\{[A-Za-z_][A-Za-z0-9_.-]{0,50}\}(?!\})'
                UNION ALL
               SELECT 'is empty', 'Phones show nothing there.'
                WHERE t.text ~ '^\s*$' AND lower(t.name) IN ('title', 'body', 'message', 'alert', 'text')) r
     UNION ALL
    SELECT push_internal.spec_problem(push_internal.member_path('content', p.name), split_part(p.odd, E'\n', 1),
                                      split_part(p.odd, E'\n', 2))
      FROM (SELECT e.key AS name, push_internal.odd_payload(spec ->> 'format', e.value) AS odd
              FROM json_each(
                       CASE
                           WHEN push_internal.json_fault(spec) IS NULL AND json_typeof(spec -> 'content') = 'object'
                           THEN spec -> 'content'
                       END) e) p
     WHERE p.odd IS NOT NULL
     ORDER BY 1
$$;
COMMENT ON FUNCTION push_internal.spec_remarks IS
    'What can be sent and is likely a mistake: a text with {name}, an empty title or message, a key of aps that Apple does '
    'not know.';

CREATE OR REPLACE FUNCTION push_internal.language_for(content json, locale text, fallback text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(
               (SELECT k.name
                  FROM json_object_keys(content) k(name)
                 WHERE k.name <> '' AND push_internal.is_language_of(locale, k.name)
                 ORDER BY length(k.name) DESC
                 LIMIT 1),
               (SELECT k.name FROM json_object_keys(content) k(name) WHERE k.name <> '' AND lower(k.name) = lower(fallback)),
               CASE WHEN content -> '' IS NOT NULL THEN '' END)
$$;
COMMENT ON FUNCTION push_internal.language_for IS
    'The language of a content whose text a recipient gets: its own, the fallback, or what is under ""; null: there is '
    'none for it.';

CREATE OR REPLACE FUNCTION push_internal.property_without_value(texts json, own json) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT p.word[1]
      FROM regexp_matches(texts::text, '\{\{ *([A-Za-z0-9_.-]{1,100}) *\}\}', 'g') p(word)
     WHERE NOT EXISTS (
               SELECT
                 FROM json_each(own) o
                WHERE lower(o.key) = lower(p.word[1]) AND json_typeof(o.value) <> 'null')
     LIMIT 1
$$;
COMMENT ON FUNCTION push_internal.property_without_value IS
    'A property that texts need and these do not have; null: none.';
