-- Campaigns and their runs, for people.

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

CREATE OR REPLACE VIEW push.run_progress AS
SELECT c.name AS campaign,
       r.key,
       r.state,
       r.why,
       p.expanded,
       CASE
           WHEN p.is_through THEN p.expanded + p.suppressed + p.capped + p.passed + p.outside_window
           ELSE greatest(r.estimate, p.expanded)
       END AS total,
       p.is_through,
       p.accepted,
       p.rejected,
       p.expired,
       p.cancelled,
       p.in_doubt,
       p.under_way,
       p.pending,
       p.suppressed,
       p.capped,
       p.passed,
       p.outside_window,
       p.unknown_zone,
       p.waits_until,
       p.waits_for,
       p.reasons,
       round(p.per_second::numeric, 1) AS per_second,
       r.rate,
       CASE
           WHEN r.state = 'running' AND p.per_second > 0
           THEN make_interval(secs => greatest(0, r.estimate - p.expanded - p.suppressed - p.capped + p.pending) / p.per_second)
       END AS eta,
       r.revision,
       r.is_test,
       r.started_by,
       r.started_at,
       r.state_since,
       r.ended_at,
       coalesce(r.ended_at, clock_timestamp()) - r.started_at AS took,
       r.bypasses_suppression,
       r.id AS run
  FROM push.run r
       JOIN push.campaign c ON c.id = r.campaign,
       LATERAL push.progress_of_run(r.id) p;
COMMENT ON VIEW push.run_progress IS
    'How far each run of a campaign is. Nothing is counted that was counted before, so asking is cheap at any size: '
    'SELECT * FROM push.run_progress WHERE campaign = ''spring''.';
COMMENT ON COLUMN push.run_progress.campaign IS 'Name of the campaign.';
COMMENT ON COLUMN push.run_progress.key IS 'Key of the run.';
COMMENT ON COLUMN push.run_progress.state IS 'Where it stands.';
COMMENT ON COLUMN push.run_progress.why IS 'Why, in words; null: nothing to say.';
COMMENT ON COLUMN push.run_progress.expanded IS 'Recipients that have a message by now.';
COMMENT ON COLUMN push.run_progress.total IS 'All recipients: an estimate until is_through.';
COMMENT ON COLUMN push.run_progress.is_through IS 'Whether the audience was read to its end.';
COMMENT ON COLUMN push.run_progress.accepted IS 'Messages that a hub took, in slices that are through.';
COMMENT ON COLUMN push.run_progress.rejected IS 'Messages that failed for good.';
COMMENT ON COLUMN push.run_progress.expired IS 'Messages whose time was up.';
COMMENT ON COLUMN push.run_progress.cancelled IS 'Messages that were cancelled, in slices that are through.';
COMMENT ON COLUMN push.run_progress.in_doubt IS 'Messages that may have been sent, in slices that are through.';
COMMENT ON COLUMN push.run_progress.under_way IS
    'Messages that a worker has or had in hand and that are not counted yet: on the wire, waiting for another try, or '
    'taken in a slice that is not through.';
COMMENT ON COLUMN push.run_progress.pending IS 'Messages that no worker has taken yet, those of a paused run included.';
COMMENT ON COLUMN push.run_progress.suppressed IS 'Recipients that were left out because of push.suppression.';
COMMENT ON COLUMN push.run_progress.capped IS
    'Recipients that were left out because enough campaigns of the group reached them (cap of the spec).';
COMMENT ON COLUMN push.run_progress.passed IS
    'Recipients that were left out because the time was past in their zone when the run began ("passed": "skip").';
COMMENT ON COLUMN push.run_progress.outside_window IS
    'Recipients that were left out because their window ended ("outside": "drop").';
COMMENT ON COLUMN push.run_progress.unknown_zone IS
    'Recipients with a message whose time_zone is null or not a zone of the run: they got it at its default''s time.';
COMMENT ON COLUMN push.run_progress.waits_until IS
    'When the next zone or window opens, while none is open; null: it does not wait.';
COMMENT ON COLUMN push.run_progress.waits_for IS 'What opens then: zone or window.';
COMMENT ON COLUMN push.run_progress.reasons IS
    'Why messages were rejected, in slices that are through: {"target_gone": 12}.';
