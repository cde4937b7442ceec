-- Fanfare, migration 14: The INSERT: the trigger that turns the rows of one statement into pointers in push.due.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

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

INSERT INTO push.migration (version, name) VALUES (14, 'enqueue');
