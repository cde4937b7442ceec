-- Fanfare, migration 16: Contents with a key become ordinary ones.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

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

INSERT INTO push.migration (version, name) VALUES (16, 'gather');
