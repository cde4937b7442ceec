-- Who may do what. Roles without a login; logins become members of them.

CREATE OR REPLACE FUNCTION push_internal.make_roles() RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    role    record;
    missing text;
BEGIN
    -- Roles belong to the whole server, so another of its databases may be making them at this moment.
    FOR role IN
        SELECT *
          FROM (VALUES
                   ('push_enqueue',
                    'Fanfare: application backends. May INSERT into push.message, call push.enqueue, '
                    'push.enqueue_many and push.wake_up, learn what became of their own messages, and cancel, replace '
                    'and send those again.'),
                   ('push_register',
                    'Fanfare: backends that register devices. May call push.put_device, push.patch_device, '
                    'push.drop_device and push.gone_targets_after, and read push.device_status and push.gone_targets; '
                    'may not enqueue messages.'),
                   ('push_campaign',
                    'Fanfare: owners of campaigns. May create, start, pause, cancel and watch campaigns, and keep '
                    'their audiences and who is never reached; reads no message.'),
                   ('push_approve',
                    'Fanfare: those who read a campaign before it is sent. May approve and reject its revisions, and '
                    'see campaigns and their runs; may not change or start one.'),
                   ('push_audience',
                    'Fanfare: reads the views that campaigns name as audiences. Grant it USAGE on their schema and '
                    'SELECT on them, and nothing else: the owners of campaigns reach everybody whom it reads.'),
                   ('push_worker',
                    'Fanfare: the daemon. May claim, post and record by calling functions; has no right on any table.'),
                   ('push_monitor',
                    'Fanfare: dashboards. May read the views, but no content of a message.'),
                   ('push_operator',
                    'Fanfare: people on call. All rights of push_monitor, and every function that acts but for those '
                    'that approve; each call is written to push.audit, which they may read.'),
                   ('push_console',
                    'Fanfare: the login of a console that people share. Has no right but to take on push_monitor, '
                    'push_operator, push_campaign or push_approve for a transaction, and to name the person who acts in it '
                    '(push.person). With this login one can act under any name: give it to the console alone.')) r(name, what)
    LOOP
        BEGIN
            IF to_regrole(role.name) IS NULL THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN%s', role.name, CASE role.name WHEN 'push_console' THEN ' NOINHERIT' END);
                EXECUTE format('COMMENT ON ROLE %I IS %L', role.name, role.what);
            END IF;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN
                NULL;                                                    -- the other database made it
            WHEN insufficient_privilege THEN
                missing := concat_ws(' ', missing, format('CREATE ROLE %I NOLOGIN%s;', role.name,
                                                            CASE role.name WHEN 'push_console' THEN ' NOINHERIT' END));
        END;
    END LOOP;
    IF missing IS NOT NULL THEN
        RETURN missing || format(' GRANT push_monitor TO push_operator; GRANT push_monitor, push_operator, push_campaign, '
                                 'push_approve TO push_console; GRANT push_audience TO %I;', current_user);
    END IF;
    IF (SELECT r.rolinherit FROM pg_roles r WHERE r.rolname = 'push_console') THEN
        BEGIN
            ALTER ROLE push_console NOINHERIT;
        EXCEPTION WHEN insufficient_privilege THEN
            missing := 'ALTER ROLE push_console NOINHERIT;';
        END;
    END IF;
    FOR role IN
        SELECT *
          FROM (VALUES ('push_monitor', 'push_operator'),
                       -- What a person behind a console may is one of these, taken on for a transaction: NOINHERIT.
                       ('push_monitor', 'push_console'), ('push_operator', 'push_console'), ('push_campaign', 'push_console'),
                       ('push_approve', 'push_console')) g(name, member)
         WHERE NOT EXISTS (
                   SELECT
                     FROM pg_auth_members m
                    WHERE m.roleid = to_regrole(g.name)
                      AND m.member = to_regrole(g.member))
    LOOP
        BEGIN
            EXECUTE format('GRANT %I TO %I', role.name, role.member);
        EXCEPTION
            WHEN unique_violation THEN
                NULL;
            WHEN insufficient_privilege THEN
                missing := concat_ws(' ', missing, format('GRANT %I TO %I;', role.name, role.member));
        END;
    END LOOP;
    RETURN missing;
END $$;
COMMENT ON FUNCTION push_internal.make_roles IS
    'Makes the roles if they are missing. Returns the statements that the caller may not run; null: none.';

CREATE OR REPLACE FUNCTION push_internal.hand_over_audience_functions() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    thing record;
    me constant text := current_user;
