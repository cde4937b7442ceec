-- Tests of what nobody has approved yet.

CREATE OR REPLACE FUNCTION push_internal.refuse_test_of_texts(hubs text[], spec json, own json, in_one boolean, language text)
RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    format constant text := coalesce(spec ->> 'format', 'template');
    hub push.hub;
    chosen text;
    missing text;
BEGIN
    FOR hub IN SELECT h.* FROM push.hub h WHERE h.name = ANY (hubs) ORDER BY h.name LOOP
        chosen := NULL;
        IF NOT (format = 'template' AND hub.localization = 'properties' AND push_internal.locales_of(spec -> 'content') <> '{}')
           AND (in_one OR hub.localization = 'properties')
        THEN
            chosen := push_internal.language_for(spec -> 'content', language, coalesce(spec ->> 'fallback', hub.fallback));
            IF chosen IS NULL THEN
                RAISE EXCEPTION USING
                    ERRCODE = 'invalid_parameter_value',
                    MESSAGE = format('the content has no text for %s on hub %s, and no fallback',
                                     coalesce('locale ' || language, 'a recipient without a locale'), hub.name),
                    HINT = format('It has %s: name one (--locale), or set fallback in the spec.',
                                  array_to_string(push_internal.locales_of(spec -> 'content'), ', '));
            END IF;
        END IF;
        missing := push_internal.property_without_value(
            json_build_array(
                spec -> 'headers',
                CASE WHEN chosen IS NULL THEN spec -> 'content' ELSE spec -> 'content' -> chosen END,
                CASE WHEN format = 'template' THEN spec -> 'content' -> '' END),
            own);
        IF missing IS NOT NULL THEN
            RAISE EXCEPTION USING
                ERRCODE = 'invalid_parameter_value',
                MESSAGE = format('the content has {{%s}}, and this test has no such property', missing),
                HINT = format('Give one (--property %s=..., or properties), test as somebody of the audience (--as key:..., or '
                              'recipient), or write {{%1$s|...}} with what those without it read.', missing);
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION push_internal.refuse_test_of_texts IS
    'Raises for a test of which something would not be sent: a text lacks a property, or there is no text. in_one: it '
    'goes out in one language, and not to each tag in every language.';

CREATE OR REPLACE FUNCTION push_internal.recipient_for_test(audience json, recipient text, OUT locale text, OUT properties json)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this record;
BEGIN
    IF coalesce(audience -> 'view', audience -> 'list', audience -> 'handles') IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('the audience has no recipient %s: it is neither a view nor a list', to_json(left(recipient, 80))),
            HINT = 'Who has a tag, the hub knows alone. Give values by hand: --property name=Ada, --locale fr.';
    END IF;
    this := push_internal.recipient_of(audience, recipient);
    IF NOT this.is_known THEN
        RAISE EXCEPTION USING
            ERRCODE = 'no_data_found',
            MESSAGE = format('there is no recipient %s in the audience', to_json(left(recipient, 80))),
            HINT = 'It is a value of the column key.';
    END IF;
    locale := this.locale;
    properties := CASE json_typeof(this.properties) WHEN 'null' THEN NULL ELSE this.properties END;
END $$;
COMMENT ON FUNCTION push_internal.recipient_for_test IS
    'What a recipient of an audience has of its own; raises if there is no such recipient.';

CREATE OR REPLACE FUNCTION push_internal.merge_properties(theirs json, given json) RETURNS json
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF given IS NULL OR theirs IS NULL OR push_internal.wrong_properties(theirs) IS NOT NULL
       OR push_internal.wrong_properties(given) IS NOT NULL
    THEN
        RETURN coalesce(given, theirs);
    END IF;
    RETURN (
        SELECT json_object_agg(p.key, p.value)
          FROM (SELECT t.key, t.value
                  FROM json_each(theirs) t
                 WHERE lower(t.key) NOT IN (SELECT lower(g.key) FROM json_each(given) g)
                 UNION ALL
                SELECT g.key, g.value FROM json_each(given) g) p);
END $$;
COMMENT ON FUNCTION push_internal.merge_properties IS
    'The properties of a recipient, but for those that are given by hand.';

