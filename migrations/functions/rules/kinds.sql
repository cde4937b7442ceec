-- The kinds of hubs, and what a row may say to a hub of a kind that has rules of its own.

CREATE OR REPLACE FUNCTION push_internal.load_hub_kinds(kinds json) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    usual push.hub_kind;
BEGIN
    INSERT INTO push.hub_kind AS k
    SELECT f.* FROM json_populate_recordset(NULL::push.hub_kind, kinds) f
        ON CONFLICT (name) DO UPDATE
       SET (label, formats, handles, handle, handle_bytes, example, tag, tags, mixed_tags, folds_case, body_bytes,
            takes_templates, headers, takes_languages, takes_broadcasts, packs, joins_lives, keeps_devices)
         = ROW (excluded.label, excluded.formats, excluded.handles, excluded.handle, excluded.handle_bytes, excluded.example,
                excluded.tag, excluded.tags, excluded.mixed_tags, excluded.folds_case, excluded.body_bytes,
                excluded.takes_templates, excluded.headers, excluded.takes_languages, excluded.takes_broadcasts, excluded.packs,
                excluded.joins_lives, excluded.keeps_devices);
    UPDATE push.hub h
       SET kind = h.kind                       -- the trigger copies the facts again
      FROM push.hub_kind k
     WHERE k.name = h.kind
       AND h.takes_templates <> k.takes_templates;
    SELECT k.* INTO usual FROM push.hub_kind k WHERE k.name = 'notification-hubs';
    EXECUTE format(
        'CREATE OR REPLACE FUNCTION push_internal.most_handles() RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN %s',
        usual.handles);
    EXECUTE format(
        'CREATE OR REPLACE FUNCTION push_internal.most_handle_bytes() RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN %s',
        usual.handle_bytes);
    EXECUTE format(
        'CREATE OR REPLACE FUNCTION push_internal.least_handle_bytes() RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN %s',
        (SELECT min(k.handle_bytes) FROM push.hub_kind k));
    COMMENT ON FUNCTION push_internal.most_handles IS
        'push.hub_kind.handles of notification-hubs, as a constant: to read the table at every row would cost a tenth more.';
    COMMENT ON FUNCTION push_internal.most_handle_bytes IS
        'push.hub_kind.handle_bytes of notification-hubs, as a constant.';
    COMMENT ON FUNCTION push_internal.least_handle_bytes IS
        'The least push.hub_kind.handle_bytes, as a constant: a shorter handle is short enough for every kind.';
END $$;
COMMENT ON FUNCTION push_internal.load_hub_kinds IS
    'Writes the rows of push.hub_kind, and the functions that know three of their values.';

CREATE OR REPLACE FUNCTION push_internal.copy_kind() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.takes_templates := coalesce(                                 -- the foreign key refuses an unknown kind
        (SELECT k.takes_templates FROM push.hub_kind k WHERE k.name = NEW.kind), true);
    RETURN NEW;
END $$;
COMMENT ON FUNCTION push_internal.copy_kind IS
    'Trigger of push.hub: copies what the trigger of push.message asks at every row, which reads the hub anyway.';
CREATE OR REPLACE TRIGGER kind_is_copied BEFORE INSERT OR UPDATE OF kind ON push.hub
FOR EACH ROW EXECUTE FUNCTION push_internal.copy_kind();
COMMENT ON TRIGGER kind_is_copied ON push.hub IS 'Copies takes_templates of the kind.';

CREATE OR REPLACE FUNCTION push_internal.refuse_kind(hub text, what text) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    label text;
BEGIN
    SELECT k.label INTO label
      FROM push.hub h
           JOIN push.hub_kind k ON k.name = h.kind
     WHERE h.name = refuse_kind.hub
       AND NOT k.keeps_devices;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('%s: hub "%s" is %s, which keeps no devices', what, hub, label),
            HINT = (SELECT format('Kinds that keep devices: %s. Here a row of push.message names a device by its handle.',
                                  string_agg(k.name, ', ' ORDER BY k.name))
                      FROM push.hub_kind k
                     WHERE k.keeps_devices);
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.refuse_kind IS
    'Raises for a device of a hub whose kind keeps none. what: the call that names the hub.';

