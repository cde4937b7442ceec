-- Where each message is, and which are lost.

CREATE OR REPLACE FUNCTION push_internal.is_erased(content json) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN content::text = 'null';
COMMENT ON FUNCTION push_internal.is_erased IS 'Whether push.erase removed this push.message.content.';

CREATE OR REPLACE FUNCTION push.holder_of(id bigint, hub int, priority smallint)
RETURNS TABLE (
    claim  bigint,
    worker int,
    epoch  int,
    post   bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_variable
DECLARE
    -- Claims that the message has left have results of it, and those that came later have higher ids.
    after constant bigint := greatest(
        push_internal.lowest_claim() - 1,
        (SELECT push.claim_of(max(r.post)) FROM push.result r WHERE r.id = holder_of.id));
BEGIN
    RETURN QUERY
    SELECT c.id, c.worker, c.epoch, p.id
      FROM push.claim c
           LEFT JOIN LATERAL (
               SELECT p.id
                 FROM push.post p
                WHERE p.id BETWEEN push.first_post(c.id) AND push.last_post(c.id)
                  AND holder_of.id = ANY (p.ids)
                ORDER BY p.id DESC
                LIMIT 1) p ON true
     WHERE c.id > after
       AND c.hub = holder_of.hub
       AND c.priority = holder_of.priority
       AND holder_of.id = ANY (c.ids)
     ORDER BY c.id DESC
     LIMIT 1;
END $$;
COMMENT ON FUNCTION push.holder_of IS
    'The claim that a message is in, and the newest post of it that carries the message (null: none); no row: it is '
    'in no claim. Looks only at claims that can have it.';

CREATE OR REPLACE VIEW push.message_status AS
SELECT m.id,
       m.hub,
       push.target_of(m.tag, m.handles, m.broadcast, m.recipient) AS target,
       m.locale,
       CASE
           WHEN r.status <> 'retrying' THEN r.status
           WHEN d.due_at IS NOT NULL AND r.status = 'retrying' THEN r.status
           WHEN d.due_at > now() AND d.waits_since <= now() THEN 'waiting'
           WHEN d.due_at > now() THEN 'scheduled'
           WHEN d.due_at IS NOT NULL THEN 'due'
           WHEN c.post IS NOT NULL THEN 'posting'
           WHEN c.claim IS NOT NULL THEN 'claimed'
           ELSE r.status
       END AS status,
       r.reason,
       push.reason_class(r.reason) AS class,
       (SELECT count(*)
          FROM (SELECT push.claim_of(p.post)
                  FROM push.result p
                 WHERE p.id = m.id
                   AND p.post IS NOT NULL
                UNION
                SELECT c.claim
                 WHERE c.claim IS NOT NULL) k(claim),
               LATERAL (
                   SELECT p.ids
                     FROM push.post p
                    WHERE p.id BETWEEN push.first_post(k.claim) AND push.last_post(k.claim)
                   OFFSET 0) p
         WHERE m.id = ANY (p.ids)) AS posts,
       coalesce(r.at, m.created_at) AS since,
       coalesce(CASE WHEN d.waits_since > now() THEN d.waits_since ELSE d.waits_until END, d.due_at) AS next_try,
       coalesce(r.note, CASE WHEN d.waits_since <= now() THEN push.awaited_by(d.id) END) AS note,
       coalesce(c.post, CASE WHEN NOT push.is_no_post(r.post) THEN r.post END) AS post,
       coalesce(r.http, a.http) AS http,
       coalesce(r.tracking_id, a.tracking_id) AS tracking_id,
       coalesce(r.notification_id, a.notification_id) AS notification_id,
       a.error,
       w.name AS worker,
       m.campaign,
       m.run,
       m.tenant,
       m.created_at
  FROM push.message m
       JOIN push.hub h ON h.name = m.hub
       LEFT JOIN LATERAL (
           SELECT r.status, r.reason, r.at, r.note, r.post, r.milliseconds, r.http, r.tracking_id, r.notification_id
             FROM push.result r
            WHERE r.id = m.id
            ORDER BY r.arrival DESC
            LIMIT 1) r ON true
       LEFT JOIN LATERAL (
           SELECT t.lead
             FROM push.translation t
            WHERE t.id = m.id
              AND (r.status IS NULL OR r.status = 'retrying')
           OFFSET 0) t ON true
       LEFT JOIN LATERAL (
           SELECT d.due_at, d.id, w.since AS waits_since, w.until AS waits_until
             FROM push.due d
                  LEFT JOIN push.waiting w ON w.id = d.id AND w.due_at = d.due_at
            WHERE d.hub = h.id
              AND d.priority = m.priority
              AND d.due_at = push.due_at_of(coalesce(t.lead, m.id))
              AND d.id = coalesce(t.lead, m.id)
              AND (r.status IS NULL OR r.status = 'retrying')
           UNION ALL                                        -- a content with a key, not gathered yet
           SELECT d.due_at, NULL, NULL, NULL
             FROM push.content k,
                  LATERAL (
                      SELECT d.due_at
                        FROM push.due d
                       WHERE d.hub = k.hub
                         AND d.priority = k.priority
                         AND d.due_at = k.due_at
                         AND d.id = k.lead
                         AND d.kind = 'k'
                      OFFSET 0) d
            WHERE k.id = m.id
              AND m.content_key IS NOT NULL
              AND r.status IS NULL
            LIMIT 1) d ON true
       LEFT JOIN LATERAL (
           SELECT c.claim, c.worker, c.epoch, c.post
             FROM push.holder_of(m.id, h.id, m.priority) c
            WHERE d.due_at IS NULL
              AND (r.status IS NULL OR r.status = 'retrying')
           OFFSET 0) c ON true
       LEFT JOIN push.worker w ON w.id = c.worker AND w.epoch = c.epoch
       LEFT JOIN LATERAL (
           SELECT a.http, a.tracking_id, a.notification_id, a.error
             FROM push.answer a
            WHERE a.post = r.post
           OFFSET 0) a ON r.post IS NOT NULL AND r.milliseconds IS NULL;
COMMENT ON VIEW push.message_status IS
    'Where each message is and why; ask with WHERE id = ... The column posts counts the requests that carried it, so '
    'that no repeat is silent.';
COMMENT ON COLUMN push.message_status.id IS 'The message: push.message.id.';
COMMENT ON COLUMN push.message_status.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.message_status.target IS
    'The tag or expression, how many handles, or (everyone); (no tag): a recipient of a campaign whose row names none; '
    '(erased): push.erase removed it.';
COMMENT ON COLUMN push.message_status.locale IS 'Language of the content; null: it has none.';
COMMENT ON COLUMN push.message_status.status IS
    'scheduled, waiting (for a message or a device: note says which), due, claimed, posting, retrying, or a final status.';
COMMENT ON COLUMN push.message_status.reason IS 'Reason of the newest result; null: no result yet.';
COMMENT ON COLUMN push.message_status.class IS
    'Who must act on the reason (push.reason_class); none for accepted. Null: no result yet.';
COMMENT ON COLUMN push.message_status.posts IS
    'Requests that carried it. More than 1: it was tried more than once, or left again in a half of a refused post.';
COMMENT ON COLUMN push.message_status.since IS
    'Time of the newest result; before the first one, when the message was enqueued.';
COMMENT ON COLUMN push.message_status.next_try IS
    'When a pending message is due, or stops waiting; null: it is not pending.';
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

CREATE OR REPLACE FUNCTION push.find_message(id bigint) RETURNS SETOF push.message_status
LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN QUERY
    SELECT s.*
      FROM push.message_status s
     WHERE s.id = find_message.id;
END $$;
COMMENT ON FUNCTION push.find_message IS
    'One row of push.message_status, with a plan that does not depend on statistics.';

CREATE OR REPLACE VIEW push.lost AS
WITH newest AS (
    SELECT DISTINCT ON (r.id) r.id, r.status <> 'retrying' AS is_final
      FROM push.result r
     ORDER BY r.id, r.arrival DESC
), pointer AS (
    SELECT d.id, d.hub, d.kind, d.due_at,
           CASE
               WHEN d.hub NOT IN (SELECT h.id FROM push.hub h)
               THEN format('waits for hub %s, which is not in push.hub', d.hub)
               WHEN d.priority NOT IN (0, 1, 2)
               THEN format('waits with priority %s, which no worker claims', d.priority)
               WHEN d.kind NOT IN ('p', 't', 'k')
               THEN format('waits as kind "%s", which no worker knows', d.kind)
               WHEN d.due_at > '2200-01-01 00:00+00'
               THEN 'waits for a time that does not come'
           END AS flaw
      FROM push.due d
), pending AS (
    SELECT coalesce(t.id, d.id) AS id, d.hub, d.due_at, d.flaw
      FROM pointer d
           LEFT JOIN push.translation t ON d.kind = 't' AND t.lead = d.id
     WHERE d.kind <> 'k'
    UNION ALL
    SELECT k.id, d.hub, d.due_at, d.flaw
      FROM pointer d
           JOIN push.content k ON k.lead = d.id
     WHERE d.kind = 'k'
       AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = k.id)
       AND NOT EXISTS (
               SELECT
                 FROM push.content_taken x
                WHERE (x.hub, x.tag, x.content_key, x.priority, x.tenant)
                    = (k.hub, k.tag, k.content_key, k.priority, k.tenant)
                  AND k.id = ANY (x.ids))
    UNION ALL
    -- Of any worker: a claim of one that has ended, or was never registered, is rescued by the next heartbeat of another.
    SELECT u.id, c.hub, NULL, CASE
               WHEN c.hub NOT IN (SELECT h.id FROM push.hub h)
               THEN format('is held for hub %s, which is not in push.hub', c.hub)
               WHEN u.attempt IS NULL
               THEN 'is held by a claim that does not count its attempts'
           END
      FROM push.claim c, unnest(c.ids, c.attempts) u(id, attempt)
     WHERE u.id IS NOT NULL
       AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = u.id AND push.claim_of(r.post) = c.id)
), place AS (
    SELECT p.id, min(p.hub) AS hub, count(*) AS n, min(p.flaw) AS flaw, max(p.due_at) AS due_at
      FROM pending p
     GROUP BY p.id
), found AS (
    SELECT m.id,
           m.hub,
           CASE
               WHEN n.is_final AND p.n > 0 THEN 'has a final result and is still pending or held'
               WHEN n.is_final THEN NULL
               WHEN p.n IS NULL THEN 'is nowhere'
               WHEN p.n > 1 THEN 'is pending or held more than once'
               WHEN p.flaw IS NOT NULL THEN p.flaw
               WHEN h.name <> m.hub THEN format('waits for hub %s, which is not its own', h.name)
               WHEN p.due_at >= push.paused_until() AND m.stream IS NULL AND m.send_at < push.paused_until()
               THEN 'is parked, and belongs to no run'
           END AS problem
      FROM push.message m
           LEFT JOIN newest n ON n.id = m.id
           LEFT JOIN place p ON p.id = m.id
           LEFT JOIN push.hub h ON h.id = p.hub
)
SELECT f.id, f.hub, f.problem
  FROM found f
 WHERE f.problem IS NOT NULL
