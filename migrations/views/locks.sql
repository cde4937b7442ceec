-- Who waits for a lock on our tables, and whose lock it is.

CREATE OR REPLACE FUNCTION push.waits_for_locks()
RETURNS TABLE (
    waiting            int,
    who                text,
    application        text,
    "for"              text,
    since              timestamptz,
    holder             int,
    holder_who         text,
    holder_application text,
    holder_state       text,
    holder_since       timestamptz,
    remedy             text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    -- Runs as the owner of the schema, as push.holders_of_snapshots, and shows no text of a statement.
    RETURN QUERY
    WITH waiting AS MATERIALIZED (
        SELECT l.pid, l.relation, l.waitstart
          FROM pg_locks l
         WHERE NOT l.granted
           AND l.pid <> pg_backend_pid()
           AND EXISTS (                  -- a session that waits for a row waits for its transaction, and has locked the table
                   SELECT
                     FROM pg_locks m
                          JOIN pg_class c ON c.oid = m.relation
                    WHERE m.pid = l.pid
                      AND m.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
                      AND c.relnamespace IN ('push'::regnamespace, 'push_worker'::regnamespace, 'push_internal'::regnamespace))
    )
    SELECT w.pid,
           a.usename::text,
           a.application_name,
           coalesce(w.relation::regclass::text, 'a row'),
           w.waitstart,
           nullif(b.pid, 0),
           CASE WHEN b.pid = 0 THEN 'a prepared transaction' ELSE h.usename::text END,
           h.application_name,
           h.state,
           h.xact_start,
           CASE
               WHEN b.pid = 0 THEN 'look into pg_prepared_xacts, and ROLLBACK PREPARED or COMMIT PREPARED'
               ELSE format('commit or roll back there, or SELECT pg_terminate_backend(%s)', b.pid)
           END
      FROM waiting w
           LEFT JOIN pg_stat_activity a ON a.pid = w.pid,
           unnest(pg_blocking_pids(w.pid)) b(pid)
           LEFT JOIN pg_stat_activity h ON h.pid = b.pid
     ORDER BY w.waitstart, w.pid, b.pid;
END $$;
COMMENT ON FUNCTION push.waits_for_locks IS 'The rows of push.lock_waits.';

CREATE OR REPLACE VIEW push.lock_waits AS
SELECT l.waiting,
       l.who,
       l.application,
       l."for",
       l.since,
       now() - l.since AS waited,
       l.holder,
       l.holder_who,
       l.holder_application,
       l.holder_state,
       l.holder_since,
       l.remedy
  FROM push.waits_for_locks() l;
COMMENT ON VIEW push.lock_waits IS
    'Sessions that wait for a lock on a table of Fanfare or on a row of one, the longest first, each with the sessions that '
    'it waits for: such as an ALTER TABLE, or a transaction that somebody left open.';
COMMENT ON COLUMN push.lock_waits.waiting IS 'Process id of the session that waits.';
COMMENT ON COLUMN push.lock_waits.who IS 'Its role.';
COMMENT ON COLUMN push.lock_waits.application IS 'Its application_name; null: not known.';
COMMENT ON COLUMN push.lock_waits."for" IS 'The table that is locked, or "a row".';
COMMENT ON COLUMN push.lock_waits.since IS 'Since when it waits; null: since just now.';
COMMENT ON COLUMN push.lock_waits.waited IS 'Time since then; null: it has just begun.';
COMMENT ON COLUMN push.lock_waits.holder IS
    'Process id of the session that has the lock, or waits for it in front; null: a prepared transaction.';
COMMENT ON COLUMN push.lock_waits.holder_who IS 'The role of that session.';
COMMENT ON COLUMN push.lock_waits.holder_application IS 'The application_name of that session; null: not known.';
COMMENT ON COLUMN push.lock_waits.holder_state IS
    'What that session does, as in pg_stat_activity ("idle in transaction"); null: not known.';
COMMENT ON COLUMN push.lock_waits.holder_since IS 'When its transaction began; null: not known.';
COMMENT ON COLUMN push.lock_waits.remedy IS 'What ends it.';

CREATE OR REPLACE FUNCTION push_worker.lock_waits_v1()
RETURNS TABLE (
    seconds       double precision,
    "for"         text,
    holder        int,
    who           text,
    application   text,
    state         text,
    since_seconds double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(extract(epoch FROM clock_timestamp() - l.since), 0)::double precision,
           l."for",
           l.holder,
           l.holder_who,
           l.holder_application,
           l.holder_state,
           extract(epoch FROM clock_timestamp() - l.holder_since)::double precision
      FROM push.waits_for_locks() l
     WHERE l.who = session_user
     ORDER BY l.since, l.holder_since
     LIMIT 1
$$;
COMMENT ON FUNCTION push_worker.lock_waits_v1 IS
    'The longest wait for a lock among the sessions of the role that calls: a worker whose statement does not end asks '
    'whom it waits for. No row: for nobody.';
