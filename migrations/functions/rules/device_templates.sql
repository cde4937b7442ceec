-- The rules of the templates of devices.

CREATE OR REPLACE FUNCTION push_internal.wrong_json(document text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    parsed json;
BEGIN
    BEGIN
        parsed := document;
    EXCEPTION
        WHEN data_exception THEN
            RETURN 'is not JSON';
        WHEN statement_too_complex THEN
            RETURN 'is nested deeper than 64 levels';
    END;
    RETURN push_internal.json_fault(parsed);
END $$;
COMMENT ON FUNCTION push_internal.wrong_json IS
    'Why a text is not JSON that phones and programs can read; null: it is.';

CREATE OR REPLACE FUNCTION push_internal.wrong_xml(document text) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tag constant text := '<[^/>"''](?:[^>"'']|"[^"]*"|''[^'']*'')*';
    tags text;
BEGIN
    IF strpos(document, '<!DOCTYPE') > 0 THEN
        RETURN 'has a document type, which no push needs';
    ELSIF NOT xml_is_well_formed_document(document) THEN
        RETURN 'is not XML';
    ELSIF octet_length(document) - octet_length(replace(document, '<', '')) > 65 THEN
        -- Rounds that each take the innermost elements away; as many as XMLScanner in PushModel reads. The characters 1
        -- and 2, which no XML holds, stand for a start and an end.
        tags := regexp_replace(document, E'<!--(?:(?!-->).)*-->|<!\\[CDATA\\[(?:(?!\\]\\]>).)*\\]\\]>|<\\?(?:(?!\\?>).)*\\?>',
                               '', 'g');
        tags := regexp_replace(tags, '</[^>]*>', E'\x02', 'g');
        tags := regexp_replace(tags, tag || '/>', E'\x01\x02', 'g');
        tags := regexp_replace(tags, tag || '>', E'\x01', 'g');
        tags := regexp_replace(tags, E'[^\x01\x02]+', '', 'g');
        FOR round IN 1..65 LOOP
            EXIT WHEN tags = '';
            tags := replace(tags, E'\x01\x02', '');
        END LOOP;
        IF tags <> '' THEN
            RETURN 'is nested deeper than 65 levels';
        END IF;
    END IF;
    RETURN NULL;
EXCEPTION
    -- A server that was built without libxml. The call still refuses JSON and plain text for a Windows phone
    -- (DeviceRuleTests.aServerWithoutXMLRefusesWhatDoesNotLookLikeIt).
    WHEN feature_not_supported THEN
        RETURN CASE WHEN document !~ E'^\\s*<.*>\\s*$' THEN 'is not XML' END;
END $$;
COMMENT ON FUNCTION push_internal.wrong_xml IS 'Why a text is not XML that a push may hold; null: it is.';

CREATE OR REPLACE FUNCTION push_internal.wrong_member(name text, value json, platform text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kind constant text := json_typeof(value);
    body constant text := CASE WHEN name = 'body' AND kind = 'string' THEN value #>> '{}' END;
    tags text[];
BEGIN
    CASE name
        WHEN 'body' THEN
            IF body IS NULL OR body = '' THEN
                RETURN 'has no body, or one that is not a text';
            ELSIF coalesce(platform IN ('wns', 'mpns'), body ~ E'^\\s*<') THEN
                RETURN 'has a body that ' || push_internal.wrong_xml(body);
            ELSE
                RETURN 'has a body that ' || push_internal.wrong_json(body);
            END IF;
        WHEN 'headers' THEN
            IF kind NOT IN ('object', 'null') OR EXISTS (
                   SELECT
                     FROM json_each(CASE kind WHEN 'object' THEN value END) h
                    WHERE json_typeof(h.value) <> 'string') THEN
                RETURN 'has headers that are not an object of texts';
            END IF;
        WHEN 'expiry' THEN
            IF kind NOT IN ('string', 'null') THEN
                RETURN 'has an expiry that is not a text';
            END IF;
        WHEN 'tags' THEN
            IF kind NOT IN ('array', 'null') OR EXISTS (
                   SELECT
                     FROM json_array_elements(CASE kind WHEN 'array' THEN value END) t(tag)
                    WHERE json_typeof(t.tag) <> 'string') THEN
                RETURN 'has tags that are not a list of texts';
            END IF;
            tags := ARRAY(SELECT t.tag FROM json_array_elements_text(CASE kind WHEN 'array' THEN value END) t(tag));
            RETURN 'has ' || (push_internal.wrong_device_tags(tags, 'tags')).message;
        ELSE
            RETURN format('has the unknown member %s; there are body, headers, tags and expiry',
                          push_internal.quoted(name, 60));
    END CASE;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.wrong_member IS
    'What is wrong with one member of a template of a device; null: nothing. A null platform is not known: then a body '
    'that begins with < is XML. The document must be readable.';

CREATE OR REPLACE FUNCTION push_internal.wrong_template(template json, platform text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    member record;
    seen text[] := '{}';
    wrong text;
BEGIN
    IF json_typeof(template) <> 'object' THEN
        RETURN 'is not an object';
    END IF;
    FOR member IN SELECT m.key, m.value FROM json_each(template) m LOOP
        wrong := CASE
            WHEN member.key = ANY (seen) THEN format('has the member %s twice', push_internal.quoted(member.key, 60))
            ELSE push_internal.wrong_member(member.key, member.value, platform)
        END;
        IF wrong IS NOT NULL THEN
            RETURN wrong;
        END IF;
        seen := seen || member.key;
    END LOOP;
    RETURN CASE WHEN 'body' <> ALL (seen) THEN 'has no body, or one that is not a text' END;
END $$;
COMMENT ON FUNCTION push_internal.wrong_template IS
    'What is wrong with one template of a device; null: nothing. A null platform is not known. The document must be '
    'readable.';

CREATE OR REPLACE FUNCTION push_internal.wrong_templates(templates text, platform text, may_remove boolean) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rule constant text := 'templates_are_templates';
    hint text := E'Such as {"news": {"body": "{\\"aps\\": {\\"alert\\": \\"$(message)\\"}}"}}: names, each with its '
                 'body as a text.';
    document json;
    template record;
    seen text[] := '{}';
    wrong text;
BEGIN
    IF octet_length(templates) > 65536 THEN
        RETURN ('templates', rule, format('templates has %s bytes, 65,536 are allowed', octet_length(templates)),
                'A device needs one template for each kind of message.')::push.problem;
    END IF;
    wrong := push_internal.wrong_json(templates);
    IF wrong IS NOT NULL THEN
        IF templates ~ E'^\\s*\\{[^"]*\\}\\s*$' THEN
            hint := hint || ' Tags have a name of their own: tags => ''{World}''.';
        END IF;
        RETURN ('templates', rule, 'templates ' || wrong, hint)::push.problem;
    END IF;
    document := templates;
    IF json_typeof(document) <> 'object' THEN
        RETURN ('templates', rule, format('templates is a JSON %s, not an object', json_typeof(document)),
                hint)::push.problem;
    END IF;
    FOR template IN SELECT t.key AS name, t.value FROM json_each(document) t LOOP
        wrong := CASE
            WHEN length(template.name) NOT BETWEEN 1 AND 200 THEN 'has a name that has not 1 to 200 characters'
            WHEN template.name = ANY (seen) THEN 'is there twice'
            WHEN may_remove AND json_typeof(template.value) = 'null' THEN NULL
            ELSE push_internal.wrong_template(template.value, platform)
        END;
        IF wrong IS NOT NULL THEN
            RETURN ('templates', rule, format('template %s %s', push_internal.quoted(template.name, 100), wrong),
                    hint)::push.problem;
        END IF;
        seen := seen || template.name;
    END LOOP;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.wrong_templates IS
    'The problem of the templates of a device, as JSON text; null: none. A null platform is not known. may_remove: a '
    'null template is allowed.';
