-- Deciding what is in doubt.

CREATE OR REPLACE FUNCTION push_internal.resolve_messages(ids bigint[], decision text, OUT resolved int)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    outcome constant push.status := CASE decision WHEN 'resend' THEN 'retrying' ELSE decision END;
    said    constant text := 'decided by ' || push.person();
    asked   bigint[] := ids;
    arrived bigint;
BEGIN
    PERFORM push_internal.require_read_committed('push.resolve');
    IF decision = 'resend' THEN        -- translations are sent together
        asked := push_internal.with_translations(ids);
    END IF;
    -- Two callers at once, or a late answer (push_worker.complete_v1): the first to lock the doubt decides it. The second
    -- finds it decided, because the next statement has a new snapshot.
    PERFORM
       FROM push.result r
      WHERE r.id = ANY (asked)
        AND r.status = 'in_doubt'
      ORDER BY r.id, r.arrival
        FOR UPDATE;
    IF FOUND THEN                      -- the row of a run is locked before those of push.tally
        PERFORM push_internal.reopen_slices(asked);
    END IF;
    arrived := push_internal.next_arrival();
    WITH decided AS MATERIALIZED (
        SELECT u.id,
               h.id AS hub,
               m.priority,
               clock_timestamp() AS at,
               CASE WHEN outcome <> 'retrying' THEN r.post END AS post
          FROM (SELECT DISTINCT a.id FROM unnest(asked) a(id)) u,
               LATERAL (
                   SELECT r.status, r.post
                     FROM push.result r
                    WHERE r.id = u.id
                    ORDER BY r.arrival DESC
                    LIMIT 1) r,
               LATERAL (SELECT m.hub, m.priority, m.content FROM push.message m WHERE m.id = u.id OFFSET 0) m,
               LATERAL (SELECT h.id FROM push.hub h WHERE h.name = m.hub OFFSET 0) h
         WHERE r.status = 'in_doubt'
           AND NOT (outcome = 'retrying' AND push_internal.is_erased(m.content))
    ), results AS (
        INSERT INTO push.result (id, arrival, post, at, due_at, status, reason, note)
        SELECT d.id, arrived, d.post, d.at, CASE WHEN outcome = 'retrying' THEN d.at END, outcome, 'resolved', said
          FROM decided d
    ), put_back AS MATERIALIZED (      -- attempt 0 of a new life: see push_internal.expiry_when_resent
        SELECT push_internal.return_messages(
                   array_agg(d.hub), array_agg(d.priority), array_agg(d.id), array_agg(0::smallint), array_agg(d.at),
                   array_agg(d.id))
          FROM decided d
         WHERE outcome = 'retrying'
        HAVING count(*) > 0
    ), counted AS MATERIALIZED (
        SELECT push_internal.count_results(
                   array_agg(c.hub), array_agg(outcome), array_agg('resolved'::push.reason), array_agg(c.n))
          FROM (SELECT d.hub, count(*) AS n FROM decided d GROUP BY d.hub) c
        HAVING count(*) > 0
    )
    SELECT count(*) + 0 * (SELECT count(*) FROM put_back) + 0 * (SELECT count(*) FROM counted) INTO resolved
      FROM decided d;
END $$;
COMMENT ON FUNCTION push_internal.resolve_messages IS 'What push.resolve does, without the audit.';

CREATE OR REPLACE FUNCTION push_internal.check_decision(decision text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF decision IS NULL OR decision NOT IN ('accepted', 'rejected', 'resend') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.resolve: decision "%s"', decision),
            HINT = 'accepted (it was delivered after all), rejected (give it up) or resend (send it again; a device '
                   'may get it twice).';
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.check_decision IS 'Raises for a decision that there is not.';

CREATE OR REPLACE FUNCTION push.resolve(ids bigint[], decision text) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    resolved int;
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM push_internal.check_decision(decision);
    IF decision = 'resend' THEN
        PERFORM push_internal.refuse_erased(ids);
    END IF;
    resolved := push_internal.resolve_messages(ids, decision);
    INSERT INTO push.audit (action, detail)
    VALUES ('resolve', json_build_object('ids', ids, 'decision', decision, 'messages', resolved));
    RETURN resolved;
END $$;
COMMENT ON FUNCTION push.resolve IS
    'Decides messages in doubt: accepted, rejected or resend. Resend includes the translations of their contents that '
    'are in doubt as well, because they are sent together. Returns how many it decided. Resend refuses erased '
    'messages.';

CREATE OR REPLACE FUNCTION push.resolve_doubts(
    hub text, decision text, reason text DEFAULT NULL, since timestamptz DEFAULT NULL,
    until timestamptz DEFAULT NULL, after bigint DEFAULT 0, batch int DEFAULT 10000,
    OUT resolved bigint, OUT next bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    walked record;
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM push_internal.hub_number(hub, or_removed => true);
    PERFORM push_internal.check_decision(decision);
    PERFORM push_internal.check_filter('resolve_doubts', reason, since, until, batch);
    WITH walk AS MATERIALIZED (
        SELECT r.id, r.reason, r.at
          FROM push.result r
         WHERE r.status = 'in_doubt'
           AND r.id > coalesce(after, 0)
         ORDER BY r.id
         LIMIT batch
    )
    SELECT count(*) AS n,
           max(w.id) AS last,
           array_agg(w.id) FILTER (
               WHERE m.hub = resolve_doubts.hub
                 AND w.reason::text = coalesce(resolve_doubts.reason, w.reason::text)
                 AND w.at >= coalesce(since, '-infinity')
                 AND w.at <= coalesce(until, 'infinity')) AS ids
      INTO walked
      FROM walk w
           LEFT JOIN LATERAL (SELECT m.hub FROM push.message m WHERE m.id = w.id OFFSET 0) m ON true;
    resolved := push_internal.resolve_messages(coalesce(walked.ids, '{}'), decision);
    IF walked.n = batch THEN
        next := walked.last;
    END IF;
    IF after = 0 OR after IS NULL OR resolved > 0 THEN
        INSERT INTO push.audit (action, detail)
        VALUES ('resolve_doubts', json_build_object(
            'hub', hub, 'decision', decision, 'reason', reason, 'since', since, 'until', until, 'messages', resolved));
    END IF;
END $$;
COMMENT ON FUNCTION push.resolve_doubts IS
    'Decides messages of a hub that are in doubt, by reason (answer_lost, worker_lost) and by when they became so '
    '(since and until). One call looks at one batch: call it again with after => next until next is null.';
