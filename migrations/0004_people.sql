-- Fanfare, migration 4: for people with psql. Views to look at and functions that act; every action is written to
-- push.audit.

SELECT pg_advisory_xact_lock(7310868735422034533);
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.iso(at timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
COMMENT ON FUNCTION push.iso IS 'A time as ISO 8601 in UTC, with milliseconds.';

CREATE FUNCTION push.target_of(tag text, handles text[], broadcast boolean) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN broadcast THEN '(everyone)' WHEN handles IS NOT NULL THEN cardinality(handles) || CASE WHEN cardinality(handles) = 1 THEN ' handle' ELSE ' handles' END ELSE tag END
$$;
COMMENT ON FUNCTION push.target_of IS
    'Who gets a message, in words: the tag or expression, how many handles, or (everyone).';

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

CREATE VIEW push.backlog AS
SELECT h.name AS hub, d.priority, count(*) FILTER (WHERE d.due_at <= now()) AS due, count(*) FILTER (WHERE d.due_at > now()) AS later,
       count(*) FILTER (WHERE d.attempt > 0) AS retrying, min(d.due_at) AS oldest, now() - min(d.due_at) FILTER (WHERE d.due_at <= now()) AS waiting
  FROM push.due d JOIN push.hub h ON h.id = d.hub GROUP BY h.name, d.priority;
COMMENT ON VIEW push.backlog IS 'What is pending per hub and priority. Translations of one content count once.';
COMMENT ON COLUMN push.backlog.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.backlog.priority IS '0 urgent, 1 normal, 2 bulk.';
COMMENT ON COLUMN push.backlog.due IS 'Pointers that are due now.';
COMMENT ON COLUMN push.backlog.later IS 'Pointers that are scheduled, or wait for another try.';
COMMENT ON COLUMN push.backlog.retrying IS 'Pointers of messages that were tried before.';
COMMENT ON COLUMN push.backlog.oldest IS 'The earliest due_at.';
COMMENT ON COLUMN push.backlog.waiting IS 'How long the oldest due pointer has waited; null: none is due.';

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

CREATE VIEW push.workers AS
SELECT w.id, w.name, w.version, w.started_at, now() - w.beat_at AS last_beat, w.doing,
       count(c.id) AS claims, coalesce(sum(cardinality(c.ids)), 0) AS messages
  FROM push.worker w LEFT JOIN push.claim c ON c.worker = w.id GROUP BY w.id;
COMMENT ON VIEW push.workers IS 'Workers and what they hold.';
COMMENT ON COLUMN push.workers.id IS 'Number of the worker: push.worker.id.';
COMMENT ON COLUMN push.workers.name IS 'Host and process id: host/pid.';
COMMENT ON COLUMN push.workers.version IS 'Version of fanfare.';
COMMENT ON COLUMN push.workers.started_at IS 'When the worker registered.';
COMMENT ON COLUMN push.workers.last_beat IS 'Time since its last heartbeat.';
COMMENT ON COLUMN push.workers.doing IS 'What the worker is doing, in one line of its own; null: no heartbeat yet.';
COMMENT ON COLUMN push.workers.claims IS 'Claims it holds.';
COMMENT ON COLUMN push.workers.messages IS 'Messages in these claims.';

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

-- Acting --------------------------------------------------------------------------------------------------------------

CREATE FUNCTION push.stop(id bigint) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE m record; newest record; key record; leader bigint; pointer record; holder record; stay bigint[]; said text;
BEGIN
    PERFORM push.require_read_committed('push.cancel');
    SELECT x.hub, x.priority, x.content_key, h.id AS hub_id INTO m FROM push.message x JOIN push.hub h ON h.name = x.hub WHERE x.id = $1;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('there is no message %s', $1), HINT = 'Ids come from INSERT ... RETURNING id.';
    END IF;
    FOR try IN 1 .. 5 LOOP                       -- it may move between the tables while we look
        SELECT r.status INTO newest FROM push.result r WHERE r.id = $1 ORDER BY r.at DESC LIMIT 1;
        IF FOUND AND newest.status <> 'retrying' THEN said := CASE newest.status WHEN 'cancelled' THEN 'cancelled' ELSE 'too_late' END; EXIT; END IF;

        -- A content with a key that no worker has gathered yet. We lock the message and not its pointer, which stands
        -- for others too; gathering locks both. While we waited for the lock the message may have been gathered or
        -- ended.
        IF m.content_key IS NOT NULL THEN
            SELECT k.* INTO key FROM push.content k WHERE k.id = $1 FOR NO KEY UPDATE;
            IF FOUND AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = $1) AND EXISTS (SELECT FROM push.due d
                    WHERE d.hub = key.hub AND d.priority = key.priority AND d.due_at = key.due_at AND d.id = key.lead AND d.keyed)
               AND NOT EXISTS (SELECT FROM push.content_taken t WHERE t.hub = key.hub AND t.tag = key.tag AND t.content_key = key.content_key
                                  AND t.priority = key.priority AND $1 = ANY (t.ids)) THEN
                INSERT INTO push.result (id, status, reason) VALUES ($1, 'cancelled', 'cancelled_by_caller');
                DELETE FROM push.due d WHERE d.ctid = (          -- the last of its statement; if it is locked, gathering deletes it
                    SELECT d.ctid FROM push.due d WHERE d.hub = key.hub AND d.priority = key.priority AND d.due_at = key.due_at AND d.id = key.lead AND d.keyed
                       AND NOT EXISTS (SELECT FROM push.content k WHERE k.lead = key.lead AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = k.id))
                       FOR UPDATE SKIP LOCKED);
                said := 'cancelled';
                EXIT;
            END IF;
        END IF;

        leader := coalesce((SELECT t.lead FROM push.translation t WHERE t.id = $1), $1);
        SELECT d.ctid AS row, d.attempt INTO pointer FROM push.due d
         WHERE d.hub = m.hub_id AND d.priority = m.priority AND d.due_at = push.due_at_of(leader) AND d.id = leader AND NOT d.keyed FOR UPDATE;
        IF FOUND THEN
            DELETE FROM push.due d WHERE d.ctid = pointer.row;
            INSERT INTO push.result (id, status, reason) VALUES ($1, 'cancelled', 'cancelled_by_caller');
            stay := ARRAY(SELECT t.id FROM push.translation t WHERE t.lead = leader AND t.id <> $1 ORDER BY t.id);
            IF stay <> '{}' THEN                 -- the other translations are still sent
                PERFORM push.back_v1(array_fill(m.hub_id, ARRAY[cardinality(stay)]), array_fill(m.priority, ARRAY[cardinality(stay)]), stay,
                    array_fill(pointer.attempt, ARRAY[cardinality(stay)]), ARRAY(SELECT push.due_at_of(s) FROM unnest(stay) s));
            END IF;
            said := 'cancelled';
            EXIT;
        END IF;

        UPDATE push.claim c SET cancelled = c.cancelled || $1 WHERE $1 = ANY (c.ids) AND NOT $1 = ANY (c.cancelled)
           AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = $1 AND r.post / 10000 = c.id) RETURNING c.id INTO holder;
        IF FOUND THEN                            -- separate statements: they see all that got the lock before us
            IF EXISTS (SELECT FROM push.result r WHERE r.id = $1 AND r.post / 10000 = holder.id) THEN
                UPDATE push.claim c SET cancelled = array_remove(c.cancelled, $1) WHERE c.id = holder.id;
                CONTINUE;                        -- it left the claim while we waited: it is final or due again
            ELSIF EXISTS (SELECT FROM push.post p WHERE p.id >= holder.id * 10000 AND p.id < (holder.id + 1) * 10000 AND $1 = ANY (p.ids)
                             -- an answered post that gave it no result was split: the message waits to leave again
                             AND NOT EXISTS (SELECT FROM push.answer a WHERE a.post = p.id OFFSET 0)) THEN
                UPDATE push.claim c SET cancelled = array_remove(c.cancelled, $1) WHERE c.id = holder.id;
                said := 'too_late';
            ELSE
                INSERT INTO push.result (id, post, status, reason) VALUES ($1, holder.id * 10000, 'cancelled', 'cancelled_by_caller');
                said := 'cancelled';
            END IF;
            EXIT;
        END IF;
    END LOOP;
    said := coalesce(said, 'too_late');
    IF said = 'cancelled' AND newest.status IS DISTINCT FROM 'cancelled' THEN
        INSERT INTO push.tally AS t VALUES (m.hub_id, date_trunc('minute', clock_timestamp()), 'cancelled', 'cancelled_by_caller', 1)
            ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + 1;
    END IF;
    RETURN said;