CREATE OR REPLACE FUNCTION push_internal.is_topic(tag text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tag COLLATE "C" ~ '^[A-Za-z0-9_.~%-]+$' AND octet_length(tag) <= 4096;
COMMENT ON FUNCTION push_internal.is_topic IS 'Whether it is one topic of FCM, without operators; Topic in Swift takes the same.';

CREATE OR REPLACE FUNCTION push_internal.wrong_topics(tag text, kind push.hub_kind) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    fault constant text := CASE WHEN NOT push_internal.is_topic(tag) THEN push_internal.fault_of_expression(tag, kind) END;
    near constant text := translate(replace(tag, '/topics/', ''), ':@#', '___');
BEGIN
    IF fault IS NULL THEN
        RETURN NULL;
    END IF;
    RETURN ('tag', 'tag_is_a_topic_or_a_condition',
            format('push.message.tag %s: %s', push_internal.quoted(tag, 100), fault),
            CASE
                WHEN near <> tag AND push_internal.fault_of_expression(near, kind) IS NULL
                THEN format('Write %s, if phones subscribe to that. ', near)
                ELSE ''
            END
            || format('A topic of %s has A-Z a-z 0-9 - _ . ~ %% ; at most %s are joined with ||, && and !.', kind.label, kind.tags)
           )::push.problem;
END $$;
COMMENT ON FUNCTION push_internal.wrong_topics IS
    'The problem of a topic, or of topics that become one condition; null: none. TopicCondition in Swift has the same rules.';

CREATE OR REPLACE FUNCTION push_internal.wrong_tag_of_kind(hub push.hub, kind push.hub_kind, tag text) RETURNS push.problem
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
               WHEN tag IS NULL THEN NULL
               WHEN kind.tag = 'topics' AND hub.tags_are_topics THEN push_internal.wrong_topics(tag, kind)
               ELSE ROW (
                   'tag', 'hub_has_tags', format('push.message.tag: hub "%s" is %s and has no tags', hub.name, kind.label),
                   CASE kind.tag
                       WHEN 'topics'
                       THEN format('Name one %s in handles; or set hubs.%s.tags to "topics" in the configuration, if phones '
                                   'subscribe to topics, and run: fanfare migrate up', kind.handle, hub.name)
                       ELSE format('Name one %s in handles.', kind.handle)
                   END)::push.problem
           END
$$;
COMMENT ON FUNCTION push_internal.wrong_tag_of_kind IS 'The problem of a tag at a hub whose kind has no tags of devices; null: none.';

CREATE OR REPLACE FUNCTION push_internal.wrong_tag_of_hub(hub push.hub, tag text) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kind push.hub_kind;
BEGIN
    IF hub.takes_templates THEN
        RETURN push_internal.wrong_tag(tag);
    END IF;
    SELECT k.* INTO kind FROM push.hub_kind k WHERE k.name = hub.kind;
    RETURN push_internal.wrong_tag_of_kind(hub, kind, tag);
END $$;
COMMENT ON FUNCTION push_internal.wrong_tag_of_hub IS 'The problem of a tag or expression at this hub, by its kind; null: none.';

CREATE OR REPLACE FUNCTION push_internal.wrong_handles_of_kind(hub push.hub, kind push.hub_kind, handles text[]) RETURNS push.problem
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
               WHEN handles IS NULL THEN NULL
               WHEN cardinality(handles) <> 1 AND kind.handles = 1 OR cardinality(handles) > kind.handles THEN ROW (
                   'handles', 'handles_fit_one_request',
                   format('push.message.handles has %s handles, and one request to %s takes exactly one %s',
                          cardinality(handles), kind.label, kind.handle),
                   format('Enqueue a row for each: INSERT INTO push.message (hub, handles, format, content) SELECT %L, ARRAY[h], '
                          '%L, ''{...}'' FROM unnest(''{...}''::text[]) h', hub.name, kind.formats[1]))::push.problem
               WHEN kind.handles = 1 AND octet_length(handles[array_lower(handles, 1)]) > kind.handle_bytes THEN ROW (
                   'handles', 'handles_fit_one_request',
                   format('push.message.handles[1] has %s bytes, and a %s of %s has at most %s',
                          octet_length(handles[array_lower(handles, 1)]), kind.handle, kind.label, kind.handle_bytes),
                   format('Write the %s as the app got it.', kind.handle))::push.problem
               WHEN 'fcmv1' = ANY (kind.formats) AND handles[array_lower(handles, 1)] = 'fid:' THEN ROW (
                   'handles', 'handles_fit_one_request', 'push.message.handles[1] names no installation behind fid:',
                   format('Write fid: and the Firebase installation id, or a %s.', kind.handle))::push.problem
           END
$$;
COMMENT ON FUNCTION push_internal.wrong_handles_of_kind IS
    'The problem of handles at a hub of such a kind; null: none but those that push_internal.wrong_handles finds.';

CREATE OR REPLACE FUNCTION push_internal.wrong_format_of_kind(hub push.hub, kind push.hub_kind, format text) RETURNS push.problem
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
               WHEN format <> ALL (kind.formats) THEN ROW (
                   'format', 'format_is_of_the_kind',
                   format('push.message.format %s: hub %s is %s: set format to %s', push_internal.quoted(format, 60), hub.name,
                          kind.label, array_to_string(kind.formats, ' or ')),
                   CASE format WHEN 'template' THEN 'The default format, template, is for kinds of hubs that render templates. ' ELSE '' END
                   || format('Write the payload of the service, such as %s.', kind.example))::push.problem
           END
$$;
COMMENT ON FUNCTION push_internal.wrong_format_of_kind IS 'The problem of a format that a hub of such a kind does not take; null: none.';

CREATE OR REPLACE FUNCTION push_internal.wrong_headers_of_kind(hub push.hub, kind push.hub_kind, headers json) RETURNS push.problem
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
               WHEN kind.headers <> '{}' AND json_typeof(headers) = 'object' THEN (
                   SELECT ROW (
                              'headers', 'headers_are_of_the_kind',
                              format('push.message.headers: hub "%s" is %s, which has no header %s', hub.name, kind.label,
                                     push_internal.quoted(n.name, 60)),
                              format('It has %s.%s', array_to_string(kind.headers, ', '), CASE
                                  WHEN n.name COLLATE "C" ~* '^ServiceBusNotification-'
                                  THEN ' Those that begin with ServiceBusNotification- are for Notification Hubs; how long a push '
                                       'may wait says push.message.expires_at.'
                                  ELSE ''
                              END))::push.problem
                     FROM json_object_keys(headers) n(name)
                    WHERE n.name COLLATE "C" !~* ('^(' || replace(array_to_string(kind.headers, '|'), '*', '[a-z-]+') || ')$')
                    LIMIT 1)
           END
$$;
COMMENT ON FUNCTION push_internal.wrong_headers_of_kind IS
    'The problem of a header that a service of such a kind does not have; null: none. Which of them a format has, and what they '
    'may say, push.payload_rule knows.';

CREATE OR REPLACE FUNCTION push_internal.wrong_for_kind(
    hub text, format text, tag text, handles text[], broadcast boolean, locale text, headers json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.hub;
    kind push.hub_kind;
    problem push.problem;
BEGIN
    SELECT h.* INTO this FROM push.hub h WHERE h.name = wrong_for_kind.hub AND NOT h.takes_templates;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    SELECT k.* INTO kind FROM push.hub_kind k WHERE k.name = this.kind;
    problem := coalesce(
        push_internal.wrong_format_of_kind(this, kind, format),
        push_internal.wrong_tag_of_kind(this, kind, tag),
        push_internal.wrong_handles_of_kind(this, kind, handles),
        push_internal.wrong_headers_of_kind(this, kind, headers));
    IF NOT problem IS NULL THEN
        RETURN problem;
    ELSIF broadcast THEN
        IF NOT kind.takes_broadcasts THEN
            RETURN ('broadcast', 'hub_has_broadcasts',
                    format('push.message.broadcast: hub "%s" is %s, which sends to single devices only', this.name, kind.label),
                    format('Name one %s in handles. A campaign to a list or view of handles reaches many.', kind.handle)
                   )::push.problem;
        ELSIF NOT this.allow_broadcast THEN
            RETURN push_internal.wrong_for_hub(this, 'broadcast_is_allowed', 'broadcast', NULL);
        ELSIF kind.tag = 'topics' AND this.broadcast_topic IS NULL THEN
            RETURN ('broadcast', 'broadcast_has_a_topic',
                    format('push.message.broadcast: hub "%s" is %s and has no topic for messages to everyone', this.name, kind.label),
                    format('Set hubs.%s.broadcastTopic to a topic that every phone subscribes to, and run: fanfare migrate up', this.name)
                   )::push.problem;
        END IF;
    END IF;
    IF locale IS NULL THEN
        RETURN NULL;
    ELSIF NOT kind.takes_languages THEN
        RETURN ('locale', 'hub_knows_languages',
                format('push.message.locale %s: hub "%s" is %s, which does not know the languages of devices',
                       push_internal.quoted(locale, 60), this.name, kind.label),
                'Leave locale out: write the text in the language of the device, or let the device translate (title-loc-key, '
                'loc-key).')::push.problem;
    ELSIF this.localization <> 'tags' THEN
        RETURN ('locale', 'locale_narrows_topics',
                format('push.message.locale %s: hub "%s" is %s, which does not know the languages of phones',
                       push_internal.quoted(locale, 60), this.name, kind.label),
                format('Leave locale out and let the phone translate (title_loc_key); or set hubs.%s.localization to "tags": then '
                       'the row goes to phones that also have the topic locale_%s.', this.name, left(locale, 20)))::push.problem;
    ELSIF handles IS NULL THEN
        RETURN push_internal.wrong_topics(
            format('(%s) && %s', coalesce(tag, this.broadcast_topic), push_internal.locale_tag(this.languages, locale)), kind);
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.wrong_for_kind IS
    'The problem of a row for a hub whose kind renders no templates, and so has rules of its own; null: none, or another kind.';

CREATE OR REPLACE FUNCTION push_internal.has_own_rules(hub text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN EXISTS (SELECT FROM push.hub h WHERE h.name = has_own_rules.hub AND NOT h.takes_templates);
COMMENT ON FUNCTION push_internal.has_own_rules IS 'Whether push_internal.wrong_for_kind judges the rows of this hub.';
