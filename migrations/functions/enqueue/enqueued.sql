-- The INSERT: the trigger that turns the rows of one statement into pointers in push.due.

CREATE OR REPLACE FUNCTION push_internal.is_plain_row(
    given int, broadcast boolean, tag text, send_at timestamptz, expires_at timestamptz, priority smallint, campaign text,
    run text, tenant text)
RETURNS boolean
LANGUAGE sql STABLE
RETURN given = 0
       AND NOT broadcast
       AND push_internal.is_plain_tag(tag)
       AND push_internal.is_usual_time(send_at, expires_at)
       AND priority IN (0, 1, 2)
       AND (num_nonnulls(campaign, run, tenant) = 0
            OR (push_internal.is_name(campaign) AND push_internal.is_name(run) AND push_internal.is_name(tenant)) IS NOT FALSE);
COMMENT ON FUNCTION push_internal.is_plain_row IS
    'Whether nothing but the content of a row has to be looked at. given: how many of its rarer columns have a value. Inlined.';

CREATE OR REPLACE FUNCTION push_internal.enqueued() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_unusual boolean;
    unknown_hub text;             -- a hub that is not registered
    first bigint;                 -- the first row that names one
    has_kinds boolean;            -- a row is for a hub whose kind has rules of its own: push_internal.wrong_for_kind
    wrong record;                 -- a problem, and the message that has it
    place text;                   -- which row that is
    rows bigint;
    localised bigint;             -- rows whose locale makes them translations
    special bigint;               -- rows with a content_key or a dedupe_key
    waiting bigint;               -- rows that wait for a message or a device
    odd bigint;                   -- rows that push_internal.warning_about should look at
    is_simple boolean;            -- no row has a locale or a content_key
    put bigint;
    entries int[];                -- of each row of push.enqueue_many, its object; negative: one without translations
    at timestamptz;               -- taken once: two rows must not fall on different sides of it
