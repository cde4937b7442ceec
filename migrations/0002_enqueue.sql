-- Fanfare, migration 2: the INSERT. What refuses a bad row, and what turns a good one into a pointer in push.due.
-- Bad values fail the backend's own statement with column, value, limit and a hint; they do not become failed pushes
-- an hour later.

SELECT pg_advisory_xact_lock(7310868735422034533);
SET LOCAL lock_timeout = '5s';

-- Refusals: called by the CHECKs of push.message only when the common good form did not match ------------------------

CREATE OR REPLACE FUNCTION push.refuse(col text, value text) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE shown text := left(to_json(value)::text, 60); name text; wrong text; hint text;
BEGIN
    IF col = 'format' AND value IN ('apple', 'fcmv1', 'windows', 'adm', 'baidu', 'browser', 'xiaomi') THEN RETURN true; END IF;
    SELECT r.name, r.wrong, r.hint INTO name, wrong, hint FROM (VALUES
        ('tag', 'exactly_one_of_tag_handles_and_broadcast', 'and broadcast: exactly one says whom the message is for',
            'Name a tag, or leave it out and set broadcast to reach every registration of the hub.'),
        ('format', 'format_is_known', shown || ' is not known', 'Known: template, apple, fcmv1, windows, adm, baidu, browser, xiaomi.'),
        ('send_at', 'send_at_is_a_date', shown || ' is not between 2000 and 2200', 'Leave it out to send now.'),
        ('expires_at', 'expires_at_is_after_send_at', shown || ' is not after send_at', 'Leave it out for send_at plus the hub''s expireAfterSeconds.'),
        ('priority', 'priority_is_0_urgent_1_normal_or_2_bulk', value || ' is not 0, 1 or 2', '0 is urgent, 1 normal, 2 bulk.'),
        ('on_doubt', 'on_doubt_is_hold_or_resend', shown || ' is neither hold nor resend',
            'hold: a person decides; resend: a device may get it twice; leave it out for the hub''s onDoubt.'),
        ('traceparent', 'traceparent_is_w3c', shown || ' is no W3C trace context', 'It looks like 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.'),
        ('meta', 'meta_has_at_most_8_kb', format('has %s bytes', octet_length(value)), 'At most 8,192 are allowed.')) r(col, name, wrong, hint)
     WHERE r.col = refuse.col;
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = col, CONSTRAINT = name,
        MESSAGE = format('push.message.%s %s', col, wrong), HINT = hint;
END $$;

