-- Fanfare, migration 3: the protocol between workers, from claim to complete (docs/storage.md). One function per step,
-- with a version in its name, so that two versions of the daemon can share a database.
--
-- Every function has its own plan settings: a queue table is empty when it is analysed and huge an hour later, and no
-- plan may depend on that. Look-ups by key are LATERAL with OFFSET 0, so that the planner cannot reverse a join order.
-- The functions are plpgsql, so that their plans are kept between calls.

SELECT pg_advisory_xact_lock(7310868735422034533);
SET LOCAL lock_timeout = '5s';

-- Steps that rely on two statements need two snapshots -----------------------------------------------------------------

CREATE FUNCTION push.require_read_committed(name text) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_transaction_state',
            MESSAGE = format('%s works in READ COMMITTED only, and this transaction is %s', $1, upper(current_setting('transaction_isolation'))),
            HINT = 'Call it in a transaction of its own: BEGIN ISOLATION LEVEL READ COMMITTED. If the default is another one: ALTER ROLE ... SET default_transaction_isolation = ''read committed''.';
    END IF;
END $$;
COMMENT ON FUNCTION push.require_read_committed IS
    'Raises in a transaction whose snapshot is older than its locks: there a post that was just written is invisible, '
    'and a sent message would be called unsent. Only for other functions.';

-- Gather: contents with a key become ordinary ones -----------------------------------------------------------------

CREATE FUNCTION push.gather_v1(hub smallint, priority smallint, mark_at timestamptz, mark_id bigint, n int, OUT last_at timestamptz, OUT last_id bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
    pointers tid[]; leads bigint[]; times timestamptz[];                  -- due pointers
    spent tid[]; ids bigint[]; firsts bigint[];                           -- our contents: their messages, and for each the pointer that was due first
    won_ids bigint[]; won_firsts bigint[];                                -- those whose key was free
    gone bigint[]; notes text[];
BEGIN
    last_at := 'infinity'; last_id := 9223372036854775807;
    SELECT array_agg(p.row), array_agg(p.id), array_agg(p.due_at) INTO pointers, leads, times FROM (
        SELECT ctid AS row, id, due_at FROM push.due
         WHERE keyed AND hub = $1 AND priority = $2 AND due_at <= now() AND (due_at, id) > ($3, $4)
         ORDER BY due_at, id LIMIT $5 FOR UPDATE SKIP LOCKED) p;
    IF pointers IS NULL THEN RETURN; END IF;
    IF cardinality(pointers) = $5 THEN last_at := times[$5]; last_id := leads[$5]; END IF;

    -- 1. Their contents. Each message is locked; a cancel locks it too. If another worker or an uncommitted cancel
    -- holds one message of a content, the content waits for the next turn; no session waits for another.
    WITH content AS MATERIALIZED (
        SELECT k.tag, k.content_key, min(p.n) AS n, array_agg(p.row) AS pointers
          FROM unnest(pointers, leads) WITH ORDINALITY p(row, lead, n),
               LATERAL (SELECT k.tag, k.content_key FROM push.content k WHERE k.lead = p.lead ORDER BY k.lead, k.id LIMIT 1) k
         GROUP BY k.tag, k.content_key
    ), locked AS MATERIALIZED (
        SELECT c.n, c.pointers, (
                   SELECT array_agg(x.id) FROM (
                       SELECT k.id FROM push.content k
                        WHERE k.hub = $1 AND k.tag = c.tag AND k.content_key = c.content_key AND k.priority = $2
                          AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = k.id OFFSET 0)
                          FOR NO KEY UPDATE SKIP LOCKED) x) AS ids,
               (SELECT count(*) FROM push.content k
                 WHERE k.hub = $1 AND k.tag = c.tag AND k.content_key = c.content_key AND k.priority = $2
                   AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = k.id OFFSET 0)) AS all
          FROM content c
    )
    SELECT ARRAY(SELECT u.row FROM locked l, unnest(l.pointers) u(row) WHERE coalesce(cardinality(l.ids), 0) = l.all),
           ARRAY(SELECT u.id FROM locked l, unnest(l.ids) u(id) WHERE cardinality(l.ids) = l.all ORDER BY l.n, u.id),
           ARRAY(SELECT leads[l.n] FROM locked l, unnest(l.ids) u(id) WHERE cardinality(l.ids) = l.all ORDER BY l.n, u.id)
      INTO spent, ids, firsts;
    DELETE FROM push.due WHERE ctid = ANY (spent);
    IF ids = '{}' THEN RETURN; END IF;

    -- 2. Take the contents whose key is free, in order, so that two workers cannot wait for each other. This and each
    -- following step is a statement of its own, so it sees what was cancelled before we got the locks.
    WITH won AS (
        INSERT INTO push.content_taken AS t (hub, priority, tag, content_key, lead, ids)
        SELECT $1, $2, k.tag, k.content_key, u.first, array_agg(u.id)
          FROM unnest(ids, firsts) u(id, first), LATERAL (SELECT k.tag, k.content_key FROM push.content k WHERE k.id = u.id OFFSET 0) k
         WHERE NOT EXISTS (SELECT FROM push.result r WHERE r.id = u.id OFFSET 0)
         GROUP BY k.tag, k.content_key, u.first ORDER BY k.tag, k.content_key
            ON CONFLICT (hub, tag, content_key, priority) DO UPDATE SET lead = excluded.lead, ids = excluded.ids, at = clock_timestamp()
             WHERE t.at < clock_timestamp() - (SELECT h.keep_content FROM push.hub h WHERE h.id = $1) AND push.are_final(t.ids)
        RETURNING lead, ids)
    SELECT array_agg(u.id), array_agg(w.lead) INTO won_ids, won_firsts FROM won w, unnest(w.ids) u(id);

    -- 3. They are ordinary contents now, with one pointer each. Of two messages with the same locale, the one whose
    -- pointer was due first is sent, else the one that was enqueued first.
    IF won_ids IS NOT NULL THEN
        WITH message AS MATERIALIZED (
            SELECT u.id, u.first, k.lead, k.due_at,
                   row_number() OVER same AS nth, first_value(u.id) OVER same AS rider
              FROM unnest(won_ids, won_firsts) u(id, first), LATERAL (SELECT k.* FROM push.content k WHERE k.id = u.id OFFSET 0) k
            WINDOW same AS (PARTITION BY u.first, lower(k.locale) ORDER BY k.lead <> u.first, u.id)
        ), content AS MATERIALIZED (
            SELECT first, array_agg(id ORDER BY lead <> first, id) AS ids, (array_agg(due_at ORDER BY lead <> first, id))[1] AS due_at
              FROM message WHERE nth = 1 GROUP BY first
        ), together AS (
            INSERT INTO push.translation (id, lead)
            SELECT u.id, c.ids[1] FROM content c, unnest(c.ids) u(id) WHERE cardinality(c.ids) > 1
        ), put AS (
            INSERT INTO push.due (due_at, id, hub, priority, translations)
            SELECT c.due_at, c.ids[1], $1, $2, cardinality(c.ids) > 1 FROM content c
        ), siblings AS (                                                  -- pointers of the other statements
            DELETE FROM push.due WHERE ctid = ANY (ARRAY(
                SELECT d.row FROM (SELECT DISTINCT m.lead, m.due_at FROM message m WHERE m.lead <> m.first) m,
                       LATERAL (SELECT ctid AS row FROM push.due d
                                 WHERE d.hub = $1 AND d.priority = $2 AND d.due_at = m.due_at AND d.id = m.lead AND d.keyed FOR UPDATE SKIP LOCKED) d))
        )
        SELECT array_agg(m.id), array_agg(format('Message %s has the same content_key and locale.', m.rider)) INTO gone, notes FROM message m WHERE m.nth > 1;
        IF gone IS NOT NULL THEN
            PERFORM push.end_rows(gone, 'duplicate', 'duplicate_key', notes, date_trunc('minute', clock_timestamp()));
        END IF;
    END IF;

    -- 4. The key was already taken: messages that were not part of that content are late.
    IF cardinality(ids) > coalesce(cardinality(won_ids), 0) THEN
        SELECT array_agg(u.id), array_agg(push.late_note(t.lead, t.ids)) INTO gone, notes
          FROM unnest(ids) u(id), LATERAL (SELECT k.tag, k.content_key FROM push.content k WHERE k.id = u.id OFFSET 0) k,
               LATERAL (SELECT t.lead, t.ids FROM push.content_taken t WHERE t.hub = $1 AND t.tag = k.tag AND t.content_key = k.content_key AND t.priority = $2 OFFSET 0) t
         WHERE NOT u.id = ANY (t.ids) AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = u.id OFFSET 0);
        IF gone IS NOT NULL THEN
            PERFORM push.end_rows(gone, 'rejected', 'late_translation', notes, date_trunc('minute', clock_timestamp()));
        END IF;
    END IF;
