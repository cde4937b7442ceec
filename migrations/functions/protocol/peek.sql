-- What the next claim of a lane would take, with nothing locked, moved, numbered or written: for fanfare plan.

CREATE OR REPLACE FUNCTION push_internal.taken_content(
    hub int, priority smallint, tenant text, tag text, content_key text, as_of timestamptz, OUT lead bigint, OUT ids bigint[])
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_variable
BEGIN
    SELECT t.lead, t.ids INTO taken_content.lead, taken_content.ids
      FROM push.content_taken t
     WHERE t.hub = taken_content.hub AND t.tag = taken_content.tag AND t.content_key = taken_content.content_key
       AND t.priority = taken_content.priority AND t.tenant = taken_content.tenant
       AND NOT (t.at < as_of - (SELECT h.keep_content FROM push.hub h WHERE h.id = taken_content.hub)
                AND push_internal.have_final_results(t.ids));
END $$;
COMMENT ON FUNCTION push_internal.taken_content IS
    'The content that has taken a content_key, as the gathering sees it: its pointer and messages; null: the key is free.';

CREATE OR REPLACE FUNCTION push_internal.first_keyed_pointer(
    hub int, priority smallint, tenant text, tag text, content_key text, OUT due_at timestamptz, OUT lead bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_variable
BEGIN
    SELECT s.due_at, s.lead INTO first_keyed_pointer.due_at, first_keyed_pointer.lead
      FROM (SELECT DISTINCT k.due_at, k.lead
              FROM push.content k
             WHERE k.hub = first_keyed_pointer.hub AND k.tag = first_keyed_pointer.tag
               AND k.content_key = first_keyed_pointer.content_key
               AND k.priority = first_keyed_pointer.priority AND k.tenant = first_keyed_pointer.tenant
               AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = k.id OFFSET 0)) s
     WHERE EXISTS (
               SELECT
                 FROM push.due d
                WHERE d.hub = first_keyed_pointer.hub AND d.priority = first_keyed_pointer.priority
                  AND d.due_at = s.due_at AND d.id = s.lead AND d.kind = 'k'
               OFFSET 0)
     ORDER BY s.due_at, s.lead
     LIMIT 1;
END $$;
COMMENT ON FUNCTION push_internal.first_keyed_pointer IS
    'Of the pointers of a content with a key, one for each statement, the one that is due first: with it the content is '
    'gathered. Null: it has none.';

CREATE OR REPLACE FUNCTION push_internal.was_gathered_before(
    hub int, priority smallint, lead bigint, mark_at timestamptz, mark_id bigint, as_of timestamptz)
RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_variable
BEGIN
    RETURN mark_at > '-infinity' AND EXISTS (
        SELECT
          FROM (SELECT k.tenant, k.tag, k.content_key
                  FROM push.content k
                 WHERE k.lead = was_gathered_before.lead
                   AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = k.id OFFSET 0)
                 ORDER BY k.lead, k.id
                 LIMIT 1) c,
               LATERAL push_internal.first_keyed_pointer(
                           was_gathered_before.hub, was_gathered_before.priority, c.tenant, c.tag, c.content_key) f,
               LATERAL push_internal.taken_content(
                           was_gathered_before.hub, was_gathered_before.priority, c.tenant, c.tag, c.content_key, as_of) t
         WHERE (f.due_at, f.lead) <= (mark_at, mark_id) AND t.ids IS NULL);
END $$;
COMMENT ON FUNCTION push_internal.was_gathered_before IS
    'Whether the pointer of a content with a key would be gone, because its content has another one up to the mark.';

