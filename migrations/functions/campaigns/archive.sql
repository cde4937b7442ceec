-- Campaigns that are put away, and brought back.

CREATE OR REPLACE FUNCTION push_internal.refuse_unready(name text, state push.campaign_state) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'object_not_in_prerequisite_state',
        MESSAGE = format('campaign %s is %s', name, CASE state WHEN 'draft' THEN 'a draft' ELSE 'archived' END),
        HINT = CASE state WHEN 'draft' THEN 'fanfare campaign create makes it ready.'
                    ELSE format('Bring it back: fanfare campaign unarchive %s', name) END;
END $$;
COMMENT ON FUNCTION push_internal.refuse_unready IS 'Raises for a campaign that is a draft or archived.';

CREATE OR REPLACE FUNCTION push.archive_campaign(name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known constant push.campaign := push_internal.campaign_of(name);
    open_key text;
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM FROM push.campaign c WHERE c.id = known.id FOR NO KEY UPDATE;
    SELECT r.key INTO open_key FROM push.run r WHERE r.campaign = known.id AND r.ended_at IS NULL ORDER BY r.id LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('run %s of campaign %s is not over', to_json(open_key), name),
            HINT = format('Wait for its end, or cancel it: SELECT * FROM push.cancel_run(%L, %L)', name, open_key);
    END IF;
    UPDATE push.campaign c
       SET state = 'archived', changed_at = clock_timestamp(), unapproved = NULL
     WHERE c.id = known.id AND c.state <> 'archived';
    IF FOUND THEN
        PERFORM push_internal.reschedule(known.id);
        INSERT INTO push.audit (action, detail) VALUES ('archive_campaign', json_build_object('campaign', name));
    END IF;
END $$;
COMMENT ON FUNCTION push.archive_campaign IS
    'Puts a campaign away that has no open run: it cannot be changed or started, and its schedule does not start it. Its runs '
    'and their results stay. push.unarchive_campaign brings it back.';

CREATE OR REPLACE FUNCTION push.unarchive_campaign(name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known constant push.campaign := push_internal.campaign_of(name);
BEGIN
    PERFORM push_internal.begin_action();
    UPDATE push.campaign c
       SET changed_at = clock_timestamp(),
           state = (SELECT CASE WHEN r.is_draft THEN 'draft' ELSE 'ready' END::push.campaign_state
                      FROM push.campaign_revision r
                     WHERE r.campaign = c.id AND r.revision = c.revision)
     WHERE c.id = known.id AND c.state = 'archived';
    IF FOUND THEN
        PERFORM push_internal.update_unapproved(known.id);
        PERFORM push_internal.reschedule(known.id);
        INSERT INTO push.audit (action, detail) VALUES ('unarchive_campaign', json_build_object('campaign', name));
    END IF;
END $$;
COMMENT ON FUNCTION push.unarchive_campaign IS
    'Brings back a campaign that was archived, as it was: a draft, or ready. Its schedule goes on from its next time; what '
    'it missed is not made up.';
