-- Sending again what failed.

CREATE OR REPLACE FUNCTION push_internal.with_translations(ids bigint[]) RETURNS bigint[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN (
        SELECT ARRAY(
            SELECT u.id
              FROM unnest(with_translations.ids) u(id)
            UNION
            SELECT s.id
              FROM unnest(with_translations.ids) u(id),
                   LATERAL (SELECT t.lead FROM push.translation t WHERE t.id = u.id OFFSET 0) t,
                   LATERAL (SELECT s.id FROM push.translation s WHERE s.lead = t.lead OFFSET 0) s
             ORDER BY 1));
END $$;
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

CREATE OR REPLACE FUNCTION push_internal.has_lost_its_key(id bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN (
        SELECT EXISTS (
            SELECT
              FROM push.message m
                   JOIN push.hub h ON h.name = m.hub
                   JOIN push.dedupe d ON d.hub = h.id
                                     AND d.key = m.dedupe_key
                                     AND d.tenant = push_internal.key_tenant(h.keys_per_tenant, m.tenant)
             WHERE m.id = has_lost_its_key.id
               AND d.id > m.id));
END $$;
COMMENT ON FUNCTION push_internal.has_lost_its_key IS
    'Whether a later message has the dedupe_key of this one: it replaced it, or the key was free again.';

CREATE OR REPLACE FUNCTION push_internal.has_pending_translations(id bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN EXISTS (
        SELECT
          FROM push.message m
               JOIN push.hub h ON h.name = m.hub,
               unnest(push_internal.with_contents(ARRAY[m.id])) s(id)
         WHERE m.id = has_pending_translations.id
           AND h.localization = 'properties'
           AND coalesce(push_internal.newest_status(s.id), 'retrying') = 'retrying');
END $$;
COMMENT ON FUNCTION push_internal.has_pending_translations IS
    'Whether a message or a translation of the same content is pending. Translations are sent together: until then none may '
    'leave alone.';

CREATE OR REPLACE FUNCTION push_internal.send_again(
    ids bigint[], minute timestamptz DEFAULT date_trunc('minute', clock_timestamp())) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    arrived constant bigint := push_internal.next_arrival();
    at constant timestamptz := clock_timestamp();
    said constant text := 'sent again by ' || push.person();
    again record;
BEGIN
    INSERT INTO push.result (id, arrival, at, due_at, status, reason, note)
    SELECT u.id, arrived, at, at, 'retrying', 'resolved', said
      FROM unnest(ids) u(id);
    SELECT array_agg(u.id) AS ids, array_agg(h.id) AS hubs, array_agg(m.priority) AS priorities,
           array_agg(0::smallint) AS attempts, array_agg(at) AS due_ats
      INTO again
      FROM unnest(ids) u(id),
           LATERAL (SELECT m.hub, m.priority FROM push.message m WHERE m.id = u.id OFFSET 0) m,
           LATERAL (SELECT h.id FROM push.hub h WHERE h.name = m.hub OFFSET 0) h;
    -- Translations with a content_key that no worker had gathered are one content from now on.
    INSERT INTO push.translation (id, lead)
    SELECT g.id, g.lead
      FROM (SELECT k.id, min(k.id) OVER same AS lead, count(*) OVER same AS n
              FROM (SELECT k.*,
                           row_number() OVER (
                               PARTITION BY k.hub, k.tag, k.content_key, k.priority, k.tenant, lower(k.locale)
                               ORDER BY k.id) AS nth
                      FROM unnest(ids) u(id),
                           LATERAL (SELECT k.* FROM push.content k WHERE k.id = u.id OFFSET 0) k,
                           LATERAL (SELECT h.localization FROM push.hub h WHERE h.id = k.hub OFFSET 0) h
                     WHERE h.localization = 'properties'
                       AND NOT EXISTS (SELECT FROM push.translation t WHERE t.id = u.id OFFSET 0)) k
             WHERE k.nth = 1
            WINDOW same AS (PARTITION BY k.hub, k.tag, k.content_key, k.priority, k.tenant)) g
     WHERE g.n > 1;
    -- Attempt 0 of a new life: see push_internal.expiry_when_resent.
    PERFORM push_internal.return_messages(again.hubs, again.priorities, again.ids, again.attempts, again.due_ats, again.ids);
    PERFORM push_internal.count_results(
                array_agg(c.hub), array_agg('retrying'::push.status), array_agg('resolved'::push.reason), array_agg(c.n),
                minute)
       FROM (SELECT u.hub, count(*) AS n FROM unnest(again.hubs) u(hub) GROUP BY u.hub) c;
END $$;
COMMENT ON FUNCTION push_internal.send_again IS
    'Makes messages due again that ended, with ten new attempts. The caller has locked what they ended with.';

CREATE OR REPLACE FUNCTION push_internal.retry_messages(ids bigint[], OUT retried int)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    asked   bigint[] := push_internal.with_translations(ids);
    suppressed bigint[];
    failed  bigint[];
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
    failed := ARRAY(
        SELECT u.id
          FROM unnest(asked) u(id),
               LATERAL (SELECT m.content, m.dedupe_key FROM push.message m WHERE m.id = u.id OFFSET 0) m,
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
           AND NOT (m.dedupe_key IS NOT NULL AND push_internal.has_lost_its_key(u.id))
           AND NOT push_internal.has_pending_translations(u.id));
    retried := cardinality(failed);
    IF retried > 0 THEN
        PERFORM push_internal.send_again(failed);
    END IF;
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
    '(push.resolve), are late translations, or were replaced (a later message has their dedupe_key). Refuses erased '
    'messages.';

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
