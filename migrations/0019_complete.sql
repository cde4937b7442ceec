-- Fanfare, migration 19: The completion: answers, results, retries, finished claims.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.complete_v1(
    worker        int,
    epoch         int,
    posts         bigint[],
    verdicts      text[],
    https         smallint[],
    milliseconds  int[],
    trackings     text[],
    notifications text[],
    errors        text[],
    statuses      text[],
    reasons       text[],
    costs         smallint[],
    delays        double precision[],
    notes         text[],
    taken         bigint[],
    taken_in      bigint[],
    left_claims   bigint[],
    left_ids      bigint[],
    left_statuses text[],
    left_reasons  text[],
    left_delays   double precision[],
    left_notes    text[],
    finished      bigint[],
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
          FROM (SELECT push.claim_of(u.post) AS claim FROM unnest(posts) u(post)
                UNION ALL
                SELECT unnest(left_claims)
                UNION ALL
                SELECT unnest(finished)) x);
    ours bigint[];
    foreign_ones bigint[];                     -- of another worker: their numbers came again after a fail-over
    gone bigint[] := '{}';
    doubted bigint[];
    locked bigint[];
    skipped bigint[] := '{}';                  -- claims of which nothing is recorded now
    recorded bigint[];                         -- posts whose answer is new
    is_plain boolean;                          -- the usual case: every claim is ours and every answer new
    moment constant timestamptz := clock_timestamp();    -- delays count from here, so no worker's clock matters
    arrived bigint;
