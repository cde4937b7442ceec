-- The claim: due pointers become messages in the hands of one worker.

CREATE OR REPLACE FUNCTION push_internal.require_read_committed(name text) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('transaction_isolation') IN ('read committed', 'read uncommitted') THEN
        RETURN;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'invalid_transaction_state',
        MESSAGE = format('%s works in READ COMMITTED only, and this transaction is %s',
                         name, upper(current_setting('transaction_isolation'))),
        HINT = 'Call it in a transaction of its own: BEGIN ISOLATION LEVEL READ COMMITTED. If the default is another '
               'one: ALTER ROLE ... SET default_transaction_isolation = ''read committed''.';
END $$;
COMMENT ON FUNCTION push_internal.require_read_committed IS
    'Raises in a transaction whose snapshot is older than its locks: there a post that was just written is invisible,'
    ' and a sent message would be called unsent.';

CREATE OR REPLACE FUNCTION push_internal.expiry_when_resent(id bigint, expire_after interval) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT r.at + expiry_when_resent.expire_after
      FROM push.result r
     WHERE r.id = expiry_when_resent.id AND r.status = 'retrying' AND r.reason = 'resolved'
     ORDER BY r.arrival DESC
     LIMIT 1
$$;
COMMENT ON FUNCTION push_internal.expiry_when_resent IS
    'When a message expires that a person sent again: the hub''s expire_after from that moment. The claim calls it '
    'only for pointers that are resent. Null: it was not sent again.';

CREATE OR REPLACE FUNCTION push_internal.bytes_of(content json, handles text[]) RETURNS int
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE
           WHEN pg_column_compression(content) IS NULL THEN pg_column_size(content)
           ELSE 65536
       END
     + CASE
           WHEN handles IS NULL THEN 0
           WHEN pg_column_compression(handles) IS NULL THEN pg_column_size(handles)
           ELSE 524288
       END;
COMMENT ON FUNCTION push_internal.bytes_of IS
    'Bytes of a message''s content and handles in memory, without reading them: they are stored as they are. A value '
    'that arrived compressed counts as the largest that is allowed.';

CREATE OR REPLACE FUNCTION push_worker.claim_v1(
    hub          int,
    priority     smallint,
    mark_at      timestamptz,
    mark_id      bigint,
    back_seconds double precision,
    n            int,
    worker       int,
    epoch        int)
RETURNS TABLE (
    claim      bigint,
    at         timestamptz,
    pointer    bigint,
    id         bigint,
    lead       bigint,
    attempt    smallint,
    tag        text,
    handles    text[],
    locale     text,
    content    json,
    format     text,
    headers    json,
    expires_in double precision,
    on_doubt   text,
    pack       boolean,
    stream     bigint,
    due_for    double precision,
    traceparent text)