CREATE OR REPLACE FUNCTION push_internal.make_test_messages(
    run bigint, campaign text, key text, spec json, own json, in_one boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    now_at constant timestamptz := clock_timestamp();
    this record;
BEGIN
    PERFORM push.make_partitions();
    FOR this IN
        SELECT t.id AS stream, t.hub, t.priority, h.name AS hub_name, x.format,
               now_at + (spec ->> 'expires')::interval AS expires_at,
               CASE WHEN h.localization = 'tags' AND NOT in_one THEN push_internal.locales_of(x.content) ELSE '{}' END AS locales
          FROM push.stream t
               JOIN push.hub h ON h.id = t.hub
               JOIN push.run_content x ON x.run = t.run
         WHERE t.run = make_test_messages.run
         ORDER BY t.id
    LOOP
        WITH page AS MATERIALIZED (
            SELECT r.tag, r.locale,
                   EXISTS (
                       SELECT
                         FROM push.suppression s
                        WHERE s.what = 'tag' AND s.value = r.tag AND coalesce(s.until, 'infinity') > now_at
                       OFFSET 0) AS is_suppressed
              FROM push_internal.recipients(spec -> 'audience', this.locales, NULL, 10000) r
        ), made AS MATERIALIZED (
            SELECT nextval('push.message_id_seq') AS id, p.tag, p.locale FROM page p WHERE NOT p.is_suppressed
        ), messages AS (
            INSERT INTO push.message (id, hub, tag, locale, content, format, send_at, expires_at, priority, on_doubt, pack,
                                      campaign, run, stream)
            OVERRIDING SYSTEM VALUE
            SELECT m.id, this.hub_name, m.tag, m.locale, coalesce(own, '{}'), this.format, now_at, this.expires_at, this.priority,
                   spec ->> 'onDoubt', coalesce((spec ->> 'pack')::boolean, true), make_test_messages.campaign,
                   make_test_messages.key, this.stream
              FROM made m
        ), pointers AS (
            INSERT INTO push.due (due_at, id, hub, priority, attempt, kind, resent)
            SELECT now_at, m.id, this.hub, this.priority, 0::smallint, 'p'::"char", false FROM made m ORDER BY m.id
        )
        INSERT INTO push.slice (stream, n, first_id, last_id, rows, refused, left_out, due_from, due_to)
        SELECT this.stream, 1, coalesce(min(m.id), 0), coalesce(max(m.id), 0), count(*), 0,
               json_strip_nulls(json_build_object(
                   'suppressed', nullif((SELECT count(*) FILTER (WHERE p.is_suppressed) FROM page p), 0))),
               now_at, now_at
          FROM made m;
        UPDATE push.stream t
           SET slices = 1, done_at = now_at,
               expanded = (SELECT s.rows FROM push.slice s WHERE s.stream = t.id AND s.n = 1)
         WHERE t.id = this.stream;
    END LOOP;
END $$;
COMMENT ON FUNCTION push_internal.make_test_messages IS
    'Makes the messages of a test, all of them at once: it is small, and waits for nothing. The properties stand in '
    'them alone.';

CREATE OR REPLACE FUNCTION push.test_campaign(
    campaign text, tags text[], INOUT revision int DEFAULT NULL, properties json DEFAULT NULL, locale text DEFAULT NULL,
    recipient text DEFAULT NULL, OUT run bigint, OUT key text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    known push.campaign := push_internal.campaign_of(campaign);
    in_one constant boolean := num_nonnulls(locale, recipient) > 0;
    this push.campaign_revision;
    sent json;
    theirs text;
    person record;
    own json := properties;
    language text := locale;
    wrong text;
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM push_internal.require_read_committed('push.test_campaign');
    -- Held until we end: an archiving came before, or waits and finds the run.
    SELECT c.state INTO known.state FROM push.campaign c WHERE c.id = known.id FOR SHARE;
    PERFORM push_internal.refuse_unready(campaign, known.state) WHERE known.state = 'archived';
    this := push_internal.revision_known(known, coalesce(revision, known.revision));
    revision := this.revision;
    -- A draft is kept with its mistakes, and what a test sends is only part of it.
    PERFORM push_internal.refuse_spec(push_internal.wrong_spec(this.spec)) WHERE this.is_draft;
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
    IF recipient IS NOT NULL THEN
        person := push_internal.recipient_for_test(this.spec -> 'audience', recipient);
        language := coalesce(locale, person.locale);
        own := push_internal.merge_properties(person.properties, properties);
    END IF;
    wrong := coalesce(push_internal.wrong_properties(own), (push_internal.wrong_locale(language)).message);
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value', MESSAGE = replace(wrong, 'push.message.', ''),
            HINT = 'properties is a JSON object such as {"name": "Ada"}, and locale is fr, fr-CA or zh-Hans.';
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
    SELECT b.run INTO run FROM push_internal.begin_run(known, this.revision, key, push.person(), 'running', NULL, sent) b;
    PERFORM push_internal.refuse_test_of_texts(
        ARRAY(SELECT e.value #>> '{}' FROM json_array_elements(sent -> 'hubs') e), sent, own, in_one, language);
    -- The fallback chooses the text, so that it reaches those who test it whatever the language of their phones.
    IF in_one THEN
        UPDATE push.run_content x
           SET fallback = nullif(push_internal.language_for(x.content, language, x.fallback), '')
         WHERE x.run = test_campaign.run;
    END IF;
    -- It does not stand behind a bulk run.
    UPDATE push.stream t SET priority = least(t.priority, 1) WHERE t.run = test_campaign.run;
    PERFORM push_internal.make_test_messages(run, known.name, key, sent, own, in_one);
    INSERT INTO push.audit (action, detail)
    VALUES ('test_campaign', json_strip_nulls(json_build_object(
        'campaign', campaign, 'key', key, 'revision', revision, 'tags', tags, 'recipient', recipient)));
    PERFORM push.wake_up();
END $$;
COMMENT ON FUNCTION push.test_campaign IS
    'Sends what a revision says to tags of a test audience, approved or not, at once; revision null: the newest. A draft '
    'is sent, too, if its spec has no mistake. '
    'properties and locale fill and choose its texts as those of a recipient would; recipient: a key of its list or '
    'view, whose own are taken. Its run has a key that begins with test- and is in no count of the campaign. Refuses '
    'tags that the audience of the revision names.';
