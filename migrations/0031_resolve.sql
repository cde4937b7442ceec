-- Fanfare, migration 31: Deciding what is in doubt.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.resolve(ids bigint[], decision text) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE n int; them bigint[] := $1;
BEGIN
    IF decision NOT IN ('accepted', 'rejected', 'resend') OR decision IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.resolve: decision "%s"', decision),
            HINT = 'accepted (it was delivered after all), rejected (give it up) or resend (send it again; a device may get it twice).';
    END IF;
    PERFORM push.require_read_committed('push.resolve');
    -- Two callers at once, or a late answer (push.complete_v1): the first to lock the doubt decides it. The second
    -- finds it decided, because the next statement has a new snapshot.
    IF decision = 'resend' THEN them := push.with_translations(them); END IF;       -- they are sent together
    PERFORM FROM push.result r WHERE r.id = ANY (them) AND r.status = 'in_doubt' ORDER BY r.id FOR UPDATE;
    WITH d AS MATERIALIZED (
        SELECT i.id, i.post, h.id AS hub, m.priority, clock_timestamp() AS at, 16384::smallint AS attempt      -- attempt 0 of a new life: see push.life_v1
          FROM push.in_doubt i JOIN push.message m ON m.id = i.id JOIN push.hub h ON h.name = m.hub WHERE i.id = ANY (them)
    ), results AS (
        INSERT INTO push.result (id, post, at, due_at, status, reason, note)
        SELECT id, CASE WHEN decision <> 'resend' THEN post END, at, CASE WHEN decision = 'resend' THEN at END,
               CASE decision WHEN 'resend' THEN 'retrying' ELSE decision END::push.status, 'resolved', 'decided by ' || session_user FROM d
    ), back AS MATERIALIZED (
        SELECT push.back_v1(array_agg(hub), array_agg(priority), array_agg(id), array_agg(attempt), array_agg(at)) FROM d WHERE decision = 'resend' HAVING count(*) > 0
    ), counted AS (
        INSERT INTO push.tally AS t (hub, minute, status, reason, n)
        SELECT hub, date_trunc('minute', clock_timestamp()), CASE decision WHEN 'resend' THEN 'retrying' ELSE decision END::push.status, 'resolved', count(*)
          FROM d GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
            ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n
    )
    SELECT count(*) + 0 * (SELECT count(*) FROM back) INTO n FROM d;
    INSERT INTO push.audit (action, detail) VALUES ('resolve', json_build_object('ids', to_json(ids), 'decision', decision, 'messages', n));
    RETURN n;
END $$;
COMMENT ON FUNCTION push.resolve(bigint[], text) IS
    'Decides messages in doubt: accepted, rejected or resend. Resend includes the translations of their contents that '
    'are in doubt as well, because they are sent together. Returns how many it decided.';

CREATE FUNCTION push.resolve(hub text, decision text, reason text DEFAULT NULL, since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
                             after bigint DEFAULT 0, batch int DEFAULT 10000, OUT resolved bigint, OUT next bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE walked record;
BEGIN
    PERFORM push.hub_of($1, 'For single messages: SELECT push.resolve(ARRAY[1, 2], ''rejected''). Hubs: SELECT name FROM push.hub');
    PERFORM push.check_filter('resolve', $3, $4, $5, $7);
    WITH walk AS MATERIALIZED (
        SELECT r.id, r.reason, r.at FROM push.result r WHERE r.status = 'in_doubt' AND r.id > coalesce($6, 0) ORDER BY r.id LIMIT $7
    )
    SELECT count(*) AS seen, array_agg(w.id) FILTER (WHERE m.hub = $1 AND ($3 IS NULL OR w.reason::text = $3) AND w.at >= coalesce($4, '-infinity') AND w.at <= coalesce($5, 'infinity')) AS ids,
           max(w.id) AS last INTO walked
      FROM walk w, LATERAL (SELECT m.hub FROM push.message m WHERE m.id = w.id OFFSET 0) m;
    resolved := push.resolve(coalesce(walked.ids, '{}'), $2);
    IF walked.seen = $7 THEN next := walked.last; END IF;
END $$;
COMMENT ON FUNCTION push.resolve(text, text, text, timestamptz, timestamptz, bigint, int) IS
    'Decides messages of a hub that are in doubt, by reason (answer_lost, worker_lost) and by when they became so '
    '(since and until). One call looks at one batch: call it again with after => next until next is null.';

INSERT INTO push.migration (version, name) VALUES (31, 'resolve');
