-- Who is never reached.

CREATE OR REPLACE FUNCTION push_internal.wrong_suppression(what text, value text, until timestamptz) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
               WHEN what IS NULL OR what NOT IN ('tag', 'handle', 'key')
               THEN format('what is %s', coalesce(push_internal.quoted(what, 42), 'null'))
               WHEN push_internal.said(value) IS NULL THEN 'value is empty'
               WHEN octet_length(value) > 2600 THEN format('value has %s bytes, 2,600 are allowed', octet_length(value))
               WHEN what = 'tag' AND NOT push_internal.is_plain_tag(value)
                    AND (octet_length(value) > 120 OR value COLLATE "C" !~ '^\$(InstallationId|UserId):\{[A-Za-z0-9_@#.:=-]+\}$')
               THEN format('%s is not one tag', push_internal.quoted(value, 140))
               WHEN what = 'handle' AND value COLLATE "C" !~ '^[!-~]+$'
               THEN 'value is not a handle: visible ASCII characters, no spaces'
               WHEN until <= clock_timestamp() THEN format('until is %s, and that is past', push.iso(until))
           END
$$;
COMMENT ON FUNCTION push_internal.wrong_suppression IS
    'Why a suppression would suppress nobody; null: it can. A recipient with an expression is suppressed by its key.';

CREATE OR REPLACE FUNCTION push_internal.refuse_suppression(problem text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'invalid_parameter_value', MESSAGE = problem,
        HINT = 'what is tag, handle or key, and value is that of a recipient: one tag without operators, a handle, or its key.';
END $$;
COMMENT ON FUNCTION push_internal.refuse_suppression IS 'Raises what push_internal.wrong_suppression found.';

CREATE OR REPLACE FUNCTION push.suppress(what text, value text, reason text DEFAULT NULL, until timestamptz DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    wrong constant text := push_internal.wrong_suppression(what, value, until);
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM push_internal.refuse_suppression('push.suppress: ' || wrong) WHERE wrong IS NOT NULL;
    INSERT INTO push.suppression AS s (what, value, reason, until)
    VALUES (suppress.what, suppress.value, push_internal.said(suppress.reason), suppress.until)
        ON CONFLICT (what, value) DO UPDATE
       SET reason = excluded.reason, until = excluded.until, by = excluded.by, at = excluded.at
     WHERE (s.reason, s.until) IS DISTINCT FROM (excluded.reason, excluded.until);
    IF FOUND THEN
        INSERT INTO push.audit (action, detail)
        VALUES ('suppress', json_build_object('what', suppress.what, 'reason', push_internal.said(suppress.reason), 'until', suppress.until));
    END IF;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push.suppress IS
    'No campaign reaches this tag, handle or key any more, or until a time. False: it was so already. Messages that '
    'were made before end as suppressed where they are about to leave again, and are sent otherwise. Refuses what no recipient can have.';

CREATE OR REPLACE FUNCTION push.unsuppress(what text, value text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    wrong constant text := push_internal.wrong_suppression(what, value, NULL);
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM push_internal.refuse_suppression('push.unsuppress: ' || wrong) WHERE wrong IS NOT NULL;
    DELETE FROM push.suppression s WHERE s.what = unsuppress.what AND s.value = unsuppress.value;
    IF FOUND THEN
        INSERT INTO push.audit (action, detail) VALUES ('unsuppress', json_build_object('what', what));
        RETURN true;
    END IF;
    RETURN false;
END $$;
COMMENT ON FUNCTION push.unsuppress IS 'Campaigns reach this tag, handle or key again. False: it was not suppressed.';

CREATE OR REPLACE FUNCTION push_internal.bypass_suppression(run bigint, campaign text, key text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.run r SET bypasses_suppression = true WHERE r.id = bypass_suppression.run;
    INSERT INTO push.audit (action, detail)
    VALUES ('bypass_suppression', json_build_object('campaign', bypass_suppression.campaign, 'key', bypass_suppression.key))
$$;
COMMENT ON FUNCTION push_internal.bypass_suppression IS
    'A run that just began reaches suppressed recipients, too, and push.audit says who asked for it.';

CREATE OR REPLACE FUNCTION push.suppress_many(
    what text[], value text[], reason text[], until timestamptz[], OUT added bigint, OUT changed bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    wrong record;
BEGIN
    PERFORM push_internal.begin_action();
    SELECT o.n, w.problem INTO wrong
      FROM unnest(suppress_many.what, suppress_many.value, suppress_many.until) WITH ORDINALITY o(what, value, until, n),
           push_internal.wrong_suppression(o.what, o.value, o.until) w(problem)
     WHERE w.problem IS NOT NULL
     ORDER BY o.n
     LIMIT 1;
    PERFORM push_internal.refuse_suppression(format('push.suppress_many: in row %s %s', wrong.n, wrong.problem))
      WHERE FOUND;
    WITH asked AS (
        SELECT DISTINCT ON (o.what, o.value) o.*
          FROM unnest(suppress_many.what, suppress_many.value, suppress_many.reason, suppress_many.until)
               WITH ORDINALITY o(what, value, reason, until, n)
         ORDER BY o.what, o.value, o.n DESC
    ), written AS (
        INSERT INTO push.suppression AS s (what, value, reason, until)
        SELECT a.what, a.value, push_internal.said(a.reason), a.until FROM asked a
            ON CONFLICT (what, value) DO UPDATE
           SET reason = excluded.reason, until = excluded.until, by = excluded.by, at = excluded.at
         WHERE (s.reason, s.until) IS DISTINCT FROM (excluded.reason, excluded.until)
        RETURNING s.xmax = 0 AS is_new
    )
    SELECT count(*) FILTER (WHERE w.is_new), count(*) FILTER (WHERE NOT w.is_new) INTO added, changed FROM written w;
    IF added + changed > 0 THEN
        INSERT INTO push.audit (action, detail)
        VALUES ('suppress_many', json_build_object('added', added, 'changed', changed));
    END IF;
END $$;
COMMENT ON FUNCTION push.suppress_many IS
    'push.suppress for many, such as the lines of a file; of two rows about the same the last holds. added: new '
    'ones; changed: those that got another reason or end.';
