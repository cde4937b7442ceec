-- Fanfare, migration 2: the INSERT. What refuses a bad row, and what turns a good one into a pointer in push.due.
-- A bad value fails the backend's own statement with column, value, limit and a hint; it does not become a failed push
-- an hour later.

SELECT pg_advisory_xact_lock(7310868735422034533);
SET LOCAL lock_timeout = '5s';

-- Refusals: the trigger of push.message calls these for values that are not in the usual form -------------------------

CREATE FUNCTION push.refuse(col text, value text) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE shown text := left(to_json(value)::text, 60); name text; wrong text; hint text;
BEGIN
    IF col = 'format' AND value IN ('apple', 'fcmv1', 'windows', 'adm', 'baidu', 'browser', 'xiaomi') THEN RETURN true; END IF;
    SELECT r.name, r.wrong, r.hint INTO name, wrong, hint FROM (VALUES
        ('format', 'format_is_known', shown || ' is not known', 'Known: template, apple, fcmv1, windows, adm, baidu, browser, xiaomi.'),
        ('send_at', 'send_at_is_a_date', shown || ' is not between 2000 and 2200', 'Leave it out to send now.'),
        ('expires_at', 'expires_at_is_after_send_at', shown || ' is not after send_at', 'Leave it out for send_at plus the hub''s expireAfterSeconds.'),
        ('priority', 'priority_is_0_urgent_1_normal_or_2_bulk', value || ' is not 0, 1 or 2', '0 is urgent, 1 normal, 2 bulk.'),
        ('on_doubt', 'on_doubt_is_hold_or_resend', shown || ' is neither hold nor resend',
            'hold: a person decides; resend: a device may get it twice; leave it out for the hub''s onDoubt.'),
        ('traceparent', 'traceparent_is_w3c', shown || ' is not a W3C trace context', 'It looks like 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.'),
        ('meta', 'meta_has_at_most_8_kb', format('has %s bytes', octet_length(value)), 'At most 8,192 are allowed.')) r(col, name, wrong, hint)
     WHERE r.col = refuse.col;
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = col, CONSTRAINT = name,
        MESSAGE = format('push.message.%s %s', col, wrong), HINT = hint;
END $$;

CREATE FUNCTION push.refuse_hub(hub text) RETURNS smallint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE known text := (SELECT string_agg(name, ', ' ORDER BY name) FROM push.hub);
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'foreign_key_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'hub', CONSTRAINT = 'hub_is_registered',
        MESSAGE = format('push.message.hub %s is not registered', left(to_json(hub)::text, 100)),
        HINT = coalesce('Registered: ' || known || '.', 'No hub is registered yet.') || ' Add it to the configuration and run: fanfare migrate up';
END $$;

CREATE FUNCTION push.refuse_target(format text, tag text, handles text[], broadcast boolean, headers json) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE wrong text; bad record; hint text := 'A handle is what Apple, Google or another push service gave to a device; tags need none.';
BEGIN
    IF num_nonnulls(tag, handles) + broadcast::int <> 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'tag', CONSTRAINT = 'exactly_one_of_tag_handles_and_broadcast',
            MESSAGE = 'push.message.tag, handles and broadcast: exactly one says whom the message is for',
            HINT = 'Name a tag, or device handles, or leave both out and set broadcast to reach every registration of the hub.';
    ELSIF handles IS NULL THEN
        RETURN true;
    ELSIF format = 'template' THEN
        wrong := 'need a native format; a template is rendered for registered devices only';
        hint := 'Set format to apple, fcmv1, windows, adm, baidu, browser or xiaomi, or name a tag.';
    ELSIF array_ndims(handles) IS DISTINCT FROM 1 OR cardinality(handles) > 1000 THEN
        wrong := CASE WHEN cardinality(handles) = 0 THEN 'are empty, 1 to 1,000 go into one request' WHEN array_ndims(handles) > 1 THEN 'are nested, a plain array is needed'
                      ELSE format('has %s handles, 1,000 go into one request', cardinality(handles)) END;
    ELSIF format = 'browser' AND (cardinality(handles) > 1 OR headers IS NULL OR (SELECT count(*) FROM json_object_keys(headers) k WHERE lower(k) IN ('auth', 'p256dh')) < 2) THEN
        wrong := 'of a browser: one at a time, with the headers Auth and P256DH, which are its own';
        hint := 'Write headers as {"Auth": "...", "P256DH": "..."} and enqueue one message per browser.';
    ELSE
        SELECT n, CASE WHEN h IS NULL THEN 'is null' WHEN h = '' THEN 'is empty' WHEN octet_length(h) > 4096 THEN format('has %s bytes, 4,096 are allowed', octet_length(h))
                       ELSE 'holds a space or a character outside printable ASCII' END AS rule INTO bad
          FROM unnest(handles) WITH ORDINALITY u(h, n) WHERE h IS NULL OR octet_length(h) NOT BETWEEN 1 AND 4096 OR h COLLATE "C" !~ '^[!-~]+$' LIMIT 1;
        IF NOT FOUND THEN RETURN true; END IF;
        wrong := format('[%s] %s', bad.n, bad.rule);
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'handles', CONSTRAINT = 'exactly_one_of_tag_handles_and_broadcast',
        MESSAGE = format('push.message.handles%s%s', CASE WHEN wrong LIKE '[%' THEN '' ELSE ' ' END, wrong), HINT = hint;
END $$;

