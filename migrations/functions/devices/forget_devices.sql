-- Forgetting changes of devices that are final and old.

CREATE OR REPLACE FUNCTION push_internal.last_change_before(moment timestamptz) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    low bigint := 0;
    high bigint := coalesce((SELECT max(c.id) FROM push.installation_change c), 0);
    middle bigint;
BEGIN
    WHILE low < high LOOP                  -- ids grow with time, so some forty looks at the primary key find it
        middle := high - (high - low) / 2;
        IF (SELECT c.at FROM push.installation_change c WHERE c.id <= middle ORDER BY c.id DESC LIMIT 1) >= moment THEN
            high := middle - 1;
        ELSE
            low := middle;
        END IF;
    END LOOP;
    RETURN low;
END $$;
COMMENT ON FUNCTION push_internal.last_change_before IS
    'The highest id below those of the changes that were made at that moment or later; null as moment: the highest of'
    ' all.';

CREATE OR REPLACE FUNCTION push_internal.forget_devices(cutoff timestamptz, batch int) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    -- Without it, each batch would look at all changes that are younger.
    last constant bigint := push_internal.last_change_before(cutoff);
    old bigint[];
BEGIN
    old := ARRAY(
        SELECT c.id
          FROM push.installation_change c
         WHERE c.id <= last
           AND c.at < cutoff
           AND EXISTS (
                   SELECT FROM push.installation_result r
                    WHERE r.id = c.id AND r.status <> 'retrying' AND r.at < cutoff OFFSET 0)
         ORDER BY c.id
         LIMIT batch);
    IF old = '{}' THEN
        RETURN 0;
    END IF;
    DELETE FROM push.device d USING push.installation_change c
     WHERE c.id = ANY (old) AND d.hub = c.hub AND d.device = c.device AND d.change = c.id;
    DELETE FROM push.installation_result r WHERE r.id = ANY (old);
    DELETE FROM push.installation_change c WHERE c.id = ANY (old);
    RETURN cardinality(old);
END $$;
COMMENT ON FUNCTION push_internal.forget_devices IS
    'Deletes a batch of changes that have been final since before the cut-off, with their results.';
