-- Stopping what a run has in the queue: its own stretches of push.due, and what workers hold.

CREATE OR REPLACE FUNCTION push_internal.stop_pointers(
    pointers tid[], ids bigint[], status push.status, reason push.reason, due_at timestamptz, step double precision)
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
    ELSIF status <> 'retrying' THEN
        RETURN push_internal.end_pointers(pointers, ids, status, reason);
    END IF;
    arrived := push_internal.next_arrival();
    WITH moved AS MATERIALIZED (
        DELETE FROM push.due d         -- by place: the index would be read whole
         WHERE d.ctid = ANY (pointers)
               -- the row may be gone, and its place used again; a hash of the ids, and never a join
           AND CASE WHEN d.id IN (SELECT u.id FROM unnest(ids) u(id)) THEN true END
        RETURNING d.*
    ), placed AS MATERIALIZED (
        SELECT m.*, stop_pointers.due_at + make_interval(secs => step * (row_number() OVER (ORDER BY m.id) - 1)) AS new_at
          FROM moved m
    ), results AS (
        INSERT INTO push.result (id, arrival, status, reason, due_at)
        SELECT p.id, arrived, 'retrying', stop_pointers.reason, p.new_at
          FROM placed p
    ), back AS (
        INSERT INTO push.due (due_at, id, hub, priority, attempt, kind, resent)
        SELECT p.new_at, p.id, p.hub, p.priority, p.attempt, p.kind, p.resent
          FROM placed p
         ORDER BY p.id
    )
    SELECT array_agg(c.hub) AS hubs, array_agg(c.n) AS ns, coalesce(sum(c.n), 0) AS total INTO counts
      FROM (SELECT p.hub, count(*) AS n FROM placed p GROUP BY p.hub) c;
    IF counts.total > 0 THEN
        PERFORM push_internal.count_results(
            counts.hubs, array_fill('retrying'::push.status, ARRAY[cardinality(counts.hubs)]),
            array_fill(reason, ARRAY[cardinality(counts.hubs)]), counts.ns);
    END IF;
    RETURN counts.total;
END $$;
COMMENT ON FUNCTION push_internal.stop_pointers IS
    'Ends the messages of these pointers with a final status; or, if the status is retrying, moves the pointers to '
    'due_at, each step seconds behind the one before. Returns how many.';

CREATE OR REPLACE FUNCTION push_internal.pointers_of_slice(stream bigint, n int, "except" timestamptz, most int, OUT pointers tid[], OUT ids bigint[])
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    this record;
BEGIN
    SELECT t.hub, t.priority, s.*, push_internal.contents_of_run(t.run) AS contents INTO this
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
                   LATERAL (SELECT m.run_content FROM push.message m WHERE m.id = d.id OFFSET 0) m
             WHERE m.run_content = ANY (this.contents)
             ORDER BY d.id
             LIMIT most) p;
END $$;
COMMENT ON FUNCTION push_internal.pointers_of_slice IS
    'The pointers of a slice''s messages, those that wait for another try included, but for those at a time to leave '
    'out.';

CREATE OR REPLACE FUNCTION push_internal.stop_pending_messages(run bigint, status push.status, reason push.reason, batch int) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this record;
    part record;
    stopped bigint := 0;
    n int;
BEGIN
    FOR this IN SELECT t.id, t.slices FROM push.stream t WHERE t.run = stop_pending_messages.run ORDER BY t.id LOOP
        n := this.slices;                      -- back to the oldest that has some left: it would be sent next
        WHILE n > 0 AND push_internal.count_unclaimed_of_slice(this.id, n, 1) > 0 LOOP
            n := n - 1;
        END LOOP;
        WHILE n < this.slices AND stopped < batch LOOP
            n := n + 1;
            SELECT p.* INTO part FROM push_internal.pointers_of_slice(this.id, n, push.paused_until(), (batch - stopped)::int) p;
            stopped := stopped + push_internal.stop_pointers(
                part.pointers, part.ids, status, reason, CASE WHEN status = 'retrying' THEN push.paused_until() END, 0);
        END LOOP;
    END LOOP;
    RETURN stopped;
END $$;
COMMENT ON FUNCTION push_internal.stop_pending_messages IS
    'Stops what was expanded and not claimed yet, up to a batch.';

