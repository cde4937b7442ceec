-- The recipients of a page of an audience, and what is wrong with one.

CREATE OR REPLACE FUNCTION push_internal.locales_of(content json) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(SELECT k.name FROM json_object_keys(content) k(name) WHERE k.name <> '' ORDER BY 1);
COMMENT ON FUNCTION push_internal.locales_of IS 'The languages of a run''s content.';

CREATE OR REPLACE FUNCTION push_internal.recipients(
    audience json, locales text[], behind text, n int, part text DEFAULT NULL, zone_known boolean DEFAULT true)
RETURNS SETOF push_internal.recipient
LANGUAGE plpgsql STABLE ROWS 10000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    list_name constant text := coalesce(audience ->> 'list', audience -> 'handles' ->> 'list');
    number int;
BEGIN
    IF part IS NOT NULL OR NOT zone_known THEN
        RETURN QUERY
        SELECT z.* FROM push_internal.recipients_of_zone(audience, locales, behind, n, part) z;
    ELSIF list_name IS NOT NULL THEN
        number := push_internal.list_of(audience);
        IF number IS NULL THEN
            RAISE EXCEPTION USING
                ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('the list %s was dropped', list_name),
                HINT = 'Load it again: fanfare campaign audience load.';
        END IF;
        RETURN QUERY
        SELECT m.key, m.tag, m.handle, m.locale, m.properties, NULL::timestamptz
          FROM push.list_member m
         WHERE m.list = number AND m.key > coalesce(behind, '')
         ORDER BY m.key
         LIMIT n;
    ELSIF audience -> 'view' IS NOT NULL THEN
        RETURN QUERY
        SELECT p.* FROM unnest(push_internal.audience_page(audience ->> 'view', false, NULL, behind, n)) p;
    ELSE
        RETURN QUERY
        SELECT concat_ws(' ', t.tag, l.name), t.tag, NULL::text, l.name, NULL::json, NULL::timestamptz
          FROM (SELECT t.tag FROM json_array_elements_text(audience -> 'tags') t(tag)
                 UNION
                SELECT audience ->> 'expression' WHERE audience -> 'expression' IS NOT NULL
                 UNION
                SELECT NULL WHERE audience -> 'broadcast' IS NOT NULL) t,
               unnest(CASE WHEN locales = '{}' THEN ARRAY[NULL]::text[] ELSE locales END) l(name)
         WHERE concat_ws(' ', t.tag, l.name) COLLATE "C" > coalesce(behind, '') OR behind IS NULL
         ORDER BY concat_ws(' ', t.tag, l.name) COLLATE "C"
         LIMIT n;
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.recipients IS
    'The next n recipients of an audience behind a key. locales: each tag comes once in each of them. A broadcast is '
    'a recipient with neither tag nor handle. part and zone_known: as in push.stream.';

CREATE OR REPLACE FUNCTION push_internal.wrong_properties(properties json) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT 'properties ' || CASE
               WHEN json_typeof(properties) NOT IN ('object', 'null')
               THEN format('is a JSON %s, not an object such as {"name": "Ada"}', json_typeof(properties))
               WHEN octet_length(properties::text) > 65536
               THEN format('has %s bytes, at most 65,536 are allowed', octet_length(properties::text))
               ELSE push_internal.json_fault(properties)
           END
$$;
COMMENT ON FUNCTION push_internal.wrong_properties IS
    'Why no text could be filled from these properties of a recipient; null: nothing. What a text finds in them, the '
    'planner says.';

CREATE OR REPLACE FUNCTION push_internal.problem_of_recipient(
    tag text, handle text, locale text, properties json, format text, headers json, broadcast boolean, hub text DEFAULT NULL)
RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    handles constant text[] := CASE WHEN handle IS NOT NULL THEN ARRAY[handle] END;
    has_kind constant boolean := hub IS NOT NULL;
    problem push.problem;
    unfit text;
