-- How far a run is, on which hubs, and which revision comes next.

CREATE OR REPLACE FUNCTION push.progress_of_run(
    run bigint, OUT expanded bigint, OUT is_through boolean, OUT accepted bigint, OUT rejected bigint, OUT expired bigint,
    OUT cancelled bigint, OUT in_doubt bigint, OUT under_way bigint, OUT pending bigint, OUT suppressed bigint,
    OUT capped bigint, OUT passed bigint, OUT outside_window bigint, OUT unknown_zone bigint, OUT waits_until timestamptz,
    OUT waits_for text, OUT reasons json, OUT per_second double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    contents constant bigint[] := push_internal.contents_of_run(run);
    streams record;
    counted record;
    open record;
    failed record;
    asleep bigint;
BEGIN
    SELECT coalesce(sum(t.expanded), 0)::bigint AS expanded, coalesce(bool_and(t.done_at IS NOT NULL), false) AS is_through
      INTO streams
      FROM push.stream t
     WHERE t.run = progress_of_run.run;
    expanded := streams.expanded;
    is_through := streams.is_through;
    SELECT coalesce(sum(c.rows) FILTER (WHERE c.status = 'accepted'), 0)::bigint AS accepted,
           coalesce(sum(c.rows) FILTER (WHERE c.status = 'rejected'), 0)::bigint AS rejected,
           coalesce(sum(c.rows) FILTER (WHERE c.status = 'expired'), 0)::bigint AS expired,
           coalesce(sum(c.rows) FILTER (WHERE c.status = 'cancelled'), 0)::bigint AS cancelled,
           coalesce(sum(c.rows) FILTER (WHERE c.status = 'in_doubt'), 0)::bigint AS in_doubt,
           coalesce(sum(c.rows), 0)::bigint AS rows,
           json_object_agg(c.reason, c.rows ORDER BY c.rows DESC) FILTER (WHERE c.status = 'rejected') AS reasons
      INTO counted
      FROM push_internal.counts_of_run(progress_of_run.run) c;
    SELECT coalesce(sum((s.left_out ->> 'suppressed')::int), 0)::bigint AS suppressed,
           coalesce(sum((s.left_out ->> 'capped')::int), 0)::bigint AS capped,
           coalesce(sum(s.rows) FILTER (WHERE s.at > clock_timestamp() - interval '10 s'), 0) / 10.0 AS per_second
      INTO open
      FROM push.stream t
           JOIN push.slice s ON s.stream = t.id
     WHERE t.run = progress_of_run.run;
    suppressed := open.suppressed;
    capped := open.capped;
    per_second := open.per_second;
    SELECT l.passed, l.outside_window, l.unknown_zone, l.waits_until, l.waits_for
      INTO passed, outside_window, unknown_zone, waits_until, waits_for
      FROM push_internal.local_progress(run) l;
    pending := 0;
    rejected := 0;
    expired := 0;
    IF counted.rows < expanded THEN
        -- Of slices that are not through: what waits in push.due, in the index alone, and what failed.
        pending := coalesce((
            SELECT sum((push_internal.count_ahead_of_stream(t.id, 100000)).rows) FROM push.stream t WHERE t.run = progress_of_run.run), 0);
        asleep := (
            SELECT count(*)
              FROM (SELECT DISTINCT t.hub, t.priority FROM push.stream t WHERE t.run = progress_of_run.run) t,
                   LATERAL (
                       SELECT d.id
                         FROM push.due d
                        WHERE d.hub = t.hub AND d.priority = t.priority AND d.due_at = push.paused_until()
                       OFFSET 0) d,
                   LATERAL (SELECT m.run_content FROM push.message m WHERE m.id = d.id OFFSET 0) m
             WHERE m.run_content = ANY (contents));
        pending := pending + asleep;
        SELECT count(*) FILTER (WHERE r.status = 'rejected') AS rejected,
               count(*) FILTER (WHERE r.status = 'expired') AS expired
          INTO failed
          FROM (SELECT s.first_id, s.last_id, s.at
                  FROM push.stream t
                       JOIN push.slice s ON s.stream = t.id
                 WHERE t.run = progress_of_run.run
                   AND s.rows > 0
                   AND NOT EXISTS (SELECT FROM push.slice_count c WHERE c.stream = s.stream AND c.n = s.n OFFSET 0)
                OFFSET 0) o,
               LATERAL (
                   SELECT r.id, r.status
                     FROM push.result r
                    WHERE r.status IN ('rejected', 'expired') AND r.at >= o.at
                      AND r.id BETWEEN o.first_id AND o.last_id
                      AND NOT EXISTS (SELECT FROM push.result n WHERE n.id = r.id AND n.arrival > r.arrival OFFSET 0)
                   OFFSET 0) r,
               LATERAL (SELECT m.run_content FROM push.message m WHERE m.id = r.id OFFSET 0) m
         WHERE m.run_content = ANY (contents);
        rejected := failed.rejected;
        expired := failed.expired;
    END IF;
    under_way := greatest(0, expanded - counted.rows - pending - rejected - expired);
    accepted := counted.accepted;
    rejected := counted.rejected + rejected;
    expired := counted.expired + expired;
    cancelled := counted.cancelled;
    in_doubt := counted.in_doubt;
    reasons := coalesce(counted.reasons, '{}');
END $$;
COMMENT ON FUNCTION push.progress_of_run IS 'What push.run_progress shows of a run.';

CREATE OR REPLACE FUNCTION push.revision_to_run(campaign int) RETURNS int
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (push_internal.standing_of(campaign)).to_run;
END $$;
COMMENT ON FUNCTION push.revision_to_run IS
    'The newest revision of a campaign that needs no approval or has it: a run takes it. Null: there is none.';

CREATE OR REPLACE FUNCTION push.unapproved(campaign int) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (push_internal.standing_of(campaign)).unapproved;
END $$;
COMMENT ON FUNCTION push.unapproved IS
    'Why a run would not take the newest revision of a campaign, and which one it takes; null: it takes the newest.';

CREATE OR REPLACE FUNCTION push.hubs_of_run(run bigint, OUT hub text, OUT workers bigint, OUT expanded bigint, OUT is_through boolean)
RETURNS SETOF record
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT h.name,
           (SELECT count(*)
              FROM push.serving v
                   JOIN push.worker w ON w.id = v.worker
             WHERE v.hub = h.id AND push.is_alive(w.beat_at, w.lease_seconds)),
           sum(t.expanded)::bigint, bool_and(t.done_at IS NOT NULL)
      FROM push.stream t
           JOIN push.hub h ON h.id = t.hub
     WHERE t.run = hubs_of_run.run
     GROUP BY h.id, h.name
$$;
COMMENT ON FUNCTION push.hubs_of_run IS 'What push.run_hubs shows of a run.';
