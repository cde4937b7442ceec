-- Campaigns: creating one, and changing it.

CREATE OR REPLACE FUNCTION push_internal.refuse_spec(problem push.problem) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT problem IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'campaign_revision', COLUMN = problem.col,
            CONSTRAINT = problem.rule, MESSAGE = problem.message, HINT = problem.hint;
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.refuse_spec IS 'Raises for a spec that has a problem.';

CREATE OR REPLACE FUNCTION push_internal.campaign_of(name text) RETURNS push.campaign
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known push.campaign;
BEGIN
    SELECT c.* INTO known FROM push.campaign c WHERE c.name = campaign_of.name;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'no_data_found',
            MESSAGE = format('there is no campaign %s', coalesce(push_internal.quoted(name, 80), 'NULL')),
            HINT = coalesce(
                'Do you mean '
                || push_internal.nearest_word(name, ARRAY(SELECT c.name FROM push.campaign c ORDER BY 1 LIMIT 1000)) || '?',
                'fanfare campaign list shows those that there are.');
    END IF;
    RETURN known;
END $$;
COMMENT ON FUNCTION push_internal.campaign_of IS 'The campaign of a name; raises if it does not exist.';

CREATE OR REPLACE FUNCTION push.create_campaign(
    name text, spec json, draft boolean DEFAULT false, OUT revision int, OUT changed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    hashed text;
    known push.campaign;
    schedule json;
    remark push.problem;
    asked constant push.campaign_state := CASE WHEN draft THEN 'draft' ELSE 'ready' END;
BEGIN
    PERFORM push_internal.begin_action();
    IF spec IS NULL OR json_typeof(spec) <> 'object' OR octet_length(spec::text) > 1048576 OR NOT draft
       OR push_internal.json_fault(spec) IS NOT NULL
    THEN
        PERFORM push_internal.refuse_spec(push_internal.wrong_spec(spec));
    END IF;
    hashed := encode(sha256(convert_to(spec::jsonb::text, 'UTF8')), 'hex');
    IF name = 'new' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'campaign', COLUMN = 'name',
            CONSTRAINT = 'name_is_no_address', MESSAGE = 'no campaign is named new: the console has its form for a campaign there',
            HINT = 'Take another name.';
    ELSIF name IS NULL OR name !~ '^[a-z0-9][a-z0-9_-]{0,62}$' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'campaign', COLUMN = 'name',
            CONSTRAINT = 'name_is_short_and_plain',
            MESSAGE = format('the name of a campaign is 1 to 63 of a-z 0-9 _ -, not %s',
                             coalesce(push_internal.quoted(name, 80), 'NULL')),
            HINT = 'It does not begin with _ or -. Capital letters are not allowed.';
    END IF;
    FOR remark IN SELECT r.* FROM push_internal.spec_remarks(spec) r LOOP
        RAISE WARNING USING MESSAGE = remark.message, HINT = remark.hint;
    END LOOP;
    INSERT INTO push.campaign AS c (name, state) VALUES (name, asked) ON CONFLICT DO NOTHING;
    SELECT c.* INTO known FROM push.campaign c WHERE c.name = create_campaign.name FOR NO KEY UPDATE;
    PERFORM push_internal.refuse_unready(name, known.state) WHERE known.state = 'archived';
    changed := known.state <> asked OR known.revision = 0 OR hashed <> (
        SELECT r.hash FROM push.campaign_revision r WHERE r.campaign = known.id AND r.revision = known.revision);
    revision := known.revision;
    IF NOT changed THEN
        RETURN;
    END IF;
    schedule := push_internal.schedule_of(known.id);
    IF known.revision = 0 OR hashed <> (
           SELECT r.hash FROM push.campaign_revision r WHERE r.campaign = known.id AND r.revision = known.revision)
    THEN
        revision := known.revision + 1;
        INSERT INTO push.campaign_revision (campaign, revision, hash, spec)
        VALUES (known.id, create_campaign.revision, hashed, create_campaign.spec);
    END IF;
    UPDATE push.campaign c
       SET revision = create_campaign.revision, state = asked, changed_at = clock_timestamp()
     WHERE c.id = known.id;
    UPDATE push.campaign_revision r SET is_draft = draft
     WHERE r.campaign = known.id AND r.revision = create_campaign.revision AND r.is_draft <> draft;
    PERFORM push_internal.update_unapproved(known.id);
    -- An edit of the text a second before nine does not move what fires at nine.
    IF known.state <> asked
       OR schedule::jsonb IS DISTINCT FROM push_internal.schedule_of(known.id)::jsonb
    THEN
        PERFORM push_internal.reschedule(known.id);
    END IF;
    INSERT INTO push.audit (action, detail)
    VALUES ('create_campaign', json_build_object('campaign', name, 'revision', revision, 'state', asked, 'hash', hashed));
END $$;
COMMENT ON FUNCTION push.create_campaign(text, json, boolean) IS
    'Keeps what a campaign says and to whom. Refuses a spec that could not be run; a draft is kept with its '
    'problems and cannot be run. Called again with another spec it makes a new revision, which the next run uses, '
    'where it needs no approval or has it (push.approve); with the same spec it changes nothing. Refuses a campaign that '
    'is archived.';

CREATE OR REPLACE FUNCTION push.campaign_remarks(name text) RETURNS TABLE (remark text, hint text)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT r.message, r.hint
      FROM push_internal.campaign_of(campaign_remarks.name) c
           JOIN push.campaign_revision v ON v.campaign = c.id AND v.revision = c.revision,
           LATERAL push_internal.spec_remarks(v.spec) r
$$;
COMMENT ON FUNCTION push.campaign_remarks IS
    'What the newest revision of a campaign says that can be sent and is likely a mistake: a text with {name}, an empty '
    'title. push.create_campaign raises them as warnings.';
