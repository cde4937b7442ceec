-- Words by which people find a campaign among a thousand.

CREATE OR REPLACE FUNCTION push.tag_campaign(name text, add text[] DEFAULT '{}', remove text[] DEFAULT '{}', OUT tags text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    known push.campaign := push_internal.campaign_of(name);
    bad text;
BEGIN
    PERFORM push_internal.begin_action();
    SELECT c.* INTO known FROM push.campaign c WHERE c.id = known.id FOR NO KEY UPDATE;
    FOR bad IN SELECT coalesce(u.tag, '') FROM unnest(add) u(tag) WHERE coalesce(u.tag, '') !~ '^[a-z0-9][a-z0-9_-]{0,62}$' LOOP
        RAISE EXCEPTION USING
            ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'campaign', COLUMN = 'tags',
            CONSTRAINT = 'tags_are_short_and_plain',
            MESSAGE = format('a tag of a campaign is 1 to 63 of a-z 0-9 _ -, not %s', push_internal.quoted(bad, 80)),
            HINT = 'It does not begin with _ or -. Capital letters are not allowed.';
    END LOOP;
    tags := ARRAY(
        SELECT DISTINCT u.tag COLLATE "C"
          FROM unnest(known.tags || add) u(tag)
         WHERE u.tag <> ALL (coalesce(remove, '{}'))
         ORDER BY 1);
    IF cardinality(tags) > 20 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'program_limit_exceeded', MESSAGE = format('campaign %s would have %s tags', name, cardinality(tags)),
            HINT = 'At most 20: remove some.';
    ELSIF tags <> known.tags THEN
        UPDATE push.campaign c SET tags = tag_campaign.tags WHERE c.id = known.id;
        INSERT INTO push.audit (action, detail) VALUES ('tag_campaign', json_build_object('campaign', name, 'tags', tags));
    END IF;
END $$;
COMMENT ON FUNCTION push.tag_campaign IS
    'Gives a campaign tags, takes others away, and returns those that it has then: words such as retention or spring-2026, at '
    'most 20, by which people find it. Its revision, its approval and its runs stay as they are.';
