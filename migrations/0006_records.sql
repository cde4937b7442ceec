-- Fanfare, migration 6: What was sent and what became of it: posts, answers, results, counters, and what people did.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
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
    'push.post_id(claim, n), n from 1: the primary key also finds the posts of a claim.';
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
COMMENT ON TABLE push.answer IS
    'What came back for a post. Append-only. One kind of answer stands elsewhere, because it is nearly all of them: '
    'that of a message that was accepted alone in its post stands in its push.result. push.answers shows both.';
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

CREATE SEQUENCE push.arrival;
COMMENT ON SEQUENCE push.arrival IS
    'The order of results. A clock that is set back, or that of a promoted server, must not change which result of a '
    'message is the newest.';

CREATE FUNCTION push.arrival_lock() RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 1886745193;
COMMENT ON FUNCTION push.arrival_lock IS 'First number of the advisory locks of push.arrive: "puri" in ASCII.';

CREATE TABLE push.ended_listener (
    listening boolean NOT NULL
);
CREATE UNIQUE INDEX ended_listener_is_one_row ON push.ended_listener ((true));
INSERT INTO push.ended_listener VALUES (false);
COMMENT ON TABLE push.ended_listener IS 'Whether somebody waits for NOTIFY push_ended. One row.';
COMMENT ON COLUMN push.ended_listener.listening IS
    'True: push.ended_since was called with listen. The next result notifies, and makes it false.';
COMMENT ON INDEX push.ended_listener_is_one_row IS 'Refuses a second row.';

-- A reader in the order of arrival must not pass a number whose transaction is still open. So each transaction that
-- takes numbers first says, by a lock that everybody can see in pg_locks, from which one on: push.ended_since.
CREATE FUNCTION push.arrive() RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    listener tid;
BEGIN
    IF coalesce(current_setting('push.arriving', true), '') = '' THEN
        PERFORM pg_advisory_xact_lock_shared(
                    push.arrival_lock(), CASE WHEN s.is_called THEN (s.last_value & 2147483647)::int ELSE 0 END)
           FROM push.arrival s;
        PERFORM set_config('push.arriving', 'on', true);
        SELECT l.ctid INTO listener FROM push.ended_listener l WHERE l.listening FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
            UPDATE push.ended_listener l SET listening = false WHERE l.ctid = listener;
            PERFORM pg_notify('push_ended', '');
        END IF;
    END IF;
    RETURN nextval('push.arrival');
END $$;
COMMENT ON FUNCTION push.arrive IS
    'The next number for results, and once in a transaction NOTIFY push_ended if somebody listens. Only for other '
    'functions.';

CREATE TABLE push.result (
    id              bigint NOT NULL,
    post            bigint,
    arrival         bigint NOT NULL DEFAULT push.arrive(),
    at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    due_at          timestamptz,
    status          push.status NOT NULL,
    reason          push.reason NOT NULL,
    milliseconds    int,                       -- and the next three: the answer, if the message was accepted alone
    http            smallint,
    tracking_id     text,
    notification_id text,
    note            text
) PARTITION BY RANGE (id);
CREATE INDEX result_of_message ON push.result (id);
CREATE INDEX result_in_doubt ON push.result (id) WHERE status = 'in_doubt';
CREATE INDEX result_failed ON push.result (at, id) WHERE status IN ('rejected', 'expired');
CREATE INDEX result_arrivals ON push.result USING brin (arrival) WITH (pages_per_range = 32, autosummarize = on);
COMMENT ON TABLE push.result IS
    'What became of each message. Append-only; of a message''s rows the one with the highest arrival counts.';
COMMENT ON COLUMN push.result.id IS 'The message: push.message.id.';
COMMENT ON COLUMN push.result.post IS
    'The post that decided it, or push.no_post of a claim that the message left without a post. Null: decided outside '
    'a claim.';
COMMENT ON COLUMN push.result.arrival IS
    'From push.arrival. A statement that writes results of many messages gives all of them one number.';
COMMENT ON COLUMN push.result.at IS
    'When the row was written, by the database''s clock. For people: no decision goes by it.';
COMMENT ON COLUMN push.result.due_at IS 'When a retrying message is tried again; null: the status is final.';
COMMENT ON COLUMN push.result.status IS 'retrying, or a final status.';
COMMENT ON COLUMN push.result.reason IS 'Why; push.reason_class(reason) names who must act.';
COMMENT ON COLUMN push.result.milliseconds IS
    'As push.answer.milliseconds, and the next three columns likewise. Null: the answer is in push.answer.';
COMMENT ON COLUMN push.result.http IS 'HTTP status of the answer.';
COMMENT ON COLUMN push.result.tracking_id IS 'The hub''s id of the request; null: the answer had none.';
COMMENT ON COLUMN push.result.notification_id IS 'The hub''s id of the notification; null: the answer had none.';
COMMENT ON COLUMN push.result.note IS 'For people: what was wrong and what to do; null: nothing to say.';
COMMENT ON INDEX push.result_of_message IS 'The results of one message.';
COMMENT ON INDEX push.result_in_doubt IS 'For push.in_doubt: few rows among millions, looked for often.';
COMMENT ON INDEX push.result_arrivals IS
    'For push.ended_since: results in the order of their arrival. Autovacuum writes its summaries, and pages without '
    'one are read.';
COMMENT ON INDEX push.result_failed IS
    'Failures by time, for push.recent_failures and push.retry_failed: few rows among millions, and accepted results '
    'cost nothing.';

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
    'Start of the minute. Rows of an enqueuing backend (duplicate, late_translation) or of a rescue have their exact '
    'time instead, so that none of these waits for another; push.forget_keys() adds them to their minute.';
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

CREATE FUNCTION push.count_results(
    hubs     smallint[],
    statuses push.status[],
    reasons  push.reason[],
    ns       bigint[],
    minute   timestamptz DEFAULT date_trunc('minute', clock_timestamp()))
RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO push.tally AS t (hub, minute, status, reason, n)
    SELECT u.hub, count_results.minute, u.status, u.reason, u.n
      FROM unnest(hubs, statuses, reasons, ns) u(hub, status, reason, n)
     ORDER BY u.hub, u.status, u.reason           -- always in this order, so that no two sessions wait for each other
        ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n;
END $$;
COMMENT ON FUNCTION push.count_results IS
    'Adds results to push.tally, by default to the current minute. The caller groups them: each hub, status and '
    'reason once. Only for other functions.';

CREATE FUNCTION push.begin_action() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('idle_in_transaction_session_timeout')::interval NOT BETWEEN '1 ms' AND '60 s' THEN
        PERFORM set_config('idle_in_transaction_session_timeout', '60s', true);
    END IF;
END $$;
COMMENT ON FUNCTION push.begin_action IS
    'First call of every function for people: a transaction that is left open after it ends by itself after a minute, '
    'because workers may need the rows that it locked. Only for other functions.';

INSERT INTO push.migration (version, name, works_from) VALUES (6, 'records', 61);
