-- Sending again what failed.

CREATE OR REPLACE FUNCTION push_internal.with_translations(ids bigint[]) RETURNS bigint[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT ARRAY(
        SELECT u.id
          FROM unnest(with_translations.ids) u(id)
        UNION
        SELECT s.id
          FROM unnest(with_translations.ids) u(id),
               LATERAL (SELECT t.lead FROM push.translation t WHERE t.id = u.id OFFSET 0) t,
               LATERAL (SELECT s.id FROM push.translation s WHERE s.lead = t.lead OFFSET 0) s
         ORDER BY 1)
$$;
COMMENT ON FUNCTION push_internal.with_translations IS 'These messages and the other translations of their contents.';

CREATE OR REPLACE FUNCTION push_internal.refuse_erased(ids bigint[]) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    erased bigint := (
        SELECT min(m.id)
          FROM unnest(ids) u(id),
               LATERAL (SELECT m.id, m.content FROM push.message m WHERE m.id = u.id OFFSET 0) m
         WHERE push_internal.is_erased(m.content));
BEGIN
    IF erased IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('message %s was erased: there is nothing left to send', erased),
            HINT = 'Leave it out; nothing was done about the others either.';
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.refuse_erased IS 'Raises if one of these messages was erased (push.erase).';

CREATE OR REPLACE FUNCTION push_internal.retry_messages(ids bigint[], OUT retried int)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    asked   bigint[] := push_internal.with_translations(ids);
    arrived bigint;
    suppressed bigint[];
BEGIN
    -- Two callers at once: the first to lock the failure sends it again. The second finds that done, because the next
    -- statement has a new snapshot.
    PERFORM push_internal.require_read_committed('push.retry');
    PERFORM
       FROM push.result r
      WHERE r.id = ANY (asked)
        AND r.status::text IN ('rejected', 'expired')      -- text, or the index of all failures by time may be read whole
      ORDER BY r.id, r.arrival
        FOR UPDATE;
    IF FOUND THEN                      -- the row of a run is locked before those of push.tally
        PERFORM push_internal.reopen_slices(asked);
    END IF;
    suppressed := push_internal.suppressed_among(asked);
    arrived := push_internal.next_arrival();
    WITH failed AS MATERIALIZED (
        SELECT u.id, h.id AS hub, m.priority, clock_timestamp() AS at
          FROM unnest(asked) u(id),
               LATERAL (SELECT m.hub, m.priority, m.content FROM push.message m WHERE m.id = u.id OFFSET 0) m,
               LATERAL (SELECT h.id FROM push.hub h WHERE h.name = m.hub OFFSET 0) h,
               LATERAL (
                   SELECT r.status, r.reason
                     FROM push.result r
                    WHERE r.id = u.id
                    ORDER BY r.arrival DESC
                    LIMIT 1) r
         WHERE r.status IN ('rejected', 'expired')
           AND r.reason <> 'late_translation'           -- its content was already sent
           AND NOT push_internal.is_erased(m.content)
           AND u.id <> ALL (suppressed)
               -- Translations are sent together: while one of them is pending, none may leave alone.
           AND NOT EXISTS (
                   SELECT
                     FROM push.translation t,
                          LATERAL (SELECT s.id FROM push.translation s WHERE s.lead = t.lead OFFSET 0) s
                    WHERE t.id = u.id
                      AND coalesce(
                              (SELECT n.status FROM push.result n WHERE n.id = s.id ORDER BY n.arrival DESC LIMIT 1),
                              'retrying') = 'retrying'
                   OFFSET 0)
    ), results AS (
        INSERT INTO push.result (id, arrival, at, due_at, status, reason, note)
        SELECT f.id, arrived, f.at, f.at, 'retrying', 'resolved', 'sent again by ' || session_user
          FROM failed f
    ), put_back AS MATERIALIZED (      -- attempt 0 of a new life: see push_internal.expiry_when_resent
        SELECT push_internal.return_messages(
                   array_agg(f.hub), array_agg(f.priority), array_agg(f.id), array_agg(0::smallint), array_agg(f.at),
                   array_agg(f.id))
          FROM failed f
        HAVING count(*) > 0
    ), counted AS MATERIALIZED (
        SELECT push_internal.count_results(
                   array_agg(c.hub), array_agg('retrying'::push.status), array_agg('resolved'::push.reason),
                   array_agg(c.n))
          FROM (SELECT f.hub, count(*) AS n FROM failed f GROUP BY f.hub) c
        HAVING count(*) > 0
    )
    SELECT count(*) + 0 * (SELECT count(*) FROM put_back) + 0 * (SELECT count(*) FROM counted) INTO retried
      FROM failed f;
END $$;
COMMENT ON FUNCTION push_internal.retry_messages IS 'What push.retry does, without the audit.';

CREATE OR REPLACE FUNCTION push.retry(ids bigint[]) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    retried int;
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM push_internal.refuse_erased(ids);
    retried := push_internal.retry_messages(ids);
    INSERT INTO push.audit (action, detail)
    VALUES ('retry', json_build_object('ids', ids, 'messages', retried));
    RETURN retried;
END $$;
COMMENT ON FUNCTION push.retry IS
    'Sends messages again that failed for good (rejected, expired): ten new attempts, and the hub''s expire_after '
    'from now on. Translations of one content go together. Returns how many; the others had not failed, are in doubt '
    '(push.resolve), or are late translations. Refuses erased messages.';

CREATE OR REPLACE FUNCTION push_internal.check_filter(name text, reason text, since timestamptz, until timestamptz, batch int) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known constant text[] := enum_range(NULL::push.reason);
BEGIN
    IF reason <> ALL (known) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.%s: reason %s is not known', name, to_json(reason)),
            HINT = 'Known: ' || array_to_string(known, ', ');
    ELSIF since > until THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.%s: since is later than until', name),
            HINT = 'Times are when the message got its result.';
    ELSIF batch IS NULL OR batch NOT BETWEEN 1 AND 100000 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.%s: a batch of %s', name, coalesce(batch::text, 'NULL')),
            HINT = '1 to 100000.';
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.check_filter IS
    'Raises for an unknown reason, an empty range of times or a batch out of range.';

CREATE OR REPLACE FUNCTION push.retry_failed(
    hub text, reason text DEFAULT NULL, since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
    after text DEFAULT NULL, batch int DEFAULT 10000, OUT retried bigint, OUT next text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO'
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    mark_at timestamptz := coalesce(split_part(after, '/', 1)::timestamptz, since, '-infinity');
    mark_id bigint := coalesce(split_part(after, '/', 2)::bigint, 0);
    walked  record;
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM push_internal.hub_number(hub);
    PERFORM push_internal.check_filter('retry_failed', reason, since, until, batch);
    WITH walk AS MATERIALIZED (
        SELECT r.at, r.id, r.reason
          FROM push.result r
         WHERE r.status IN ('rejected', 'expired')
           AND (r.at, r.id) > (mark_at, mark_id)
           AND r.at <= coalesce(until, 'infinity')
         ORDER BY r.at, r.id
         LIMIT batch
    )
    SELECT count(*) AS n,
           array_agg(w.id) FILTER (WHERE w.reason::text = coalesce(retry_failed.reason, w.reason::text)
                                     AND m.hub = retry_failed.hub) AS ids,
           max(w.at) AS at,
           (array_agg(w.id ORDER BY w.at DESC, w.id DESC))[1] AS id
      INTO walked
      FROM walk w
           LEFT JOIN LATERAL (SELECT m.hub FROM push.message m WHERE m.id = w.id OFFSET 0) m ON true;
    retried := push_internal.retry_messages(coalesce(walked.ids, '{}'));
    IF walked.n = batch THEN
        next := walked.at || '/' || walked.id;
    END IF;
    IF after IS NULL OR retried > 0 THEN
        INSERT INTO push.audit (action, detail)
        VALUES ('retry_failed', json_build_object(
            'hub', hub, 'reason', reason, 'since', since, 'until', until, 'messages', retried));
    END IF;
END $$;
COMMENT ON FUNCTION push.retry_failed IS
    'Sends messages of a hub again that failed for good, by reason and by when they failed (since and until, both '
    'included; default: any time). One call looks at one batch of failures: call it again with after => next until '
    'next is null.';
