-- What the words of the payload rules mean, and the walk over them.

CREATE OR REPLACE FUNCTION push_internal.load_payload_rules(rules json) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    before constant int := (SELECT coalesce(max(r.n), 0) FROM push.payload_rule r);
BEGIN
    INSERT INTO push.payload_name (folded, apple, android)
    SELECT coalesce(n.also, translate(n.apple, '-', '')), n.apple, n.android
      FROM json_to_recordset(rules -> 'names') n(also text, apple text, android text);
    INSERT INTO push.payload_rule (format, at, n, member, must, words, given, warns, wrong, hint)
    SELECT f.format, concat_ws('.', f.prefix, r.at), before + i.n, m.member, r.must,
           CASE
               WHEN r.names IS NULL THEN coalesce(r.words, '{}')
               ELSE ARRAY(SELECT unnest(ARRAY[n.folded, CASE r.names WHEN 'apple' THEN n.apple ELSE n.android END])
                            FROM push.payload_name n
                           WHERE r.names = 'apple' OR n.android IS NOT NULL)
           END,
           coalesce(r."when", '{}'), coalesce(r.warns, false), r.wrong, r.hint
      FROM json_array_elements(rules -> 'rules') WITH ORDINALITY i(rule, n),
           json_to_record(i.rule)
               r("for" text[], at text, members text[], must text, words text[], names text, "when" text[],
                 warns boolean, wrong text, hint text),
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
COMMENT ON FUNCTION push_internal.load_payload_rules IS
    'Adds rules behind those that are there. for: the formats; a rule of one format also holds where parts says that '
    'its payload is a part of another one. members: left out, the object at this path itself; *: each.';

CREATE OR REPLACE FUNCTION push_internal.folded_name(name text) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN lower(translate(name, '-_', '') COLLATE "C");
COMMENT ON FUNCTION push_internal.folded_name IS 'A member''s name as in push.payload_name.folded.';

CREATE OR REPLACE FUNCTION push_internal.typing_errors(one text, other text) RETURNS int
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    a constant bytea := convert_to(one, 'UTF8');
    b constant bytea := convert_to(other, 'UTF8');
    before int[];                              -- rows of the table of distances; [1] stands for no byte
    last int[] := ARRAY(SELECT generate_series(0, length(b)));
    this int[];
    cost int;
BEGIN
    FOR i IN 1 .. length(a) LOOP
        this := ARRAY[i];
        FOR j IN 1 .. length(b) LOOP
            cost := least(last[j + 1] + 1, this[j] + 1,
                          last[j] + (get_byte(a, i - 1) <> get_byte(b, j - 1))::int);
            IF i > 1 AND j > 1 AND get_byte(a, i - 1) = get_byte(b, j - 2) AND get_byte(a, i - 2) = get_byte(b, j - 1) THEN
                cost := least(cost, before[j - 1] + 1);
            END IF;
            this := this || cost;
        END LOOP;
        before := last;
        last := this;
    END LOOP;
    RETURN last[length(b) + 1];
END $$;
COMMENT ON FUNCTION push_internal.typing_errors IS
    'Insertions, deletions, replacements, and swaps of neighbouring bytes that turn one text into the other; as '
    'DidYouMean.distance in PushModel.';

CREATE OR REPLACE FUNCTION push_internal.near_name(name text, known text[]) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT k.word
      FROM (SELECT n.folded, CASE WHEN octet_length(n.folded) < 4 THEN 0 WHEN octet_length(n.folded) < 8 THEN 1 ELSE 2 END AS most
              FROM push_internal.folded_name(near_name.name) n(folded)) w,
           unnest(known) WITH ORDINALITY k(word, n),
           LATERAL (
               SELECT CASE
                          WHEN abs(octet_length(w.folded) - octet_length(push_internal.folded_name(k.word))) <= w.most
                          THEN push_internal.typing_errors(w.folded, push_internal.folded_name(k.word))
                      END AS errors
               OFFSET 0) e
     WHERE e.errors <= w.most
     ORDER BY e.errors, k.n
     LIMIT 1
$$;
COMMENT ON FUNCTION push_internal.near_name IS
    'The known name that a name was probably meant to be: the same without case, hyphens and underscores, or one or two '
    'typing errors away; null: none.';

