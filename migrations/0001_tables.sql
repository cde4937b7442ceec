-- Fanfare, migration 1: the contract with backends (push.message) and the tables of a message's life.
-- Run it with `fanfare migrate up`, or: psql -v ON_ERROR_STOP=1 -1 -f 0001_tables.sql
--
-- Rows are inserted and deleted, never updated: the tables in which a message appears are its state. Small tables about
-- workers, hubs and counters are the exception; none of their columns that a worker writes is in an index.
-- docs/storage.md describes how the tables work together.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE SCHEMA push;
COMMENT ON SCHEMA push IS 'Fanfare: rows in push.message become push notifications.';

CREATE TABLE push.migration (
    version     int PRIMARY KEY,
    name        text NOT NULL,
    sha256      text,
    applied_at  timestamptz NOT NULL DEFAULT now(),
    applied_by  text NOT NULL DEFAULT session_user,
    app_version text
);
COMMENT ON TABLE push.migration IS
    'Which migrations this schema has. Each file inserts its own row, however it is run.';
COMMENT ON COLUMN push.migration.version IS 'Number of the migration: its file in migrations/ begins with it.';
COMMENT ON COLUMN push.migration.name IS 'Name of the migration: tables for 0001_tables.sql.';
COMMENT ON COLUMN push.migration.sha256 IS 'Checksum of the file; null: psql ran it instead of fanfare migrate.';
COMMENT ON COLUMN push.migration.applied_at IS 'When the migration was run.';
COMMENT ON COLUMN push.migration.applied_by IS 'The role that was logged in.';
COMMENT ON COLUMN push.migration.app_version IS 'Version of fanfare that ran it; null: psql ran it.';

CREATE TYPE push.status AS ENUM ('scheduled', 'due', 'claimed', 'posting', 'retrying',
    'accepted', 'rejected', 'expired', 'cancelled', 'duplicate', 'in_doubt');
COMMENT ON TYPE push.status IS
    'State of a message. Final: accepted, rejected, expired, cancelled, duplicate, in_doubt. accepted means that the '
    'hub took it, not that a phone showed it.';

CREATE TYPE push.reason AS ENUM (
    'taken_by_hub',                                                                 -- accepted
    'bad_request', 'too_large', 'not_sendable', 'no_fallback', 'late_translation',  -- rejected: content
    'target_gone', 'target_invalid',                                                -- rejected: target
    'attempts_exhausted',                                                           -- rejected: provider
    'expired', 'cancelled_by_caller', 'duplicate_key',                              -- policy
    'answer_lost', 'worker_lost',                                                   -- in doubt: network
    'throttled', 'unavailable', 'not_sent', 'auth_refused', 'hub_closed', 'released', 'resent',   -- retrying
    'resolved');                                                                    -- a person decided
COMMENT ON TYPE push.reason IS 'Why a message has its status. push.reason_class(reason) names who must act.';

CREATE FUNCTION push.reason_class(push.reason) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN $1 IN ('bad_request', 'too_large', 'not_sendable', 'no_fallback', 'late_translation') THEN 'content'
        WHEN $1 IN ('target_gone', 'target_invalid') THEN 'target'
        WHEN $1 IN ('attempts_exhausted', 'throttled', 'unavailable') THEN 'provider'
        WHEN $1 IN ('auth_refused', 'hub_closed') THEN 'credentials'
        WHEN $1 IN ('answer_lost', 'worker_lost', 'not_sent') THEN 'network'
        WHEN $1 = 'taken_by_hub' THEN 'none'
        WHEN $1 IS NOT NULL THEN 'policy'
    END
$$;
COMMENT ON FUNCTION push.reason_class IS
    'Who must act on a reason: content, target, credentials, provider, network or policy; none for accepted.';

CREATE TYPE push.verdict AS ENUM ('accepted', 'target_gone', 'target_invalid', 'too_large', 'rejected', 'throttled',
    'unavailable', 'auth_expired', 'auth_failed', 'not_sent', 'unknown');
COMMENT ON TYPE push.verdict IS 'What the answer to one post means; the same words for every provider.';

-- Hubs ----------------------------------------------------------------------------------------------------------------