LANGUAGE plpgsql ROWS 1000 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_nestloop = off SET enable_mergejoin = off
SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
    most constant int := least(n, push_internal.most_pointers());
    most_messages constant int := push_internal.most_messages();
    most_bytes constant int := push_internal.most_bytes();
    known record;
    last_at timestamptz := 'infinity';
    last_id bigint := 9223372036854775807;
    -- The due pointers, in their order.
    pointers tid[];
    leads bigint[];
    times timestamptz[];
    are_new boolean;              -- the usual case: each is one message that was never tried
    have_translations boolean;
    -- Their messages, in the same order; lead_of is null where each is its own lead.
    ids bigint[];
    lead_of bigint[];
    attempts smallint[];
    resents boolean[];
    fitting bigint; lowest bigint; highest bigint; number bigint;
    seconds double precision;
    returned int;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        PERFORM push_internal.require_read_committed('push_worker.claim_v1');
    END IF;
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN        -- no crash may give its number away twice
        PERFORM push_internal.require_durable_commit();
    END IF;
    IF mark_at > now() - make_interval(secs => back_seconds) THEN
        mark_at := now() - make_interval(secs => back_seconds);
        mark_id := 0;
    END IF;
    SELECT t.timeline = push_internal.current_timeline() AS timeline, h.expire_after,
           EXISTS (SELECT FROM push.due d
                    WHERE d.kind = 'k' AND d.hub = claim_v1.hub AND d.priority = claim_v1.priority
                      AND d.due_at <= now() AND (d.due_at, d.id) > (mark_at, mark_id)) AS keyed,
           EXISTS (SELECT FROM push.waiting w
                    WHERE w.hub = claim_v1.hub AND w.priority = claim_v1.priority AND w.look_at <= now()) AS waiting
      INTO known
      FROM push.timeline t, push.hub h
     WHERE h.id = claim_v1.hub;
    IF known.timeline IS NOT TRUE THEN
        PERFORM push_internal.require_timeline();
    END IF;

    -- 1. Waits that are over end: their pointers are due now. Contents with a key become ordinary ones. The mark must not
    -- pass pointers that are not gathered.
    IF known.waiting THEN
        PERFORM push_internal.end_waits(hub, priority, n);
    END IF;
    IF known.keyed THEN
        SELECT g.last_at, g.last_id
          INTO last_at, last_id
          FROM push_worker.gather_v1(hub, priority, mark_at, mark_id, n) g;
    END IF;

    -- 2. The pointers, the oldest first. Other workers skip what we hold.
    SELECT array_agg(p.row), array_agg(p.id), array_agg(p.due_at), array_agg(p.attempt), array_agg(p.resent),
           min(p.id), max(p.id), bool_or(p.kind = 't'), bool_and(p.kind = 'p' AND p.attempt = 0 AND NOT p.resent)
      INTO pointers, leads, times, attempts, resents, lowest, highest, have_translations, are_new
      FROM (SELECT d.ctid AS row, d.id, d.due_at, d.kind, d.attempt, d.resent
              FROM push.due d
             WHERE d.hub = claim_v1.hub AND d.priority = claim_v1.priority
               AND d.due_at <= now() AND (d.due_at, d.id) > (mark_at, mark_id)
               AND (d.due_at, d.id) <= (last_at, last_id) AND d.kind <> 'k'
             ORDER BY d.due_at, d.id
             LIMIT most
               FOR UPDATE SKIP LOCKED) p;
    IF leads IS NULL THEN
        RETURN;
    END IF;
    ids := leads;

    -- 3. A lead brings its translations. Pointers whose messages would be too many stay due.
    IF have_translations THEN
        WITH pointer AS MATERIALIZED (
            SELECT row_number() OVER (ORDER BY d.due_at, d.id) AS nth, d.id, d.kind, d.attempt, d.resent
              FROM push.due d
             WHERE d.ctid = ANY (pointers)
        ), message AS MATERIALIZED (
            SELECT p.nth, coalesce(t.id, p.id) AS id, p.id AS lead, p.attempt, p.resent
              FROM pointer p
                   LEFT JOIN LATERAL (
                       SELECT t.id FROM push.translation t WHERE t.lead = p.id AND p.kind = 't' OFFSET 0) t ON true
        ), counted AS (
            SELECT m.*, count(*) OVER (ORDER BY m.nth) AS total FROM message m
        )
        SELECT max(c.nth), min(c.id), max(c.id),
               array_agg(c.id), array_agg(c.lead), array_agg(c.attempt), array_agg(c.resent)
          INTO fitting, lowest, highest, ids, lead_of, attempts, resents
          FROM counted c
         WHERE c.total <= most_messages OR c.nth = 1;
        pointers := pointers[:fitting];
        leads := leads[:fitting];
    END IF;

    -- 4. The messages. Pointers whose contents and handles would be too many bytes stay due, except the first.
    number := nextval('push.claim_id');
    seconds := date_part('epoch', clock_timestamp());
    RETURN QUERY
    WITH message AS MATERIALIZED (
        SELECT m.id, m.tag, m.handles, m.locale, m.content, m.format, m.headers, m.send_at, m.expires_at, m.on_doubt,
               m.pack, m.stream, m.traceparent, push_internal.bytes_of(m.content, m.handles) AS bytes,
               num_nonnulls(m.after, m.after_device) > 0 AS waited,
               coalesce(x.lead, m.id) AS lead, coalesce(x.attempt, 0::smallint) AS attempt, x.resent
          FROM push.message m
               LEFT JOIN (SELECT * FROM unnest(ids, lead_of, attempts, resents) WHERE NOT are_new)
                         x(id, lead, attempt, resent) ON x.id = m.id
         WHERE m.id = ANY (ids) AND m.id BETWEEN lowest AND highest
    ), fitting AS MATERIALIZED (
        SELECT CASE
                   WHEN sum(m.bytes) > most_bytes THEN (
                       SELECT coalesce(max(p.nth), 1)
                         FROM (SELECT m.nth, sum(m.bytes) OVER (ORDER BY m.nth) AS total
                                 FROM (SELECT array_position(leads, m.lead) AS nth, sum(m.bytes) AS bytes
                                         FROM message m
                                        GROUP BY 1) m) p
                        WHERE p.total <= most_bytes)
                   ELSE cardinality(leads)
               END AS n
          FROM message m
    ), taken AS (
        DELETE FROM push.due WHERE ctid = ANY (pointers[:(SELECT f.n FROM fitting f)])
    ), held AS (
        INSERT INTO push.claim (id, worker, epoch, hub, priority, ids, attempts, resent)
        SELECT number, claim_v1.worker, claim_v1.epoch, claim_v1.hub, claim_v1.priority,
               array_agg(m.id), array_agg(m.attempt), coalesce(array_agg(m.id) FILTER (WHERE m.resent), '{}')
          FROM message m
         WHERE (SELECT f.n FROM fitting f) = cardinality(leads)
            OR array_position(leads, m.lead) <= (SELECT f.n FROM fitting f)
        HAVING count(*) > 0
    )
    SELECT number, (SELECT times[f.n] FROM fitting f), (SELECT leads[f.n] FROM fitting f),
           m.id, m.lead, m.attempt, m.tag, m.handles, m.locale, m.content, m.format, m.headers,
           date_part('epoch', coalesce(CASE WHEN m.resent THEN push_internal.expiry_when_resent(m.id, known.expire_after) END,
                                       m.expires_at, m.send_at + known.expire_after)) - seconds,
           m.on_doubt, m.pack, m.stream,
           seconds - date_part('epoch', CASE WHEN are_new AND NOT m.waited THEN m.send_at
                                             ELSE times[array_position(leads, m.lead)] END), m.traceparent
      FROM message m
     WHERE (SELECT f.n FROM fitting f) = cardinality(leads)
        OR array_position(leads, m.lead) <= (SELECT f.n FROM fitting f);
    GET DIAGNOSTICS returned = ROW_COUNT;
    IF returned < cardinality(ids) THEN               -- too many bytes, or somebody deleted messages
        PERFORM push_internal.drop_orphans(hub, ids, pointers);
    END IF;
