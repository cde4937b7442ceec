-- Registering a hub, and which of its settings differ.

CREATE OR REPLACE FUNCTION push_internal.differing_keys(one json, other json) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(
    SELECT key
      FROM json_each_text(differing_keys.one) a
      FULL JOIN json_each_text(differing_keys.other) b USING (key)
     WHERE a.value IS DISTINCT FROM b.value
     ORDER BY key);
COMMENT ON FUNCTION push_internal.differing_keys IS
    'The keys of two JSON objects whose values differ, or that only one of them has.';

CREATE OR REPLACE FUNCTION push_internal.write_hub(fresh push.hub, replace boolean) RETURNS int
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number int;
    known text;
BEGIN
    IF NOT EXISTS (SELECT FROM push.hub_kind k WHERE k.name = fresh.kind) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('hub "%s": kind %s is not known', fresh.name, coalesce(to_json(fresh.kind)::text, 'NULL')),
            HINT = (SELECT format('Known: %s.', string_agg(k.name, ', ' ORDER BY k.name)) FROM push.hub_kind k);
    END IF;
    SELECT h.kind INTO known FROM push.hub h WHERE h.name = fresh.name AND h.kind <> fresh.kind;
    IF FOUND THEN                        -- its messages, targets and devices are of the other service
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('hub "%s" is of kind %s and cannot become one of kind %s', fresh.name, known, fresh.kind),
            HINT = format('Give the new hub another name, or set hubs.%s.kind to "%s".', fresh.name, known);
    END IF;
    UPDATE push.hub h
       SET (tags_are_topics, localization, languages, fallback, allow_broadcast, broadcast_topic, on_doubt, expire_after, settle,
            keep_content, keep_dedupe, keys_per_tenant, settings, settings_hash, removed_at, removed_by)
         = ROW (fresh.tags_are_topics, fresh.localization, fresh.languages, fresh.fallback, fresh.allow_broadcast,
                fresh.broadcast_topic, fresh.on_doubt, fresh.expire_after, fresh.settle, fresh.keep_content, fresh.keep_dedupe,
                fresh.keys_per_tenant, fresh.settings, fresh.settings_hash, NULL, NULL)
     WHERE h.name = fresh.name
       -- Without a hash: added by push.add_hub.
       AND (write_hub.replace OR h.removed_at IS NOT NULL OR h.settings_hash IS NULL AND fresh.settings_hash IS NOT NULL)
    RETURNING h.id INTO number;
    IF number IS NULL THEN               -- what is there takes no number, also while two sessions register it
        INSERT INTO push.hub AS h (
            name, kind, tags_are_topics, localization, languages, fallback, allow_broadcast, broadcast_topic, on_doubt,
            expire_after, settle, keep_content, keep_dedupe, keys_per_tenant, settings, settings_hash)
        SELECT fresh.name, fresh.kind, fresh.tags_are_topics, fresh.localization, fresh.languages, fresh.fallback,
               fresh.allow_broadcast, fresh.broadcast_topic, fresh.on_doubt, fresh.expire_after, fresh.settle, fresh.keep_content, fresh.keep_dedupe,
               fresh.keys_per_tenant, fresh.settings, fresh.settings_hash
         WHERE NOT EXISTS (SELECT FROM push.hub o WHERE o.name = fresh.name)
            ON CONFLICT ON CONSTRAINT hub_name_key DO NOTHING
        RETURNING h.id INTO number;
    END IF;
    INSERT INTO push.hub_state (hub) SELECT number WHERE number IS NOT NULL ON CONFLICT DO NOTHING;
    INSERT INTO push.hub_pace (hub) SELECT number WHERE number IS NOT NULL ON CONFLICT DO NOTHING;
    RETURN number;
END $$;
COMMENT ON FUNCTION push_internal.write_hub IS
    'Registers a hub, or writes the settings of one that was removed or, by a configuration, of one that a person added; with '
    'replace of any. Returns its number; null: it is registered already. Raises where it would change the kind of a hub.';