END $$;
COMMENT ON FUNCTION push.gather_v1 IS
    'Turns up to n due pointers of contents with a key into ordinary ones, each with all translations that are there; '
    'late and repeated translations end. (last_at, last_id): pointers behind it were not looked at; infinity: there '
    'are no more.';

-- Claim ---------------------------------------------------------------------------------------------------------------

CREATE FUNCTION push.life_v1(id bigint, expire_after interval) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT r.at + $2 FROM push.result r WHERE r.id = $1 AND r.status = 'retrying' AND r.reason = 'resolved' ORDER BY r.at DESC LIMIT 1
$$;
COMMENT ON FUNCTION push.life_v1 IS
    'When a message expires that a person sent again: the hub''s expire_after from that moment. Its pointer has '
    '16,384 added to attempt, so that the claim calls this only for such messages. Null: it was not sent again.';

CREATE FUNCTION push.claim_v1(hub smallint, priority smallint, mark_at timestamptz, mark_id bigint, n int, worker int)
RETURNS TABLE (claim bigint, at timestamptz, pointer bigint, id bigint, lead bigint, attempt smallint, tag text, handles text[], locale text,
               content json, format text, headers json, expires_at timestamptz, on_doubt text, pack boolean)
LANGUAGE plpgsql ROWS 1000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
    last_at timestamptz := 'infinity'; last_id bigint := 9223372036854775807;
    expire_after interval := (SELECT h.expire_after FROM push.hub h WHERE h.id = $1);
