-- Fanfare, migration 30: Sending again what failed.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.with_translations(ids bigint[]) RETURNS bigint[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT ARRAY(SELECT u FROM unnest($1) u
                 UNION
                 SELECT s.id FROM unnest($1) u(id), LATERAL (SELECT t.lead FROM push.translation t WHERE t.id = u.id OFFSET 0) t,
                        LATERAL (SELECT s.id FROM push.translation s WHERE s.lead = t.lead OFFSET 0) s
                  ORDER BY 1)
$$;
COMMENT ON FUNCTION push.with_translations IS
    'These messages and the other translations of their contents. Only for other functions.';

CREATE FUNCTION push.again(ids bigint[], OUT retried int) RETURNS int
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE them bigint[] := push.with_translations($1);
BEGIN
    -- Two callers at once: the first to lock the failure sends it again. The second finds that done, because the next
    -- statement has a new snapshot.
    PERFORM push.require_read_committed('push.retry');
    PERFORM FROM push.result r WHERE r.id = ANY (them) AND r.status IN ('rejected', 'expired') ORDER BY r.id FOR UPDATE;
    WITH f AS MATERIALIZED (
        SELECT u.id, h.id AS hub, m.priority, clock_timestamp() AS at
          FROM unnest(them) u(id), LATERAL (SELECT m.hub, m.priority FROM push.message m WHERE m.id = u.id OFFSET 0) m,
               LATERAL (SELECT h.id FROM push.hub h WHERE h.name = m.hub OFFSET 0) h,
               LATERAL (SELECT r.status, r.reason FROM push.result r WHERE r.id = u.id ORDER BY r.at DESC LIMIT 1) r
         WHERE r.status IN ('rejected', 'expired') AND r.reason <> 'late_translation'     -- its content was already sent
           -- Translations are sent together: while one of them is pending, none may leave alone.
           AND NOT EXISTS (SELECT FROM push.translation t, LATERAL (SELECT s.id FROM push.translation s WHERE s.lead = t.lead OFFSET 0) s
                            WHERE t.id = u.id AND coalesce((SELECT n.status FROM push.result n WHERE n.id = s.id ORDER BY n.at DESC LIMIT 1), 'retrying') = 'retrying' OFFSET 0)
    ), results AS (
        INSERT INTO push.result (id, at, due_at, status, reason, note) SELECT id, at, at, 'retrying', 'resolved', 'sent again by ' || session_user FROM f
    ), back AS MATERIALIZED (            -- attempt 0 of a new life: see push.life_v1
        SELECT push.back_v1(array_agg(hub), array_agg(priority), array_agg(id), array_agg(16384::smallint), array_agg(at)) FROM f HAVING count(*) > 0
    ), counted AS (
        INSERT INTO push.tally AS t (hub, minute, status, reason, n)
        SELECT hub, date_trunc('minute', clock_timestamp()), 'retrying', 'resolved', count(*) FROM f GROUP BY 1 ORDER BY 1
            ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n
    )
    SELECT count(*) + 0 * (SELECT count(*) FROM back) INTO retried FROM f;
END $$;
COMMENT ON FUNCTION push.again IS 'What push.retry does, without the audit. Only for other functions.';

CREATE FUNCTION push.retry(ids bigint[]) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE retried int := push.again($1);
BEGIN
    INSERT INTO push.audit (action, detail) VALUES ('retry', json_build_object('ids', to_json($1), 'messages', retried));
    RETURN retried;
END $$;
COMMENT ON FUNCTION push.retry(bigint[]) IS
    'Sends messages again that failed for good (rejected, expired): ten new attempts, and the hub''s expire_after '
    'from now on. Translations of one content go together. Returns how many; the others had not failed, are in doubt '
    '(push.resolve), or are late translations.';

CREATE FUNCTION push.check_filter(fn text, reason text, since timestamptz, until timestamptz, batch int) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF $2 IS NOT NULL AND NOT $2 = ANY (enum_range(NULL::push.reason)::text[]) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.%s: reason %s is not known', $1, to_json($2)),
            HINT = 'Known: ' || array_to_string(enum_range(NULL::push.reason), ', ');
    ELSIF $3 > $4 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.%s: since is later than until', $1), HINT = 'Times are when the message got its result.';
    ELSIF $5 IS NULL OR $5 NOT BETWEEN 1 AND 100000 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.%s: a batch of %s', $1, coalesce($5::text, 'NULL')), HINT = '1 to 100000.';
    END IF;
END $$;
COMMENT ON FUNCTION push.check_filter IS
    'Raises for an unknown reason, an empty range of times or a batch out of range. Only for other functions.';

CREATE FUNCTION push.retry(hub text, reason text DEFAULT NULL, since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
                           after text DEFAULT NULL, batch int DEFAULT 10000, OUT retried bigint, OUT next text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    mark_at timestamptz := coalesce(split_part($5, '/', 1)::timestamptz, $3, '-infinity');
    mark_id bigint := coalesce(split_part($5, '/', 2)::bigint, 0);
    upto timestamptz := coalesce($4, 'infinity');
    walked record;
BEGIN
    PERFORM push.hub_of($1, 'For single messages: SELECT push.retry(ARRAY[1, 2]). Hubs: SELECT name FROM push.hub');
    PERFORM push.check_filter('retry', $2, $3, $4, $6);
    WITH walk AS MATERIALIZED (
        SELECT r.at, r.id, r.reason FROM push.result r
         WHERE r.status IN ('rejected', 'expired') AND (r.at, r.id) > (mark_at, mark_id) AND r.at <= upto ORDER BY r.at, r.id LIMIT $6
    )
    SELECT count(*) AS seen, array_agg(w.id) FILTER (WHERE ($2 IS NULL OR w.reason::text = $2) AND m.hub = $1) AS ids, max(w.at) AS at,
           (array_agg(w.id ORDER BY w.at DESC, w.id DESC))[1] AS id INTO walked
      FROM walk w, LATERAL (SELECT m.hub FROM push.message m WHERE m.id = w.id OFFSET 0) m;
    retried := coalesce(push.again(walked.ids), 0);
    IF walked.seen = $6 THEN next := walked.at || '/' || walked.id; END IF;
    IF $5 IS NULL OR retried > 0 THEN
        INSERT INTO push.audit (action, detail) VALUES ('retry', json_build_object('hub', $1, 'reason', $2, 'since', $3, 'until', $4, 'messages', retried));
    END IF;
END $$;
COMMENT ON FUNCTION push.retry(text, text, timestamptz, timestamptz, text, int) IS
    'Sends messages of a hub again that failed for good, by reason and by when they failed (since and until, both '
    'included; default: any time). One call looks at one batch of failures: call it again with after => next until '
    'next is null.';

INSERT INTO push.migration (version, name) VALUES (30, 'retry');
