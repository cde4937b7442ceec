-- Fanfare, migration 5: Who holds what: workers, what they report about hubs, and their claims.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE TABLE push.worker (
    id            int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    epoch         int NOT NULL DEFAULT floor(random() * 2147483647)::int,
    name          text NOT NULL,
    version       text NOT NULL,
    started_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    lease_seconds real NOT NULL DEFAULT 15,
    beats         bigint NOT NULL DEFAULT 0,
    beat_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    doing         text,
    trouble       text,
    asleep        boolean NOT NULL DEFAULT false,
    timeline      text NOT NULL,
    lowest_claim  bigint NOT NULL
) WITH (fillfactor = 10);
COMMENT ON TABLE push.worker IS
    'Workers that are alive, and dead ones until they are rescued. Other workers judge by beats, not by clocks.';
COMMENT ON COLUMN push.worker.id IS 'Number of the worker, ascending; a worker that registers again gets a new one.';
COMMENT ON COLUMN push.worker.epoch IS
    'Random. After a fail-over that lost rows, numbers can come again; number and epoch together name one worker.';
COMMENT ON COLUMN push.worker.name IS 'Host and process id: host/pid.';
COMMENT ON COLUMN push.worker.version IS 'Version of fanfare.';
COMMENT ON COLUMN push.worker.started_at IS 'When the worker registered.';
COMMENT ON COLUMN push.worker.lease_seconds IS
    'The worker''s lease (worker.leaseSeconds): it is dead when it did not beat for this long, and looks dead to '
    'people after two leases (push.is_alive).';
COMMENT ON COLUMN push.worker.beats IS
    'Counts up with every heartbeat, by default every 3 s, while the worker makes progress. Unchanged for one lease: '
    'the worker is dead.';
COMMENT ON COLUMN push.worker.beat_at IS 'When beats last changed, for people.';
COMMENT ON COLUMN push.worker.doing IS 'What the worker is doing, in one line for people; null: no heartbeat yet.';
COMMENT ON COLUMN push.worker.trouble IS
    'What keeps the worker from its work and for how long it has, such as a disk that is full; null: nothing.';
COMMENT ON COLUMN push.worker.asleep IS
    'True: the worker looks for messages only a few times a second and listens for push.wake_up().';
COMMENT ON COLUMN push.worker.timeline IS
    'push.timeline when the worker registered. When that has changed, the worker must register anew.';
COMMENT ON COLUMN push.worker.lowest_claim IS
    'No claim of the worker has a lower id. Heartbeats move it on, so that nobody looks through claims that ended long '
    'ago.';

CREATE FUNCTION push.is_alive(beat_at timestamptz, lease_seconds real) RETURNS boolean
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN beat_at > clock_timestamp() - make_interval(secs => 2 * lease_seconds);
COMMENT ON FUNCTION push.is_alive IS
    'Whether a worker with this heartbeat and lease counts as alive: its last heartbeat is at most two leases old.';

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
    settings_hash    text,
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
COMMENT ON COLUMN push.serving.settings_hash IS
    'push.hub.settings_hash of the settings that the worker works with. Null: not reported.';
COMMENT ON COLUMN push.serving.at IS 'When the worker reported this.';

CREATE SEQUENCE push.claim_id;
COMMENT ON SEQUENCE push.claim_id IS
    'Ids of claims. Never set it back: an id used twice would let a dead worker post again.';

CREATE TABLE push.claim (
    id         bigint PRIMARY KEY,
    worker     int NOT NULL,
    epoch      int NOT NULL,
    hub        smallint NOT NULL,
    priority   smallint NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ids        bigint[] NOT NULL,
    attempts   smallint[] NOT NULL,
    resent     bigint[] NOT NULL DEFAULT '{}',
    cancelled  bigint[] NOT NULL DEFAULT '{}',
    trouble    text
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE push.claim
    ALTER ids SET STORAGE EXTERNAL,
    ALTER attempts SET STORAGE EXTERNAL;
COMMENT ON TABLE push.claim IS
    'Which worker holds which messages now: one row per batch, deleted when the batch is finished.';
COMMENT ON COLUMN push.claim.id IS
    'From push.claim_id, never used twice. It is the fence: a worker that posts or records must find it here.';
COMMENT ON COLUMN push.claim.worker IS 'The worker: push.worker.id.';
COMMENT ON COLUMN push.claim.epoch IS
    'push.worker.epoch. Intent and completion of any other worker and epoch do not touch the claim.';
COMMENT ON COLUMN push.claim.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.claim.priority IS '0 urgent, 1 normal, 2 bulk.';
COMMENT ON COLUMN push.claim.claimed_at IS 'When the worker took the batch.';
COMMENT ON COLUMN push.claim.ids IS
    'The messages. Never shrunk: a message has left the claim when it has a result whose post belongs to this claim.';
COMMENT ON COLUMN push.claim.attempts IS 'Attempts already made by each message of ids, as in push.due.attempt.';
COMMENT ON COLUMN push.claim.resent IS 'Messages of ids that a person sent again: push.due.resent.';
COMMENT ON COLUMN push.claim.cancelled IS 'Messages of ids that must not be posted any more; written by push.cancel.';
COMMENT ON COLUMN push.claim.trouble IS
    'Why rescue could not take the claim; null: it could, or was never needed. Written once, with an entry in '
    'push.audit.';

CREATE TABLE push.drain (
    name          text PRIMARY KEY,
    holder        bigint NOT NULL,
    started_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    beat_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    lease_seconds real NOT NULL
);
COMMENT ON TABLE push.drain IS
    'Drains of which only one of a name may be at work: fanfare drain --lock. Not a lock of the database: that would be '
    'a transaction as long as the drain, and an advisory lock can be taken by any login.';
COMMENT ON COLUMN push.drain.name IS 'Name of the drain: drain, unless --lock says otherwise.';
COMMENT ON COLUMN push.drain.holder IS 'Random number of the process that drains.';
COMMENT ON COLUMN push.drain.started_at IS 'When it began.';
COMMENT ON COLUMN push.drain.beat_at IS 'When it last said that it is at work.';
COMMENT ON COLUMN push.drain.lease_seconds IS 'After this time without a beat the name is free.';

CREATE FUNCTION push.hold_drain_v1(name text, holder bigint, lease_seconds real) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
#variable_conflict use_column
DECLARE
    at timestamptz := clock_timestamp();
BEGIN
    INSERT INTO push.drain AS r (name, holder, lease_seconds)
    VALUES (hold_drain_v1.name, hold_drain_v1.holder, hold_drain_v1.lease_seconds)
        ON CONFLICT (name) DO UPDATE
       SET holder = excluded.holder,
           started_at = CASE WHEN r.holder = excluded.holder THEN r.started_at ELSE at END,
           beat_at = at,
           lease_seconds = excluded.lease_seconds
     WHERE r.holder = excluded.holder
           -- A beat from the future: the clock was set back. It counts no longer than any other.
        OR abs(extract(epoch FROM at - r.beat_at)) > r.lease_seconds;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION push.hold_drain_v1 IS
    'Begins a drain, or says that it is still at work. False: another process drains under that name.';

CREATE FUNCTION push.end_drain_v1(name text, holder bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
    DELETE FROM push.drain r WHERE r.name = end_drain_v1.name AND r.holder = end_drain_v1.holder;
END;
COMMENT ON FUNCTION push.end_drain_v1 IS 'Ends a drain: its name is free at once.';

INSERT INTO push.migration (version, name, works_from) VALUES (5, 'holders', 61);
