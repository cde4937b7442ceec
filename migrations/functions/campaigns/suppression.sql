-- Who is never reached.

CREATE OR REPLACE FUNCTION push.suppress(what text, value text, reason text DEFAULT NULL, until timestamptz DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM push_internal.begin_action();
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

CREATE OR REPLACE FUNCTION push.unsuppress(what text, value text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM push_internal.begin_action();
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
    SELECT o.n, o.what, o.value INTO wrong
      FROM unnest(suppress_many.what, suppress_many.value) WITH ORDINALITY o(what, value, n)
     WHERE o.what IS NULL OR o.what NOT IN ('tag', 'handle', 'key') OR coalesce(o.value, '') = ''
     ORDER BY o.n
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.suppress_many: in row %s what is "%s" and value has %s characters', wrong.n,
                             left(wrong.what, 40), coalesce(length(wrong.value), 0)),
            HINT = 'what is tag, handle or key, and value is that tag, handle or key.';
    END IF;
    WITH asked AS (
        SELECT DISTINCT ON (o.what, o.value) o.*
          FROM unnest(suppress_many.what, suppress_many.value, suppress_many.reason, suppress_many.until)
               WITH ORDINALITY o(what, value, reason, until, n)
         ORDER BY o.what, o.value, o.n DESC
    ), written AS (
        INSERT INTO push.suppression AS s (what, value, reason, until)
        SELECT a.what, a.value, a.reason, a.until FROM asked a
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
