-- Fanfare, migration 12: The rules of native payloads and headers as data: their tables, and what their words mean.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

-- The services behind the hub silently drop what they do not know, so a payload that would never be shown is refused at
-- the INSERT. The rules are written once, in the next migrations: PushModel compiles these files in and reads the same
-- text (Sources/PushModel/Payloads/PayloadRules.swift). To change a rule, write a new migration with the whole text.
CREATE TABLE push.payload_format (
    name       text COLLATE "C" PRIMARY KEY,
    bytes      int,
    call_bytes int,
    headers    text[] NOT NULL,
    direct     boolean NOT NULL,
    objects    text[] NOT NULL
);
COMMENT ON TABLE push.payload_format IS 'The formats of push.message. Written only by migrations.';
COMMENT ON COLUMN push.payload_format.name IS 'push.message.format.';
COMMENT ON COLUMN push.payload_format.bytes IS 'Bytes of a payload at most; null: a template, limited as a request.';
COMMENT ON COLUMN push.payload_format.call_bytes IS
    'The same for a call, with apns-push-type voip; null: the format has no calls.';
COMMENT ON COLUMN push.payload_format.headers IS
    'Headers that a row may set; case does not count, and * stands for letters and hyphens.';
COMMENT ON COLUMN push.payload_format.direct IS 'True: a row may set them only together with handles.';
COMMENT ON COLUMN push.payload_format.objects IS 'Paths of the objects that have rules.';

CREATE TABLE push.payload_name (
    folded  text COLLATE "C" PRIMARY KEY,
    apple   text COLLATE "C" NOT NULL,
    android text COLLATE "C"
);
COMMENT ON TABLE push.payload_name IS
    'Keys that name a text of the app: each platform knows one spelling, and ignores the others in silence.';
COMMENT ON COLUMN push.payload_name.folded IS 'The key in lower case, without hyphens and underscores.';
COMMENT ON COLUMN push.payload_name.apple IS 'The key in aps.alert.';
COMMENT ON COLUMN push.payload_name.android IS 'The key in message.android.notification; null: Android has none.';

CREATE TABLE push.payload_rule (
    format text COLLATE "C" NOT NULL,
    at     text COLLATE "C" NOT NULL,
    n      int NOT NULL,
    member text COLLATE "C" NOT NULL,
    must   text COLLATE "C" NOT NULL,
    words  text[] NOT NULL,
    wrong  text NOT NULL,
    hint   text NOT NULL,
    PRIMARY KEY (format, at, member, n)
);
COMMENT ON TABLE push.payload_rule IS
    'What a payload must look like. The first broken rule refuses the row. Written only by migrations.';
COMMENT ON COLUMN push.payload_rule.format IS 'push.payload_format.name; header: the headers of every format.';
COMMENT ON COLUMN push.payload_rule.at IS 'Path of the object; empty: the whole payload.';
COMMENT ON COLUMN push.payload_rule.n IS 'Order of the rules.';
COMMENT ON COLUMN push.payload_rule.member IS 'Member that the rule is about; *: each; empty: the object itself.';
COMMENT ON COLUMN push.payload_rule.must IS 'What must hold for the value: push.is_broken.';
COMMENT ON COLUMN push.payload_rule.words IS 'What the value is compared with; spelling: folded and right in pairs.';
COMMENT ON COLUMN push.payload_rule.wrong IS
    'Follows the path of the value: what is wrong with it. {at}: path of the object; {above}: the object around it; '
    '{beside}: path of the missing member; {type}, {bytes}: of the value; {limit}, {format}, {headers}: of the format; '
    '{words}; {apple}, {android}: the right key.';
COMMENT ON COLUMN push.payload_rule.hint IS 'How to fix it, with the same placeholders.';

CREATE FUNCTION push.load_payload_rules(rules json) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    before constant int := (SELECT coalesce(max(r.n), 0) FROM push.payload_rule r);
BEGIN
    INSERT INTO push.payload_name (folded, apple, android)
    SELECT coalesce(n.also, translate(n.apple, '-', '')), n.apple, n.android
      FROM json_to_recordset(rules -> 'names') n(also text, apple text, android text);
    INSERT INTO push.payload_rule (format, at, n, member, must, words, wrong, hint)
    SELECT f.format, concat_ws('.', f.prefix, r.at), before + i.n, m.member, r.must,
           CASE
               WHEN r.names IS NULL THEN coalesce(r.words, '{}')
               ELSE ARRAY(SELECT unnest(ARRAY[n.folded, CASE r.names WHEN 'apple' THEN n.apple ELSE n.android END])
                            FROM push.payload_name n
                           WHERE r.names = 'apple' OR n.android IS NOT NULL)
           END,
           r.wrong, r.hint
      FROM json_array_elements(rules -> 'rules') WITH ORDINALITY i(rule, n),
           json_to_record(i.rule)
               r("for" text[], at text, members text[], must text, words text[], names text, wrong text, hint text),
           LATERAL (
               SELECT o.format, NULL
                 FROM unnest(r."for") o(format)
                UNION ALL                     -- the rules of a format that is a part of another one
               SELECT p.key, p.value
                 FROM json_each_text(rules -> 'parts' -> r."for"[1]) p
                WHERE cardinality(r."for") = 1) f(format, prefix),
           unnest(coalesce(r.members, '{""}')) m(member);
    INSERT INTO push.payload_format (name, bytes, call_bytes, headers, direct, objects)
    SELECT f.name, r.bytes, r.call_bytes, r.headers, coalesce(r.direct, false), '{}'
      FROM json_each(rules -> 'formats') f(name, value),
           json_to_record(f.value) r(bytes int, call_bytes int, headers text[], direct boolean);
    UPDATE push.payload_format f
       SET objects = ARRAY(SELECT DISTINCT o.at FROM push.payload_rule o WHERE o.format = f.name ORDER BY o.at);
