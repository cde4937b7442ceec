-- Views for operations: backlog, workers, throughput, the state of the hubs, what failed and what is in doubt.

CREATE OR REPLACE VIEW push.backlog AS
SELECT h.name AS hub,
       d.priority,
       count(*) FILTER (WHERE d.due_at <= now()) AS due,
       count(*) FILTER (WHERE d.due_at > now() AND d.due_at < push.paused_until()) AS later,
       count(*) FILTER (WHERE d.attempt > 0) AS retrying,
       min(d.due_at) AS oldest,
       now() - min(d.due_at) FILTER (WHERE d.due_at <= now()) AS waiting
  FROM push.due d
       JOIN push.hub h ON h.id = d.hub
 GROUP BY h.name, d.priority;
COMMENT ON VIEW push.backlog IS 'What is pending per hub and priority. Translations of one content count once.';
COMMENT ON COLUMN push.backlog.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.backlog.priority IS '0 urgent, 1 normal, 2 bulk.';
COMMENT ON COLUMN push.backlog.due IS 'Pointers that are due now.';
COMMENT ON COLUMN push.backlog.later IS
    'Pointers that are scheduled, or wait for another try, a message or a device, but for those of paused runs.';
COMMENT ON COLUMN push.backlog.retrying IS 'Pointers of messages that were tried before.';
COMMENT ON COLUMN push.backlog.oldest IS 'The earliest due_at.';
COMMENT ON COLUMN push.backlog.waiting IS 'How long the oldest due pointer has waited; null: none is due.';