BEGIN
    IF to_regrole('push_audience') IS NULL THEN
        RETURN;
    END IF;
    GRANT USAGE ON SCHEMA push_internal TO push_audience;               -- they call each other
    -- Only a member gives functions away, and replaces them later. Who may make roles makes itself one.
    IF NOT pg_has_role(me, 'push_audience', 'USAGE') THEN
        EXECUTE format('GRANT push_audience TO %I', me);
    END IF;
    FOR thing IN
        SELECT p.oid::regprocedure AS name
          FROM pg_proc p
         WHERE p.pronamespace = 'push_internal'::regnamespace
           AND p.proname ~ '^audience_'
           AND p.proowner <> to_regrole('push_audience')
    LOOP
        -- A new owner needs CREATE on the schema, for this statement only. ALTER OWNER takes our own right to call it.
        GRANT CREATE ON SCHEMA push_internal TO push_audience;
        EXECUTE format('ALTER FUNCTION %s OWNER TO push_audience', thing.name);
        REVOKE CREATE ON SCHEMA push_internal FROM push_audience;
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', thing.name, me);
    END LOOP;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE USING
        MESSAGE = format('push.grant_roles: %s may not give the functions push_internal.audience_... to push_audience, so '
                         'campaigns cannot read views', me),
        HINT = format('Have a superuser run: GRANT push_audience TO %I; Then run as the owner: SELECT push.grant_roles();', me);
END $$;
COMMENT ON FUNCTION push_internal.hand_over_audience_functions IS
    'Gives the functions that read audiences to push_audience, with whose rights they run.';