BEGIN
    IF NOT broadcast AND num_nonnulls(tag, handle) <> 1 THEN
        RETURN ('audience', NULL,
                'the audience has ' || CASE WHEN tag IS NULL THEN 'neither a tag nor a handle' ELSE 'both tag and handle' END
                || ' for it; exactly one of them says how it is reached', NULL)::push.problem;
    END IF;
    -- Without the locale: here it chooses a text, and only a hub that localises by tags narrows a target to it, in the planner.
    problem := coalesce(
        CASE WHEN has_kind THEN push_internal.wrong_for_kind(hub, format, tag, handles, broadcast, NULL, headers) END,
        push_internal.wrong_target(format, tag, handles, broadcast, headers),
        CASE WHEN NOT has_kind THEN push_internal.wrong_tag(tag) END, push_internal.wrong_locale(locale));
    unfit := CASE WHEN problem IS NULL THEN push_internal.wrong_properties(properties) END;
    RETURN CASE WHEN unfit IS NULL THEN problem ELSE ('properties', NULL, unfit, NULL)::push.problem END;
END $$;
COMMENT ON FUNCTION push_internal.problem_of_recipient IS
    'Why a recipient of an audience cannot be reached; null: it can. hub: whose kind has rules of its own; null: it has none.';

CREATE OR REPLACE FUNCTION push_internal.wrong_recipient(
    tag text, handle text, locale text, properties json, format text, headers json, broadcast boolean, hub text DEFAULT NULL)
RETURNS text
LANGUAGE sql STABLE
RETURN replace((push_internal.problem_of_recipient(tag, handle, locale, properties, format, headers, broadcast, hub)).message,
               'push.message.', '');
COMMENT ON FUNCTION push_internal.wrong_recipient IS 'push_internal.problem_of_recipient, as the note of its result.';

CREATE OR REPLACE FUNCTION push_internal.why_not_recipient(
    tag text, handle text, locale text, properties json, format text, headers json, broadcast boolean, hub text DEFAULT NULL)
RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
               WHEN p.rule IN ('tag_is_a_tag_or_an_expression', 'tag_is_a_topic_or_a_condition', 'locale_is_bcp_47') THEN format('its %s is not one', p.col)
               ELSE regexp_replace(replace(p.message, 'push.message.', ''), 'has [0-9]+ bytes', 'has too many bytes')
           END
      FROM push_internal.problem_of_recipient(tag, handle, locale, properties, format, headers, broadcast, hub) p
$$;
COMMENT ON FUNCTION push_internal.why_not_recipient IS 'push_internal.problem_of_recipient, without a value of the recipient.';

CREATE OR REPLACE FUNCTION push_internal.is_usual_recipient(
    tag text, handle text, locale text, properties json, format text, has_kind boolean DEFAULT false) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN locale IS NULL
       AND (properties IS NULL
            OR octet_length(properties::text) <= 65536 AND properties::text COLLATE "C" ~ '^\s*\{'
               AND properties::text COLLATE "C" !~* E'\\\\u(0000|d[89a-f])')
       AND CASE
               WHEN has_kind AND (tag IS NOT NULL OR handle = 'fid:' OR octet_length(handle) > push_internal.least_handle_bytes()) THEN false
               WHEN handle IS NULL THEN push_internal.is_plain_tag(tag)
               WHEN tag IS NULL AND format <> 'template' THEN length(handle) >= 8 AND push_internal.is_usual_handle(push_internal.platform_of(format), handle)
           END;
COMMENT ON FUNCTION push_internal.is_usual_recipient IS
    'Whether a recipient can certainly be reached; false or null: push_internal.wrong_recipient decides. has_kind: the kind of '
    'the hub has rules of its own, which a spec keeps as far as its recipients do not break them.';