CREATE TABLE push.hub (
    id              smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name            text COLLATE "C" NOT NULL UNIQUE
                    CONSTRAINT name_is_short_and_plain CHECK (name ~ '^[a-z0-9_-]{1,63}$'),
    kind            text NOT NULL DEFAULT 'notification-hubs',
    localization    text NOT NULL DEFAULT 'properties'
                    CONSTRAINT localization_is_properties_or_tags CHECK (localization IN ('properties', 'tags')),
    languages       text[] NOT NULL DEFAULT '{}',
    fallback        text,
    allow_broadcast boolean NOT NULL DEFAULT false,
    on_doubt        text NOT NULL DEFAULT 'hold'
                    CONSTRAINT on_doubt_is_hold_or_resend CHECK (on_doubt IN ('hold', 'resend')),
    expire_after    interval NOT NULL DEFAULT '24 hours',
    settle          interval NOT NULL DEFAULT '500 ms',
    keep_content    interval NOT NULL DEFAULT '24 hours',
    keep_dedupe     interval NOT NULL DEFAULT '168 hours',
    settings        json NOT NULL DEFAULT '{}',
    settings_hash   text,
    registered_at   timestamptz NOT NULL DEFAULT now(),
    registered_by   text NOT NULL DEFAULT session_user
);
COMMENT ON TABLE push.hub IS
    'The hubs a message may name. Written from the configuration by fanfare migrate and by a starting worker, and '
    'only when something changed.';
COMMENT ON COLUMN push.hub.id IS 'Number of the hub in the other tables.';
COMMENT ON COLUMN push.hub.name IS 'What backends write into push.message.hub.';
COMMENT ON COLUMN push.hub.kind IS 'Kind of service; notification-hubs is the only one.';
COMMENT ON COLUMN push.hub.localization IS 'properties: one post carries every language; tags: one post per locale.';
COMMENT ON COLUMN push.hub.languages IS 'Locales the hub is configured for; a message in another language is refused.';
COMMENT ON COLUMN push.hub.fallback IS 'The locale that stands in for languages a content lacks; null: none.';
COMMENT ON COLUMN push.hub.allow_broadcast IS 'Whether a message may reach every registration.';
COMMENT ON COLUMN push.hub.on_doubt IS
    'What happens to a message whose post may have been sent and got no answer, unless the message says otherwise: '
    'hold (a person decides) or resend.';
COMMENT ON COLUMN push.hub.expire_after IS
    'How long after its send_at a message may be sent, unless it has an expires_at.';
COMMENT ON COLUMN push.hub.settle IS 'How long a content with a content_key waits for its translations.';
COMMENT ON COLUMN push.hub.keep_content IS 'How long a content_key is remembered.';
COMMENT ON COLUMN push.hub.keep_dedupe IS 'How long a dedupe_key is remembered.';
COMMENT ON COLUMN push.hub.settings IS 'All settings of the hub as configured, without secrets.';
COMMENT ON COLUMN push.hub.settings_hash IS
    'Changes with the settings. Null: added by push.add_hub; the next worker that configures the hub writes its own '
    'settings.';
COMMENT ON COLUMN push.hub.registered_at IS 'When the hub was first registered.';
COMMENT ON COLUMN push.hub.registered_by IS 'The role that first registered it.';

CREATE TABLE push.hub_state (
    hub          smallint PRIMARY KEY REFERENCES push.hub,
    gate_until   timestamptz,
    held_since   timestamptz,
    hold_reason  text,
    probe_at     timestamptz,
    paused_by    text,
    changed_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    key          text NOT NULL DEFAULT 'primary'
                 CONSTRAINT key_is_primary_or_secondary CHECK (key IN ('primary', 'secondary')),
    key_since    timestamptz,
    key_reason   text,
    rate         real CONSTRAINT rate_is_not_negative CHECK (rate >= 0 AND rate <= 100000),
    tokens       double precision,
    tokens_at    timestamptz,
    slowed_to    double precision CONSTRAINT slowed_to_is_positive CHECK (slowed_to > 0),
    slowed_at    timestamptz,
    slowed_why   text,
    broken_until timestamptz,
    broken_why   text
) WITH (fillfactor = 20);
COMMENT ON TABLE push.hub_state IS 'Whether a hub takes posts now. One row per hub, shared by all workers.';
COMMENT ON COLUMN push.hub_state.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.hub_state.gate_until IS
    'The hub throttles: no worker posts before this time. Null or past: the gate is open.';
COMMENT ON COLUMN push.hub_state.held_since IS
    'Since when the hub refuses us (key, name or certificate); its messages wait. Null: it does not.';
