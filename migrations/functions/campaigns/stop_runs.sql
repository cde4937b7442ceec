-- Stopping what a run has in the queue, and giving it back: its own stretches of push.due, and what workers hold.

CREATE OR REPLACE FUNCTION push_internal.move_pointers(
    pointers tid[], ids bigint[], reason push.reason, due_at timestamptz, step double precision)
RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    arrived bigint;
    counts record;
BEGIN
    IF coalesce(cardinality(ids), 0) = 0 THEN
        RETURN 0;
    END IF;
    arrived := push_internal.next_arrival();
    WITH moved AS MATERIALIZED (
        DELETE FROM push.due d         -- by place: the index would be read whole
         WHERE d.ctid = ANY (pointers)
               -- the row may be gone, and its place used again; a hash of the ids, and never a join
           AND CASE WHEN d.id IN (SELECT u.id FROM unnest(ids) u(id)) THEN true END
        RETURNING d.*
    ), placed AS MATERIALIZED (
        SELECT m.*, move_pointers.due_at + make_interval(secs => step * (row_number() OVER (ORDER BY m.id) - 1)) AS new_at
          FROM moved m
    ), message AS MATERIALIZED (
        SELECT p.hub, coalesce(t.id, p.id) AS id, p.new_at
          FROM placed p
               LEFT JOIN LATERAL (
                   SELECT t.id FROM push.translation t WHERE t.lead = p.id AND p.kind = 't' OFFSET 0) t ON true
    ), results AS (
        INSERT INTO push.result (id, arrival, status, reason, due_at)
        SELECT m.id, arrived, 'retrying', move_pointers.reason, m.new_at
          FROM message m
    ), back AS (
        INSERT INTO push.due (due_at, id, hub, priority, attempt, kind, resent)
        SELECT p.new_at, p.id, p.hub, p.priority, p.attempt, p.kind, p.resent
          FROM placed p
         ORDER BY p.id
    )
    SELECT array_agg(c.hub) AS hubs, array_agg(c.n) AS ns, coalesce(sum(c.n), 0) AS total INTO counts
      FROM (SELECT m.hub, count(*) AS n FROM message m GROUP BY m.hub) c;
    IF counts.total > 0 THEN
        PERFORM push_internal.count_results(
            counts.hubs, array_fill('retrying'::push.status, ARRAY[cardinality(counts.hubs)]),
            array_fill(reason, ARRAY[cardinality(counts.hubs)]), counts.ns);
    END IF;
    RETURN counts.total;
END $$;
COMMENT ON FUNCTION push_internal.move_pointers IS
    'Moves pointers, with the translations behind them, to another time, each step seconds behind the one before. Returns '
    'how many messages.';

CREATE OR REPLACE FUNCTION push_internal.stop_pointers(run bigint, pointers tid[], ids bigint[], status push.status) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF coalesce(cardinality(ids), 0) = 0 THEN
        RETURN 0;
    ELSIF status = 'retrying' THEN
        RETURN push_internal.move_pointers(pointers, ids, 'paused', push_internal.parked_at(run), 0);
    END IF;
    RETURN push_internal.end_pointers(pointers, ids, status, push_internal.reason_of_stop(status));
END $$;
COMMENT ON FUNCTION push_internal.stop_pointers IS
    'Parks the messages of these pointers, if the status is retrying, or ends them with it. Returns how many.';

CREATE OR REPLACE FUNCTION push_internal.reason_of_stop(status push.status) RETURNS push.reason
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE status WHEN 'retrying' THEN 'paused' WHEN 'expired' THEN 'expired' ELSE 'cancelled_by_caller' END::push.reason;
COMMENT ON FUNCTION push_internal.reason_of_stop IS 'The reason in the results of messages that are stopped with a status.';

CREATE OR REPLACE FUNCTION push_internal.pointers_of_slice(stream bigint, n int, "except" timestamptz, most int, OUT pointers tid[], OUT ids bigint[])
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    this record;
BEGIN
    SELECT t.hub, t.priority, s.* INTO this
      FROM push.slice s
           JOIN push.stream t ON t.id = s.stream
     WHERE s.stream = pointers_of_slice.stream AND s.n = pointers_of_slice.n;
    SELECT array_agg(p.pointer), array_agg(p.id) INTO pointers, ids
      FROM (SELECT d.pointer, d.id
              FROM (SELECT d.ctid AS pointer, d.id
                      FROM push.due d
                     WHERE d.hub = this.hub AND d.priority = this.priority
                       AND d.due_at BETWEEN this.due_from AND this.due_to
                       AND d.id BETWEEN this.first_id AND this.last_id
                     UNION                     -- those that wait for another try lie elsewhere
                    SELECT d.pointer, d.id
                      FROM push.result r,
                           LATERAL (
                               SELECT d.ctid AS pointer, d.id
                                 FROM push.due d
                                WHERE d.hub = this.hub AND d.priority = this.priority
                                  AND d.due_at = r.due_at AND d.id = r.id
                               OFFSET 0) d
                     WHERE r.id BETWEEN this.first_id AND this.last_id
                       AND r.status = 'retrying'
                       AND r.due_at IS DISTINCT FROM "except") d,
                   LATERAL (SELECT m.stream FROM push.message m WHERE m.id = d.id OFFSET 0) m
             WHERE m.stream = this.stream
             ORDER BY d.id
             LIMIT most) p;