CREATE OR REPLACE FUNCTION push_internal.meant_names(rules text, at text, name text, words text[]) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
               WHEN push_internal.folded_name(near.word) = push_internal.folded_name(meant_names.name) THEN near.path
               ELSE coalesce(
                   (SELECT string_agg(o.path, ' or ' ORDER BY o.n)
                      FROM (SELECT concat_ws('.', nullif(r.at, ''), w.word) AS path, r.n,
                                   rank() OVER (ORDER BY cardinality(string_to_array(r.at, '.')))
                              FROM push.payload_rule r, unnest(r.words) w(word)
                             WHERE r.format = meant_names.rules
                               AND r.member = '*'
                               AND r.must IN ('be known', 'not be misspelt')
                               AND NOT r.warns
                               AND r.at <> meant_names.at
                               AND r.at !~ '[A-Z]'      -- the other spelling of an object that stands there, too
                               AND push_internal.folded_name(w.word) = push_internal.folded_name(meant_names.name)) o
                     WHERE o.rank = 1),
                   near.path,
                   'one of ' || array_to_string(words, ', '))
           END
      FROM (SELECT n.word, CASE WHEN n.word IS NOT NULL THEN concat_ws('.', nullif(at, ''), n.word) END AS path
              FROM push_internal.near_name(name, words) n(word)) near
$$;
COMMENT ON FUNCTION push_internal.meant_names IS
    'Paths that an unknown member of a payload was probably meant to have: of its name in another object, or of one like '
    'it in its own.';

CREATE OR REPLACE FUNCTION push_internal.first_non_string(list json) RETURNS int
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    FOR i IN 0 .. json_array_length(list) - 1 LOOP
        IF json_typeof(list -> i) <> 'string' THEN
            RETURN i;
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.first_non_string IS
    'Index of the first element that is not a string, from 0; null: all are.';