BEGIN
    IF EXISTS (SELECT FROM push.due WHERE keyed AND hub = $1 AND priority = $2 AND due_at <= now() AND (due_at, id) > ($3, $4)) THEN
        SELECT g.last_at, g.last_id INTO last_at, last_id FROM push.gather_v1($1, $2, $3, $4, $5) g;
    END IF;
    RETURN QUERY
    WITH picked AS MATERIALIZED (
        SELECT ctid AS row, id, due_at FROM push.due
         WHERE hub = $1 AND priority = $2 AND due_at <= now() AND (due_at, id) > ($3, $4)
           AND (due_at, id) <= (last_at, last_id) AND NOT keyed              -- the mark must not pass pointers that are not gathered
         ORDER BY due_at, id LIMIT $5
           FOR UPDATE SKIP LOCKED                                         -- other workers skip what we hold
    ), taken AS MATERIALIZED (
        DELETE FROM push.due WHERE ctid = ANY (ARRAY(SELECT row FROM picked)) RETURNING id, attempt, translations
    ), every AS MATERIALIZED (                                            -- a lead brings its translations
        SELECT id, id AS lead, attempt FROM taken WHERE NOT translations
        UNION ALL
        SELECT t.id, l.id, l.attempt FROM taken l, LATERAL (SELECT id FROM push.translation WHERE lead = l.id OFFSET 0) t WHERE l.translations
    ), fence AS MATERIALIZED (
        SELECT nextval('push.claim_id') AS claim, due_at, id FROM picked ORDER BY due_at DESC, id DESC LIMIT 1
    ), held AS (
        INSERT INTO push.claim (id, worker, hub, priority, ids, attempts)
        SELECT f.claim, $6, $1, $2, e.ids, e.attempts FROM fence f,
               (SELECT array_agg(id) AS ids, array_agg(attempt) AS attempts FROM every HAVING count(*) > 0) e
    )
    SELECT f.claim, f.due_at, f.id, m.id, e.lead, (e.attempt & 16383)::smallint, m.tag, m.handles, m.locale, m.content, m.format, m.headers,
           CASE WHEN e.attempt < 16384 THEN coalesce(m.expires_at, m.send_at + expire_after) ELSE push.life_v1(e.id, expire_after) END,
           m.on_doubt, m.pack
      FROM every e, fence f,
           LATERAL (SELECT m.id, m.tag, m.handles, m.locale, m.content, m.format, m.headers, m.send_at, m.expires_at, m.on_doubt, m.pack
                      FROM push.message m WHERE m.id = e.id OFFSET 0) m;
END $$;
COMMENT ON FUNCTION push.claim_v1 IS
    'Gathers, then takes up to n due pointers of a hub and priority behind the mark, writes one claim, and returns '
    'the messages with all their translations. (at, pointer) is the next mark.';

CREATE FUNCTION push.probe_v1(hubs smallint[], priorities smallint[], marks_at timestamptz[], marks_id bigint[])
RETURNS int[] LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
    RETURN ARRAY(
        SELECT l.n::int FROM unnest($1, $2, $3, $4) WITH ORDINALITY l(hub, priority, at, id, n)
         WHERE EXISTS (SELECT FROM push.due d WHERE d.hub = l.hub AND d.priority = l.priority AND d.due_at <= now() AND (d.due_at, d.id) > (l.at, l.id) OFFSET 0));
END $$;
COMMENT ON FUNCTION push.probe_v1 IS
    'Which of the given lanes have a due pointer behind their mark, as numbers from 1. One statement for all idle '
    'lanes.';

-- Intent --------------------------------------------------------------------------------------------------------------

CREATE FUNCTION push.intent_v1(claim bigint, n int[], first int[], last int[], ids bigint[], targets text[], bytes int[],
                               OUT alive boolean, OUT written int[], OUT cancelled bigint[])
LANGUAGE plpgsql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE held record;
BEGIN
    -- The lock is the fence: rescue deletes this row and cancel updates it, so they wait for us or we for them. With an
    -- EXISTS test, or FOR KEY SHARE, a message that was just rescued or cancelled would still be sent (tried). The wait
    -- ends after lock_timeout: a cancel in an open transaction may hold the row, and the rest of the lane must go on.
    SELECT c.hub, c.cancelled INTO held FROM push.claim c WHERE c.id = $1 FOR SHARE;
    alive := FOUND;
    IF NOT alive THEN RETURN; END IF;
    cancelled := held.cancelled;
    written := $2;
    IF cancelled <> '{}' THEN
        written := ARRAY(SELECT p.n FROM unnest($2, $3, $4) p(n, first, last) WHERE NOT ($5)[p.first:p.last] && cancelled);
    END IF;
    -- plpgsql keeps arrays in expanded form, and each slice flattens the whole array first. A CTE holds it flat, which
    -- saves that for every post (11 instead of 22 us a post).
    BEGIN
        WITH folded AS MATERIALIZED (SELECT $5 AS ids)
        INSERT INTO push.post (id, hub, target, bytes, ids)
        SELECT $1 * 10000 + p.n, held.hub, p.target, p.bytes, folded.ids[p.first:p.last]
          FROM folded, unnest($2, $3, $4, $6, $7) p(n, first, last, target, bytes) WHERE cancelled = '{}' OR p.n = ANY (written);
    EXCEPTION WHEN unique_violation THEN                                  -- a repeated intent, after a lost answer to the commit
        INSERT INTO push.post (id, hub, target, bytes, ids)
        SELECT $1 * 10000 + p.n, held.hub, p.target, p.bytes, ($5)[p.first:p.last]
          FROM unnest($2, $3, $4, $6, $7) p(n, first, last, target, bytes) WHERE p.n = ANY (written)
            ON CONFLICT DO NOTHING;
    END;
