-- Fanfare, migration 19: The completion: answers, results, retries, finished claims.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.back_v1(hubs smallint[], priorities smallint[], ids bigint[], attempts smallint[], due_ats timestamptz[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE broken bigint; stay bigint[];
BEGIN
    -- Translations go back together, under their lead's pointer. If some of them have left meanwhile (cancelled), the
    -- others first get a new lead.
    FOR broken IN
        SELECT g.lead FROM (SELECT t.lead, count(DISTINCT u.id) AS n FROM unnest($3) u(id), LATERAL (SELECT lead FROM push.translation WHERE id = u.id OFFSET 0) t
                             GROUP BY t.lead) g
         WHERE g.n < (SELECT count(*) FROM push.translation s WHERE s.lead = g.lead)
    LOOP
        stay := ARRAY(SELECT id FROM push.translation WHERE lead = broken AND id = ANY ($3) ORDER BY id);
        DELETE FROM push.translation WHERE lead = broken;
        INSERT INTO push.translation (id, lead) SELECT id, stay[1] FROM unnest(stay) id WHERE cardinality(stay) > 1;
    END LOOP;
    INSERT INTO push.due (due_at, id, hub, priority, attempt, translations)
    SELECT u.due_at, u.id, u.hub, u.priority, u.attempt, t.lead IS NOT NULL
      FROM unnest($5, $3, $1, $2, $4) u(due_at, id, hub, priority, attempt)
           LEFT JOIN LATERAL (SELECT lead FROM push.translation WHERE id = u.id OFFSET 0) t ON true
     WHERE t.lead IS NULL OR t.lead = u.id;
END $$;
COMMENT ON FUNCTION push.back_v1 IS
    'Puts messages back into push.due, translations under one pointer. Only for other functions: it checks nothing.';

CREATE FUNCTION push.complete_v1(
    posts bigint[], verdicts text[], https smallint[], ms int[], trackings text[], notifications text[], errors text[],
    statuses text[], reasons text[], costs smallint[], delays double precision[], notes text[],
    taken bigint[], taken_in bigint[],
    left_claims bigint[], left_ids bigint[], left_statuses text[], left_reasons text[], left_delays double precision[], left_notes text[],
    finished bigint[], OUT answered int, OUT late int, OUT fenced bigint[], OUT busy bigint[])
LANGUAGE plpgsql SET lock_timeout = '5s' SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    asked bigint[] := ARRAY(SELECT DISTINCT c FROM (SELECT unnest($1) / 10000 UNION ALL SELECT unnest($15) UNION ALL SELECT unnest($21)) x(c));
    live bigint[]; gone bigint[] := '{}'; heard bigint[]; doubted bigint[]; ours bigint[]; told record;
    plain boolean;                             -- every claim is ours and every answer new, the usual case: no look-up per row
    at timestamptz := clock_timestamp();       -- delays count from the database's clock, so no worker's clock matters
BEGIN
    -- Tested here first, because the call alone costs as much as a message.
    IF current_setting('transaction_isolation') <> 'read committed' THEN PERFORM push.require_read_committed('push.complete_v1'); END IF;
    fenced := '{}';
    busy := '{}';
    -- 1. Claims that are still ours. This never waits, because it records the results of all hubs, and a cancel in an
    -- open transaction may hold one claim for long. A claim that another session holds is busy and comes again; rescue
    -- holds a claim until it is deleted. The key of push.answer guards answers against repetition. Messages that leave
    -- without a post have no such guard and need the stronger lock: after a broken connection the first completion may
    -- still run.
    IF cardinality($16) > 0 THEN
        live := ARRAY(SELECT c.id FROM push.claim c WHERE c.id = ANY (asked) ORDER BY c.id FOR NO KEY UPDATE SKIP LOCKED);
    ELSE
        live := ARRAY(SELECT c.id FROM push.claim c WHERE c.id = ANY (asked) ORDER BY c.id FOR SHARE SKIP LOCKED);
    END IF;
    IF cardinality(live) < cardinality(asked) THEN
        busy := ARRAY(SELECT c.id FROM push.claim c WHERE c.id = ANY (asked) AND c.id <> ALL (live));    -- a statement of its own: a claim deleted by now is not busy
        gone := ARRAY(SELECT unnest(asked) EXCEPT SELECT unnest(live || busy));
        IF cardinality(gone) > 0 THEN
            -- Late answers: push.resolve may run at the same moment. The first session to lock the doubt decides it.
            doubted := ARRAY(
                SELECT u.id FROM unnest($1) h(post), LATERAL (SELECT ids FROM push.post p WHERE p.id = h.post OFFSET 0) p, unnest(p.ids) u(id)
                 WHERE h.post / 10000 = ANY (gone));
            ours := ARRAY(SELECT r.id FROM push.result r WHERE r.id = ANY (doubted) AND r.status = 'in_doubt' ORDER BY r.id FOR UPDATE SKIP LOCKED);
            busy := busy || ARRAY(
                SELECT DISTINCT h.post / 10000
                  FROM unnest($1) h(post), LATERAL (SELECT ids FROM push.post p WHERE p.id = h.post OFFSET 0) p, unnest(p.ids) u(id),
                       LATERAL (SELECT r.id FROM push.result r WHERE r.id = u.id AND r.status = 'in_doubt' OFFSET 0) r
                 WHERE h.post / 10000 = ANY (gone) AND r.id <> ALL (ours));
        END IF;
        fenced := ARRAY(SELECT unnest(gone) EXCEPT SELECT unnest(busy));
    END IF;

    -- 2. Answers, once per post: a repeated completion finds its answers there and does nothing. That is rare, and ON
    -- CONFLICT makes each insert cost 1.5 times as much (a quarter of the whole completion), so it is only the second
    -- try.
    BEGIN
        INSERT INTO push.answer (post, verdict, http, milliseconds, tracking_id, notification_id, error)
        SELECT a.post, a.verdict::push.verdict, a.http, a.ms, a.tracking, a.notification, a.error
          FROM unnest($1, $2, $3, $4, $5, $6, $7) a(post, verdict, http, ms, tracking, notification, error)
         WHERE busy = '{}' OR a.post / 10000 <> ALL (busy);
        heard := CASE WHEN busy = '{}' THEN $1 ELSE ARRAY(SELECT p FROM unnest($1) p WHERE p / 10000 <> ALL (busy)) END;
    EXCEPTION WHEN unique_violation THEN
        WITH said AS (
            INSERT INTO push.answer (post, verdict, http, milliseconds, tracking_id, notification_id, error)
            SELECT a.post, a.verdict::push.verdict, a.http, a.ms, a.tracking, a.notification, a.error
              FROM unnest($1, $2, $3, $4, $5, $6, $7) a(post, verdict, http, ms, tracking, notification, error)
             WHERE a.post / 10000 <> ALL (busy)
                ON CONFLICT DO NOTHING
            RETURNING post)
        SELECT array_agg(post) INTO heard FROM said;
    END;
    heard := coalesce(heard, '{}');
    plain := gone = '{}' AND cardinality(heard) = cardinality($1);

    -- 3. Results of all messages in those posts. For accepted posts the caller passes messages and posts side by side,
    -- so the usual case needs no look at push.post.
    IF plain THEN
        INSERT INTO push.result (id, post, status, reason) SELECT t.id, t.post, 'accepted', 'taken_by_hub' FROM unnest($13, $14) t(id, post);
        INSERT INTO push.tally AS t (hub, minute, status, reason, n)
        SELECT c.hub, date_trunc('minute', clock_timestamp()), 'accepted', 'taken_by_hub', sum(p.n)
          FROM (SELECT t.post / 10000 AS claim, count(*) AS n FROM unnest($14) t(post) GROUP BY 1) p,
               LATERAL (SELECT hub FROM push.claim c WHERE c.id = p.claim OFFSET 0) c
         GROUP BY 1 ORDER BY 1
            ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n;
        answered := cardinality(heard);
        late := 0;
    END IF;
    IF NOT plain OR NOT '{accepted}' @> $8 THEN
        WITH a AS MATERIALIZED (
            SELECT a.*, at + make_interval(secs => a.delay) AS due_at FROM unnest($1, $8, $9, $10, $11, $12) a(post, status, reason, cost, delay, note)
             WHERE CASE WHEN plain THEN a.status <> 'accepted' ELSE a.post = ANY (heard) AND a.post / 10000 = ANY (live) END
               AND a.status IS NOT NULL            -- null: only an answer; the messages leave again in other posts of this claim
        ), m AS MATERIALIZED (
            SELECT p.id, a.post, a.status::push.status, a.reason::push.reason, a.cost, a.due_at, a.note, p.hub
              FROM a, LATERAL (SELECT unnest(p.ids) AS id, p.hub FROM push.post p WHERE p.id = a.post OFFSET 0) p
        ), results AS (
            INSERT INTO push.result (id, post, status, reason, due_at, note) SELECT id, post, status, reason, due_at, note FROM m
        ), again AS MATERIALIZED (
            SELECT m.id, c.hub, c.priority, (c.attempts[array_position(c.ids, m.id)] + m.cost)::smallint AS attempt, m.due_at
              FROM m, LATERAL (SELECT * FROM push.claim c WHERE c.id = m.post / 10000 OFFSET 0) c WHERE m.status = 'retrying'
        ), back AS MATERIALIZED (
            SELECT push.back_v1(array_agg(hub), array_agg(priority), array_agg(id), array_agg(attempt), array_agg(due_at)) FROM again HAVING count(*) > 0
        ), counted AS (
            INSERT INTO push.tally AS t (hub, minute, status, reason, n)
            SELECT hub, date_trunc('minute', clock_timestamp()), status, reason, count(*) FROM m GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
                ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n
        )
        SELECT count(*), (SELECT count(*) FROM back) INTO told FROM a;
    END IF;

    -- 4. Late answers: the claim was rescued, so they settle only messages that are in doubt because of this very post.
    -- The doubts are locked above, and this statement's snapshot sees what was decided before. A message that the hub
    -- turns out not to have taken goes back to push.due; its number of attempts was lost with its claim and starts
    -- again.
    IF NOT plain THEN
        answered := (SELECT count(*) FROM unnest(heard) h(post) WHERE h.post / 10000 = ANY (live));
        late := cardinality(heard) - answered;
    END IF;
    IF late > 0 THEN
        WITH a AS MATERIALIZED (
            SELECT a.post, coalesce(a.status, 'retrying')::push.status AS status, coalesce(a.reason, 'not_sent')::push.reason AS reason,
                   at + make_interval(secs => coalesce(a.delay, 0)) AS due_at, a.note
              FROM unnest($1, $2, $8, $9, $11, $12) a(post, verdict, status, reason, delay, note)
             WHERE a.post = ANY (heard) AND a.post / 10000 <> ALL (live)
               AND (a.status IN ('accepted', 'rejected') OR a.status = 'retrying' AND a.reason <> 'resent' OR a.status IS NULL AND a.verdict = 'not_sent')
        ), settled AS MATERIALIZED (
            SELECT u.id, a.post, p.hub, a.status, a.reason, CASE WHEN a.status = 'retrying' THEN a.due_at END AS due_at, a.note
              FROM a, LATERAL (SELECT ids, hub FROM push.post p WHERE p.id = a.post OFFSET 0) p, unnest(p.ids) u(id),
                   LATERAL (SELECT r.status, r.post FROM push.result r WHERE r.id = u.id ORDER BY r.at DESC LIMIT 1) r
             WHERE r.status = 'in_doubt' AND r.post = a.post
        ), results AS (
            INSERT INTO push.result (id, post, status, reason, due_at, note) SELECT id, post, status, reason, due_at, note FROM settled
        ), back AS MATERIALIZED (
            SELECT push.back_v1(array_agg(s.hub), array_agg(m.priority), array_agg(s.id), array_agg(CASE WHEN l.is_new THEN 16384 ELSE 0 END::smallint), array_agg(s.due_at))
              FROM settled s, LATERAL (SELECT priority FROM push.message m WHERE m.id = s.id OFFSET 0) m,
                   LATERAL (SELECT push.life_v1(s.id, '0') IS NOT NULL AS is_new OFFSET 0) l
             WHERE s.status = 'retrying' HAVING count(*) > 0
        ), counted AS (
            INSERT INTO push.tally AS t (hub, minute, status, reason, n)
            SELECT hub, date_trunc('minute', clock_timestamp()), status, reason, count(*) FROM settled GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
                ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n
        )
        SELECT count(*), (SELECT count(*) FROM back) INTO told FROM settled;
    END IF;

    -- 5. Messages that leave their claim without a post: expired, not sendable, or given back.
    IF cardinality($16) > 0 THEN
        WITH l AS MATERIALIZED (
            SELECT l.claim, l.id, l.status::push.status, l.reason::push.reason, at + make_interval(secs => l.delay) AS due_at, l.note, c.hub, c.priority, c.attempts[array_position(c.ids, l.id)] AS attempt
              FROM unnest($15, $16, $17, $18, $19, $20) l(claim, id, status, reason, delay, note),
                   LATERAL (SELECT * FROM push.claim c WHERE c.id = l.claim OFFSET 0) c
             WHERE l.claim = ANY (live) AND l.id = ANY (c.ids)
               AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = l.id AND r.post = l.claim * 10000 OFFSET 0)    -- a repeated completion
        ), results AS (
            INSERT INTO push.result (id, post, status, reason, due_at, note) SELECT id, claim * 10000, status, reason, due_at, note FROM l
        ), back AS MATERIALIZED (
            SELECT push.back_v1(array_agg(hub), array_agg(priority), array_agg(id), array_agg(attempt), array_agg(due_at)) FROM l WHERE status = 'retrying' HAVING count(*) > 0
        ), counted AS (
            INSERT INTO push.tally AS t (hub, minute, status, reason, n)
            SELECT hub, date_trunc('minute', clock_timestamp()), status, reason, count(*) FROM l GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
                ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n
        )
        SELECT count(*), (SELECT count(*) FROM back) INTO told FROM l;
    END IF;

    -- 6. Claims in which nothing is left to do.
    IF cardinality($21) > 0 THEN
        DELETE FROM push.claim WHERE id = ANY ($21) AND id = ANY (live);
    END IF;
END $$;
COMMENT ON FUNCTION push.complete_v1 IS
    'Records answers and results, puts retries back, finishes claims. taken and taken_in: the messages of all posts '
    'with status accepted, and the post of each. A null status records the answer only: its messages stay in their '
    'claim. Repeating the call is harmless. fenced: claims that are no longer ours; late: answers that came after '
    'their claim was rescued; busy: claims (or doubts of them) that another session holds: nothing of these was '
    'recorded, so give it again.';

INSERT INTO push.migration (version, name) VALUES (19, 'complete');
