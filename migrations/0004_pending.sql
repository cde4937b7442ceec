-- Fanfare, migration 4: What is pending: pointers in push.due, and translations that are sent together.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE TABLE push.due (           -- columns by width, without padding: 24 bytes of data, 48-byte rows
    due_at   timestamptz NOT NULL,
    id       bigint NOT NULL,
    hub      smallint NOT NULL,
    priority smallint NOT NULL,
    attempt  smallint NOT NULL DEFAULT 0,
    kind     "char" NOT NULL DEFAULT 'p',
    resent   boolean NOT NULL DEFAULT false
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
        autovacuum_vacuum_insert_scale_factor = 0.2);
CREATE INDEX due_in_order ON push.due (hub, priority, due_at, id);
CREATE INDEX due_keyed ON push.due (hub, priority, due_at, id) WHERE kind = 'k';
COMMENT ON TABLE push.due IS
    'Pointers to pending messages: due now, scheduled, or waiting for another try. Rows are inserted and deleted, '
    'never updated. Do not add an index: the claim deletes here thousands of times a second.';
COMMENT ON COLUMN push.due.due_at IS
    'When the message is due, as push.due_at_of(id): due_at of its newest retrying result, else that of push.content, '
    'else its send_at.';
COMMENT ON COLUMN push.due.id IS 'The message, or the first of several translations that are sent together.';
COMMENT ON COLUMN push.due.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.due.priority IS '0 urgent, 1 normal, 2 bulk; each is claimed on its own.';
COMMENT ON COLUMN push.due.attempt IS 'Attempts already made; from 0 again when a person sent the message again.';
COMMENT ON COLUMN push.due.kind IS
    'p: plain, one message. t: stands for all rows of push.translation with this lead. k: keyed, stands for all rows '
    'of push.content with this lead that have no result yet; push.gather_v1 replaces it with p or t when it is due.';
COMMENT ON COLUMN push.due.resent IS
    'True: a person sent the message again, so its expires_at counts from then (push.life_v1).';
COMMENT ON INDEX push.due_in_order IS
    'The order of the claim. Each lane, a hub in one priority class, is one range of it.';
COMMENT ON INDEX push.due_keyed IS 'Pointers that push.gather_v1 looks for. Costs only rows with a content_key.';

CREATE TABLE push.translation (
    id   bigint PRIMARY KEY,
    lead bigint NOT NULL
);
CREATE INDEX translation_by_lead ON push.translation (lead);
COMMENT ON TABLE push.translation IS
    'Messages that are translations of one content. The lead''s pointer in push.due stands for all of them.';
COMMENT ON COLUMN push.translation.id IS 'A message of the content, the lead included.';
COMMENT ON COLUMN push.translation.lead IS 'The message whose pointer stands for the content.';
COMMENT ON INDEX push.translation_by_lead IS 'The translations of a lead.';

CREATE FUNCTION push.paused_until() RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN '2199-01-01 00:00+00'::timestamptz;
COMMENT ON FUNCTION push.paused_until IS 'Where the pointers of a paused run lie in push.due.';

INSERT INTO push.migration (version, name, works_from) VALUES (4, 'pending', 61);