END $$;
COMMENT ON FUNCTION push.intent_v1 IS
    'Writes the posts that may leave now; post n carries ids[first:last]. alive is false when the claim was rescued: '
    'post nothing. Posts with a cancelled message are left out. SQLSTATE 55P03: another session holds the claim; post '
    'nothing of it now.';

-- Back to due ---------------------------------------------------------------------------------------------------------

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

-- Complete ------------------------------------------------------------------------------------------------------------

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

-- Heartbeat and rescue ------------------------------------------------------------------------------------------------

CREATE FUNCTION push.register_v1(name text, version text) RETURNS int
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO push.worker (name, version) VALUES ($1, $2) RETURNING id
$$;
COMMENT ON FUNCTION push.register_v1 IS 'Registers a worker; returns its number.';

CREATE FUNCTION push.heartbeat_v1(worker int, doing text, hubs smallint[], keys text[], have_secondary boolean[],
    tokens_expire_at timestamptz[], signings int[], windows int[], in_flight int[], rates double precision[], skews double precision[])
RETURNS TABLE (id int, beats bigint, claims bigint[]) LANGUAGE plpgsql ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    UPDATE push.worker SET beats = beats + 1, beat_at = clock_timestamp(), doing = $2 WHERE id = $1;
    IF FOUND AND cardinality($3) > 0 THEN      -- a worker declared dead no longer reports about hubs
        INSERT INTO push.serving AS s (worker, hub, key, has_secondary, token_expires_at, signings, "window", in_flight, rate, skew_seconds)
        SELECT $1, * FROM unnest($3, $4, $5, $6, $7, $8, $9, $10, $11)
            ON CONFLICT ON CONSTRAINT serving_pkey DO UPDATE
           SET (key, has_secondary, token_expires_at, signings, "window", in_flight, rate, skew_seconds, at)
             = ROW (excluded.key, excluded.has_secondary, excluded.token_expires_at, excluded.signings, excluded."window",
                    excluded.in_flight, excluded.rate, excluded.skew_seconds, excluded.at);
    END IF;
    RETURN QUERY
    SELECT w.id, w.beats, CASE WHEN w.id = $1 THEN ARRAY(SELECT c.id FROM push.claim c WHERE c.worker = $1) END FROM push.worker w
    UNION ALL
    -- A stalled worker that was rescued may have claimed once more before it learned that, and then ended: its number
    -- is in no row any more, but its claims stand. Its beats never change, so it is rescued like any other.
    SELECT DISTINCT c.worker, 0::bigint, NULL::bigint[] FROM push.claim c
     WHERE c.worker <> $1 AND NOT EXISTS (SELECT FROM push.worker w WHERE w.id = c.worker);
END $$;
COMMENT ON FUNCTION push.heartbeat_v1 IS
    'Records that the worker lives and how it serves its hubs (push.serving). Returns every worker with its beats, '
    'and the caller''s own claims. The caller is missing when it was declared dead and rescued.';

CREATE FUNCTION push.sleep_v1(worker int, asleep boolean) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- SKIP LOCKED: the heartbeat or an open transaction may hold the row, and this does not wait for it.
    UPDATE push.worker w SET asleep = $2 WHERE w.id = (SELECT o.id FROM push.worker o WHERE o.id = $1 FOR NO KEY UPDATE SKIP LOCKED);
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push.sleep_v1 IS
    'A worker that listens on push_due records that it is about to sleep, or that it woke. False: nothing was '
    'written, because the worker was declared dead and rescued or another session holds its row; then it must not '
    'sleep.';

CREATE FUNCTION push.due_at_of(id bigint) RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT coalesce((SELECT CASE WHEN r.status = 'retrying' THEN r.due_at END FROM push.result r WHERE r.id = $1 ORDER BY r.at DESC LIMIT 1),
                    (SELECT k.due_at FROM push.content k WHERE k.id = $1),
                    (SELECT m.send_at FROM push.message m WHERE m.id = $1))
$$;
COMMENT ON FUNCTION push.due_at_of IS 'The due_at of a message in push.due, if it is pending.';