CREATE OR REPLACE FUNCTION push.refuse_keys(content_key text, dedupe_key text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE wrong record;
BEGIN
    SELECT * INTO wrong FROM (VALUES ('content_key', content_key), ('dedupe_key', dedupe_key)) k(col, value) WHERE length(value) NOT BETWEEN 1 AND 200 LIMIT 1;
    IF NOT FOUND THEN RETURN true; END IF;
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = wrong.col, CONSTRAINT = 'keys_have_1_to_200_characters',
        MESSAGE = format('push.message.%s has %s characters', wrong.col, length(wrong.value)), HINT = 'A key has 1 to 200 characters.';
END $$;

CREATE OR REPLACE FUNCTION push.refuse_names(campaign text, run text, tenant text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE wrong record;
BEGIN
    SELECT * INTO wrong FROM (VALUES ('campaign', campaign), ('run', run), ('tenant', tenant)) n(col, value) WHERE length(value) > 200 LIMIT 1;
    IF NOT FOUND THEN RETURN true; END IF;
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = wrong.col, CONSTRAINT = 'names_have_at_most_200_characters',
        MESSAGE = format('push.message.%s has %s characters', wrong.col, length(wrong.value)), HINT = 'At most 200 are allowed.';
END $$;

CREATE OR REPLACE FUNCTION push.refuse_tag(tag text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
-- A tag expression: expr := and ("||" and)*; and := unary ("&&" unary)*; unary := "!" unary | "(" expr ")" | tag.
-- One pass is enough to know whether it is well formed: what may come next, and how deep we are. The rules are those of
-- TagExpression in PushModel, and a test compares the two.
DECLARE
    rest text := tag; token text; at int := 1; tags int := 0; only_or boolean := true; wants_tag boolean := true; wrong text;
    depths int[] := '{0}';    -- how deep the inside of each open parenthesis lies, the outermost first
    depth int := 0;           -- parentheses and ! around what comes next
BEGIN
    IF octet_length(tag) > 4096 THEN
        wrong := format('it has %s bytes, 4,096 are allowed', octet_length(tag));
    ELSIF btrim(tag, E' \t\r\n') = '' THEN
        wrong := 'it is empty; to reach everyone set broadcast';
    END IF;
    WHILE wrong IS NULL AND rest <> '' LOOP
        token := substring(rest COLLATE "C" FROM '^(?:[ \t\r\n]+|&&|\|\||[!()]|\$(?:InstallationId|UserId):\{[A-Za-z0-9_@#.:=-]+\}|[A-Za-z0-9_@#.:-]+)');
        IF token IS NULL THEN
            wrong := CASE
                WHEN rest ~ '^[[:cntrl:]]' THEN format('character %s is a control character', at)
                WHEN rest ~ '^["'']' THEN format('character %s is a quotation mark; tags are written without', at)
                WHEN rest ~ '^[&|]' THEN format('character %s is a single %s; the operators are && and ||', at, left(rest, 1))
                WHEN rest ~ '^\$' THEN format('character %s begins neither $InstallationId:{...} nor $UserId:{...}', at)
                ELSE format('character %s (%s) is not allowed in a tag', at, left(rest, 1)) END;
        ELSIF token ~ '^[ \t\r\n]' THEN
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

CREATE OR REPLACE FUNCTION push.refuse_locale(locale text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'locale', CONSTRAINT = 'locale_is_bcp_47',
        MESSAGE = format('push.message.locale %s is not a BCP 47 language tag of at most 35 characters', left(to_json(locale)::text, 100)),
        HINT = 'Write fr, fr-CA or zh-Hans (with -, not _); leave it out for a content without a language.';
END $$;

CREATE OR REPLACE FUNCTION push.refuse_content(format text, content text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE wrong text; pair record;
BEGIN
    IF octet_length(content) > 65536 THEN
        wrong := format('has %s bytes, 65,536 are allowed in one request', octet_length(content));
    ELSIF format <> 'template' THEN
        RETURN true;
    ELSIF json_typeof(content::json) <> 'object' THEN
        wrong := format('is a JSON %s, not an object of template properties', json_typeof(content::json));
    ELSE
        BEGIN
        FOR pair IN SELECT key, json_typeof(value) AS kind FROM json_each(content::json) LOOP
            IF pair.key !~ '^[A-Za-z0-9_]+$' THEN
                wrong := format('has the property %s; a name has only A-Z a-z 0-9 _', left(to_json(pair.key)::text, 60));
            ELSIF pair.kind <> 'string' THEN
                wrong := format('has a %s as value of %s; template properties are strings', pair.kind, left(to_json(pair.key)::text, 60));
            END IF;
            EXIT WHEN wrong IS NOT NULL;
        END LOOP;
        EXCEPTION WHEN untranslatable_character THEN      -- PostgreSQL cannot read NUL out of the JSON
            wrong := 'has a property whose name holds the character NUL';
        END;
    END IF;
    IF wrong IS NULL THEN RETURN true; END IF;
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'content', CONSTRAINT = 'content_fits_its_format',
        MESSAGE = format('push.message.content %s', wrong),
        HINT = 'A template message is one flat JSON object of strings, such as {"title": "...", "badge": "3"}.';
END $$;

CREATE OR REPLACE FUNCTION push.refuse_headers(headers json) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE wrong text; pair record;
BEGIN
    IF json_typeof(headers) <> 'object' THEN
        wrong := format('is a JSON %s, not an object', json_typeof(headers));
    ELSIF octet_length(headers::text) > 4096 THEN
        wrong := format('has %s bytes, 4,096 are allowed', octet_length(headers::text));
    ELSIF headers::text ~ '\\u0000' THEN          -- PostgreSQL cannot read it out of the JSON
        wrong := 'holds the character NUL';
    ELSIF EXISTS (SELECT FROM json_object_keys(headers) k GROUP BY lower(k) HAVING count(*) > 1) THEN
        wrong := 'has a name twice (case does not count)';
    ELSE
        FOR pair IN SELECT key, json_typeof(value) AS kind, headers ->> key AS value FROM json_each(headers) LOOP
            IF pair.key !~* '^(apns-[a-z-]+|X-WNS-[a-z-]+|X-WindowsPhone-Target|X-NotificationClass|ServiceBusNotification-Apns-Expiry)$' THEN
                wrong := format('names %s, which is not a header a message may set', left(to_json(pair.key)::text, 60));
            ELSIF pair.kind <> 'string' THEN
                wrong := format('has a %s as value of %s; header values are strings', pair.kind, pair.key);
            ELSIF pair.value COLLATE "C" !~ '^[ -~]+$' OR length(pair.value) > 1024 THEN
                wrong := format('has a value of %s that is empty, longer than 1,024 or holds a character outside printable ASCII', pair.key);
            END IF;
            EXIT WHEN wrong IS NOT NULL;
        END LOOP;
    END IF;
    IF wrong IS NULL THEN RETURN true; END IF;
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'headers', CONSTRAINT = 'headers_are_allowed',
        MESSAGE = format('push.message.headers %s', wrong),
        HINT = 'Allowed: apns-*, X-WNS-*, X-WindowsPhone-Target, X-NotificationClass, ServiceBusNotification-Apns-Expiry.';
END $$;

COMMENT ON FUNCTION push.refuse IS 'True for a known format; otherwise raises for a value that breaks a rule of its column and says which.';
COMMENT ON FUNCTION push.refuse_keys IS 'True for keys of a good length; otherwise raises.';
COMMENT ON FUNCTION push.refuse_names IS 'True when there is no name or all are short enough; otherwise raises.';
COMMENT ON FUNCTION push.refuse_tag IS 'True for a good tag expression; otherwise raises and says what is wrong where.';
COMMENT ON FUNCTION push.refuse_locale IS 'Raises for a locale that is not BCP 47.';
COMMENT ON FUNCTION push.refuse_content IS 'True for a content its format can carry; otherwise raises and says why not.';
COMMENT ON FUNCTION push.refuse_headers IS 'True for headers of the allowed list; otherwise raises and says which is not.';

-- The trigger: one statement's rows become pointers ------------------------------------------------------------------

CREATE FUNCTION push.refuse_statement(problem text, hint text, col text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = col, MESSAGE = problem, HINT = hint;
END $$;
COMMENT ON FUNCTION push.refuse_statement IS 'Raises for rows that break a rule of their hub or of their statement.';

CREATE FUNCTION push.enqueued() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rows bigint; localised bigint; put bigint; wrong record;
    at timestamptz := clock_timestamp();      -- once: two rows must not fall on different sides of it
BEGIN
    -- The common statement, in two passes: nothing is translated, and every row finds its pointer. What does not is
    -- looked at below, where it costs nobody else anything.
    SELECT count(*), count(f.locale) INTO rows, localised FROM fresh f;
    IF localised > 0 THEN                     -- a hub localised by tags posts every row on its own
        SELECT count(*) INTO localised FROM fresh f JOIN push.hub h ON h.name = f.hub WHERE f.locale IS NOT NULL AND h.localization = 'properties';
    END IF;
    IF localised = 0 THEN
        INSERT INTO push.due (due_at, id, hub, priority)
        SELECT f.send_at, f.id, h.id, f.priority FROM fresh f JOIN push.hub h ON h.name = f.hub AND (h.allow_broadcast OR NOT f.broadcast)
         WHERE f.content_key IS NULL AND f.dedupe_key IS NULL AND f.handles IS NULL AND f.format = 'template';
        GET DIAGNOSTICS put = ROW_COUNT;
        IF put = rows THEN RETURN NULL; END IF;
    END IF;

    SELECT f.hub, (SELECT string_agg(name, ', ' ORDER BY name) FROM push.hub) AS known INTO wrong
      FROM fresh f WHERE NOT EXISTS (SELECT FROM push.hub h WHERE h.name = f.hub) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'foreign_key_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'hub', CONSTRAINT = 'hub_is_registered',
            MESSAGE = format('push.message.hub %s is not registered', left(to_json(wrong.hub)::text, 100)),
            HINT = coalesce('Registered: ' || wrong.known || '.', 'No hub is registered yet.') || ' Add it to the configuration and run: fanfare migrate up';
    END IF;
    SELECT f.hub INTO wrong FROM fresh f JOIN push.hub h ON h.name = f.hub WHERE f.broadcast AND NOT h.allow_broadcast LIMIT 1;
    IF FOUND THEN
        PERFORM push.refuse_statement(format('push.message.broadcast: hub "%s" does not allow messages to everyone', wrong.hub),
            'Name a tag, or set allowBroadcast for the hub in the configuration and run: fanfare migrate up', 'broadcast');
    END IF;
    SELECT CASE WHEN f.content_key IS NOT NULL THEN 'content_key' WHEN f.dedupe_key IS NOT NULL THEN 'dedupe_key'
                WHEN f.handles IS NOT NULL THEN 'handles' ELSE 'format' END AS col INTO wrong
      FROM fresh f WHERE f.content_key IS NOT NULL OR f.dedupe_key IS NOT NULL OR f.handles IS NOT NULL OR f.format <> 'template' LIMIT 1;
    IF FOUND THEN
        PERFORM push.refuse_statement(
            format('push.message.%s: content_key, dedupe_key, handles and native formats are part of the contract but not served by this version', wrong.col),
            'Leave them out, or upgrade Fanfare and run: fanfare migrate up', wrong.col);
    END IF;
    IF localised = 0 THEN                     -- some pointers are missing and nothing is wrong any more
        RAISE EXCEPTION USING ERRCODE = 'serialization_failure', MESSAGE = 'push.message: a hub was changed while rows for it were enqueued', HINT = 'Enqueue them again.';
    END IF;

    -- Translations. Rows of this statement with the same hub, target and send options, at least one of them with a
    -- locale, are one content: one pointer, one post. Rows that are due already count as one time, because the
    -- default of send_at differs from row to row by microseconds.
    SELECT f.id, f.hub, f.locale, h.languages INTO wrong FROM fresh f JOIN push.hub h ON h.name = f.hub
     WHERE h.localization = 'properties' AND f.locale IS NOT NULL
       AND NOT EXISTS (SELECT FROM unnest(h.languages) l WHERE lower(f.locale) = lower(l) OR lower(f.locale) LIKE lower(l) || '-%') LIMIT 1;
    IF FOUND THEN
        PERFORM push.refuse_statement(format('push.message.locale "%s": hub "%s" has no language for it', wrong.locale, wrong.hub),
            CASE WHEN wrong.languages = '{}' THEN format('The hub has no languages: set hubs.%s.languages, or leave locale out.', wrong.hub)
                 ELSE format('It has %s. Add one to hubs.%s.languages and run: fanfare migrate up', array_to_string(wrong.languages, ', '), wrong.hub) END, 'locale');
    END IF;
    INSERT INTO push.translation (id, lead)
    SELECT g.id, g.lead FROM (
        SELECT f.id, min(f.id) OVER same AS lead, count(f.locale) OVER same AS localised, count(*) OVER same AS n
          FROM fresh f JOIN push.hub h ON h.name = f.hub
         WHERE h.localization = 'properties'
        WINDOW same AS (PARTITION BY f.hub, f.tag, f.broadcast, f.priority, f.expires_at, f.on_doubt, f.pack, f.campaign, f.run, f.tenant,
                                     f.format, f.headers::text, CASE WHEN f.send_at > at THEN f.send_at END)) g
     WHERE g.localised > 0 AND g.n > 1;

    SELECT min(f.hub) AS hub, coalesce(min(f.tag), 'everyone') AS tag, h.fallback, h.languages,
           count(f.locale) > count(DISTINCT lower(f.locale)) OR count(*) - count(f.locale) > 1 AS twice
      INTO wrong
      FROM fresh f JOIN push.hub h ON h.name = f.hub
           LEFT JOIN LATERAL (SELECT lead FROM push.translation t WHERE t.id = f.id OFFSET 0) t ON true
     WHERE h.localization = 'properties'
     GROUP BY coalesce(t.lead, f.id), h.id, h.fallback, h.languages
    HAVING count(f.locale) > 0 AND (
           count(f.locale) > count(DISTINCT lower(f.locale)) OR count(*) - count(f.locale) > 1
        OR bool_and(f.locale IS NOT NULL)
           AND NOT coalesce(bool_or(lower(f.locale) = lower(h.fallback) OR lower(f.locale) LIKE lower(h.fallback) || '-%'), false)
           AND EXISTS (SELECT FROM unnest(h.languages) l
                        WHERE NOT lower(l) = ANY (array_agg(lower(f.locale))) AND NOT split_part(lower(l), '-', 1) = ANY (array_agg(lower(f.locale)))))
     LIMIT 1;
    IF wrong.twice THEN
        PERFORM push.refuse_statement(
            format('push.message.locale: one statement has the same locale twice for tag "%s" of hub "%s", so it cannot be known which translations belong together', wrong.tag, wrong.hub),
            'Enqueue each content with a statement of its own.', 'locale');
    ELSIF wrong.hub IS NOT NULL THEN
        PERFORM push.refuse_statement(
            format('push.message.locale: the content for tag "%s" of hub "%s" has %s, so devices in other languages would show an empty alert', wrong.tag, wrong.hub,
                   CASE WHEN wrong.fallback IS NULL THEN 'neither every language of the hub nor a row without locale' ELSE format('neither the fallback language "%s" nor a row without locale', wrong.fallback) END),
            'Put the missing row into the same INSERT.', 'locale');
    END IF;

    INSERT INTO push.due (due_at, id, hub, priority, translations)
    SELECT f.send_at, f.id, h.id, f.priority, t.lead IS NOT NULL
      FROM fresh f JOIN push.hub h ON h.name = f.hub
           LEFT JOIN LATERAL (SELECT lead FROM push.translation t WHERE t.id = f.id OFFSET 0) t ON true
     WHERE t.lead IS NULL OR t.lead = f.id;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push.enqueued IS 'Trigger: turns the rows of one INSERT or COPY into pointers in push.due, and refuses what their hub would not take.';
CREATE TRIGGER enqueued AFTER INSERT ON push.message REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION push.enqueued();
COMMENT ON TRIGGER enqueued ON push.message IS 'Statement level: ten thousand rows in one INSERT cost one call.';

CREATE FUNCTION push.never_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'feature_not_supported', MESSAGE = 'push.message is never updated',
        HINT = 'Cancel the message with SELECT push.cancel(id) and enqueue another.';
END $$;
COMMENT ON FUNCTION push.never_changed IS 'Trigger: an UPDATE of push.message would change nothing that is sent.';
CREATE TRIGGER never_changed BEFORE UPDATE ON push.message FOR EACH STATEMENT EXECUTE FUNCTION push.never_changed();
COMMENT ON TRIGGER never_changed ON push.message IS 'Refuses UPDATE with a hint.';

CREATE FUNCTION push.enqueue(
    hub text, tag text, content json, locale text DEFAULT NULL, broadcast boolean DEFAULT false, send_at timestamptz DEFAULT NULL,
    expires_at timestamptz DEFAULT NULL, priority smallint DEFAULT 1::smallint, on_doubt text DEFAULT NULL, pack boolean DEFAULT true,
    headers json DEFAULT NULL, campaign text DEFAULT NULL, run text DEFAULT NULL, tenant text DEFAULT NULL, traceparent text DEFAULT NULL,
    meta json DEFAULT NULL, OUT id bigint, OUT inserted boolean)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO push.message (hub, tag, content, locale, broadcast, send_at, expires_at, priority, on_doubt, pack, headers, campaign, run, tenant, traceparent, meta)
    VALUES ($1, $2, $3, $4, $5, coalesce($6, clock_timestamp()), $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
    RETURNING message.id, true
$$;
COMMENT ON FUNCTION push.enqueue IS 'Enqueues one message; the same as an INSERT into push.message, inside the caller''s transaction. Returns its id.';
REVOKE ALL ON FUNCTION push.enqueue FROM PUBLIC;

INSERT INTO push.migration (version, name) VALUES (2, 'enqueue');
