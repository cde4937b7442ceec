-- The wake-up call for workers that sleep.

-- No trigger does this: a commit that notifies waits for every other commit that does, in the whole server. So backends
-- call it for messages that are worth that price, and it notifies only while a worker sleeps.
CREATE OR REPLACE FUNCTION push.wake_up() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM push.worker w WHERE w.asleep AND push.is_alive(w.beat_at, w.lease_seconds)) THEN
        RETURN false;                         -- a crashed worker stays asleep for ever, so only living ones count
    END IF;
    PERFORM pg_notify('push_due', '');
    RETURN true;
END $$;
COMMENT ON FUNCTION push.wake_up IS
    'Wakes sleeping workers (dispatch.listen) when the caller''s transaction commits; call it once, after the '
    'inserts. Returns whether a worker sleeps. It is a hint: without it the message is found within a quarter of a '
    'second. Costs a look at push.worker, and a NOTIFY while a worker sleeps.';
