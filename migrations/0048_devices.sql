-- Fanfare, migration 48: Devices: what backends asked for, what is pending, who holds which device, what became of it.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE TYPE push.device_action AS ENUM ('put', 'patch', 'drop');
COMMENT ON TYPE push.device_action IS
    'put: register a device or replace it. patch: change parts of it. drop: remove it.';

CREATE TYPE push.change_status AS ENUM ('applied', 'superseded', 'refused', 'retrying');
COMMENT ON TYPE push.change_status IS
    'applied: the hub took it. superseded: a later put or drop made it needless, so it was not sent. refused: final, '
    'the hub or a rule does not take it. retrying: it is tried again.';

-- Only backends write here, so they wait for each other and never for a worker. No foreign key: each new device would
-- lock the row of its hub, and hubs are never deleted.
CREATE TABLE push.device (
    hub     smallint NOT NULL,
    device  text COLLATE "C" NOT NULL,
    change  bigint NOT NULL,
    dropped boolean NOT NULL DEFAULT false,
    PRIMARY KEY (hub, device)
) WITH (fillfactor = 70);
COMMENT ON TABLE push.device IS
    'The devices that backends have named. A second transaction that changes a device waits here for the first, and '
    'then draws its number: so the ids of a device''s changes are in the order of their commits.';
COMMENT ON COLUMN push.device.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.device.device IS 'The installation id at the hub.';
COMMENT ON COLUMN push.device.change IS 'Its newest change: push.installation_change.id.';
COMMENT ON COLUMN push.device.dropped IS
    'Whether its newest put or drop was a drop: then a patch is refused. Never put, such as a device that an app '
    'registered by itself: false.';

CREATE TABLE push.installation_change (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hub        smallint NOT NULL,
    device     text COLLATE "C" NOT NULL,
    action     push.device_action NOT NULL,
    document   json NOT NULL,
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    changed_by text NOT NULL DEFAULT push.caller()
);
COMMENT ON TABLE push.installation_change IS
    'What backends asked for with push.put_device, push.patch_device and push.drop_device. Append-only.';
COMMENT ON COLUMN push.installation_change.id IS
    'What the call returned. Changes of one device are applied in the order of their ids.';
COMMENT ON COLUMN push.installation_change.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.installation_change.device IS 'The installation id at the hub.';
COMMENT ON COLUMN push.installation_change.action IS 'put, patch or drop.';
COMMENT ON COLUMN push.installation_change.document IS
    'The arguments of the call that say what the device is, whatever kind the hub is; {} for a drop.';
COMMENT ON COLUMN push.installation_change.at IS 'When the call was made.';
COMMENT ON COLUMN push.installation_change.changed_by IS 'The role that made the call.';

CREATE TABLE push.installation_due (
    due_at  timestamptz NOT NULL,
    id      bigint NOT NULL,
    hub     smallint NOT NULL,
    attempt smallint NOT NULL DEFAULT 0,
    device  text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
        autovacuum_vacuum_insert_scale_factor = 0.2);
CREATE INDEX installation_due_in_order ON push.installation_due (hub, due_at, id);
CREATE INDEX installation_due_of_device ON push.installation_due (hub, device, id);
COMMENT ON TABLE push.installation_due IS
    'Pointers to changes that have no final result. Rows are inserted and deleted, never updated. A claim leaves them '
    'here, so a worker that dies moves nothing.';
COMMENT ON COLUMN push.installation_due.due_at IS
    'When the device is looked at because of this change. A later change of the device may bring it on earlier.';
COMMENT ON COLUMN push.installation_due.id IS 'The change: push.installation_change.id.';
COMMENT ON COLUMN push.installation_due.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.installation_due.attempt IS 'Attempts already made while changes of other devices succeeded.';
COMMENT ON COLUMN push.installation_due.device IS 'The device: push.device.device.';
COMMENT ON INDEX push.installation_due_in_order IS 'The order in which devices are claimed.';
COMMENT ON INDEX push.installation_due_of_device IS 'All that waits for one device, in order.';

CREATE SEQUENCE push.installation_claim_id;
COMMENT ON SEQUENCE push.installation_claim_id IS 'Ids of push.installation_claim.';

CREATE TABLE push.installation_claim (
    id         bigint NOT NULL DEFAULT nextval('push.installation_claim_id'),
    hub        smallint NOT NULL,
    device     text COLLATE "C" NOT NULL,
    worker     int NOT NULL,
    epoch      int NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (hub, device)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
CREATE UNIQUE INDEX installation_claim_by_id ON push.installation_claim (id);
ALTER SEQUENCE push.installation_claim_id OWNED BY push.installation_claim.id;
COMMENT ON TABLE push.installation_claim IS
    'Which worker holds which device now. Its primary key keeps a device in one hand.';
COMMENT ON COLUMN push.installation_claim.id IS
    'Never used twice: results are recorded for the claim with this id and for no later one of the same device.';
COMMENT ON COLUMN push.installation_claim.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.installation_claim.device IS 'The device: push.device.device.';
COMMENT ON COLUMN push.installation_claim.worker IS 'The worker: push.worker.id.';
COMMENT ON COLUMN push.installation_claim.epoch IS 'push.worker.epoch.';
COMMENT ON COLUMN push.installation_claim.claimed_at IS 'When the worker took the device.';
COMMENT ON INDEX push.installation_claim_by_id IS 'Finds a claim when its results come.';

CREATE TABLE push.installation_result (
    id          bigint NOT NULL,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    status      push.change_status NOT NULL,
    http        smallint,
    tracking_id text,
    error       text,
    note        text
);
CREATE INDEX installation_result_of_change ON push.installation_result (id);
CREATE INDEX installation_result_refused ON push.installation_result (at) WHERE status = 'refused';
COMMENT ON TABLE push.installation_result IS
    'What became of each change. Append-only. A change has any number of rows retrying and at most one other, which '
    'is final.';
COMMENT ON COLUMN push.installation_result.id IS 'The change: push.installation_change.id.';
COMMENT ON COLUMN push.installation_result.at IS 'When the row was written.';
COMMENT ON COLUMN push.installation_result.status IS 'applied, superseded and refused are final; retrying is not.';
COMMENT ON COLUMN push.installation_result.http IS
    'HTTP status of the answer; null: no answer came, or nothing was sent.';
COMMENT ON COLUMN push.installation_result.tracking_id IS
    'The hub''s id of the request, which its support asks for; null: no answer, or none in it.';
COMMENT ON COLUMN push.installation_result.error IS 'What the hub or the network said; null: no error.';
COMMENT ON COLUMN push.installation_result.note IS
    'What happened and what to do; null: nothing to say.';
COMMENT ON INDEX push.installation_result_of_change IS 'The results of a change.';
COMMENT ON INDEX push.installation_result_refused IS 'What was refused of late, which people look for.';

ALTER TABLE push.hub_state ADD devices_until timestamptz, ADD devices_why text;
COMMENT ON COLUMN push.hub_state.devices_until IS
    'No worker applies changes of devices before this time, because the hub asked to wait or took none. Messages do '
    'not wait for it. Null or past: they are applied.';
COMMENT ON COLUMN push.hub_state.devices_why IS 'Why changes of devices wait; null: they never had to.';

INSERT INTO push.migration (version, name, works_from) VALUES (48, 'devices', 61);