CREATE OR REPLACE FUNCTION push.function_rights() RETURNS TABLE (role text, function text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT r.role, f.function
      FROM (VALUES
               ('push_enqueue push_register push_campaign push_approve push_worker push_monitor push_operator push_console',
                'iso schema schema_files'),
               ('push_campaign push_approve push_monitor push_operator push_console', 'person'),
               ('push_enqueue', 'enqueue enqueue_many wake_up warm status_of ended_since cancel_own retry_own'),
               ('push_register', 'put_device patch_device drop_device gone_targets_after'),
               ('push_campaign push_operator',
                'create_campaign schedule_campaign pause_schedule resume_schedule backfill_campaign '
                'archive_campaign unarchive_campaign tag_campaign start_run run_campaign cancel_run pause_run resume_run set_run_rate retry_run resolve_run '
                'results_of_run campaign_remarks test_campaign make_list replace_list keep_members drop_list suppress '
                'suppress_many unsuppress learn_templates forget_templates keep_reach audience_names'),
               ('push_campaign push_approve push_operator',
                'changes_of_revision check_campaign stand_ins_of_campaign recipients_of_campaign texts_of_campaign'),
               ('push_campaign push_approve push_monitor push_operator',
                'progress_of_run newest_run_of hubs_of_run failures_of_run revision_to_run unapproved revisions_of run_events_since '
                'find_campaigns_v1 starts_ahead_v1'),
               -- Not for operators: who keeps campaigns and who approves them are two people.
               ('push_approve', 'approve reject'),
               ('push_worker push_monitor push_operator',
                'read_pulse filled_defaults missing_partitions incidents check'),
               ('push_worker push_operator', 'make_partitions'),
               -- Most of these are called by views, which check this right of the role that reads them.
               ('push_monitor push_operator',
                'status_of ended_since find_message find_messages search_messages_v1 story_of context_of groups_of_failures_v1 groups_of_doubts_v1 find_changes messages_in_same_post awaited_by eta '
                'doubts_of_campaign holders_of_snapshots waits_for_locks due_at_of is_alive holder_of claims_of_workers backlog_for_scaling'),
               ('push_operator',
                'cancel cancel_campaign cancel_hub retry retry_failed resolve resolve_doubts erase rescue pause_hub '
                'resume_hub open_gate set_rate rotate_hub add_hub register_hub remove_hub cancel_devices purge '
                'empty_default_partitions')) g(roles, functions),
           string_to_table(g.roles, ' ') r(role),
           string_to_table(g.functions, ' ') f(function);
END;
COMMENT ON FUNCTION push.function_rights IS
    'Which functions of the schema push each role may call, but for those that compute a value from their arguments '
    'alone, which everybody may. The one list of it: push.grant_roles grants by it, and fanfare doctor compares '
    'with it.';

CREATE OR REPLACE FUNCTION push_internal.grant_functions() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ours constant text := (SELECT string_agg(DISTINCT quote_ident(g.role), ', ')
                             FROM push.function_rights() g
                            WHERE to_regrole(g.role) IS NOT NULL);
    thing record;
BEGIN
    -- The protocol is the worker's; push_internal is nobody's but push_audience's, which owns what it calls there: who may not
    -- enter a schema calls nothing in it. In push the public keeps what computes a value from its arguments alone.
    REVOKE ALL ON ALL FUNCTIONS IN SCHEMA push_worker, push_internal FROM PUBLIC;
    FOR thing IN
        SELECT p.oid::regprocedure AS name,
               p.provolatile = 'i' AND NOT p.prosecdef AS is_value,
               (SELECT string_agg(quote_ident(g.role), ', ')
                  FROM push.function_rights() g
                 WHERE g.function = p.proname
                   AND to_regrole(g.role) IS NOT NULL) AS roles
          FROM pg_proc p
               JOIN pg_language l ON l.oid = p.prolang
         WHERE p.pronamespace = 'push'::regnamespace
           AND l.lanname <> 'internal'                                  -- what PostgreSQL makes for a range is its own
    LOOP
        IF NOT thing.is_value THEN
            EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', thing.name);
        END IF;
        IF ours IS NOT NULL THEN          -- a right that has left the list goes: CREATE OR REPLACE keeps what was granted
            EXECUTE format('REVOKE ALL ON FUNCTION %s FROM %s', thing.name, ours);
        END IF;
        IF thing.roles IS NOT NULL THEN
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', thing.name, thing.roles);
        END IF;
    END LOOP;
    IF to_regrole('push_worker') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA push_worker TO push_worker;
        GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA push_worker TO push_worker;
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.grant_functions IS
    'Takes every function from the public, but those of push that compute a value from their arguments alone, and '
    'gives each role those of push.function_rights; the worker all of push_worker.';

CREATE OR REPLACE FUNCTION push.grant_roles() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    missing text := push_internal.make_roles();
    thing   record;
BEGIN
    IF missing IS NOT NULL THEN
        RAISE NOTICE USING
            MESSAGE = format('push.grant_roles: %s may not make the roles of Fanfare, so only the owner can use the '
                             'schema', current_user),
            HINT = format('Have a superuser run: %s Then run as the owner: SELECT push.grant_roles();', missing);
    END IF;

    PERFORM push_internal.grant_functions();

    -- The schema, and the few things that are reached without a function.
    GRANT SELECT ON push.payload_rule TO PUBLIC;                        -- what a payload must look like is no secret
    IF to_regrole('push_enqueue') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA push TO push_enqueue;
        GRANT SELECT (id, broadcast, format, send_at, priority, pack, created_at), -- RETURNING
              INSERT (hub, tag, handles, broadcast, locale, content, content_key, format, headers, send_at, expires_at,
                      priority, dedupe_key, on_doubt, pack, campaign, run, tenant, traceparent, meta, after,
                      after_device, after_at_most)
           ON push.message TO push_enqueue;
    END IF;
    IF to_regrole('push_register') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA push TO push_register;
        GRANT SELECT ON push.device_status, push.gone_targets TO push_register;
    END IF;
    IF to_regrole('push_campaign') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA push TO push_campaign;
        GRANT SELECT ON push.campaigns, push.campaign_next, push.run_progress, push.run_hubs, push.device_templates, push.reaches TO push_campaign;
        GRANT SELECT ON push.campaign, push.campaign_revision, push.run, push.run_event, push.stream, push.slice,
                        push.slice_count, push.list, push.list_member, push.suppression TO push_campaign, push_operator;
        GRANT INSERT ON push.list_member TO push_campaign, push_operator;
    END IF;
    IF to_regrole('push_approve') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA push TO push_approve;
        GRANT SELECT ON push.campaigns, push.campaign_next, push.run_progress, push.run_hubs, push.campaign,
                        push.campaign_revision, push.run, push.run_event, push.device_templates, push.reaches TO push_approve;
        GRANT SELECT ON push.approval, push.approvals TO push_approve, push_campaign, push_operator;
    END IF;
    IF to_regrole('push_worker') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA push TO push_worker;
    END IF;
    IF to_regrole('push_console') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA push TO push_console;
    END IF;
    IF to_regrole('push_monitor') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA push TO push_monitor;
        GRANT SELECT (id) ON push.message TO push_monitor;              -- "the newest 10,000"
        FOR thing IN
            SELECT c.oid::regclass AS name
              FROM pg_class c
             WHERE c.relnamespace = 'push'::regnamespace
               AND c.relkind = 'v'
               AND c.relname <> 'gone_targets'                          -- handles of phones: for push_register alone
        LOOP
            EXECUTE format('GRANT SELECT ON %s TO push_monitor', thing.name);
        END LOOP;
        GRANT SELECT ON push.pulse TO push_monitor;
    END IF;
    IF to_regrole('push_operator') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA push TO push_operator;
        GRANT SELECT ON push.audit TO push_operator;                    -- who cancelled it?
    END IF;
    PERFORM push_internal.hand_over_audience_functions();
END $$;
COMMENT ON FUNCTION push.grant_roles IS
    'Makes the roles push_enqueue, push_register, push_campaign, push_approve, push_audience, push_worker, '
    'push_monitor, push_operator and push_console if they are missing, and grants them their rights. The owner runs it. Safe to '
    'run again; a NOTICE says what it could not do.';

SELECT push.grant_roles();