COMMENT ON COLUMN push.hub_state.hold_reason IS 'What the hub said when it refused us: what to fix. Null: not held.';
COMMENT ON COLUMN push.hub_state.probe_at IS 'When the next message is tried on a held hub. Null: not held.';
COMMENT ON COLUMN push.hub_state.paused_by IS
    'The role that paused the hub; push.resume_hub ends that. Null: not paused.';
COMMENT ON COLUMN push.hub_state.changed_at IS 'When gate, hold, pause or breaker last changed.';
COMMENT ON COLUMN push.hub_state.key IS
    'The key that workers sign with: primary or secondary. A worker without a secondary key keeps the primary one.';
COMMENT ON COLUMN push.hub_state.key_since IS 'When the key was last changed; null: never.';
COMMENT ON COLUMN push.hub_state.key_reason IS
    'Who changed the key, or what the hub said about the other one; null: it was never changed.';
COMMENT ON COLUMN push.hub_state.rate IS
    'Posts per second at most, over all workers, set by push.set_rate. 0: no limit; null: ratePerSecond of the '
    'configuration.';
COMMENT ON COLUMN push.hub_state.tokens IS
    'Token bucket of the limit, as of tokens_at: posts that may leave at once. It fills at the rate, up to one '
    'second''s worth. Null: full.';
COMMENT ON COLUMN push.hub_state.tokens_at IS 'When tokens was counted; null: not since the rate was set.';
COMMENT ON COLUMN push.hub_state.slowed_to IS
    'Posts per second, over all workers, when the hub last throttled: half of what they were. The limit doubles every '
    '30 seconds and ends after three minutes (push.speed). Null: the hub did not throttle.';
COMMENT ON COLUMN push.hub_state.slowed_at IS 'When the hub last throttled; null: it did not.';
COMMENT ON COLUMN push.hub_state.slowed_why IS 'What the hub said when it last throttled; null: it did not.';
COMMENT ON COLUMN push.hub_state.broken_until IS
    'Posts of a worker do not get through, and it tries again at this time. The other workers try one post before '
    'they send more. Null: posts get through.';
COMMENT ON COLUMN push.hub_state.broken_why IS 'What went wrong at that worker; null: posts get through.';

-- What was asked ------------------------------------------------------------------------------------------------------
-- push.message has no CHECK: PostgreSQL 15 reads and plans each of them again for every statement, and with 14 of them
-- the INSERT of one row cost 2.1 to 2.3 times as much as into a bare table. The trigger of migration 2, whose plans are
-- kept, tests the same rules and raises the same error: check_violation, with column, value, limit, hint and the name
-- of the rule.

CREATE TABLE push.message (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hub         text COLLATE "C" NOT NULL,
    tag         text COLLATE "C",
    handles     text[],
    broadcast   boolean NOT NULL DEFAULT false,
    locale      text COLLATE "C",
    content     json NOT NULL,
    content_key text COLLATE "C",
    format      text COLLATE "C" NOT NULL DEFAULT 'template',
    headers     json,
    send_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at  timestamptz,
    priority    smallint NOT NULL DEFAULT 1,
    dedupe_key  text COLLATE "C",
    on_doubt    text COLLATE "C",
    pack        boolean NOT NULL DEFAULT true,
    campaign    text,
    run         text,
    tenant      text,
    traceparent text,
    meta        json,
    created_at  timestamptz NOT NULL DEFAULT now()
) PARTITION BY RANGE (id);
COMMENT ON TABLE push.message IS
    'What to send and to whom. One INSERT is a complete enqueue: INSERT INTO push.message (hub, tag, content) VALUES '
    '(''news'', ''World'', ''{"message": "hi"}'').';
COMMENT ON COLUMN push.message.id IS 'Number of the message, ascending; not writable.';
COMMENT ON COLUMN push.message.hub IS 'Name of a hub in push.hub.';
COMMENT ON COLUMN push.message.tag IS
    'One tag (1 to 120 of A-Z a-z 0-9 _ @ # . : -) or a tag expression such as (a || b) && !c, of 20 tags with || '
    'alone, else 6. Null: handles or broadcast says who gets it.';
COMMENT ON COLUMN push.message.handles IS
    'Device handles for direct send, 1 to 1,000 of 1 to 4,096 characters, as the platform''s push service gave them '
    'out; only with a native format. Null: tag or broadcast says who gets it.';