CREATE OR REPLACE FUNCTION push_internal.contents_to_gather(hub int, priority smallint, leads bigint[], as_of timestamptz)
RETURNS TABLE (
    pointer bigint,
    id      bigint,
    lead    bigint,
    status  text,
    reason  text,
    note    text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH content AS MATERIALIZED (
        SELECT u.lead AS first, k.tenant, k.tag, k.content_key
          FROM unnest(leads) u(lead),
               LATERAL (
                   SELECT k.tenant, k.tag, k.content_key
                     FROM push.content k
                    WHERE k.lead = u.lead
                    ORDER BY k.lead, k.id
                    LIMIT 1) k,
               LATERAL push_internal.first_keyed_pointer(
                           contents_to_gather.hub, contents_to_gather.priority, k.tenant, k.tag, k.content_key) f
         WHERE f.lead = u.lead
    ), message AS MATERIALIZED (
        SELECT c.first, k.id, k.lead, k.locale, t.lead AS taken_by, t.ids AS taken
          FROM content c,
               LATERAL push_internal.taken_content(
                           contents_to_gather.hub, contents_to_gather.priority, c.tenant, c.tag, c.content_key, as_of) t,
               LATERAL (
                   SELECT k.id, k.lead, k.locale
                     FROM push.content k
                    WHERE k.hub = contents_to_gather.hub AND k.tag = c.tag AND k.content_key = c.content_key
                      AND k.priority = contents_to_gather.priority AND k.tenant = c.tenant
                      AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = k.id OFFSET 0)
                   OFFSET 0) k
    ), ranked AS MATERIALIZED (
        SELECT m.first, m.id, m.lead, row_number() OVER same AS nth, first_value(m.id) OVER same AS rider
          FROM message m
         WHERE m.taken IS NULL
        WINDOW same AS (PARTITION BY m.first, lower(m.locale) ORDER BY m.lead <> m.first, m.id)
    ), winner AS MATERIALIZED (
        SELECT r.first, r.id, row_number() OVER content AS nth, first_value(r.id) OVER content AS lead
          FROM ranked r
         WHERE r.nth = 1
        WINDOW content AS (PARTITION BY r.first ORDER BY r.lead <> r.first, r.id)
    )
    SELECT w.first, w.id, w.lead, NULL::text, NULL::text, NULL::text
      FROM winner w
     WHERE w.nth <= push_internal.most_translations()
     UNION ALL
    SELECT w.first, w.id, w.lead, 'rejected', 'not_sendable', push_internal.too_many_translations_note()
      FROM winner w
     WHERE w.nth > push_internal.most_translations()
     UNION ALL
    SELECT r.first, r.id, r.rider, 'duplicate', 'duplicate_key', push_internal.same_locale_note(r.rider)
      FROM ranked r
     WHERE r.nth > 1
     UNION ALL
    SELECT m.first, m.id, m.taken_by, 'rejected', 'late_translation', push_internal.late_note(m.taken_by, m.taken)
      FROM message m
     WHERE NOT m.id = ANY (m.taken);
END $$;
COMMENT ON FUNCTION push_internal.contents_to_gather IS
    'What push_worker.gather_v1 would make of the contents whose first pointers these are, a row for each message; lead: '
    'the message whose pointer would stand for it. With a status: how the message would end. Pointers that are not the '
    'first of their content have no rows.';

CREATE OR REPLACE FUNCTION push_internal.waits_that_end(
    hub int, priority smallint, nth int, n int, as_of timestamptz,
    OUT looked int, OUT ids bigint[], OUT times timestamptz[], OUT attempts smallint[], OUT kinds "char"[], OUT resents boolean[])
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_sort = off AS $$
#variable_conflict use_column
BEGIN
    SELECT count(*), array_agg(w.id ORDER BY w.id) FILTER (WHERE w.is_over),
           array_agg(w.due_at ORDER BY w.id) FILTER (WHERE w.is_over),
           array_agg(w.attempt ORDER BY w.id) FILTER (WHERE w.is_over),
           array_agg(w.kind ORDER BY w.id) FILTER (WHERE w.is_over),
           array_agg(w.resent ORDER BY w.id) FILTER (WHERE w.is_over)
      INTO looked, ids, times, attempts, kinds, resents
      FROM (SELECT w.id, w.due_at, d.attempt, d.kind, d.resent,
                   d.kind IS NOT NULL
                   AND (w.until <= as_of OR push_internal.count_awaited(w.hub, w.after, w.device, w.change) = 0) AS is_over
              FROM (SELECT w.*
                      FROM push.waiting w
                     WHERE w.hub = waits_that_end.hub AND w.priority = waits_that_end.priority AND w.look_at <= as_of
                     ORDER BY w.look_at, w.id
                    OFFSET nth * n
                     LIMIT n) w
                   LEFT JOIN LATERAL (
                       SELECT d.attempt, d.kind, d.resent
                         FROM push.due d
                        WHERE d.hub = w.hub AND d.priority = w.priority AND d.due_at = w.due_at AND d.id = w.id
                       OFFSET 0) d ON true) w;
