-- The end of a wait: whether what a message waits for came in time or not.

CREATE OR REPLACE FUNCTION push_internal.count_awaited(hub int, after bigint, device text, change bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_variable
BEGIN
    IF after IS NOT NULL THEN
        RETURN (
            SELECT count(*)
              FROM push.message m
             WHERE m.id = after
               AND coalesce((SELECT r.status FROM push.result r WHERE r.id = after ORDER BY r.arrival DESC LIMIT 1),
                            'retrying') = 'retrying');
    END IF;
    RETURN (
        SELECT count(*)
          FROM push.installation_due d
         WHERE d.hub = count_awaited.hub
           AND d.device = count_awaited.device
               -- What a later change replaced is there only when that one is.
           AND (d.id <= change
                OR EXISTS (
                       SELECT FROM push.installation_result r WHERE r.id = change AND r.status = 'superseded' OFFSET 0)));
END $$;
COMMENT ON FUNCTION push_internal.count_awaited IS
    'How much of what a row of push.waiting names has not come: a message without a final result, or changes of a device. '
    '0: the wait is over.';

CREATE OR REPLACE FUNCTION push_internal.words_of_wait(after bigint, device text, change bigint, awaited bigint) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT CASE
               WHEN after IS NOT NULL AND awaited > 0 THEN format('message %s, which has no final result', after)
               WHEN after IS NOT NULL THEN coalesce(
                   (SELECT format('message %s: %s', after, replace(r.status::text, '_', ' '))
                      FROM push.result r
                     WHERE r.id = words_of_wait.after
                     ORDER BY r.arrival DESC
                     LIMIT 1),
                   format('message %s, which was purged', after))
               WHEN awaited > 0 THEN format('%s change%s of device %s', awaited, CASE WHEN awaited > 1 THEN 's' END, device)
               ELSE coalesce(
                   (SELECT format('the changes of device %s: %s', device, r.status)
                      FROM push.installation_result r
                     WHERE r.id = words_of_wait.change
                       AND r.status <> 'retrying'
                     LIMIT 1),
                   format('the changes of device %s, which were purged', device))
           END
$$;
COMMENT ON FUNCTION push_internal.words_of_wait IS
    'What a row of push.waiting waits for, in words, with what became of it. awaited: push_internal.count_awaited.';

CREATE OR REPLACE FUNCTION push.awaited_by(id bigint) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT CASE
               WHEN a.n = 0 THEN 'goes as soon as a worker looks'
               WHEN w.after IS NOT NULL THEN format('waits for message %s', w.after)
               ELSE 'waits for ' || push_internal.words_of_wait(w.after, w.device, w.change, a.n)
           END
      FROM push.waiting w,
           LATERAL (SELECT push_internal.count_awaited(w.hub, w.after, w.device, w.change) AS n OFFSET 0) a
     WHERE w.id = awaited_by.id
$$;
COMMENT ON FUNCTION push.awaited_by IS 'What a message waits for (push.waiting), in words. Null: it waits for nothing.';

CREATE OR REPLACE FUNCTION push_internal.end_waits(hub int, priority smallint, n int) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
    most constant int := least(end_waits.n, push_internal.most_waits());
    looked bigint[];
    ended record;
    arrived bigint;
BEGIN
    looked := ARRAY(
        SELECT w.id
          FROM push.waiting w
         WHERE w.hub = end_waits.hub AND w.priority = end_waits.priority AND w.look_at <= now()
         ORDER BY w.look_at, w.id
         LIMIT most
           FOR UPDATE SKIP LOCKED);
    IF looked = '{}' THEN
        RETURN;
    END IF;
    -- A statement of its own: it sees all that was committed before we got the locks. A pointer that is locked is being
    -- cancelled, and one that is gone was, or was claimed at the end of its time.
    WITH wait AS MATERIALIZED (
        SELECT w.*, p.pointer, p.attempt, p.kind, p.resent, d.is_there, a.n AS awaited, clock_timestamp() AS moment
          FROM unnest(looked) u(id),
               LATERAL (SELECT w.ctid AS row, w.* FROM push.waiting w WHERE w.id = u.id OFFSET 0) w
               LEFT JOIN LATERAL (
                      SELECT d.ctid AS pointer, d.attempt, d.kind, d.resent
                        FROM push.due d
                       WHERE d.hub = w.hub AND d.priority = w.priority AND d.due_at = w.due_at AND d.id = w.id
                         FOR UPDATE SKIP LOCKED) p ON true,
               LATERAL (
                      SELECT EXISTS (
                                 SELECT
                                   FROM push.due d
                                  WHERE d.hub = w.hub AND d.priority = w.priority AND d.due_at = w.due_at AND d.id = w.id
                                 OFFSET 0) AS is_there
                      OFFSET 0) d,
               LATERAL (SELECT push_internal.count_awaited(w.hub, w.after, w.device, w.change) AS n OFFSET 0) a
    ), over AS MATERIALIZED (
        SELECT x.* FROM wait x WHERE x.pointer IS NOT NULL AND (x.awaited = 0 OR x.until <= x.moment)
    ), later AS (
        UPDATE push.waiting w
           SET look_at = least(
                   clock_timestamp() + least(greatest((clock_timestamp() - w.since) / 2, interval '0.1 s'), interval '5 s'),
                   greatest(w.until, clock_timestamp() + interval '0.1 s'))
         WHERE w.ctid = ANY (ARRAY(
                   SELECT x.row
                     FROM wait x
                    WHERE x.is_there
                      AND (x.pointer IS NULL OR x.awaited > 0 AND x.until > x.moment)))
    ), gone AS (
        DELETE FROM push.waiting w
         WHERE w.ctid = ANY (ARRAY(
                   SELECT x.row FROM wait x WHERE NOT x.is_there
                    UNION ALL
                   SELECT o.row FROM over o))
    ), taken AS (
        DELETE FROM push.due d WHERE d.ctid = ANY (ARRAY(SELECT o.pointer FROM over o))
    ), put AS (                                -- now() and not later: the claim takes it at once
        INSERT INTO push.due (due_at, id, hub, priority, attempt, kind, resent)
        SELECT now(), o.id, o.hub, o.priority, o.attempt, o.kind, o.resent
          FROM over o
    )
    SELECT array_agg(m.id) AS ids,
           array_agg(concat(
               format('Waited %s s for ', round(date_part('epoch', greatest(o.moment - o.since, '0'))::numeric, 1)),
               push_internal.words_of_wait(o.after, o.device, o.change, o.awaited),
               CASE
                   WHEN o.awaited = 0 THEN ''
                   WHEN o.until < o.due_at - interval '5 s' THEN '; then it expired'
                   ELSE '; then it went without'
               END, '.')) AS notes
      INTO ended
      FROM over o,
           LATERAL (
               SELECT o.id WHERE o.kind <> 't'
               UNION ALL
               SELECT s.id FROM push.translation s WHERE o.kind = 't' AND s.lead = o.id
               OFFSET 0) m;
    IF ended.ids IS NULL THEN
        RETURN;
    END IF;
    arrived := push_internal.next_arrival();
    INSERT INTO push.result (id, arrival, status, reason, due_at, note)
    SELECT u.id, arrived, 'retrying', 'waited', now(), u.note
      FROM unnest(ended.ids, ended.notes) u(id, note);
    PERFORM push_internal.count_results(
                ARRAY[end_waits.hub], '{retrying}', '{waited}', ARRAY[cardinality(ended.ids)::bigint]);
END $$;
COMMENT ON FUNCTION push_internal.end_waits IS
    'Looks at up to n messages of a lane, at most 200, that wait for something and whose next look has come. What came, or did not come '
    'in time, makes them due now, with a note in push.result; for the others it sets the next look: after 0.1 s, then '
    'after half the time waited so far, at most 5 s. A row whose pointer is gone is removed.';
