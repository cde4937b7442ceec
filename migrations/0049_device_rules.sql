-- Fanfare, migration 49: The rules of devices: handles, tags, users and templates.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

-- Each push.wrong_... returns what is wrong, or null: nothing. InstallationDocument in Providers has the same rules;
-- one list of cases tests both. No message holds a handle. Usual values are decided by SQL functions, which PostgreSQL
-- puts into the expression that calls them; only rare ones cost a call.
CREATE FUNCTION push.wrong_device(device text) RETURNS push.problem
LANGUAGE sql IMMUTABLE
RETURN CASE
    WHEN octet_length(device) BETWEEN 1 AND 200
         AND device NOT IN ('.', '..')
         AND device COLLATE "C" !~ E'[\\u0001-\\u001f\\u007f-\\u009f]' THEN NULL
    ELSE ROW (
        'device', 'device_is_an_installation_id',
        format('device %s is not an installation id', coalesce(left(to_json(device)::text, 100), 'NULL')),
        'The id that the app or the backend gives to one installation of the app: 1 to 200 bytes without control '
        'characters, such as a UUID.')::push.problem
END;
COMMENT ON FUNCTION push.wrong_device IS 'The problem of the id of a device; null: none.';

CREATE FUNCTION push.device_platform(platform text) RETURNS text
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
COMMENT ON FUNCTION push.device_platform IS
    'A platform in the spelling of Notification Hubs, which ignores case; null: there is no such platform.';

CREATE FUNCTION push.is_usual_handle(platform text, handle text) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN octet_length(handle) <= 4096
       AND platform <> 'browser'
       AND handle COLLATE "C" ~ '^[!-~]+$'
       AND (platform <> 'apns' OR handle COLLATE "C" ~ '^([0-9A-Fa-f]{2})+$');
COMMENT ON FUNCTION push.is_usual_handle IS 'Whether it is certainly a handle of this platform.';

CREATE FUNCTION push.wrong_handle(platform text, handle text) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_browser constant boolean := coalesce(platform = 'browser', handle COLLATE "C" ~ E'^\\s*\\{');
    parts json;
    wrong text;
    hint text := 'It is what Apple, Google or another push service gave to the app.';
BEGIN
    IF handle IS NULL OR handle = '' THEN
        wrong := 'is empty';
    ELSIF octet_length(handle) > 4096 THEN
        wrong := format('has %s bytes, 4,096 are allowed', octet_length(handle));
    ELSIF is_browser THEN
        hint := 'It is the JSON text of an object with endpoint, p256dh and auth, from PushSubscription.toJSON().';
        IF push.wrong_json(handle) IS NOT NULL THEN
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
    ELSIF handle COLLATE "C" !~ '^[!-~]+$' THEN
        wrong := 'holds a blank or a character outside printable ASCII';
    ELSIF platform = 'apns' AND handle COLLATE "C" !~ '^([0-9A-Fa-f]{2})+$' THEN
        wrong := 'of apns is not an even number of hexadecimal digits';
    END IF;
    RETURN CASE
        WHEN wrong IS NOT NULL THEN ROW ('handle', 'handle_fits_its_platform', 'handle ' || wrong, hint)::push.problem
    END;
END $$;
COMMENT ON FUNCTION push.wrong_handle IS
    'The problem of a handle; null: none. A null platform is not known: then a handle that begins as an object is that '
    'of a browser, and of others only length and characters count.';