END $$;
COMMENT ON FUNCTION push_worker.claim_v1 IS
    'Ends waits, gathers, then takes up to n due pointers of a hub and priority behind the mark, at most 1,000, 5,000 messages '
    'and 8,000,000 bytes of contents and handles, but at least one pointer. Writes one claim, and returns the messages '
    'with all their translations. (at, pointer) is the next mark. back_seconds: look from this long ago at the latest; '
    'null: from the mark. expires_in: seconds left, by the database''s clock. due_for: seconds since '
    'the message''s pointer was due, by the same clock.';

CREATE OR REPLACE FUNCTION push_worker.look_v1(
    hubs       int[],
    priorities smallint[],
    marks_at   timestamptz[],
    marks_id   bigint[],
    backs      double precision[])
RETURNS int[] LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
    RETURN ARRAY(
        SELECT l.n::int
          FROM unnest(hubs, priorities, marks_at, marks_id, backs) WITH ORDINALITY l(hub, priority, at, id, back, n),
               LATERAL (SELECT now() - make_interval(secs => l.back) AS at OFFSET 0) b
         WHERE EXISTS (
                   SELECT
                     FROM push.due d
                    WHERE d.hub = l.hub AND d.priority = l.priority AND d.due_at <= now()
                      AND (d.due_at, d.id) > (least(l.at, b.at), CASE WHEN l.at > b.at THEN 0 ELSE l.id END)
                   OFFSET 0)
            OR EXISTS (
                   SELECT FROM push.waiting w WHERE w.hub = l.hub AND w.priority = l.priority AND w.look_at <= now() OFFSET 0));
END $$;
COMMENT ON FUNCTION push_worker.look_v1 IS
    'Which of the given lanes have a due pointer behind their mark, or a wait to look at, as numbers from 1. backs: as back_seconds of '
    'push_worker.claim_v1. One statement for all idle lanes.';
