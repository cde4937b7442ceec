-- Recipients of an audience as the planner sees them, without anything of a person.

CREATE OR REPLACE FUNCTION push_internal.placeholders_of(texts text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(DISTINCT lower(p.word[1])), '{}')
      FROM regexp_matches(texts, '\{\{ *([A-Za-z0-9_.-]{1,100}) *(?:\||\}\})', 'g') p(word)
$$;
COMMENT ON FUNCTION push_internal.placeholders_of IS 'The properties that texts show, in lower case.';

CREATE OR REPLACE FUNCTION push_internal.stand_in_value(
    value json, OUT kind text, OUT written int, OUT bytes int, OUT escapes int)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    type constant text := json_typeof(value);
    shown constant text := value #>> '{}';
BEGIN
    IF type IN ('array', 'object') THEN
        kind := type;
        RETURN;
    END IF;
    written := octet_length(value::text) - CASE type WHEN 'string' THEN 2 ELSE 0 END;
    bytes := octet_length(shown);
    kind := CASE
        WHEN shown ~ U&'^[\0009-\000d \0085\00a0\1680\2000-\200a\2028\2029\202f\205f\3000]*$' THEN 'blank'
        WHEN shown COLLATE "C" ~ '^[0-9]+$' THEN 'digits'
        WHEN shown COLLATE "C" ~ '^[ -~]+$' THEN 'ascii'
        WHEN shown ~ U&'[\0001-\0008\000b\000c\000e-\001f\fffe\ffff]' THEN 'control'
        ELSE 'text'
    END;
    escapes := nullif(
        3 * (length(shown) - length(translate(shown, E'<>\t', '')))
        + 4 * (length(shown) - length(translate(shown, E'&\r\n', '')))
        + 5 * (length(shown) - length(translate(shown, '"''', ''))), 0);
END $$;
COMMENT ON FUNCTION push_internal.stand_in_value IS
    'What the planner needs of a value of a property: kind: array, object, blank, digits, ascii (of printable '
    'characters), control (with a character that XML cannot carry), text; written: bytes as it stands in JSON; bytes: '
    'bytes of what is shown; escapes: bytes that an attribute in XML has more, null: none.';

CREATE OR REPLACE FUNCTION push_internal.stand_in_values(properties json, shown text[]) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(jsonb_object_agg(o.name, jsonb_strip_nulls(to_jsonb(v))), '{}')
      FROM (SELECT DISTINCT ON (lower(e.key)) lower(e.key) AS name, e.value
              FROM json_each(CASE json_typeof(properties) WHEN 'object' THEN properties END) WITH ORDINALITY e(key, value, n)
             WHERE lower(e.key) = ANY (shown)
             ORDER BY lower(e.key), e.n DESC) o,
           LATERAL push_internal.stand_in_value(o.value) v
     WHERE json_typeof(o.value) <> 'null'
$$;
COMMENT ON FUNCTION push_internal.stand_in_values IS
    'What stands in for those properties that texts show: push_internal.stand_in_value by name.';

CREATE OR REPLACE FUNCTION push_internal.shown_values(properties json, shown text[]) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT jsonb_object_agg(
               o.name,
               CASE json_typeof(o.value)
                   WHEN 'string' THEN substr(o.value::text, 2, length(o.value::text) - 2)
                   ELSE o.value::text
               END)::text
      FROM (SELECT DISTINCT ON (lower(e.key)) lower(e.key) AS name, e.value
              FROM json_each(CASE json_typeof(properties) WHEN 'object' THEN properties END) WITH ORDINALITY e(key, value, n)
             WHERE lower(e.key) = ANY (shown)
             ORDER BY lower(e.key), e.n DESC) o
     WHERE json_typeof(o.value) <> 'null'
$$;
COMMENT ON FUNCTION push_internal.shown_values IS
    'The values of those properties that texts show, as they are written into a text: equal for recipients who read the same.';