COMMENT ON COLUMN push.message.broadcast IS
    'True: every registration of the hub gets it. The hub must allow that (allowBroadcast).';
COMMENT ON COLUMN push.message.locale IS
    'BCP 47 language of the content, such as fr or zh-Hans; null: the content has no language.';
COMMENT ON COLUMN push.message.content IS
    'Template properties: one flat JSON object of strings, at most 64 KB. For a native format, the platform''s '
    'payload.';
COMMENT ON COLUMN push.message.content_key IS
    'Joins translations that arrive in several statements: rows with the same hub, tag, priority and key are sent '
    'together, after the hub''s settle time or when every language is there. The earliest send_at counts. Remembered '
    'for the hub''s keep_content; a translation that comes later ends as rejected, late_translation. On a hub '
    'localised by tags every row is a post of its own and waits for nothing.';
COMMENT ON COLUMN push.message.format IS
    'template, or a native format: apple, fcmv1, windows, adm, baidu, browser, xiaomi. On a hub localised by '
    'properties a native payload has no locale, because one payload is one language.';
COMMENT ON COLUMN push.message.headers IS
    'Extra provider headers, a flat JSON object. A template takes apns-*, X-WNS-*, X-WindowsPhone-Target, '
    'X-NotificationClass, X-Baidu-Message-Type and ServiceBusNotification-Apns-Expiry; a native format only its own. '
    'Null: none.';
COMMENT ON COLUMN push.message.send_at IS 'Earliest time to send; default: now.';
COMMENT ON COLUMN push.message.expires_at IS 'Latest time to send. Null: send_at plus the hub''s expire_after.';
COMMENT ON COLUMN push.message.priority IS '0 urgent, 1 normal, 2 bulk.';
COMMENT ON COLUMN push.message.dedupe_key IS
    'One content per hub and key, remembered for the hub''s keep_dedupe. A repeated key does not fail: its row ends '
    'as duplicate, and its note names the first message. Of two open transactions with the same key the second waits '
    'for the first, as with any unique key. Null: never a duplicate.';
COMMENT ON COLUMN push.message.on_doubt IS
    'What happens if the post may have been sent and got no answer: hold (a person decides) or resend. Null: as the '
    'hub says.';
COMMENT ON COLUMN push.message.pack IS 'Whether the message may share a post with other tags.';
COMMENT ON COLUMN push.message.campaign IS 'For people and reports; push.cancel stops a whole campaign. Null: none.';
COMMENT ON COLUMN push.message.run IS 'For people and reports: one run of the campaign. Null: none.';
COMMENT ON COLUMN push.message.tenant IS 'For people and reports. Null: none.';
COMMENT ON COLUMN push.message.traceparent IS
    'W3C trace context of the request that enqueued the message; never sent. Null: none.';
COMMENT ON COLUMN push.message.meta IS 'For the backend''s own use, at most 8 KB of JSON; never sent. Null: none.';
COMMENT ON COLUMN push.message.created_at IS 'When the enqueuing transaction began; not writable.';

-- What is pending -----------------------------------------------------------------------------------------------------

CREATE TABLE push.due (                                   -- columns by width: 48-byte rows
    due_at       timestamptz NOT NULL,
    id           bigint NOT NULL,
    hub          smallint NOT NULL,
    priority     smallint NOT NULL,
    attempt      smallint NOT NULL DEFAULT 0,
    translations boolean NOT NULL DEFAULT false,          -- these two lie in padding and cost nothing
    keyed        boolean NOT NULL DEFAULT false
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
        autovacuum_vacuum_insert_scale_factor = 0.2);
CREATE INDEX due_in_order ON push.due (hub, priority, due_at, id);
CREATE INDEX due_keyed ON push.due (hub, priority, due_at, id) WHERE keyed;
COMMENT ON TABLE push.due IS
    'Pointers to pending messages: due now, scheduled, or waiting for another try. Rows are inserted and deleted, '
    'never updated. Do not add an index: the claim deletes here thousands of times a second.';
COMMENT ON COLUMN push.due.due_at IS
    'When the message is due, as push.due_at_of(id): due_at of its newest retrying result, else that of push.content, '
    'else its send_at.';
COMMENT ON COLUMN push.due.id IS 'The message, or the first of several translations that are sent together.';
COMMENT ON COLUMN push.due.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.due.priority IS '0 urgent, 1 normal, 2 bulk; each is claimed on its own.';
COMMENT ON COLUMN push.due.attempt IS
    'Attempts already made, plus 16,384 if a person sent the message again (push.life_v1).';
