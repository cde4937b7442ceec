-- Which templates the devices of a hub have: what workers find in changes of devices, and what people learn from files.

CREATE OR REPLACE FUNCTION push_worker.newest_changes_v1(behind bigint, most int DEFAULT 2000, most_bytes int DEFAULT 8000000)
RETURNS TABLE (id bigint, hub int, device text, action push.device_action, document json, at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    IF NOT EXISTS (SELECT FROM push.installation_change c WHERE c.id > newest_changes_v1.behind) THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT n.id, n.hub, n.device, n.action, n.document, n.at
      FROM (SELECT c.*, sum(octet_length(c.document::text)) OVER (ORDER BY c.id DESC) AS bytes
              FROM (SELECT c.id, c.hub, c.device, c.action, c.document, c.at
                      FROM push.installation_change c
                     ORDER BY c.id DESC
                     LIMIT newest_changes_v1.most) c) n
     WHERE n.bytes <= newest_changes_v1.most_bytes
     ORDER BY n.id;
END $$;
COMMENT ON FUNCTION push_worker.newest_changes_v1 IS
    'The newest changes of devices of all hubs, the oldest of them first, within a bound of bytes of their documents. '
    'Nothing where no change is newer than behind.';

CREATE OR REPLACE FUNCTION push_internal.template_hash(platform text, name text, body text, headers text, expiry text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN left(encode(sha256(convert_to(ROW (platform, name, body, headers, expiry)::text, 'UTF8')), 'hex'), 32);
COMMENT ON FUNCTION push_internal.template_hash IS 'What names a template in push.device_template.';

CREATE OR REPLACE FUNCTION push_internal.keep_templates(
    hub       int,
    platforms text[],
    names     text[],
    bodies    text[],
    headers   text[],
    expiries  text[],
    devices   bigint[],
    seen      double precision[],
    of        bigint,
    by_worker boolean)
RETURNS int
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    most constant int := 1000;                     -- templates of a hub
    most_looked constant int := 2000;              -- devices that a worker looks at
    changed int;
BEGIN
    WITH found AS MATERIALIZED (
        SELECT DISTINCT ON (h.hash)
               h.hash, u.platform, u.name, u.body, u.headers, u.expiry, u.devices, to_timestamp(u.seen) AS seen_at
          FROM unnest(keep_templates.platforms, keep_templates.names, keep_templates.bodies, keep_templates.headers,
                      keep_templates.expiries, keep_templates.devices, keep_templates.seen)
                   u(platform, name, body, headers, expiry, devices, seen),
               LATERAL (SELECT push_internal.template_hash(u.platform, u.name, u.body, u.headers, u.expiry) AS hash) h
         ORDER BY h.hash, u.devices DESC, u.seen DESC
    ), known AS MATERIALIZED (
        SELECT t.hash, t.devices, t.of, t.seen_at FROM push.device_template t WHERE t.hub = keep_templates.hub
    ), counted AS (
        -- A count of all devices says more than that of a worker, and one of no device says nothing.
        SELECT coalesce(f.hash, k.hash) AS hash, k.hash IS NOT NULL AS is_known,
               CASE WHEN o.is_kept THEN k.devices ELSE f.devices END AS devices,
               CASE WHEN o.is_kept THEN k.of ELSE keep_templates.of END AS of,
               greatest(f.seen_at, k.seen_at) AS seen_at
          FROM found f
               FULL JOIN known k ON k.hash = f.hash,
               LATERAL (
                   SELECT k.hash IS NOT NULL
                          AND (f.hash IS NULL OR keep_templates.of = 0 OR keep_templates.by_worker AND k.of > most_looked) AS is_kept) o
    ), ranked AS MATERIALIZED (
        -- What was learned by itself stays, then what most devices have.
        SELECT c.*, row_number() OVER (ORDER BY c.of = 0 DESC, c.devices DESC, c.seen_at DESC, c.hash) AS nth FROM counted c
    ), gone AS (
        DELETE FROM push.device_template t
         USING ranked r
         WHERE r.nth > most
           AND r.is_known
           AND t.hub = keep_templates.hub
           AND t.hash = r.hash
        RETURNING 1
    ), written AS (
        INSERT INTO push.device_template AS t (hub, hash, platform, name, body, headers, expiry, devices, of, seen_at)
        SELECT keep_templates.hub, f.hash, f.platform, f.name, f.body, f.headers::json, f.expiry, r.devices, r.of, r.seen_at
          FROM ranked r
               JOIN found f ON f.hash = r.hash
         WHERE r.nth <= most
            ON CONFLICT ON CONSTRAINT device_template_pkey DO UPDATE
           SET devices = excluded.devices, of = excluded.of, seen_at = excluded.seen_at
         WHERE (t.devices, t.of, t.seen_at) IS DISTINCT FROM (excluded.devices, excluded.of, excluded.seen_at)
        RETURNING 1
    )
    SELECT (SELECT count(*) FROM gone) + (SELECT count(*) FROM written) INTO changed;
    RETURN changed;
END $$;
COMMENT ON FUNCTION push_internal.keep_templates IS
    'Writes the templates that were found on some of a hub''s devices, and of more than 1,000 lets the least seen go. seen: '
    'seconds since 1970; of: devices that were looked at. Returns how many rows it wrote or deleted: what is the same stays. '
    'The caller has the lock templates.';

CREATE OR REPLACE FUNCTION push_worker.keep_templates_v1(
    hub       int,
    platforms text[],
    names     text[],
    bodies    text[],
    headers   text[],
    expiries  text[],
    devices   bigint[],
    seen      double precision[],
    of        bigint)
RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
BEGIN
    PERFORM FROM push.lock l WHERE l.name = 'templates' FOR UPDATE SKIP LOCKED;
    IF NOT FOUND OR NOT EXISTS (SELECT FROM push.hub h WHERE h.id = keep_templates_v1.hub AND h.removed_at IS NULL) THEN
        RETURN NULL;
    END IF;
    RETURN push_internal.keep_templates(hub, platforms, names, bodies, headers, expiries, devices, seen, of, by_worker => true);
END $$;
COMMENT ON FUNCTION push_worker.keep_templates_v1 IS
    'As push_internal.keep_templates, of the newest changes. Null: another session is at it, or the hub was removed.';

CREATE OR REPLACE FUNCTION push.learn_templates(
    hub       text,
    platforms text[],
    names     text[],
    bodies    text[],
    headers   text[],
    expiries  text[],
    devices   bigint[],
    of        bigint)
RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
    number constant int := push_internal.hub_number(hub);
    sizes constant int[] := ARRAY[cardinality(platforms), cardinality(names), cardinality(bodies), cardinality(headers),
                                  cardinality(expiries), cardinality(devices)];
    wrong record;
    changed int;
BEGIN
    PERFORM push_internal.begin_action();
    IF NOT EXISTS (SELECT FROM push.hub h JOIN push.hub_kind k ON k.name = h.kind AND k.keeps_devices WHERE h.id = number) THEN
        PERFORM push_internal.refuse_kind(hub, 'push.learn_templates');
    ELSIF cardinality(platforms) <> ANY (sizes) OR array_position(sizes, NULL) IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'array_subscript_error', MESSAGE = 'push.learn_templates: the arrays differ in length',
            HINT = 'Each has one element for each template.';
    ELSIF of IS NULL OR of < 0 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.learn_templates: of is %s', coalesce(of::text, 'null')),
            HINT = 'It is the number of devices that were looked at; 0: none was.';
    END IF;
    SELECT u.n, p.problem INTO wrong
      FROM unnest(platforms, names, bodies, headers, expiries, devices) WITH ORDINALITY u(platform, name, body, headers, expiry, devices, n),
           LATERAL (
               SELECT CASE
                          WHEN u.platform IS DISTINCT FROM push_internal.device_platform(u.platform) OR u.platform IS NULL
                          THEN format('is for the platform %s, which is not known', coalesce(push_internal.quoted(u.platform, 60), 'NULL'))
                          WHEN length(u.name) > 200 OR u.name IS NULL OR u.name ~ '^\s*$' THEN 'has a name that has not 1 to 200 characters'
                          WHEN u.expiry ~ '^\s*$' THEN 'has an empty expiry; null is none'
                          WHEN octet_length(u.body) > 65536 THEN format('has a body of %s bytes, 65,536 are allowed', octet_length(u.body))
                          WHEN u.devices NOT BETWEEN 0 AND of OR u.devices IS NULL
                          THEN format('is on %s devices, of %s', coalesce(u.devices::text, 'null'), of)
                          WHEN push_internal.wrong_json(u.headers) IS NOT NULL THEN 'has headers that are not an object of texts'
                          ELSE coalesce(push_internal.wrong_member('body', to_json(u.body), u.platform),
                                        push_internal.wrong_member('headers', u.headers::json, u.platform))
                      END AS problem) p
     WHERE p.problem IS NOT NULL
     ORDER BY u.n
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'device_template', CONSTRAINT = 'templates_are_templates',
            MESSAGE = format('push.learn_templates: template %s %s', wrong.n, wrong.problem),
            HINT = 'A body is a text: that of a template of push.put_device.';
    END IF;
    PERFORM FROM push.lock l WHERE l.name = 'templates' FOR UPDATE;
    changed := push_internal.keep_templates(
        number, platforms, names, bodies, headers, expiries, devices,
        array_fill(extract(epoch FROM clock_timestamp())::double precision, ARRAY[cardinality(platforms)]), of, by_worker => false);
    INSERT INTO push.audit (action, detail)
    VALUES ('learn_templates', json_build_object('hub', hub, 'templates', cardinality(platforms), 'of', of));
    RETURN changed;
END $$;
COMMENT ON FUNCTION push.learn_templates IS
    'Keeps templates that devices of a hub have: what fanfare template learn found in a file. devices: how many have each; of: how '
    'many were looked at. Platforms as Notification Hubs spells them; headers: objects of texts as JSON text, or null. Returns how '
    'many rows of push.device_template changed.';

CREATE OR REPLACE FUNCTION push.forget_templates(hub text, template text DEFAULT NULL) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
#variable_conflict use_column
DECLARE
    number constant int := push_internal.hub_number(hub, or_removed => true);
    forgotten int;
BEGIN
    PERFORM push_internal.begin_action();
    IF template ~ '^\s*$' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value', MESSAGE = 'push.forget_templates: template is empty',
            HINT = 'It is a name, or the beginning of a hash; null forgets all templates of the hub.';
    END IF;
    PERFORM FROM push.lock l WHERE l.name = 'templates' FOR UPDATE;
    DELETE FROM push.device_template t
     WHERE t.hub = number
       AND (template IS NULL OR t.name = template OR length(template) >= 4 AND starts_with(t.hash, template));
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    INSERT INTO push.audit (action, detail)
    VALUES ('forget_templates', json_build_object('hub', hub, 'template', template, 'templates', forgotten));
    RETURN forgotten;
END $$;
COMMENT ON FUNCTION push.forget_templates IS
    'Forgets templates of a hub: those of that name, or whose hash begins so with at least 4 characters; null: all. A worker finds '
    'again what devices have. Returns how many.';