CREATE OR REPLACE FUNCTION push_internal.without_words(tag text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(tag COLLATE "C", '(\$(?:InstallationId|UserId):\{)?[A-Za-z0-9_@#.:=-]+', '\1t', 'g');
COMMENT ON FUNCTION push_internal.without_words IS 'A valid tag or expression with t in place of each tag.';

CREATE OR REPLACE FUNCTION push_internal.capped_recipients(recipients text[], cap json) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    today constant date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    cap_group constant int := (SELECT g.id FROM push.cap_group g WHERE g.name = cap ->> 'group');
BEGIN
    IF cap_group IS NOT NULL THEN
        RETURN QUERY
        SELECT c.hash
          FROM push_internal.hashes_at_cap(
                   recipients, cap_group, today - (cap ->> 'days')::int, today, (cap ->> 'count')::int, 0) c;
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.capped_recipients IS
    'Hashes of the keys that a run with a cap would leave out if it began now.';

CREATE OR REPLACE FUNCTION push.stand_ins_of_campaign(campaign text, revision int DEFAULT NULL, most int DEFAULT 1000)
RETURNS TABLE (hub text, recipients bigint, left_out text, refused text, target text, tag text, locale text, is_late boolean,
               properties jsonb, twin bigint, target_twin bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    known constant push.campaign := push_internal.campaign_of(campaign);
    spec constant json := (push_internal.revision_known(known, coalesce(revision, known.revision))).spec;
    format constant text := coalesce(spec ->> 'format', 'template');
    content constant json := spec -> 'content';
    locales constant text[] := push_internal.locales_of(content);
    is_broadcast constant boolean := spec -> 'audience' -> 'broadcast' IS NOT NULL;
    now_at constant timestamptz := clock_timestamp();
    this push.hub;
    kind push.hub_kind;
BEGIN
    PERFORM push_internal.refuse_spec(push_internal.wrong_spec(spec));
    FOR this IN
        SELECT h.* FROM push.hub h WHERE h.name IN (SELECT e.value #>> '{}' FROM json_array_elements(spec -> 'hubs') e) ORDER BY h.name
    LOOP
        SELECT k.* INTO kind FROM push.hub_kind k WHERE k.name = this.kind;
        RETURN QUERY
        WITH page AS MATERIALIZED (
            SELECT p.*, row_number() OVER () AS n, coalesce(p.key = lag(p.key) OVER (), false) AS is_double
              FROM push_internal.recipients(
                       spec -> 'audience', CASE WHEN this.localization = 'tags' THEN locales ELSE '{}' END, NULL,
                       least(greatest(stand_ins_of_campaign.most, 1), 10000)) p
        ), asked AS MATERIALIZED (
            SELECT p.*,
                   CASE
                       WHEN p.is_double THEN 'double_key'
                       WHEN EXISTS (
                                SELECT
                                  FROM (VALUES ('key', p.key), ('tag', p.tag), ('handle', p.handle)) o(what, value)
                                       JOIN push.suppression s ON s.what = o.what AND s.value = o.value
                                 WHERE coalesce(s.until, 'infinity') > now_at
                                OFFSET 0) THEN 'suppressed'
                   END AS left_out
              FROM page p
        ), capped AS MATERIALIZED (
            SELECT c.hash
              FROM push_internal.capped_recipients(ARRAY(SELECT a.key FROM asked a WHERE a.left_out IS NULL), spec -> 'cap') c(hash)
             WHERE spec -> 'cap' IS NOT NULL
        ), judged AS MATERIALIZED (
            SELECT a.n, a.tag, a.handle, a.locale, a.properties, a.expires_at,
                   coalesce(a.left_out, CASE WHEN hashtextextended(a.key, 0) IN (SELECT c.hash FROM capped c) THEN 'capped' END) AS left_out,
                   CASE
                       WHEN a.left_out IS NULL
                            AND push_internal.is_usual_recipient(a.tag, a.handle, a.locale, a.properties, format, NOT this.takes_templates) IS NOT TRUE
                       THEN push_internal.why_not_recipient(
                                a.tag, a.handle, a.locale, a.properties, format, spec -> 'headers',
                                num_nonnulls(a.tag, a.handle) = 0 AND is_broadcast,
                                CASE WHEN NOT this.takes_templates THEN this.name END)
                   END AS refused
              FROM asked a
        ), language AS MATERIALIZED (
            SELECT l.locale, t.chosen,
                   push_internal.placeholders_of(concat(
                       spec -> 'headers',
                       CASE WHEN t.chosen IS NULL THEN content ELSE content -> t.chosen END,
                       CASE WHEN format = 'template' THEN content -> '' END)) AS shown
              FROM (SELECT DISTINCT j.locale FROM judged j WHERE j.left_out IS NULL AND j.refused IS NULL) l,
                   LATERAL (
                       -- In one body with all languages nobody is asked for theirs.
                       SELECT CASE
                                  WHEN NOT (format = 'template' AND this.localization = 'properties' AND locales <> '{}')
                                  THEN push_internal.language_for(content, l.locale, coalesce(spec ->> 'fallback', this.fallback))
                              END AS chosen) t
        ), planned AS MATERIALIZED (
            SELECT j.n, CASE WHEN j.tag IS NOT NULL THEN 'tag' WHEN j.handle IS NOT NULL THEN 'handle' ELSE 'broadcast' END AS target,
                   push_internal.without_words(j.tag) AS tag,
                   -- Of somebody without a locale the tag is not narrowed to the language that is chosen.
                   CASE WHEN j.locale IS NOT NULL THEN nullif(l.chosen, '') END AS locale,
                   coalesce(j.expires_at <= now_at, false) AS is_late,
                   push_internal.stand_in_values(j.properties, l.shown) AS properties,
                   -- The first recipient that is the same, in the order of the keys: a number of its own says nothing of it.
                   min(j.n) OVER (PARTITION BY push_internal.shown_values(j.properties, l.shown)) AS twin,
                   min(j.n) OVER (
                       PARTITION BY j.handle, CASE WHEN kind.folds_case THEN lower(j.tag) ELSE j.tag END) AS target_twin
              FROM judged j
                   JOIN language l ON l.locale IS NOT DISTINCT FROM j.locale
             WHERE j.left_out IS NULL AND j.refused IS NULL
        )
        SELECT this.name, count(*), s.left_out, s.refused, s.target, s.tag, s.locale, s.is_late, s.properties, s.twin, s.target_twin
          FROM (SELECT j.n, j.left_out, j.refused, NULL AS target, NULL AS tag, NULL AS locale, NULL::boolean AS is_late,
                       NULL::jsonb AS properties, NULL::bigint AS twin, NULL::bigint AS target_twin
                  FROM judged j
                 WHERE j.left_out IS NOT NULL OR j.refused IS NOT NULL
                 UNION ALL
                SELECT p.n, NULL, NULL, p.target, p.tag, p.locale, p.is_late, p.properties,
                       dense_rank() OVER (ORDER BY p.twin), dense_rank() OVER (ORDER BY p.target_twin)
                  FROM planned p) s
         GROUP BY s.left_out, s.refused, s.target, s.tag, s.locale, s.is_late, s.properties, s.twin, s.target_twin
         ORDER BY min(s.n);
    END LOOP;
END $$;
COMMENT ON FUNCTION push.stand_ins_of_campaign IS
    'What the planner needs to know of the first recipients of a revision, in the order of their keys, and nothing of a person: '
    'once for each hub and for recipients that are alike; revision null: the newest; most: recipients that are read, at most '
    '10,000. left_out: double_key, suppressed or capped; refused: what is wrong with it, before anything is planned; target: '
    'tag, handle or broadcast; tag: its expression, with t for each tag; locale: the language that the rules of a run choose; '
    'null: it has none, or gets what is for all; is_late: its expires_at is past; properties: by placeholder kind (array, '
    'object, blank, digits, ascii, text), bytes as written in JSON, and bytes shown; a placeholder that is not there has no '
    'value; twin: equal for those who read the same values; target_twin: equal for those with the same tag, expression or '
    'handle; both counted from 1. Sends nothing and writes nothing.';

CREATE OR REPLACE FUNCTION push_internal.members_of_list(list int, OUT members bigint, OUT is_estimate boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    most constant int := 1000000;          -- half a second
    plan json;
BEGIN
    SELECT count(*) INTO members
      FROM (SELECT FROM push.list_member m WHERE m.list = members_of_list.list ORDER BY m.list, m.key LIMIT most) m;
    is_estimate := members = most;
    IF is_estimate THEN
        EXECUTE format('EXPLAIN (FORMAT json) SELECT FROM push.list_member m WHERE m.list = %s', list) INTO plan;
        members := greatest(most, (plan -> 0 -> 'Plan' ->> 'Plan Rows')::bigint);
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.members_of_list IS
    'How many recipients a list has, counted up to a million; of larger ones what PostgreSQL expects, at least a million.';

CREATE OR REPLACE FUNCTION push.recipients_of_campaign(campaign text, revision int DEFAULT NULL)
RETURNS TABLE (hub text, recipients bigint, is_estimate boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    known constant push.campaign := push_internal.campaign_of(campaign);
    spec constant json := (push_internal.revision_known(known, coalesce(revision, known.revision))).spec;
    audience constant json := spec -> 'audience';
    list constant int := push_internal.list_of(audience);
    listed record;
BEGIN
    PERFORM push_internal.refuse_spec(push_internal.wrong_spec(spec));
    SELECT l.members, l.is_estimate INTO listed FROM push_internal.members_of_list(list) l WHERE list IS NOT NULL;
    RETURN QUERY
    SELECT h.name,
           coalesce(
               listed.members,
               push_internal.estimate_audience(
                   audience, CASE WHEN h.localization = 'tags' THEN cardinality(push_internal.locales_of(spec -> 'content')) ELSE 0 END)),
           coalesce(listed.is_estimate, audience -> 'view' IS NOT NULL)
      FROM push.hub h
     WHERE h.name IN (SELECT e.value #>> '{}' FROM json_array_elements(spec -> 'hubs') e)
     ORDER BY h.name;
END $$;
COMMENT ON FUNCTION push.recipients_of_campaign IS
    'How many recipients a revision has on each hub; of a view and of a list of more than a million an estimate. revision null: '
    'the newest.';

CREATE OR REPLACE FUNCTION push.texts_of_campaign(campaign text, revision int DEFAULT NULL)
RETURNS TABLE (hub text, localization text, languages text[], words text[], fallback text, plain_fallback boolean,
               property_pattern text, allow_broadcast boolean, format text, headers json, own_fallback text, locales text[],
               texts text[], kind text, tags_are_topics boolean, broadcast_topic text, pack_tags boolean, pack boolean,
               priority smallint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    known constant push.campaign := push_internal.campaign_of(campaign);
    spec constant json := (push_internal.revision_known(known, coalesce(revision, known.revision))).spec;
BEGIN
    RETURN QUERY
    SELECT h.name, h.localization, l.locales, l.words, h.fallback, coalesce((h.settings ->> 'plainFallback')::boolean, true),
           coalesce(h.settings ->> 'propertyPattern', '{property}_{language}'), h.allow_broadcast,
           coalesce(spec ->> 'format', 'template'), spec -> 'headers', spec ->> 'fallback', t.locales, t.texts,
           h.kind, h.tags_are_topics, h.broadcast_topic, (h.settings ->> 'packTags')::boolean,
           coalesce((spec ->> 'pack')::boolean, true), coalesce((spec ->> 'priority')::smallint, 2::smallint)
      FROM push.hub h,
           LATERAL (
               SELECT coalesce(array_agg(w.key), '{}') AS locales, coalesce(array_agg(w.value), '{}') AS words
                 FROM (SELECT e.key, e.value FROM json_each_text(h.settings -> 'languages') e
                        UNION ALL
                       SELECT u.name, u.name FROM unnest(h.languages) u(name) WHERE h.settings -> 'languages' IS NULL) w) l,
           (SELECT array_agg(e.key) AS locales, array_agg(e.value::text) AS texts FROM json_each(spec -> 'content') e) t
     WHERE h.name IN (SELECT e.value #>> '{}' FROM json_array_elements(spec -> 'hubs') e)
     ORDER BY h.name;
END $$;
COMMENT ON FUNCTION push.texts_of_campaign IS
    'What the planner needs to know of a revision and its hubs, to plan push.stand_ins_of_campaign; revision null: the newest.';
