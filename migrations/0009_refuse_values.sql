-- Fanfare, migration 9: Refusals of single values. The trigger of push.message calls these for values that are not in the usual form; a bad
-- value fails the backend's own statement with column, value, limit and a hint.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

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

CREATE FUNCTION push.refuse_locale(locale text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'locale', CONSTRAINT = 'locale_is_bcp_47',
        MESSAGE = format('push.message.locale %s is not a BCP 47 language tag of at most 35 characters', left(to_json(locale)::text, 100)),
        HINT = 'Write fr, fr-CA or zh-Hans (with -, not _); leave it out for a content without a language.';
END $$;
COMMENT ON FUNCTION push.refuse IS
    'True for a known format; otherwise raises, names the column and says which rule of it the value breaks.';
COMMENT ON FUNCTION push.refuse_target IS
    'True when exactly one of tag, handles and broadcast says who gets the message; otherwise raises.';
COMMENT ON FUNCTION push.refuse_keys IS 'True for keys of 1 to 200 characters; otherwise raises.';
COMMENT ON FUNCTION push.refuse_names IS
    'True when campaign, run and tenant are null or short enough; otherwise raises.';
COMMENT ON FUNCTION push.refuse_locale IS 'Raises for a locale that is not BCP 47.';

CREATE FUNCTION push.refuse_statement(problem text, hint text, col text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = col, MESSAGE = problem, HINT = hint;
END $$;
COMMENT ON FUNCTION push.refuse_statement IS 'Raises for rows that break a rule of their hub or of their statement.';

INSERT INTO push.migration (version, name) VALUES (9, 'refuse_values');