CREATE OR REPLACE FUNCTION push_internal.recipient_of(
    audience json, asked text, OUT is_known boolean, OUT locale text, OUT properties json)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    IF audience -> 'view' IS NOT NULL THEN
        SELECT r.locale, r.properties INTO recipient_of.locale, recipient_of.properties
          FROM push_internal.audience_recipient(audience ->> 'view', asked) r
         WHERE r.key IS NOT NULL;
    ELSE
        SELECT m.locale, m.properties INTO recipient_of.locale, recipient_of.properties
          FROM push.list_member m
         WHERE m.list = (SELECT l.id FROM push.list l WHERE l.name = coalesce(audience ->> 'list', audience -> 'handles' ->> 'list'))
           AND m.key = asked;
    END IF;
    is_known := FOUND;
END $$;
COMMENT ON FUNCTION push_internal.recipient_of IS
    'What one recipient of a list or view has of its own, by its key. is_known: there is such a recipient.';

CREATE OR REPLACE FUNCTION push_internal.zones_of_audience(audience json, most int) RETURNS SETOF text
LANGUAGE plpgsql STABLE ROWS 40 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    number int;
BEGIN
    IF audience -> 'view' IS NOT NULL THEN
        RETURN QUERY SELECT z FROM push_internal.audience_zones(audience ->> 'view', most) z;
        RETURN;
    END IF;
    number := push_internal.list_of(audience);
    RETURN QUERY
    WITH RECURSIVE z AS (
        (SELECT m.time_zone
           FROM push.list_member m
          WHERE m.list = number AND m.time_zone IS NOT NULL
          ORDER BY m.list, m.time_zone LIMIT 1)
         UNION ALL
        SELECT (SELECT m.time_zone
                  FROM push.list_member m
                 WHERE m.list = number AND m.time_zone > z.time_zone
                 ORDER BY m.list, m.time_zone LIMIT 1)
          FROM z
         WHERE z.time_zone IS NOT NULL
    )
    (SELECT z.time_zone FROM z WHERE z.time_zone IS NOT NULL LIMIT most)
     UNION ALL
    (SELECT NULL FROM push.list_member m WHERE m.list = number AND m.time_zone IS NULL LIMIT 1);
END $$;
COMMENT ON FUNCTION push_internal.zones_of_audience IS
    'The values in the column time_zone of a view or list: each once, up to the limit most, and null if it has that.';

CREATE OR REPLACE FUNCTION push_internal.recipients_of_zone(audience json, locales text[], behind text, n int, part text)
RETURNS SETOF push_internal.recipient
LANGUAGE plpgsql STABLE ROWS 10000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    number int;
BEGIN
    IF audience -> 'view' IS NOT NULL THEN
        RETURN QUERY
        SELECT p.* FROM unnest(push_internal.audience_page(audience ->> 'view', true, part, behind, n)) p;
    ELSIF audience -> 'list' IS NULL AND audience -> 'handles' IS NULL THEN
        RETURN QUERY
        SELECT p.key, concat_ws(' && ', '(' || p.tag || ')', part), p.handle, p.locale, p.properties, p.expires_at
          FROM push_internal.recipients(audience, locales, behind, n) p;
    ELSE
        number := push_internal.list_of(audience);
        IF number IS NULL THEN
            RAISE EXCEPTION USING
                ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'the list was dropped',
                HINT = 'Load it again: fanfare campaign audience load.';
        ELSIF part IS NULL THEN
            RETURN QUERY
            SELECT m.key, m.tag, m.handle, m.locale, m.properties, NULL::timestamptz
              FROM push.list_member m
             WHERE m.list = number AND m.time_zone IS NULL AND m.key > coalesce(behind, '')
             ORDER BY m.list, m.time_zone, m.key
             LIMIT n;
        ELSE
            RETURN QUERY
            SELECT m.key, m.tag, m.handle, m.locale, m.properties, NULL::timestamptz
              FROM push.list_member m
             WHERE m.list = number AND m.time_zone = part AND m.key > coalesce(behind, '')
             ORDER BY m.list, m.time_zone, m.key
             LIMIT n;
        END IF;
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.recipients_of_zone IS
    'The next n recipients of one stream of a local run behind a key: those whose time_zone is part (null: who have '
    'none), or, of an audience of tags, its tags each with the tag of the zone.';
