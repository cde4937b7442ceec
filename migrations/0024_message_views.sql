-- Fanfare, migration 24: Views of messages: where each one is, what is in doubt, what failed, what is lost.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE VIEW push.message_status AS
SELECT m.id, m.hub, push.target_of(m.tag, m.handles, m.broadcast) AS target, m.locale,
       CASE WHEN r.status IS NOT NULL AND r.status <> 'retrying' THEN r.status
            WHEN d.due_at IS NOT NULL AND r.status = 'retrying' THEN r.status
            WHEN d.due_at > now() THEN 'scheduled'
            WHEN d.due_at IS NOT NULL THEN 'due'
            WHEN c.post IS NOT NULL THEN 'posting'
            WHEN c.id IS NOT NULL THEN 'claimed'
            ELSE r.status END AS status,
       r.reason, push.reason_class(r.reason) AS class,
       (SELECT count(*) FROM (SELECT DISTINCT p.post / 10000 FROM push.result p WHERE p.id = m.id AND p.post IS NOT NULL UNION SELECT c.id WHERE c.id IS NOT NULL) k(claim),
               LATERAL (SELECT p.ids FROM push.post p WHERE p.id > k.claim * 10000 AND p.id < (k.claim + 1) * 10000 OFFSET 0) p WHERE m.id = ANY (p.ids)) AS posts,
       coalesce(r.at, m.created_at) AS since, d.due_at AS next_try, r.note, coalesce(c.post, nullif(r.post, r.post / 10000 * 10000)) AS post,
       a.http, a.tracking_id, a.notification_id, a.error, w.name AS worker, m.campaign, m.run, m.tenant, m.created_at
  FROM push.message m
       JOIN push.hub h ON h.name = m.hub
       LEFT JOIN LATERAL (SELECT * FROM push.result r WHERE r.id = m.id ORDER BY r.at DESC LIMIT 1) r ON true
       LEFT JOIN LATERAL (SELECT lead FROM push.translation t WHERE t.id = m.id AND (r.status IS NULL OR r.status = 'retrying') OFFSET 0) t ON true
       LEFT JOIN LATERAL (SELECT d.due_at FROM push.due d WHERE d.hub = h.id AND d.priority = m.priority AND d.id = coalesce(t.lead, m.id)
                             AND d.due_at = push.due_at_of(coalesce(t.lead, m.id)) AND (r.status IS NULL OR r.status = 'retrying')
                          UNION ALL                                        -- a content with a key, not gathered yet
                          SELECT d.due_at FROM push.content k, LATERAL (SELECT d.due_at FROM push.due d
                                    WHERE d.hub = k.hub AND d.priority = k.priority AND d.due_at = k.due_at AND d.id = k.lead AND d.keyed OFFSET 0) d
                           WHERE m.content_key IS NOT NULL AND k.id = m.id AND r.status IS NULL LIMIT 1) d ON true
       LEFT JOIN LATERAL (SELECT c.id, c.worker, (SELECT p.id FROM push.post p WHERE p.id >= c.id * 10000 AND p.id < (c.id + 1) * 10000 AND m.id = ANY (p.ids) ORDER BY p.id DESC LIMIT 1) AS post
                            FROM push.claim c
                           WHERE (r.status IS NULL OR r.status = 'retrying') AND d.due_at IS NULL AND m.id = ANY (c.ids) AND (r.post IS NULL OR r.post / 10000 <> c.id) LIMIT 1) c ON true
       LEFT JOIN push.worker w ON w.id = c.worker
       LEFT JOIN LATERAL (SELECT * FROM push.answer a WHERE a.post = r.post OFFSET 0) a ON r.post IS NOT NULL;
COMMENT ON VIEW push.message_status IS
    'Where each message is and why; ask with WHERE id = ... The column posts counts the requests that carried it, so '
    'that no repeat is silent.';
COMMENT ON COLUMN push.message_status.id IS 'The message: push.message.id.';
COMMENT ON COLUMN push.message_status.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.message_status.target IS 'The tag or expression, how many handles, or (everyone).';
COMMENT ON COLUMN push.message_status.locale IS 'Language of the content; null: it has none.';
COMMENT ON COLUMN push.message_status.status IS 'scheduled, due, claimed, posting, retrying, or a final status.';
COMMENT ON COLUMN push.message_status.reason IS 'Reason of the newest result; null: no result yet.';
COMMENT ON COLUMN push.message_status.class IS
    'Who must act on the reason: content, target, credentials, provider, network, policy; none for accepted. Null: no '
    'result yet.';
COMMENT ON COLUMN push.message_status.posts IS
    'Requests that carried it. More than 1: it was tried more than once, or left again in a half of a refused post.';
COMMENT ON COLUMN push.message_status.since IS
    'Time of the newest result; before the first one, when the message was enqueued.';
COMMENT ON COLUMN push.message_status.next_try IS 'When a pending message is due; null: it is not pending.';
COMMENT ON COLUMN push.message_status.note IS 'What was wrong and what to do; null: nothing to say.';
COMMENT ON COLUMN push.message_status.post IS 'The post that carries the message or decided it; null: none yet.';
COMMENT ON COLUMN push.message_status.http IS 'HTTP status of that post''s answer; null: no answer.';
COMMENT ON COLUMN push.message_status.tracking_id IS
    'The hub''s id of the request, which its support asks for; null: no answer, or none in it.';
COMMENT ON COLUMN push.message_status.notification_id IS
    'The hub''s id of the notification (Standard tier); null: no answer, or none in it.';
