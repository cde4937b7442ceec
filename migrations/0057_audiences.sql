-- Fanfare, migration 57: Audiences: views of the company's own tables, lists from files, and who is never reached.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

-- The functions push.audience_... belong to the role push_audience (push.grant_roles gives them away) and run with its
-- rights: it has what was granted to it, and of ours only these functions. So no SQL text stands in any row, and nobody
-- reads by a campaign what push_audience may not read. They must not trust anything in the schema push.
CREATE FUNCTION push.audience_view(name text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    relation regclass;
BEGIN
    IF name IS NULL OR position('.' IN name) = 0 THEN
        RETURN NULL;
    END IF;
    relation := to_regclass(name);
    RETURN (SELECT format('%I.%I', n.nspname, c.relname)
              FROM pg_class c
                   JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE c.oid = relation
               AND c.relkind IN ('v', 'm', 'r', 'p', 'f')
               AND n.nspname <> ALL ('{push,pg_catalog,information_schema,pg_toast}')
               AND n.nspname !~ '^pg_temp');
EXCEPTION WHEN invalid_name OR syntax_error OR feature_not_supported OR insufficient_privilege OR undefined_object THEN
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push.audience_view IS
    'The view or table of an audience, quoted; null: push_audience can see no such view. Runs with '
    'the rights of push_audience.';

CREATE FUNCTION push.audience_query(view text, selected text, condition text, rest text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    relation regclass;
    columns text[];
    key_type oid;
BEGIN
    IF current_user <> 'push_audience' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = format('the functions that read audiences belong to %s, not to push_audience', current_user),
            HINT = 'Have a superuser run SELECT push.grant_roles().';
    END IF;
    relation := push.audience_view(view)::regclass;
    IF relation IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_table',
            MESSAGE = format('the audience %s does not exist, or push_audience may not see it', left(view, 130)),
            HINT = 'GRANT USAGE ON SCHEMA ... TO push_audience; GRANT SELECT ON ... TO push_audience;';
    END IF;
    SELECT array_agg(a.attname::text), max(a.atttypid) FILTER (WHERE a.attname = 'key') INTO columns, key_type
      FROM pg_attribute a
     WHERE a.attrelid = relation
       AND a.attnum > 0
       AND NOT a.attisdropped;
    IF key_type IS NULL OR key_type <> ALL ('{text,varchar,bpchar,bigint,integer}'::regtype[]::oid[]) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_column',
            MESSAGE = format('the audience %s has no column "key" of type text or bigint', view),
            HINT = 'A key says who a recipient is: it is unique and never null, and an index on it makes pages fast.';
    ELSIF NOT columns && '{tag,handle}' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_column',
            MESSAGE = format('the audience %s has neither a column "tag" nor a column "handle"', view),
            HINT = 'One of them says how a recipient is reached.';
    END IF;
    RETURN format(
        'SELECT %s FROM %s v WHERE %s %s',
        replace(selected, '{recipient}', concat_ws(', ',
            'v.key::text',
            CASE WHEN 'tag' = ANY (columns) THEN 'v.tag::text' ELSE 'NULL::text' END,
            CASE WHEN 'handle' = ANY (columns) THEN 'v.handle::text' ELSE 'NULL::text' END,
            CASE WHEN 'locale' = ANY (columns) THEN 'v.locale::text' ELSE 'NULL::text' END,
            CASE WHEN 'properties' = ANY (columns) THEN 'v.properties::json' ELSE 'NULL::json' END,
            CASE WHEN 'expires_at' = ANY (columns) THEN 'v.expires_at::timestamptz' ELSE 'NULL::timestamptz' END)),
        -- By the name in pg_type: regtype writes bpchar as character, which as a cast is char(1).
        relation, replace(condition, '{type}', (SELECT t.typname FROM pg_type t WHERE t.oid = key_type)), rest);
END $$;
COMMENT ON FUNCTION push.audience_query IS
    'The query of a page of an audience. Raises when the view lacks a column. Only for push.audience_page_v1 and its '
    'like. Runs with the rights of push_audience.';

CREATE FUNCTION push.audience_page_v1(view text, behind text, n int)
RETURNS TABLE (key text, tag text, handle text, locale text, properties json, expires_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER ROWS 10000 SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
    -- The limit is a literal, so that PostgreSQL plans for a page and not for the whole.
    IF behind IS NULL THEN
        RETURN QUERY EXECUTE push.audience_query(view, '{recipient}', 'v.key IS NOT NULL', 'ORDER BY v.key LIMIT ' || n);
    ELSE
        RETURN QUERY EXECUTE push.audience_query(view, '{recipient}', 'v.key > $1::{type}', 'ORDER BY v.key LIMIT ' || n)
            USING behind;
    END IF;
END $$;
COMMENT ON FUNCTION push.audience_page_v1 IS
    'The next n recipients of an audience behind a key, in the order of the keys. Runs with the rights of '
    'push_audience.';

CREATE FUNCTION push.audience_estimate(view text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || push.audience_query(view, '{recipient}', 'true', '') INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Plan Rows')::bigint;
END $$;
COMMENT ON FUNCTION push.audience_estimate IS
    'How many recipients PostgreSQL expects in an audience. Runs with the rights of push_audience.';

CREATE FUNCTION push.audience_facts(
    view text, OUT estimate bigint, OUT sorts boolean, OUT null_keys bigint, OUT double_keys bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
    plan json;
BEGIN
    estimate := push.audience_estimate(view);
    EXECUTE 'EXPLAIN (FORMAT json) '
            || push.audience_query(view, '{recipient}', 'v.key > ''1''::{type}', 'ORDER BY v.key LIMIT 10000') INTO plan;
    sorts := plan::text ~ '"Node Type": "(Sort|Incremental Sort)"';
    EXECUTE push.audience_query(view, 'count(*)', 'v.key IS NULL', '') INTO null_keys;
    EXECUTE format('SELECT count(*) - count(DISTINCT p.key) FROM (%s) p',
                   push.audience_query(view, 'v.key', 'v.key IS NOT NULL', 'ORDER BY v.key LIMIT 10000')) INTO double_keys;
END $$;
COMMENT ON FUNCTION push.audience_facts IS
    'What fanfare campaign check says of an audience: how many recipients PostgreSQL expects, whether each page sorts '
    '(no index for key), rows without a key, and keys that come twice among the first 10,000 rows. Runs with the '
    'rights of push_audience.';

CREATE FUNCTION push.locales_of(content json) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(SELECT k.name FROM json_object_keys(content) k(name) WHERE k.name <> '' ORDER BY 1);
COMMENT ON FUNCTION push.locales_of IS 'The languages of a run''s content.';

CREATE FUNCTION push.recipients(
    audience json, locales text[], behind text, n int, part text DEFAULT NULL, zone_known boolean DEFAULT true)
RETURNS TABLE (key text, tag text, handle text, locale text, properties json, expires_at timestamptz)
LANGUAGE plpgsql STABLE ROWS 10000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    list_name constant text := coalesce(audience ->> 'list', audience -> 'handles' ->> 'list');
    number int;
BEGIN
    IF part IS NOT NULL OR NOT zone_known THEN
        RETURN QUERY SELECT z.* FROM push.recipients_of_zone(audience, locales, behind, n, part) z;
    ELSIF list_name IS NOT NULL THEN
        SELECT l.id INTO number FROM push.list l WHERE l.name = list_name;
        IF NOT FOUND THEN
            RAISE EXCEPTION USING
                ERRCODE = 'undefined_object', MESSAGE = format('the list %s was dropped', list_name),
                HINT = 'Load it again: fanfare campaign list load.';
        END IF;
        RETURN QUERY
        SELECT m.key, m.tag, m.handle, m.locale, m.properties, NULL::timestamptz
          FROM push.list_member m
         WHERE m.list = number AND m.key > coalesce(behind, '')
         ORDER BY m.key
         LIMIT n;
    ELSIF audience -> 'view' IS NOT NULL THEN
        RETURN QUERY SELECT p.* FROM push.audience_page_v1(audience ->> 'view', behind, n) p;
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
COMMENT ON FUNCTION push.recipients IS
    'The next n recipients of an audience behind a key. locales: each tag comes once in each of them. A broadcast is a '
    'recipient with neither tag nor handle. part and zone_known: as in push.stream. Only for other functions.';

CREATE FUNCTION push.make_list(name text, OUT id int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM push.begin_action();
    IF name IS NULL OR name !~ '^[a-z0-9][a-z0-9_-]{0,62}$' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'list', COLUMN = 'name',
            CONSTRAINT = 'name_is_short_and_plain',
            MESSAGE = format('the name of a list is 1 to 63 of a-z 0-9 _ -, not %s',
                             coalesce(left(to_json(name)::text, 80), 'NULL')),
            HINT = 'It does not begin with _ or -.';
    END IF;
    INSERT INTO push.list AS l (name) VALUES (name) ON CONFLICT DO NOTHING RETURNING l.id INTO id;
    IF id IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'duplicate_object', MESSAGE = format('there is a list %s already', name),
            HINT = 'Drop it first, or take another name: a run may be reading it.';
    END IF;
    INSERT INTO push.audit (action, detail) VALUES ('make_list', json_build_object('list', name));
END $$;
COMMENT ON FUNCTION push.make_list IS
    'An empty list of recipients. Returns its number, for COPY push.list_member (list, key, tag, handle, locale, '
    'properties, time_zone) FROM STDIN in the same transaction.';

CREATE FUNCTION push.drop_list(name text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number int;
    members bigint;
BEGIN
    PERFORM push.begin_action();
    SELECT l.id INTO number FROM push.list l WHERE l.name = drop_list.name FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'no_data_found', MESSAGE = format('there is no list %s', coalesce(left(to_json(name)::text, 80), 'NULL')),
            HINT = 'SELECT name FROM push.list';
    END IF;
    DELETE FROM push.list_member m WHERE m.list = number;
    GET DIAGNOSTICS members = ROW_COUNT;
    DELETE FROM push.list l WHERE l.id = number;
    INSERT INTO push.audit (action, detail) VALUES ('drop_list', json_build_object('list', name, 'members', members));
    RETURN members;
END $$;
COMMENT ON FUNCTION push.drop_list IS
    'Deletes a list and its recipients, and returns how many. A run that is still reading it pauses.';

CREATE FUNCTION push.suppress(what text, value text, reason text DEFAULT NULL, until timestamptz DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM push.begin_action();
    IF suppress.what IS NULL OR suppress.what NOT IN ('tag', 'handle', 'key') OR coalesce(suppress.value, '') = '' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.suppress: what is "%s" and value has %s characters', left(suppress.what, 40),
                             coalesce(length(suppress.value), 0)),
            HINT = 'what is tag, handle or key, and value is that tag, handle or key.';
    END IF;
    INSERT INTO push.suppression AS s (what, value, reason, until)
    VALUES (suppress.what, suppress.value, suppress.reason, suppress.until)
        ON CONFLICT (what, value) DO UPDATE
       SET reason = excluded.reason, until = excluded.until, by = excluded.by, at = excluded.at
     WHERE (s.reason, s.until) IS DISTINCT FROM (excluded.reason, excluded.until);
    IF FOUND THEN
        INSERT INTO push.audit (action, detail)
        VALUES ('suppress', json_build_object('what', suppress.what, 'reason', suppress.reason, 'until', suppress.until));
    END IF;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push.suppress IS
    'No campaign reaches this tag, handle or key any more, or until a time. False: it was so already. Messages that '
    'were expanded before are sent.';

CREATE FUNCTION push.unsuppress(what text, value text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM push.begin_action();
    DELETE FROM push.suppression s WHERE s.what = unsuppress.what AND s.value = unsuppress.value;
    IF FOUND THEN
        INSERT INTO push.audit (action, detail) VALUES ('unsuppress', json_build_object('what', what));
        RETURN true;
    END IF;
    RETURN false;
END $$;
COMMENT ON FUNCTION push.unsuppress IS 'Campaigns reach this tag, handle or key again. False: it was not suppressed.';

INSERT INTO push.migration (version, name, works_from) VALUES (57, 'audiences', 61);
