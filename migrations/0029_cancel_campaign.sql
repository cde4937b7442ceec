-- Fanfare, migration 29: Stopping a campaign, one batch per call.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.cancel(campaign text, run text DEFAULT NULL, after text DEFAULT NULL, batch int DEFAULT 10000,
                            OUT cancelled bigint, OUT too_late bigint, OUT next text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    -- Where the last call stopped: whether anything was cancelled in this pass, the last pointer it saw (hub, priority,
    -- due_at in microseconds, id), the last claim (-1: still at the pointers), and how many were too late.
    mark bigint[] := coalesce(string_to_array(nullif($3, ''), '/')::bigint[], '{0,-32768,-32768,-9000000000000000,0,-1,0}');
    walked record; held record; mine bigint[]; wire bigint[]; seen bigint := 0;
BEGIN
    IF $1 IS NULL OR $4 IS NULL OR $4 NOT BETWEEN 1 AND 100000 OR cardinality(mark) <> 7 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'push.cancel: a campaign, and a batch of 1 to 100000',
            HINT = 'SELECT * FROM push.cancel(campaign => ''spring'', run => ''2027-03-01''), again with after => next until next is null.';
    END IF;
    cancelled := 0;
    too_late := 0;
    -- 1. Pointers, in the order of their index: messages that are scheduled, due, or wait for another try.
    IF mark[6] < 0 THEN
        WITH walk AS MATERIALIZED (
            SELECT d.ctid AS row, d.hub, d.priority, d.due_at, d.id, d.keyed, d.translations FROM push.due d
             WHERE (d.hub, d.priority, d.due_at, d.id) > (mark[2]::smallint, mark[3]::smallint, 'epoch'::timestamptz + mark[4] * interval '1 us', mark[5])
             ORDER BY d.hub, d.priority, d.due_at, d.id LIMIT $4
        ), content AS MATERIALIZED (             -- translations may belong to several campaigns
            SELECT w.row, w.id, bool_and(m.hit) AS whole, bool_or(m.hit) AS part
              FROM walk w, LATERAL (SELECT w.id WHERE NOT w.translations UNION ALL SELECT t.id FROM push.translation t WHERE w.translations AND t.lead = w.id) u(id),
                   LATERAL (SELECT coalesce(m.campaign = $1 AND ($2 IS NULL OR m.run = $2), false) AS hit FROM push.message m WHERE m.id = u.id OFFSET 0) m
             WHERE NOT w.keyed GROUP BY w.row, w.id
        ), gone AS MATERIALIZED (
            DELETE FROM push.due d WHERE d.ctid = ANY (ARRAY(SELECT row FROM content WHERE whole)) RETURNING d.hub, d.id, d.translations
        ), every AS MATERIALIZED (
            SELECT g.hub, g.id FROM gone g WHERE NOT g.translations
            UNION ALL
            SELECT g.hub, t.id FROM gone g, LATERAL (SELECT id FROM push.translation t WHERE t.lead = g.id OFFSET 0) t WHERE g.translations
        ), results AS (
            INSERT INTO push.result (id, status, reason) SELECT id, 'cancelled', 'cancelled_by_caller' FROM every
        ), counted AS (
            INSERT INTO push.tally AS t (hub, minute, status, reason, n)
            SELECT hub, date_trunc('minute', clock_timestamp()), 'cancelled', 'cancelled_by_caller', count(*) FROM every GROUP BY 1 ORDER BY 1
                ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n
        )
        SELECT (SELECT count(*) FROM every) AS n, (SELECT count(*) FROM walk) AS seen, ARRAY(SELECT w.id FROM walk w WHERE w.keyed) AS keyed,
               ARRAY(SELECT c.id FROM content c WHERE c.part AND NOT c.whole) AS mixed, l.* INTO walked
          FROM (SELECT 1) one LEFT JOIN (SELECT w.hub, w.priority, w.due_at, w.id FROM walk w ORDER BY 1 DESC, 2 DESC, 3 DESC, 4 DESC LIMIT 1) l ON true;
        cancelled := walked.n;
        FOR held IN         -- one by one: contents that wait for translations, because gathering may hold them; and single translations
            SELECT k.id FROM (SELECT k.id FROM unnest(walked.keyed) u(lead), LATERAL (SELECT k.id FROM push.content k WHERE k.lead = u.lead OFFSET 0) k
                              UNION ALL SELECT t.id FROM unnest(walked.mixed) u(lead), LATERAL (SELECT t.id FROM push.translation t WHERE t.lead = u.lead OFFSET 0) t) k,
                   LATERAL (SELECT m.campaign, m.run FROM push.message m WHERE m.id = k.id OFFSET 0) m
             WHERE m.campaign = $1 AND ($2 IS NULL OR m.run = $2) AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = k.id AND r.status <> 'retrying' OFFSET 0) ORDER BY k.id
        LOOP
            cancelled := cancelled + (push.stop(held.id) = 'cancelled')::int;
        END LOOP;
        mark[1] := greatest(mark[1], (cancelled > 0)::int);
        IF walked.seen = $4 THEN
            next := concat_ws('/', mark[1], walked.hub, walked.priority, (extract(epoch FROM walked.due_at) * 1000000)::bigint, walked.id, -1, 0);
        ELSE
            mark[6] := 0;
        END IF;
    END IF;
    IF mark[6] >= 0 THEN
        -- 2. After the pointers, what workers hold: one claim at a time and few per call, because nothing of a claim is
        -- posted or recorded while we hold it. What workers gave back meanwhile lies in front of the mark, so if this
        -- pass cancelled anything, another pass follows. Messages on the wire are counted in the last pass.
        FOR held IN SELECT c.id FROM push.claim c WHERE c.id > mark[6] ORDER BY c.id LIMIT 50 LOOP
            mark[6] := held.id;
            mine := ARRAY(SELECT u.id FROM push.claim c, unnest(c.ids) u(id), LATERAL (SELECT m.campaign, m.run FROM push.message m WHERE m.id = u.id OFFSET 0) m
                           WHERE c.id = held.id AND m.campaign = $1 AND ($2 IS NULL OR m.run = $2));
            IF mine <> '{}' THEN
                PERFORM FROM push.claim c WHERE c.id = held.id FOR NO KEY UPDATE;
                -- Separate statements: they see all that got the lock before us.
                SELECT ARRAY(SELECT u.id FROM unnest(mine) u(id)
                              WHERE NOT u.id = ANY (c.cancelled) AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = u.id AND r.post / 10000 = c.id OFFSET 0)) INTO mine
                  FROM push.claim c WHERE c.id = held.id;
                wire := ARRAY(SELECT u.id FROM push.post p, unnest(p.ids) u(id)      -- an answered post that decided nothing was split
                               WHERE p.id > held.id * 10000 AND p.id < (held.id + 1) * 10000 AND NOT EXISTS (SELECT FROM push.answer a WHERE a.post = p.id OFFSET 0));
                IF cardinality(mine) > 0 THEN
                    seen := seen + cardinality(mine);
                    too_late := too_late + cardinality(mine);
                    mine := ARRAY(SELECT unnest(mine) EXCEPT SELECT unnest(wire));
                    too_late := too_late - cardinality(mine);
                    UPDATE push.claim c SET cancelled = c.cancelled || mine WHERE c.id = held.id AND mine <> '{}';
                    INSERT INTO push.result (id, post, status, reason) SELECT u, held.id * 10000, 'cancelled', 'cancelled_by_caller' FROM unnest(mine) u;
                    INSERT INTO push.tally AS t (hub, minute, status, reason, n)
                    SELECT c.hub, date_trunc('minute', clock_timestamp()), 'cancelled', 'cancelled_by_caller', cardinality(mine) FROM push.claim c WHERE c.id = held.id AND mine <> '{}'
                        ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n;
                    cancelled := cancelled + cardinality(mine);
                END IF;
            END IF;
            EXIT WHEN seen >= least($4, 5000);
        END LOOP;
        mark[1] := greatest(mark[1], (cancelled > 0)::int);
        mark[7] := mark[7] + too_late;
        too_late := 0;
        IF EXISTS (SELECT FROM push.claim c WHERE c.id > mark[6]) THEN
            next := array_to_string(mark, '/');
        ELSIF mark[1] > 0 THEN
            next := '0/-32768/-32768/-9000000000000000/0/-1/0';
        ELSE
            too_late := mark[7];
        END IF;
    END IF;
    IF $3 IS NULL AND $2 IS NULL AND cancelled + too_late = 0 AND $1 ~ '^[0-9]{1,18}$' THEN
        -- A driver that sends untyped parameters calls this function with push.cancel($1), not push.cancel(bigint).
        IF EXISTS (SELECT FROM push.message m WHERE m.id = $1::bigint) THEN
            RAISE EXCEPTION USING ERRCODE = 'ambiguous_parameter', MESSAGE = format('push.cancel: "%s" is text, so it would name a campaign, and there is a message %s', $1, $1),
                HINT = format('To cancel message %s write push.cancel(%s::bigint); if a campaign is meant, begin with after => ''''.', $1, $1);
        END IF;
    END IF;
    IF $3 IS NULL OR cancelled + too_late > 0 THEN
        INSERT INTO push.audit (action, detail) VALUES ('cancel', json_build_object('campaign', $1, 'run', $2, 'cancelled', cancelled, 'too_late', too_late));
    END IF;
END $$;
COMMENT ON FUNCTION push.cancel(text, text, text, int) IS
    'Stops the messages of a campaign, or of one run of it, that are not posted yet. One call looks at one batch of '
    'what is pending: call it again with after => next until next is null. too_late: messages that are on the wire at '
    'the end; messages that were final before are not counted.';

INSERT INTO push.migration (version, name) VALUES (29, 'cancel_campaign');
