-- Fanfare, migration 17: The claim: due pointers become messages in the hands of one worker.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

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

INSERT INTO push.migration (version, name) VALUES (17, 'claim');
