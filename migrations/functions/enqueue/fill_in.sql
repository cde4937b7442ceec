-- The triggers of push.message that fill in defaults and refuse changes.

CREATE OR REPLACE FUNCTION push_internal.fill_in() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    missing constant text := CASE WHEN NEW.hub IS NULL THEN 'hub' WHEN NEW.content IS NULL THEN 'content' END;
BEGIN
    IF missing IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'not_null_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = missing,
            MESSAGE = format('push.message.%s is missing%s', missing, ' (tag "' || left(NEW.tag, 120) || '")'),
            HINT = CASE missing
                WHEN 'hub' THEN 'Give the name of a hub. ' || push_internal.registered_hubs()
                ELSE 'Give the content, such as {"message": "hi"}.'
            END;
    END IF;
    NEW.broadcast := coalesce(NEW.broadcast, false);
    NEW.format := coalesce(NEW.format, 'template');
    NEW.send_at := coalesce(NEW.send_at, clock_timestamp());
    NEW.priority := coalesce(NEW.priority, 1);
    NEW.pack := coalesce(NEW.pack, true);
    RETURN NEW;
END $$;
COMMENT ON FUNCTION push_internal.fill_in IS
    'Trigger: an explicit NULL, which object mappers write, means the default. Without a hub or a content it refuses '
    'the row, in words that do not repeat what it says.';

CREATE OR REPLACE TRIGGER fill_in BEFORE INSERT ON push.message FOR EACH ROW
    WHEN (num_nulls(NEW.hub, NEW.content, NEW.broadcast, NEW.format, NEW.send_at, NEW.priority, NEW.pack) > 0)
    EXECUTE FUNCTION push_internal.fill_in();
COMMENT ON TRIGGER fill_in ON push.message IS 'An explicit NULL means the default.';

CREATE OR REPLACE FUNCTION push_internal.never_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('push.erasing', true) = 'on' THEN          -- push.erase and push.purge, for their own statements
        RETURN NULL;
    END IF;
    RAISE EXCEPTION USING
        ERRCODE = 'feature_not_supported',
        MESSAGE = format('%s of push.message is refused', TG_OP),
        HINT = CASE TG_OP
            WHEN 'UPDATE'
            THEN 'Its own role replaces it, with replace => true in push.enqueue, or stops it with SELECT push.cancel_own(id); '
                 'push_operator stops any message: SELECT push.cancel(id).'
            ELSE 'What messages say goes with SELECT push.erase(ids), old ones go with SELECT push.purge(''30 days'').'
        END;
END $$;
COMMENT ON FUNCTION push_internal.never_changed IS
    'Trigger: refuses UPDATE, which would not change what is sent, and DELETE and TRUNCATE, which would leave pointers '
    'and results without their message.';

CREATE OR REPLACE TRIGGER never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON push.message
    FOR EACH STATEMENT EXECUTE FUNCTION push_internal.never_changed();
COMMENT ON TRIGGER never_changed ON push.message IS 'Refuses UPDATE, DELETE and TRUNCATE with a hint.';
