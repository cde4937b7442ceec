-- Fanfare, migration 34: Who may do what. Four roles without a login; logins become members of them.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.grant_roles() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE role record; missing text; thing record; grantee text;
    people text[] := '{cancel,retry,resolve,pause_hub,resume_hub,open_gate,set_rate,rotate_hub,rescue,add_hub,purge,make_partitions,mend_partitions}';
    -- What the worker's functions need. UPDATE of one column where rows are only locked, because FOR UPDATE requires
    -- it.
    tables text[] := ARRAY[
        'migration: SELECT', 'hub: SELECT, INSERT, UPDATE', 'hub_state: SELECT, INSERT, UPDATE', 'message: SELECT',
        'due: SELECT, INSERT, DELETE, UPDATE (attempt)', 'translation: SELECT, INSERT, DELETE',
        'claim: SELECT, INSERT, UPDATE, DELETE', 'post: SELECT, INSERT', 'answer: SELECT, INSERT',
        'result: SELECT, INSERT, UPDATE (note)', 'tally: SELECT, INSERT, UPDATE', 'worker: SELECT, INSERT, UPDATE, DELETE',
        'serving: SELECT, INSERT, UPDATE, DELETE', 'content: SELECT'];
BEGIN
    -- 1. The roles. They belong to the whole server, so another of its databases may be making them at this moment.
    FOR role IN SELECT * FROM (VALUES
        ('push_enqueue', 'Fanfare: application backends. May INSERT into push.message, call push.enqueue, push.enqueue_many and push.wake_up, and nothing else.'),
        ('push_worker', 'Fanfare: the daemon. May claim, post and record; owns nothing.'),
        ('push_monitor', 'Fanfare: dashboards. May read the views, but no content of a message.'),
        ('push_operator', 'Fanfare: people on call. All rights of push_monitor, and every function that acts; each call is written to push.audit.')) r(name, what)
    LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role.name) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', role.name);
                EXECUTE format('COMMENT ON ROLE %I IS %L', role.name, role.what);
            END IF;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;          -- made by the other database
            WHEN insufficient_privilege THEN missing := concat_ws(' ', missing, format('CREATE ROLE %I NOLOGIN;', role.name));
        END;
    END LOOP;
    IF to_regrole('push_monitor') IS NOT NULL AND to_regrole('push_operator') IS NOT NULL
       AND NOT EXISTS (SELECT FROM pg_auth_members WHERE roleid = to_regrole('push_monitor') AND member = to_regrole('push_operator')) THEN
        BEGIN
            GRANT push_monitor TO push_operator;
        EXCEPTION
            WHEN unique_violation THEN NULL;
            WHEN insufficient_privilege THEN missing := concat_ws(' ', missing, 'GRANT push_monitor TO push_operator;');
        END;
    ELSIF missing IS NOT NULL THEN
        missing := missing || ' GRANT push_monitor TO push_operator;';
    END IF;
    IF missing IS NOT NULL THEN
        RAISE NOTICE USING MESSAGE = format('push.grant_roles: %s may not make the roles of Fanfare, so only the owner can use the schema', current_user),
            HINT = format('Have a superuser run: %s Then run as the owner: SELECT push.grant_roles();', missing);
    END IF;

    -- 2. PUBLIC keeps only functions that read no table.
    FOR thing IN
        SELECT p.oid::regprocedure AS name, p.proname FROM pg_proc p
         WHERE p.pronamespace = 'push'::regnamespace AND p.prokind = 'f' AND p.proname <> 'iso' AND (p.provolatile <> 'i' OR p.prosecdef)
    LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', thing.name);
    END LOOP;

    -- 3. The rights of each role.
    IF to_regrole('push_enqueue') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA push TO push_enqueue;
        GRANT INSERT (hub, tag, handles, broadcast, locale, content, content_key, format, headers, send_at, expires_at, priority, dedupe_key,
                      on_doubt, pack, campaign, run, tenant, traceparent, meta), SELECT (id, dedupe_key) ON push.message TO push_enqueue;
    END IF;
    IF to_regrole('push_worker') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA push TO push_worker;
        GRANT USAGE ON SEQUENCE push.claim_id TO push_worker;
        FOR thing IN SELECT split_part(t, ': ', 1) AS name, split_part(t, ': ', 2) AS rights FROM unnest(tables) t LOOP
            CONTINUE WHEN to_regclass('push.' || thing.name) IS NULL;
            EXECUTE format('GRANT %s ON push.%I TO push_worker', thing.rights, thing.name);
        END LOOP;
    END IF;
    IF to_regrole('push_monitor') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA push TO push_monitor;
        GRANT SELECT ON push.migration TO push_monitor;
        GRANT SELECT (id) ON push.message TO push_monitor;                 -- "the newest 10,000"
        FOR thing IN SELECT c.oid::regclass AS name FROM pg_class c WHERE c.relnamespace = 'push'::regnamespace AND c.relkind = 'v' LOOP
            EXECUTE format('GRANT SELECT ON %s TO push_monitor', thing.name);
        END LOOP;
    END IF;
    IF to_regrole('push_operator') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA push TO push_operator;
    END IF;
    FOREACH grantee IN ARRAY ARRAY['push_worker', 'push_monitor'] LOOP     -- fanfare migrate verify and doctor test whether they are empty
        CONTINUE WHEN to_regrole(grantee) IS NULL;
        EXECUTE format('GRANT SELECT (id) ON push.message_default, push.result_default, push.post_default TO %I', grantee);
        EXECUTE format('GRANT SELECT (post) ON push.answer_default TO %I', grantee);
    END LOOP;
    FOR thing IN
        SELECT f.name, f.role FROM (
            SELECT p.oid::regprocedure AS name, unnest(
                CASE WHEN p.proname IN ('enqueue', 'enqueue_many', 'wake_up') THEN '{push_enqueue}'::text[]
                     WHEN p.proname IN ('due_at_of', 'grown', 'speed') THEN '{push_worker,push_monitor}'       -- views call them with the caller's rights
                     WHEN p.proname IN ('status_of', 'eta', 'holders_of_snapshots') THEN '{push_monitor}'
                     WHEN p.proname ~ '_v[0-9]+$' OR p.proname IN ('forget_keys', 'bucket', 'require_read_committed') THEN '{push_worker}'
                     WHEN p.proname = 'make_partitions' THEN '{push_worker,push_operator}'
                     WHEN p.proname = ANY (people) THEN '{push_operator}' END) AS role
              FROM pg_proc p WHERE p.pronamespace = 'push'::regnamespace AND p.prokind = 'f') f
         WHERE to_regrole(f.role) IS NOT NULL
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', thing.name, thing.role);
    END LOOP;
END $$;
COMMENT ON FUNCTION push.grant_roles IS
    'Makes the roles push_enqueue, push_worker, push_monitor and push_operator if they are missing, and grants them '
    'their rights. The owner runs it. Safe to run again; a NOTICE says what it could not do.';

SELECT push.grant_roles();

INSERT INTO push.migration (version, name) VALUES (34, 'roles');