CREATE OR REPLACE FUNCTION push.claims_of_workers()
RETURNS TABLE (
    worker   int,
    epoch    int,
    claims   bigint,
    messages bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT c.worker, c.epoch, count(*), sum(cardinality(c.ids))
      FROM push.claim c
     WHERE c.id >= push_internal.lowest_claim()
     GROUP BY c.worker, c.epoch
$$;
COMMENT ON FUNCTION push.claims_of_workers IS
    'How many claims each worker holds, and messages in them. For push.workers.';

CREATE OR REPLACE VIEW push.workers AS
SELECT w.id,
       w.name,
       w.version,
       w.started_at,
       now() - w.beat_at AS last_beat,
       push.is_alive(w.beat_at, w.lease_seconds) AS alive,
       w.doing,
       w.trouble,
       coalesce(c.claims, 0) AS claims,
       coalesce(c.messages, 0) AS messages
  FROM push.worker w
       LEFT JOIN push.claims_of_workers() c ON c.worker = w.id AND c.epoch = w.epoch;
COMMENT ON VIEW push.workers IS 'Workers and what they hold.';
COMMENT ON COLUMN push.workers.id IS 'Number of the worker: push.worker.id.';
COMMENT ON COLUMN push.workers.name IS 'Host and process id: host/pid.';
COMMENT ON COLUMN push.workers.version IS 'Version of fanfare.';
COMMENT ON COLUMN push.workers.started_at IS 'When the worker registered.';
COMMENT ON COLUMN push.workers.last_beat IS 'Time since its last heartbeat.';
COMMENT ON COLUMN push.workers.alive IS 'Whether the last heartbeat is at most two of its leases old.';
COMMENT ON COLUMN push.workers.doing IS 'What the worker is doing, in one line of its own; null: no heartbeat yet.';
COMMENT ON COLUMN push.workers.trouble IS
    'What keeps it from its work and for how long it has; null: nothing.';
COMMENT ON COLUMN push.workers.claims IS 'Claims it holds.';
COMMENT ON COLUMN push.workers.messages IS 'Messages in these claims.';

CREATE OR REPLACE VIEW push.throughput AS
SELECT h.name AS hub,
       t.minute,
       t.status,
       t.reason,
       t.n AS messages
  FROM push.tally t
       JOIN push.hub h ON h.id = t.hub;
COMMENT ON VIEW push.throughput IS
    'Results per hub and minute, counted as they are written, so that asking never scans results.';
COMMENT ON COLUMN push.throughput.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.throughput.minute IS
    'Start of the minute; exact time for results that were counted lately (push.tally.minute).';
COMMENT ON COLUMN push.throughput.status IS 'retrying, or a final status.';
COMMENT ON COLUMN push.throughput.reason IS 'Why; push.reason_class(reason) names who must act.';
COMMENT ON COLUMN push.throughput.messages IS
    'Results written in that minute. A message that was retried counts again.';

CREATE OR REPLACE VIEW push.hub_health AS
SELECT h.name AS hub,
       CASE
           WHEN s.paused_by IS NOT NULL THEN 'paused'
           WHEN s.held_since IS NOT NULL THEN 'held'
           WHEN s.gate_until > now() THEN 'gate closed'
           WHEN s.broken_until > now() THEN 'failing'
           WHEN v.workers > 0 AND v.without_pass = v.workers THEN 'no pass'
           ELSE 'open'
       END AS state,
       CASE
           WHEN s.paused_by IS NOT NULL THEN concat_ws(': ', 'paused by ' || s.paused_by, s.paused_why)
           WHEN s.held_since IS NOT NULL THEN s.hold_reason
           WHEN s.gate_until > now() THEN 'the hub asked to wait'
           WHEN s.broken_until > now() THEN s.broken_why
           WHEN v.workers > 0 AND v.without_pass = v.workers THEN v.trouble
       END AS why,
       coalesce(s.held_since, s.changed_at) AS since,
       CASE WHEN s.gate_until > now() THEN s.gate_until END AS gate_until,
       s.probe_at AS next_probe,
       b.due,
       b.later,
       now() - b.oldest AS waiting,
       v.workers,
       u.unserved_since,
       v.differing,
       nullif(concat_ws('; ',
           'no worker serves this hub since ' || push.iso(u.unserved_since),
           'other settings than registered at ' || v.differing || ': fanfare migrate up',
           CASE WHEN v.without_pass < v.workers THEN 'a worker has no pass: ' || v.trouble END), '') AS note,
       coalesce(s.key, 'primary') AS key,
       s.key_since,
       s.key_reason,
       v.token_expires_at,
       v."window",
       v.in_flight,
       v.answers_per_second,
       nullif(coalesce(s.rate, (h.settings ->> 'ratePerSecond')::real), 0) AS rate,
       s.rate IS NOT NULL AS rate_set,
       v.skew_seconds,
       nullif(g.speed, 0) AS speed,
       CASE WHEN g.grown IS NOT NULL THEN p.slowed_why END AS speed_why,
       CASE WHEN g.grown IS NOT NULL THEN p.slowed_at END AS slowed_at,
       h.kind
  FROM push.hub h
       LEFT JOIN push.hub_state s ON s.hub = h.id
       LEFT JOIN push.hub_pace r ON r.hub = h.id
       LEFT JOIN LATERAL push.pace_of(r, s.paced_from) p ON true
       LEFT JOIN LATERAL (                      -- a query without these columns does not pay for the count
           SELECT count(*) FILTER (WHERE d.due_at <= now()) AS due,
                  count(*) FILTER (WHERE d.due_at > now() AND d.due_at < push.paused_until()) AS later,
                  min(d.due_at) FILTER (WHERE d.due_at <= now()) AS oldest
             FROM push.due d
            WHERE d.hub = h.id) b ON true,
       LATERAL (
           SELECT count(*) AS workers,
                  string_agg(v.name, ', ' ORDER BY v.name)
                      FILTER (WHERE v.settings_hash <> h.settings_hash) AS differing,
                  count(v.trouble) AS without_pass,
                  min(v.trouble) AS trouble,
                  min(v.token_expires_at) AS token_expires_at,
                  sum(v."window") AS "window",
                  sum(v.in_flight) AS in_flight,
                  sum(v.rate) AS answers_per_second,
                  (array_agg(v.skew_seconds ORDER BY abs(v.skew_seconds) DESC NULLS LAST))[1] AS skew_seconds
             FROM (SELECT w.name, v.*
                     FROM push.serving v
                          JOIN push.worker w ON w.id = v.worker
                    WHERE v.hub = h.id
                      AND push.is_alive(w.beat_at, w.lease_seconds)) v) v,
       LATERAL (                                -- dead workers that were not rescued yet count as well
           SELECT CASE
                      WHEN v.workers = 0 THEN coalesce(greatest(s.served_at, max(d.at)), h.registered_at)
                  END AS unserved_since
             FROM push.serving d
            WHERE d.hub = h.id) u,
       LATERAL (
           SELECT push.current_rate(
                      coalesce(s.rate, (h.settings ->> 'ratePerSecond')::double precision, 0), p.slowed_to,
                      push.seconds_between(p.slowed_at, now())) AS speed,
                  push.throttled_rate(p.slowed_to, push.seconds_between(p.slowed_at, now())) AS grown) g
 WHERE h.removed_at IS NULL;
COMMENT ON VIEW push.hub_health IS 'Whether each hub takes posts now, why not, and which workers serve it.';
COMMENT ON COLUMN push.hub_health.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.hub_health.state IS
    'open; failing: posts of some worker do not get through; gate closed: the hub throttles; held: it refuses us; '
    'paused: by a person; no pass: no worker has an access token for it yet, and they ask for one again and again.';
COMMENT ON COLUMN push.hub_health.why IS 'Why it is not open; null: it is.';
COMMENT ON COLUMN push.hub_health.since IS
    'When the hub was held, else when gate, pause or breaker last changed; null: no state yet.';
COMMENT ON COLUMN push.hub_health.gate_until IS
    'When a closed gate opens; push.open_gate opens it now. Null: not closed.';
COMMENT ON COLUMN push.hub_health.next_probe IS 'When the next message is tried on a held hub; null: not held, or held until push.resume_hub.';
COMMENT ON COLUMN push.hub_health.due IS 'Pointers that are due now. Translations of one content count once.';
COMMENT ON COLUMN push.hub_health.later IS 'Pointers that are due later.';
COMMENT ON COLUMN push.hub_health.waiting IS 'How long the oldest due pointer has waited; null: none is due.';
COMMENT ON COLUMN push.hub_health.workers IS 'Living workers that serve it (push.is_alive).';
COMMENT ON COLUMN push.hub_health.unserved_since IS
    'Since when no worker serves it: its messages wait until they expire. Null: at least one does.';
COMMENT ON COLUMN push.hub_health.differing IS
    'Names of workers whose settings of the hub are not the registered ones, which the INSERT uses. Null: no such worker.';
COMMENT ON COLUMN push.hub_health.note IS 'unserved_since and differing in words; null: nothing to say.';
COMMENT ON COLUMN push.hub_health.key IS 'The key that workers sign with: primary or secondary.';
COMMENT ON COLUMN push.hub_health.key_since IS 'When the key was last changed; null: never.';
COMMENT ON COLUMN push.hub_health.key_reason IS
    'Who changed the key, or what the hub said about the other one; null: it was never changed.';
COMMENT ON COLUMN push.hub_health.token_expires_at IS
    'When the first of the workers'' tokens expires; they sign new ones before that. Null: no token yet.';
COMMENT ON COLUMN push.hub_health."window" IS
    'Posts that all workers together may have in flight now; null: no worker.';
COMMENT ON COLUMN push.hub_health.in_flight IS 'Posts they have in flight; null: no worker.';
COMMENT ON COLUMN push.hub_health.answers_per_second IS 'Answers per second they got of late; null: no worker.';
COMMENT ON COLUMN push.hub_health.rate IS 'Posts per second at most, over all workers; null: no limit.';
COMMENT ON COLUMN push.hub_health.rate_set IS
    'Whether push.set_rate set the rate; otherwise it is ratePerSecond of the configuration.';
COMMENT ON COLUMN push.hub_health.skew_seconds IS
    'Seconds the clock of the worker that is furthest off is ahead of the hub''s (negative: behind); null: not known.';
COMMENT ON COLUMN push.hub_health.speed IS
    'Posts per second at most, over all workers, at this moment: the rate, or less for three minutes after the hub '
    'throttled, doubling every 30 seconds. Null: no limit.';
COMMENT ON COLUMN push.hub_health.speed_why IS
    'What the hub said when it throttled; null: it did not in the last three minutes.';
COMMENT ON COLUMN push.hub_health.slowed_at IS 'When the hub throttled; null: it did not in the last three minutes.';
COMMENT ON COLUMN push.hub_health.kind IS 'The service that it sends through: push.hub_kind.name.';

CREATE OR REPLACE VIEW push.answers AS
SELECT a.post, a.at, a.milliseconds, a.verdict, a.http, a.tracking_id, a.notification_id, a.error
  FROM push.answer a
UNION ALL
SELECT r.post, r.at, r.milliseconds, 'accepted', r.http, r.tracking_id, r.notification_id, NULL
  FROM push.result r
 WHERE r.milliseconds IS NOT NULL;
COMMENT ON VIEW push.answers IS
    'What came back for each post; a post without a row here is unanswered. Reads everything: for one message ask '
    'push.message_status.';
COMMENT ON COLUMN push.answers.post IS 'The post: push.post.id.';
COMMENT ON COLUMN push.answers.at IS 'When the answer was recorded.';
COMMENT ON COLUMN push.answers.milliseconds IS
    'Milliseconds from the hand-over to the transport to the end of the answer.';
COMMENT ON COLUMN push.answers.verdict IS 'What the answer means.';
COMMENT ON COLUMN push.answers.http IS 'HTTP status; null: no answer came.';
COMMENT ON COLUMN push.answers.tracking_id IS
    'The hub''s id of the request, which its support asks for; null: the answer had none.';
COMMENT ON COLUMN push.answers.notification_id IS
    'The hub''s id of the notification (Standard tier); null: the answer had none.';
COMMENT ON COLUMN push.answers.error IS 'What the hub or the network said; null: no error.';

CREATE OR REPLACE VIEW push.recent_failures AS
SELECT r.id,
       m.hub,
       push.target_of(m.tag, m.handles, m.broadcast, m.recipient) AS target,
       m.locale,
       r.status,
       r.reason,
       push.reason_class(r.reason) AS class,
       r.at,
       coalesce(r.note, a.error) AS note,
       CASE WHEN NOT push.is_no_post(r.post) THEN r.post END AS post,
       a.http,
       a.tracking_id,
       m.campaign,
       m.run,
       m.tenant
  FROM push.result r,
       LATERAL (
           SELECT m.hub, m.tag, m.handles, m.broadcast, m.recipient, m.locale, m.campaign, m.run, m.tenant
             FROM push.message m
            WHERE m.id = r.id
           OFFSET 0) m
       LEFT JOIN LATERAL (
           SELECT a.http, a.tracking_id, a.error
             FROM push.answer a
            WHERE a.post = r.post
           OFFSET 0) a ON true
 WHERE r.status IN ('rejected', 'expired')
   AND r.at > now() - interval '24 hours'
   AND NOT EXISTS (SELECT FROM push.result n WHERE n.id = r.id AND n.arrival > r.arrival OFFSET 0)
 ORDER BY r.at DESC;
COMMENT ON VIEW push.recent_failures IS
    'Messages that failed for good in the last 24 hours, newest first, without those that were sent again since. Send '
    'again with push.retry.';
COMMENT ON COLUMN push.recent_failures.id IS 'The message: push.message.id.';
COMMENT ON COLUMN push.recent_failures.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.recent_failures.target IS
    'The tag or expression, how many handles, or (everyone); (no tag): a recipient of a campaign whose row names none; '
    '(erased): push.erase removed it.';
COMMENT ON COLUMN push.recent_failures.locale IS 'Language of the content; null: it has none.';
COMMENT ON COLUMN push.recent_failures.status IS 'rejected or expired.';
COMMENT ON COLUMN push.recent_failures.reason IS 'Why it failed.';
COMMENT ON COLUMN push.recent_failures.class IS 'Who must act on the reason (push.reason_class).';
COMMENT ON COLUMN push.recent_failures.at IS 'When it failed.';
COMMENT ON COLUMN push.recent_failures.note IS
    'What was wrong and what to do; else what the hub said. Null: nothing is known.';
COMMENT ON COLUMN push.recent_failures.post IS 'The post that decided it; null: it failed without one.';
COMMENT ON COLUMN push.recent_failures.http IS 'HTTP status of that post''s answer; null: no answer.';
COMMENT ON COLUMN push.recent_failures.tracking_id IS
    'The hub''s id of the request, which its support asks for; null: no answer, or none in it.';
COMMENT ON COLUMN push.recent_failures.campaign IS 'push.message.campaign.';
COMMENT ON COLUMN push.recent_failures.run IS 'push.message.run.';
COMMENT ON COLUMN push.recent_failures.tenant IS 'push.message.tenant.';

CREATE OR REPLACE VIEW push.in_doubt AS
SELECT r.id,
       m.hub,
       push.target_of(m.tag, m.handles, m.broadcast, m.recipient) AS tag,
       m.locale,
       r.at AS since,
       r.reason,
       r.post,
       p.at AS posted_at,
       p.target,
       a.error,
       r.note,
       m.campaign,
       m.tenant
  FROM push.result r
       JOIN push.message m ON m.id = r.id
       LEFT JOIN LATERAL (
           SELECT p.at, p.target
             FROM push.post p
            WHERE p.id = r.post
           OFFSET 0) p ON true
       LEFT JOIN LATERAL (
           SELECT a.error
             FROM push.answer a
            WHERE a.post = r.post
           OFFSET 0) a ON true
 WHERE r.status = 'in_doubt'
   AND NOT EXISTS (
           SELECT
             FROM push.result n
            WHERE n.id = r.id
              AND n.arrival > r.arrival
           OFFSET 0);
COMMENT ON VIEW push.in_doubt IS
    'Messages that may have been sent and got no answer. Decide with push.resolve(ids, ''accepted'' | ''rejected'' | '
    '''resend'').';
COMMENT ON COLUMN push.in_doubt.id IS 'The message: push.message.id.';
COMMENT ON COLUMN push.in_doubt.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.in_doubt.tag IS 'The tag or expression as enqueued, how many handles, or (everyone).';
COMMENT ON COLUMN push.in_doubt.locale IS 'Language of the content; null: it has none.';
COMMENT ON COLUMN push.in_doubt.since IS 'When the message became in doubt.';
COMMENT ON COLUMN push.in_doubt.reason IS 'answer_lost: no answer came; worker_lost: the worker ended first.';
COMMENT ON COLUMN push.in_doubt.post IS 'The post that carried the message.';
COMMENT ON COLUMN push.in_doubt.posted_at IS 'When that post was about to leave.';
COMMENT ON COLUMN push.in_doubt.target IS
    'What that post was sent to: a tag expression, or how many handles; null: a broadcast.';
COMMENT ON COLUMN push.in_doubt.error IS 'What the network said; null: no answer was recorded.';
COMMENT ON COLUMN push.in_doubt.note IS 'What happened.';
COMMENT ON COLUMN push.in_doubt.campaign IS 'push.message.campaign.';
COMMENT ON COLUMN push.in_doubt.tenant IS 'push.message.tenant.';