COMMENT ON COLUMN push.run_progress.per_second IS 'Messages made a second, over the last ten seconds.';
COMMENT ON COLUMN push.run_progress.rate IS 'push.run.rate.';
COMMENT ON COLUMN push.run_progress.eta IS
    'How long it still takes at that pace; null: it does not run, or nobody knows.';
COMMENT ON COLUMN push.run_progress.revision IS 'The revision it sends.';
COMMENT ON COLUMN push.run_progress.is_test IS 'Whether it goes to a test audience (push.test_campaign).';
COMMENT ON COLUMN push.run_progress.started_by IS 'Who started it.';
COMMENT ON COLUMN push.run_progress.started_at IS 'When it was started.';
COMMENT ON COLUMN push.run_progress.state_since IS 'Since when it is in its state.';
COMMENT ON COLUMN push.run_progress.ended_at IS 'When it got its final state; null: it has none.';
COMMENT ON COLUMN push.run_progress.took IS 'From its start to its end, or to now.';
COMMENT ON COLUMN push.run_progress.bypasses_suppression IS 'push.run.bypasses_suppression.';
COMMENT ON COLUMN push.run_progress.run IS 'Number of the run: push.run.id.';

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

CREATE OR REPLACE VIEW push.campaigns AS
SELECT c.name,
       c.state,
       c.revision,
       c.changed_at,
       n.runs,
       p.key AS last_run,
       p.state AS run_state,
       p.accepted,
       p.rejected,
       p.in_doubt,
       p.why,
       p.took,
       nullif(c.next_at, '-infinity') AS next_at,
       c.unapproved
  FROM push.campaign c,
       LATERAL (
           SELECT count(*) FILTER (WHERE r.state <> 'skipped') AS runs,
                  max(r.id) FILTER (WHERE r.state <> 'skipped') AS newest
             FROM push.run r
            WHERE r.campaign = c.id AND NOT r.is_test) n
       LEFT JOIN LATERAL (SELECT p.* FROM push.run_progress p WHERE p.run = n.newest) p ON true;
COMMENT ON VIEW push.campaigns IS
    'The campaigns, each with its newest run. A run that was skipped because another was not over does not count, nor '
    'does a test.';
COMMENT ON COLUMN push.campaigns.name IS 'Name of the campaign.';
COMMENT ON COLUMN push.campaigns.state IS 'Whether it can be run.';
COMMENT ON COLUMN push.campaigns.revision IS 'The newest revision, which the next run uses if unapproved is null.';
COMMENT ON COLUMN push.campaigns.changed_at IS 'When it was changed last.';
COMMENT ON COLUMN push.campaigns.runs IS 'How often it was started.';
COMMENT ON COLUMN push.campaigns.last_run IS 'Key of the newest run; null: there is none.';
COMMENT ON COLUMN push.campaigns.run_state IS 'Where that run stands.';
COMMENT ON COLUMN push.campaigns.accepted IS 'Its messages that a hub took.';
COMMENT ON COLUMN push.campaigns.rejected IS 'Its messages that failed for good.';
COMMENT ON COLUMN push.campaigns.in_doubt IS 'Its messages that may have been sent.';
COMMENT ON COLUMN push.campaigns.why IS 'Why it is in its state; null: nothing to say.';
COMMENT ON COLUMN push.campaigns.took IS 'From its start to its end, or to now.';
COMMENT ON COLUMN push.campaigns.next_at IS
    'When it starts itself next; null: it has no schedule, the schedule is paused or over, or it is worked out just '
    'now.';
COMMENT ON COLUMN push.campaigns.unapproved IS
    'Why a run would not take the newest revision, and which one it takes: "revision 4 is not approved: revision 3 is '
    'sent"; null: it takes the newest.';

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

CREATE OR REPLACE VIEW push.run_hubs AS
SELECT c.name AS campaign,
       r.key,
       o.hub,
       o.workers,
       o.expanded,
       o.is_through,
       r.id AS run
  FROM push.run r
       JOIN push.campaign c ON c.id = r.campaign,
       LATERAL push.hubs_of_run(r.id) o;