COMMENT ON COLUMN push.message_status.error IS 'What the hub or the network said; null: no error.';
COMMENT ON COLUMN push.message_status.worker IS 'host/pid of the worker that holds it now; null: none.';
COMMENT ON COLUMN push.message_status.campaign IS 'push.message.campaign.';
COMMENT ON COLUMN push.message_status.run IS 'push.message.run.';
COMMENT ON COLUMN push.message_status.tenant IS 'push.message.tenant.';
COMMENT ON COLUMN push.message_status.created_at IS 'When the message was enqueued.';

CREATE FUNCTION push.status_of(id bigint) RETURNS SETOF push.message_status
LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN QUERY SELECT * FROM push.message_status s WHERE s.id = $1;
END $$;
COMMENT ON FUNCTION push.status_of IS 'One row of push.message_status, with a plan that does not depend on statistics.';

CREATE VIEW push.in_doubt AS
SELECT r.id, m.hub, push.target_of(m.tag, m.handles, m.broadcast) AS tag, m.locale, r.at AS since, r.reason, r.post, p.at AS posted_at, p.target, a.error, r.note, m.campaign, m.tenant
  FROM push.result r
       JOIN push.message m ON m.id = r.id
       LEFT JOIN LATERAL (SELECT * FROM push.post p WHERE p.id = r.post OFFSET 0) p ON true
       LEFT JOIN LATERAL (SELECT * FROM push.answer a WHERE a.post = r.post OFFSET 0) a ON true
 WHERE r.status = 'in_doubt' AND NOT EXISTS (SELECT FROM push.result n WHERE n.id = r.id AND n.at > r.at OFFSET 0);
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

CREATE VIEW push.lost AS
WITH newest AS (
    SELECT DISTINCT ON (id) id, status FROM push.result ORDER BY id, at DESC
), pending AS (
    SELECT CASE WHEN d.translations THEN t.id ELSE d.id END AS id, count(*) AS n FROM push.due d LEFT JOIN push.translation t ON d.translations AND t.lead = d.id
     WHERE NOT d.keyed GROUP BY 1
    UNION ALL
    SELECT k.id, count(*) FROM push.due d JOIN push.content k ON k.lead = d.id
     WHERE d.keyed AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = k.id)
       AND NOT EXISTS (SELECT FROM push.content_taken x WHERE x.hub = k.hub AND x.tag = k.tag AND x.content_key = k.content_key AND x.priority = k.priority AND k.id = ANY (x.ids))
     GROUP BY 1
), held AS (
    SELECT u.id, count(*) AS n FROM push.claim c, unnest(c.ids) u(id)
     WHERE NOT EXISTS (SELECT FROM push.result r WHERE r.id = u.id AND r.post / 10000 = c.id) GROUP BY 1
)
SELECT m.id, m.hub,
       CASE WHEN n.status IS NOT NULL AND n.status <> 'retrying' THEN 'has a final result and is still pending or held'
            WHEN p.n IS NULL AND h.n IS NULL THEN 'is nowhere' ELSE 'is pending or held more than once' END AS problem
  FROM push.message m LEFT JOIN newest n ON n.id = m.id LEFT JOIN pending p ON p.id = m.id LEFT JOIN held h ON h.id = m.id
 WHERE CASE WHEN n.status IS NOT NULL AND n.status <> 'retrying' THEN 0 ELSE 1 END <> coalesce(p.n, 0) + coalesce(h.n, 0)
UNION ALL
SELECT r.id, min(m.hub), 'was accepted in more than one post'
  FROM push.result r JOIN push.message m ON m.id = r.id
 WHERE r.status = 'accepted' AND r.post IS NOT NULL GROUP BY r.id HAVING count(DISTINCT r.post) > 1;
COMMENT ON VIEW push.lost IS
    'Must be empty: messages that are not in exactly one of push.due, a claim, or a final result. Reads everything; '
    'for checks, not for dashboards.';
COMMENT ON COLUMN push.lost.id IS 'The message: push.message.id.';
COMMENT ON COLUMN push.lost.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.lost.problem IS 'Which rule the message breaks.';

CREATE VIEW push.recent_failures AS
SELECT r.id, m.hub, push.target_of(m.tag, m.handles, m.broadcast) AS target,
       m.locale, r.status, r.reason, push.reason_class(r.reason) AS class, r.at, coalesce(r.note, a.error) AS note,
       nullif(r.post, r.post / 10000 * 10000) AS post, a.http, a.tracking_id, m.campaign, m.run, m.tenant
  FROM push.result r,
       LATERAL (SELECT hub, tag, handles, broadcast, locale, campaign, run, tenant FROM push.message m WHERE m.id = r.id OFFSET 0) m
       LEFT JOIN LATERAL (SELECT http, tracking_id, error FROM push.answer a WHERE a.post = r.post OFFSET 0) a ON true
 WHERE r.status IN ('rejected', 'expired') AND r.at > now() - interval '24 hours'
   AND NOT EXISTS (SELECT FROM push.result n WHERE n.id = r.id AND n.at > r.at OFFSET 0)
 ORDER BY r.at DESC;
COMMENT ON VIEW push.recent_failures IS
    'Messages that failed for good in the last 24 hours, newest first, without those that were sent again since. Send '
    'again with push.retry.';
COMMENT ON COLUMN push.recent_failures.id IS 'The message: push.message.id.';
COMMENT ON COLUMN push.recent_failures.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.recent_failures.target IS 'The tag or expression, how many handles, or (everyone).';
COMMENT ON COLUMN push.recent_failures.locale IS 'Language of the content; null: it has none.';
COMMENT ON COLUMN push.recent_failures.status IS 'rejected or expired.';
COMMENT ON COLUMN push.recent_failures.reason IS 'Why it failed.';
COMMENT ON COLUMN push.recent_failures.class IS
    'Who must act on the reason: content, target, credentials, provider, network, policy.';
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

INSERT INTO push.migration (version, name) VALUES (24, 'message_views');