END $$;
COMMENT ON FUNCTION push_internal.waits_that_end IS
    'The nth n waits of a lane that push_internal.end_waits would look at, from 0: how many it would look at, and the pointers '
    'of those that are over.';

CREATE OR REPLACE FUNCTION push_internal.pointers_of_messages(hub int, priority smallint, ids bigint[])
RETURNS TABLE (due_at timestamptz, id bigint, kind "char", attempt smallint, resent boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT d.due_at, d.id, d.kind, d.attempt, d.resent
      FROM (SELECT DISTINCT p.due_at, p.id
              FROM (SELECT DISTINCT u.id FROM unnest(ids) u(id)) u,
                   LATERAL (
                       SELECT push.due_at_of(l.id) AS due_at, l.id
                         FROM (SELECT coalesce((SELECT t.lead FROM push.translation t WHERE t.id = u.id), u.id) AS id
                               OFFSET 0) l
                       UNION ALL
                       SELECT f.due_at, f.lead
                         FROM (SELECT k.* FROM push.content k WHERE k.id = u.id OFFSET 0) k,
                              LATERAL push_internal.first_keyed_pointer(k.hub, k.priority, k.tenant, k.tag, k.content_key) f
                        WHERE k.hub = pointers_of_messages.hub AND k.priority = pointers_of_messages.priority
                       OFFSET 0) p
             WHERE p.due_at IS NOT NULL) p,
           LATERAL (
               SELECT d.due_at, d.id, d.kind, d.attempt, d.resent
                 FROM push.due d
                WHERE d.hub = pointers_of_messages.hub AND d.priority = pointers_of_messages.priority
                  AND d.due_at = p.due_at AND d.id = p.id
               OFFSET 0) d
     ORDER BY d.due_at, d.id;
END $$;
COMMENT ON FUNCTION push_internal.pointers_of_messages IS
    'The pointers of a lane that stand for these messages, whenever they are due, in their order.';

CREATE OR REPLACE FUNCTION push_internal.own_pointers(
    hub int, priority smallint, after_at timestamptz, after_id bigint, from_id bigint, n int)
RETURNS TABLE (due_at timestamptz, id bigint, kind "char", attempt smallint, resent boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
    own constant xid := pg_current_xact_id_if_assigned()::xid;
    top constant bigint := pg_current_xact_id_if_assigned()::text::bigint;
BEGIN
    -- A row that is visible while its transaction is in progress is ours, also if a subtransaction wrote it. xmin is half of
    -- the number that pg_xact_status wants: the other half is that of ours, because the rows are not older than from_id.
    RETURN QUERY
    SELECT d.due_at, d.id, d.kind, d.attempt, d.resent
      FROM push.due d
     WHERE d.hub = own_pointers.hub AND d.priority = own_pointers.priority
       AND (d.due_at, d.id) > (after_at, after_id)
       AND CASE
               WHEN d.kind <> 'k'
               THEN d.id >= from_id
                    AND (d.xmin = own
                         OR pg_xact_status((top + ((d.xmin::text::bigint - top + 2147483648) & 4294967295) - 2147483648)::text::xid8)
                            = 'in progress')
               -- A content with a key is gathered with the first of its pointers, which may have been there before.
               ELSE EXISTS (
                   SELECT
                     FROM (SELECT k.tenant, k.tag, k.content_key
                             FROM push.content k
                            WHERE k.lead = d.id
                            ORDER BY k.lead, k.id
                            LIMIT 1) c,
                          LATERAL (
                              SELECT k.xmin
                                FROM push.content k
                               WHERE k.hub = own_pointers.hub AND k.tag = c.tag AND k.content_key = c.content_key
                                 AND k.priority = own_pointers.priority AND k.tenant = c.tenant AND k.id >= from_id
                              OFFSET 0) k,
                          LATERAL push_internal.first_keyed_pointer(
                                      own_pointers.hub, own_pointers.priority, c.tenant, c.tag, c.content_key) f
                    WHERE f.lead = d.id
                      AND (k.xmin = own
                           OR pg_xact_status((top + ((k.xmin::text::bigint - top + 2147483648) & 4294967295) - 2147483648)::text::xid8)
                              = 'in progress'))
           END
     ORDER BY d.due_at, d.id
     LIMIT n;
END $$;
COMMENT ON FUNCTION push_internal.own_pointers IS
    'The next pointers of a lane, whenever they are due, that stand for messages which this transaction has inserted, the first '
    'of them from_id.';

CREATE OR REPLACE FUNCTION push_internal.next_pointers(
    hub int, priority smallint, after_at timestamptz, after_id bigint, most int, as_of timestamptz, from_id bigint,
    OUT times timestamptz[], OUT leads bigint[], OUT kinds "char"[], OUT attempts smallint[], OUT resents boolean[],
    -- Messages of contents with a key, and where the pointers of those lie.
    OUT key_times timestamptz[], OUT key_pointers bigint[], OUT key_ids bigint[], OUT key_leads bigint[],
    OUT key_statuses text[], OUT key_reasons text[], OUT key_notes text[],
    -- Up to where it has looked; infinity: to the end.
    OUT last_at timestamptz, OUT last_id bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_nestloop = off SET enable_mergejoin = off
SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
    room int;
    step int;
    moved bigint[] := '{}';
    batch record;
    content record;
    wait record;
    bounds record;
    nth int := CASE WHEN after_at > as_of AND from_id IS NULL
                    THEN least(round(date_part('epoch', after_at - as_of) * 1000000), 1000000000)::int - 1 ELSE 0 END;
    last_nth constant int := nth + CASE WHEN after_at > as_of THEN 1 ELSE 0 END;
    waits_per_claim constant int := least(most, push_internal.most_waits());
    at_id bigint := after_id;
    at_time timestamptz := after_at;
    due_by timestamptz := as_of;
BEGIN
    last_at := 'infinity';
    last_id := 9223372036854775807;
    leads := '{}';
    times := '{}';
    kinds := '{}';
    attempts := '{}';
    resents := '{}';
    key_times := '{}';
    key_pointers := '{}';
    key_ids := '{}';
    key_leads := '{}';
    key_statuses := '{}';
    key_reasons := '{}';
    key_notes := '{}';

    IF from_id IS NULL THEN
        -- A claim does not pass pointers with a key that it has not gathered.
        SELECT array_agg(p.due_at) AS times, array_agg(p.id) AS ids
          INTO bounds
          FROM (SELECT d.due_at, d.id
                  FROM push.due d
                 WHERE d.kind = 'k' AND d.hub = next_pointers.hub AND d.priority = next_pointers.priority
                   AND d.due_at <= as_of AND (d.due_at, d.id) > (after_at, after_id)
                   AND NOT push_internal.was_gathered_before(d.hub, d.priority, d.id, after_at, after_id, as_of)
                 ORDER BY d.due_at, d.id
                 LIMIT most) p;
        IF cardinality(bounds.ids) = most THEN
            last_at := bounds.times[most];
            last_id := bounds.ids[most];
        END IF;
        -- The first claim makes the first waits due now, behind all that is due, also those whose time is over by far.
        IF after_at <= as_of THEN
            moved := coalesce((SELECT w.ids FROM push_internal.waits_that_end(hub, priority, 0, waits_per_claim, as_of) w), '{}');
        END IF;
    END IF;

    WHILE cardinality(leads) < most LOOP
        room := most - cardinality(leads);
        step := greatest(room, 100);          -- pointers that are passed over must not make a step each
        IF from_id IS NULL THEN
            SELECT array_agg(p.due_at) AS times, array_agg(p.id) AS ids, array_agg(p.kind) AS kinds,
                   array_agg(p.attempt) AS attempts, array_agg(p.resent) AS resents, count(*) AS n,
                   coalesce(bool_or(p.kind = 'k'), false) AS keyed
              INTO batch
              FROM (SELECT d.due_at, d.id, d.kind, d.attempt, d.resent
                      FROM push.due d
                     WHERE d.hub = next_pointers.hub AND d.priority = next_pointers.priority
                       AND d.due_at <= as_of AND (d.due_at, d.id) > (at_time, at_id)
                       AND (d.due_at, d.id) <= (last_at, last_id)
                     ORDER BY d.due_at, d.id
                     LIMIT step) p;
        ELSE
            -- What is due later is due with all that has the same time.
            SELECT array_agg(p.due_at) AS times, array_agg(p.id) AS ids, array_agg(p.kind) AS kinds,
                   array_agg(p.attempt) AS attempts, array_agg(p.resent) AS resents, count(*) AS n,
                   coalesce(bool_or(p.kind = 'k'), false) AS keyed, min(p.due_at) AS first_at
              INTO batch
              FROM (SELECT p.*, greatest(first_value(p.due_at) OVER (ORDER BY p.due_at, p.id), as_of) AS until
                      FROM push_internal.own_pointers(hub, priority, at_time, at_id, from_id, step) p) p
             WHERE p.due_at <= CASE WHEN cardinality(leads) = 0 THEN p.until ELSE due_by END;
            IF cardinality(leads) = 0 THEN
                due_by := greatest(batch.first_at, as_of);
            END IF;
        END IF;
        EXIT WHEN batch.n = 0;
        at_time := batch.times[batch.n];
        at_id := batch.ids[batch.n];
        IF NOT batch.keyed AND moved = '{}' THEN
            times := times || batch.times[:room];
            leads := leads || batch.ids[:room];
            kinds := kinds || batch.kinds[:room];
            attempts := attempts || batch.attempts[:room];
            resents := resents || batch.resents[:room];
        ELSE
            SELECT coalesce(array_agg(b.due_at), '{}') AS times, coalesce(array_agg(c.pointer), '{}') AS pointers,
                   coalesce(array_agg(c.id), '{}') AS ids, coalesce(array_agg(c.lead), '{}') AS leads,
                   coalesce(array_agg(c.status), '{}') AS statuses, coalesce(array_agg(c.reason), '{}') AS reasons,
                   coalesce(array_agg(c.note), '{}') AS notes
              INTO content
              FROM push_internal.contents_to_gather(
                       hub, priority, ARRAY(SELECT b.id FROM unnest(batch.ids, batch.kinds) b(id, kind) WHERE b.kind = 'k'), due_by) c
                   JOIN unnest(batch.times, batch.ids) b(due_at, id) ON b.id = c.pointer
             WHERE batch.keyed;
            key_times := key_times || content.times;
            key_pointers := key_pointers || content.pointers;
            key_ids := key_ids || content.ids;
            key_leads := key_leads || content.leads;
            key_statuses := key_statuses || content.statuses;
            key_reasons := key_reasons || content.reasons;
            key_notes := key_notes || content.notes;
            SELECT coalesce(array_agg(b.due_at), '{}') AS times, coalesce(array_agg(b.id), '{}') AS ids,
                   coalesce(array_agg(b.kind), '{}') AS kinds, coalesce(array_agg(b.attempt), '{}') AS attempts,
                   coalesce(array_agg(b.resent), '{}') AS resents
              INTO batch.times, batch.ids, batch.kinds, batch.attempts, batch.resents
              FROM (SELECT b.*
                      FROM unnest(batch.times, batch.ids, batch.kinds, batch.attempts, batch.resents) WITH ORDINALITY
                               b(due_at, id, kind, attempt, resent, nth)
                           LEFT JOIN (SELECT DISTINCT c.pointer
                                        FROM unnest(content.pointers, content.statuses) c(pointer, status)
                                       WHERE c.status IS NULL) c ON c.pointer = b.id
                     WHERE (b.kind <> 'k' OR c.pointer IS NOT NULL) AND NOT b.id = ANY (moved)
                     ORDER BY b.nth
                     LIMIT room) b;
            times := times || batch.times;
            leads := leads || batch.ids;
            kinds := kinds || batch.kinds;
            attempts := attempts || batch.attempts;
            resents := resents || batch.resents;
        END IF;
        EXIT WHEN batch.n < step;
    END LOOP;

    -- Waits that are over: each claim makes some of them due, at its own time, a little after as_of.
    IF from_id IS NULL AND last_at = 'infinity' THEN
        WHILE cardinality(leads) < most LOOP
            SELECT w.looked, coalesce(array_agg(x.due_at), '{}') AS times, coalesce(array_agg(x.id), '{}') AS ids,
                   coalesce(array_agg(x.kind), '{}') AS kinds, coalesce(array_agg(x.attempt), '{}') AS attempts,
                   coalesce(array_agg(x.resent), '{}') AS resents
              INTO wait
              FROM push_internal.waits_that_end(hub, priority, nth, waits_per_claim, as_of) w
                   LEFT JOIN LATERAL (
                       SELECT as_of + (nth + 1) * interval '1 microsecond' AS due_at, u.id, u.kind, u.attempt, u.resent
                         FROM unnest(w.ids, w.times, w.kinds, w.attempts, w.resents) u(id, due_at, kind, attempt, resent)
                              -- Behind the first ones, what is due at its own place was claimed there.
                        WHERE (nth = 0 OR u.due_at > as_of)
                          AND (as_of + (nth + 1) * interval '1 microsecond', u.id) > (after_at, after_id)
                        ORDER BY u.id
                        LIMIT most - cardinality(leads)) x ON true
             GROUP BY w.looked;
            IF wait.ids[1] IS NOT NULL THEN
                times := times || wait.times;
                leads := leads || wait.ids;
                kinds := kinds || wait.kinds;
                attempts := attempts || wait.attempts;
                resents := resents || wait.resents;
            END IF;
            EXIT WHEN wait.looked < waits_per_claim;
            nth := nth + 1;
            EXIT WHEN nth > last_nth AND cardinality(leads) > 0;
        END LOOP;
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.next_pointers IS
    'The pointers that the next claim of a lane could take, the oldest first, and what would become of the contents with a key '
    'among them. after: behind this place; a wait that is over lies (1 + the claims before it) microseconds after as_of. from_id: '
    'as in push_worker.peek_v1.';

CREATE OR REPLACE FUNCTION push_worker.peek_v1(
    hub      int,
    priority smallint,
    after_at timestamptz,
    after_id bigint,
    n        int,
    as_of    timestamptz DEFAULT now(),
    from_id  bigint DEFAULT NULL)
RETURNS TABLE (
    at           timestamptz,
    pointer      bigint,
    id           bigint,
    lead         bigint,
    attempt      smallint,
    tag          text,
    handles      text[],
    locale       text,
    content      json,
    format       text,
    headers      json,
    expires_in   double precision,
    on_doubt     text,
    pack         boolean,
    stream       bigint,
    due_for      double precision,
    traceparent  text,
    ended_status text,
    ended_reason text,
    ended_note   text)
LANGUAGE plpgsql STABLE ROWS 1000 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_nestloop = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    most constant int := least(n, push_internal.most_pointers());
    most_messages constant int := push_internal.most_messages();
    most_bytes constant int := push_internal.most_bytes();
    moment constant timestamptz := coalesce(as_of, now());
    seconds constant double precision := date_part('epoch', moment);
    expire_after constant interval := (SELECT h.expire_after FROM push.hub h WHERE h.id = peek_v1.hub);
    page record;
    -- The messages: of which of the pointers.
    nths int[];
    ids bigint[];
    lead_of bigint[];
    lowest bigint; highest bigint; fitting int;
    is_cut boolean;
    end_at timestamptz; end_id bigint;
    returned int;
BEGIN
    IF most < 1 THEN
        RETURN;
    END IF;
    LOOP
        SELECT p.* INTO page
          FROM push_internal.next_pointers(hub, priority, after_at, after_id, most, moment, from_id) p;
        fitting := cardinality(page.leads);
        is_cut := fitting = most;
        IF is_cut THEN
            end_at := page.times[fitting];
            end_id := page.leads[fitting];
        ELSIF page.last_at < 'infinity' THEN
            end_at := page.last_at;
            end_id := page.last_id;
        ELSE
            SELECT p.at, p.id INTO end_at, end_id
              FROM unnest(page.times || page.key_times, page.leads || page.key_pointers) p(at, id)
             ORDER BY p.at DESC, p.id DESC
             LIMIT 1;
            IF end_at IS NULL THEN
                RETURN;
            END IF;
        END IF;

        -- A lead brings its translations. Pointers whose messages would be too many stay due.
        IF 't' = ANY (page.kinds) OR 'k' = ANY (page.kinds) THEN
            WITH pointer AS MATERIALIZED (
                SELECT p.nth, p.id, p.kind FROM unnest(page.leads, page.kinds) WITH ORDINALITY p(id, kind, nth)
            ), message AS MATERIALIZED (
                SELECT p.nth, coalesce(t.id, p.id) AS id, p.id AS lead
                  FROM pointer p
                       LEFT JOIN LATERAL (
                           SELECT t.id FROM push.translation t WHERE t.lead = p.id AND p.kind = 't' OFFSET 0) t ON true
                 WHERE p.kind <> 'k'
                UNION ALL
                SELECT p.nth, k.id, k.lead
                  FROM pointer p
                       JOIN unnest(page.key_pointers, page.key_ids, page.key_leads, page.key_statuses)
                                k(pointer, id, lead, status) ON k.pointer = p.id
                 WHERE p.kind = 'k' AND k.status IS NULL
            ), counted AS (
                SELECT m.*, count(*) OVER (ORDER BY m.nth) AS total FROM message m
            )
            SELECT max(c.nth), array_agg(c.nth), array_agg(c.id), array_agg(c.lead) INTO fitting, nths, ids, lead_of
              FROM counted c
             WHERE c.total <= most_messages OR c.nth = 1;
            is_cut := is_cut OR fitting < cardinality(page.leads);
        ELSE
            ids := page.leads;
            lead_of := page.leads;
            nths := ARRAY(SELECT generate_series(1, cardinality(ids)));
        END IF;
        SELECT min(u.id), max(u.id) INTO lowest, highest FROM unnest(ids) u(id);

        -- The messages. Pointers whose contents and handles would be too many bytes stay due, except the first.
        RETURN QUERY
        WITH message AS MATERIALIZED (
            SELECT m.id, m.tag, m.handles, m.locale, m.content, m.format, m.headers, m.send_at, m.expires_at, m.on_doubt,
                   m.pack, m.stream, m.traceparent, push_internal.bytes_of(m.content, m.handles) AS bytes, x.nth, x.lead
              FROM push.message m
                   JOIN unnest(ids, lead_of, nths) x(id, lead, nth) ON x.id = m.id
             WHERE m.id = ANY (ids) AND m.id BETWEEN lowest AND highest
        ), taken AS MATERIALIZED (
            SELECT CASE
                       WHEN sum(m.bytes) > most_bytes THEN (
                           SELECT coalesce(max(p.nth), 1)
                             FROM (SELECT m.nth, sum(m.bytes) OVER (ORDER BY m.nth) AS total
                                     FROM (SELECT m.nth, sum(m.bytes) AS bytes FROM message m GROUP BY m.nth) m) p
                            WHERE p.total <= most_bytes)
                       ELSE fitting
                   END AS n
              FROM message m
        ), place AS MATERIALIZED (
            SELECT t.n,
                   CASE WHEN is_cut OR t.n < fitting THEN page.times[t.n] ELSE end_at END AS at,
                   CASE WHEN is_cut OR t.n < fitting THEN page.leads[t.n] ELSE end_id END AS pointer
              FROM taken t
        )
        SELECT p.at, p.pointer, m.id, m.lead, page.attempts[m.nth], m.tag, m.handles, m.locale, m.content, m.format, m.headers,
               date_part('epoch', coalesce(
                   CASE WHEN page.resents[m.nth] THEN push_internal.expiry_when_resent(m.id, expire_after) END,
                   m.expires_at, m.send_at + expire_after)) - seconds,
               m.on_doubt, m.pack, m.stream, seconds - date_part('epoch', page.times[m.nth]), m.traceparent,
               NULL::text AS ended_status, NULL::text, NULL::text
          FROM place p, message m
         WHERE m.nth <= p.n
         UNION ALL
        SELECT p.at, p.pointer, k.id, k.lead, 0::smallint, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
               k.status, k.reason, k.note
          FROM place p,
               unnest(page.key_times, page.key_pointers, page.key_ids, page.key_leads, page.key_statuses, page.key_reasons,
                      page.key_notes) k(at, pointer, id, lead, status, reason, note)
         WHERE k.status IS NOT NULL AND (k.at, k.pointer) <= (p.at, p.pointer)
         ORDER BY ended_status NULLS FIRST, id;
        GET DIAGNOSTICS returned = ROW_COUNT;
        EXIT WHEN returned > 0;
        after_at := end_at;                   -- nothing but pointers of other contents, or of messages that somebody deleted
        after_id := end_id;
    END LOOP;
END $$;
COMMENT ON FUNCTION push_worker.peek_v1 IS
    'What push_worker.claim_v1 would return for a lane behind a place, with the same order and bounds, and nothing locked, moved '
    'or written: page after page what the claims of one worker would be. Beside it the messages with a content_key that the '
    'gathering would end, without their contents (ended_status, ended_reason, ended_note). (at, pointer) is the next place. '
    'Looks past locks. as_of: pointers that are due by then, default now; expires_in and due_for count from it. from_id: only '
    'what this transaction has inserted, the first message of which has this id, with what travels with it and whenever it is due; '
    'what is due later comes together if it has the same time.';
