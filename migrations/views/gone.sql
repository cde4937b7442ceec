-- Handles that a service no longer knows. A handle is as good as an address: only those who register devices see it.

CREATE OR REPLACE VIEW push.gone_targets AS
SELECT r.arrival,
       m.hub,
       m.handles[array_lower(m.handles, 1)] AS handle,
       push.gone_since(r.note) AS since,
       r.note AS reason,
       r.at,
       r.id AS message
  FROM push.result r
       JOIN push.message m ON m.id = r.id
 WHERE r.reason = 'target_gone'
   AND cardinality(m.handles) = 1
 ORDER BY r.arrival, r.id;
COMMENT ON VIEW push.gone_targets IS
    'Handles that the service of a hub no longer knows, in the order in which that was recorded. For people: a result that is '
    'committed late may come before those that are here, so a backend that remembers how far it has read calls '
    'push.gone_targets_after. For push_register and the owner.';
COMMENT ON COLUMN push.gone_targets.arrival IS
    'As push.result.arrival. Results that one statement wrote have the same one.';
COMMENT ON COLUMN push.gone_targets.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.gone_targets.handle IS
    'The handle. A message to several handles is not here: its answer does not say which of them is gone.';
COMMENT ON COLUMN push.gone_targets.since IS
    'Since when, as the service says: a handle that was registered later is another one. Null: it does not say.';
COMMENT ON COLUMN push.gone_targets.reason IS 'What the service said.';
COMMENT ON COLUMN push.gone_targets.at IS 'When it was recorded, by the database''s clock.';
COMMENT ON COLUMN push.gone_targets.message IS 'The message that found out: push.message.id.';

-- The view cannot stop below what is still open: its snapshot is older than its look at the locks.
CREATE OR REPLACE FUNCTION push.gone_targets_after(
    arrival bigint,
    hub     text DEFAULT NULL,
    at_most int DEFAULT 10000)
RETURNS SETOF push.gone_targets
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    head bigint;
    horizon bigint;                -- every result up to it is committed, or never will be
BEGIN
    PERFORM push_internal.check_reading('push.gone_targets_after', '0', at_most);
    IF hub IS NOT NULL THEN
        PERFORM push_internal.hub_number(hub, or_removed => true);
    END IF;
    SELECT CASE WHEN s.is_called THEN s.last_value ELSE 0 END INTO head FROM push.arrival s;
    IF arrival > head THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.gone_targets_after: arrival %s is beyond the newest, %s', arrival, head),
            HINT = 'It is of another database, or of this one before it was restored: pass null to begin with the first that '
                   'is kept.';
    END IF;
    horizon := push_internal.highest_settled_arrival(head);
    RETURN QUERY
    SELECT p.*
      FROM (SELECT r.arrival, m.hub, m.handle, push.gone_since(r.note) AS since, r.note AS reason, r.at, r.id AS message
              FROM push.result r,
                   LATERAL (
                       SELECT m.hub, m.handles[array_lower(m.handles, 1)] AS handle
                         FROM push.message m
                        WHERE m.id = r.id
                          AND cardinality(m.handles) = 1
                          AND (gone_targets_after.hub IS NULL OR m.hub = gone_targets_after.hub)
                       OFFSET 0) m
             WHERE r.reason = 'target_gone'
               AND r.arrival > coalesce(gone_targets_after.arrival, 0)
               AND r.arrival <= horizon
             ORDER BY r.arrival
             FETCH FIRST (at_most) ROWS WITH TIES) p
     ORDER BY p.arrival, p.message;
END $$;
COMMENT ON FUNCTION push.gone_targets_after IS
    'What push.gone_targets lists after an arrival, for a backend that deletes it from its own table: the arrival of the last '
    'row is where the next call goes on, and nothing is missed or read twice. arrival null: from the beginning; hub null: '
    'of all hubs. All rows of the last arrival come, beyond at_most, too. A transaction that writes results and is '
    'still open holds later ones back. For push_register and the owner.';
