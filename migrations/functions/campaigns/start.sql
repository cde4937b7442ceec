-- Runs: started once for a key.

CREATE OR REPLACE FUNCTION push_internal.estimate_audience(audience json, locales int) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE
        WHEN audience -> 'tags' IS NOT NULL THEN json_array_length(audience -> 'tags') * greatest(locales, 1)
        WHEN audience -> 'view' IS NOT NULL THEN push_internal.audience_estimate(audience ->> 'view')
        WHEN audience -> 'list' IS NOT NULL OR audience -> 'handles' IS NOT NULL THEN (
            SELECT count(*) FROM push.list_member m WHERE m.list = push_internal.list_of(audience))
        ELSE greatest(locales, 1)
    END;
END $$;
COMMENT ON FUNCTION push_internal.estimate_audience IS
    'How many messages an audience becomes on one hub, where each tag comes in that number of languages.';

CREATE OR REPLACE FUNCTION push_internal.begin_run(
    known push.campaign, revision int, key text, by text, state push.run_state, why text, test json DEFAULT NULL,
    OUT run bigint, OUT started boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    spec json;
    problem push.problem;
    audience json;
    locales text[];
    recipients bigint;
    of_view bigint;
BEGIN
    known.revision := coalesce(begin_run.revision, known.revision);
    -- Held until we end: an archiving of the campaign or a rejection of the revision came before, or waits and finds the run.
    SELECT c.state INTO known.state FROM push.campaign c WHERE c.id = known.id FOR SHARE;
    SELECT coalesce(test, r.spec) INTO spec
      FROM push.campaign_revision r
     WHERE r.campaign = known.id AND r.revision = known.revision;
    INSERT INTO push.run AS r (campaign, revision, key, started_by, begun_at, state, why, test)
    SELECT known.id, known.revision, begin_run.key, begin_run.by, CASE WHEN begin_run.state <> 'waiting' THEN clock_timestamp() END, begin_run.state, begin_run.why,
           (test::jsonb - 'content')::json
     WHERE known.state = 'ready' OR test IS NOT NULL AND known.state = 'draft'
        ON CONFLICT (campaign, key) DO NOTHING
    RETURNING r.id INTO run;
    started := run IS NOT NULL;
    IF NOT started THEN
        RETURN;
    END IF;
    IF begin_run.revision IS NULL THEN
        PERFORM push_internal.refuse_unapproved(known);
    END IF;
    -- What is wrong with its members was refused when it was made, but for a draft, which can be tested, too.
    problem := CASE WHEN test IS NULL THEN push_internal.wrong_references(spec) ELSE push_internal.wrong_spec(spec) END;
    -- A test chooses the language itself.
    PERFORM push_internal.refuse_spec(problem) WHERE test IS NULL OR problem.rule IS DISTINCT FROM 'recipients_have_a_language';
    UPDATE push.run r SET list = push_internal.hold_list(spec -> 'audience') WHERE r.id = begin_run.run
    RETURNING push_internal.pinned_audience(spec -> 'audience', r.list) INTO audience;
    PERFORM push_internal.make_cap_group(spec -> 'cap' ->> 'group') WHERE spec -> 'cap' IS NOT NULL;
    INSERT INTO push.run_content (run, format, headers, content, fallback)
    VALUES (begin_run.run, coalesce(spec ->> 'format', 'template'), spec -> 'headers', spec -> 'content', spec ->> 'fallback');
    locales := push_internal.locales_of(spec -> 'content');
    INSERT INTO push.stream (run, hub, priority)
    SELECT begin_run.run, h.id, coalesce((spec ->> 'priority')::smallint, 2)
      FROM push.hub h
     WHERE h.name IN (SELECT e.value #>> '{}' FROM json_array_elements(spec -> 'hubs') e)
     ORDER BY h.name;
    -- The pace follows from it, so the planner's guess will not do.
    IF spec -> 'spread' IS NOT NULL AND audience -> 'view' IS NOT NULL THEN
        of_view := push_internal.audience_rest(audience ->> 'view', false, NULL, NULL);
    END IF;
    recipients := (
        SELECT sum(coalesce(of_view, push_internal.estimate_audience(
                       audience, CASE WHEN h.localization = 'tags' THEN cardinality(locales) ELSE 0 END)))
          FROM push.stream t
               JOIN push.hub h ON h.id = t.hub
         WHERE t.run = begin_run.run);
    UPDATE push.run r
       SET estimate = recipients,
           rate = coalesce((spec ->> 'rate')::real,
                           greatest(recipients, 1) / extract(epoch FROM (spec ->> 'spread')::interval)::real),
           expires_after = (spec ->> 'expires')::interval,
           ends_at = r.started_at + (spec ->> 'maxDuration')::interval,
           stop_when = spec -> 'stopWhen',
           canary = spec -> 'canary',
           canary_size = push_internal.canary_size(spec -> 'canary', recipients)
     WHERE r.id = begin_run.run;
    PERFORM push_internal.make_streams(begin_run.run);
    INSERT INTO push.audit (action, detail)
    VALUES ('start_run', json_build_object('campaign', known.name, 'key', begin_run.key, 'revision', known.revision,
                                           'estimate', recipients));
END $$;
COMMENT ON FUNCTION push_internal.begin_run IS
    'Begins a run of a revision, which is push.revision_to_run; started false: the campaign is not ready, or has a '
    'run of that key. test: instead, a test of any revision, also of a draft, which sends this spec. Raises if no '
    'revision is approved (null), or the spec cannot be run any more.';

CREATE OR REPLACE FUNCTION push.start_run(
    campaign text, key text, bypass boolean DEFAULT false, OUT run bigint, OUT started boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    known constant push.campaign := push_internal.campaign_of(campaign);
    next_one int;
    joined push.run;
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM push_internal.require_read_committed('push.start_run');
    IF push_internal.is_name(start_run.key) IS NOT TRUE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value', MESSAGE = 'push.start_run: the key has 1 to 200 characters, and not only blanks',
            HINT = 'A second start with the same key joins that run: give the date, or an order number.';
    END IF;
    -- A firing of the schedule and a rejection at this moment are before us or behind us. What a schedule skipped was not
    -- sent: its key is free.
    PERFORM FROM push.campaign c WHERE c.id = known.id FOR SHARE;
    next_one := push.revision_to_run(known.id);
    PERFORM push_internal.free_unsent_keys(known.id, ARRAY[start_run.key]);
    SELECT b.run, b.started INTO run, started
      FROM push_internal.begin_run(known, next_one, start_run.key, push.person(), 'running', NULL) b;
    IF started THEN
        PERFORM push_internal.bypass_suppression(start_run.run, known.name, start_run.key) WHERE start_run.bypass;
        PERFORM push.wake_up();
        RETURN;
    END IF;
    SELECT r.* INTO joined FROM push.run r WHERE r.campaign = known.id AND r.key = start_run.key;
    IF NOT FOUND THEN
        PERFORM push_internal.refuse_unready(campaign, known.state);
    END IF;
    IF joined.revision <> next_one THEN
        RAISE EXCEPTION USING
            ERRCODE = 'unique_violation',
            MESSAGE = format('key %s of campaign %s was used for revision %s, and the campaign is at revision %s now',
                             to_json(start_run.key), campaign, joined.revision, next_one),
            HINT = 'Take a new key to send the new revision.';
    ELSIF start_run.bypass AND NOT joined.bypasses_suppression THEN
        RAISE EXCEPTION USING
            ERRCODE = 'unique_violation',
            MESSAGE = format('run %s of campaign %s leaves out who is suppressed', to_json(start_run.key), campaign),
            HINT = 'Take a new key to reach them, too.';
    END IF;
    run := joined.id;
END $$;
COMMENT ON FUNCTION push.start_run IS
    'Starts the newest approved revision of a campaign, once for each key: started is false when a run of that key was '
    'there already, which is then returned; what a schedule skipped or missed under it is no run, and is started. '
    'Refuses a key that was used for another revision. bypass: the run reaches '
    'suppressed recipients, too, and push.audit says who asked for it.';

CREATE OR REPLACE FUNCTION push.run_campaign(
    name text, key text, hub text, tags text[], content json, fallback text DEFAULT NULL, format text DEFAULT NULL,
    headers json DEFAULT NULL, priority int DEFAULT NULL, rate real DEFAULT NULL, spread text DEFAULT NULL,
    expires text DEFAULT NULL, stop_when json DEFAULT NULL, schedule text DEFAULT NULL, OUT run bigint,
    OUT started boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM push.create_campaign(run_campaign.name, json_strip_nulls(json_build_object(
        'hubs', ARRAY[run_campaign.hub], 'format', run_campaign.format, 'headers', run_campaign.headers,
        'audience', json_build_object('tags', run_campaign.tags), 'content', run_campaign.content,
        'fallback', run_campaign.fallback, 'priority', run_campaign.priority, 'rate', run_campaign.rate,
        'spread', run_campaign.spread, 'expires', run_campaign.expires, 'stopWhen', run_campaign.stop_when,
        'schedule', run_campaign.schedule)));
    started := false;
    IF run_campaign.key IS NOT NULL OR run_campaign.schedule IS NULL THEN
        PERFORM push_internal.require_newest(run_campaign.name);
        SELECT s.run, s.started INTO run, started FROM push.start_run(run_campaign.name, run_campaign.key) s;
    END IF;
END $$;
COMMENT ON FUNCTION push.run_campaign IS
    'A campaign to tags in one statement: keeps it (push.create_campaign) and starts it once for the key '
    '(push.start_run). The arguments are the members of the spec. With a schedule such as "weekdays 07:00 '
    'Europe/Paris" or "0 7 * * 1-5 Europe/Paris" and key null it starts itself, and not now.';