CREATE FUNCTION push.rescue_claims_v1(dead bigint[], OUT claims int, OUT returned int, OUT doubted int)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE locked bigint[];
BEGIN
    PERFORM push.require_read_committed('push.rescue');
    -- Two statements on purpose: the snapshot of the second must be newer than the locks of the first. Otherwise an
    -- intent that commits in between would be invisible, and a sent message would be called unsent.
    locked := ARRAY(SELECT c.id FROM push.claim c WHERE c.id = ANY (dead) FOR UPDATE SKIP LOCKED);
    WITH held AS MATERIALIZED (        -- messages that are still in their claim: they have no result of it
        SELECT c.id AS claim, c.hub, c.priority, u.id, u.attempt
          FROM push.claim c, unnest(c.ids, c.attempts) u(id, attempt)
         WHERE c.id = ANY (locked)
           AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = u.id AND r.post >= c.id * 10000 AND r.post < (c.id + 1) * 10000 OFFSET 0)
    ), sent AS MATERIALIZED (
        SELECT p.id AS post, u.id FROM unnest(locked) d(claim),
               LATERAL (SELECT p.id, p.ids FROM push.post p WHERE p.id >= d.claim * 10000 AND p.id < (d.claim + 1) * 10000 OFFSET 0) p, unnest(p.ids) u(id)
         WHERE NOT EXISTS (SELECT FROM push.answer a WHERE a.post = p.id OFFSET 0)
    ), each AS MATERIALIZED (          -- combined by grouping, because a join could become a loop over all pairs
        SELECT claim, id, max(hub) AS hub, max(priority) AS priority, max(attempt) AS attempt, max(post) AS post
          FROM (SELECT claim, id, hub, priority, attempt, NULL::bigint AS post FROM held
                UNION ALL SELECT post / 10000, id, NULL, NULL, NULL, post FROM sent) x
         GROUP BY claim, id HAVING count(hub) > 0
    ), doubt AS MATERIALIZED (
        SELECT e.*, coalesce(m.on_doubt, b.on_doubt) = 'resend' AS resend, clock_timestamp() AS at
          FROM each e, LATERAL (SELECT on_doubt FROM push.message m WHERE m.id = e.id OFFSET 0) m,
               LATERAL (SELECT on_doubt FROM push.hub b WHERE b.id = e.hub OFFSET 0) b
         WHERE e.post IS NOT NULL
    ), results AS (
        INSERT INTO push.result (id, post, at, status, reason, due_at, note)
        SELECT id, post, at, CASE WHEN resend THEN 'retrying' ELSE 'in_doubt' END::push.status, CASE WHEN resend THEN 'resent' ELSE 'worker_lost' END::push.reason,
               CASE WHEN resend THEN at END, 'The worker ended after this post was about to leave; whether the hub took it is not known.' FROM doubt
    ), back AS MATERIALIZED (
        SELECT hub, priority, id, attempt, push.due_at_of(id) AS due_at FROM each WHERE post IS NULL
        UNION ALL
        SELECT hub, priority, id, (attempt + 1)::smallint, at FROM doubt WHERE resend
    ), counted AS (
        INSERT INTO push.tally AS t (hub, minute, status, reason, n)
        SELECT hub, date_trunc('minute', clock_timestamp()), CASE WHEN resend THEN 'retrying' ELSE 'in_doubt' END::push.status,
               CASE WHEN resend THEN 'resent' ELSE 'worker_lost' END::push.reason, count(*) FROM doubt GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
            ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n
    ), done AS MATERIALIZED (
        SELECT push.back_v1(array_agg(hub), array_agg(priority), array_agg(id), array_agg(attempt), array_agg(due_at)) FROM back HAVING count(*) > 0
    )
    SELECT cardinality(locked), count(*), (SELECT count(*) FROM doubt) + 0 * (SELECT count(*) FROM done) INTO claims, returned, doubted FROM back;
    DELETE FROM push.claim WHERE id = ANY (locked);
END $$;
COMMENT ON FUNCTION push.rescue_claims_v1 IS
    'Takes claims away from a dead worker. Messages in no post were not sent and go back; messages in an unanswered '
    'post end in doubt, or go back if on_doubt is resend.';

CREATE FUNCTION push.rescue_v1(worker int, OUT claims int, OUT returned int, OUT doubted int)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT * INTO claims, returned, doubted FROM push.rescue_claims_v1(ARRAY(SELECT c.id FROM push.claim c WHERE c.worker = $1));
    DELETE FROM push.worker w WHERE w.id = $1 AND NOT EXISTS (SELECT FROM push.claim c WHERE c.worker = $1);
END $$;
COMMENT ON FUNCTION push.rescue_v1 IS
    'Rescues everything a worker holds. Only for a dead worker: a live one loses its claims and posts nothing more of '
    'them.';

-- Keys ----------------------------------------------------------------------------------------------------------------