END $$;
COMMENT ON FUNCTION push.stop IS 'What push.cancel does to one message, without the audit. Only for other functions.';

CREATE FUNCTION push.cancel(id bigint) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE said text := push.stop($1);
BEGIN
    INSERT INTO push.audit (action, detail) VALUES ('cancel', json_build_object('id', $1, 'answer', said));
    RETURN said;
END $$;
COMMENT ON FUNCTION push.cancel(bigint) IS
    'Stops a message. Returns cancelled (it will not be sent) or too_late (it was posted, or is final). Other '
    'translations of its content are still sent.';

CREATE FUNCTION push.with_translations(ids bigint[]) RETURNS bigint[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT ARRAY(SELECT u FROM unnest($1) u
                 UNION
                 SELECT s.id FROM unnest($1) u(id), LATERAL (SELECT t.lead FROM push.translation t WHERE t.id = u.id OFFSET 0) t,
                        LATERAL (SELECT s.id FROM push.translation s WHERE s.lead = t.lead OFFSET 0) s
                  ORDER BY 1)
$$;
COMMENT ON FUNCTION push.with_translations IS
    'These messages and the other translations of their contents. Only for other functions.';

CREATE FUNCTION push.resolve(ids bigint[], decision text) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE n int; them bigint[] := $1;
BEGIN
    IF decision NOT IN ('accepted', 'rejected', 'resend') OR decision IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.resolve: decision "%s"', decision),
            HINT = 'accepted (it was delivered after all), rejected (give it up) or resend (send it again; a device may get it twice).';
    END IF;
    PERFORM push.require_read_committed('push.resolve');
    -- Two callers at once, or a late answer (push.complete_v1): the first to lock the doubt decides it. The second
    -- finds it decided, because the next statement has a new snapshot.
    IF decision = 'resend' THEN them := push.with_translations(them); END IF;       -- they are sent together
    PERFORM FROM push.result r WHERE r.id = ANY (them) AND r.status = 'in_doubt' ORDER BY r.id FOR UPDATE;
    WITH d AS MATERIALIZED (
        SELECT i.id, i.post, h.id AS hub, m.priority, clock_timestamp() AS at, 16384::smallint AS attempt      -- attempt 0 of a new life: see push.life_v1
          FROM push.in_doubt i JOIN push.message m ON m.id = i.id JOIN push.hub h ON h.name = m.hub WHERE i.id = ANY (them)
    ), results AS (
        INSERT INTO push.result (id, post, at, due_at, status, reason, note)
        SELECT id, CASE WHEN decision <> 'resend' THEN post END, at, CASE WHEN decision = 'resend' THEN at END,
               CASE decision WHEN 'resend' THEN 'retrying' ELSE decision END::push.status, 'resolved', 'decided by ' || session_user FROM d
    ), back AS MATERIALIZED (
        SELECT push.back_v1(array_agg(hub), array_agg(priority), array_agg(id), array_agg(attempt), array_agg(at)) FROM d WHERE decision = 'resend' HAVING count(*) > 0
    ), counted AS (
        INSERT INTO push.tally AS t (hub, minute, status, reason, n)
        SELECT hub, date_trunc('minute', clock_timestamp()), CASE decision WHEN 'resend' THEN 'retrying' ELSE decision END::push.status, 'resolved', count(*)
          FROM d GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
            ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n
    )
    SELECT count(*) + 0 * (SELECT count(*) FROM back) INTO n FROM d;
    INSERT INTO push.audit (action, detail) VALUES ('resolve', json_build_object('ids', to_json(ids), 'decision', decision, 'messages', n));
    RETURN n;
END $$;
COMMENT ON FUNCTION push.resolve(bigint[], text) IS
    'Decides messages in doubt: accepted, rejected or resend. Resend includes the translations of their contents that '
    'are in doubt as well, because they are sent together. Returns how many it decided.';

CREATE FUNCTION push.pause_hub(hub text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE push.hub_state s SET paused_by = session_user, changed_at = clock_timestamp() FROM push.hub h WHERE h.id = s.hub AND h.name = $1;
    IF NOT FOUND THEN RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('hub "%s" is not registered', $1), HINT = 'SELECT name FROM push.hub'; END IF;
    INSERT INTO push.audit (action, detail) VALUES ('pause_hub', json_build_object('hub', $1));
END $$;
COMMENT ON FUNCTION push.pause_hub IS 'Stops sending to a hub until push.resume_hub; its messages wait.';

CREATE FUNCTION push.resume_hub(hub text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE push.hub_state s SET paused_by = NULL, held_since = NULL, hold_reason = NULL, probe_at = NULL, gate_until = NULL,
           broken_until = NULL, broken_why = NULL, slowed_to = NULL, slowed_at = NULL, slowed_why = NULL, changed_at = clock_timestamp()
      FROM push.hub h WHERE h.id = s.hub AND h.name = $1;
    IF NOT FOUND THEN RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('hub "%s" is not registered', $1), HINT = 'SELECT name FROM push.hub'; END IF;
    INSERT INTO push.audit (action, detail) VALUES ('resume_hub', json_build_object('hub', $1));
END $$;
COMMENT ON FUNCTION push.resume_hub IS
    'Ends a pause, a hold, a closed gate or a slow-down: the hub is tried again at once.';

REVOKE ALL ON FUNCTION push.status_of, push.with_translations, push.stop, push.cancel(bigint), push.resolve(bigint[], text), push.pause_hub, push.resume_hub FROM PUBLIC;

INSERT INTO push.migration (version, name) VALUES (4, 'people');
