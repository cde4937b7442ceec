-- What became of messages, for the backends that enqueued them.

CREATE OR REPLACE FUNCTION push_internal.may_see_all_messages() RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN pg_has_role(push_internal.caller(), current_user, 'MEMBER')
       OR coalesce(pg_has_role(push_internal.caller(), to_regrole('push_monitor'), 'MEMBER'), false);
COMMENT ON FUNCTION push_internal.may_see_all_messages IS
    'Whether the caller may see messages that others enqueued: members of push_monitor and of the owner.';

CREATE OR REPLACE FUNCTION push.status_of(ids bigint[])
RETURNS TABLE (
    id          bigint,
    status      text,
    reason      push.reason,
    class       text,
    posts       bigint,
    since       timestamptz,
    next_try    timestamptz,
    note        text,
    http        smallint,
    tracking_id text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    caller constant text := push_internal.caller();
    sees_all_messages constant boolean := push_internal.may_see_all_messages();
BEGIN
    RETURN QUERY
    SELECT s.id, s.status::text, s.reason, s.class::text, s.posts, s.since, s.next_try, s.note, s.http, s.tracking_id
      FROM unnest(ids) WITH ORDINALITY u(id, n),
           LATERAL (
               SELECT m.id
                 FROM push.message m
                WHERE m.id = u.id
                  AND (sees_all_messages OR m.enqueued_by = caller)
               OFFSET 0) m,
           LATERAL (SELECT s.* FROM push.message_status s WHERE s.id = m.id OFFSET 0) s
     ORDER BY u.n;
END $$;
COMMENT ON FUNCTION push.status_of(bigint[]) IS
    'Where messages are and why, as in push.message_status, in the order of the ids. For push_enqueue only those that '
    'its own role enqueued (push.message.enqueued_by). An id that is not there: never enqueued, not yours, or purged.';

CREATE OR REPLACE FUNCTION push.status_of(id bigint)
RETURNS TABLE (
    id          bigint,
    status      text,
    reason      push.reason,
    class       text,
    posts       bigint,
    since       timestamptz,
    next_try    timestamptz,
    note        text,
    http        smallint,
    tracking_id text)
LANGUAGE sql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM push.status_of(ARRAY[status_of.id])
$$;
COMMENT ON FUNCTION push.status_of(bigint) IS 'The same for one message.';

-- A literal, and what a driver sends without a type, comes here: PostgreSQL would not know which of the others is meant.
CREATE OR REPLACE FUNCTION push.status_of(ids text)
RETURNS TABLE (
    id          bigint,
    status      text,
    reason      push.reason,
    class       text,
    posts       bigint,
    since       timestamptz,
    next_try    timestamptz,
    note        text,
    http        smallint,
    tracking_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM push.status_of(push_internal.ids_of(ids))
$$;
COMMENT ON FUNCTION push.status_of(text) IS 'The same for ids as a text: ''{1,2}'' or ''1''.';

CREATE OR REPLACE FUNCTION push_internal.open_arrivals() RETURNS TABLE (pid int, transaction text, number bigint)
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    -- A prepared transaction has no session, so locks are matched by the transaction.
    WITH held AS MATERIALIZED (
        SELECT l.pid, l.virtualtransaction, l.locktype, l.objid::bigint AS number
          FROM pg_locks l
         WHERE l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
           AND l.granted
           AND (l.locktype = 'advisory' AND l.objsubid = 2 AND l.mode = 'ShareLock'
                OR l.locktype = 'relation' AND l.relation = 'push.ended_listener'::regclass
                   AND l.mode = 'RowShareLock'))
    SELECT n.pid, n.virtualtransaction, n.number
      FROM held n
     WHERE n.locktype = 'advisory'
       AND EXISTS (
               SELECT
                 FROM held t
                WHERE t.locktype = 'relation'
                  AND t.virtualtransaction = n.virtualtransaction)
$$;
COMMENT ON FUNCTION push_internal.open_arrivals IS
    'Open transactions that take numbers from push.arrival, and the lower 31 bits of a number below all of theirs. pid '
    'null: prepared.';

CREATE OR REPLACE FUNCTION push_internal.highest_settled_arrival(head bigint) RETURNS bigint
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    -- A lock that was taken after head was read may be above it: far below, it would seem.
    SELECT min(head - o.open)
      FROM (SELECT 0 AS open
             UNION ALL
            SELECT (head - a.number) & 2147483647 FROM push_internal.open_arrivals() a) o
     WHERE o.open < 1073741824
$$;
COMMENT ON FUNCTION push_internal.highest_settled_arrival IS
    'The highest number up to head below which no transaction that takes numbers from push.arrival is open. Read head'
    ' from the sequence in an earlier statement.';

CREATE OR REPLACE FUNCTION push_internal.check_reading(function text, mark text, at_most int) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_transaction_state',
            MESSAGE = format('%s: the transaction is %s', function, current_setting('transaction_isolation')),
            HINT = 'What is committed after its snapshot would be passed over: use READ COMMITTED.';
    ELSIF pg_is_in_recovery() THEN
        RAISE EXCEPTION USING ERRCODE = 'read_only_sql_transaction',
            MESSAGE = format('%s: this server is a standby, which does not know what is open on the primary', function),
            HINT = 'Connect to the primary: target_session_attrs=read-write finds it among several hosts.';
    ELSIF mark !~ '^[0-9]{1,18}([.][0-9]{1,18})?$' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('%s: mark %s has another form than next_mark', function, push_internal.quoted(mark, 60)),
            HINT = 'Pass next_mark of the last row that you have dealt with; null begins now, 0 with all that is kept.';
    ELSIF split_part(mark, '.', 1)::bigint
          > (SELECT CASE WHEN s.is_called THEN s.last_value ELSE 0 END + 1 FROM push.arrival s) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('%s: mark "%s" is beyond the newest, %s', function, mark,
                             (SELECT CASE WHEN s.is_called THEN s.last_value ELSE 0 END FROM push.arrival s)),
            HINT = 'It is a mark of another database, or of this one before it was restored: pass 0 to begin with all '
                   'that is kept, null to begin now.';
    ELSIF (at_most BETWEEN 1 AND 100000) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('%s: at_most %s is not between 1 and 100,000', function, coalesce(at_most::text, 'null'));
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.check_reading IS
    'Raises where a reader by marks would miss something, or passes no mark of this database.';

CREATE OR REPLACE FUNCTION push.ended_since(
    mark    text DEFAULT NULL,
    tenant  text DEFAULT NULL,
    at_most int DEFAULT 1000,
    listen  boolean DEFAULT false)
RETURNS TABLE (
    next_mark  text,
    id         bigint,
    status     push.status,
    reason     push.reason,
    class      text,
    at         timestamptz,
    note       text,
    hub        text,
    target     text,
    campaign   text,
    run        text,
    of_tenant  text,
    dedupe_key text,
    meta       json,
    more       boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    caller constant text := push_internal.caller();
    sees_all_messages constant boolean := push_internal.may_see_all_messages();
    head bigint;
    horizon bigint;                -- every result up to it is committed, or never will be
    last_arrival bigint;           -- of the last row that was returned or passed over, and
    last_id bigint;
    first bigint;                  -- the window of numbers that is looked at
    width bigint := 1000;
    given int := 0;
    looked bigint := 0;
    row record;
BEGIN
    PERFORM push_internal.check_reading('push.ended_since', mark, at_most);
    IF NOT push_internal.is_name(tenant) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.ended_since: no message has the tenant %s', push_internal.quoted(tenant, 60)),
            HINT = 'Pass null to read the results of all tenants.';
    END IF;
    IF listen THEN                 -- before anything is read: what comes later notifies
        INSERT INTO push.ended_listener (since)
        SELECT clock_timestamp()
         WHERE NOT EXISTS (SELECT FROM push.ended_listener);
    END IF;
    SELECT CASE WHEN s.is_called THEN s.last_value ELSE 0 END INTO head FROM push.arrival s;
    horizon := push_internal.highest_settled_arrival(head);
    last_arrival := CASE WHEN mark IS NULL THEN horizon + 1 ELSE split_part(mark, '.', 1)::bigint END;
    last_id := coalesce(nullif(split_part(mark, '.', 2), ''), '0')::bigint;
    first := last_arrival;
    WHILE given < at_most AND first <= horizon AND looked < 2000000 LOOP
        FOR row IN
            SELECT r.arrival, r.id, r.status, r.reason, r.at, r.note, m.hub, m.campaign, m.run, m.tenant, m.dedupe_key,
                   m.meta, push.target_of(m.tag, m.handles, m.broadcast, m.recipient) AS target
              FROM (SELECT r.*
                      FROM push.result r
                     WHERE r.arrival BETWEEN first AND least(first + width - 1, horizon)
                       AND (r.arrival, r.id) > (last_arrival, last_id)
                       AND r.status <> 'retrying'
                    OFFSET 0) r,
                   LATERAL (
                       SELECT m.hub, m.tag, m.handles, m.broadcast, m.recipient, m.campaign, m.run, m.tenant,
                              m.dedupe_key, m.meta
                         FROM push.message m
                        WHERE m.id = r.id
                          AND (sees_all_messages OR m.enqueued_by = caller)
                          AND (ended_since.tenant IS NULL OR m.tenant = ended_since.tenant)
                       OFFSET 0) m
             ORDER BY r.arrival, r.id
             LIMIT at_most - given
        LOOP
            given := given + 1;
            last_arrival := row.arrival;
            last_id := row.id;
            next_mark := last_arrival || '.' || last_id;
            id := row.id;
            status := row.status;
            reason := row.reason;
            class := push.reason_class(row.reason);
            at := row.at;
            note := row.note;
            hub := row.hub;
            target := row.target;
            campaign := row.campaign;
            run := row.run;
            of_tenant := row.tenant;
            dedupe_key := row.dedupe_key;
            meta := row.meta;
            RETURN NEXT;
        END LOOP;
        looked := looked + width;
        first := first + width;
        IF given < at_most THEN    -- this window is done
            last_arrival := least(first, horizon + 1);
            last_id := 0;
        END IF;
        width := width * 4;
    END LOOP;
    RETURN QUERY
    SELECT CASE WHEN last_id = 0 THEN last_arrival::text ELSE last_arrival || '.' || last_id END,
           NULL::bigint, NULL::push.status, NULL::push.reason, NULL::text, NULL::timestamptz, NULL::text, NULL::text,
           NULL::text, NULL::text, NULL::text, NULL::text, NULL::text, NULL::json, last_arrival <= horizon;
END $$;
COMMENT ON FUNCTION push.ended_since IS
    'Final results after a mark, in the order in which they were recorded; for push_enqueue those of messages that its '
    'own role enqueued. Every row has the mark to go on from. The last row has no id: it says how far the call looked, '
    'and whether there is more to read at once. Keep the mark together with what you did: then no result is missed '
    'or read twice. mark null: from now on; 0: all results that are kept. A message that a person sent again '
    'ends again. listen: NOTIFY push_ended comes with the next result; it is a hint, so ask now and then without it. '
    'A transaction that enqueued a repeated dedupe_key and is still open holds later results back.';