COMMENT ON COLUMN push.due.translations IS 'True: stands for all rows of push.translation with this lead.';
COMMENT ON COLUMN push.due.keyed IS
    'True: stands for all rows of push.content with this lead that have no result yet. push.gather_v1 replaces it '
    'with an ordinary pointer when it is due.';
COMMENT ON INDEX push.due_in_order IS
    'The order of the claim. Each lane, a hub in one priority class, is one range of it.';
COMMENT ON INDEX push.due_keyed IS 'Pointers that push.gather_v1 looks for. Costs only rows with a content_key.';

CREATE TABLE push.translation (
    id   bigint PRIMARY KEY,
    lead bigint NOT NULL
);
CREATE INDEX translation_by_lead ON push.translation (lead, id);
COMMENT ON TABLE push.translation IS
    'Messages that are translations of one content. The lead''s pointer in push.due stands for all of them.';
COMMENT ON COLUMN push.translation.id IS 'A message of the content, the lead included.';
COMMENT ON COLUMN push.translation.lead IS 'The message whose pointer stands for the content.';
COMMENT ON INDEX push.translation_by_lead IS 'The translations of a lead.';

-- Who holds what ------------------------------------------------------------------------------------------------------

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

-- What went over the wire ---------------------------------------------------------------------------------------------

CREATE TABLE push.post (
    id     bigint PRIMARY KEY,
    at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    bytes  int NOT NULL,
    hub    smallint NOT NULL,
    target text,
    ids    bigint[] NOT NULL
) PARTITION BY RANGE (id);
COMMENT ON TABLE push.post IS
    'Posts about to be sent: written and committed before the first byte leaves. Append-only.';
COMMENT ON COLUMN push.post.id IS
    'Id of the claim × 10,000 + n, n from 1: the primary key also finds the posts of a claim.';
COMMENT ON COLUMN push.post.at IS 'When the row was written, just before the post was sent.';
COMMENT ON COLUMN push.post.bytes IS 'Size of the request body in bytes.';
COMMENT ON COLUMN push.post.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.post.target IS 'The tag expression that was sent, or how many handles; null: a broadcast.';
COMMENT ON COLUMN push.post.ids IS 'The messages it carries.';

CREATE TABLE push.answer (
    post            bigint PRIMARY KEY,
    at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    milliseconds    int NOT NULL,
    verdict         push.verdict NOT NULL,
    http            smallint,
    tracking_id     text,
    notification_id text,
    error           text
) PARTITION BY RANGE (post);
COMMENT ON TABLE push.answer IS 'What came back for a post. Append-only. A post without a row here is unanswered.';
COMMENT ON COLUMN push.answer.post IS 'The post: push.post.id.';
COMMENT ON COLUMN push.answer.at IS 'When the row was written.';
COMMENT ON COLUMN push.answer.milliseconds IS
    'Milliseconds from the hand-over to the transport to the end of the answer.';
COMMENT ON COLUMN push.answer.verdict IS 'What the answer means.';
COMMENT ON COLUMN push.answer.http IS 'HTTP status; null: no answer came.';
COMMENT ON COLUMN push.answer.tracking_id IS
    'The hub''s id of the request, which its support asks for; null: the answer had none.';
COMMENT ON COLUMN push.answer.notification_id IS
    'The hub''s id of the notification, which only the Standard tier gives; null: the answer had none.';
COMMENT ON COLUMN push.answer.error IS 'What the hub or the network said, in one line; null: no error.';

CREATE TABLE push.result (
    id      bigint NOT NULL,
    post    bigint,
    at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    due_at  timestamptz,
    status  push.status NOT NULL,
    reason  push.reason NOT NULL,
    note    text
) PARTITION BY RANGE (id);
CREATE INDEX result_of_message ON push.result (id);
CREATE INDEX result_in_doubt ON push.result (id) WHERE status = 'in_doubt';      -- few rows among millions, looked for often
COMMENT ON TABLE push.result IS 'What became of each message. Append-only; the newest row counts.';
COMMENT ON COLUMN push.result.id IS 'The message: push.message.id.';
COMMENT ON COLUMN push.result.post IS
    'The post that decided it. A multiple of 10,000: the message left that claim without a post. Null: decided '
    'outside a claim.';
