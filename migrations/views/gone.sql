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
    'Handles that the service of a hub no longer knows, in the order in which that was recorded: a backend reads what is new '
    'with arrival > the last that it has seen, and deletes them from its own table. For push_register and the owner.';
COMMENT ON COLUMN push.gone_targets.arrival IS
    'As push.result.arrival. Results that one statement wrote have the same one, so a page is read with FETCH FIRST n ROWS '
    'WITH TIES, ordered by arrival.';
COMMENT ON COLUMN push.gone_targets.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.gone_targets.handle IS
    'The handle. A message to several handles is not here: its answer does not say which of them is gone.';
COMMENT ON COLUMN push.gone_targets.since IS
    'Since when, as the service says: a handle that was registered later is another one. Null: it does not say.';
COMMENT ON COLUMN push.gone_targets.reason IS 'What the service said.';
COMMENT ON COLUMN push.gone_targets.at IS 'When it was recorded, by the database''s clock.';
COMMENT ON COLUMN push.gone_targets.message IS 'The message that found out: push.message.id.';
