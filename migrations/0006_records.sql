-- Fanfare, migration 6: What went over the wire and what became of it: posts, answers, results, counters, and what people did.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

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
CREATE INDEX result_failed ON push.result (at, id) WHERE status IN ('rejected', 'expired');
COMMENT ON INDEX push.result_failed IS
    'Failures by time, for push.recent_failures and push.retry: few rows among millions, and accepted results cost '
    'nothing.';
COMMENT ON INDEX push.result_of_message IS 'The results of one message.';
COMMENT ON INDEX push.result_in_doubt IS 'For push.in_doubt: few rows among millions, looked for often.';

INSERT INTO push.migration (version, name) VALUES (6, 'records');