COMMENT ON COLUMN push.result.at IS 'When the row was written, by the database''s clock.';
COMMENT ON COLUMN push.result.due_at IS 'When a retrying message is tried again; null: the status is final.';
COMMENT ON COLUMN push.result.status IS 'retrying, or a final status.';
COMMENT ON COLUMN push.result.reason IS 'Why; push.reason_class(reason) names who must act.';
COMMENT ON COLUMN push.result.note IS 'For people: what was wrong and what to do; null: nothing to say.';

-- Keys ----------------------------------------------------------------------------------------------------------------
-- push.content has no unique key over the content, so that backends never wait for each other: INSERT ... ON CONFLICT
-- waits for uncommitted rows, and two backends that insert the same translations in opposite order would deadlock.
-- Workers decide in short transactions which statement takes a content (push.content_taken).

CREATE TABLE push.content (
    id          bigint PRIMARY KEY,
    lead        bigint NOT NULL,
    due_at      timestamptz NOT NULL,
    at          timestamptz NOT NULL DEFAULT now(),
    hub         smallint NOT NULL,
    priority    smallint NOT NULL,
    tag         text COLLATE "C" NOT NULL,
    content_key text COLLATE "C" NOT NULL,
    locale      text COLLATE "C" NOT NULL
);
CREATE INDEX content_by_key ON push.content (hub, tag, content_key, priority, id);
CREATE INDEX content_by_lead ON push.content (lead, id);
COMMENT ON TABLE push.content IS
    'Messages with a content_key, one row each, written only by the enqueuing backend. Rows with the same hub, tag, '
    'key and priority are translations of one content. push.forget_keys() deletes old ones.';
COMMENT ON COLUMN push.content.id IS 'The message: push.message.id.';
COMMENT ON COLUMN push.content.lead IS
    'The first message of the statement with the same key. Its pointer in push.due stands for these rows until they '
    'are gathered.';
COMMENT ON COLUMN push.content.due_at IS
    'When that pointer is due: at the earliest send_at, but not before the hub''s settle time is over, unless every '
    'language was there.';
COMMENT ON COLUMN push.content.at IS 'When the enqueuing transaction began.';
COMMENT ON COLUMN push.content.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.content.priority IS '0 urgent, 1 normal, 2 bulk.';
COMMENT ON COLUMN push.content.tag IS 'push.message.tag; empty: a broadcast or handles.';
COMMENT ON COLUMN push.content.content_key IS 'push.message.content_key.';
COMMENT ON COLUMN push.content.locale IS 'push.message.locale; empty: the row without a language.';
COMMENT ON INDEX push.content_by_key IS 'The translations of a content.';
COMMENT ON INDEX push.content_by_lead IS 'The rows that a keyed pointer stands for.';

CREATE TABLE push.content_taken (
    hub         smallint NOT NULL,
    priority    smallint NOT NULL,
    tag         text COLLATE "C" NOT NULL,
    content_key text COLLATE "C" NOT NULL,
    lead        bigint NOT NULL,
    ids         bigint[] NOT NULL,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (hub, tag, content_key, priority)
) WITH (fillfactor = 90);
COMMENT ON TABLE push.content_taken IS
    'Contents whose key was used: a translation that comes later is late. Written only by workers (push.gather_v1).';
COMMENT ON COLUMN push.content_taken.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.content_taken.priority IS 'Priority of the content, as in push.content.';
COMMENT ON COLUMN push.content_taken.tag IS 'Target of the content, as in push.content.';
COMMENT ON COLUMN push.content_taken.content_key IS 'The key that was used, as in push.content.';
COMMENT ON COLUMN push.content_taken.lead IS 'The message whose pointer was due first.';
COMMENT ON COLUMN push.content_taken.ids IS 'The messages that were there when the content was taken.';
COMMENT ON COLUMN push.content_taken.at IS
    'When the content was taken. The key is free again after the hub''s keep_content, once all messages of ids are '
    'final.';

CREATE TABLE push.dedupe (
    id   bigint NOT NULL,
    at   timestamptz NOT NULL DEFAULT now(),
    hub  smallint NOT NULL,
    key  text COLLATE "C" NOT NULL,
    PRIMARY KEY (hub, key)
);
CREATE INDEX dedupe_by_time ON push.dedupe (at);
COMMENT ON TABLE push.dedupe IS
    'Which message first used a dedupe_key. Written by the enqueuing backend: of two open transactions with the same '
    'key the second waits for the first, as with any unique key.';
