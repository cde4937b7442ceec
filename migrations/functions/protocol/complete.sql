-- The completion: answers, results, retries, finished claims.

CREATE OR REPLACE FUNCTION push_worker.complete_v1(
    worker              int,
    epoch               int,
    repeated            boolean,
    alone               bigint[],
    alone_in            bigint[],
    alone_https         smallint[],
    alone_milliseconds  int[],
    alone_trackings     text[],
    alone_notifications text[],
    posts               bigint[],
    verdicts            text[],
    https               smallint[],
    milliseconds        int[],
    trackings           text[],
    notifications       text[],
    errors              text[],
    statuses            text[],
    reasons             text[],
    costs               smallint[],
    delays              double precision[],
    notes               text[],
    taken               bigint[],
    taken_in            bigint[],
    left_claims         bigint[],
    left_ids            bigint[],
    left_statuses       text[],
    left_reasons        text[],
    left_delays         double precision[],
    left_notes          text[],
    finished            bigint[],
    OUT answered int,
    OUT late     int,
    OUT fenced   bigint[],
    OUT busy     bigint[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s'
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    asked constant bigint[] := ARRAY(
        SELECT DISTINCT x.claim
          FROM (SELECT push.claim_of(u.post) AS claim FROM unnest(posts || alone_in) u(post)
                UNION ALL
                SELECT unnest(left_claims)
                UNION ALL
                SELECT unnest(finished)) x);
    ours bigint[];
    foreign_ones bigint[];                     -- of another worker: their numbers came again after a fail-over
    gone bigint[] := '{}';
    skipped bigint[] := '{}';                  -- claims of which nothing is recorded now
    recorded bigint[];                         -- posts whose answer is new in push.answer
    is_plain boolean;                          -- the usual case: every claim is ours and every answer new
    moment constant timestamptz := clock_timestamp();    -- delays count from here, so no worker's clock matters
    arrived bigint;
BEGIN
    -- Tested here first, because the call alone costs as much as a message.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        PERFORM push_internal.require_read_committed('push_worker.complete_v1');
    END IF;
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
        PERFORM push_internal.require_durable_commit();
    END IF;
    fenced := '{}';
    busy := '{}';

    -- 1. Claims that are still ours. This never waits, because it records the results of all hubs, and a cancel in an
    -- open transaction may hold one claim for long. A claim that another session holds is reported busy, and the caller
    -- retries it; rescue holds a claim until it is deleted. The key of push.answer guards its rows against repetition.
    -- Results have no such guard: they are looked for below, under the stronger lock, because after a broken connection
    -- the first completion may still run.
    IF repeated OR left_ids <> '{}' THEN
        ours := ARRAY(
            SELECT c.id FROM push.claim c
             WHERE c.id = ANY (asked) AND c.worker = complete_v1.worker AND c.epoch = complete_v1.epoch
             ORDER BY c.id
               FOR NO KEY UPDATE SKIP LOCKED);
    ELSE
        ours := ARRAY(
            SELECT c.id FROM push.claim c
             WHERE c.id = ANY (asked) AND c.worker = complete_v1.worker AND c.epoch = complete_v1.epoch
             ORDER BY c.id
               FOR SHARE SKIP LOCKED);
    END IF;
    IF cardinality(ours) < cardinality(asked) THEN
        -- A statement of its own: a claim that was deleted meanwhile is not busy.
        SELECT coalesce(array_agg(c.id) FILTER (WHERE c.is_ours), '{}'),
               coalesce(array_agg(c.id) FILTER (WHERE NOT c.is_ours), '{}')
          INTO busy, foreign_ones
          FROM (SELECT c.id, c.worker = complete_v1.worker AND c.epoch = complete_v1.epoch AS is_ours
                  FROM push.claim c
                 WHERE c.id = ANY (asked) AND c.id <> ALL (ours)) c;
        gone := ARRAY(SELECT unnest(asked) EXCEPT SELECT unnest(ours || busy || foreign_ones));
        IF gone <> '{}' THEN
            busy := busy || push_internal.lock_doubts(ARRAY(
                SELECT u.post FROM unnest(posts || alone_in) u(post) WHERE push.claim_of(u.post) = ANY (gone)));
            gone := ARRAY(SELECT unnest(gone) EXCEPT SELECT unnest(busy));
        END IF;
        fenced := gone || foreign_ones;
        skipped := busy || foreign_ones;
    END IF;

    -- 2. Answers, once per post. That of a message that was alone in its post and was accepted stands in its result;
    -- when its claim was rescued meanwhile, here. A repeated completion finds its answers there and does nothing. That
    -- is rare, and ON CONFLICT makes each insert cost 1.5 times as much, so it is only the second try.
    IF gone <> '{}' AND alone <> '{}' THEN
        SELECT posts || array_agg(a.post), verdicts || array_agg('accepted'::text), https || array_agg(a.http),
               complete_v1.milliseconds || array_agg(a.milliseconds), trackings || array_agg(a.tracking),
               notifications || array_agg(a.notification), errors || array_agg(NULL::text),
               statuses || array_agg('accepted'::text), reasons || array_agg('taken_by_hub'::text),
               costs || array_agg(0::smallint), delays || array_agg(NULL::double precision),
               notes || array_agg(NULL::text)
          INTO posts, verdicts, https, milliseconds, trackings, notifications, errors, statuses, reasons, costs, delays,
               notes
          FROM unnest(alone, alone_in, alone_https, alone_milliseconds, alone_trackings, alone_notifications)
               a(id, post, http, milliseconds, tracking, notification)
         WHERE push.claim_of(a.post) = ANY (gone)
           AND NOT EXISTS (
                   SELECT FROM push.result r WHERE r.id = a.id AND r.post = a.post AND r.status = 'accepted' OFFSET 0);
    END IF;
    BEGIN
        INSERT INTO push.answer (post, verdict, http, milliseconds, tracking_id, notification_id, error)
        SELECT a.post, a.verdict::push.verdict, a.http, a.milliseconds, a.tracking, a.notification, a.error
          FROM unnest(posts, verdicts, https, complete_v1.milliseconds, trackings, notifications, errors)
               a(post, verdict, http, milliseconds, tracking, notification, error)
         WHERE skipped = '{}' OR push.claim_of(a.post) <> ALL (skipped);
        recorded := posts;
        IF skipped <> '{}' THEN
            recorded := ARRAY(SELECT u.post FROM unnest(posts) u(post) WHERE push.claim_of(u.post) <> ALL (skipped));
        END IF;
    EXCEPTION WHEN unique_violation THEN
        WITH new AS (
            INSERT INTO push.answer (post, verdict, http, milliseconds, tracking_id, notification_id, error)
            SELECT a.post, a.verdict::push.verdict, a.http, a.milliseconds, a.tracking, a.notification, a.error
              FROM unnest(posts, verdicts, https, complete_v1.milliseconds, trackings, notifications, errors)
                   a(post, verdict, http, milliseconds, tracking, notification, error)
             WHERE push.claim_of(a.post) <> ALL (skipped)
                ON CONFLICT DO NOTHING
            RETURNING post)
        SELECT coalesce(array_agg(n.post), '{}') INTO recorded FROM new n;
    END;
    is_plain := NOT repeated AND cardinality(ours) = cardinality(asked) AND cardinality(recorded) = cardinality(posts);
    IF NOT is_plain AND alone <> '{}' THEN
        SELECT coalesce(array_agg(a.id), '{}'), coalesce(array_agg(a.post), '{}'), array_agg(a.http),
               array_agg(a.milliseconds), array_agg(a.tracking), array_agg(a.notification)
          INTO alone, alone_in, alone_https, alone_milliseconds, alone_trackings, alone_notifications
          FROM unnest(alone, alone_in, alone_https, alone_milliseconds, alone_trackings, alone_notifications)
               a(id, post, http, milliseconds, tracking, notification)
         WHERE push.claim_of(a.post) = ANY (ours)
           AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = a.id AND r.post = a.post OFFSET 0);
    END IF;
    late := 0;
    IF NOT is_plain THEN
        late := (SELECT count(*) FROM unnest(recorded) u(post) WHERE push.claim_of(u.post) <> ALL (ours));
    END IF;
    answered := cardinality(recorded) - late + cardinality(alone);
    arrived := push_internal.next_arrival();                  -- under the locks: of two sessions, the later one gets the higher number

    -- 3. Results of all messages in those posts. For accepted posts the caller passes messages and posts side by side,
    -- so the usual case needs no look at push.post.
    IF alone <> '{}' THEN
        INSERT INTO push.result (id, post, arrival, status, reason, http, milliseconds, tracking_id, notification_id)
        SELECT a.id, a.post, arrived, 'accepted', 'taken_by_hub', a.http, a.milliseconds, a.tracking, a.notification
          FROM unnest(alone, alone_in, alone_https, alone_milliseconds, alone_trackings, alone_notifications)
               a(id, post, http, milliseconds, tracking, notification);
    END IF;
    IF is_plain AND taken <> '{}' THEN
        INSERT INTO push.result (id, post, arrival, status, reason)
        SELECT t.id, t.post, arrived, 'accepted', 'taken_by_hub' FROM unnest(taken, taken_in) t(id, post);
    ELSE
        taken_in := '{}';                      -- otherwise written below, after a look at each
    END IF;
    PERFORM push_internal.count_results(array_agg(h.hub), array_agg('accepted'::push.status),
                               array_agg('taken_by_hub'::push.reason), array_agg(h.n))
       FROM (SELECT c.hub, sum(t.n)::bigint AS n
               FROM (SELECT push.claim_of(u.post) AS claim, count(*) AS n
                       FROM unnest(alone_in || taken_in) u(post)
                      GROUP BY 1) t,
                    LATERAL (SELECT c.hub FROM push.claim c WHERE c.id = t.claim OFFSET 0) c
              GROUP BY c.hub) h
     HAVING count(*) > 0;
    IF NOT is_plain OR NOT '{accepted}' @> statuses THEN
        PERFORM push_internal.write_results(
                    array_agg(m.id), array_agg(a.post), array_agg(a.status::push.status),
                    array_agg(a.reason::push.reason), array_agg(moment + make_interval(secs => a.delay)),
                    array_agg(a.note), array_agg(p.hub), array_agg(c.priority),
                    array_agg((c.attempts[array_position(c.ids, m.id)] + a.cost)::smallint),
                    array_agg(m.id = ANY (c.resent)), arrived)
           FROM unnest(posts, statuses, reasons, costs, delays, notes) a(post, status, reason, cost, delay, note),
                LATERAL (SELECT p.ids, p.hub FROM push.post p WHERE p.id = a.post OFFSET 0) p,
                LATERAL (SELECT c.* FROM push.claim c WHERE c.id = push.claim_of(a.post) OFFSET 0) c,
                unnest(p.ids) m(id)
          WHERE CASE
                    WHEN is_plain THEN a.status <> 'accepted'     -- null: its messages leave again in other posts
                    ELSE a.status IS NOT NULL AND a.post = ANY (recorded) AND push.claim_of(a.post) = ANY (ours)
                END
            AND m.id = ANY (c.ids)
         HAVING count(*) > 0;
    END IF;

    IF late > 0 THEN
        PERFORM push_internal.settle_late(
                    array_agg(a.post), array_agg(a.verdict), array_agg(a.status), array_agg(a.reason),
                    array_agg(a.delay), array_agg(a.note), moment, arrived)
           FROM unnest(posts, verdicts, statuses, reasons, delays, notes) a(post, verdict, status, reason, delay, note)
          WHERE a.post = ANY (recorded) AND push.claim_of(a.post) <> ALL (ours);
    END IF;

    -- 4. Messages that leave their claim without a post: expired, not sendable, or given back.
    IF left_ids <> '{}' THEN
        PERFORM push_internal.write_results(
                    array_agg(l.id), array_agg(push_internal.no_post(l.claim)), array_agg(l.status::push.status),
                    array_agg(l.reason::push.reason), array_agg(moment + make_interval(secs => l.delay)),
                    array_agg(l.note), array_agg(c.hub), array_agg(c.priority),
                    array_agg(c.attempts[array_position(c.ids, l.id)]), array_agg(l.id = ANY (c.resent)), arrived)
           FROM unnest(left_claims, left_ids, left_statuses, left_reasons, left_delays, left_notes)
                l(claim, id, status, reason, delay, note),
                LATERAL (SELECT c.* FROM push.claim c WHERE c.id = l.claim OFFSET 0) c
          WHERE l.claim = ANY (ours) AND l.id = ANY (c.ids)
            AND NOT EXISTS (                                     -- a repeated completion
                    SELECT FROM push.result r WHERE r.id = l.id AND r.post = push_internal.no_post(l.claim) OFFSET 0)
         HAVING count(*) > 0;
    END IF;

    -- 5. Claims in which nothing is left to do. A server that was replaced may lack posts of them, and then what these
    -- carried got no result above: rescue takes it.
    IF finished <> '{}' AND push_internal.is_current_worker(worker, epoch) THEN
        DELETE FROM push.claim c WHERE c.id = ANY (finished) AND c.id = ANY (ours);
    END IF;
END $$;
COMMENT ON FUNCTION push_worker.complete_v1 IS
    'Records answers and results, puts retries back, finishes claims. alone: messages that were accepted and had a '
    'post of their own, with that post and its answer. posts: all other answers; taken and taken_in: the messages '
    'of those with status accepted, and the post of each. A null status records the answer only: its messages stay '
    'in their claim. repeated: some of this may have been committed before, by a call whose outcome the caller does '
    'not know; then repeating is harmless. fenced: claims that are not this worker''s any more; late: answers that '
    'came after their claim was rescued; busy: claims (or doubts of them) that another session holds: nothing of '
    'these was recorded, so give it again.';
