-- Fanfare, migration 12: Which content and which headers a format takes.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

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
COMMENT ON FUNCTION push.refuse_content IS
    'True for a content that its format can carry; otherwise raises and says why not.';
COMMENT ON FUNCTION push.refuse_headers IS
    'True for headers that the format may set; otherwise raises and names the wrong one.';

INSERT INTO push.migration (version, name) VALUES (12, 'refuse_content');