CREATE OR REPLACE FUNCTION push_internal.stop_messages_of_open_slices(
    run bigint, status push.status, reason push.reason, batch int, INOUT stream bigint, INOUT n int, OUT stopped bigint)
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
        SELECT p.* INTO part FROM push_internal.pointers_of_slice(this.stream, this.n, push.paused_until(), batch) p;
        stopped := stopped + push_internal.stop_pointers(
            part.pointers, part.ids, status, reason, CASE WHEN status = 'retrying' THEN push.paused_until() END, 0);
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

CREATE OR REPLACE FUNCTION push_internal.stop_run_batch(
    run bigint, status push.status, reason push.reason, after text, batch int,
    OUT stopped bigint, OUT too_late bigint, OUT next text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    start constant push.stop_mark := ROW (NULL, NULL, NULL, false, 0);
    mark push.stop_mark := coalesce(nullif(after, '')::push.stop_mark, start);
    contents constant bigint[] := push_internal.contents_of_run(run);
    hubs constant smallint[] := ARRAY(SELECT t.hub FROM push.stream t WHERE t.run = stop_run_batch.run);
    part record;
    one bigint;
    looked bigint := 0;
BEGIN
    PERFORM push_internal.check_filter('cancel_run', NULL, NULL, NULL, batch);
    stopped := 0;
    too_late := 0;
    -- 1. What was expanded and not claimed: first, because it would be sent next.
    IF mark.claim IS NULL THEN
        stopped := push_internal.stop_pending_messages(run, status, reason, batch);
        mark.stopped := mark.stopped OR stopped > 0;
        IF stopped < batch THEN
            mark.claim := 0;
        END IF;
    -- 2. What workers hold. Few claims a call, because nothing of a claim is posted or recorded while we hold it. Never in
    -- the call that changes the run: a completion locks its claims before it opens a slice again.
    ELSIF mark.stream IS NULL THEN
        FOR one IN
            SELECT c.id
              FROM push.claim c
             WHERE c.id >= push_internal.lowest_claim()
               AND c.id > mark.claim
               AND c.hub = ANY (hubs)
             ORDER BY c.id
             LIMIT 50
        LOOP
            SELECT h.* INTO part
              FROM push_internal.stop_claimed_messages(
                       one,
                       ARRAY(SELECT u.id
                               FROM push.claim c, unnest(c.ids) u(id),
                                    LATERAL (SELECT m.run_content FROM push.message m WHERE m.id = u.id OFFSET 0) m
                              WHERE c.id = one AND m.run_content = ANY (contents)),
                       status, reason, CASE WHEN status = 'retrying' THEN push.paused_until() END) h;
            mark.claim := one;
            mark.too_late := mark.too_late + part.too_late;
            stopped := stopped + part.stopped;
            looked := looked + part.stopped + part.too_late;
            EXIT WHEN looked >= least(batch, 5000);
        END LOOP;
        mark.stopped := mark.stopped OR stopped > 0;
        IF NOT EXISTS (
            SELECT
              FROM push.claim c
             WHERE c.id >= push_internal.lowest_claim() AND c.id > mark.claim AND c.hub = ANY (hubs))
        THEN
            mark.stream := 0;
            mark.n := 0;
        END IF;
    -- 3. What waits for another try, and what was given back meanwhile.
    ELSE
        SELECT o.* INTO part FROM push_internal.stop_messages_of_open_slices(run, status, reason, batch, mark.stream, mark.n) o;
        stopped := stopped + part.stopped;
        mark.stopped := mark.stopped OR stopped > 0;
        IF part.stream IS NULL THEN
            IF mark.stopped THEN                            -- workers may have given something back: once more
                next := start::text;
            ELSE
                too_late := mark.too_late;
            END IF;
            RETURN;
        END IF;
        mark.stream := part.stream;
        mark.n := part.n;
    END IF;
    next := mark::text;
END $$;
COMMENT ON FUNCTION push_internal.stop_run_batch IS
    'Stops one batch of a run''s messages that are not posted yet; next null: there are none any more, and too_late '
    'are on the wire.';

CREATE OR REPLACE FUNCTION push_internal.stop_returned_messages(run bigint, status push.status, reason push.reason) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    stopped bigint := push_internal.stop_pending_messages(run, status, reason, 10000);
BEGIN
    RETURN stopped + (SELECT o.stopped FROM push_internal.stop_messages_of_open_slices(run, status, reason, 10000, 0, 0) o);
END $$;
COMMENT ON FUNCTION push_internal.stop_returned_messages IS
    'Stops what workers gave back after a run was stopped: what is due, and what waits for another try.';
