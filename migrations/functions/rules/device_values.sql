-- The rules of devices: handles (also of push.message), tags and users.

-- Each push_internal.wrong_... returns what is wrong, or null: nothing. InstallationDocument in Providers has the same rules;
-- one list of cases tests both. No message holds a handle. Usual values are decided by SQL functions, which PostgreSQL
-- puts into the expression that calls them; only rare ones cost a call.
CREATE OR REPLACE FUNCTION push_internal.wrong_device(device text) RETURNS push.problem
LANGUAGE sql IMMUTABLE
RETURN CASE
    WHEN octet_length(device) BETWEEN 1 AND 200
         AND device NOT IN ('.', '..')
         AND device COLLATE "C" ~ '[^[:space:]]'
         AND device COLLATE "C" !~ E'[\\u0001-\\u001f\\u007f-\\u009f]' THEN NULL
    ELSE ROW (
        'device', 'device_is_an_installation_id',
        format('device %s is not an installation id', coalesce(push_internal.quoted(device, 100), 'NULL')),
        'The id that the app or the backend gives to one installation of the app: 1 to 200 bytes without control '
        'characters, such as a UUID.')::push.problem
END;
COMMENT ON FUNCTION push_internal.wrong_device IS 'The problem of the id of a device; null: none.';

CREATE OR REPLACE FUNCTION push_internal.device_platform(platform text) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN CASE lower(platform COLLATE "C")
    WHEN 'apns' THEN 'apns'
    WHEN 'fcmv1' THEN 'fcmV1'
    WHEN 'gcm' THEN 'gcm'
    WHEN 'wns' THEN 'wns'
    WHEN 'mpns' THEN 'mpns'
    WHEN 'adm' THEN 'adm'
    WHEN 'baidu' THEN 'baidu'
    WHEN 'browser' THEN 'browser'
    WHEN 'xiaomi' THEN 'xiaomi'
END;
COMMENT ON FUNCTION push_internal.device_platform IS
    'A platform in the spelling of Notification Hubs, which ignores case; null: there is no such platform.';