END $$;
COMMENT ON FUNCTION push_internal.pointers_of_slice IS
    'The pointers of a slice''s messages, those that wait for another try included, but for those at a time to leave '
    'out.';

CREATE OR REPLACE FUNCTION push_internal.parked_pointers(run bigint, most int, OUT pointers tid[], OUT ids bigint[])
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    SELECT array_agg(p.pointer ORDER BY p.id), array_agg(p.id ORDER BY p.id) INTO pointers, ids
      FROM (SELECT d.pointer, d.id
              FROM (SELECT DISTINCT t.hub, t.priority FROM push.stream t WHERE t.run = parked_pointers.run) t,
                   LATERAL (
                       SELECT d.ctid AS pointer, d.id
                         FROM push.due d
                        WHERE d.hub = t.hub AND d.priority = t.priority
                          AND d.due_at = push_internal.parked_at(parked_pointers.run)
                        ORDER BY d.hub, d.priority, d.due_at, d.id
                        LIMIT most) d
             ORDER BY d.id
             LIMIT most) p;
END $$;
COMMENT ON FUNCTION push_internal.parked_pointers IS 'Up to a batch of the pointers of a run that are parked, the oldest first.';

CREATE OR REPLACE FUNCTION push_internal.has_parked(run bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    RETURN EXISTS (
        SELECT
          FROM push.stream t,
               LATERAL (
                   SELECT
                     FROM push.due d
                    WHERE d.hub = t.hub AND d.priority = t.priority AND d.due_at = push_internal.parked_at(has_parked.run)
                    LIMIT 1) d
         WHERE t.run = has_parked.run);
END $$;
COMMENT ON FUNCTION push_internal.has_parked IS 'Whether pointers of a run are parked.';

CREATE OR REPLACE FUNCTION push_internal.stop_pending_messages(run bigint, status push.status, batch int) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this record;
    part record;
    stopped bigint := 0;
    n int;
BEGIN
    IF status <> 'retrying' THEN
        SELECT p.* INTO part FROM push_internal.parked_pointers(run, batch) p;
        stopped := push_internal.stop_pointers(run, part.pointers, part.ids, status);
    END IF;
    FOR this IN SELECT t.id, t.slices FROM push.stream t WHERE t.run = stop_pending_messages.run ORDER BY t.id LOOP
        n := this.slices;                      -- back to the oldest that has some left: it would be sent next
        WHILE n > 0 AND push_internal.count_unclaimed_of_slice(this.id, n, 1) > 0 LOOP
            n := n - 1;
        END LOOP;
        WHILE n < this.slices AND stopped < batch LOOP
            n := n + 1;
            SELECT p.* INTO part FROM push_internal.pointers_of_slice(this.id, n, push_internal.parked_at(run), (batch - stopped)::int) p;
            stopped := stopped + push_internal.stop_pointers(run, part.pointers, part.ids, status);
        END LOOP;
    END LOOP;
    RETURN stopped;
END $$;
COMMENT ON FUNCTION push_internal.stop_pending_messages IS
    'Stops what was expanded and not claimed yet, up to a batch; what a pause has parked is ended, too.';

CREATE OR REPLACE FUNCTION push_internal.stop_messages_of_open_slices(
    run bigint, status push.status, batch int, INOUT stream bigint, INOUT n int, OUT stopped bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_variable
DECLARE
    this record;
    part record;
BEGIN
    stopped := 0;
    FOR this IN
        SELECT s.stream, s.n
          FROM push.stream t
               JOIN push.slice s ON s.stream = t.id
         WHERE t.run = run
           AND (s.stream, s.n) > (stream, n)
           AND s.rows > 0
           AND NOT EXISTS (SELECT FROM push.slice_count c WHERE c.stream = s.stream AND c.n = s.n OFFSET 0)
         ORDER BY s.stream, s.n
         LIMIT 10
    LOOP
        SELECT p.* INTO part FROM push_internal.pointers_of_slice(this.stream, this.n, push_internal.parked_at(run), batch) p;
        stopped := stopped + push_internal.stop_pointers(run, part.pointers, part.ids, status);
        IF cardinality(part.ids) = batch THEN              -- the rest of this slice with the next call
            RETURN;
        END IF;
        stream := this.stream;
        n := this.n;
        IF stopped >= batch THEN
            RETURN;
        END IF;
    END LOOP;
    IF NOT FOUND THEN
        stream := NULL;
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.stop_messages_of_open_slices IS
    'Stops messages of slices that are not closed, behind a slice; stream null: that was the last.';
