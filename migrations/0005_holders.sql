-- Fanfare, migration 5: Who holds what: workers, what they report about hubs, and their claims.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE TABLE push.worker (
    id         int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text NOT NULL,
    version    text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    beats      bigint NOT NULL DEFAULT 0,
    beat_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    doing      text,
    asleep     boolean NOT NULL DEFAULT false
) WITH (fillfactor = 10);
COMMENT ON TABLE push.worker IS
    'Workers that are alive, and dead ones until they are rescued. Other workers judge by beats, not by clocks.';
COMMENT ON COLUMN push.worker.id IS 'Number of the worker, ascending; a worker that registers again gets a new one.';
COMMENT ON COLUMN push.worker.name IS 'Host and process id: host/pid.';
COMMENT ON COLUMN push.worker.version IS 'Version of fanfare.';
COMMENT ON COLUMN push.worker.started_at IS 'When the worker registered.';
COMMENT ON COLUMN push.worker.beats IS
    'Counts up with every heartbeat, by default every 3 s, while the worker makes progress. Unchanged for one lease: '
    'the worker is dead.';
COMMENT ON COLUMN push.worker.beat_at IS 'When beats last changed, for people.';
COMMENT ON COLUMN push.worker.doing IS 'What the worker is doing, in one line for people; null: no heartbeat yet.';
COMMENT ON COLUMN push.worker.asleep IS
    'True: the worker looks for messages only a few times a second and listens for push.wake_up().';

CREATE TABLE push.serving (
    worker           int REFERENCES push.worker ON DELETE CASCADE,
    hub              smallint REFERENCES push.hub ON DELETE CASCADE,
    key              text NOT NULL,
    has_secondary    boolean NOT NULL,
    token_expires_at timestamptz,
    signings         int NOT NULL,
    "window"         int NOT NULL,
    in_flight        int NOT NULL,
    rate             real NOT NULL,
    skew_seconds     real,
    at               timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (worker, hub)
) WITH (fillfactor = 20);
COMMENT ON TABLE push.serving IS
    'What each worker reports about each hub it serves, with every heartbeat. Deleted with the worker.';
COMMENT ON COLUMN push.serving.worker IS 'The worker: push.worker.id.';
COMMENT ON COLUMN push.serving.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.serving.key IS 'The key the worker signs with: primary or secondary.';
COMMENT ON COLUMN push.serving.has_secondary IS
    'Whether the worker has a secondary key, and so can follow push.rotate_hub.';
COMMENT ON COLUMN push.serving.token_expires_at IS
    'When the worker''s token expires, by the worker''s clock; it signs a new one before that. Null: it has none, '
    'because nothing was sent.';
COMMENT ON COLUMN push.serving.signings IS 'Tokens the worker has signed since it started.';
COMMENT ON COLUMN push.serving."window" IS
    'Posts the worker may have in flight now. Grows with answers up to the hub''s window; starts again at 1 when '
    'nothing gets through.';
COMMENT ON COLUMN push.serving.in_flight IS 'Posts the worker has in flight.';
COMMENT ON COLUMN push.serving.rate IS 'Answers per second of late; 0 after some seconds without any.';
COMMENT ON COLUMN push.serving.skew_seconds IS
    'Seconds the worker''s clock is ahead of the hub''s (negative: behind), accurate to a second, checked once a '
    'minute. Null: no answer had a date.';
COMMENT ON COLUMN push.serving.at IS 'When the worker reported this.';

CREATE SEQUENCE push.claim_id;
COMMENT ON SEQUENCE push.claim_id IS
    'Ids of claims. Never set it back: an id used twice would let a dead worker post again.';

CREATE TABLE push.claim (
    id         bigint PRIMARY KEY,
    worker     int NOT NULL,
    hub        smallint NOT NULL,
    priority   smallint NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ids        bigint[] NOT NULL,
    attempts   smallint[] NOT NULL,
    cancelled  bigint[] NOT NULL DEFAULT '{}'
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE push.claim ALTER ids SET STORAGE EXTERNAL, ALTER attempts SET STORAGE EXTERNAL;
COMMENT ON TABLE push.claim IS
    'Which worker holds which messages now: one row per batch, deleted when the batch is finished.';
COMMENT ON COLUMN push.claim.id IS
    'From push.claim_id, never used twice. It is the fence: a worker that posts or records must find it here.';
COMMENT ON COLUMN push.claim.worker IS 'The worker: push.worker.id.';
COMMENT ON COLUMN push.claim.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.claim.priority IS '0 urgent, 1 normal, 2 bulk.';
COMMENT ON COLUMN push.claim.claimed_at IS 'When the worker took the batch.';
COMMENT ON COLUMN push.claim.ids IS
    'The messages. Never shrunk: a message has left the claim when it has a result whose post belongs to this claim.';
COMMENT ON COLUMN push.claim.attempts IS 'Attempts already made by each message of ids, as in push.due.attempt.';
COMMENT ON COLUMN push.claim.cancelled IS 'Messages of ids that must not be posted any more; written by push.cancel.';

INSERT INTO push.migration (version, name) VALUES (5, 'holders');
