-- What a campaign would do, without doing it.

CREATE OR REPLACE FUNCTION push.check_campaign(name text, revision int DEFAULT NULL)
RETURNS TABLE (level text, about text, finding text, hint text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    known constant push.campaign := push_internal.campaign_of(check_campaign.name);
    spec constant json := (push_internal.revision_known(known, coalesce(revision, known.revision))).spec;
    problem constant push.problem := push_internal.wrong_spec(spec);
    facts record;
    hub record;
    recipients bigint;
    total bigint := 0;
    most constant interval := current_setting('statement_timeout')::interval;
BEGIN
    IF NOT problem IS NULL THEN
        RETURN QUERY SELECT 'error', problem.col, problem.message, problem.hint;
        RETURN;
    END IF;
    RETURN QUERY
    SELECT 'warning', 'approval', u.why, format('fanfare campaign approve %s --revision %s', name, known.revision)
      FROM push.unapproved(known.id) u(why)
     WHERE u.why IS NOT NULL AND check_campaign.revision IS NULL;
    RETURN QUERY SELECT 'warning', r.col, substr(r.message, length(r.col) + 2), r.hint FROM push_internal.spec_remarks(spec) r;
    FOR hub IN
        SELECT h.*,
               EXISTS (SELECT FROM push.serving v JOIN push.worker w ON w.id = v.worker
                        WHERE v.hub = h.id AND push.is_alive(w.beat_at, w.lease_seconds)) AS served
          FROM push.hub h
         WHERE h.name IN (SELECT e.value #>> '{}' FROM json_array_elements(spec -> 'hubs') e)
         ORDER BY h.name
    LOOP
        recipients := push_internal.estimate_audience(
            spec -> 'audience',
            CASE WHEN hub.localization = 'tags' THEN cardinality(push_internal.locales_of(spec -> 'content')) ELSE 0 END);
        total := total + recipients;
        RETURN QUERY
        SELECT 'info', 'hub ' || hub.name,
               format('%s%s message%s', CASE WHEN spec -> 'audience' -> 'view' IS NOT NULL THEN 'about ' ELSE '' END, recipients,
                      CASE WHEN recipients <> 1 THEN 's' END),
               CASE WHEN recipients = 0 THEN 'The audience is empty: a run would end at once.' END;
        IF NOT hub.served THEN
            RETURN QUERY SELECT 'warning', 'hub ' || hub.name, 'no worker serves it now',
                                'A run waits for one: fanfare run, or fanfare drain.';
        END IF;
    END LOOP;
    IF spec -> 'audience' -> 'view' IS NOT NULL THEN
        RETURN QUERY
        SELECT 'warning', 'audience.view',
               format('the estimate of %s messages is a guess: no ANALYZE ran on %s', total, string_agg(u.name, ', ')),
               format('Run: ANALYZE %s;', string_agg(u.name, ', '))
          FROM push_internal.audience_unanalysed(spec -> 'audience' ->> 'view') u(name)
        HAVING count(*) > 0;
    END IF;
    RETURN QUERY SELECT r.level, r.about, r.finding, r.hint FROM push_internal.check_reach(spec) r;
    RETURN QUERY SELECT s.level, s.about, s.finding, s.hint FROM push_internal.check_sums(spec, total) s;
    IF spec -> 'canary' IS NOT NULL THEN
        RETURN QUERY
        SELECT 'info', 'canary',
               format('the first %s, and the rest when their results are in', push_internal.canary_size(spec -> 'canary', total)),
               NULL::text;
    END IF;
    RETURN QUERY SELECT c.level, c.about, c.finding, c.hint FROM push_internal.check_cap(spec -> 'cap') c;
    -- From here on the view is read.
    BEGIN
        IF spec -> 'audience' -> 'view' IS NOT NULL THEN
            SELECT f.* INTO facts FROM push_internal.audience_facts(spec -> 'audience' ->> 'view') f;
            IF facts.sorts AND NOT push_internal.is_local(spec) THEN
                RETURN QUERY SELECT 'warning', 'audience.view', 'has no index for its key: every slice sorts the whole of it',
                                    'Make key a column with an index; docs/campaigns.md has a recipe.';
            END IF;
            IF facts.null_keys > 0 THEN
                RETURN QUERY SELECT 'warning', 'audience.view', format('%s rows have no key and are left out', facts.null_keys),
                                    'A key is never null.';
            END IF;
            IF facts.double_keys > 0 THEN
                RETURN QUERY SELECT 'warning', 'audience.view',
                                    format('%s keys come more than once among the first 10,000 rows', facts.double_keys),
                                    'A key is unique: of the rows of a key the first is sent, and the others are counted as double_key.';
            END IF;
        END IF;
        RETURN QUERY SELECT l.level, l.about, l.finding, l.hint FROM push_internal.check_local(known, spec) l;
    EXCEPTION WHEN query_canceled THEN
        -- The time limit comes once in a statement, so nothing more is read.
        IF most = interval '0' OR clock_timestamp() < statement_timestamp() + most * 0.9 THEN
            RAISE;
        END IF;
        RETURN QUERY
        SELECT 'warning', 'audience.view', format('is slow: not counted within %s s', extract(epoch FROM most)::float8),
               'Each slice reads it behind a key: EXPLAIN (ANALYZE) SELECT * FROM it ORDER BY key LIMIT 500 says why.';
    END;
END $$;
COMMENT ON FUNCTION push.check_campaign IS
    'What fanfare campaign check says: what is wrong with a revision (level error), what is likely a mistake (warning), and '
    'how many messages a run would be (info), with how many devices its tags reach where somebody counted them; revision null: '
    'the newest. Sends nothing, writes nothing and asks no hub.';