BEGIN
    -- 1. The common case, in two statements: every row is plain and gets its pointer. An INSERT of one row pays for
    -- both, and every expression in them counts: the executor is set up once per statement. So the
    -- pointer gets all columns in their order (else its plan has a node more).
    -- push_internal.repeats_name costs as much as a third of a row, so it looks only at the last three: a program that repeats a
    -- name does so in every row, and people write few rows. The sequence knows the last id; max(id) makes an
    -- INSERT of one row 4 % dearer, and currval fails for an owner who writes ids of his own.
    SELECT true INTO is_unusual
      FROM fresh f
     WHERE (f.format = 'template'
            AND push_internal.is_plain_row(
                    num_nonnulls(f.handles, f.locale, f.content_key, f.headers, f.dedupe_key, f.on_doubt, f.traceparent,
                                 f.meta, f.after, f.after_device, f.after_at_most, f.stream),
                    f.broadcast, f.tag, f.send_at, f.expires_at, f.priority, f.campaign, f.run, f.tenant)
            AND push_internal.is_usual_content(f.content)
            AND (f.id <= (SELECT pg_sequence_last_value('push.message_id_seq')) - 3
                 OR NOT push_internal.repeats_name(f.content))) IS NOT TRUE
     LIMIT 1;                                  -- plpgsql.extra_errors refuses a second row
    IF is_unusual THEN                         -- apart, because plain rows would pay for it as well
        -- Native payloads, as most people write them. One in which a name stands twice is not usual.
        SELECT true INTO is_unusual
          FROM fresh f
         WHERE (f.format <> 'template'
                AND push_internal.is_plain_row(
                        num_nonnulls(f.handles, f.locale, f.content_key, f.headers, f.dedupe_key, f.on_doubt, f.traceparent,
                                     f.meta, f.after, f.after_device, f.after_at_most, f.stream),
                        f.broadcast, f.tag, f.send_at, f.expires_at, f.priority, f.campaign, f.run, f.tenant)
                AND push_internal.is_usual_payload(f.format, f.content, NULL)) IS NOT TRUE
         LIMIT 1;
    END IF;
    IF is_unusual IS NULL THEN
        -- No join: a hash join could reorder the pointers, and messages leave in the order of their pointers. A raise
        -- from here would show the statement, so push_internal.unknown_hub only takes a note. It takes one as well of a row
        -- for a hub whose kind has rules of its own.
        INSERT INTO push.due (due_at, id, hub, priority, attempt, kind, resent)
        SELECT f.send_at, f.id,
               coalesce((SELECT h.id
                           FROM push.hub h
                          WHERE h.name = f.hub
                            AND h.is_usual),
                        push_internal.unknown_hub(f.hub)),
               f.priority, 0::smallint, 'p'::"char", false
          FROM fresh f;
        IF (current_setting('push.unknown_hub', true) <> '') IS NOT TRUE THEN
            RETURN NULL;
        END IF;
    ELSIF EXISTS (SELECT FROM fresh f WHERE f.stream IS NOT NULL) THEN
        RETURN NULL;                          -- push_worker.expand_v1 has checked them, and writes their pointers itself
    END IF;
    SELECT min(f.id) FILTER (WHERE h.id IS NULL), bool_or(NOT h.takes_templates) INTO first, has_kinds
      FROM fresh f
           LEFT JOIN push.hub h ON h.name = f.hub AND h.removed_at IS NULL;
    entries := string_to_array(nullif(current_setting('push.entries', true), ''), ',');
    IF first IS NOT NULL THEN
        SELECT f.hub, push_internal.row_name(f.tag, f.locale, c.n, c.total, entries[c.n]) INTO unknown_hub, place
          FROM fresh f,
               LATERAL (SELECT count(*) FILTER (WHERE o.id <= f.id) AS n, count(*) AS total FROM fresh o) c
         WHERE f.id = first;
        put := push_internal.refuse_hub(unknown_hub, place || 'push.message.hub');
    ELSIF is_unusual IS NULL THEN
        IF has_kinds IS NOT TRUE THEN
            RETURN NULL;                      -- the backend itself has set push_internal.unknown_hub
        ELSIF NOT EXISTS (
            SELECT FROM fresh f WHERE push_internal.wrong_for_kind(f.hub, f.format, f.tag, NULL, false, NULL, NULL) IS NOT NULL) THEN
            WITH taken AS (
                DELETE FROM push.due d
                 USING fresh f
                 WHERE (d.hub, d.priority, d.due_at, d.id) = (0, f.priority, f.send_at, f.id)
                RETURNING f.id, f.hub, f.priority, f.send_at
            )
            INSERT INTO push.due (due_at, id, hub, priority)
            SELECT t.send_at, t.id, h.id, t.priority
              FROM taken t
                   JOIN push.hub h ON h.name = t.hub
             ORDER BY t.id;
            RETURN NULL;
        END IF;
    END IF;

    <<rules>>
    BEGIN
        IF has_kinds THEN                     -- apart, because rows for Notification Hubs would pay for it as well
            SELECT w.problem, w.id INTO wrong
              FROM (SELECT f.id, CASE
                               WHEN push_internal.has_own_rules(f.hub)
                               THEN push_internal.wrong_for_kind(f.hub, f.format, f.tag, f.handles, f.broadcast, f.locale, f.headers)
                               ELSE push_internal.wrong_tag(f.tag)
                           END AS problem
                      FROM fresh f
                    OFFSET 0) w
             WHERE w.problem IS NOT NULL
             ORDER BY w.id
             LIMIT 1;
            EXIT rules WHEN FOUND;
        END IF;

        -- 2. The rules of the values, in the order in which they are reported.
        SELECT w.problem, w.id INTO wrong
          FROM (SELECT f.id, coalesce(
                           push_internal.wrong_content(f.format, f.content, f.headers, f.handles IS NOT NULL),
                           push_internal.wrong_target(f.format, f.tag, f.handles, f.broadcast, f.headers),
                           CASE WHEN has_kinds IS NOT TRUE THEN push_internal.wrong_tag(f.tag) END,
                           push_internal.wrong_locale(f.locale),
                           push_internal.wrong_time(f.send_at, f.expires_at),
                           push_internal.wrong_options(f.priority, f.on_doubt, f.traceparent, f.meta),
                           push_internal.wrong_names(f.content_key, f.dedupe_key, f.campaign, f.run, f.tenant),
                           CASE
                               WHEN num_nonnulls(f.after, f.after_device, f.after_at_most) > 0
                               THEN push_internal.wrong_wait(f.id, f.hub, f.after, f.after_device, f.after_at_most, f.content_key)
                           END) AS problem
                  FROM fresh f
                OFFSET 0) w
         WHERE w.problem IS NOT NULL
         LIMIT 1;
        EXIT rules WHEN FOUND;

        -- 3. The rules of the hub. Without translations and keys, every row gets its own pointer.
        SELECT count(*), count(f.locale), count(coalesce(f.content_key, f.dedupe_key)),
               count(*) FILTER (WHERE num_nonnulls(f.after, f.after_device) > 0),
               count(coalesce(f.locale, f.content_key)) = 0,
               count(*) FILTER (WHERE length(f.content::text) < 8
                                   OR NOT push_internal.is_usual_time(f.send_at, f.expires_at)
                                   OR CASE
                                          WHEN f.id <= (SELECT pg_sequence_last_value('push.message_id_seq')) - 3
                                          THEN NULL
                                          WHEN push_internal.odd_expression(f.tag) IS NOT NULL THEN true
                                          WHEN f.format = 'template' THEN push_internal.repeats_name(f.content)
                                          ELSE push_internal.odd_payload(f.format, f.content) IS NOT NULL
                                      END)
          INTO rows, localised, special, waiting, is_simple, odd
          FROM fresh f;
        IF odd > 0 THEN
            PERFORM push_internal.raise_warnings(array_agg(o.oddity), array_agg(f.tag), array_agg(f.number))
               FROM (SELECT f.*, row_number() OVER (ORDER BY f.id) AS number FROM fresh f) f
                    JOIN push.hub h ON h.name = f.hub,
                    push_internal.warning_about(f.content, f.format, f.tag, coalesce(f.expires_at, f.send_at + h.expire_after),
                                f.id > (SELECT pg_sequence_last_value('push.message_id_seq')) - 3) o(oddity)
              WHERE o.oddity IS NOT NULL;
        END IF;
        IF localised > 0 THEN                 -- a hub localised by tags posts each row alone; an expression gets one more tag
            SELECT count(*) INTO localised
              FROM fresh f
                   JOIN push.hub h ON h.name = f.hub
             WHERE f.locale IS NOT NULL
               AND h.takes_templates           -- elsewhere push_internal.wrong_for_kind has looked
               AND (h.localization = 'properties' OR NOT push_internal.is_plain_tag(f.tag));
        END IF;
        put := 0;
        IF localised = 0 AND special < rows THEN
            INSERT INTO push.due (due_at, id, hub, priority)
            SELECT push_internal.first_due_at(f.send_at, f.created_at, f.after, f.after_device, f.after_at_most),
                   f.id, h.id, f.priority
              FROM fresh f,
                   LATERAL (
                       SELECT h.id
                         FROM push.hub h
                        WHERE h.name = f.hub
                          AND (h.allow_broadcast OR NOT f.broadcast)
                       OFFSET 0) h
             WHERE f.content_key IS NULL
               AND f.dedupe_key IS NULL;
            GET DIAGNOSTICS put = ROW_COUNT;
            IF put = rows THEN
                IF waiting > 0 THEN
                    PERFORM push_internal.begin_waits(
                                ARRAY(SELECT f.id FROM fresh f WHERE num_nonnulls(f.after, f.after_device) > 0));
                END IF;
                RETURN NULL;
            END IF;
        END IF;
        SELECT w.problem, w.id INTO wrong
          FROM (SELECT CASE
                           WHEN f.broadcast AND NOT h.allow_broadcast
                           THEN push_internal.wrong_for_hub(h, 'broadcast_is_allowed', 'broadcast', NULL)
                           WHEN h.localization = 'tags' AND NOT h.takes_templates
                           THEN NULL
                           WHEN h.localization = 'tags'
                           THEN push_internal.wrong_tag('(' || f.tag || ') && ' || push_internal.locale_tag(h.languages, f.locale))
                           WHEN f.format <> 'template' AND f.locale IS NOT NULL
                           THEN push_internal.wrong_for_hub(h, 'payload_is_in_one_language', 'locale', f.format)
                           WHEN f.format <> 'template' AND f.content_key IS NOT NULL
                           THEN push_internal.wrong_for_hub(h, 'payload_is_in_one_language', 'content_key', f.format)
                           WHEN f.locale IS NOT NULL AND f.locale <> ALL (h.languages)
                                AND push_internal.language_of(h.languages, f.locale) IS NULL
                           THEN push_internal.wrong_for_hub(h, 'locale_is_a_language_of_the_hub', 'locale', f.locale)
                       END AS problem, f.id
                  FROM fresh f
                       JOIN push.hub h ON h.name = f.hub
                OFFSET 0) w
         WHERE w.problem IS NOT NULL
         LIMIT 1;
        EXIT rules WHEN FOUND;
        IF localised = 0 AND special = 0 THEN -- some pointers are missing, but now nothing is wrong
            RAISE EXCEPTION USING
                ERRCODE = 'serialization_failure',
                MESSAGE = 'push.message: a hub was changed while rows for it were enqueued',
                HINT = 'Enqueue them again.';
        END IF;

        -- 4. Translations. Rows of this statement with the same hub, target and send options, at least one of them with
        -- a locale, are one content: one pointer, one post. All rows that are already due count as one time, because
        -- the default of send_at differs from row to row by microseconds. Rows with a content_key are joined by that
        -- key, and objects of push.enqueue_many with translations are contents of their own. A row that repeats both
        -- dedupe_key and locale belongs to no content.
        at := clock_timestamp();
        IF localised > 0 THEN
            WITH row AS MATERIALIZED (
                SELECT f.id, f.tag, f.locale, f.content, f.priority, f.dedupe_key, f.hub_id, f.number,
                       push_internal.first_due_at(f.send_at, f.created_at, f.after, f.after_device, f.after_at_most) AS due_at,
                       f.entry, f.localization = 'properties' AND count(f.locale) OVER same > 0 AS folds,
                       min(f.id) OVER same AS lead,
                       count(*) OVER same AS n
                  FROM (SELECT f.*, h.id AS hub_id, h.localization,
                               greatest(0, entries[f.number]) AS entry,
                               row_number() OVER (
                                   PARTITION BY h.id, f.dedupe_key, push_internal.key_tenant(h.keys_per_tenant, f.tenant),
                                                lower(f.locale)
                                   ORDER BY f.id) AS nth
                          FROM (SELECT f.*, row_number() OVER (ORDER BY f.id) AS number FROM fresh f) f
                               JOIN push.hub h ON h.name = f.hub) f
                 WHERE f.content_key IS NULL
                   AND (f.dedupe_key IS NULL OR f.nth = 1)
                WINDOW same AS (
                    PARTITION BY f.hub, f.tag, f.broadcast, f.priority, f.expires_at, f.on_doubt, f.pack, f.campaign,
                                 f.run, f.tenant, f.format, f.headers::text, f.dedupe_key, f.after, f.after_device,
                                 f.after_at_most, CASE WHEN f.send_at > at THEN f.send_at END, f.entry)
            ), together AS (
                INSERT INTO push.translation (id, lead)
                SELECT r.id, r.lead
                  FROM row r
                 WHERE r.folds
                   AND r.n > 1
            ), put AS (
                INSERT INTO push.due (due_at, id, hub, priority, kind)
                SELECT r.due_at, r.id, r.hub_id, r.priority,
                       CASE WHEN r.folds AND r.n > 1 THEN 't' ELSE 'p' END::"char"
                  FROM row r
                 WHERE r.dedupe_key IS NULL
                   AND (r.id = r.lead OR NOT r.folds)
            )
            SELECT w.problem, NULL::bigint AS id INTO wrong
              FROM (SELECT coalesce(
                               push_internal.wrong_translations(
                                   h, min(r.tag), array_agg(r.locale ORDER BY r.id),
                                   CASE WHEN bool_or(r.entry > 0) THEN NULL ELSE array_agg(r.number ORDER BY r.id) END),
                               push_internal.wrong_fold(h, min(r.tag), array_agg(r.locale ORDER BY r.id),
                                               array_agg(r.content ORDER BY r.id))) AS problem
                      FROM row r
                           JOIN push.hub h ON h.id = r.hub_id
                     WHERE r.folds
                     GROUP BY h.id, r.lead
                    OFFSET 0) w
             WHERE w.problem IS NOT NULL
             LIMIT 1;
            EXIT rules WHEN FOUND;
        END IF;

        -- Rows with a content_key may get more translations later, so only what they say twice is refused here.
        IF localised > 1 AND special > 0 THEN
            SELECT w.problem, NULL::bigint AS id INTO wrong
              FROM (SELECT CASE
                               WHEN count(*) > 1 AND NOT array_agg(f.locale) <@ h.languages
                               THEN push_internal.repeated_language(
                                        h, min(f.tag), array_agg(f.locale ORDER BY f.id),
                                        CASE WHEN entries IS NULL THEN array_agg(f.number ORDER BY f.id) END)
                           END AS problem
                      FROM (SELECT f.*, row_number() OVER (ORDER BY f.id) AS number FROM fresh f) f
                           JOIN push.hub h ON h.name = f.hub
                     WHERE f.content_key IS NOT NULL
                       AND f.locale IS NOT NULL
                       AND h.localization = 'properties'
                     GROUP BY h.id, f.tag, f.content_key, f.priority, push_internal.key_tenant(h.keys_per_tenant, f.tenant)
                    OFFSET 0) w
             WHERE w.problem IS NOT NULL
             LIMIT 1;
            EXIT rules WHEN FOUND;
        END IF;

        -- 5. Rows with a key. The translations of a content share a dedupe_key, so its first message stands for it.
        IF special > 0 THEN
            SELECT w.problem, NULL::bigint AS id INTO wrong
              FROM (SELECT push_internal.enqueue_keys(
                               array_agg(u.id), array_agg(u.first), array_agg(u.hub_id), array_agg(u.priority),
                               array_agg(u.key_tenant), array_agg(coalesce(u.tag, '')), array_agg(u.locale),
                               array_agg(u.content_key), array_agg(u.dedupe_key), array_agg(u.due_at), at) AS problem
                      FROM (SELECT f.id, f.id AS first, h.id AS hub_id, f.priority, f.tag, f.locale, f.content_key,
                                   f.dedupe_key, push_internal.key_tenant(h.keys_per_tenant, f.tenant) AS key_tenant,
                                   push_internal.first_due_at(f.send_at, f.created_at, f.after, f.after_device, f.after_at_most) AS due_at
                              FROM fresh f
                                   JOIN push.hub h ON h.name = f.hub
                             WHERE f.dedupe_key IS NOT NULL
                               AND is_simple
                             UNION ALL
                            SELECT f.id,
                                   CASE
                                       WHEN f.dedupe_key IS NULL
                                            OR f.nth > 1 AND (f.content_key IS NULL OR f.localization = 'tags')
                                            OR f.content_key IS NULL AND count(f.locale) OVER same = 0
                                       THEN f.id
                                       ELSE min(f.id) OVER same
                                   END,
                                   f.hub_id, f.priority, f.tag, f.locale, f.content_key, f.dedupe_key, f.key_tenant,
                                   push_internal.first_due_at(f.send_at, f.created_at, f.after, f.after_device, f.after_at_most)
                              FROM (SELECT f.*, h.id AS hub_id, h.localization, k.tenant AS key_tenant,
                                           greatest(0, entries[row_number() OVER (ORDER BY f.id)]) AS entry,
                                           row_number() OVER (
                                               PARTITION BY h.id, f.dedupe_key, k.tenant, lower(f.locale), CASE
                                                   WHEN h.localization = 'tags'
                                                   THEN ROW (f.tag, f.broadcast, f.handles, f.priority, f.content_key,
                                                             f.format)
                                               END
                                               ORDER BY f.id) AS nth
                                      FROM fresh f
                                           JOIN push.hub h ON h.name = f.hub,
                                           LATERAL (SELECT push_internal.key_tenant(h.keys_per_tenant, f.tenant)) k(tenant)) f
                             WHERE num_nonnulls(f.content_key, f.dedupe_key) > 0
                               AND NOT is_simple
                            WINDOW same AS (
                                PARTITION BY f.hub, f.tag, f.broadcast, f.handles, f.priority, f.content_key,
                                             f.dedupe_key, f.format, f.key_tenant, CASE
                                    WHEN f.content_key IS NULL
                                    THEN ROW (f.expires_at, f.on_doubt, f.pack, f.campaign, f.run, f.tenant,
                                              f.headers::text, f.after, f.after_device, f.after_at_most,
                                              CASE WHEN f.send_at > at THEN f.send_at END, f.entry)
                                END)) u
                    OFFSET 0) w
             WHERE w.problem IS NOT NULL;
            EXIT rules WHEN FOUND;
        END IF;
        IF waiting > 0 THEN
            PERFORM push_internal.begin_waits(
                        ARRAY(SELECT f.id FROM fresh f WHERE num_nonnulls(f.after, f.after_device) > 0));
        END IF;
        RETURN NULL;
    END rules;
    SELECT push_internal.row_name(f.tag, f.locale, c.n, c.total, entries[c.n]) INTO place
      FROM fresh f,
           LATERAL (SELECT count(*) FILTER (WHERE o.id <= f.id) AS n, count(*) AS total FROM fresh o) c
     WHERE f.id = wrong.id;
    RAISE EXCEPTION USING
        ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = (wrong.problem).col,
        CONSTRAINT = (wrong.problem).rule, HINT = (wrong.problem).hint,
        MESSAGE = concat(place, (wrong.problem).message);
END $$;
COMMENT ON FUNCTION push_internal.enqueued IS
    'Trigger: turns the rows of one INSERT or COPY into pointers in push.due, and refuses what their hub would not '
    'take.';

CREATE OR REPLACE TRIGGER enqueued AFTER INSERT ON push.message REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION push_internal.enqueued();
COMMENT ON TRIGGER enqueued ON push.message IS
    'Statement level: ten thousand rows in one INSERT cost one call. A row that breaks a rule fails its statement '
    'with check_violation, and the constraint name of the error is the name of the rule, such as '
    'tag_is_a_tag_or_an_expression.';
