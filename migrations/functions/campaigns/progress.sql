-- How far a run is, on which hubs, and which revision comes next.

CREATE OR REPLACE FUNCTION push.progress_of_run(
    run bigint, OUT expanded bigint, OUT is_expanded boolean, OUT accepted bigint, OUT rejected bigint, OUT expired bigint,
    OUT cancelled bigint, OUT in_doubt bigint, OUT under_way bigint, OUT pending bigint, OUT suppressed bigint,
    OUT capped bigint, OUT double_key bigint, OUT double_example text, OUT passed bigint, OUT outside_window bigint,
    OUT unknown_zone bigint, OUT waits_until timestamptz, OUT waits_for text, OUT reasons json,
    OUT per_second double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    counted record;
BEGIN
    SELECT coalesce(sum(t.expanded), 0)::bigint, coalesce(bool_and(t.done_at IS NOT NULL), false) INTO expanded, is_expanded
      FROM push.stream t
     WHERE t.run = progress_of_run.run;
    SELECT coalesce(sum((s.left_out ->> 'suppressed')::int), 0)::bigint, coalesce(sum((s.left_out ->> 'capped')::int), 0)::bigint,
           coalesce(sum((s.left_out ->> 'double_key')::int), 0)::bigint, min(s.left_out ->> 'double_example'),
           coalesce(sum(s.rows) FILTER (WHERE s.at > clock_timestamp() - interval '10 s'), 0) / 10.0
      INTO suppressed, capped, double_key, double_example, per_second
      FROM push.stream t
           JOIN push.slice s ON s.stream = t.id
     WHERE t.run = progress_of_run.run;
    SELECT l.passed, l.outside_window, l.unknown_zone, l.waits_until, l.waits_for
      INTO passed, outside_window, unknown_zone, waits_until, waits_for
      FROM push_internal.local_progress(run) l;
    SELECT coalesce(sum(c.rows) FILTER (WHERE c.status = 'accepted'), 0)::bigint AS accepted,
           coalesce(sum(c.rows) FILTER (WHERE c.status = 'rejected'), 0)::bigint AS rejected,
           coalesce(sum(c.rows) FILTER (WHERE c.status = 'expired'), 0)::bigint AS expired,
           coalesce(sum(c.rows) FILTER (WHERE c.status = 'cancelled'), 0)::bigint AS cancelled,
           coalesce(sum(c.rows) FILTER (WHERE c.status = 'in_doubt'), 0)::bigint AS in_doubt,
           coalesce(sum(c.rows) FILTER (WHERE c.status = 'retrying'), 0)::bigint AS retrying,
           coalesce(sum(c.rows) FILTER (WHERE c.status <> 'retrying'), 0)::bigint AS finals,
           json_object_agg(c.reason, c.rows ORDER BY c.rows DESC) FILTER (WHERE c.status = 'rejected') AS reasons
      INTO counted
      FROM (SELECT a.status, a.reason, sum(a.rows) AS rows
              FROM push_internal.counts_until_now(progress_of_run.run) a
             GROUP BY a.status, a.reason) c;
    accepted := counted.accepted;
    rejected := counted.rejected;
    expired := counted.expired;
    cancelled := counted.cancelled;
    in_doubt := counted.in_doubt;
    reasons := coalesce(counted.reasons, '{}');
    pending := least(counted.retrying, expanded - counted.finals);
    under_way := expanded - counted.finals - pending;
END $$;
COMMENT ON FUNCTION push.progress_of_run IS 'What push.run_progress shows of a run.';

CREATE OR REPLACE FUNCTION push.newest_run_of(
    campaign int, OUT run bigint, OUT runs bigint, OUT accepted bigint, OUT rejected bigint, OUT in_doubt bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    SELECT max(r.id), count(*) INTO run, runs
      FROM push.run r
     WHERE r.campaign = newest_run_of.campaign AND r.state <> 'skipped' AND NOT r.is_test;
    IF run IS NOT NULL THEN
        SELECT coalesce(sum(c.rows) FILTER (WHERE c.status = 'accepted'), 0),
               coalesce(sum(c.rows) FILTER (WHERE c.status = 'rejected'), 0),
               coalesce(sum(c.rows) FILTER (WHERE c.status = 'in_doubt'), 0)
          INTO accepted, rejected, in_doubt
          FROM push_internal.counts_until_now(run) c;
    END IF;
END $$;
COMMENT ON FUNCTION push.newest_run_of IS
    'What push.campaigns shows of the runs of a campaign: how many there were, its newest (push.run.id), and what became of '
    'its messages. run null: it was never started.';

CREATE OR REPLACE FUNCTION push.revision_to_run(campaign int) RETURNS int
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (push_internal.standing_of(campaign)).to_run;
END $$;
COMMENT ON FUNCTION push.revision_to_run IS
    'The newest revision of a campaign that needs no approval or has it: a run takes it. Null: no such revision.';

CREATE OR REPLACE FUNCTION push.unapproved(campaign int) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (push_internal.standing_of(campaign)).unapproved;
END $$;
COMMENT ON FUNCTION push.unapproved IS
    'Why a run would not take the newest revision of a campaign, and which one it takes; null: it takes the newest.';

CREATE OR REPLACE FUNCTION push.hubs_of_run(run bigint, OUT hub text, OUT workers bigint, OUT expanded bigint, OUT is_expanded boolean)
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
