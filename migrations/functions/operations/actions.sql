-- What functions that act begin with: the lock of a task, and the line in push.audit.

CREATE OR REPLACE FUNCTION push_internal.take_lock(name text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM push.lock l WHERE l.name = take_lock.name FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
        RETURN true;
    END IF;
    RAISE NOTICE 'another session does "%" at the moment; nothing was done', name;
    RETURN false;
END $$;
COMMENT ON FUNCTION push_internal.take_lock IS
    'Takes a lock of push.lock until the end of the transaction. False, with a notice: another session has it.';

CREATE OR REPLACE FUNCTION push_internal.begin_action() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('idle_in_transaction_session_timeout')::interval NOT BETWEEN '1 ms' AND '60 s' THEN
        PERFORM set_config('idle_in_transaction_session_timeout', '60s', true);
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.begin_action IS
    'First call of every function for people: a transaction that is left open after it ends by itself after a minute,'
    ' because workers may need the rows that it locked.';