-- Two configurations must not overwrite each other's hub in turn: what the trigger of push.message checks would then
-- depend on who started last. So only a person changes a registered hub (fanfare migrate up, fanfare hub add). A
-- worker registers hubs that are missing, and says which of its own settings differ.
CREATE OR REPLACE FUNCTION push_worker.register_hub_v1(
    settings          json,
    replace           boolean,
    OUT hub           int,
    OUT settings_hash text,
    OUT differing     text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    fresh push.hub;
    known push.hub;
BEGIN
    fresh.name := settings ->> 'name';
    settings_hash := md5(settings::text);
    differing := '{}';
    SELECT h.* INTO known
      FROM push.hub h
     WHERE h.name = fresh.name;
    IF known.settings_hash IS NOT NULL THEN
        hub := known.id;
        differing := push_internal.differing_keys(known.settings, settings);
        IF known.kind = coalesce(settings ->> 'kind', known.kind) AND (known.settings_hash = settings_hash OR NOT replace) THEN
            RETURN;
        END IF;
    END IF;
    fresh.kind := coalesce(settings ->> 'kind', 'notification-hubs');
    fresh.tags_are_topics := coalesce(settings ->> 'tags' = 'topics', false);
    fresh.broadcast_topic := settings ->> 'broadcastTopic';
    fresh.localization := settings ->> 'localization';
    fresh.languages := ARRAY(SELECT l FROM json_object_keys(settings -> 'languages') l ORDER BY l COLLATE "C");
    fresh.fallback := settings ->> 'fallback';
    fresh.allow_broadcast := settings ->> 'allowBroadcast';
    fresh.on_doubt := settings ->> 'onDoubt';
    fresh.expire_after := make_interval(secs => (settings ->> 'expireAfterSeconds')::int);
    fresh.settle := (settings ->> 'settleMilliseconds')::int * interval '1 ms';
    fresh.keep_content := (settings ->> 'contentKeyHours')::int * interval '1 hour';
    fresh.keep_dedupe := (settings ->> 'dedupeHours')::int * interval '1 hour';
    fresh.keys_per_tenant := coalesce((settings ->> 'keysPerTenant')::boolean, false);
    fresh.settings := settings;
    fresh.settings_hash := settings_hash;
    hub := push_internal.write_hub(fresh, replace);
    IF hub IS NULL THEN                                  -- another worker has just registered it
        SELECT r.hub, r.differing INTO hub, differing FROM push_worker.register_hub_v1(settings, replace) r;
        RETURN;
    END IF;
    IF known.settings_hash IS NOT NULL THEN
        INSERT INTO push.audit (action, detail)
        VALUES ('register_hub', json_build_object('hub', fresh.name, 'changed', differing));
    END IF;
END $$;
COMMENT ON FUNCTION push_worker.register_hub_v1 IS
    'Registers a hub with the settings of a configuration: the object hubs.<name> with its name, without secrets. '
    'replace false (a worker): settings that are registered already stay as they are. replace true (fanfare migrate '
    'up, fanfare hub add): they are replaced, and push.audit says which keys changed. differing: the keys whose '
    'values differed.';

CREATE OR REPLACE FUNCTION push.register_hub(settings json) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM push_internal.begin_action();
    RETURN (SELECT r.hub FROM push_worker.register_hub_v1(settings, replace => true) r);
END $$;
COMMENT ON FUNCTION push.register_hub IS
    'What fanfare migrate up and fanfare hub add call: registers a hub with the settings of a configuration, or replaces those '
    'that it has, which push.audit names. push.add_hub registers one by hand.';

CREATE OR REPLACE FUNCTION push.add_hub(
    name            text,
    localization    text     DEFAULT 'properties',
    languages       text[]   DEFAULT '{}',
    fallback        text     DEFAULT NULL,
    allow_broadcast boolean  DEFAULT false,
    on_doubt        text     DEFAULT 'hold',
    expire_after    interval DEFAULT '24 hours',
    settle          interval DEFAULT '500 ms',
    keep_content    interval DEFAULT '24 hours',
    keep_dedupe     interval DEFAULT '168 hours',
    kind            text     DEFAULT 'notification-hubs',
    keys_per_tenant boolean  DEFAULT false,
    tags_are_topics boolean  DEFAULT false,
    broadcast_topic text     DEFAULT NULL)
RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    number int;
    fresh  push.hub;
    wrong  text := CASE
        WHEN name IS NULL OR name !~ '^[a-z0-9_-]{1,63}$'
        THEN 'the name ' || coalesce(to_json(name)::text, 'NULL')
        WHEN localization IS NULL OR localization NOT IN ('properties', 'tags')
        THEN 'localization ' || coalesce(to_json(localization)::text, 'NULL')
        WHEN on_doubt IS NULL OR on_doubt NOT IN ('hold', 'resend')
        THEN 'on_doubt ' || coalesce(to_json(on_doubt)::text, 'NULL')
        WHEN kind IS NULL OR kind NOT IN (SELECT k.name FROM push.hub_kind k)
        THEN 'kind ' || coalesce(to_json(kind)::text, 'NULL')
        WHEN (tags_are_topics OR broadcast_topic IS NOT NULL)
             AND kind NOT IN (SELECT k.name FROM push.hub_kind k WHERE k.tag = 'topics')
        THEN CASE WHEN tags_are_topics THEN 'tags_are_topics' ELSE 'broadcast_topic' END || ' at kind ' || kind || ', which has no topics'
        WHEN NOT push_internal.is_topic(broadcast_topic)
        THEN 'broadcast_topic ' || to_json(broadcast_topic)
        WHEN EXISTS (SELECT FROM unnest(languages) l(name) WHERE push_internal.said(l.name) IS NULL)
        THEN 'a language without a name'
        WHEN fallback IS NOT NULL AND fallback <> ALL (languages)
        THEN format('fallback %s, which is not one of the languages', to_json(fallback))
        WHEN expire_after NOT BETWEEN '1 ms' AND '30 days'
        THEN format('expire_after %s, which is not more than 0 and at most 30 days', expire_after)
        WHEN settle NOT BETWEEN '0 s' AND '60 s'
        THEN format('settle %s, which is not 0 to 60 s', settle)
        WHEN keep_content NOT BETWEEN '0 s' AND '365 days'
        THEN format('keep_content %s, which is not 0 to 365 days', keep_content)
        WHEN keep_dedupe NOT BETWEEN '0 s' AND '365 days'
        THEN format('keep_dedupe %s, which is not 0 to 365 days', keep_dedupe)
    END;
BEGIN
    PERFORM push_internal.begin_action();
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'push.add_hub: ' || wrong,
            HINT = 'A name has 1 to 63 of a-z 0-9 _ -; localization is properties or tags, on_doubt hold or resend, '
                   'kind one of ' || (SELECT string_agg(k.name, ', ' ORDER BY k.name) FROM push.hub_kind k) || '.';
    END IF;
    fresh.name := name;
    fresh.kind := kind;
    fresh.tags_are_topics := coalesce(tags_are_topics, false);
    fresh.broadcast_topic := broadcast_topic;
    fresh.localization := localization;
    fresh.languages := coalesce(languages, '{}');
    fresh.fallback := fallback;
    fresh.allow_broadcast := coalesce(allow_broadcast, false);
    fresh.on_doubt := on_doubt;
    fresh.expire_after := expire_after;
    fresh.settle := settle;
    fresh.keep_content := keep_content;
    fresh.keep_dedupe := keep_dedupe;
    fresh.keys_per_tenant := coalesce(keys_per_tenant, false);
    fresh.settings := '{}';
    number := push_internal.write_hub(fresh, replace => false);
    IF number IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'unique_violation',
            MESSAGE = format('hub "%s" is registered already', name),
            HINT = 'Its settings come from the configuration: change them there and run fanfare migrate up.';
    END IF;
    INSERT INTO push.audit (action, detail)
    VALUES ('add_hub', json_build_object('hub', name));
    RETURN number;
END $$;
COMMENT ON FUNCTION push.add_hub IS
    'Registers a hub, so that backends can enqueue for it before a worker serves it; returns its number. It holds no '
    'secret: connection strings and service accounts stay in the configuration. The first worker that has the hub in its configuration '
    'replaces these settings with its own.';
