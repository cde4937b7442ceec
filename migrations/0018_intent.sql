-- Fanfare, migration 18: The intent: posts are written before their first byte leaves.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

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

INSERT INTO push.migration (version, name) VALUES (18, 'intent');