CREATE FUNCTION push.refuse_keys(content_key text, dedupe_key text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE wrong record;
BEGIN
    SELECT * INTO wrong FROM (VALUES ('content_key', content_key), ('dedupe_key', dedupe_key)) k(col, value) WHERE length(value) NOT BETWEEN 1 AND 200 LIMIT 1;
    IF NOT FOUND THEN RETURN true; END IF;
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = wrong.col, CONSTRAINT = 'keys_have_1_to_200_characters',
        MESSAGE = format('push.message.%s has %s characters', wrong.col, length(wrong.value)), HINT = 'A key has 1 to 200 characters.';
END $$;

CREATE FUNCTION push.refuse_names(campaign text, run text, tenant text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE wrong record;
BEGIN
    SELECT * INTO wrong FROM (VALUES ('campaign', campaign), ('run', run), ('tenant', tenant)) n(col, value) WHERE length(value) > 200 LIMIT 1;
    IF NOT FOUND THEN RETURN true; END IF;
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = wrong.col, CONSTRAINT = 'names_have_at_most_200_characters',
        MESSAGE = format('push.message.%s has %s characters', wrong.col, length(wrong.value)), HINT = 'At most 200 are allowed.';
END $$;

CREATE FUNCTION push.refuse_tag(tag text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
-- A tag expression: expr := and ("||" and)*; and := unary ("&&" unary)*; unary := "!" unary | "(" expr ")" | tag.
-- One pass over it suffices: it tracks what may come next, and how deep we are. The rules are those of TagExpression in
-- PushModel, and a test compares the two.
DECLARE
    rest text := tag; token text; at int := 1; tags int := 0; only_or boolean := true; wants_tag boolean := true; wrong text;
    depths int[] := '{0}';    -- depth inside each open parenthesis, outermost first
    depth int := 0;           -- parentheses and ! around what comes next
BEGIN
    IF octet_length(tag) > 4096 THEN
        wrong := format('it has %s bytes, 4,096 are allowed', octet_length(tag));
    ELSIF btrim(tag) = '' THEN
        wrong := 'it is empty; to reach everyone set broadcast';
    END IF;
    WHILE wrong IS NULL AND rest <> '' LOOP
        token := substring(rest COLLATE "C" FROM '^(?: +|&&|\|\||[!()]|\$(?:InstallationId|UserId):\{[A-Za-z0-9_@#.:=-]+\}|[A-Za-z0-9_@#.:-]+)');
        IF token IS NULL THEN
            wrong := CASE
                WHEN rest ~ '^[[:cntrl:]]' THEN format('character %s is a control character; between tags a blank is enough', at)
                WHEN rest ~ '^["'']' THEN format('character %s is a quotation mark; tags are written without', at)
                WHEN rest ~ '^[&|]' THEN format('character %s is a single %s; the operators are && and ||', at, left(rest, 1))
                WHEN rest ~ '^\$' THEN format('character %s begins neither $InstallationId:{...} nor $UserId:{...}', at)
                ELSE format('character %s (%s) is not allowed in a tag', at, left(rest, 1)) END;
        ELSIF token ~ '^ ' THEN
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
            IF octet_length(token) > 120 THEN
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
        IF depth > 32 THEN wrong := 'parentheses and ! are nested deeper than 32'; END IF;
        at := at + length(token);
        rest := substr(rest, length(token) + 1);
    END LOOP;
    IF wrong IS NULL AND wants_tag THEN wrong := 'it ends where a tag is expected';
    ELSIF wrong IS NULL AND cardinality(depths) > 1 THEN wrong := 'a closing parenthesis is missing';
    ELSIF wrong IS NULL AND tags > 20 THEN wrong := format('it has %s tags, 20 are allowed', tags);
    ELSIF wrong IS NULL AND NOT only_or AND tags > 6 THEN wrong := format('it has %s tags, 6 are allowed with && or !, 20 with || alone', tags);
    END IF;
    IF wrong IS NULL THEN RETURN true; END IF;
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'tag', CONSTRAINT = 'tag_is_a_tag_or_an_expression',
        MESSAGE = format('push.message.tag %s: %s', left(to_json(tag)::text, 100), wrong),
        HINT = 'A tag has 1 to 120 of A-Z a-z 0-9 _ @ # . : - ; an expression joins tags with ||, && and !. Try one with: fanfare tags check ''...''';
END $$;

CREATE FUNCTION push.refuse_locale(locale text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'locale', CONSTRAINT = 'locale_is_bcp_47',
        MESSAGE = format('push.message.locale %s is not a BCP 47 language tag of at most 35 characters', left(to_json(locale)::text, 100)),
        HINT = 'Write fr, fr-CA or zh-Hans (with -, not _); leave it out for a content without a language.';
END $$;

-- The shape of native payloads (docs/native-formats.md). The services behind the hub silently drop what they do not
-- know, so a payload that would never be shown is refused here. The rules are those of ApplePayload, FCMPayload and
-- WindowsPayload in PushModel, and a test compares the two over one list of cases. Each function returns null, or what
-- is wrong and how to fix it.

CREATE FUNCTION push.localisation_name(name text, OUT apple text, OUT android text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE part text[] := regexp_match(lower(translate(name, '-_', '')), '^(title|subtitle|body|)loc(key|args)$');
BEGIN
    IF part IS NULL OR octet_length(name) > 24 THEN RETURN; END IF;
    apple := CASE WHEN part[1] IN ('', 'body') THEN '' ELSE part[1] || '-' END || 'loc-' || part[2];
    android := CASE part[1] WHEN 'subtitle' THEN NULL WHEN '' THEN 'body' ELSE part[1] END || '_loc_' || part[2];
END $$;

CREATE FUNCTION push.wrong_strings(node json, path text, names text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT ARRAY[format('%s.%s is a JSON %s, not a string', path, n, json_typeof(node -> n)), 'Put it in quotation marks.']
      FROM unnest(names) n WHERE json_typeof(node -> n) <> 'string' LIMIT 1
$$;

CREATE FUNCTION push.wrong_values(node json, path text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN json_typeof(node) <> 'object' THEN ARRAY[format('%s is a JSON %s, not an object', path, json_typeof(node)), 'It is an object of strings.']
                ELSE (SELECT ARRAY[format('%s.%s is a JSON %s; every value in %s is a string', path, key, json_typeof(value), path), 'Put it in quotation marks.']
                        FROM json_each(node) WHERE json_typeof(value) <> 'string' LIMIT 1) END
$$;

CREATE FUNCTION push.wrong_args(node json, path text, pairs text[]) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE args text; key text; bad record;
BEGIN
    FOR i IN 1 .. cardinality(pairs) BY 2 LOOP
        args := pairs[i]; key := pairs[i + 1];
        CONTINUE WHEN node -> args IS NULL;
        IF node -> key IS NULL THEN
            RETURN ARRAY[format('%s.%s stands without %s.%s, whose arguments it lists', path, args, path, key), format('Add %s.%s.', path, key)];
        ELSIF json_typeof(node -> args) <> 'array' THEN
            RETURN ARRAY[format('%s.%s is a JSON %s, not an array of strings', path, args, json_typeof(node -> args)), 'Write ["...", "..."].'];
        END IF;
        SELECT n - 1 AS i, json_typeof(value) AS kind INTO bad FROM json_array_elements(node -> args) WITH ORDINALITY e(value, n) WHERE json_typeof(value) <> 'string' LIMIT 1;
        IF FOUND THEN RETURN ARRAY[format('%s.%s[%s] is a JSON %s; arguments are strings', path, args, bad.i, bad.kind), 'A number is written "3".']; END IF;
    END LOOP;
    RETURN NULL;
END $$;

CREATE FUNCTION push.wrong_apple(payload json, prefix text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE aps json := payload -> 'aps'; alert json; path text := prefix || 'aps'; name text; known text; value json; bad text[];
BEGIN
    IF aps IS NULL THEN RETURN ARRAY[path || ' is missing', 'A payload for apple is {"aps": {...}}.']; END IF;
    IF json_typeof(aps) <> 'object' THEN RETURN ARRAY[format('%s is a JSON %s, not an object', path, json_typeof(aps)), 'A payload for apple is {"aps": {...}}.']; END IF;
    alert := aps -> 'alert';
    IF json_typeof(alert) NOT IN ('string', 'object') THEN
        RETURN ARRAY[format('%s.alert is a JSON %s, neither a string nor an object', path, json_typeof(alert)), 'Write "alert": "..." or "alert": {"title": "...", "body": "..."}.'];
    ELSIF json_typeof(alert) = 'object' THEN
        FOR name IN SELECT json_object_keys(alert) LOOP
            IF name = 'category' THEN RETURN ARRAY[format('%s.alert.category belongs beside the alert', path), format('Write %s.category.', path)]; END IF;
            SELECT l.apple INTO known FROM push.localisation_name(name) l;
            IF known <> name THEN RETURN ARRAY[format('%s.alert.%s is unknown to Apple', path, name), format('Write %s.alert.%s.', path, known)]; END IF;
        END LOOP;
        bad := coalesce(push.wrong_strings(alert, path || '.alert', '{title,subtitle,body,title-loc-key,subtitle-loc-key,loc-key,launch-image}'),
                        push.wrong_args(alert, path || '.alert', '{title-loc-args,title-loc-key,subtitle-loc-args,subtitle-loc-key,loc-args,loc-key}'));
        IF bad IS NOT NULL THEN RETURN bad; END IF;
    END IF;
    FOR name IN SELECT json_object_keys(aps) LOOP
        SELECT l.apple INTO known FROM push.localisation_name(name) l;
        IF known IS NOT NULL THEN RETURN ARRAY[format('%s.%s belongs in the alert', path, name), format('Write %s.alert.%s.', path, known)]; END IF;
    END LOOP;
    bad := push.wrong_strings(aps, path, '{category,thread-id,interruption-level}');
    IF bad IS NOT NULL THEN RETURN bad; END IF;
    IF aps ->> 'category' = '' THEN RETURN ARRAY[path || '.category is empty', 'It names a category that the app registered; leave it out for none.']; END IF;
    value := aps -> 'badge';
    IF json_typeof(value) <> 'number' OR value::text !~ '^[0-9]+$' THEN RETURN ARRAY[path || '.badge is not a whole number from 0', 'Write it without quotation marks; 0 removes the badge.']; END IF;
    IF json_typeof(aps -> 'sound') NOT IN ('string', 'object') THEN
        RETURN ARRAY[format('%s.sound is a JSON %s, neither a string nor an object', path, json_typeof(aps -> 'sound')), 'Write "sound": "default".'];
    END IF;
    FOREACH name IN ARRAY '{content-available,mutable-content}'::text[] LOOP
        IF (aps -> name)::text NOT IN ('0', '1') THEN RETURN ARRAY[format('%s.%s is neither 0 nor 1', path, name), 'Write 1, without quotation marks.']; END IF;
    END LOOP;
    IF aps ->> 'interruption-level' NOT IN ('passive', 'active', 'time-sensitive', 'critical') THEN
        RETURN ARRAY[path || '.interruption-level is not passive, active, time-sensitive or critical', 'Leave it out for active.'];
    END IF;
    IF json_typeof(aps -> 'relevance-score') <> 'number' THEN
        RETURN ARRAY[format('%s.relevance-score is a JSON %s, not a number', path, json_typeof(aps -> 'relevance-score')), 'It is between 0 and 1.'];
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION push.wrong_fcmv1(payload json) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE message json := payload -> 'message'; part json; name text; known record; bad text[]; path text := 'message.android.notification';
BEGIN
    IF message IS NULL THEN RETURN ARRAY['message is missing', 'A payload for fcmv1 is {"message": {...}}.']; END IF;
    IF json_typeof(message) <> 'object' THEN RETURN ARRAY[format('message is a JSON %s, not an object', json_typeof(message)), 'A payload for fcmv1 is {"message": {...}}.']; END IF;
    FOREACH name IN ARRAY '{token,topic,condition}'::text[] LOOP
        IF message -> name IS NOT NULL THEN
            RETURN ARRAY[format('message.%s cannot be set: the hub sets the target', name), 'Leave it out; the row''s tag or handles name the target.'];
        END IF;
    END LOOP;
    bad := push.wrong_values(message -> 'data', 'message.data');
    IF bad IS NOT NULL THEN RETURN bad; END IF;
    FOREACH name IN ARRAY '{notification,android,apns}'::text[] LOOP
        IF json_typeof(message -> name) <> 'object' THEN RETURN ARRAY[format('message.%s is a JSON %s, not an object', name, json_typeof(message -> name)), 'Write {...}.']; END IF;
    END LOOP;

    part := message -> 'notification';
    FOR name IN SELECT json_object_keys(part) LOOP
        SELECT * INTO known FROM push.localisation_name(name);
        IF known.apple IS NOT NULL THEN
            RETURN ARRAY[format('message.notification.%s belongs to %s', name, coalesce('message.android.notification', 'message.apns.payload.aps.alert')),
                         format('Write %smessage.apns.payload.aps.alert.%s.', 'message.android.notification.' || known.android || ' and ', known.apple)];
        END IF;
    END LOOP;
    bad := push.wrong_strings(part, 'message.notification', '{title,body,image}');
    IF bad IS NOT NULL THEN RETURN bad; END IF;

    part := message -> 'android';
    bad := push.wrong_strings(part, 'message.android', '{priority,ttl}');
    IF bad IS NOT NULL THEN RETURN bad; END IF;
    IF lower(part ->> 'priority') NOT IN ('normal', 'high') THEN RETURN ARRAY['message.android.priority is neither NORMAL nor HIGH', 'HIGH wakes the device.']; END IF;
    IF part ->> 'ttl' !~ '^[0-9]+(\.[0-9]{1,9})?s$' THEN RETURN ARRAY['message.android.ttl is not a duration', 'Write seconds such as "3600s".']; END IF;
    part := part -> 'notification';
    IF json_typeof(part) <> 'object' THEN RETURN ARRAY[format('%s is a JSON %s, not an object', path, json_typeof(part)), 'Write {...}.']; END IF;
    FOR name IN SELECT json_object_keys(part) LOOP
        SELECT * INTO known FROM push.localisation_name(name);
        IF known.android <> name THEN RETURN ARRAY[format('%s.%s is not what Android calls it', path, name), format('Write %s.%s.', path, known.android)]; END IF;
    END LOOP;
    bad := coalesce(push.wrong_strings(part, path, '{title_loc_key,body_loc_key}'), push.wrong_args(part, path, '{title_loc_args,title_loc_key,body_loc_args,body_loc_key}'));
    IF bad IS NOT NULL THEN RETURN bad; END IF;

    part := message -> 'apns' -> 'payload';
    IF json_typeof(part) <> 'object' THEN RETURN ARRAY[format('message.apns.payload is a JSON %s, not an object', json_typeof(part)), 'Write {"aps": {...}}.']; END IF;
    IF part IS NOT NULL THEN RETURN push.wrong_apple(part, 'message.apns.payload.'); END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION push.wrong_windows(content json, headers json) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE type text; xml text := content #>> '{}'; root text;
BEGIN
    SELECT value INTO type FROM json_each_text(headers) WHERE lower(key) = 'x-wns-type';
    IF type = 'wns/raw' THEN RETURN NULL; END IF;
    IF json_typeof(content) <> 'string' OR xml !~ '^[ \t\r\n]*<' THEN
        RETURN ARRAY['is not a JSON string with XML', 'Write "<toast>...</toast>" as a JSON string; for anything else set the header X-WNS-Type to wns/raw.'];
    END IF;
    root := substring(xml FROM '^(?:[ \t\r\n]+|<\?(?:(?!\?>).)*\?>|<!--(?:(?!-->).)*-->|<!(?!--)[^>]*>)*<([^ \t\r\n>/?!][^ \t\r\n>/]*)');
    IF type IS NULL AND coalesce(root, '') NOT IN ('toast', 'tile', 'badge') THEN
        RETURN ARRAY['has a root element other than toast, tile and badge, and no header X-WNS-Type', 'Set headers to {"X-WNS-Type": "wns/toast"}, or to its type.'];
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION push.refuse_content(format text, content json, headers json) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    wrong text; pair record; bad text[]; size int; most int; call boolean;
    hint text := 'A template message is one flat JSON object of strings, such as {"title": "...", "badge": "3"}.';
BEGIN
    IF octet_length(content::text) > 65536 THEN
        wrong := format('has %s bytes, 65,536 are allowed in one request', octet_length(content::text));
    ELSIF format = 'template' THEN
        IF json_typeof(content) <> 'object' THEN
            wrong := format('is a JSON %s, not an object of template properties', json_typeof(content));
        ELSE
            BEGIN
            FOR pair IN SELECT key, json_typeof(value) AS kind FROM json_each(content) LOOP
                IF pair.key !~ '^[A-Za-z0-9_]+$' THEN
                    wrong := format('has the property %s; a name has only A-Z a-z 0-9 _', left(to_json(pair.key)::text, 60));
                ELSIF pair.kind <> 'string' THEN
                    wrong := format('has a %s as value of %s; template properties are strings', pair.kind, left(to_json(pair.key)::text, 60));
                END IF;
                EXIT WHEN wrong IS NOT NULL;
            END LOOP;
            EXCEPTION WHEN untranslatable_character THEN      -- PostgreSQL cannot read NUL from JSON
                wrong := 'has a property whose name holds the character NUL';
            END;
        END IF;
    ELSIF format NOT IN ('apple', 'fcmv1', 'windows', 'adm', 'baidu', 'browser', 'xiaomi') THEN
        RETURN true;                                          -- refused by format_is_known
    ELSE
        BEGIN
            IF format = 'windows' THEN
                bad := push.wrong_windows(content, headers);
            ELSIF json_typeof(content) <> 'object' THEN
                bad := ARRAY[format('is a JSON %s; a payload for %s is an object', json_typeof(content), format), 'Write {...}.'];
            ELSE
                bad := CASE format WHEN 'apple' THEN push.wrong_apple(content, '') WHEN 'fcmv1' THEN push.wrong_fcmv1(content)
                    WHEN 'adm' THEN CASE WHEN content -> 'data' IS NULL THEN ARRAY['data is missing', 'A payload for adm is {"data": {...}}.'] ELSE push.wrong_values(content -> 'data', 'data') END END;
            END IF;
            IF bad IS NULL THEN
                call := format = 'apple' AND headers IS NOT NULL AND json_typeof(headers) = 'object'
                    AND EXISTS (SELECT FROM json_each_text(headers) WHERE lower(key) = 'apns-push-type' AND value = 'voip');
                size := octet_length(CASE WHEN format = 'windows' THEN content #>> '{}' ELSE content::text END);
                most := CASE WHEN format = 'windows' OR call THEN 5120 WHEN format = 'adm' THEN 6144 ELSE 4096 END;
                IF size > most THEN bad := ARRAY[format('has %s bytes, a payload for %s takes at most %s', size, format, most), 'Send less, or a key under which the app fetches the rest.']; END IF;
            END IF;
        EXCEPTION WHEN untranslatable_character THEN
            bad := ARRAY['holds the character NUL', 'Leave \u0000 out.'];
        END;
        wrong := bad[1];
        hint := bad[2];
    END IF;
    IF wrong IS NULL THEN RETURN true; END IF;
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'content', CONSTRAINT = 'content_fits_its_format',
        MESSAGE = format('push.message.content %s', left(wrong, 300)), HINT = hint;
END $$;

CREATE FUNCTION push.refuse_headers(format text, headers json, direct boolean) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    wrong text; pair record; rule text;
    allowed text := CASE format
        WHEN 'template' THEN 'apns-*, X-WNS-*, X-WindowsPhone-Target, X-NotificationClass, X-Baidu-Message-Type, ServiceBusNotification-Apns-Expiry'
        WHEN 'apple' THEN 'apns-*, ServiceBusNotification-Apns-Expiry' WHEN 'windows' THEN 'X-WNS-*' WHEN 'baidu' THEN 'X-Baidu-Message-Type'
        WHEN 'browser' THEN CASE WHEN direct THEN 'Auth, P256DH' ELSE 'none without handles; Auth and P256DH with one' END ELSE 'none' END;
    names text := CASE format
        WHEN 'template' THEN '^(apns-[a-z-]+|X-WNS-[a-z-]+|X-WindowsPhone-Target|X-NotificationClass|X-Baidu-Message-Type|ServiceBusNotification-Apns-Expiry)$'
        WHEN 'apple' THEN '^(apns-[a-z-]+|ServiceBusNotification-Apns-Expiry)$' WHEN 'windows' THEN '^X-WNS-[a-z-]+$' WHEN 'baidu' THEN '^X-Baidu-Message-Type$'
        WHEN 'browser' THEN CASE WHEN direct THEN '^(Auth|P256DH)$' ELSE '^$' END ELSE '^$' END;
BEGIN
    IF json_typeof(headers) <> 'object' THEN
        wrong := format('is a JSON %s, not an object', json_typeof(headers));
    ELSIF octet_length(headers::text) > 4096 THEN
        wrong := format('has %s bytes, 4,096 are allowed', octet_length(headers::text));
    ELSIF headers::text ~ '\\u0000' THEN          -- PostgreSQL cannot read it from JSON
        wrong := 'holds the character NUL';
    ELSIF EXISTS (SELECT FROM json_object_keys(headers) k GROUP BY lower(k) HAVING count(*) > 1) THEN
        wrong := 'has a name twice (case does not count)';
    ELSE
        FOR pair IN SELECT lower(key) AS folded, key, json_typeof(value) AS kind, headers ->> key AS value FROM json_each(headers) LOOP
            rule := CASE pair.folded
                WHEN 'apns-priority' THEN CASE WHEN pair.value NOT IN ('1', '5', '10') THEN 'not 1, 5 or 10' END
                WHEN 'apns-expiration' THEN CASE WHEN pair.value !~ '^[0-9]+$' THEN 'not a whole number: seconds since 1970, 0 for one attempt' END
                WHEN 'apns-push-type' THEN CASE WHEN pair.value NOT IN ('alert', 'background', 'voip', 'complication', 'fileprovider', 'mdm', 'location', 'liveactivity', 'pushtotalk', 'widgets')
                    THEN 'not one of alert, background, voip, complication, fileprovider, mdm, location, liveactivity, pushtotalk, widgets' END
                WHEN 'apns-collapse-id' THEN CASE WHEN octet_length(pair.value) > 64 THEN format('%s bytes long, Apple takes 64', octet_length(pair.value)) END
                WHEN 'x-wns-type' THEN CASE WHEN pair.value NOT IN ('wns/toast', 'wns/tile', 'wns/badge', 'wns/raw') THEN 'not one of wns/toast, wns/tile, wns/badge, wns/raw' END END;
            IF pair.key !~* names THEN
                wrong := format('names %s, which is not a header a message of format %s may set', left(to_json(pair.key)::text, 60), format);
            ELSIF pair.kind <> 'string' THEN
                wrong := format('has a %s as value of %s; header values are strings', pair.kind, pair.key);
            ELSIF pair.value COLLATE "C" !~ '^[ -~]+$' OR length(pair.value) > 1024 THEN
                wrong := format('has a value of %s that is empty, longer than 1,024 or holds a character outside printable ASCII', pair.key);
            ELSIF rule IS NOT NULL THEN
                wrong := format('has a value of %s that is %s', pair.key, rule);
            END IF;
            EXIT WHEN wrong IS NOT NULL;
        END LOOP;
    END IF;
    IF wrong IS NULL THEN RETURN true; END IF;
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'headers', CONSTRAINT = 'headers_are_allowed',
        MESSAGE = format('push.message.headers %s', wrong), HINT = format('Format %s takes: %s.', format, allowed);
END $$;

COMMENT ON FUNCTION push.localisation_name IS
    'What Apple and Android call a key that names a text of the app, for any spelling of it; null: the name is no '
    'such key.';
COMMENT ON FUNCTION push.wrong_strings IS
    'The first of the named members that is not a string: what is wrong, and a hint; null: none.';
COMMENT ON FUNCTION push.wrong_values IS
    'What is wrong with a value that must be an object of strings, and a hint; null: nothing.';
COMMENT ON FUNCTION push.wrong_args IS
    'What is wrong with lists of arguments, and a hint; null: each is an array of strings beside its key.';
COMMENT ON FUNCTION push.wrong_apple IS 'What is wrong with an APNs payload, and a hint; null: nothing.';
COMMENT ON FUNCTION push.wrong_fcmv1 IS 'What is wrong with an FCM v1 payload, and a hint; null: nothing.';
COMMENT ON FUNCTION push.wrong_windows IS 'What is wrong with a notification for Windows, and a hint; null: nothing.';
COMMENT ON FUNCTION push.refuse IS
    'True for a known format; otherwise raises, names the column and says which rule of it the value breaks.';
COMMENT ON FUNCTION push.refuse_hub IS 'Raises for a hub that is not registered, and names those that are.';
COMMENT ON FUNCTION push.refuse_target IS
    'True when exactly one of tag, handles and broadcast says who gets the message; otherwise raises.';
COMMENT ON FUNCTION push.refuse_keys IS 'True for keys of 1 to 200 characters; otherwise raises.';
COMMENT ON FUNCTION push.refuse_names IS
    'True when campaign, run and tenant are null or short enough; otherwise raises.';
COMMENT ON FUNCTION push.refuse_tag IS
    'True for a valid tag expression; otherwise raises and says what is wrong at which character.';
COMMENT ON FUNCTION push.refuse_locale IS 'Raises for a locale that is not BCP 47.';
COMMENT ON FUNCTION push.refuse_content IS
    'True for a content that its format can carry; otherwise raises and says why not.';
COMMENT ON FUNCTION push.refuse_headers IS
    'True for headers that the format may set; otherwise raises and names the wrong one.';

-- The trigger: one statement's rows become pointers ------------------------------------------------------------------

CREATE FUNCTION push.refuse_statement(problem text, hint text, col text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = col, MESSAGE = problem, HINT = hint;
END $$;
COMMENT ON FUNCTION push.refuse_statement IS 'Raises for rows that break a rule of their hub or of their statement.';

-- Keys. Each function has its own plan settings, because these tables are empty when they are analysed and huge a day
-- later (docs/storage.md, "Plans").

CREATE FUNCTION push.are_final(ids bigint[]) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT NOT EXISTS (
        SELECT FROM unnest($1) i(id)
         WHERE coalesce((SELECT r.status FROM push.result r WHERE r.id = i.id ORDER BY r.at DESC LIMIT 1), 'retrying') = 'retrying'
           AND EXISTS (SELECT FROM push.message m WHERE m.id = i.id))
$$;
COMMENT ON FUNCTION push.are_final IS
    'Whether all these messages have their final result; a purged message counts as final.';

CREATE FUNCTION push.post_of(ids bigint[]) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT coalesce(
        (SELECT max(r.post) FROM unnest($1) i(id), LATERAL (SELECT r.post FROM push.result r WHERE r.id = i.id AND r.post % 10000 <> 0 OFFSET 0) r),
        (SELECT max(p.id) FROM push.claim c, LATERAL (SELECT p.id FROM push.post p WHERE p.id >= c.id * 10000 AND p.id < (c.id + 1) * 10000 AND p.ids && $1 OFFSET 0) p
          WHERE c.ids && $1))
$$;
COMMENT ON FUNCTION push.post_of IS
    'The newest post that carries one of these messages; null: none was about to be sent yet.';

CREATE FUNCTION push.late_note(lead bigint, ids bigint[]) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('The content of this content_key left without it (message %s, %s). Use a new content_key.', $1, coalesce('post ' || push.post_of($2), 'about to be posted'))
$$;
COMMENT ON FUNCTION push.late_note IS 'The note of a translation that came after its content was taken.';

CREATE FUNCTION push.end_rows(ids bigint[], status push.status, reason push.reason, notes text[], minute timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO push.result (id, status, reason, note) SELECT u.id, $2, $3, u.note FROM unnest($1, $4) u(id, note);
    INSERT INTO push.tally AS t (hub, minute, status, reason, n)
    SELECT h.id, $5, $2, $3, count(*)
      FROM unnest($1) u(id), LATERAL (SELECT hub FROM push.message m WHERE m.id = u.id OFFSET 0) m, LATERAL (SELECT id FROM push.hub h WHERE h.name = m.hub OFFSET 0) h
     GROUP BY h.id ORDER BY h.id
        ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n;
END $$;
COMMENT ON FUNCTION push.end_rows IS
    'Writes a final result for messages that never had a pointer of their own, and counts them.';

CREATE FUNCTION push.first_of(first bigint, hub smallint, tag text, content_key text, priority smallint, locale text) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT CASE WHEN NOT EXISTS (SELECT FROM push.content k WHERE k.id = $1 AND k.hub = $2 AND k.tag = $3 AND k.content_key = $4 AND k.priority = $5) THEN $1
                ELSE (SELECT min(k.id) FROM push.content k WHERE k.hub = $2 AND k.tag = $3 AND k.content_key = $4 AND k.priority = $5 AND k.id >= $1 AND lower(k.locale) = lower($6)) END
$$;
COMMENT ON FUNCTION push.first_of IS
    'Which message a row repeats whose dedupe_key message "first" used: that message, or, if both have the same '
    'content_key, the one with the row''s locale. Null: the row is another translation of that content, so it repeats '
    'nothing.';

CREATE FUNCTION push.enqueue_keys(ids bigint[], firsts bigint[], hubs smallint[], priorities smallint[], tags text[], locales text[],
    content_keys text[], dedupe_keys text[], send_ats timestamptz[], at timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    late text[]; repeated bigint[];      -- for each of ids: why a translation is late; which message a duplicate repeats
    gone bigint[]; notes text[]; stale record;
    settled boolean := coalesce(current_setting('push.settled', true), '') = 'on';
BEGIN
    late := array_fill(NULL::text, ARRAY[cardinality(ids)]);
    repeated := array_fill(NULL::bigint, ARRAY[cardinality(ids)]);

    -- 1. Translations whose content was already taken.
    IF cardinality(array_remove($7, NULL)) > 0 THEN
        SELECT array_agg(CASE WHEN t.lead IS NOT NULL THEN push.late_note(t.lead, t.ids) END ORDER BY u.n) INTO late
          FROM unnest($3, $4, $5, $7) WITH ORDINALITY u(hub, priority, tag, content_key, n)
               LEFT JOIN LATERAL (
                   SELECT t.lead, t.ids FROM push.hub h, LATERAL (SELECT t.* FROM push.content_taken t
                           WHERE t.hub = u.hub AND t.tag = u.tag AND t.content_key = u.content_key AND t.priority = u.priority OFFSET 0) t
                    WHERE h.id = u.hub AND h.localization = 'properties' AND NOT (t.at < $10 - h.keep_content AND push.are_final(t.ids)) OFFSET 0) t
               ON u.content_key IS NOT NULL;
    END IF;

    -- 2. Duplicates. First, keys whose time is over are deleted, in order, so that no two backends wait for each other.
    -- Then every content that is not late tries to insert its key, in order again. A new snapshot then shows who was first.
    IF cardinality(array_remove($8, NULL)) > 0 THEN
        FOR stale IN
            SELECT d.hub, d.key FROM (SELECT DISTINCT hub, key FROM unnest($3, $8) u(hub, key) WHERE key IS NOT NULL) u,
                   LATERAL (SELECT h.keep_dedupe FROM push.hub h WHERE h.id = u.hub OFFSET 0) h,
                   LATERAL (SELECT d.* FROM push.dedupe d WHERE d.hub = u.hub AND d.key = u.key AND d.at < $10 - h.keep_dedupe OFFSET 0) d
             ORDER BY d.hub, d.key
        LOOP
            DELETE FROM push.dedupe d USING push.hub h WHERE d.hub = stale.hub AND d.key = stale.key AND h.id = d.hub AND d.at < $10 - h.keep_dedupe;
        END LOOP;
        INSERT INTO push.dedupe (hub, key, id)
        SELECT u.hub, u.key, min(u.first) FROM unnest($3, $8, $2, late) u(hub, key, first, late) WHERE u.key IS NOT NULL AND u.late IS NULL
         GROUP BY u.hub, u.key ORDER BY u.hub, u.key
            ON CONFLICT DO NOTHING;
        SELECT array_agg(CASE WHEN d.id <> u.first THEN push.first_of(d.id, u.hub, u.tag, u.content_key, u.priority, coalesce(u.locale, '')) END ORDER BY u.n) INTO repeated
          FROM unnest($2, $3, $4, $5, $6, $7, $8) WITH ORDINALITY u(first, hub, priority, tag, locale, content_key, key, n)
               LEFT JOIN LATERAL (SELECT d.id FROM push.dedupe d WHERE d.hub = u.hub AND d.key = u.key OFFSET 0) d ON u.key IS NOT NULL;
    END IF;

    -- 3. Duplicates and late translations end here.
    SELECT array_agg(u.id), array_agg(format('Its dedupe_key was used before, by message %s.', u.repeated)) INTO gone, notes
      FROM unnest($1, repeated) u(id, repeated) WHERE u.repeated IS NOT NULL;
    IF gone IS NOT NULL THEN
        PERFORM push.end_rows(gone, 'duplicate', 'duplicate_key', notes, clock_timestamp());
        DELETE FROM push.translation t WHERE t.id = ANY (gone);
    END IF;
    SELECT array_agg(u.id), array_agg(u.late) INTO gone, notes FROM unnest($1, repeated, late) u(id, repeated, late) WHERE u.repeated IS NULL AND u.late IS NOT NULL;
    IF gone IS NOT NULL THEN
        PERFORM push.end_rows(gone, 'rejected', 'late_translation', notes, clock_timestamp());
    END IF;

    -- 4. Contents with a key: one pointer for the rows of this statement. It waits for translations, unless every
    -- language of the hub is there. Rows of a hub localised by tags are remembered only for their dedupe_key.
    WITH row AS MATERIALIZED (
        SELECT u.*, h.localization = 'properties' AS folds, h.settle, h.languages
          FROM unnest($1, $3, $4, $5, $6, $7, $8, $9, repeated, late) u(id, hub, priority, tag, locale, content_key, dedupe_key, send_at, repeated, late),
               LATERAL (SELECT * FROM push.hub h WHERE h.id = u.hub OFFSET 0) h
         WHERE u.content_key IS NOT NULL AND u.repeated IS NULL AND u.late IS NULL AND (h.localization = 'properties' OR u.dedupe_key IS NOT NULL)
    ), content AS MATERIALIZED (
        SELECT hub, priority, tag, content_key, folds, settle, languages, min(id) AS lead, min(send_at) AS send_at,
               array_agg(id) AS ids, array_agg(coalesce(locale, '')) AS locales
          FROM row GROUP BY hub, priority, tag, content_key, folds, settle, languages, CASE WHEN NOT folds THEN id END
    ), timed AS MATERIALIZED (
        SELECT c.*, CASE WHEN settled OR NOT folds OR send_at >= $10 + settle OR NOT EXISTS (
            SELECT FROM unnest(c.languages) l
             WHERE lower(l) <> ALL (SELECT lower(x) FROM unnest(c.locales) x)
               AND NOT EXISTS (SELECT FROM push.content k WHERE k.hub = c.hub AND k.tag = c.tag AND k.content_key = c.content_key AND k.priority = c.priority
                                  AND lower(k.locale) = lower(l) AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = k.id OFFSET 0) OFFSET 0))
            THEN send_at ELSE $10 + settle END AS due_at
          FROM content c
    ), put AS (
        INSERT INTO push.content (id, lead, due_at, hub, priority, tag, content_key, locale)
        SELECT u.id, t.lead, t.due_at, t.hub, t.priority, t.tag, t.content_key, u.locale FROM timed t, unnest(t.ids, t.locales) u(id, locale)
    )
    INSERT INTO push.due (due_at, id, hub, priority, keyed) SELECT due_at, lead, hub, priority, true FROM timed WHERE folds;

    -- 5. All other rows get their ordinary pointer.
    INSERT INTO push.due (due_at, id, hub, priority, translations)
    SELECT u.send_at, u.id, u.hub, u.priority, t.lead IS NOT NULL
      FROM unnest($1, $3, $4, $7, $9, repeated, late) u(id, hub, priority, content_key, send_at, repeated, late)
           LEFT JOIN LATERAL (SELECT t.lead FROM push.translation t WHERE t.id = u.id OFFSET 0) t ON true,
           LATERAL (SELECT h.localization FROM push.hub h WHERE h.id = u.hub OFFSET 0) h
     WHERE u.repeated IS NULL AND u.late IS NULL AND (u.content_key IS NULL OR h.localization = 'tags') AND (t.lead IS NULL OR t.lead = u.id);
END $$;
COMMENT ON FUNCTION push.enqueue_keys IS
    'Handles the rows of one statement with a dedupe_key or a content_key: duplicates and late translations end, the '
    'others get their pointers. "firsts": the first message of each row''s content.';

CREATE FUNCTION push.enqueued() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    uncommon boolean; rows bigint; localised bigint; put bigint; special bigint; keyed bigint; wrong record;
    entries int[];                            -- of each row of push.enqueue_many, the number of its object in the list
    at timestamptz;                           -- taken once: two rows must not fall on different sides of it
BEGIN
    -- 1. The common case, in two statements: every row is plain and gets its pointer. An INSERT of one row pays for
    -- both, and every expression in them counts: the executor is set up once per statement.
    SELECT true INTO uncommon FROM fresh f
     WHERE (num_nulls(f.handles, f.locale, f.content_key, f.headers, f.dedupe_key, f.on_doubt, f.campaign, f.run, f.tenant, f.traceparent, f.meta) = 11
            AND f.format = 'template' AND NOT f.broadcast AND f.tag ~ '^[A-Za-z0-9_@#.:-]+$' AND octet_length(f.tag) <= 120
            -- The type guarantees that the content is JSON. So it is a flat object of strings if it begins with a
            -- brace, if a quotation mark follows each name and its colon, and if no name is empty or has another
            -- character. Searching for the bad form is cheaper than matching the good one. A text that only looks bad
            -- (a value that ends with a comma) goes to push.refuse_content, which reads it properly.
            AND octet_length(f.content::text) <= 65536
            AND f.content::text COLLATE "C" !~ '^\s*[^\s{]|"\s*:\s*[^"\s]|[{,]\s*"(?:"|[A-Za-z0-9_]*[^A-Za-z0-9_"])'
            AND f.send_at BETWEEN '2000-01-01Z' AND '2200-01-01Z' AND (f.expires_at > f.send_at) IS NOT FALSE AND f.priority IN (0, 1, 2)) IS NOT TRUE;
    IF NOT FOUND THEN
        -- No join: a hash join could reorder the pointers, and messages leave in the order of their pointers.
        INSERT INTO push.due (due_at, id, hub, priority)
        SELECT f.send_at, f.id, coalesce((SELECT h.id FROM push.hub h WHERE h.name = f.hub), push.refuse_hub(f.hub)), f.priority FROM fresh f;
        RETURN NULL;
    END IF;

    -- 2. The rules, in the order in which they are reported. Each line tests the usual form in place; otherwise its
    -- function raises, or accepts a rarer form.
    PERFORM FROM fresh f WHERE NOT (
        (f.handles IS NULL AND (f.tag IS NULL) = f.broadcast OR push.refuse_target(f.format, f.tag, f.handles, f.broadcast, f.headers))
        AND (f.tag ~ '^[A-Za-z0-9_@#.:-]+$' AND octet_length(f.tag) <= 120 OR push.refuse_tag(f.tag))
        AND (f.locale ~ '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$' AND octet_length(f.locale) <= 35 OR push.refuse_locale(f.locale))
        AND (f.format = 'template' AND octet_length(f.content::text) <= 65536
             AND f.content::text COLLATE "C" !~ '^\s*[^\s{]|"\s*:\s*[^"\s]|[{,]\s*"(?:"|[A-Za-z0-9_]*[^A-Za-z0-9_"])' OR push.refuse_content(f.format, f.content, f.headers))
        AND (f.format = 'template' OR push.refuse('format', f.format))
        AND (f.headers IS NULL OR push.refuse_headers(f.format, f.headers, f.handles IS NOT NULL))
        AND (f.send_at BETWEEN '2000-01-01Z' AND '2200-01-01Z' OR push.refuse('send_at', f.send_at::text))
        AND (f.expires_at > f.send_at OR push.refuse('expires_at', f.expires_at::text))
        AND (f.priority BETWEEN 0 AND 2 OR push.refuse('priority', f.priority::text))
        AND (f.on_doubt IN ('hold', 'resend') OR push.refuse('on_doubt', f.on_doubt))
        AND (num_nonnulls(f.content_key, f.dedupe_key) = 0 OR push.refuse_keys(f.content_key, f.dedupe_key))
        AND (coalesce(greatest(length(f.campaign), length(f.run), length(f.tenant)), 0) <= 200 OR push.refuse_names(f.campaign, f.run, f.tenant))
        AND (f.traceparent ~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' OR push.refuse('traceparent', f.traceparent))
        AND (octet_length(f.meta::text) <= 8192 OR push.refuse('meta', f.meta::text)));
    PERFORM push.refuse_hub(f.hub) FROM fresh f WHERE NOT EXISTS (SELECT FROM push.hub h WHERE h.name = f.hub);

    -- 3. The hub's rules. Without translations and keys, every row gets its own pointer.
    SELECT count(*), count(f.locale) INTO rows, localised FROM fresh f;
    IF localised > 0 THEN                     -- a hub localised by tags posts each row alone
        SELECT count(*) INTO localised FROM fresh f JOIN push.hub h ON h.name = f.hub WHERE f.locale IS NOT NULL AND h.localization = 'properties';
    END IF;
    IF localised = 0 THEN
        INSERT INTO push.due (due_at, id, hub, priority)
        SELECT f.send_at, f.id, h.id, f.priority
          FROM fresh f, LATERAL (SELECT h.id FROM push.hub h WHERE h.name = f.hub AND (h.allow_broadcast OR NOT f.broadcast) OFFSET 0) h
         WHERE f.content_key IS NULL AND f.dedupe_key IS NULL;
        GET DIAGNOSTICS put = ROW_COUNT;
        IF put = rows THEN RETURN NULL; END IF;
    END IF;
    SELECT f.hub INTO wrong FROM fresh f JOIN push.hub h ON h.name = f.hub WHERE f.broadcast AND NOT h.allow_broadcast LIMIT 1;
    IF FOUND THEN
        PERFORM push.refuse_statement(format('push.message.broadcast: hub "%s" does not allow messages to everyone', wrong.hub),
            'Name a tag, or set allowBroadcast for the hub in the configuration and run: fanfare migrate up', 'broadcast');
    END IF;
    SELECT f.hub, f.format, CASE WHEN f.locale IS NOT NULL THEN 'locale' ELSE 'content_key' END AS col INTO wrong
      FROM fresh f JOIN push.hub h ON h.name = f.hub
     WHERE f.format <> 'template' AND num_nonnulls(f.locale, f.content_key) > 0 AND h.localization = 'properties' LIMIT 1;
    IF FOUND THEN
        PERFORM push.refuse_statement(
            format('push.message.%s: a payload of format "%s" is in one language, and hub "%s" is localised by properties, which only templates have', wrong.col, wrong.format, wrong.hub),
            CASE wrong.col WHEN 'locale' THEN 'Leave locale out and let the device translate (title-loc-key for apple, title_loc_key for fcmv1), or use format template.'
                 ELSE 'Leave content_key out: it joins translations. To enqueue a message only once give dedupe_key.' END, wrong.col);
    END IF;
    SELECT count(f.content_key), count(coalesce(f.content_key, f.dedupe_key)) INTO keyed, special FROM fresh f;
    IF localised = 0 AND special = 0 THEN     -- some pointers are missing, but now nothing is wrong
        RAISE EXCEPTION USING ERRCODE = 'serialization_failure', MESSAGE = 'push.message: a hub was changed while rows for it were enqueued', HINT = 'Enqueue them again.';
    END IF;

    -- 4. Translations. Rows of this statement with the same hub, target and send options, at least one of them with a
    -- locale, are one content: one pointer, one post. All rows that are already due count as one time, because the
    -- default of send_at differs from row to row by microseconds. Rows with a content_key are joined by that key, and
    -- objects of push.enqueue_many with translations are contents of their own. A row that repeats both dedupe_key and
    -- locale belongs to no content.
    at := clock_timestamp();
    entries := string_to_array(nullif(current_setting('push.entries', true), ''), ',');
    IF localised > 0 THEN
        SELECT f.id, f.hub, f.locale, h.languages INTO wrong FROM fresh f JOIN push.hub h ON h.name = f.hub
         WHERE h.localization = 'properties' AND f.locale IS NOT NULL
           AND NOT EXISTS (SELECT FROM unnest(h.languages) l WHERE lower(f.locale) = lower(l) OR lower(f.locale) LIKE lower(l) || '-%') LIMIT 1;
        IF FOUND THEN
            PERFORM push.refuse_statement(format('push.message.locale "%s": hub "%s" has no language for it', wrong.locale, wrong.hub),
                CASE WHEN wrong.languages = '{}' THEN format('The hub has no languages: set hubs.%s.languages, or leave locale out.', wrong.hub)
                     ELSE format('It has %s. Add one to hubs.%s.languages and run: fanfare migrate up', array_to_string(wrong.languages, ', '), wrong.hub) END, 'locale');
        END IF;
        WITH row AS MATERIALIZED (
            SELECT f.id, f.hub AS name, f.tag, f.locale, f.send_at, f.priority, num_nonnulls(f.content_key, f.dedupe_key) > 0 AS special,
                   h.id AS hub, h.fallback, h.languages, h.localization = 'properties' AND count(f.locale) OVER same > 0 AS folds,
                   min(f.id) OVER same AS lead, count(*) OVER same AS n
              FROM (SELECT f.*, entries[row_number() OVER (ORDER BY f.id)] AS entry,
                           row_number() OVER (PARTITION BY f.hub, f.dedupe_key, lower(f.locale) ORDER BY f.id) AS nth FROM fresh f) f
                   JOIN push.hub h ON h.name = f.hub
             WHERE f.content_key IS NULL AND (f.dedupe_key IS NULL OR f.nth = 1)
            WINDOW same AS (PARTITION BY f.hub, f.tag, f.broadcast, f.priority, f.expires_at, f.on_doubt, f.pack, f.campaign, f.run, f.tenant,
                                         f.format, f.headers::text, f.dedupe_key, CASE WHEN f.send_at > at THEN f.send_at END, f.entry)
        ), together AS (
            INSERT INTO push.translation (id, lead) SELECT r.id, r.lead FROM row r WHERE r.folds AND r.n > 1
        ), put AS (
            INSERT INTO push.due (due_at, id, hub, priority, translations)
            SELECT r.send_at, r.id, r.hub, r.priority, r.folds AND r.n > 1 FROM row r WHERE NOT r.special AND (r.id = r.lead OR NOT r.folds)
        )
        SELECT min(r.name) AS hub, coalesce(min(r.tag), 'everyone') AS tag, r.fallback, r.languages,
               count(r.locale) > count(DISTINCT lower(r.locale)) OR count(*) - count(r.locale) > 1 AS twice
          INTO wrong
          FROM row r WHERE r.folds
         GROUP BY r.lead, r.hub, r.fallback, r.languages
        HAVING count(r.locale) > count(DISTINCT lower(r.locale)) OR count(*) - count(r.locale) > 1
            OR bool_and(r.locale IS NOT NULL)
               AND NOT coalesce(bool_or(lower(r.locale) = lower(r.fallback) OR lower(r.locale) LIKE lower(r.fallback) || '-%'), false)
               AND EXISTS (SELECT FROM unnest(r.languages) l
                            WHERE NOT lower(l) = ANY (array_agg(lower(r.locale))) AND NOT split_part(lower(l), '-', 1) = ANY (array_agg(lower(r.locale))))
         LIMIT 1;
        IF wrong.twice THEN
            PERFORM push.refuse_statement(
                format('push.message.locale: one statement has the same locale twice for tag "%s" of hub "%s", so it is unclear which translations belong together', wrong.tag, wrong.hub),
                'Enqueue each content with a statement of its own, or give each a content_key of its own.', 'locale');
        ELSIF wrong.hub IS NOT NULL THEN
            PERFORM push.refuse_statement(
                format('push.message.locale: the content for tag "%s" of hub "%s" has %s, so devices in other languages would show an empty alert', wrong.tag, wrong.hub,
                       CASE WHEN wrong.fallback IS NULL THEN 'neither every language of the hub nor a row without locale' ELSE format('neither the fallback language "%s" nor a row without locale', wrong.fallback) END),
                'Put the missing row into the same INSERT, or give content_key to translations that arrive in several.', 'locale');
        END IF;
    END IF;

    -- 5. Rows with a key. The translations of a content share a dedupe_key, so its first message stands for it.
    IF special > 0 THEN
        PERFORM push.enqueue_keys(array_agg(u.id), array_agg(u.first), array_agg(u.hub), array_agg(u.priority), array_agg(u.tag), array_agg(u.locale),
                                  array_agg(u.content_key), array_agg(u.dedupe_key), array_agg(u.send_at), at)
           FROM (SELECT f.id, h.id AS hub, f.priority, coalesce(f.tag, '') AS tag, f.locale, f.content_key, f.dedupe_key, f.send_at, f.id AS first
                   FROM fresh f JOIN push.hub h ON h.name = f.hub
                  WHERE f.dedupe_key IS NOT NULL AND keyed = 0 AND localised = 0 AND h.localization = 'properties'
                 UNION ALL
                 SELECT id, hub, priority, tag, locale, content_key, dedupe_key, send_at,
                        CASE WHEN dedupe_key IS NULL OR nth > 1 OR with_locale = 0 AND content_key IS NULL THEN id ELSE lead END
                   FROM (SELECT f.id, h.id AS hub, f.priority, coalesce(f.tag, '') AS tag, f.locale, f.content_key, f.dedupe_key, f.send_at,
                                min(f.id) OVER same AS lead, count(f.locale) OVER same AS with_locale,
                                CASE WHEN h.localization = 'tags' THEN row_number() OVER (same_locale ORDER BY f.id)
                                     WHEN f.content_key IS NULL THEN f.nth ELSE 1 END AS nth
                           FROM (SELECT f.*, entries[row_number() OVER (ORDER BY f.id)] AS entry,
                                        row_number() OVER (PARTITION BY f.hub, f.dedupe_key, lower(f.locale) ORDER BY f.id) AS nth FROM fresh f) f
                                JOIN push.hub h ON h.name = f.hub
                          WHERE coalesce(f.content_key, f.dedupe_key) IS NOT NULL AND (keyed > 0 OR localised > 0 OR h.localization = 'tags')
                         WINDOW same AS (PARTITION BY f.hub, f.tag, f.broadcast, f.handles, f.priority, f.content_key, f.dedupe_key, f.format,
                                         CASE WHEN f.content_key IS NULL THEN ROW (f.expires_at, f.on_doubt, f.pack, f.campaign, f.run, f.tenant,
                                              f.headers::text, CASE WHEN f.send_at > at THEN f.send_at END, f.entry) END),
                                same_locale AS (PARTITION BY f.hub, f.tag, f.broadcast, f.handles, f.priority, f.content_key, f.dedupe_key, f.format, lower(f.locale))) w
                ) u;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push.enqueued IS
    'Trigger: turns the rows of one INSERT or COPY into pointers in push.due, and refuses what their hub would not '
    'take.';
CREATE TRIGGER enqueued AFTER INSERT ON push.message REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION push.enqueued();
COMMENT ON TRIGGER enqueued ON push.message IS
    'Statement level: ten thousand rows in one INSERT cost one call. A row that breaks a rule fails its statement '
    'with check_violation and the name of the rule: exactly_one_of_tag_handles_and_broadcast, '
    'tag_is_a_tag_or_an_expression, locale_is_bcp_47, content_fits_its_format, format_is_known, headers_are_allowed, '
    'send_at_is_a_date, expires_at_is_after_send_at, priority_is_0_urgent_1_normal_or_2_bulk, '
    'on_doubt_is_hold_or_resend, keys_have_1_to_200_characters, names_have_at_most_200_characters, '
    'traceparent_is_w3c, meta_has_at_most_8_kb.';

CREATE FUNCTION push.never_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'feature_not_supported', MESSAGE = 'push.message is never updated',
        HINT = 'Cancel the message with SELECT push.cancel(id) and enqueue another.';
END $$;
COMMENT ON FUNCTION push.never_changed IS
    'Trigger: refuses every UPDATE of push.message, because it would not change what is sent.';
CREATE TRIGGER never_changed BEFORE UPDATE ON push.message FOR EACH STATEMENT EXECUTE FUNCTION push.never_changed();
COMMENT ON TRIGGER never_changed ON push.message IS 'Refuses UPDATE with a hint.';

CREATE FUNCTION push.repeated(hub text, dedupe_key text, tag text, content_key text, priority smallint, locale text) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT push.first_of(d.id, d.hub, coalesce($3, ''), $4, $5, coalesce($6, ''))
      FROM push.hub h, LATERAL (SELECT d.id, d.hub FROM push.dedupe d WHERE d.hub = h.id AND d.key = $2 AND d.at >= clock_timestamp() - h.keep_dedupe OFFSET 0) d
     WHERE h.name = $1
$$;
COMMENT ON FUNCTION push.repeated IS 'The message that a row with these values would repeat; null: none.';

CREATE FUNCTION push.enqueue_many(messages json) RETURNS TABLE (n int, id bigint, inserted boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    wrong record; ns int[]; items json[]; locales text[]; contents json[]; repeats bigint[]; ids bigint[];
    known constant text[] := '{hub,tag,handles,broadcast,locale,content,translations,content_key,format,headers,send_at,expires_at,priority,dedupe_key,on_doubt,pack,campaign,run,tenant,traceparent,meta}';
BEGIN
    IF json_typeof(messages) IS DISTINCT FROM 'array' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.enqueue_many: messages is %s, not a JSON array', coalesce('a JSON ' || json_typeof(messages), 'null')),
            HINT = 'Write [{"hub": "news", "tag": "World", "content": {"message": "hi"}}].';
    END IF;
    SELECT e.n, json_typeof(e.value) AS kind INTO wrong FROM json_array_elements(messages) WITH ORDINALITY e(value, n) WHERE json_typeof(e.value) <> 'object' LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.enqueue_many: message %s is a JSON %s, not an object', wrong.n, wrong.kind),
            HINT = 'Each message is an object with the columns of push.message as members.';
    END IF;
    SELECT e.n, m.key, json_typeof(m.value) AS kind, k.kind AS wanted INTO wrong
      FROM json_array_elements(messages) WITH ORDINALITY e(value, n), json_each(e.value) m
           LEFT JOIN (SELECT name, CASE WHEN name IN ('content', 'headers', 'meta') THEN NULL WHEN name IN ('broadcast', 'pack') THEN 'boolean' WHEN name = 'priority' THEN 'number'
                                        WHEN name = 'handles' THEN 'array' WHEN name = 'translations' THEN 'object' ELSE 'string' END AS kind FROM unnest(known) name) k ON k.name = m.key
     WHERE k.name IS NULL OR json_typeof(m.value) NOT IN ('null', k.kind) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = CASE WHEN wrong.wanted IS NULL THEN format('push.enqueue_many: message %s has the member %s, which is not a column of push.message', wrong.n, left(to_json(wrong.key)::text, 60))
                           ELSE format('push.enqueue_many: message %s: %s is a JSON %s, not a JSON %s', wrong.n, wrong.key, wrong.kind, wrong.wanted) END,
            HINT = CASE WHEN wrong.wanted IS NULL THEN format('Known: %s.', array_to_string(known, ', '))
                        ELSE 'Strings stand in quotation marks, numbers, true and false without; leave a member out for its default.' END;
    END IF;

    -- One row per content and translation, each with the message that it repeats, if any.
    SELECT array_agg(r.n ORDER BY r.n, r.i), array_agg(r.item ORDER BY r.n, r.i), array_agg(r.locale ORDER BY r.n, r.i), array_agg(r.content ORDER BY r.n, r.i),
           array_agg(CASE WHEN r.item ->> 'dedupe_key' IS NOT NULL THEN
               push.repeated(r.item ->> 'hub', r.item ->> 'dedupe_key', r.item ->> 'tag', r.item ->> 'content_key', coalesce((r.item ->> 'priority')::smallint, 1::smallint), r.locale) END ORDER BY r.n, r.i)
      INTO ns, items, locales, contents, repeats
      FROM (SELECT e.n::int AS n, e.item, t.i, t.locale, t.content
              FROM json_array_elements(messages) WITH ORDINALITY e(item, n),
                   LATERAL (SELECT 1) one LEFT JOIN
                   LATERAL (SELECT 0 AS i, e.item ->> 'locale' AS locale, e.item -> 'content' AS content WHERE json_typeof(e.item -> 'content') <> 'null'
                            UNION ALL
                            SELECT t.i, t.key, t.value FROM json_each(CASE json_typeof(e.item -> 'translations') WHEN 'object' THEN e.item -> 'translations' END) WITH ORDINALITY t(key, value, i)) t ON true) r;
    SELECT u.n INTO wrong FROM unnest(ns, contents) u(n, content) WHERE u.content IS NULL LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'not_null_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'content',
            MESSAGE = format('push.message.content: message %s has neither content nor translations', wrong.n), HINT = 'Give content, or translations such as {"en": {"message": "hi"}}.';
    END IF;
    IF ns IS NULL THEN RETURN; END IF;

    -- Translations that come with their message are complete, so nothing waits for more. The setting holds for this
    -- statement only. A SET clause of the function would do the same, but for a custom setting only a superuser may add
    -- one.
    PERFORM set_config('push.settled', CASE WHEN bool_and(u.item -> 'translations' IS NOT NULL) THEN 'on' ELSE '' END, true)
       FROM unnest(items) u(item) WHERE u.item ->> 'content_key' IS NOT NULL;
    -- Tells the trigger which rows belong together: an object with translations is a content of its own.
    PERFORM set_config('push.entries', string_agg(CASE WHEN json_typeof(u.item -> 'translations') = 'object' THEN u.n ELSE 0 END::text, ',' ORDER BY u.i), true)
       FROM unnest(ns, items, repeats) WITH ORDINALITY u(n, item, repeated, i) WHERE u.repeated IS NULL;
    WITH put AS (
        INSERT INTO push.message (hub, tag, handles, broadcast, locale, content, content_key, format, headers, send_at, expires_at, priority, dedupe_key, on_doubt, pack, campaign, run, tenant, traceparent, meta)
        SELECT r.hub, r.tag, r.handles, coalesce(r.broadcast, false), u.locale, u.content, r.content_key, coalesce(r.format, 'template'), r.headers, coalesce(r.send_at, clock_timestamp()),
               r.expires_at, coalesce(r.priority, 1::smallint), r.dedupe_key, r.on_doubt, coalesce(r.pack, true), r.campaign, r.run, r.tenant, r.traceparent, r.meta
          FROM unnest(items, locales, contents, repeats) WITH ORDINALITY u(item, locale, content, repeated, i),
               LATERAL json_to_record(u.item) r(hub text, tag text, handles text[], broadcast boolean, content_key text, format text, headers json, send_at timestamptz, expires_at timestamptz,
                    priority smallint, dedupe_key text, on_doubt text, pack boolean, campaign text, run text, tenant text, traceparent text, meta json)
         WHERE u.repeated IS NULL ORDER BY u.i
        RETURNING id)
    SELECT array_agg(p.id ORDER BY p.id) INTO ids FROM put p;
    PERFORM set_config('push.settled', '', true), set_config('push.entries', '', true);

    -- A duplicate within the list, or of a transaction that was open when we looked, ended in the trigger.
    RETURN QUERY
    SELECT w.n, coalesce(min(w.id) FILTER (WHERE w.repeated IS NULL), min(w.repeated)), bool_or(w.repeated IS NULL)
      FROM (SELECT u.n, i.id, CASE WHEN i.id IS NULL THEN u.repeated
                        WHEN u.item ->> 'dedupe_key' IS NOT NULL AND EXISTS (SELECT FROM push.result r WHERE r.id = i.id AND r.reason = 'duplicate_key') THEN
                            push.repeated(u.item ->> 'hub', u.item ->> 'dedupe_key', u.item ->> 'tag', u.item ->> 'content_key', coalesce((u.item ->> 'priority')::smallint, 1::smallint), u.locale) END AS repeated
              FROM (SELECT u.*, CASE WHEN u.repeated IS NULL THEN count(*) FILTER (WHERE u.repeated IS NULL) OVER (ORDER BY u.i) END AS place
                      FROM unnest(ns, items, locales, repeats) WITH ORDINALITY u(n, item, locale, repeated, i)) u
                   LEFT JOIN LATERAL (SELECT ids[u.place] AS id) i ON true) w
     GROUP BY w.n ORDER BY w.n;
END $$;
COMMENT ON FUNCTION push.enqueue_many IS
    'Enqueues a JSON array of objects with one statement, inside the caller''s transaction. Members are the columns '
    'of push.message, and translations ({"en": {...}, "fr": {...}}). Returns for each object (n from 1) its id and '
    'whether it was inserted; for a duplicate the id of the first.';

CREATE FUNCTION push.enqueue(
    hub text, tag text DEFAULT NULL, content json DEFAULT NULL, locale text DEFAULT NULL, broadcast boolean DEFAULT false, send_at timestamptz DEFAULT NULL,
    expires_at timestamptz DEFAULT NULL, priority smallint DEFAULT 1::smallint, on_doubt text DEFAULT NULL, pack boolean DEFAULT true,
    headers json DEFAULT NULL, campaign text DEFAULT NULL, run text DEFAULT NULL, tenant text DEFAULT NULL, traceparent text DEFAULT NULL,
    meta json DEFAULT NULL, content_key text DEFAULT NULL, dedupe_key text DEFAULT NULL, format text DEFAULT 'template', handles text[] DEFAULT NULL,
    translations json DEFAULT NULL, OUT id bigint, OUT inserted boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF $18 IS NULL AND $21 IS NULL AND $3 IS NOT NULL THEN
        INSERT INTO push.message AS m (hub, tag, content, locale, broadcast, send_at, expires_at, priority, on_doubt, pack, headers, campaign, run, tenant, traceparent, meta,
                                       content_key, format, handles)
        VALUES ($1, $2, $3, $4, $5, coalesce($6, clock_timestamp()), $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $19, $20)
        RETURNING m.id, true INTO enqueue.id, enqueue.inserted;
        RETURN;
    END IF;
    SELECT e.id, e.inserted INTO enqueue.id, enqueue.inserted FROM push.enqueue_many(json_build_array(json_build_object(
        'hub', $1, 'tag', $2, 'content', $3, 'locale', $4, 'broadcast', $5, 'send_at', $6, 'expires_at', $7, 'priority', $8, 'on_doubt', $9, 'pack', $10,
        'headers', $11, 'campaign', $12, 'run', $13, 'tenant', $14, 'traceparent', $15, 'meta', $16, 'content_key', $17, 'dedupe_key', $18, 'format', $19,
        'handles', $20, 'translations', $21))) e;
END $$;
COMMENT ON FUNCTION push.enqueue IS
    'Enqueues one message inside the caller''s transaction, or one content with its translations ({"en": {...}, "fr": '
    '{...}}); content is then the row without locale, or left out. Returns the id and whether it was inserted; for a '
    'repeated dedupe_key the id of the first. With translations a content_key does not wait for more.';

-- No trigger does this: a commit that notifies waits for every other commit that does, in the whole server. So backends
-- call it for messages that are worth that price, and it notifies only while a worker sleeps. A crashed worker stays
-- asleep for ever, so workers without a heartbeat for two minutes do not count (with the longest lease, 300 s, a worker
-- beats every 60 s).
CREATE FUNCTION push.wake_up() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM push.worker w WHERE w.asleep AND w.beat_at > clock_timestamp() - interval '2 minutes') THEN
        RETURN false;
    END IF;
    PERFORM pg_notify('push_due', '');
    RETURN true;
END $$;
COMMENT ON FUNCTION push.wake_up IS
    'Wakes sleeping workers (dispatch.listen) when the caller''s transaction commits; call it once, after the '
    'inserts. Returns whether a worker sleeps. It is a hint: without it the message is found within a quarter of a '
    'second. Costs a look at push.worker, and a NOTIFY while a worker sleeps.';

REVOKE ALL ON FUNCTION push.wake_up, push.enqueue, push.enqueue_many, push.repeated, push.are_final, push.post_of, push.late_note, push.end_rows, push.first_of, push.enqueue_keys, push.enqueued FROM PUBLIC;

INSERT INTO push.migration (version, name) VALUES (2, 'enqueue');