CREATE OR REPLACE FUNCTION push_internal.is_usual_handle(platform text, handle text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN octet_length(handle) <= 4096
       AND CASE platform
               WHEN 'apns' THEN handle COLLATE "C" ~ '^(?:[0-9A-Fa-f]{2})+$'
               WHEN 'wns' THEN handle COLLATE "C" ~ '^https://[!-~]+$'
               WHEN 'browser' THEN false
               ELSE platform IS NOT NULL AND handle COLLATE "C" ~ '^[!-~]+$'
           END;
COMMENT ON FUNCTION push_internal.is_usual_handle IS 'Whether it is certainly a handle of this platform.';

CREATE OR REPLACE FUNCTION push_internal.platform_of(format text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE format WHEN 'apple' THEN 'apns' WHEN 'windows' THEN 'wns' ELSE 'any' END;
COMMENT ON FUNCTION push_internal.platform_of IS
    'The platform that gives a handle to which a message of this format goes; any: its handles have no form of their own. That '
    'of a message to a browser is an address alone, because its headers hold the keys.';

CREATE OR REPLACE FUNCTION push_internal.fault_of_handle(platform text, handle text) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN CASE
    WHEN handle IS NULL OR handle = '' THEN 'is empty'
    WHEN octet_length(handle) > 4096 THEN format('has %s bytes, 4,096 are allowed', octet_length(handle))
    WHEN handle COLLATE "C" !~ '^[!-~]+$' THEN 'holds a blank or a character outside printable ASCII'
    WHEN platform = 'apns' AND NOT push_internal.is_usual_handle(platform, handle)
    THEN 'of apns is not an even number of hexadecimal digits'
    WHEN platform = 'wns' AND NOT push_internal.is_usual_handle(platform, handle)
    THEN 'of wns is not an address that begins with https://'
END;
COMMENT ON FUNCTION push_internal.fault_of_handle IS
    'What is wrong with a handle of this platform, without the handle, which is a secret of a person''s phone; null: nothing.';

CREATE OR REPLACE FUNCTION push_internal.wrong_handle(platform text, handle text) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_browser constant boolean := coalesce(platform = 'browser', handle COLLATE "C" ~ E'^\\s*\\{');
    parts json;
    wrong text;
    hint text := 'It is what Apple, Google or another push service gave to the app.';
BEGIN
    IF NOT is_browser OR octet_length(handle) NOT BETWEEN 1 AND 4096 OR handle IS NULL THEN
        wrong := push_internal.fault_of_handle(platform, handle);
    ELSE
        hint := 'It is the JSON text of an object with endpoint, p256dh and auth, from PushSubscription.toJSON().';
        IF push_internal.wrong_json(handle) IS NOT NULL THEN
            wrong := 'of a browser is not JSON';
        ELSE
            parts := handle;
            IF json_typeof(parts) <> 'object' OR EXISTS (
                   SELECT
                     FROM unnest('{endpoint,p256dh,auth}'::text[]) n(name)
                    WHERE coalesce(json_typeof(parts -> n.name), '') <> 'string'
                       OR parts ->> n.name = '') THEN
                wrong := 'of a browser is not an object with endpoint, p256dh and auth';
            END IF;
        END IF;
    END IF;
    RETURN CASE
        WHEN wrong IS NOT NULL THEN ROW ('handle', 'handle_fits_its_platform', 'handle ' || wrong, hint)::push.problem
    END;
END $$;
COMMENT ON FUNCTION push_internal.wrong_handle IS
    'The problem of a handle; null: none. A null platform is not known: then a handle that begins as an object is that '
    'of a browser, and of others only length and characters count.';

-- What all tags are together has the characters of each, and is as long as the longest at least.
CREATE OR REPLACE FUNCTION push_internal.is_usual_tags(tags text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN tags IS NULL
       OR cardinality(tags) = 0
       OR cardinality(tags) <= 60
          AND array_ndims(tags) = 1
          AND '' <> ALL (tags)
          AND octet_length(array_to_string(tags, '')) <= 120
          AND array_to_string(tags, '') COLLATE "C" ~ '^[A-Za-z0-9_@#.:-]+$';
COMMENT ON FUNCTION push_internal.is_usual_tags IS
    'Whether these are certainly tags of a device: short and plain ones, or none.';

-- 60 tags of 120 characters are 7,259 bytes with their commas, so they also keep the 8,000 bytes that the hub takes.
CREATE OR REPLACE FUNCTION push_internal.wrong_device_tags(tags text[], name text) RETURNS push.problem
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    bad text;
    place int;
    wrong text;
BEGIN
    IF array_ndims(tags) > 1 THEN
        wrong := ' are nested, a plain array is needed';
    ELSIF cardinality(tags) > 60 THEN
        wrong := format(' has %s tags, 60 are allowed on one device', cardinality(tags));
    ELSE
        SELECT u.n, u.tag INTO place, bad
          FROM unnest(tags) WITH ORDINALITY u(tag, n)
         WHERE (u.tag COLLATE "C" ~ E'^(?:[A-Za-z0-9_@#.:-]+|\\$(?:InstallationId|UserId):\\{[A-Za-z0-9_@#.:=-]+\\})$'
                AND octet_length(u.tag) <= 120) IS NOT TRUE
         ORDER BY u.n
         LIMIT 1;
        wrong := CASE
            WHEN place IS NULL THEN NULL
            WHEN bad IS NULL THEN format('[%s] is null', place)
            WHEN octet_length(bad) > 120 THEN format('[%s] has %s bytes, 120 are allowed', place, octet_length(bad))
            ELSE format('[%s] %s is not a tag', place, push_internal.quoted(bad, 100))
        END;
    END IF;
    RETURN CASE
        WHEN wrong IS NOT NULL
        THEN ROW (name, 'tags_are_tags', name || wrong,
                  'A tag has 1 to 120 of A-Z a-z 0-9 _ @ # . : -; a device has at most 60.')::push.problem
    END;
END $$;
COMMENT ON FUNCTION push_internal.wrong_device_tags IS
    'The problem of a device''s tags; null: none. name is the parameter''s.';

CREATE OR REPLACE FUNCTION push_internal.wrong_user(user_id text) RETURNS push.problem
LANGUAGE sql IMMUTABLE
RETURN CASE
    WHEN NOT (octet_length(user_id) <= 109 AND user_id COLLATE "C" ~ '^[A-Za-z0-9_@#.:=-]+$') THEN ROW (
        'user_id', 'user_id_fits_into_a_tag',
        format('user_id %s is not a user id', push_internal.quoted(user_id, 100)),
        'It has 1 to 109 of A-Z a-z 0-9 - _ @ # . : =, because the device gets the tag $UserId:{...}.')::push.problem
END;
COMMENT ON FUNCTION push_internal.wrong_user IS 'The problem of a user id; null: none.';