CREATE FUNCTION push.forget_keys(n int DEFAULT 10000) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE moment timestamptz := clock_timestamp(); gone bigint := 0; batch bigint; after bigint := 0; seen int; old int; last bigint; free bigint[];
BEGIN
    IF NOT pg_try_advisory_xact_lock(7310868735422034535) THEN RETURN 0; END IF;      -- one at a time

    -- Adds what enqueuing backends counted to its minute.
    WITH counted AS (
        DELETE FROM push.tally WHERE minute <> date_trunc('minute', minute) AND status IN ('duplicate', 'rejected') RETURNING hub, minute, status, reason, n
    )
    INSERT INTO push.tally AS t (hub, minute, status, reason, n)
    SELECT hub, date_trunc('minute', minute), status, reason, sum(n) FROM counted GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
        ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n;

    -- dedupe_key, oldest first. Keys that an INSERT has locked are in use and are skipped.
    DELETE FROM push.dedupe WHERE ctid = ANY (ARRAY(
        SELECT d.ctid FROM push.dedupe d WHERE d.at < moment - (SELECT min(keep_dedupe) FROM push.hub)
           AND d.at < moment - (SELECT h.keep_dedupe FROM push.hub h WHERE h.id = d.hub)
         ORDER BY d.at LIMIT $1 FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS gone = ROW_COUNT;

    -- content_key: rows that are old and final and whose key is free. Ids grow with time, so the loop ends at the first
    -- batch without an old row.
    WHILE gone < $1 LOOP
        SELECT count(*), count(*) FILTER (WHERE k.at < moment - (SELECT min(keep_content) FROM push.hub)), max(k.id),
               array_agg(k.id) FILTER (WHERE k.at < moment - h.keep_content AND push.are_final(ARRAY[k.id])
                                         AND (t.ids IS NULL OR t.at < moment - h.keep_content AND push.are_final(t.ids)))
          INTO seen, old, last, free
          FROM (SELECT * FROM push.content WHERE id > after ORDER BY id LIMIT 1000) k,
               LATERAL (SELECT h.keep_content FROM push.hub h WHERE h.id = k.hub OFFSET 0) h
               LEFT JOIN LATERAL (SELECT t.at, t.ids FROM push.content_taken t
                                   WHERE t.hub = k.hub AND t.tag = k.tag AND t.content_key = k.content_key AND t.priority = k.priority OFFSET 0) t ON true;
        EXIT WHEN seen = 0;
        after := last;
        WITH forgotten AS (
            DELETE FROM push.content WHERE id = ANY (free) RETURNING hub, tag, content_key, priority
        ), key AS MATERIALIZED (
            SELECT DISTINCT hub, tag, content_key, priority FROM forgotten
        ), freed AS (
            DELETE FROM push.content_taken t WHERE t.ctid = ANY (ARRAY(
                SELECT x.row FROM key k, LATERAL (
                    SELECT t.ctid AS row FROM push.content_taken t
                     WHERE t.hub = k.hub AND t.tag = k.tag AND t.content_key = k.content_key AND t.priority = k.priority
                       AND t.at < moment - (SELECT h.keep_content FROM push.hub h WHERE h.id = k.hub) FOR UPDATE SKIP LOCKED) x))
        )
        SELECT count(*) INTO batch FROM forgotten;
        gone := gone + batch;
        EXIT WHEN old = 0;
    END LOOP;
    RETURN gone;
END $$;
COMMENT ON FUNCTION push.forget_keys IS
    'Forgets about n dedupe_keys and content_keys whose time is over; returns how many. Workers call it every few '
    'minutes until it returns less than n. A content_key is kept while one of its messages is pending.';

-- Hubs ----------------------------------------------------------------------------------------------------------------

CREATE FUNCTION push.register_hub_v1(name text, kind text, localization text, languages text[], fallback text, allow_broadcast boolean,
    on_doubt text, expire_seconds int, settle_milliseconds int,
    content_key_hours int, dedupe_hours int, settings json, settings_hash text) RETURNS smallint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE known push.hub;
BEGIN
    SELECT * INTO known FROM push.hub h WHERE h.name = $1;
    IF known.settings_hash = $13 THEN RETURN known.id; END IF;
    INSERT INTO push.hub AS h (name, kind, localization, languages, fallback, allow_broadcast, on_doubt, expire_after, settle, keep_content, keep_dedupe, settings, settings_hash)
    VALUES ($1, $2, $3, $4, $5, $6, $7, make_interval(secs => $8), $9 * interval '1 ms', $10 * interval '1 hour', $11 * interval '1 hour', $12, $13)
        ON CONFLICT ON CONSTRAINT hub_name_key DO UPDATE SET (kind, localization, languages, fallback, allow_broadcast, on_doubt, expire_after, settle, keep_content, keep_dedupe, settings, settings_hash)
         = ROW ($2, $3, $4, $5, $6, $7, make_interval(secs => $8), $9 * interval '1 ms', $10 * interval '1 hour', $11 * interval '1 hour', $12, $13)
    RETURNING h.* INTO known;
    INSERT INTO push.hub_state (hub) VALUES (known.id) ON CONFLICT DO NOTHING;
    RETURN known.id;
END $$;
COMMENT ON FUNCTION push.register_hub_v1 IS 'Writes a hub''s settings if they changed; returns its number.';

-- How fast all workers together may post: what a person or the configuration allows, and less for three minutes after
-- the hub throttled. Computed from the time of the throttling, so that no worker has to write while the limit grows.

CREATE FUNCTION push.grown(slowed_to double precision, seconds double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN $2 < 180 THEN $1 * power(2, greatest(0, $2) / 30) END
$$;
COMMENT ON FUNCTION push.grown IS
    'The limit in posts per second, this many seconds after a hub throttled and was slowed to slowed_to: it doubles '
    'every 30 s. Null after three minutes: no limit.';

CREATE FUNCTION push.speed(ceiling double precision, slowed_to double precision, seconds double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(least(nullif($1, 0), push.grown($2, $3)), 0)
$$;
COMMENT ON FUNCTION push.speed IS
    'Posts per second; 0: no limit. ceiling: the limit set by a person or the configuration (0: none); slowed_to, '
    'seconds: as in push.grown.';

CREATE FUNCTION push.hub_states_v1()
RETURNS TABLE (hub smallint, gate_seconds double precision, hold_reason text, probe_seconds double precision, paused_by text, key text, rate double precision,
               slowed_to double precision, broken_seconds double precision)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT hub, extract(epoch FROM gate_until - clock_timestamp()), CASE WHEN held_since IS NOT NULL THEN hold_reason END,
           extract(epoch FROM probe_at - clock_timestamp()), paused_by, key, rate,
           push.grown(slowed_to, extract(epoch FROM clock_timestamp() - slowed_at)::double precision), extract(epoch FROM broken_until - clock_timestamp())
      FROM push.hub_state
$$;
COMMENT ON FUNCTION push.hub_states_v1 IS
    'Gates, holds, pauses, keys, rates and breakers of all hubs. Times are seconds from now, so that no worker''s '
    'clock matters.';

CREATE FUNCTION push.slow_down_v1(hub smallint, configured double precision, measured double precision, age double precision, why text) RETURNS double precision
LANGUAGE plpgsql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp AS $$
DECLARE state push.hub_state; moment timestamptz; allowed double precision; taken double precision; half double precision;
BEGIN
    SELECT s.* INTO state FROM push.hub_state s WHERE s.hub = $1 FOR NO KEY UPDATE;
    moment := clock_timestamp();                -- read behind the lock: another worker may just have done it
    -- A post that left before the last slow-down says nothing about the speed since; nor does the second after it.
    IF state.slowed_at > moment - make_interval(secs => greatest($4, 1)) THEN RETURN NULL; END IF;
    allowed := nullif(push.speed(coalesce(state.rate, $2), state.slowed_to, extract(epoch FROM moment - state.slowed_at)::double precision), 0);
    SELECT sum(v.rate) INTO taken FROM push.serving v JOIN push.worker w ON w.id = v.worker WHERE v.hub = $1 AND w.beat_at > moment - interval '30 seconds';
    half := greatest(1, least(allowed, greatest($3, taken, 20)) / 2);
    UPDATE push.hub_state s SET slowed_to = half, slowed_at = moment, slowed_why = $5, tokens = 0, tokens_at = moment WHERE s.hub = $1;
    RETURN half;
END $$;
COMMENT ON FUNCTION push.slow_down_v1 IS
    'Call it when the hub throttled a post that left age seconds ago. All workers together slow down to the returned '
    'posts per second: half of what was allowed, and of no more than the hub took lately (measured by the caller and '
    'push.serving; taken as at least 20). Never below 1. Null: the workers have already slowed down for that.';

CREATE FUNCTION push.break_hub_v1(hub smallint, seconds double precision, why text) RETURNS void
LANGUAGE sql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.hub_state SET broken_until = greatest(broken_until, clock_timestamp() + make_interval(secs => $2)), broken_why = $3, changed_at = clock_timestamp()
     WHERE hub = $1
$$;
COMMENT ON FUNCTION push.break_hub_v1 IS
    'This worker''s posts do not get through to the hub, and it tries again after this many seconds. The other '
    'workers try one post first.';

CREATE FUNCTION push.mend_hub_v1(hub smallint) RETURNS void
LANGUAGE sql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.hub_state SET broken_until = NULL, broken_why = NULL, changed_at = clock_timestamp() WHERE hub = $1 AND broken_until IS NOT NULL
$$;
COMMENT ON FUNCTION push.mend_hub_v1 IS 'A post got through after others did not: ends what push.break_hub_v1 began.';

CREATE FUNCTION push.close_gate_v1(hub smallint, seconds double precision) RETURNS void
LANGUAGE sql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.hub_state SET gate_until = clock_timestamp() + make_interval(secs => $2), changed_at = clock_timestamp()
     WHERE hub = $1 AND (gate_until IS NULL OR gate_until < clock_timestamp() + make_interval(secs => $2))
$$;
COMMENT ON FUNCTION push.close_gate_v1 IS
    'The hub throttles: closes its gate for all workers, for this many seconds. Never shortens a wait.';

CREATE FUNCTION push.hold_hub_v1(hub smallint, reason text, probe_seconds double precision) RETURNS void
LANGUAGE sql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.hub_state SET held_since = coalesce(held_since, clock_timestamp()), hold_reason = $2,
           probe_at = clock_timestamp() + make_interval(secs => $3), changed_at = clock_timestamp() WHERE hub = $1
$$;
COMMENT ON FUNCTION push.hold_hub_v1 IS
    'The hub refuses us: keeps its messages, records why, and lets one message be tried after this many seconds.';

CREATE FUNCTION push.take_probe_v1(hub smallint, probe_seconds double precision) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- SKIP LOCKED: another worker or an open transaction may hold the row, and this does not wait for it.
    PERFORM FROM push.hub_state s WHERE s.hub = $1 AND s.held_since IS NOT NULL AND s.probe_at <= clock_timestamp() FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN false; END IF;
    UPDATE push.hub_state s SET probe_at = clock_timestamp() + make_interval(secs => $2) WHERE s.hub = $1;
    RETURN true;
END $$;
COMMENT ON FUNCTION push.take_probe_v1 IS 'True for the one worker that may now try one message on a held hub.';

CREATE FUNCTION push.release_hub_v1(hub smallint) RETURNS void
LANGUAGE sql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.hub_state SET held_since = NULL, hold_reason = NULL, probe_at = NULL, changed_at = clock_timestamp() WHERE hub = $1 AND held_since IS NOT NULL
$$;
COMMENT ON FUNCTION push.release_hub_v1 IS 'A probe was accepted: the hub takes posts again.';

CREATE FUNCTION push.use_key_v1(hub smallint, key text, reason text) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE push.hub_state s SET key = $2, key_since = clock_timestamp(), key_reason = $3 WHERE s.hub = $1 AND s.key <> $2;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push.use_key_v1 IS
    'A worker found that the hub takes only this key: all workers sign with it from now on. False: they already did.';

CREATE FUNCTION push.rotate_hub(hub text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE state push.hub_state; fit int; unfit text; fresh text;
BEGIN
    SELECT s.* INTO state FROM push.hub_state s JOIN push.hub h ON h.id = s.hub WHERE h.name = $1 FOR UPDATE OF s;
    IF NOT FOUND THEN RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('hub "%s" is not registered', $1), HINT = 'SELECT name FROM push.hub'; END IF;
    SELECT count(*) FILTER (WHERE v.has_secondary), string_agg(w.name, ', ' ORDER BY w.name) FILTER (WHERE NOT v.has_secondary) INTO fit, unfit
      FROM push.serving v JOIN push.worker w ON w.id = v.worker
     WHERE v.hub = state.hub AND w.beat_at > clock_timestamp() - interval '30 seconds';
    IF fit = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('no worker serves hub "%s" with a secondary key', $1),
            HINT = CASE WHEN unfit IS NULL THEN 'Start a worker that serves it (fanfare run) with hubs.' || $1 || '.secondaryConnectionString set.'
                        ELSE 'Set hubs.' || $1 || '.secondaryConnectionString and reload the workers: ' || unfit END;
    END IF;
    fresh := CASE state.key WHEN 'primary' THEN 'secondary' ELSE 'primary' END;
    UPDATE push.hub_state s SET key = fresh, key_since = clock_timestamp(), key_reason = 'rotated by ' || session_user WHERE s.hub = state.hub;
    INSERT INTO push.audit (action, detail) VALUES ('rotate_hub', json_build_object('hub', $1, 'key', fresh));
    IF unfit IS NOT NULL THEN
        RAISE WARNING USING MESSAGE = format('these workers have no secondary key for hub "%s" and go on with the primary one: %s', $1, unfit),
            HINT = 'Do not make the primary key invalid before they have one.';
    END IF;
    RETURN fresh;
END $$;
COMMENT ON FUNCTION push.rotate_hub IS
    'Makes all workers sign with the hub''s other key within a second; returns which one: primary or secondary. Fails '
    'while no living worker has a secondary key. If the hub refuses the new key, the workers fall back by themselves '
    'and push.hub_state.key_reason says so.';

-- A rate limit for all workers together: a token bucket, one token per post. It fills at the rate, up to one second's
-- worth. A worker takes several tokens at a time, so this row is locked a few times a second and not once per post.

CREATE FUNCTION push.bucket(tokens double precision, seconds double precision, rate double precision, wanted int,
                            OUT granted int, OUT remaining double precision, OUT wait double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT g.granted, b.level - g.granted, CASE WHEN g.granted >= wanted THEN 0 ELSE (1 - (b.level - g.granted)) / rate END
      FROM (SELECT least(greatest(1, rate), coalesce(tokens, greatest(1, rate)) + greatest(0, coalesce(seconds, 0)) * rate) AS level) b,
           LATERAL (SELECT greatest(0, least(wanted, floor(b.level)))::int AS granted) g
$$;
COMMENT ON FUNCTION push.bucket IS
    'The arithmetic of a token bucket that had this many tokens, this many seconds ago (null: it is full): how many '
    'are granted, how many remain, and in how many seconds the next one comes (0: all wanted tokens are granted).';

CREATE FUNCTION push.take_tokens_v1(hub smallint, configured double precision, wanted int, OUT granted int, OUT wait double precision)
LANGUAGE plpgsql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp AS $$
DECLARE state push.hub_state; b record; at timestamptz; speed double precision;
BEGIN
    SELECT s.* INTO state FROM push.hub_state s WHERE s.hub = $1 FOR NO KEY UPDATE;
    at := clock_timestamp();                    -- read behind the lock: it may have kept us waiting
    speed := push.speed(coalesce(state.rate, $2), state.slowed_to, extract(epoch FROM at - state.slowed_at)::double precision);
    IF speed <= 0 THEN
        granted := $3;
        wait := 0;
        RETURN;
    END IF;
    SELECT * INTO b FROM push.bucket(state.tokens, extract(epoch FROM at - state.tokens_at)::double precision, speed, $3);
    UPDATE push.hub_state s SET tokens = b.remaining, tokens_at = at WHERE s.hub = $1;
    granted := b.granted;
    wait := b.wait;
END $$;
COMMENT ON FUNCTION push.take_tokens_v1 IS
    'How many of the wanted posts may leave to a hub with a rate: configured, unless push.hub_state.rate is set, and '
    'less after the hub throttled (push.speed). wait: seconds until the next one.';

CREATE FUNCTION push.return_tokens_v1(hub smallint, n int) RETURNS void
LANGUAGE sql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.hub_state SET tokens = tokens + $2 WHERE hub = $1 AND tokens IS NOT NULL
$$;
COMMENT ON FUNCTION push.return_tokens_v1 IS
    'Gives back tokens that were taken and not used. What exceeds one second''s worth is lost at the next take.';

REVOKE ALL ON FUNCTION push.require_read_committed, push.gather_v1, push.life_v1, push.claim_v1, push.probe_v1, push.intent_v1, push.back_v1, push.complete_v1, push.register_v1, push.heartbeat_v1,
    push.due_at_of, push.forget_keys, push.rescue_claims_v1, push.rescue_v1, push.register_hub_v1, push.hub_states_v1, push.close_gate_v1, push.hold_hub_v1,
    push.take_probe_v1, push.release_hub_v1, push.slow_down_v1, push.break_hub_v1, push.mend_hub_v1, push.use_key_v1, push.rotate_hub, push.take_tokens_v1, push.return_tokens_v1 FROM PUBLIC;

INSERT INTO push.migration (version, name) VALUES (3, 'protocol');
