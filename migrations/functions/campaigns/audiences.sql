-- Audiences: views of the company's own tables, read with the rights of push_audience. How: audience_read.sql.

-- The functions push_internal.audience_... belong to the role push_audience (push.grant_roles gives them away) and run with its
-- rights: it has what was granted to it, and of ours only these functions. So no SQL text stands in any row, and nobody
-- reads by a campaign what push_audience may not read. They must not trust anything in the schema push.
CREATE OR REPLACE FUNCTION push_internal.audience_view(name text) RETURNS text
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
COMMENT ON FUNCTION push_internal.audience_view IS
    'The view or table of an audience, quoted; null: push_audience can see no such view. Runs with '
    'the rights of push_audience.';

CREATE OR REPLACE FUNCTION push_internal.audience_key(relation regclass, OUT type text, OUT equal text, OUT greater text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    given record;
    base pg_type;
BEGIN
    SELECT a.atttypid, a.atttypmod, a.attcollation INTO given
      FROM pg_attribute a
     WHERE a.attrelid = relation AND a.attname = 'key' AND NOT a.attisdropped;
    SELECT t.* INTO base FROM pg_type t WHERE t.oid = given.atttypid;
    WHILE base.typtype = 'd' LOOP
        SELECT t.* INTO base FROM pg_type t WHERE t.oid = base.typbasetype;
    END LOOP;
    -- By the names in the catalogue: regtype writes bpchar as character, which as a cast is char(1). And by the operators
    -- that ORDER BY takes: those of citext stand in a schema of their own, and without it those of text would be meant.
    SELECT max(format('OPERATOR(%I.%s)', n.nspname, p.oprname)) FILTER (WHERE m.amopstrategy = 3),
           max(format('OPERATOR(%I.%s)', n.nspname, p.oprname)) FILTER (WHERE m.amopstrategy = 5)
      INTO equal, greater
      FROM pg_opclass o
           JOIN pg_am i ON i.oid = o.opcmethod AND i.amname = 'btree'
           JOIN pg_amop m ON m.amopfamily = o.opcfamily AND m.amoplefttype = o.opcintype AND m.amoprighttype = o.opcintype
           JOIN pg_operator p ON p.oid = m.amopopr
           JOIN pg_namespace n ON n.oid = p.oprnamespace
     WHERE o.opcdefault
       AND o.opcintype = CASE
                             WHEN base.typtype = 'e' THEN 'anyenum'::regtype
                             WHEN base.oid = 'varchar'::regtype THEN 'text'::regtype
                             ELSE base.oid
                         END;
    IF greater IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('the column "key" of the audience %s is of type %s, which has no order', relation,
                             format_type(given.atttypid, given.atttypmod)),
            HINT = 'Write it as text, such as id::text AS key, with an index on that expression.';
    END IF;
    type := (SELECT format('%I.%I', n.nspname, base.typname) FROM pg_namespace n WHERE n.oid = base.typnamespace)
            || coalesce((SELECT format(' COLLATE %I.%I', n.nspname, c.collname)
                           FROM pg_collation c
                                JOIN pg_namespace n ON n.oid = c.collnamespace
                          WHERE c.oid = given.attcollation), '');
END $$;
COMMENT ON FUNCTION push_internal.audience_key IS
    'How keys of an audience are compared: their type, for a cast, and the operators of its order. Raises when it has '
    'none. Runs with the rights of push_audience.';

CREATE OR REPLACE FUNCTION push_internal.audience_query(view text, selected text, condition text, rest text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    relation regclass;
    columns text[];
    compares record;
BEGIN
    IF current_user <> 'push_audience' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = format('the functions that read audiences belong to %s, not to push_audience', current_user),
            HINT = format('Have a superuser run: GRANT push_audience TO %I; Then run as %1$I: SELECT push.grant_roles();',
                          current_user);
    END IF;
    relation := push_internal.audience_view(view)::regclass;
    IF relation IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('the audience %s does not exist, or push_audience may not see it', left(view, 130)),
            HINT = 'GRANT USAGE ON SCHEMA ... TO push_audience; GRANT SELECT ON ... TO push_audience;';
    ELSIF NOT has_any_column_privilege(relation, 'SELECT') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege', MESSAGE = format('push_audience may not read the audience %s', relation),
            HINT = format('GRANT SELECT ON %s TO push_audience;', relation);
    END IF;
    columns := ARRAY(
        SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped);
    IF 'key' <> ALL (columns) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('the audience %s has no column "key"', view),
            HINT = 'A key says who a recipient is: it is unique and never null, and an index on it makes pages fast.';
    ELSIF NOT columns && '{tag,handle}' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('the audience %s has neither a column "tag" nor a column "handle"', view),
            HINT = 'One of them says how a recipient is reached.';
    END IF;
    SELECT k.type, k.equal, k.greater INTO compares FROM push_internal.audience_key(relation) k;
    RETURN format(
        'SELECT %s FROM %s v WHERE %s %s',
        replace(selected, '{recipient}', concat_ws(', ',
            'v.key::text',
            CASE WHEN 'tag' = ANY (columns) THEN 'v.tag::text' ELSE 'NULL::text' END,
            CASE WHEN 'handle' = ANY (columns) THEN 'v.handle::text' ELSE 'NULL::text' END,
            CASE WHEN 'locale' = ANY (columns) THEN 'v.locale::text' ELSE 'NULL::text' END,
            CASE WHEN 'properties' = ANY (columns) THEN 'v.properties::json' ELSE 'NULL::json' END,
            CASE WHEN 'expires_at' = ANY (columns) THEN 'v.expires_at::timestamptz' ELSE 'NULL::timestamptz' END)),
        relation,
        replace(replace(replace(condition, '{key is}', 'v.key ' || compares.equal), '{key is behind}', 'v.key ' || compares.greater),
                '{type}', compares.type),
        rest);
END $$;
COMMENT ON FUNCTION push_internal.audience_query IS
    'The query of a page of an audience. Raises when the view lacks a column. Runs with the rights of push_audience.';

CREATE OR REPLACE FUNCTION push_internal.audience_condition(by_zone boolean, zone text, behind text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
RETURN concat_ws(' AND ', CASE WHEN by_zone AND zone IS NULL THEN 'v.time_zone IS NULL' WHEN by_zone THEN 'v.time_zone = $2' END,
                 CASE WHEN behind IS NULL THEN 'v.key IS NOT NULL' ELSE '{key is behind} $1::{type}' END);
COMMENT ON FUNCTION push_internal.audience_condition IS
    'The condition of a query for those behind a key, of all recipients or of one time zone; zone null: those without one.';

CREATE OR REPLACE FUNCTION push_internal.audience_page(view text, by_zone boolean, zone text, behind text, n int)
RETURNS push_internal.recipient[]
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    -- The limit is a literal, so that PostgreSQL plans for a page and not for the whole.
    SELECT push_internal.audience_recipients(
               push_internal.audience_query(
                   view, '{recipient}', push_internal.audience_condition(by_zone, zone, behind), 'ORDER BY v.key LIMIT ' || n),
               behind, zone)
$$;
COMMENT ON FUNCTION push_internal.audience_page IS
    'The next n recipients of an audience, or of one time zone of it, behind a key, in the order of the keys; null: there '
    'are no more. Runs with the rights of push_audience.';

CREATE OR REPLACE FUNCTION push_internal.audience_recipient(view text, asked text)
RETURNS push_internal.recipient
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (push_internal.audience_recipients(
                push_internal.audience_query(view, '{recipient}', '{key is} $1::{type}', 'LIMIT 1'), asked, NULL))[1];
EXCEPTION WHEN data_exception THEN
    RETURN NULL;                               -- no such key in a column of that type
END $$;
COMMENT ON FUNCTION push_internal.audience_recipient IS
    'The recipient of an audience that has a key; null: nobody has it. Runs with the rights of push_audience.';

CREATE OR REPLACE FUNCTION push_internal.audience_estimate(view text) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT (push_internal.audience_plan('FORMAT json', push_internal.audience_query(view, '{recipient}', 'true', ''))
            -> 0 -> 'Plan' ->> 'Plan Rows')::bigint
$$;
COMMENT ON FUNCTION push_internal.audience_estimate IS
    'How many recipients PostgreSQL expects in an audience. Runs with the rights of push_audience.';

CREATE OR REPLACE FUNCTION push_internal.audience_unanalysed(view text) RETURNS SETOF text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT DISTINCT format('%I.%I', n.nspname, c.relname)
      FROM jsonb_path_query(
               push_internal.audience_plan(
                   'FORMAT json, VERBOSE', push_internal.audience_query(view, '{recipient}', 'true', ''))::jsonb,
               'strict $.** ? (exists (@."Relation Name"))') scan
           JOIN pg_namespace n ON n.nspname = scan ->> 'Schema'
           JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = scan ->> 'Relation Name'
           LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
     -- VACUUM alone counts rows as well, and knows nothing of the values that a condition looks for.
     WHERE c.reltuples < 0 OR coalesce(s.last_analyze, s.last_autoanalyze) IS NULL AND s.n_mod_since_analyze > 0
     ORDER BY 1
$$;
COMMENT ON FUNCTION push_internal.audience_unanalysed IS
    'The tables beneath an audience of which PostgreSQL has no statistics, so that the estimate is a guess. Runs with the '
    'rights of push_audience.';

CREATE OR REPLACE FUNCTION push_internal.audience_facts(
    view text, OUT estimate bigint, OUT sorts boolean, OUT null_keys bigint, OUT double_keys bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    of_page constant text := 'ORDER BY v.key LIMIT 10000';
BEGIN
    estimate := push_internal.audience_estimate(view);
    sorts := push_internal.audience_plan(
                 'FORMAT json', push_internal.audience_query(view, '{recipient}', 'v.key IS NOT NULL', of_page))::text
             ~ '"Node Type": "(Sort|Incremental Sort)"';
    null_keys := push_internal.audience_number(push_internal.audience_query(view, 'count(*)', 'v.key IS NULL', ''));
    double_keys := push_internal.audience_number(
        format('SELECT count(*) - count(DISTINCT p.key) FROM (%s) p',
               push_internal.audience_query(view, 'v.key', 'v.key IS NOT NULL', of_page)));
END $$;
COMMENT ON FUNCTION push_internal.audience_facts IS
    'What fanfare campaign check says of an audience: how many recipients PostgreSQL expects, whether each page sorts '
    '(no index for key), rows without a key, and keys that come twice among the first 10,000 rows. Runs with the '
    'rights of push_audience.';

CREATE OR REPLACE FUNCTION push_internal.audience_has_zone(view text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (
        SELECT
          FROM pg_attribute a
         WHERE a.attrelid = push_internal.audience_view(view)::regclass
           AND a.attname = 'time_zone'
           AND a.atttypid = ANY ('{text,varchar}'::regtype[]::oid[])
           AND NOT a.attisdropped)
$$;
COMMENT ON FUNCTION push_internal.audience_has_zone IS
    'Whether an audience has a column time_zone of type text or varchar. Runs with the rights of push_audience.';

CREATE OR REPLACE FUNCTION push_internal.audience_zones(view text, most int) RETURNS SETOF text
LANGUAGE sql SECURITY DEFINER ROWS 40 SET search_path = pg_catalog, pg_temp AS $$
    -- From one zone to the next in the index (time_zone, key): a look-up for each, however many recipients there are.
    SELECT unnest(r.value::text[])
      FROM push_internal.audience_read(
               format('WITH RECURSIVE z AS ((%s) UNION ALL SELECT (%s) FROM z WHERE z.zone IS NOT NULL) '
                      'SELECT ARRAY(SELECT z.zone FROM z WHERE z.zone IS NOT NULL LIMIT %s) || ARRAY(%s)',
                      push_internal.audience_query(
                          view, 'v.time_zone::text AS zone', 'v.time_zone IS NOT NULL', 'ORDER BY v.time_zone LIMIT 1'),
                      push_internal.audience_query(view, 'v.time_zone::text', 'v.time_zone > z.zone', 'ORDER BY v.time_zone LIMIT 1'),
                      most, push_internal.audience_query(view, 'NULL::text', 'v.time_zone IS NULL', 'LIMIT 1')),
               NULL, NULL) r
$$;
COMMENT ON FUNCTION push_internal.audience_zones IS
    'The time zones of an audience, up to the limit most, and null if some recipient has no zone. Runs with the rights of '
    'push_audience.';

CREATE OR REPLACE FUNCTION push_internal.audience_rest(view text, by_zone boolean, zone text, behind text) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT push_internal.audience_number(
               push_internal.audience_query(view, 'count(*)', push_internal.audience_condition(by_zone, zone, behind), ''),
               behind, zone)
$$;
COMMENT ON FUNCTION push_internal.audience_rest IS
    'How many recipients of an audience, or of one time zone of it, are behind a key. Runs with the rights of '
    'push_audience.';

CREATE OR REPLACE FUNCTION push_internal.audience_rows(view text, most bigint) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT push_internal.audience_number(
               format('SELECT count(*) FROM (%s) p', push_internal.audience_query(view, '1', 'v.key IS NOT NULL', 'LIMIT ' || most)))
$$;
COMMENT ON FUNCTION push_internal.audience_rows IS
    'How many rows with a key an audience has, counted up to most, in no order. Runs with the rights of push_audience.';

CREATE OR REPLACE FUNCTION push_internal.audience_zone_sorts(view text) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT p.plan ~ '"Node Type": "(Sort|Incremental Sort)"' OR p.plan !~ '"Index Cond": "[^"]*Europe/Berlin'
      FROM (SELECT push_internal.audience_plan(
                       'FORMAT json',
                       push_internal.audience_query(
                           view, '{recipient}', 'v.time_zone = ''Europe/Berlin'' AND v.key IS NOT NULL',
                           'ORDER BY v.key LIMIT 10000'))::text) p(plan)
$$;
COMMENT ON FUNCTION push_internal.audience_zone_sorts IS
    'Whether each page of a time zone reads or sorts more than its rows, because there is no index (time_zone, key). '
    'Runs with the rights of push_audience.';

CREATE OR REPLACE FUNCTION push_internal.audience_views() RETURNS TABLE (name text, columns text[], comment text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT v.name, v.columns, v.comment
      FROM (SELECT format('%I.%I', n.nspname, c.relname) AS name,
                   ARRAY(SELECT a.attname::text
                           FROM pg_attribute a
                          WHERE a.attrelid = c.oid
                            AND a.attname = ANY ('{key,tag,handle,locale,properties,expires_at,time_zone}')
                            AND NOT a.attisdropped
                            AND has_column_privilege(c.oid, a.attnum, 'SELECT')
                          ORDER BY a.attnum) AS columns,
                   obj_description(c.oid, 'pg_class') AS comment
              FROM pg_class c
                   JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE c.relkind IN ('v', 'm', 'r', 'p', 'f')
               AND NOT c.relispartition
               AND has_schema_privilege(n.oid, 'USAGE')
               AND has_any_column_privilege(c.oid, 'SELECT')) v
     WHERE current_user = 'push_audience'        -- else these are not its rights
       AND 'key' = ANY (v.columns)
       AND v.columns && '{tag,handle}'
       AND push_internal.audience_view(v.name) IS NOT NULL
     ORDER BY v.name
$$;
COMMENT ON FUNCTION push_internal.audience_views IS
    'What push.audience_names returns. Runs with the rights of push_audience.';

CREATE OR REPLACE FUNCTION push.audience_names() RETURNS TABLE (name text, columns text[], comment text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM push_internal.audience_views()
$$;
COMMENT ON FUNCTION push.audience_names IS
    'The views and tables that the spec of a campaign can name as its audience: push_audience may read them, and they have '
    'the columns key and tag or handle. columns: those that campaigns use; comment: that of the view. Partitions are left '
    'out.';
