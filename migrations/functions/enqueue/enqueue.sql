-- push.enqueue, one message or one content with its translations.

-- Three functions of one name, because PostgreSQL calls none that takes json with a jsonb value, and the other way
-- round. A literal, and what a driver sends without a type, goes to the first.
CREATE OR REPLACE FUNCTION push.enqueue(
    hub          text,
    tag          text DEFAULT NULL,
    content      text DEFAULT NULL,
    locale       text DEFAULT NULL,
    broadcast    boolean DEFAULT false,
    send_at      timestamptz DEFAULT NULL,
    expires_at   timestamptz DEFAULT NULL,
    priority     bigint DEFAULT 1,
    on_doubt     text DEFAULT NULL,
    pack         boolean DEFAULT true,
    headers      text DEFAULT NULL,
    campaign     text DEFAULT NULL,
    run          anycompatible DEFAULT NULL::text,
    tenant       text DEFAULT NULL,
    traceparent  text DEFAULT NULL,
    meta         text DEFAULT NULL,
    content_key  text DEFAULT NULL,
    dedupe_key   text DEFAULT NULL,
    format       text DEFAULT 'template',
    handles      text[] DEFAULT NULL,
    translations text DEFAULT NULL,
    replace      boolean DEFAULT false,
    after        bigint DEFAULT NULL,
    after_device text DEFAULT NULL,
    after_at_most interval DEFAULT NULL,
    OUT id       bigint,
    OUT inserted boolean,
    OUT replaced bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    m push.message;
    list json;
    put record;
BEGIN
    IF priority NOT IN (0, 1, 2) THEN              -- it may be too large for push.message.priority
        RAISE EXCEPTION USING
            ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'priority',
            CONSTRAINT = 'priority_is_0_urgent_1_normal_or_2_bulk',
            MESSAGE = format('push.message.priority %s is not 0, 1 or 2', priority),
            HINT = '0 is urgent, 1 normal, 2 bulk.';
    END IF;
    IF dedupe_key IS NULL AND translations IS NULL AND content IS NOT NULL AND replace IS NOT TRUE THEN
        m := ROW (NULL, hub, tag, handles, broadcast, locale, content, content_key, format, headers,
                  send_at, expires_at, priority, dedupe_key, on_doubt, pack, campaign, run,
                  tenant, traceparent, meta, after, after_device, after_at_most,
                  now(), push_internal.caller());     -- all columns of push.message, in their order
        INSERT INTO push.message OVERRIDING USER VALUE SELECT m.* RETURNING message.id INTO enqueue.id;
        inserted := true;
        RETURN;
    END IF;
    list := json_build_object(
        'hub', hub, 'tag', tag, 'content', content::json, 'locale', locale, 'broadcast', broadcast, 'send_at', send_at,
        'expires_at', expires_at, 'priority', priority, 'on_doubt', on_doubt, 'pack', pack, 'headers', headers::json,
        'campaign', campaign, 'run', run::text, 'tenant', tenant, 'traceparent', traceparent, 'meta', meta::json,
        'content_key', content_key, 'dedupe_key', dedupe_key, 'format', format, 'handles', handles,
        'translations', translations::json, 'after', after, 'after_device', after_device,
        'after_at_most', after_at_most);
    IF replace THEN
        list := (left(list::text, -1) || ', "replace": true}')::json;
    END IF;
    SELECT e.id, e.inserted, e.replaced INTO put FROM push.enqueue_many(json_build_array(list)) e;
    id := put.id;
    inserted := put.inserted;
    replaced := put.replaced;
END $$;

CREATE OR REPLACE FUNCTION push.enqueue(
    hub          text,
    tag          text DEFAULT NULL,
    content      json DEFAULT NULL,
    locale       text DEFAULT NULL,
    broadcast    boolean DEFAULT false,
    send_at      timestamptz DEFAULT NULL,
    expires_at   timestamptz DEFAULT NULL,
    priority     bigint DEFAULT 1,
    on_doubt     text DEFAULT NULL,
    pack         boolean DEFAULT true,
    headers      json DEFAULT NULL,
    campaign     text DEFAULT NULL,
    run          anycompatible DEFAULT NULL::text,
    tenant       text DEFAULT NULL,
    traceparent  text DEFAULT NULL,
    meta         json DEFAULT NULL,
    content_key  text DEFAULT NULL,
    dedupe_key   text DEFAULT NULL,
    format       text DEFAULT 'template',
    handles      text[] DEFAULT NULL,
    translations json DEFAULT NULL,
    replace      boolean DEFAULT false,
    after        bigint DEFAULT NULL,
    after_device text DEFAULT NULL,
    after_at_most interval DEFAULT NULL,
    OUT id       bigint,
    OUT inserted boolean,
    OUT replaced bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    put constant record := push.enqueue(
        hub, tag, content::text, locale, broadcast, send_at, expires_at, priority, on_doubt, pack, headers::text,
        campaign, run, tenant, traceparent, meta::text, content_key, dedupe_key, format, handles, translations::text, replace,
        after, after_device, after_at_most);
BEGIN
    id := put.id;
    inserted := put.inserted;
    replaced := put.replaced;
END $$;

CREATE OR REPLACE FUNCTION push.enqueue(
    hub          text,
    tag          text DEFAULT NULL,
    content      jsonb DEFAULT NULL,
    locale       text DEFAULT NULL,
    broadcast    boolean DEFAULT false,
    send_at      timestamptz DEFAULT NULL,
    expires_at   timestamptz DEFAULT NULL,
    priority     bigint DEFAULT 1,
    on_doubt     text DEFAULT NULL,
    pack         boolean DEFAULT true,
    headers      jsonb DEFAULT NULL,
    campaign     text DEFAULT NULL,
    run          anycompatible DEFAULT NULL::text,
    tenant       text DEFAULT NULL,
    traceparent  text DEFAULT NULL,
    meta         jsonb DEFAULT NULL,
    content_key  text DEFAULT NULL,
    dedupe_key   text DEFAULT NULL,
    format       text DEFAULT 'template',
    handles      text[] DEFAULT NULL,
    translations jsonb DEFAULT NULL,
    replace      boolean DEFAULT false,
    after        bigint DEFAULT NULL,
    after_device text DEFAULT NULL,
    after_at_most interval DEFAULT NULL,
    OUT id       bigint,
    OUT inserted boolean,
    OUT replaced bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    put constant record := push.enqueue(
        hub, tag, content::text, locale, broadcast, send_at, expires_at, priority, on_doubt, pack, headers::text,
        campaign, run, tenant, traceparent, meta::text, content_key, dedupe_key, format, handles, translations::text, replace,
        after, after_device, after_at_most);
BEGIN
    id := put.id;
    inserted := put.inserted;
    replaced := put.replaced;
END $$;

DO $$
DECLARE
    name regprocedure;
BEGIN
    FOR name IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = 'push'::regnamespace AND p.proname = 'enqueue' LOOP
        EXECUTE format('COMMENT ON FUNCTION %s IS %L', name,
            'Enqueues one message inside the caller''s transaction, or one content with its translations ({"en": '
            '{...}, "fr": {...}}); content is then the row without locale, or left out. Returns the id and whether it '
            'was inserted; for a repeated dedupe_key the id of the first. replace: takes the place of what still waits '
            'under the dedupe_key, and returns its id as replaced; inserted is false when it is too late. With translations a '
            'content_key does not wait for more. The JSON of one call is all json, all jsonb or all text; run is of any type.');
    END LOOP;
END $$;
