-- Fanfare, migration 11: The shape of native payloads (docs/native-formats.md). The services behind the hub silently drop what they do not
-- know, so a payload that would never be shown is refused at the INSERT.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

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

INSERT INTO push.migration (version, name) VALUES (11, 'refuse_payloads');
