-- Fanfare, migration 3: the protocol between workers, from claim to complete. One function per step, with a version in
-- its name, so that two versions of the daemon can share a database.
--
-- Every function carries its own plan settings: a queue table is empty when it is analysed and huge an hour later, and
-- no plan may depend on that. Look-ups by key are LATERAL with OFFSET 0, so that no join order can be turned round.
-- They are plpgsql so that plans are kept between calls.

SELECT pg_advisory_xact_lock(7310868735422034533);
SET LOCAL lock_timeout = '5s';

-- Claim ---------------------------------------------------------------------------------------------------------------

CREATE FUNCTION push.claim_v1(hub smallint, priority smallint, mark_at timestamptz, mark_id bigint, n int, worker int)
RETURNS TABLE (claim bigint, at timestamptz, pointer bigint, id bigint, lead bigint, attempt smallint, tag text, handles text[], locale text,
               content json, format text, headers json, expires_at timestamptz, on_doubt text, pack boolean)
LANGUAGE plpgsql ROWS 1000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH picked AS MATERIALIZED (
        SELECT ctid AS row, id, due_at FROM push.due
         WHERE hub = $1 AND priority = $2 AND due_at <= now() AND (due_at, id) > ($3, $4)
         ORDER BY due_at, id LIMIT $5
           FOR UPDATE SKIP LOCKED                                         -- others pass over what we hold
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
    SELECT f.claim, f.due_at, f.id, m.id, e.lead, e.attempt, m.tag, m.handles, m.locale, m.content, m.format, m.headers,
           coalesce(m.expires_at, m.send_at + h.expire_after), m.on_doubt, m.pack
      FROM every e, fence f, LATERAL (SELECT * FROM push.message m WHERE m.id = e.id OFFSET 0) m,
           LATERAL (SELECT expire_after FROM push.hub WHERE id = $1 OFFSET 0) h;
END $$;
COMMENT ON FUNCTION push.claim_v1 IS
    'Takes up to n due pointers of a hub and priority after the mark, writes one claim, returns the messages with all their translations. (at, pointer) is the next mark.';

CREATE FUNCTION push.probe_v1(hubs smallint[], priorities smallint[], marks_at timestamptz[], marks_id bigint[])
RETURNS int[] LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
    RETURN ARRAY(
        SELECT l.n::int FROM unnest($1, $2, $3, $4) WITH ORDINALITY l(hub, priority, at, id, n)
         WHERE EXISTS (SELECT FROM push.due d WHERE d.hub = l.hub AND d.priority = l.priority AND d.due_at <= now() AND (d.due_at, d.id) > (l.at, l.id) OFFSET 0));
END $$;
COMMENT ON FUNCTION push.probe_v1 IS 'Which of the given lanes have something due after their mark: their numbers, from 1. One statement for all idle lanes.';

-- Intent --------------------------------------------------------------------------------------------------------------

CREATE FUNCTION push.intent_v1(claim bigint, n int[], first int[], last int[], ids bigint[], targets text[], bytes int[],
                               OUT alive boolean, OUT written int[], OUT cancelled bigint[])
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE held record;
BEGIN
    -- The lock is the fence: rescue deletes and cancel updates this row, both wait for us or we for them. An EXISTS
    -- test or FOR KEY SHARE would let a message be sent that was rescued or cancelled a moment ago (tried).
    SELECT c.hub, c.cancelled INTO held FROM push.claim c WHERE c.id = $1 FOR SHARE;
    alive := FOUND;
    IF NOT alive THEN RETURN; END IF;
    cancelled := held.cancelled;
    written := ARRAY(SELECT p.n FROM unnest($2, $3, $4) p(n, first, last) WHERE NOT ($5)[p.first:p.last] && held.cancelled);
    INSERT INTO push.post (id, hub, target, bytes, ids)
    SELECT $1 * 10000 + p.n, held.hub, p.target, p.bytes, ($5)[p.first:p.last]
      FROM unnest($2, $3, $4, $6, $7) p(n, first, last, target, bytes) WHERE p.n = ANY (written)
        ON CONFLICT DO NOTHING;                                           -- the same intent again, after a lost commit
END $$;
COMMENT ON FUNCTION push.intent_v1 IS
    'Writes the posts that may leave now; ids[first:last] ride in post n. Not alive: the claim was rescued, post nothing. Posts with a cancelled message are left out.';

-- Back to due ---------------------------------------------------------------------------------------------------------

CREATE FUNCTION push.back_v1(hubs smallint[], priorities smallint[], ids bigint[], attempts smallint[], due_ats timestamptz[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE broken bigint; stay bigint[];
BEGIN
    -- Translations go back together, under their lead's pointer. Where some have left meanwhile (cancelled) the rest
    -- gets a lead of its own first.
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
COMMENT ON FUNCTION push.back_v1 IS 'Puts messages back into push.due, translations under one pointer. For use by other functions only: it checks nothing.';

-- Complete ------------------------------------------------------------------------------------------------------------

CREATE FUNCTION push.complete_v1(
    posts bigint[], verdicts text[], https smallint[], ms int[], trackings text[], notifications text[], errors text[],
    statuses text[], reasons text[], costs smallint[], delays double precision[], notes text[],
    left_claims bigint[], left_ids bigint[], left_statuses text[], left_reasons text[], left_delays double precision[], left_notes text[],
    finished bigint[], OUT answered int, OUT late int, OUT fenced bigint[])
LANGUAGE plpgsql SET lock_timeout = '5s' SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    asked bigint[] := ARRAY(SELECT DISTINCT p / 10000 FROM unnest($1) p UNION SELECT unnest($13) UNION SELECT unnest($19));
    live bigint[]; heard bigint[]; doubted bigint[]; told record;
    at timestamptz := clock_timestamp();       -- delays count from the database's clock: no worker's clock matters
BEGIN
    -- 1. Claims that are still ours. Rescue deletes them; waiting for its lock, we find them gone.
    -- Answers are guarded by their key; what leaves without a post is not, so there a repeated completion has to wait for
    -- the first one, which may still be running after its connection broke.
    IF cardinality($14) > 0 THEN
        live := ARRAY(SELECT c.id FROM push.claim c WHERE c.id = ANY (asked) ORDER BY c.id FOR NO KEY UPDATE);
    ELSE
        live := ARRAY(SELECT c.id FROM push.claim c WHERE c.id = ANY (asked) ORDER BY c.id FOR SHARE);
    END IF;
    fenced := ARRAY(SELECT unnest(asked) EXCEPT SELECT unnest(live));

    -- 2. What came back, once per post: a repeated completion finds its answers there and does nothing.
    WITH said AS (
        INSERT INTO push.answer (post, verdict, http, milliseconds, tracking_id, notification_id, error)
        SELECT a.post, a.verdict::push.verdict, a.http, a.ms, a.tracking, a.notification, a.error
          FROM unnest($1, $2, $3, $4, $5, $6, $7) a(post, verdict, http, ms, tracking, notification, error)
            ON CONFLICT DO NOTHING
        RETURNING post)
    SELECT array_agg(post) INTO heard FROM said;
    heard := coalesce(heard, '{}');

    -- 3. What became of every message in those posts.
    WITH a AS MATERIALIZED (
        SELECT a.*, at + make_interval(secs => a.delay) AS due_at FROM unnest($1, $8, $9, $10, $11, $12) a(post, status, reason, cost, delay, note)
         WHERE a.post = ANY (heard) AND a.post / 10000 = ANY (live)
    ), m AS MATERIALIZED (
        SELECT u.id, a.post, a.status::push.status, a.reason::push.reason, a.cost, a.due_at, a.note, p.hub
          FROM a, LATERAL (SELECT ids, hub FROM push.post p WHERE p.id = a.post OFFSET 0) p, unnest(p.ids) u(id)
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
    answered := told.count;

    -- 4. Late answers: the claim was rescued, so they settle only what is in doubt because of this very post. A person
    -- may decide at the same moment (push.resolve): whoever locks the doubt first decides it, and the second statement
    -- has a snapshot that sees what was decided.
    late := cardinality(heard) - answered;
    IF late > 0 THEN
        doubted := ARRAY(
            SELECT u.id FROM unnest(heard) h(post), LATERAL (SELECT ids FROM push.post p WHERE p.id = h.post OFFSET 0) p, unnest(p.ids) u(id)
             WHERE h.post / 10000 <> ALL (live));
        PERFORM FROM push.result r WHERE r.id = ANY (doubted) AND r.status = 'in_doubt' ORDER BY r.id FOR UPDATE;
        WITH settled AS (
            INSERT INTO push.result (id, post, status, reason, note)
            SELECT u.id, a.post, a.status::push.status, a.reason::push.reason, a.note
              FROM unnest($1, $8, $9, $12) a(post, status, reason, note),
                   LATERAL (SELECT ids FROM push.post p WHERE p.id = a.post OFFSET 0) p, unnest(p.ids) u(id),
                   LATERAL (SELECT r.status, r.post FROM push.result r WHERE r.id = u.id ORDER BY r.at DESC LIMIT 1) r
             WHERE a.post = ANY (heard) AND a.post / 10000 <> ALL (live) AND a.status IN ('accepted', 'rejected')
               AND r.status = 'in_doubt' AND r.post = a.post
            RETURNING post, status, reason)
        INSERT INTO push.tally AS t (hub, minute, status, reason, n)
        SELECT p.hub, date_trunc('minute', clock_timestamp()), s.status, s.reason, count(*)
          FROM settled s, LATERAL (SELECT hub FROM push.post p WHERE p.id = s.post OFFSET 0) p GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
            ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n;
    END IF;

    -- 5. Messages that leave their claim without a post: expired, not sendable, given back.
    IF cardinality($14) > 0 THEN
        WITH l AS MATERIALIZED (
            SELECT l.claim, l.id, l.status::push.status, l.reason::push.reason, at + make_interval(secs => l.delay) AS due_at, l.note, c.hub, c.priority, c.attempts[array_position(c.ids, l.id)] AS attempt
              FROM unnest($13, $14, $15, $16, $17, $18) l(claim, id, status, reason, delay, note),
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
    DELETE FROM push.claim WHERE id = ANY ($19) AND id = ANY (live);
END $$;
COMMENT ON FUNCTION push.complete_v1 IS
    'Records answers and results, puts retries back, finishes claims. Repeating it is harmless. fenced: claims that are no longer ours; late: answers that came after their claim was rescued.';

-- Heartbeat and rescue ------------------------------------------------------------------------------------------------

CREATE FUNCTION push.register_v1(name text, version text) RETURNS int
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO push.worker (name, version) VALUES ($1, $2) RETURNING id
$$;
COMMENT ON FUNCTION push.register_v1 IS 'A worker begins; returns its number.';

CREATE FUNCTION push.heartbeat_v1(worker int, doing text)
RETURNS TABLE (id int, beats bigint, claims bigint[]) LANGUAGE plpgsql ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    UPDATE push.worker SET beats = beats + 1, beat_at = clock_timestamp(), doing = $2 WHERE id = $1;
    RETURN QUERY
    SELECT w.id, w.beats, CASE WHEN w.id = $1 THEN ARRAY(SELECT c.id FROM push.claim c WHERE c.worker = $1) END FROM push.worker w
    UNION ALL
    -- A worker that stood still and was rescued may have claimed once more before it learned that, and then ended: its
    -- number is in no row any more, but its claims stand. It shows no beats, so it is rescued like any other.
    SELECT DISTINCT c.worker, 0::bigint, NULL::bigint[] FROM push.claim c
     WHERE c.worker <> $1 AND NOT EXISTS (SELECT FROM push.worker w WHERE w.id = c.worker);
END $$;
COMMENT ON FUNCTION push.heartbeat_v1 IS
    'Says that the worker lives and returns every worker with its beats, and the caller''s own claims. The caller missing from the answer: it was declared dead and rescued.';

CREATE FUNCTION push.due_at_of(id bigint) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT coalesce((SELECT CASE WHEN r.status = 'retrying' THEN r.due_at END FROM push.result r WHERE r.id = $1 ORDER BY r.at DESC LIMIT 1),
                    (SELECT m.send_at FROM push.message m WHERE m.id = $1))
$$;
COMMENT ON FUNCTION push.due_at_of IS 'The time under which a message lies in push.due, if it is pending.';

CREATE FUNCTION push.rescue_claims_v1(dead bigint[], OUT claims int, OUT returned int, OUT doubted int)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE locked bigint[];
BEGIN
    -- Two statements on purpose: the second one's snapshot must be newer than the first one's locks, or an intent
    -- that commits in between would be invisible and a sent message would be called unsent.
    locked := ARRAY(SELECT c.id FROM push.claim c WHERE c.id = ANY (dead) FOR UPDATE SKIP LOCKED);
    WITH held AS MATERIALIZED (        -- what has not left its claim: it has no result of this claim
        SELECT c.id AS claim, c.hub, c.priority, u.id, u.attempt
          FROM push.claim c, unnest(c.ids, c.attempts) u(id, attempt)
         WHERE c.id = ANY (locked)
           AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = u.id AND r.post >= c.id * 10000 AND r.post < (c.id + 1) * 10000 OFFSET 0)
    ), sent AS MATERIALIZED (
        SELECT p.id AS post, u.id FROM unnest(locked) d(claim),
               LATERAL (SELECT p.id, p.ids FROM push.post p WHERE p.id >= d.claim * 10000 AND p.id < (d.claim + 1) * 10000 OFFSET 0) p, unnest(p.ids) u(id)
         WHERE NOT EXISTS (SELECT FROM push.answer a WHERE a.post = p.id OFFSET 0)
    ), each AS MATERIALIZED (          -- side by side by grouping: a join of these two could become a loop over all pairs
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
    'Takes claims away from a dead worker: messages in no post were not sent and go back; messages in an unanswered post are in doubt (or go back, if they ask for it).';

CREATE FUNCTION push.rescue_v1(worker int, OUT claims int, OUT returned int, OUT doubted int)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT * INTO claims, returned, doubted FROM push.rescue_claims_v1(ARRAY(SELECT c.id FROM push.claim c WHERE c.worker = $1));
    DELETE FROM push.worker w WHERE w.id = $1 AND NOT EXISTS (SELECT FROM push.claim c WHERE c.worker = $1);
END $$;
COMMENT ON FUNCTION push.rescue_v1 IS
    'Rescues everything a worker holds. Only for a worker that is dead: one that still lives loses its claims and posts nothing more of them.';

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

CREATE FUNCTION push.hub_states_v1()
RETURNS TABLE (hub smallint, gate_seconds double precision, hold_reason text, probe_seconds double precision, paused_by text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT hub, extract(epoch FROM gate_until - clock_timestamp()), CASE WHEN held_since IS NOT NULL THEN hold_reason END,
           extract(epoch FROM probe_at - clock_timestamp()), paused_by FROM push.hub_state
$$;
COMMENT ON FUNCTION push.hub_states_v1 IS 'Gates, holds and pauses of all hubs; times as seconds from now, so that no worker''s clock matters.';

CREATE FUNCTION push.close_gate_v1(hub smallint, seconds double precision) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.hub_state SET gate_until = clock_timestamp() + make_interval(secs => $2), changed_at = clock_timestamp()
     WHERE hub = $1 AND (gate_until IS NULL OR gate_until < clock_timestamp() + make_interval(secs => $2))
$$;
COMMENT ON FUNCTION push.close_gate_v1 IS 'The hub asked everybody to wait: for this many seconds, for all workers. Never shortens.';

CREATE FUNCTION push.hold_hub_v1(hub smallint, reason text, probe_seconds double precision) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.hub_state SET held_since = coalesce(held_since, clock_timestamp()), hold_reason = $2,
           probe_at = clock_timestamp() + make_interval(secs => $3), changed_at = clock_timestamp() WHERE hub = $1
$$;
COMMENT ON FUNCTION push.hold_hub_v1 IS 'The hub refuses us: keep its messages, say why, try one message again after this many seconds.';

CREATE FUNCTION push.take_probe_v1(hub smallint, probe_seconds double precision) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE push.hub_state s SET probe_at = clock_timestamp() + make_interval(secs => $2)
     WHERE s.hub = $1 AND s.held_since IS NOT NULL AND s.probe_at <= clock_timestamp();
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push.take_probe_v1 IS 'True for the one worker that may now try one message on a held hub.';

CREATE FUNCTION push.release_hub_v1(hub smallint) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.hub_state SET held_since = NULL, hold_reason = NULL, probe_at = NULL, changed_at = clock_timestamp() WHERE hub = $1 AND held_since IS NOT NULL
$$;
COMMENT ON FUNCTION push.release_hub_v1 IS 'A probe was accepted: the hub takes posts again.';

REVOKE ALL ON FUNCTION push.claim_v1, push.probe_v1, push.intent_v1, push.back_v1, push.complete_v1, push.register_v1, push.heartbeat_v1,
    push.due_at_of, push.rescue_claims_v1, push.rescue_v1, push.register_hub_v1, push.hub_states_v1, push.close_gate_v1, push.hold_hub_v1,
    push.take_probe_v1, push.release_hub_v1 FROM PUBLIC;

INSERT INTO push.migration (version, name) VALUES (3, 'protocol');
