-- Slices: which are finished, and what became of their messages.

CREATE OR REPLACE FUNCTION push_internal.uncounted_slices(first bigint, last bigint) RETURNS TABLE (first_id bigint, last_id bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT s.first_id, s.last_id
      FROM push.run r
           JOIN push.stream t ON t.run = r.id
           JOIN push.slice s ON s.stream = t.id
     WHERE r.closed_at IS NULL
       AND s.rows > 0
       AND s.first_id <= uncounted_slices.last
       AND s.last_id >= uncounted_slices.first
       AND NOT EXISTS (SELECT FROM push.slice_count c WHERE c.stream = s.stream AND c.n = s.n OFFSET 0)
$$;
COMMENT ON FUNCTION push_internal.uncounted_slices IS
    'The slices within a range of ids that are not counted yet: push.purge keeps their messages, because a run ends '
    'only when all of its slices are counted.';

CREATE OR REPLACE FUNCTION push_internal.reopen_slices(ids bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    streams constant bigint[] := ARRAY(
        SELECT DISTINCT m.stream
          FROM unnest(ids) u(id),
               LATERAL (SELECT m.stream FROM push.message m WHERE m.id = u.id OFFSET 0) m
         WHERE m.stream IS NOT NULL);
    run bigint;
BEGIN
    IF streams = '{}' THEN
        RETURN;
    END IF;
    -- The run first, as all who change it do. A run that was over goes on: it ends again when the slices are closed.
    FOR run IN SELECT DISTINCT t.run FROM push.stream t WHERE t.id = ANY (streams) ORDER BY t.run LOOP
        PERFORM push_internal.change_run(run, 'send_again', NULL);
        UPDATE push.run r SET closed_at = NULL WHERE r.id = run AND r.closed_at IS NOT NULL;
    END LOOP;
    -- By place, from the streams on: as a join it may begin with the counts of all runs that there ever were.
    DELETE FROM push.slice_count d
     WHERE d.ctid = ANY (ARRAY(
               SELECT c.ctid
                 FROM (SELECT u.id FROM unnest(streams) u(id)) t,
                      LATERAL (
                          SELECT s.n
                            FROM push.slice s
                           WHERE s.stream = t.id
                             AND EXISTS (SELECT FROM unnest(ids) u(id) WHERE u.id BETWEEN s.first_id AND s.last_id)
                          OFFSET 0) s,
                      LATERAL (
                          SELECT c.ctid
                            FROM push.slice_count c
                           WHERE c.stream = t.id
                             AND c.n = s.n
                          OFFSET 0) c));
END $$;
COMMENT ON FUNCTION push_internal.reopen_slices IS
    'The results of these messages change after their slices were counted: the slices are open again.';

CREATE OR REPLACE FUNCTION push_internal.count_unclaimed_of_slice(stream bigint, n int, most int) RETURNS int
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_sort = off AS $$
DECLARE
    this record;
BEGIN
    SELECT t.hub, t.priority, s.first_id, s.last_id, s.due_from, s.due_to, s.rows INTO this
      FROM push.slice s
           JOIN push.stream t ON t.id = s.stream
     WHERE s.stream = count_unclaimed_of_slice.stream AND s.n = count_unclaimed_of_slice.n;
    -- Messages leave in the order in which they were made: while the first is there, all are, but for those that a worker
    -- took while another one was about to take the first.
    IF most > 1 AND EXISTS (
           SELECT
             FROM push.due d
            WHERE d.hub = this.hub AND d.priority = this.priority AND d.due_at = this.due_from AND d.id = this.first_id)
    THEN
        RETURN least(most, this.rows);
    END IF;
    RETURN (
        SELECT count(*)
          FROM (SELECT
                  FROM push.due d
                 WHERE d.hub = this.hub AND d.priority = this.priority
                   AND (d.due_at, d.id) >= (this.due_from, this.first_id)
                   AND (d.due_at, d.id) <= (this.due_to, this.last_id)
                   AND d.due_at BETWEEN this.due_from AND this.due_to
                   AND d.id BETWEEN this.first_id AND this.last_id
                 ORDER BY d.hub, d.priority, d.due_at, d.id
                 LIMIT most) x);
END $$;
COMMENT ON FUNCTION push_internal.count_unclaimed_of_slice IS
    'How many messages of a slice were not claimed yet, in the index alone. With a limit above 1 all of them count while '
    'the first was not claimed, up to the limit; most null: exactly. A single foreign message of the same microseconds and ids may be counted with them.';

CREATE OR REPLACE FUNCTION push_internal.close_slice(stream bigint, n int) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_nestloop = off AS $$
#variable_conflict use_column
DECLARE
    this record;
    results record;
BEGIN
    -- A late answer, or a person who decides a doubt, opens the slice again and holds the run until that is committed: what
    -- was counted beside them would be the result from before, for good.
    PERFORM
       FROM push.run r
      WHERE r.id = (SELECT t.run FROM push.stream t WHERE t.id = close_slice.stream)
        FOR SHARE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT s.* INTO this
      FROM push.slice s
     WHERE s.stream = close_slice.stream AND s.n = close_slice.n;
    -- The usual case: every message of the stretch is ours and has one result, which is final.
    SELECT count(*) AS rows, coalesce(bool_and(r.status IN ('accepted', 'rejected', 'expired', 'cancelled')), false) AS final
      INTO results
      FROM push.result r
     WHERE r.id BETWEEN this.first_id AND this.last_id;
    IF results.rows < this.rows THEN
        RETURN false;
    ELSIF results.final AND results.rows = this.rows AND this.last_id - this.first_id + 1 = this.rows THEN
        INSERT INTO push.slice_count (stream, n, status, reason, rows)
        SELECT this.stream, this.n, r.status, r.reason, count(*)
          FROM push.result r
         WHERE r.id BETWEEN this.first_id AND this.last_id
         GROUP BY r.status, r.reason;
        RETURN true;
    END IF;
    WITH newest AS MATERIALIZED (
        SELECT DISTINCT ON (r.id) r.id, r.status, r.reason
          FROM push.result r
         WHERE r.id BETWEEN this.first_id AND this.last_id
         ORDER BY r.id, r.arrival DESC
    ), ours AS MATERIALIZED (
        SELECT m.id
          FROM push.message m
         WHERE m.id BETWEEN this.first_id AND this.last_id
           AND m.stream = this.stream
    ), counted AS MATERIALIZED (
        SELECT w.status, w.reason, count(*) AS rows
          FROM ours o
               JOIN newest w ON w.id = o.id
         GROUP BY w.status, w.reason
    )
    INSERT INTO push.slice_count (stream, n, status, reason, rows)
    SELECT this.stream, this.n, c.status, c.reason, c.rows
      FROM counted c
     WHERE (SELECT sum(o.rows) FROM counted o WHERE o.status <> 'retrying') = this.rows;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push_internal.close_slice IS
    'Counts what became of a slice, if all its messages are final; false: some are not, or somebody changes the run at this '
    'moment.';

CREATE OR REPLACE FUNCTION push_internal.counts_of_run(run bigint)
RETURNS TABLE (status push.status, reason push.reason, rows bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    -- OFFSET 0 keeps it a look-up: a table that was empty when analysed would be read whole, with the counts of all runs.
    RETURN QUERY
    SELECT c.status, c.reason, sum(c.rows)::bigint
      FROM push.stream t,
           LATERAL (SELECT c.status, c.reason, c.rows FROM push.slice_count c WHERE c.stream = t.id OFFSET 0) c
     WHERE t.run = counts_of_run.run
     GROUP BY c.status, c.reason;
END $$;
COMMENT ON FUNCTION push_internal.counts_of_run IS 'What became of the messages in counted slices.';

CREATE OR REPLACE FUNCTION push_internal.counts_of_open_slices(run bigint)
RETURNS TABLE (status push.status, reason push.reason, rows bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    this record;
    results record;
BEGIN
    FOR this IN
        SELECT t.hub, t.priority, s.stream, s.n, s.first_id, s.last_id, s.due_from, s.due_to,
               s.last_id - s.first_id + 1 = s.rows AS is_dense
          FROM push.stream t
               JOIN push.slice s ON s.stream = t.id
         WHERE t.run = counts_of_open_slices.run
           AND s.rows > 0
           AND NOT EXISTS (SELECT FROM push.slice_count c WHERE c.stream = s.stream AND c.n = s.n OFFSET 0)
    LOOP
        -- The usual case: every message of the stretch is ours, and a final result is its only one.
        SELECT coalesce(bool_and(c.status NOT IN ('retrying', 'in_doubt')), true) AS is_final,
               array_agg(c.status) AS statuses, array_agg(c.reason) AS reasons, array_agg(c.rows) AS rows
          INTO results
          FROM (SELECT r.status, r.reason, count(*) AS rows
                  FROM push.result r
                 WHERE this.is_dense AND r.id BETWEEN this.first_id AND this.last_id
                 GROUP BY r.status, r.reason) c;
        RETURN QUERY
        SELECT u.status, u.reason, u.rows
          FROM unnest(results.statuses, results.reasons, results.rows) u(status, reason, rows)
         WHERE results.is_final;
        RETURN QUERY
        SELECT n.status, n.reason, count(*)
          FROM (SELECT DISTINCT ON (r.id) r.id, r.status, r.reason, r.due_at
                  FROM push.result r
                 WHERE NOT (this.is_dense AND results.is_final) AND r.id BETWEEN this.first_id AND this.last_id
                 ORDER BY r.id, r.arrival DESC) n
         WHERE (this.is_dense
                OR this.stream = (SELECT m.stream FROM push.message m WHERE m.id = n.id OFFSET 0))
               -- In the time of the slice, it counts as one that was never taken; without a pointer, a worker has it.
           AND (n.status <> 'retrying'
                OR n.due_at NOT BETWEEN this.due_from AND this.due_to
                   AND EXISTS (
                           SELECT
                             FROM push.due d
                            WHERE d.hub = this.hub AND d.priority = this.priority AND d.due_at = n.due_at AND d.id = n.id
                           OFFSET 0))
         GROUP BY n.status, n.reason;
        -- What was never taken, in the index alone where no foreign message can lie between.
        status := 'retrying';
        reason := NULL;
        rows := CASE
            WHEN this.is_dense THEN push_internal.count_unclaimed_of_slice(this.stream, this.n, NULL)
            ELSE (SELECT count(*)
                    FROM push.due d,
                         LATERAL (SELECT m.stream FROM push.message m WHERE m.id = d.id OFFSET 0) m
                   WHERE d.hub = this.hub AND d.priority = this.priority
                     AND d.due_at BETWEEN this.due_from AND this.due_to
                     AND d.id BETWEEN this.first_id AND this.last_id
                     AND m.stream = this.stream)
        END;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION push_internal.counts_of_open_slices IS
    'The newest results of messages in slices that are not counted yet. retrying: those that lie in push.due; without a '
    'reason: at the time that they were made for.';

CREATE OR REPLACE FUNCTION push_internal.counts_until_now(run bigint)
RETURNS TABLE (status push.status, reason push.reason, rows bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT c.status, c.reason, c.rows FROM push_internal.counts_of_run(run) c;
    -- Of a run that is closed all slices are counted.
    IF EXISTS (SELECT FROM push.run r WHERE r.id = counts_until_now.run AND r.closed_at IS NULL) THEN
        RETURN QUERY SELECT c.status, c.reason, c.rows FROM push_internal.counts_of_open_slices(run) c;
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.counts_until_now IS
    'What became of the messages of a run until now: of counted slices, and of open ones.';
