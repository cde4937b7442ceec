-- Tests of what nobody has approved yet.

CREATE OR REPLACE FUNCTION push.test_campaign(
    campaign text, tags text[], INOUT revision int DEFAULT NULL, OUT run bigint, OUT key text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    known push.campaign := push_internal.campaign_of(campaign);
    this push.campaign_revision;
    sent json;
    theirs text;
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM push_internal.require_read_committed('push.test_campaign');
    IF known.state <> 'ready' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('campaign %s is %s', campaign, CASE known.state WHEN 'draft' THEN 'a draft' ELSE 'retired' END),
            HINT = 'fanfare campaign create makes it ready.';
    END IF;
    this := push_internal.revision_known(known, coalesce(revision, known.revision));
    revision := this.revision;
    -- A test needs no approval, so it does not go to those whom the campaign is for.
    SELECT t.tag INTO theirs
      FROM unnest(tags) t(tag)
     WHERE t.tag IN (SELECT e.value #>> '{}' FROM json_array_elements(this.spec -> 'audience' -> 'tags') e)
        OR t.tag IN (SELECT m.word[1] FROM regexp_matches(this.spec -> 'audience' ->> 'expression', '[A-Za-z0-9_@#.:-]+', 'g') m(word))
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('tag %s is in the audience of campaign %s', theirs, campaign),
            HINT = 'A test goes to a tag of your own people.';
    END IF;
    -- Only what is said and how: neither pace nor limits nor times of the campaign hold for a test.
    sent := (
        SELECT json_object_agg(m.name, m.value)
          FROM (SELECT e.key AS name, e.value
                  FROM json_each(this.spec) e
                 WHERE e.key IN ('hubs', 'format', 'headers', 'content', 'fallback', 'priority', 'expires', 'onDoubt', 'pack')
                 UNION ALL
                SELECT 'audience', json_build_object('tags', coalesce(tags, '{}'))) m);
    key := 'test-' || to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
    SELECT b.run INTO run FROM push_internal.begin_run(known, this.revision, key, push_internal.caller(), 'running', NULL, sent) b;
    INSERT INTO push.audit (action, detail)
    VALUES ('test_campaign', json_build_object('campaign', campaign, 'key', key, 'revision', revision, 'tags', tags));
    PERFORM push.wake_up();
END $$;
COMMENT ON FUNCTION push.test_campaign IS
    'Sends what a revision says to tags of a test audience, approved or not; revision null: the newest. Its run has '
    'a key that begins with test- and is in no count of the campaign. Refuses tags that the audience of the '
    'revision names.';