BEGIN
    -- Tested here first, because the call alone costs as much as a message.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        PERFORM push.require_read_committed('push.complete_v1');
    END IF;
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
        PERFORM push.require_durable_commit();
    END IF;
    fenced := '{}';
    busy := '{}';

    -- 1. Claims that are still ours. This never waits, because it records the results of all hubs, and a cancel in an
    -- open transaction may hold one claim for long. A claim that another session holds is busy and comes again; rescue
    -- holds a claim until it is deleted. The key of push.answer guards answers against repetition. Messages that leave
    -- without a post have no such guard and need the stronger lock: after a broken connection the first completion may
    -- still run.
    IF left_ids <> '{}' THEN
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
            -- Late answers: push.resolve may run at the same moment. The first session to lock the doubt decides it.
            doubted := ARRAY(
                SELECT u.id
                  FROM unnest(posts) a(post),
                       LATERAL (SELECT p.ids FROM push.post p WHERE p.id = a.post OFFSET 0) p,
                       unnest(p.ids) u(id)
                 WHERE push.claim_of(a.post) = ANY (gone));
            locked := ARRAY(
                SELECT r.id FROM push.result r
                 WHERE r.id = ANY (doubted) AND r.status = 'in_doubt'
                 ORDER BY r.id
                   FOR UPDATE SKIP LOCKED);
            busy := busy || ARRAY(
                SELECT DISTINCT push.claim_of(a.post)
                  FROM unnest(posts) a(post),
                       LATERAL (SELECT p.ids FROM push.post p WHERE p.id = a.post OFFSET 0) p,
                       unnest(p.ids) u(id),
                       LATERAL (SELECT r.id FROM push.result r WHERE r.id = u.id AND r.status = 'in_doubt' OFFSET 0) r
                 WHERE push.claim_of(a.post) = ANY (gone) AND r.id <> ALL (locked));
        END IF;
        fenced := ARRAY(SELECT unnest(gone || foreign_ones) EXCEPT SELECT unnest(busy));
        skipped := busy || foreign_ones;
    END IF;
    arrived := nextval('push.arrival');        -- under the locks: of two sessions, the later one gets the higher number

    -- 2. Answers, once per post: a repeated completion finds its answers there and does nothing. That is rare, and ON
    -- CONFLICT makes each insert cost 1.5 times as much (a quarter of the whole completion), so it is only the second
    -- try.
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
    is_plain := gone = '{}' AND cardinality(recorded) = cardinality(posts);
    answered := cardinality(recorded);
    late := 0;

    -- 3. Results of all messages in those posts. For accepted posts the caller passes messages and posts side by side,
    -- so the usual case needs no look at push.post.
    IF is_plain AND taken <> '{}' THEN
        INSERT INTO push.result (id, post, arrival, status, reason)
        SELECT t.id, t.post, arrived, 'accepted', 'taken_by_hub' FROM unnest(taken, taken_in) t(id, post);
        PERFORM push.count_results(array_agg(h.hub), array_agg('accepted'::push.status),
                                   array_agg('taken_by_hub'::push.reason), array_agg(h.n))
           FROM (SELECT c.hub, sum(t.n)::bigint AS n
                   FROM (SELECT push.claim_of(u.post) AS claim, count(*) AS n
                           FROM unnest(taken_in) u(post)
                          GROUP BY 1) t,
                        LATERAL (SELECT c.hub FROM push.claim c WHERE c.id = t.claim OFFSET 0) c
                  GROUP BY c.hub) h;
    END IF;
    IF NOT is_plain OR NOT '{accepted}' @> statuses THEN
        PERFORM push.write_results(
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

    -- 4. Late answers: the claim was rescued, so they settle only messages that are in doubt because of this very post.
    -- The doubts are locked above, and this statement's snapshot sees what was decided before. A message that the hub
    -- turns out not to have taken goes back to push.due; its number of attempts was lost with its claim and starts
    -- again. So does every message of a post that the hub refused as a whole (a null status).
    IF NOT is_plain THEN
        answered := (SELECT count(*) FROM unnest(recorded) u(post) WHERE push.claim_of(u.post) = ANY (ours));
        late := cardinality(recorded) - answered;
    END IF;
    IF late > 0 THEN
        PERFORM push.write_results(
                    array_agg(u.id), array_agg(a.post), array_agg(coalesce(a.status, 'retrying')::push.status),
                    array_agg(coalesce(a.reason, 'not_sent')::push.reason),
                    array_agg(moment + make_interval(secs => coalesce(a.delay, 0))), array_agg(a.note),
                    array_agg(p.hub), array_agg(m.priority), array_agg(0::smallint),
                    array_agg(push.life_v1(u.id, '0') IS NOT NULL), arrived)
           FROM unnest(posts, verdicts, statuses, reasons, delays, notes) a(post, verdict, status, reason, delay, note),
                LATERAL (SELECT p.ids, p.hub FROM push.post p WHERE p.id = a.post OFFSET 0) p,
                unnest(p.ids) u(id),
                LATERAL (
                    SELECT r.status, r.post FROM push.result r WHERE r.id = u.id ORDER BY r.arrival DESC LIMIT 1) r,
                LATERAL (SELECT m.priority FROM push.message m WHERE m.id = u.id OFFSET 0) m
          WHERE a.post = ANY (recorded) AND push.claim_of(a.post) <> ALL (ours)
            AND (a.status IN ('accepted', 'rejected')
                 OR a.status = 'retrying' AND a.reason <> 'resent'
                 OR a.status IS NULL AND a.verdict NOT IN ('accepted', 'unknown'))
            AND r.status = 'in_doubt' AND r.post = a.post
         HAVING count(*) > 0;
    END IF;

    -- 5. Messages that leave their claim without a post: expired, not sendable, or given back.
    IF left_ids <> '{}' THEN
        PERFORM push.write_results(
                    array_agg(l.id), array_agg(push.no_post(l.claim)), array_agg(l.status::push.status),
                    array_agg(l.reason::push.reason), array_agg(moment + make_interval(secs => l.delay)),
                    array_agg(l.note), array_agg(c.hub), array_agg(c.priority),
                    array_agg(c.attempts[array_position(c.ids, l.id)]), array_agg(l.id = ANY (c.resent)), arrived)
           FROM unnest(left_claims, left_ids, left_statuses, left_reasons, left_delays, left_notes)
                l(claim, id, status, reason, delay, note),
                LATERAL (SELECT c.* FROM push.claim c WHERE c.id = l.claim OFFSET 0) c
          WHERE l.claim = ANY (ours) AND l.id = ANY (c.ids)
            AND NOT EXISTS (                                     -- a repeated completion
                    SELECT FROM push.result r WHERE r.id = l.id AND r.post = push.no_post(l.claim) OFFSET 0)
         HAVING count(*) > 0;
    END IF;

    -- 6. Claims in which nothing is left to do. A server that was replaced may lack posts of them, and then what these
    -- carried got no result above: rescue takes it.
    IF finished <> '{}' AND push.is_current(worker, epoch) THEN
        DELETE FROM push.claim c WHERE c.id = ANY (finished) AND c.id = ANY (ours);
    END IF;
END $$;
COMMENT ON FUNCTION push.complete_v1 IS
    'Records answers and results, puts retries back, finishes claims. taken and taken_in: the messages of all posts '
    'with status accepted, and the post of each. A null status records the answer only: its messages stay in their '
    'claim. Repeating the call is harmless. fenced: claims that are not this worker''s any more; late: answers that '
    'came after their claim was rescued; busy: claims (or doubts of them) that another session holds: nothing of these '
    'was recorded, so give it again.';

INSERT INTO push.migration (version, name, works_from) VALUES (19, 'complete', 36);
