-- What the first messages of a connection cost, paid when it opens.

CREATE OR REPLACE FUNCTION push.warm() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one push.hub;
BEGIN
    SELECT h.* INTO one FROM push.hub h WHERE h.removed_at IS NULL ORDER BY h.id LIMIT 1;
    IF one.id IS NULL THEN
        RETURN;
    END IF;
    -- PostgreSQL keeps what it has read and planned although what was done is undone.
    BEGIN
        INSERT INTO push.message (hub, tag, content) VALUES (one.name, 'warm', '{"warm": "up"}');
        PERFORM push.enqueue(one.name, 'warm', '{"warm": "up"}', dedupe_key => 'push.warm ' || gen_random_uuid());
        IF one.fallback IS NOT NULL THEN
            PERFORM push.enqueue(
                one.name, 'warm', translations => json_build_object(one.fallback, json_build_object('warm', 'up')));
        END IF;
        PERFORM push.enqueue(one.name, 'warm', '{"aps": {"alert": "warm"}}', format => 'apple');
        RAISE EXCEPTION USING ERRCODE = 'PT002', MESSAGE = 'undone';
    EXCEPTION WHEN SQLSTATE 'PT002' THEN
        NULL;
    END;
END $$;
COMMENT ON FUNCTION push.warm IS
    'Enqueues messages and takes them back, so that the first ones of this connection take no longer than later ones: for '
    'pools, which call it when a connection opens. Nothing is left but a gap of some numbers.';