END $$;
COMMENT ON FUNCTION push.load_payload_rules IS
    'Adds rules behind those that are there. for: the formats; a rule of one format also holds where parts says that '
    'its payload is a part of another one. members: left out, the object at this path itself; *: each. Only for '
    'migrations.';

CREATE FUNCTION push.folded_name(name text) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN lower(translate(name, '-_', '') COLLATE "C");
COMMENT ON FUNCTION push.folded_name IS 'A member''s name as in push.payload_name.folded.';

CREATE FUNCTION push.unlisted(list json) RETURNS int
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    FOR i IN 0 .. json_array_length(list) - 1 LOOP
        IF json_typeof(list -> i) <> 'string' THEN
            RETURN i;
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push.unlisted IS 'Index of the first element that is not a string, from 0; null: all are.';

CREATE FUNCTION push.is_broken(
    must     text,
    words    text[],
    object   json,
    name     text,
    node     json,
    format   push.payload_format,
    direct   boolean,
    xml_type text)
RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    root_pattern constant text :=
        E'^(?:[ \\t\\r\\n]+|<\\?(?:(?!\\?>).)*\\?>|<!--(?:(?!-->).)*-->|<!(?!--)[^>]*>)*'
        || E'<([^ \\t\\r\\n>/?!][^ \\t\\r\\n>/]*)';
BEGIN
    IF must = 'have each name once' THEN
        RETURN (SELECT count(*) > count(DISTINCT lower(k COLLATE "C"))
                  FROM json_object_keys(CASE json_typeof(node) WHEN 'object' THEN node END) k);
    END IF;
    RETURN CASE must
        WHEN 'not exist' THEN true
        WHEN 'equal' THEN node #>> '{}' <> ALL (words)
        WHEN 'equal in any case' THEN lower((node #>> '{}') COLLATE "C") <> ALL (words)
        WHEN 'not equal' THEN node #>> '{}' = ANY (words)
        WHEN 'match' THEN node #>> '{}' !~ ('^(?:' || words[1] || ')$')
        WHEN 'be in range' THEN
            json_typeof(node) = 'number'
            AND (words[3] IS NULL OR object -> words[3] IS NULL)
            AND CASE                                    -- with such an exponent it may be no numeric
                    WHEN node #>> '{}' ~ '[eE][+-]?[0-9]{3}' THEN true
                    ELSE (node #>> '{}')::numeric NOT BETWEEN words[1]::numeric AND words[2]::numeric
                END
        WHEN 'be at most seconds' THEN
            CASE WHEN node #>> '{}' ~ '^[0-9]{1,100}([.][0-9]{1,9})?s$'
                 THEN rtrim(node #>> '{}', 's')::numeric > words[1]::numeric
                 ELSE true END
        WHEN 'list seconds' THEN
            EXISTS (
                SELECT
                  FROM json_array_elements(CASE json_typeof(node) WHEN 'array' THEN node END) e
                 WHERE (json_typeof(e) = 'string' AND e #>> '{}' ~ '^[0-9]+([.][0-9]{1,9})?s$') IS NOT TRUE)
        WHEN 'not be named' THEN
            EXISTS (SELECT FROM unnest(words) w WHERE name = w OR w LIKE '%*' AND starts_with(name, rtrim(w, '*')))
        WHEN 'equal if' THEN push.header(object, words[2]) = words[3] AND node #>> '{}' <> words[1]
        WHEN 'be digits' THEN node #>> '{}' !~ '^[0-9]+$'
        WHEN 'be seconds' THEN node #>> '{}' !~ '^[0-9]+([.][0-9]{1,9})?s$'
        WHEN 'have at most bytes' THEN octet_length(node #>> '{}') > words[1]::int
        WHEN 'stand beside' THEN object -> (left(name, -length(words[1])) || words[2]) IS NULL
        WHEN 'list strings' THEN json_typeof(node) = 'array' AND push.unlisted(node) IS NOT NULL
        WHEN 'be XML' THEN
            xml_type IS DISTINCT FROM 'wns/raw'
            AND (json_typeof(node) <> 'string' OR node #>> '{}' !~ E'^[ \\t\\r\\n]*<')
        WHEN 'have the root' THEN
            xml_type IS NULL
            AND coalesce(substring(node #>> '{}' FROM root_pattern), '') <> ALL (words)
        WHEN 'be allowed' THEN
            format.headers = '{}'
            OR format.direct AND NOT direct
            OR name COLLATE "C" !~* ('^(' || replace(array_to_string(format.headers, '|'), '*', '[a-z-]+') || ')$')
        WHEN 'be printable' THEN
            (node #>> '{}') COLLATE "C" !~ '^[ -~]*[!-~][ -~]*$'
            OR length(node #>> '{}') > words[1]::int
    END;
END $$;
COMMENT ON FUNCTION push.is_broken IS
    'Whether a value breaks a rule of push.payload_rule; name: its name in the object.';

INSERT INTO push.migration (version, name, works_from) VALUES (12, 'payload_rules', 61);
