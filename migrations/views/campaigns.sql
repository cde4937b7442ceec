-- Campaigns and their runs, for people.

CREATE OR REPLACE VIEW push.run_progress AS
SELECT c.name AS campaign,
       r.key,
       r.state,
       r.why,
       p.expanded,
       CASE
           WHEN p.is_expanded THEN p.expanded + l.left_out
           ELSE greatest(r.estimate, p.expanded + l.left_out)
       END AS total,
       p.is_expanded,
       p.accepted,
       p.rejected,
       p.expired,
       p.cancelled,
       p.in_doubt,
       p.under_way,
       p.pending,
       p.suppressed,
       p.capped,
       p.double_key,
       p.double_example,
       p.passed,
       p.outside_window,
       CASE WHEN NOT p.is_expanded THEN greatest(0, r.estimate - p.expanded - l.left_out) ELSE 0 END AS never_made,
       p.unknown_zone,
       p.waits_until,
       p.waits_for,
       p.reasons,
       round(p.per_second::numeric, 1) AS per_second,
       r.rate,
       CASE
           WHEN r.state = 'running' AND p.per_second > 0
           THEN make_interval(secs => greatest(0, r.estimate - p.expanded - l.left_out + p.pending) / p.per_second)
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
       LATERAL push.progress_of_run(r.id) p,
       LATERAL (SELECT p.suppressed + p.capped + p.double_key + p.passed + p.outside_window AS left_out) l;
COMMENT ON VIEW push.run_progress IS
    'How far each run of a campaign is. Nothing is counted that was counted before, so asking is cheap at any size: '
    'SELECT * FROM push.run_progress WHERE campaign = ''spring''.';
COMMENT ON COLUMN push.run_progress.campaign IS 'Name of the campaign.';
COMMENT ON COLUMN push.run_progress.key IS 'Key of the run.';
COMMENT ON COLUMN push.run_progress.state IS 'Where it stands.';
COMMENT ON COLUMN push.run_progress.why IS 'Why, in words; null: nothing to say.';
COMMENT ON COLUMN push.run_progress.expanded IS 'Recipients that have a message by now.';
COMMENT ON COLUMN push.run_progress.total IS 'All recipients: an estimate until is_expanded.';
COMMENT ON COLUMN push.run_progress.is_expanded IS 'Whether the audience was read to its end.';
COMMENT ON COLUMN push.run_progress.accepted IS 'Messages that a hub took.';
COMMENT ON COLUMN push.run_progress.rejected IS 'Messages that failed for good.';
COMMENT ON COLUMN push.run_progress.expired IS 'Messages whose time was up.';
COMMENT ON COLUMN push.run_progress.cancelled IS
    'Messages that were cancelled, or whose recipient was suppressed before they were sent.';
COMMENT ON COLUMN push.run_progress.in_doubt IS 'Messages that may have been sent.';
COMMENT ON COLUMN push.run_progress.under_way IS
    'Messages that a worker has in hand, on the wire or about to be.';
COMMENT ON COLUMN push.run_progress.pending IS
    'Messages that wait in push.due: for a worker, for another try, or for the run to be resumed.';
COMMENT ON COLUMN push.run_progress.suppressed IS 'Recipients that were left out because of push.suppression.';
COMMENT ON COLUMN push.run_progress.capped IS
    'Recipients that were left out because enough campaigns of the group reached them (cap of the spec).';
COMMENT ON COLUMN push.run_progress.double_key IS
    'Rows that were left out because a row with the same key came before: a key says who a recipient is.';
COMMENT ON COLUMN push.run_progress.double_example IS 'One of those keys; null: no such rows.';
COMMENT ON COLUMN push.run_progress.passed IS
    'Recipients that were left out because the time was past in their zone when the run began ("passed": "skip").';
COMMENT ON COLUMN push.run_progress.outside_window IS
    'Recipients that were left out because their window ended ("outside": "drop").';
COMMENT ON COLUMN push.run_progress.never_made IS
    'Recipients that have no message, or none yet: an estimate, 0 when is_expanded. total is expanded, never_made and '
    'those who were left out; expanded is accepted, rejected, expired, cancelled, in_doubt, under_way and pending.';