CREATE OR REPLACE FUNCTION push_internal.is_broken(
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
        WHEN 'stand once' THEN (SELECT count(*) > 1 FROM json_object_keys(object) k WHERE k = name)
        WHEN 'not be empty' THEN node::text COLLATE "C" ~ E'^[[:space:]]*\\{[[:space:]]*\\}[[:space:]]*$'
        WHEN 'be known' THEN             -- in snake_case, or in the camelCase that stands for it
            strpos(name, '_') > 0
            OR lower(regexp_replace(name COLLATE "C", '([A-Z])', E'_\\1', 'g')) <> ALL (words)
        WHEN 'not be misspelt' THEN push_internal.near_name(name, words) IS NOT NULL
        WHEN 'show something' THEN
            json_typeof(node) = 'object'
            AND node ->> 'content-available' = '1'
            AND NOT EXISTS (SELECT FROM unnest(words) w WHERE node -> w IS NOT NULL)
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
        WHEN 'equal if' THEN push_internal.header(object, words[2]) = words[3] AND node #>> '{}' <> words[1]
        WHEN 'be digits' THEN node #>> '{}' !~ '^[0-9]+$'
        WHEN 'be seconds' THEN node #>> '{}' !~ '^[0-9]+([.][0-9]{1,9})?s$'
        WHEN 'have at most bytes' THEN octet_length(node #>> '{}') > words[1]::int
        WHEN 'stand beside' THEN object -> (left(name, -length(words[1])) || words[2]) IS NULL
        WHEN 'list strings' THEN json_typeof(node) = 'array' AND push_internal.first_non_string(node) IS NOT NULL
        WHEN 'be XML' THEN
            xml_type IS DISTINCT FROM 'wns/raw'
            AND (json_typeof(node) <> 'string' OR node #>> '{}' !~ E'^[ \\t\\r\\n]*<')
        WHEN 'be well-formed' THEN
            xml_type IS DISTINCT FROM 'wns/raw'
            AND json_typeof(node) = 'string' AND push_internal.wrong_xml(node #>> '{}') IS NOT NULL
        WHEN 'have the root' THEN
            xml_type IS NULL
            AND coalesce(substring(node #>> '{}' FROM root_pattern), '') <> ALL (words)
        WHEN 'have the root of its type' THEN
            xml_type <> 'wns/raw'
            AND 'wns/' || coalesce(substring(node #>> '{}' FROM root_pattern), '') <> xml_type
        WHEN 'be allowed' THEN
            format.headers = '{}'
            OR format.direct AND NOT direct
            OR name COLLATE "C" !~* ('^(' || replace(array_to_string(format.headers, '|'), '*', '[a-z-]+') || ')$')
        WHEN 'be printable' THEN
            (node #>> '{}') COLLATE "C" !~ '^[ -~]*[!-~][ -~]*$'
            OR length(node #>> '{}') > words[1]::int
    END;
END $$;
COMMENT ON FUNCTION push_internal.is_broken IS
    'Whether a value breaks a rule of push.payload_rule; name: its name in the object.';

-- Most payloads are of the members that everybody writes. One look at them costs a tenth of a walk over the rules, by which
-- push_internal.broken_rule judges all others; PayloadRuleAgreementTests holds both to the same answers.
CREATE OR REPLACE FUNCTION push_internal.has_texts(object jsonb, names text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN CASE jsonb_typeof(object)
    WHEN 'object' THEN object - names = '{}' AND NOT object @? 'strict $.* ? (@.type() <> "string")'
    ELSE object IS NULL
END;
COMMENT ON FUNCTION push_internal.has_texts IS 'Whether an object has texts under these names alone; null: it is not there.';

CREATE OR REPLACE FUNCTION push_internal.is_usual_alert(alert jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN CASE jsonb_typeof(alert)
    WHEN 'object' THEN
        push_internal.has_texts(
            alert - '{title-loc-args,loc-args}'::text[], '{title,subtitle,body,launch-image,title-loc-key,subtitle-loc-key,loc-key}')
        AND (alert -> 'title-loc-args' IS NULL OR alert -> 'title-loc-key' IS NOT NULL)
        AND (alert -> 'loc-args' IS NULL OR alert -> 'loc-key' IS NOT NULL)
        AND coalesce(jsonb_typeof(alert -> 'title-loc-args'), 'array') = 'array'
        AND coalesce(jsonb_typeof(alert -> 'loc-args'), 'array') = 'array'
        AND NOT alert @? 'strict $.keyvalue().value ? (@.type() == "array")[*] ? (@.type() <> "string")'
    ELSE coalesce(jsonb_typeof(alert), 'string') = 'string'
END;
COMMENT ON FUNCTION push_internal.is_usual_alert IS 'Whether an alert for Apple certainly breaks no rule; null: aps has no alert.';

CREATE OR REPLACE FUNCTION push_internal.is_usual_aps(aps jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN coalesce(jsonb_typeof(aps) = 'object', false)
       AND aps <> '{}'
       AND push_internal.has_texts(aps - '{alert,badge,mutable-content}'::text[],
                                   '{sound,thread-id,category,interruption-level,target-content-id}')
       AND push_internal.is_usual_alert(aps -> 'alert')
       AND coalesce(aps -> 'badge', '0')::text COLLATE "C" ~ '^[0-9]+$'
       AND coalesce(aps -> 'mutable-content', '1') IN ('0', '1')
       AND coalesce(aps ->> 'category', 'any') <> ''
       AND coalesce(aps ->> 'interruption-level', 'active') IN ('passive', 'active', 'time-sensitive', 'critical');
COMMENT ON FUNCTION push_internal.is_usual_aps IS
    'Whether aps certainly breaks no rule beside headers without the push type background; content-available, of which these say '
    'more, is not usual.';

CREATE OR REPLACE FUNCTION push_internal.is_usual_android(android jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN CASE jsonb_typeof(android)
    WHEN 'object' THEN
        push_internal.has_texts(android - '{notification}'::text[], '{collapse_key,priority,ttl}')
        AND coalesce(android ->> 'priority', 'HIGH') IN ('normal', 'NORMAL', 'high', 'HIGH')
        AND coalesce(android ->> 'ttl', '1s') COLLATE "C" ~ '^[0-9]{1,6}s$'
        AND push_internal.has_texts(
            android -> 'notification',
            '{title,body,icon,color,sound,tag,click_action,channel_id,ticker,image,body_loc_key,title_loc_key}')
        AND coalesce(android #>> '{notification,color}', '#ff8800') COLLATE "C" ~ '^#[0-9A-Fa-f]{6}$'
    ELSE android IS NULL
END;
COMMENT ON FUNCTION push_internal.is_usual_android IS 'Whether message.android certainly breaks no rule; null: the message has none.';

CREATE OR REPLACE FUNCTION push_internal.is_usual_message(message jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN coalesce(jsonb_typeof(message) = 'object', false)
       AND message <> '{}'
       AND message - '{notification,data,android,apns}'::text[] = '{}'
       AND push_internal.has_texts(message -> 'notification', '{title,body,image}')
       AND CASE jsonb_typeof(message -> 'data')
               WHEN 'object' THEN
                   NOT (message -> 'data') @? 'strict $.* ? (@.type() <> "string")'
                   AND (message -> 'data')::text COLLATE "C" !~ '"(?:from"|message_type"|google|gcm)'
               ELSE message -> 'data' IS NULL
           END
       AND push_internal.is_usual_android(message -> 'android')
       AND CASE jsonb_typeof(message -> 'apns')
               WHEN 'object' THEN
                   (message -> 'apns') - '{payload}'::text[] = '{}'
                   AND push_internal.is_usual_aps(message #> '{apns,payload,aps}')
               ELSE message -> 'apns' IS NULL
           END;
COMMENT ON FUNCTION push_internal.is_usual_message IS 'Whether the message of a payload for fcmv1 certainly breaks no rule.';

CREATE OR REPLACE FUNCTION push_internal.is_usual_header(headers jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN push_internal.has_texts(headers, '{apns-priority,apns-push-type,apns-collapse-id,apns-expiration}')
       AND coalesce(headers ->> 'apns-priority', '10') IN ('1', '5', '10')
       AND coalesce(headers ->> 'apns-push-type', 'alert') IN ('alert', 'liveactivity', 'voip')
       AND coalesce(headers ->> 'apns-collapse-id', 'any') COLLATE "C" ~ '^[!-~]{1,64}$'
       AND coalesce(headers ->> 'apns-expiration', '0') COLLATE "C" ~ '^[0-9]{1,18}$';
COMMENT ON FUNCTION push_internal.is_usual_header IS
    'Whether headers for Apple certainly break no rule, and make none of a usual payload broken.';

CREATE OR REPLACE FUNCTION push_internal.is_usual_payload(format text, content json, headers json) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- A null, a large number and a name that stands twice are not seen in jsonb as they are written, and it takes no NUL.
    unseen constant text := E'[[:space:]:,[](?:null|-?[0-9.]+[eE])|\\\\u(?:0000|[dD][89a-fA-F])';
    bytes constant int := octet_length(content::text);
    document jsonb;
BEGIN
    IF format = 'windows' THEN
        RETURN headers IS NULL
               AND bytes <= 5120
               AND json_typeof(content) = 'string'
               AND push_internal.json_fault(content) IS NULL
               AND (content #>> '{}') COLLATE "C" ~ '^<(?:toast|tile|badge)[ />]'
               AND push_internal.wrong_xml(content #>> '{}') IS NULL;
    ELSIF format NOT IN ('apple', 'fcmv1')
          OR bytes > 4096
          OR bytes - octet_length(translate(content::text, '[{', '')) > 64
          OR content::text COLLATE "C" ~ unseen
          OR json_typeof(content) <> 'object'
          OR push_internal.repeats_name(content)
          OR headers IS NOT NULL
             AND (format <> 'apple'
                  OR headers::text COLLATE "C" ~ unseen
                  OR json_typeof(headers) <> 'object'
                  OR push_internal.repeats_name(headers)
                  OR NOT push_internal.is_usual_header(headers::jsonb)) THEN
        RETURN false;
    END IF;
    document := content;
    RETURN CASE format
        WHEN 'apple' THEN push_internal.is_usual_aps(document -> 'aps')
        ELSE document - '{message}'::text[] = '{}' AND push_internal.is_usual_message(document -> 'message')
    END;
END $$;
COMMENT ON FUNCTION push_internal.is_usual_payload IS
    'Whether a native payload and its headers certainly break no rule, nor one that warns. Else push_internal.broken_rule knows.';

CREATE OR REPLACE FUNCTION push_internal.broken_rule(
    rules    text,
    document json,
    format   push.payload_format,
    headers  json,
    direct   boolean,
    warns    boolean DEFAULT false)
RETURNS text[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
    is_call constant boolean := headers IS NOT NULL AND push_internal.header(headers, 'apns-push-type') = 'voip';
    xml_type constant text := CASE WHEN rules = 'windows' THEN push_internal.header(headers, 'x-wns-type') END;
    sent constant json := CASE rules WHEN 'fcmv1' THEN document #> '{message,apns,headers}' ELSE headers END;
    bytes_limit constant int := CASE
        WHEN rules = 'header' OR warns THEN NULL      -- warnings depend on the content, not on the size
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
       AND r.warns = broken_rule.warns
       AND (r.given = '{}' OR push_internal.header(sent, r.given[1]) = r.given[2])
       AND CASE r.must
               WHEN 'fit the format' THEN true
               WHEN 'be of type' THEN json_typeof(m.node) <> ALL (r.words)
               WHEN 'have' THEN json_typeof(m.node) = 'object' AND m.node -> r.words[1] IS NULL
               WHEN 'be spelled' THEN m.name <> r.words[array_position(r.words, push_internal.folded_name(m.name)) + 1]
               WHEN 'not be spelled' THEN array_position(r.words, push_internal.folded_name(m.name)) IS NOT NULL
               WHEN 'be among the first' THEN m.i > r.words[1]::int
               ELSE                           -- what is known as it is written costs no call
                   (r.must NOT IN ('be known', 'not be misspelt') OR m.name <> ALL (r.words))
                   AND push_internal.is_broken(r.must, r.words, d.node, m.name, m.node, broken_rule.format, direct, xml_type)
           END
     ORDER BY r.n, m.i
     LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;

    -- The texts for people, with their placeholders filled in.
    SELECT n.* INTO key FROM push.payload_name n WHERE n.folded = push_internal.folded_name(broken.name);
    broken.name := CASE broken.must WHEN 'have' THEN broken.words[1] ELSE broken.name END;
    path := concat_ws('.', nullif(broken.at, ''), CASE
        WHEN broken.name COLLATE "C" ~ '^[A-Za-z0-9_@#.:-]{1,64}$' THEN broken.name
        ELSE push_internal.quoted(broken.name, 60)
    END);
    IF broken.must = 'list strings' THEN
        path := format('%s[%s]', path, push_internal.first_non_string(broken.node));
        broken.node := broken.node -> push_internal.first_non_string(broken.node);
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
        ['{headers}', CASE
             WHEN format.headers <> '{}'
             THEN array_to_string(format.headers, ', ') || CASE WHEN format.direct THEN ', only with handles' ELSE '' END
             WHEN format.name = 'fcmv1'
             THEN 'no headers: those of Apple and of browsers stand in the content, as message.apns.headers and '
                  'message.webpush.headers'
             ELSE 'no headers'
         END],
        ['{apple}', key.apple],
        ['{android}', key.android],
        ['{meant}', CASE
             WHEN broken.must IN ('be known', 'not be misspelt')
             THEN push_internal.meant_names(rules, broken.at, broken.name, broken.words)
         END]]
    LOOP
        texts := ARRAY[replace(texts[1], word[1], coalesce(word[2], '')),
                       replace(texts[2], word[1], coalesce(word[2], ''))];
    END LOOP;
    RETURN ARRAY[concat_ws(' ', nullif(path, ''), texts[1]), texts[2]];
END $$;
COMMENT ON FUNCTION push_internal.broken_rule IS
    'What is wrong with a payload or with headers by push.payload_rule, and a hint; null: nothing. The document must '
    'be readable. warns: by the rules that only warn.';

CREATE OR REPLACE FUNCTION push_internal.odd_payload(format text, content json) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_to_string(push_internal.broken_rule(odd_payload.format, content, f, NULL, false, true), E'\n')
      FROM push.payload_format f
     WHERE f.name = odd_payload.format
       AND f.name IN (SELECT r.format FROM push.payload_rule r WHERE r.warns)
       AND NOT push_internal.is_usual_payload(odd_payload.format, content, NULL)
$$;
COMMENT ON FUNCTION push_internal.odd_payload IS
    'What the rules of a native payload warn of, and in a second line a hint; null: nothing.';