UNION ALL
SELECT p.id, h.name, 'is pending or held, and has no row in push.message'
  FROM place p
       LEFT JOIN push.hub h ON h.id = p.hub
 WHERE NOT EXISTS (SELECT FROM push.message m WHERE m.id = p.id)
UNION ALL
SELECT n.id, NULL, 'has a result, and no row in push.message'
  FROM newest n
 WHERE NOT EXISTS (SELECT FROM push.message m WHERE m.id = n.id)
   AND NOT EXISTS (SELECT FROM place p WHERE p.id = n.id)
UNION ALL
SELECT r.id, min(m.hub), 'was accepted more than once'
  FROM push.result r
       JOIN push.message m ON m.id = r.id
 WHERE r.status = 'accepted'
   AND r.post IS NOT NULL
 GROUP BY r.id
HAVING count(*) > 1
UNION ALL
SELECT d.id, m.hub, 'is parked, and its run is ' || r.state
  FROM push.due d
       JOIN push.message m ON m.id = d.id
       JOIN push.stream t ON t.id = m.stream
       JOIN push.run r ON r.id = t.run
 WHERE d.due_at >= push.paused_until()
   AND r.state <> 'paused'
   AND r.state_since < clock_timestamp() - interval '1 min';                   -- a look of a worker comes first
COMMENT ON VIEW push.lost IS
    'Must be empty: messages that are not in exactly one of push.due, a claim, or a final result, or in a place from '
    'which no worker takes them; and what is left of messages that are gone. Reads everything; for checks, not for '
    'dashboards.';
COMMENT ON COLUMN push.lost.id IS 'The message: push.message.id.';
COMMENT ON COLUMN push.lost.hub IS 'Name of its hub; null: neither its row nor its place names one.';
COMMENT ON COLUMN push.lost.problem IS 'Which rule the message breaks.';