-- What all tags are together has the characters of each, and is as long as the longest at least.
CREATE FUNCTION push.is_usual_tags(tags text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN tags IS NULL
       OR cardinality(tags) = 0
       OR cardinality(tags) <= 60
          AND array_ndims(tags) = 1
          AND '' <> ALL (tags)
          AND octet_length(array_to_string(tags, '')) <= 120
          AND array_to_string(tags, '') COLLATE "C" ~ '^[A-Za-z0-9_@#.:-]+$';
COMMENT ON FUNCTION push.is_usual_tags IS
    'Whether these are certainly tags of a device: short and plain ones, or none.';

-- 60 tags of 120 characters are 7,259 bytes with their commas, so they also keep the 8,000 bytes that the hub takes.
CREATE FUNCTION push.wrong_device_tags(tags text[], name text) RETURNS push.problem
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
            ELSE format('[%s] %s is not a tag', place, left(to_json(bad)::text, 100))
        END;
    END IF;
    RETURN CASE
        WHEN wrong IS NOT NULL
        THEN ROW (name, 'tags_are_tags', name || wrong,
                  'A tag has 1 to 120 of A-Z a-z 0-9 _ @ # . : -; a device has at most 60.')::push.problem
    END;
END $$;
COMMENT ON FUNCTION push.wrong_device_tags IS 'The problem of a device''s tags; null: none. name is the parameter''s.';

CREATE FUNCTION push.wrong_user(user_id text) RETURNS push.problem
LANGUAGE sql IMMUTABLE
RETURN CASE
    WHEN NOT (octet_length(user_id) <= 109 AND user_id COLLATE "C" ~ '^[A-Za-z0-9_@#.:=-]+$') THEN ROW (
        'user_id', 'user_id_fits_into_a_tag',
        format('user_id %s is not a user id', left(to_json(user_id)::text, 100)),
        'It has 1 to 109 of A-Z a-z 0-9 - _ @ # . : =, because the device gets the tag $UserId:{...}.')::push.problem
END;
COMMENT ON FUNCTION push.wrong_user IS 'The problem of a user id; null: none.';

CREATE FUNCTION push.wrong_json(document text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    parsed json;
    brackets text;
BEGIN
    BEGIN
        parsed := document;
    EXCEPTION
        WHEN data_exception THEN
            RETURN 'is not JSON';
        WHEN statement_too_complex THEN
            RETURN 'is nested deeper than 64 levels';
    END;
    -- Rounds that each take the innermost brackets away; as many as JSONNode in PushModel reads.
    IF octet_length(document) - octet_length(translate(document, '[{', '')) > 64 THEN
        brackets := regexp_replace(document, E'"(?:[^"\\\\]|\\\\.)*"', '', 'g');
        brackets := translate(regexp_replace(brackets, '[^][{}]+', '', 'g'), '{}', '[]');
        FOR round IN 1..64 LOOP
            EXIT WHEN brackets = '';
            brackets := replace(brackets, '[]', '');
        END LOOP;
        IF brackets <> '' THEN
            RETURN 'is nested deeper than 64 levels';
        END IF;
    END IF;
    RETURN push.unreadable(parsed);
END $$;
COMMENT ON FUNCTION push.wrong_json IS 'Why a text is not JSON that phones and programs can read; null: it is.';

CREATE FUNCTION push.wrong_xml(document text) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE
        WHEN strpos(document, '<!DOCTYPE') > 0 THEN 'has a document type, which no push needs'
        WHEN NOT xml_is_well_formed_document(document) THEN 'is not XML'
    END;
EXCEPTION
    WHEN feature_not_supported THEN                     -- a server that was built without XML
        RETURN CASE WHEN document !~ E'^\\s*<.*>\\s*$' THEN 'is not XML' END;
END $$;
COMMENT ON FUNCTION push.wrong_xml IS 'Why a text is not XML that a push may hold; null: it is.';

CREATE FUNCTION push.wrong_member(name text, value json, platform text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kind constant text := json_typeof(value);
    body constant text := CASE WHEN name = 'body' AND kind = 'string' THEN value #>> '{}' END;
    tags text[];
BEGIN
    CASE name
        WHEN 'body' THEN
            IF body IS NULL OR body = '' THEN
                RETURN 'has no body, or one that is not a text';
            ELSIF coalesce(platform IN ('wns', 'mpns'), body ~ E'^\\s*<') THEN
                RETURN 'has a body that ' || push.wrong_xml(body);
            ELSE
                RETURN 'has a body that ' || push.wrong_json(body);
            END IF;
        WHEN 'headers' THEN
            IF kind NOT IN ('object', 'null') OR EXISTS (
                   SELECT
                     FROM json_each(CASE kind WHEN 'object' THEN value END) h
                    WHERE json_typeof(h.value) <> 'string') THEN
                RETURN 'has headers that are not an object of texts';
            END IF;
        WHEN 'expiry' THEN
            IF kind NOT IN ('string', 'null') THEN
                RETURN 'has an expiry that is not a text';
            END IF;
        WHEN 'tags' THEN
            IF kind NOT IN ('array', 'null') OR EXISTS (
                   SELECT
                     FROM json_array_elements(CASE kind WHEN 'array' THEN value END) t(tag)
                    WHERE json_typeof(t.tag) <> 'string') THEN
                RETURN 'has tags that are not a list of texts';
            END IF;
            tags := ARRAY(SELECT t.tag FROM json_array_elements_text(CASE kind WHEN 'array' THEN value END) t(tag));
            RETURN 'has ' || (push.wrong_device_tags(tags, 'tags')).message;
        ELSE
            RETURN format('has the unknown member %s; there are body, headers, tags and expiry',
                          left(to_json(name)::text, 60));
    END CASE;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push.wrong_member IS
    'What is wrong with one member of a template of a device; null: nothing. A null platform is not known: then a body '
    'that begins with < is XML. The document must be readable.';

CREATE FUNCTION push.wrong_template(template json, platform text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    member record;
    seen text[] := '{}';
    wrong text;
BEGIN
    IF json_typeof(template) <> 'object' THEN
        RETURN 'is not an object';
    END IF;
    FOR member IN SELECT m.key, m.value FROM json_each(template) m LOOP
        wrong := CASE
            WHEN member.key = ANY (seen) THEN format('has the member %s twice', left(to_json(member.key)::text, 60))
            ELSE push.wrong_member(member.key, member.value, platform)
        END;
        IF wrong IS NOT NULL THEN
            RETURN wrong;
        END IF;
        seen := seen || member.key;
    END LOOP;
    RETURN CASE WHEN 'body' <> ALL (seen) THEN 'has no body, or one that is not a text' END;
END $$;
COMMENT ON FUNCTION push.wrong_template IS
    'What is wrong with one template of a device; null: nothing. A null platform is not known. The document must be '
    'readable.';

CREATE FUNCTION push.wrong_templates(templates text, platform text, may_remove boolean) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rule constant text := 'templates_are_templates';
    hint text := E'Such as {"news": {"body": "{\\"aps\\": {\\"alert\\": \\"$(message)\\"}}"}}: names, each with its '
                 'body as a text.';
    document json;
    template record;
    seen text[] := '{}';
    wrong text;
BEGIN
    IF octet_length(templates) > 65536 THEN
        RETURN ('templates', rule, format('templates has %s bytes, 65,536 are allowed', octet_length(templates)),
                'A device needs one template for each kind of message.')::push.problem;
    END IF;
    wrong := push.wrong_json(templates);
    IF wrong IS NOT NULL THEN
        IF templates ~ E'^\\s*\\{[^"]*\\}\\s*$' THEN
            hint := hint || ' Tags have a name of their own: tags => ''{World}''.';
        END IF;
        RETURN ('templates', rule, 'templates ' || wrong, hint)::push.problem;
    END IF;
    document := templates;
    IF json_typeof(document) <> 'object' THEN
        RETURN ('templates', rule, format('templates is a JSON %s, not an object', json_typeof(document)),
                hint)::push.problem;
    END IF;
    FOR template IN SELECT t.key AS name, t.value FROM json_each(document) t LOOP
        wrong := CASE
            WHEN length(template.name) NOT BETWEEN 1 AND 200 THEN 'has a name that has not 1 to 200 characters'
            WHEN template.name = ANY (seen) THEN 'is there twice'
            WHEN may_remove AND json_typeof(template.value) = 'null' THEN NULL
            ELSE push.wrong_template(template.value, platform)
        END;
        IF wrong IS NOT NULL THEN
            RETURN ('templates', rule, format('template %s %s', left(to_json(template.name)::text, 100), wrong),
                    hint)::push.problem;
        END IF;
        seen := seen || template.name;
    END LOOP;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push.wrong_templates IS
    'The problem of the templates of a device, as JSON text; null: none. A null platform is not known. may_remove: a '
    'null template is allowed.';

CREATE FUNCTION push.wrong_put(
    device text, platform text, known_platform text, handle text, tags text[], user_id text, templates text)
RETURNS push.problem
LANGUAGE sql STABLE
RETURN coalesce(
    push.wrong_device(device),
    CASE
        WHEN known_platform IS NULL THEN ROW (
            'platform', 'platform_is_known',
            format('platform %s is not known', coalesce(left(to_json(platform)::text, 60), 'NULL')),
            'Known: apns, wns, mpns, adm, gcm, baidu, browser, fcmV1, xiaomi.')::push.problem
    END,
    CASE
        WHEN push.is_usual_handle(known_platform, handle) IS NOT TRUE THEN push.wrong_handle(known_platform, handle)
    END,
    CASE WHEN push.is_usual_tags(tags) IS NOT TRUE THEN push.wrong_device_tags(tags, 'tags') END,
    push.wrong_user(user_id),
    CASE WHEN templates IS NOT NULL THEN push.wrong_templates(templates, known_platform, false) END);
COMMENT ON FUNCTION push.wrong_put IS
    'The first problem of the arguments of push.put_device; null: none. known_platform: '
    'push.device_platform(platform).';

CREATE FUNCTION push.named_twice(add_tags text[], remove_tags text[]) RETURNS push.problem
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    twice constant text := (
        SELECT r.tag
          FROM unnest(remove_tags) r(tag)
         WHERE lower(r.tag COLLATE "C") IN (SELECT lower(a.tag COLLATE "C") FROM unnest(add_tags) a(tag))
         LIMIT 1);
BEGIN
    RETURN CASE
        WHEN twice IS NOT NULL THEN ROW (
            'remove_tags', 'a_tag_is_added_or_removed',
            format('remove_tags %s is in add_tags too', left(to_json(twice)::text, 100)),
            'Name a tag once.')::push.problem
    END;
END $$;
COMMENT ON FUNCTION push.named_twice IS 'The problem of a patch that adds and removes one tag; null: none.';

CREATE FUNCTION push.wrong_patch(
    device text, add_tags text[], remove_tags text[], handle text, user_id text, templates text)
RETURNS push.problem
LANGUAGE sql STABLE
RETURN coalesce(
    push.wrong_device(device),
    CASE WHEN push.is_usual_tags(add_tags) IS NOT TRUE THEN push.wrong_device_tags(add_tags, 'add_tags') END,
    CASE WHEN push.is_usual_tags(remove_tags) IS NOT TRUE THEN push.wrong_device_tags(remove_tags, 'remove_tags') END,
    CASE
        WHEN cardinality(add_tags) > 0 AND cardinality(remove_tags) > 0 THEN push.named_twice(add_tags, remove_tags)
    END,
    CASE WHEN handle IS NOT NULL THEN push.wrong_handle(NULL, handle) END,
    push.wrong_user(user_id),
    CASE WHEN templates IS NOT NULL THEN push.wrong_templates(templates, NULL, true) END,
    CASE
        WHEN coalesce(cardinality(add_tags), 0) + coalesce(cardinality(remove_tags), 0) = 0
             AND num_nonnulls(handle, user_id) = 0
             AND coalesce(templates ~ E'^\\s*\\{\\s*\\}\\s*$', true) THEN ROW (
            'add_tags', 'a_patch_changes_something',
            'push.patch_device changes nothing',
            'Give add_tags, remove_tags, handle, user_id or templates; what is null stays as it is.')::push.problem
    END);
COMMENT ON FUNCTION push.wrong_patch IS 'The first problem of the arguments of push.patch_device; null: none.';

INSERT INTO push.migration (version, name, works_from) VALUES (49, 'device_rules', 61);