COMMENT ON COLUMN push.dedupe.id IS 'The first message with this key; of several translations the first.';
COMMENT ON COLUMN push.dedupe.at IS
    'When the enqueuing transaction began. The key is forgotten after the hub''s keep_dedupe.';
COMMENT ON COLUMN push.dedupe.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.dedupe.key IS 'push.message.dedupe_key.';
COMMENT ON INDEX push.dedupe_by_time IS 'Old keys, for push.forget_keys().';

-- Counters and the audit ----------------------------------------------------------------------------------------------

CREATE TABLE push.tally (
    hub    smallint NOT NULL,
    minute timestamptz NOT NULL,
    status push.status NOT NULL,
    reason push.reason NOT NULL,
    n      bigint NOT NULL,
    PRIMARY KEY (hub, minute, status, reason)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
COMMENT ON TABLE push.tally IS 'Results per hub and minute, so that counting never scans results.';
COMMENT ON COLUMN push.tally.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.tally.minute IS
    'Start of the minute. Rows of an enqueuing backend (duplicate, late_translation) have their exact time instead, '
    'so that no backend waits for another; push.forget_keys() adds them to their minute.';
COMMENT ON COLUMN push.tally.status IS 'Status of the results: retrying, or a final one.';
COMMENT ON COLUMN push.tally.reason IS 'Reason of the results, as in push.result.';
COMMENT ON COLUMN push.tally.n IS 'Results written in that minute.';

CREATE TABLE push.audit (
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    who    text NOT NULL DEFAULT session_user,
    action text NOT NULL,
    detail json NOT NULL DEFAULT '{}'
);
COMMENT ON TABLE push.audit IS
    'What people did: each call of a function that acts adds a row, in the same transaction.';
COMMENT ON COLUMN push.audit.id IS 'Number of the entry, ascending.';
COMMENT ON COLUMN push.audit.at IS 'When the function was called.';
COMMENT ON COLUMN push.audit.who IS 'The database role that was logged in.';
COMMENT ON COLUMN push.audit.action IS 'The function that was called, such as cancel.';
COMMENT ON COLUMN push.audit.detail IS 'The arguments, and how many messages the call changed.';

-- Partitions ----------------------------------------------------------------------------------------------------------

CREATE FUNCTION push.make_partitions() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms' AS $$
DECLARE
    spec record; first bigint; part text; made int := 0; tries int;
BEGIN
    -- One caller at a time: of two that make the same partition, one waits and then fails. So the second caller leaves
    -- it to the first.
    IF NOT pg_try_advisory_xact_lock(7310868735422034534) THEN RETURN 0; END IF;
    FOR spec IN
        SELECT 'message' AS parent, 4000000::bigint AS span, coalesce(pg_sequence_last_value(pg_get_serial_sequence('push.message', 'id')::regclass), 1) AS reached
        UNION ALL SELECT 'result', 4000000, coalesce(pg_sequence_last_value(pg_get_serial_sequence('push.message', 'id')::regclass), 1)
        UNION ALL SELECT 'post',   1000000000, coalesce(pg_sequence_last_value('push.claim_id'), 1) * 10000
        UNION ALL SELECT 'answer', 1000000000, coalesce(pg_sequence_last_value('push.claim_id'), 1) * 10000
    LOOP
        <<ahead>> FOR i IN 0 .. 3 LOOP
            first := (spec.reached / spec.span + i) * spec.span;
            part := format('%s_%s', spec.parent, first / spec.span);
            CONTINUE WHEN to_regclass(format('push.%I', part)) IS NOT NULL;
            -- CREATE ... PARTITION OF behind one open reader blocks every INSERT; LIKE and ATTACH with a short
            -- lock_timeout do not. ATTACH also waits for readers of the DEFAULT partition. After a second we give up;
            -- the next call tries again, and there are three partitions to spare.
            EXECUTE format('CREATE TABLE push.%I (LIKE push.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING STORAGE)', part, spec.parent);
            EXECUTE format('COMMENT ON TABLE push.%I IS %L', part, format('Partition of push.%s: ids %s to %s.', spec.parent, first, first + spec.span - 1));
            tries := 0;
            LOOP
                BEGIN
                    EXECUTE format('ALTER TABLE push.%I ATTACH PARTITION push.%I FOR VALUES FROM (%s) TO (%s)', spec.parent, part, first, first + spec.span);
                    made := made + 1;
                    EXIT;
                EXCEPTION
                    WHEN lock_not_available THEN
                        tries := tries + 1;
                        IF tries >= 5 THEN EXECUTE format('DROP TABLE push.%I', part); EXIT ahead; END IF;
                    WHEN check_violation THEN     -- rows of this range are already in DEFAULT: push.mend_partitions() moves them
                        EXECUTE format('DROP TABLE push.%I', part);
                        EXIT;
                END;
            END LOOP;
        END LOOP;
    END LOOP;
    RETURN made;
END $$;
COMMENT ON FUNCTION push.make_partitions IS
    'Makes the partitions of message, result, post and answer three ahead of need; returns how many it made. fanfare '
    'run, drain and migrate call it.';

CREATE FUNCTION push.mend_partitions() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
    spec record; lowest bigint; highest bigint; first bigint; part text; moved bigint; total bigint := 0;
BEGIN
    FOR spec IN SELECT * FROM (VALUES ('message', 'id', 4000000::bigint), ('result', 'id', 4000000), ('post', 'id', 1000000000), ('answer', 'post', 1000000000)) s(parent, key, span) LOOP
        EXECUTE format('SELECT min(%I), max(%I) FROM push.%I', spec.key, spec.key, spec.parent || '_default') INTO lowest, highest;
        CONTINUE WHEN lowest IS NULL;
        EXECUTE format('ALTER TABLE push.%I DETACH PARTITION push.%I', spec.parent, spec.parent || '_default');
        FOR n IN lowest / spec.span .. highest / spec.span LOOP
            first := n * spec.span;
            part := format('%s_%s', spec.parent, n);
            IF to_regclass(format('push.%I', part)) IS NULL THEN
                EXECUTE format('CREATE TABLE push.%I (LIKE push.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING STORAGE)', part, spec.parent);
                EXECUTE format('COMMENT ON TABLE push.%I IS %L', part, format('Partition of push.%s: ids %s to %s.', spec.parent, first, first + spec.span - 1));
                EXECUTE format('ALTER TABLE push.%I ATTACH PARTITION push.%I FOR VALUES FROM (%s) TO (%s)', spec.parent, part, first, first + spec.span);
            END IF;
            -- Into the partition, not into the parent: the trigger of push.message must not fire again.
            EXECUTE format('WITH gone AS (DELETE FROM push.%I WHERE %I >= %s AND %I < %s RETURNING *) INSERT INTO push.%I OVERRIDING SYSTEM VALUE SELECT * FROM gone',
                spec.parent || '_default', spec.key, first, spec.key, first + spec.span, part);
            GET DIAGNOSTICS moved = ROW_COUNT;
            total := total + moved;
        END LOOP;
        EXECUTE format('ALTER TABLE push.%I ATTACH PARTITION push.%I DEFAULT', spec.parent, spec.parent || '_default');
    END LOOP;
    INSERT INTO push.audit (action, detail) VALUES ('mend_partitions', json_build_object('rows', total));
    RETURN total;
END $$;
COMMENT ON FUNCTION push.mend_partitions IS
    'Moves rows out of the DEFAULT partitions into partitions of their own; returns how many rows. Blocks enqueuing '
    'while it runs.';

CREATE TABLE push.message_default PARTITION OF push.message DEFAULT;
CREATE TABLE push.result_default PARTITION OF push.result DEFAULT;
CREATE TABLE push.post_default PARTITION OF push.post DEFAULT;
CREATE TABLE push.answer_default PARTITION OF push.answer DEFAULT;
COMMENT ON TABLE push.message_default IS
    'Catches ids for which no partition was made. Rows here are an alarm: SELECT push.mend_partitions().';
COMMENT ON TABLE push.result_default IS
    'Catches ids for which no partition was made. Rows here are an alarm: SELECT push.mend_partitions().';
COMMENT ON TABLE push.post_default IS
    'Catches ids for which no partition was made. Rows here are an alarm: SELECT push.mend_partitions().';
COMMENT ON TABLE push.answer_default IS
    'Catches ids for which no partition was made. Rows here are an alarm: SELECT push.mend_partitions().';
SELECT push.make_partitions();

REVOKE ALL ON FUNCTION push.make_partitions(), push.mend_partitions() FROM PUBLIC;

INSERT INTO push.migration (version, name) VALUES (1, 'tables');