COMMENT ON COLUMN push.run_progress.unknown_zone IS
    'Recipients with a message whose time_zone is null or not a zone of the run: they got it at its default''s time.';
COMMENT ON COLUMN push.run_progress.waits_until IS
    'When the next zone or window opens, while none is open; null: it does not wait.';
COMMENT ON COLUMN push.run_progress.waits_for IS 'What opens then: zone or window.';
COMMENT ON COLUMN push.run_progress.reasons IS
    'Why messages were rejected: {"target_gone": 12}.';
COMMENT ON COLUMN push.run_progress.per_second IS 'Messages made a second, over the last ten seconds.';
COMMENT ON COLUMN push.run_progress.rate IS 'push.run.rate.';
COMMENT ON COLUMN push.run_progress.eta IS
    'How long it still takes at that pace; null: it does not run, or the time is unknown.';
COMMENT ON COLUMN push.run_progress.revision IS 'The revision it sends.';
COMMENT ON COLUMN push.run_progress.is_test IS 'Whether it goes to a test audience (push.test_campaign).';
COMMENT ON COLUMN push.run_progress.started_by IS 'Who started it.';
COMMENT ON COLUMN push.run_progress.started_at IS 'When it was started.';
COMMENT ON COLUMN push.run_progress.state_since IS 'Since when it is in its state.';
COMMENT ON COLUMN push.run_progress.ended_at IS 'When it got its final state; null: it has none.';
COMMENT ON COLUMN push.run_progress.took IS 'From its start to its end, or to now.';
COMMENT ON COLUMN push.run_progress.bypasses_suppression IS 'push.run.bypasses_suppression.';
COMMENT ON COLUMN push.run_progress.run IS 'Number of the run: push.run.id.';

CREATE OR REPLACE VIEW push.campaigns AS
SELECT c.name,
       c.state,
       c.revision,
       c.changed_at,
       n.runs,
       r.key AS last_run,
       r.state AS run_state,
       n.accepted,
       n.rejected,
       n.in_doubt,
       r.why,
       coalesce(r.ended_at, clock_timestamp()) - r.started_at AS took,
       nullif(c.next_at, '-infinity') AS next_at,
       c.unapproved,
       c.schedule_paused_at,
       c.schedule_why,
       c.tags
  FROM push.campaign c,
       LATERAL push.newest_run_of(c.id) n
       -- OFFSET 0 keeps it a look-up: joined, the runs of all campaigns are read for the newest of each.
       LEFT JOIN LATERAL (SELECT r.* FROM push.run r WHERE r.id = n.run OFFSET 0) r ON true;
COMMENT ON VIEW push.campaigns IS
    'The campaigns, each with its newest run. A run that was skipped or missed does not count, nor does a test.';
COMMENT ON COLUMN push.campaigns.name IS 'Name of the campaign.';
COMMENT ON COLUMN push.campaigns.state IS 'Whether it can be run.';
COMMENT ON COLUMN push.campaigns.revision IS 'The newest revision, which the next run uses if unapproved is null.';
COMMENT ON COLUMN push.campaigns.changed_at IS 'When it was changed last.';
COMMENT ON COLUMN push.campaigns.runs IS 'How often it was started.';
COMMENT ON COLUMN push.campaigns.last_run IS 'Key of the newest run; null: no run.';
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
COMMENT ON COLUMN push.campaigns.schedule_paused_at IS
    'Since when its schedule is paused; null: it is not paused, or it has no schedule.';
COMMENT ON COLUMN push.campaigns.schedule_why IS 'push.campaign.schedule_why.';
COMMENT ON COLUMN push.campaigns.tags IS 'push.campaign.tags.';

CREATE OR REPLACE VIEW push.run_hubs AS
SELECT c.name AS campaign,
       r.key,
       o.hub,
       o.workers,
       o.expanded,
       o.is_expanded,
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
COMMENT ON COLUMN push.run_hubs.is_expanded IS 'Whether the audience was read to its end for this hub.';
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
   AND c.state <> 'archived';
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
COMMENT ON COLUMN push.campaign_next.why IS 'push.campaign.schedule_why.';

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
