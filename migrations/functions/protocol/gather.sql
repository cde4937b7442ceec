-- Contents with a key become ordinary ones.

CREATE OR REPLACE FUNCTION push_internal.same_locale_note(rider bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN format('Message %s has the same content_key and locale.', rider);
COMMENT ON FUNCTION push_internal.same_locale_note IS
    'The note of a message with a content_key that is not sent because another one has its locale.';

CREATE OR REPLACE FUNCTION push_internal.too_many_translations_note() RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('A content has at most %s translations. Use another content_key.', push_internal.most_translations())
$$;
COMMENT ON FUNCTION push_internal.too_many_translations_note IS 'The note of a translation beyond push_internal.most_translations.';

CREATE OR REPLACE FUNCTION push_worker.gather_v1(
    hub      int,
    priority smallint,
    mark_at  timestamptz,
    mark_id  bigint,
    n        int,
    OUT last_at timestamptz,
    OUT last_id bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
    most_translations constant int := push_internal.most_translations();
    most constant int := least(n, push_internal.most_pointers());
    -- Due pointers.
    pointers tid[];
    leads bigint[];
    times timestamptz[];
    spent tid[];
    bare bigint[];
    -- Our contents: their messages, and for each the lead whose pointer was due first.
    ids bigint[];
    firsts bigint[];
    -- Those whose key was free.
    won_ids bigint[];
    won_firsts bigint[];
    ended record;
BEGIN
    last_at := 'infinity';
    last_id := 9223372036854775807;
    SELECT array_agg(p.row), array_agg(p.id), array_agg(p.due_at)
      INTO pointers, leads, times
      FROM (SELECT d.ctid AS row, d.id, d.due_at
              FROM push.due d
             WHERE d.kind = 'k' AND d.hub = gather_v1.hub AND d.priority = gather_v1.priority
               AND d.due_at <= now() AND (d.due_at, d.id) > (mark_at, mark_id)
             ORDER BY d.due_at, d.id
             LIMIT most
               FOR UPDATE SKIP LOCKED) p;
    IF pointers IS NULL THEN
        RETURN;
    END IF;
    IF cardinality(pointers) = most THEN
        last_at := times[most];
        last_id := leads[most];
    END IF;

    -- 1. Their contents. Each message is locked; a cancel locks it too. If another worker or an uncommitted cancel
    -- holds one message of a content, the content waits for the next turn; no session waits for another. A pointer
    -- without contents was cancelled while somebody held it, and its contents are forgotten: it is spent as well.
    WITH pointer AS MATERIALIZED (
        SELECT p.row, p.lead, p.n, k.tenant, k.tag, k.content_key
          FROM unnest(pointers, leads) WITH ORDINALITY p(row, lead, n)
               LEFT JOIN LATERAL (
                   SELECT k.tenant, k.tag, k.content_key
                     FROM push.content k
                    WHERE k.lead = p.lead
                    ORDER BY k.lead, k.id
                    LIMIT 1) k ON true
    ), content AS MATERIALIZED (
        SELECT p.tenant, p.tag, p.content_key, min(p.n) AS n, array_agg(p.row) AS pointers
          FROM pointer p
         WHERE p.tag IS NOT NULL
         GROUP BY p.tenant, p.tag, p.content_key
    ), locked AS MATERIALIZED (
        SELECT c.n, c.pointers,
               (SELECT array_agg(x.id)
                  FROM (SELECT k.id
                          FROM push.content k
                         WHERE k.hub = gather_v1.hub AND k.tag = c.tag AND k.content_key = c.content_key
                           AND k.priority = gather_v1.priority AND k.tenant = c.tenant
                           AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = k.id OFFSET 0)
                           FOR NO KEY UPDATE SKIP LOCKED) x) AS ids,
               (SELECT count(*)
                  FROM push.content k
                 WHERE k.hub = gather_v1.hub AND k.tag = c.tag AND k.content_key = c.content_key
                   AND k.priority = gather_v1.priority AND k.tenant = c.tenant
                   AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = k.id OFFSET 0)) AS all
          FROM content c
    ), whole AS MATERIALIZED (
        SELECT l.n, l.pointers, u.id
          FROM locked l, unnest(l.ids) u(id)
         WHERE cardinality(l.ids) = l.all
    )
    SELECT ARRAY(SELECT p.row FROM pointer p WHERE p.tag IS NULL
                 UNION ALL
                 SELECT u.row FROM locked l, unnest(l.pointers) u(row) WHERE coalesce(cardinality(l.ids), 0) = l.all),
           ARRAY(SELECT p.lead FROM pointer p WHERE p.tag IS NULL),
           ARRAY(SELECT w.id FROM whole w ORDER BY w.n, w.id),
           ARRAY(SELECT leads[w.n] FROM whole w ORDER BY w.n, w.id)
      INTO spent, bare, ids, firsts;
    DELETE FROM push.due d WHERE d.ctid = ANY (spent);
    IF bare <> '{}' THEN
        PERFORM push_internal.drop_orphans(hub, bare);
    END IF;
    IF ids = '{}' THEN
        RETURN;
    END IF;

    -- 2. Take the contents whose key is free, in order, so that two workers cannot wait for each other. This and each
    -- following step is a statement of its own, so it sees what was cancelled before we got the locks.
    WITH won AS (
        INSERT INTO push.content_taken AS t (hub, priority, tenant, tag, content_key, lead, ids)
        SELECT gather_v1.hub, gather_v1.priority, k.tenant, k.tag, k.content_key, u.first, array_agg(u.id)
          FROM unnest(ids, firsts) u(id, first),
               LATERAL (SELECT k.tenant, k.tag, k.content_key FROM push.content k WHERE k.id = u.id OFFSET 0) k
         WHERE NOT EXISTS (SELECT FROM push.result r WHERE r.id = u.id OFFSET 0)
         GROUP BY k.tenant, k.tag, k.content_key, u.first
         ORDER BY k.tag, k.content_key, k.tenant
            ON CONFLICT (hub, tag, content_key, priority, tenant) DO UPDATE
           SET lead = excluded.lead, ids = excluded.ids, at = clock_timestamp()
         WHERE t.at < clock_timestamp() - (SELECT h.keep_content FROM push.hub h WHERE h.id = gather_v1.hub)
           AND push_internal.have_final_results(t.ids)
        RETURNING lead, ids)
    SELECT array_agg(u.id), array_agg(w.lead)
      INTO won_ids, won_firsts
      FROM won w, unnest(w.ids) u(id);

    -- 3. They are ordinary contents now, with one pointer each. Of two messages with the same locale, the one whose
    -- pointer was due first is sent, else the one that was enqueued first.
    IF won_ids IS NOT NULL THEN
        WITH message AS MATERIALIZED (
            SELECT u.id, u.first, k.lead, k.due_at, row_number() OVER same AS nth, first_value(u.id) OVER same AS rider
              FROM unnest(won_ids, won_firsts) u(id, first),
                   LATERAL (SELECT k.* FROM push.content k WHERE k.id = u.id OFFSET 0) k
            WINDOW same AS (PARTITION BY u.first, lower(k.locale) ORDER BY k.lead <> u.first, u.id)
        ), content AS MATERIALIZED (
            SELECT first, array_agg(id ORDER BY lead <> first, id) AS ids,
                   (array_agg(due_at ORDER BY lead <> first, id))[1] AS due_at
              FROM message
             WHERE nth = 1
             GROUP BY first
        ), together AS (
            INSERT INTO push.translation (id, lead)
            SELECT u.id, c.ids[1]
              FROM content c, unnest(c.ids[:most_translations]) u(id)
             WHERE cardinality(c.ids) > 1
        ), put AS (
            INSERT INTO push.due (due_at, id, hub, priority, kind)
            SELECT c.due_at, c.ids[1], gather_v1.hub, gather_v1.priority,
                   CASE WHEN cardinality(c.ids) > 1 THEN 't' ELSE 'p' END
              FROM content c
        ), siblings AS (                                     -- pointers of the other statements
            DELETE FROM push.due WHERE ctid = ANY (ARRAY(
                SELECT d.row
                  FROM (SELECT DISTINCT m.lead, m.due_at FROM message m WHERE m.lead <> m.first) m,
                       LATERAL (
                           SELECT d.ctid AS row
                             FROM push.due d
                            WHERE d.hub = gather_v1.hub AND d.priority = gather_v1.priority
                              AND d.due_at = m.due_at AND d.id = m.lead AND d.kind = 'k'
                              FOR UPDATE SKIP LOCKED) d))
        ), same AS (
            SELECT array_agg(m.id) AS ids,
                   array_agg(push_internal.same_locale_note(m.rider)) AS notes
              FROM message m
             WHERE m.nth > 1
        ), more AS (
            SELECT array_agg(u.id) AS ids,
                   array_agg(push_internal.too_many_translations_note()) AS notes
              FROM content c, unnest(c.ids[most_translations + 1:]) u(id)
        )
        SELECT s.ids AS same, s.notes AS same_notes, m.ids AS more, m.notes AS more_notes
          INTO ended
          FROM same s, more m;
        IF ended.same IS NOT NULL THEN
            PERFORM push_internal.end_messages_without_pointer(ended.same, 'duplicate', 'duplicate_key', ended.same_notes,
                                  date_trunc('minute', clock_timestamp()));
        END IF;
        IF ended.more IS NOT NULL THEN
            PERFORM push_internal.end_messages_without_pointer(ended.more, 'rejected', 'not_sendable', ended.more_notes,
                                  date_trunc('minute', clock_timestamp()));
        END IF;
    END IF;

    -- 4. The key was already taken: messages that were not part of that content are late.
    IF cardinality(ids) > coalesce(cardinality(won_ids), 0) THEN
        SELECT array_agg(u.id) AS ids, array_agg(push_internal.late_note(t.lead, t.ids)) AS notes
          INTO ended
          FROM unnest(ids) u(id),
               LATERAL (SELECT k.tenant, k.tag, k.content_key FROM push.content k WHERE k.id = u.id OFFSET 0) k,
               LATERAL (
                   SELECT t.lead, t.ids
                     FROM push.content_taken t
                    WHERE t.hub = gather_v1.hub AND t.tag = k.tag AND t.content_key = k.content_key
                      AND t.priority = gather_v1.priority AND t.tenant = k.tenant
                    OFFSET 0) t
         WHERE NOT u.id = ANY (t.ids)
           AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = u.id OFFSET 0);
        IF ended.ids IS NOT NULL THEN
            PERFORM push_internal.end_messages_without_pointer(ended.ids, 'rejected', 'late_translation', ended.notes,
                                  date_trunc('minute', clock_timestamp()));
        END IF;
    END IF;
END $$;
COMMENT ON FUNCTION push_worker.gather_v1 IS
    'Turns up to n due pointers of contents with a key into ordinary ones, each with all translations that are there, '
    'at most 100; late and repeated translations and those beyond 100 end. (last_at, last_id): pointers behind it were '
    'not looked at; infinity: there are no more.';