COMMENT ON VIEW push.run_hubs IS 'The hubs of each run, and whether workers serve them.';
COMMENT ON COLUMN push.run_hubs.campaign IS 'Name of the campaign.';
COMMENT ON COLUMN push.run_hubs.key IS 'Key of the run.';
COMMENT ON COLUMN push.run_hubs.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.run_hubs.workers IS 'Workers that serve the hub now. 0: the run waits for one.';
COMMENT ON COLUMN push.run_hubs.expanded IS 'Recipients on this hub that have a message by now.';
COMMENT ON COLUMN push.run_hubs.is_through IS 'Whether the audience was read to its end for this hub.';
COMMENT ON COLUMN push.run_hubs.run IS 'Number of the run: push.run.id.';

CREATE OR REPLACE VIEW push.campaign_next AS
SELECT c.name AS campaign,
       u.n::int AS n,
       u.at,
       to_char(u.at AT TIME ZONE s.zone, 'YYYY-MM-DD HH24:MI:SS') AS local,
       s.zone,
       s.schedule,
       c.schedule_paused_at AS paused_at,
       c.schedule_why AS why
  FROM push.campaign c,
       LATERAL (
           SELECT r.spec -> 'schedule' AS schedule,
                  coalesce(push.zone_of_schedule(push.read_schedule(r.spec -> 'schedule')), 'UTC') AS zone
             FROM push.campaign_revision r
            WHERE r.campaign = c.id AND r.revision = coalesce(push.revision_to_run(c.id), c.revision)
           OFFSET 0) s
       LEFT JOIN LATERAL unnest(c.upcoming) WITH ORDINALITY u(at, n) ON true
 WHERE s.schedule IS NOT NULL
   AND c.state <> 'retired';
COMMENT ON VIEW push.campaign_next IS
    'When campaigns start themselves, by the revision that a run takes: the next five times of each. at null: '
    'the schedule is paused or over, its campaign a draft, or no worker has worked it out yet.';
COMMENT ON COLUMN push.campaign_next.campaign IS 'Name of the campaign.';
COMMENT ON COLUMN push.campaign_next.n IS 'From 1 on, the next first.';
COMMENT ON COLUMN push.campaign_next.at IS 'When, by the schedule; the run begins up to its jitter later.';
COMMENT ON COLUMN push.campaign_next.local IS 'The same on the clock of the schedule''s zone.';
COMMENT ON COLUMN push.campaign_next.zone IS
    'The time zone of the schedule; of one that is meant in everybody''s own zone that where a day begins first.';
COMMENT ON COLUMN push.campaign_next.schedule IS 'The schedule as it was given.';
COMMENT ON COLUMN push.campaign_next.paused_at IS 'Since when the schedule is paused; null: it is not.';
COMMENT ON COLUMN push.campaign_next.why IS 'Why it is paused, or why no worker can work it out.';

CREATE OR REPLACE VIEW push.approvals AS
SELECT c.name AS campaign,
       o.revision,
       o.by,
       o.at,
       o.asks,
       nullif(o.standing, '') AS standing,
       o.is_sent,
       o.base,
       o.hash
  FROM push.campaign c,
       LATERAL push.revisions_of(c.id) o;
COMMENT ON VIEW push.approvals IS
    'The revisions of each campaign: what approval each asks for, whether it has it, and which one a run takes.';
COMMENT ON COLUMN push.approvals.campaign IS 'Name of the campaign.';
COMMENT ON COLUMN push.approvals.revision IS 'Number of the revision.';
COMMENT ON COLUMN push.approvals.by IS 'Who made it.';
COMMENT ON COLUMN push.approvals.at IS 'When.';
COMMENT ON COLUMN push.approvals.asks IS
    'none; one: somebody has to approve it; two: somebody other than the person who made it. The strictest of its own '
    'spec and of those since the last that was agreed on.';
COMMENT ON COLUMN push.approvals.standing IS
    'Whether it was approved or rejected, and by whom, and what changed since; null: it asks for nothing.';
COMMENT ON COLUMN push.approvals.is_sent IS 'Whether a run that begins now takes it.';
COMMENT ON COLUMN push.approvals.base IS
    'The revision that push.changes_of_revision compares it with: the last that was agreed on; null: there was none.';
COMMENT ON COLUMN push.approvals.hash IS
    'SHA-256 of what it would send: its spec, and the localization, languages, fallback, plainFallback and '
    'propertyPattern of its hubs. push.approve wants it.';
