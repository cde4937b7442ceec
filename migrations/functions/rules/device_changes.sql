-- The rules of a whole device, and of a change of it.

CREATE OR REPLACE FUNCTION push_internal.wrong_put(
    device text, platform text, known_platform text, handle text, tags text[], user_id text, templates text)
RETURNS push.problem
LANGUAGE sql STABLE
RETURN coalesce(
    push_internal.wrong_device(device),
    CASE
        WHEN known_platform IS NULL THEN ROW (
            'platform', 'platform_is_known',
            format('platform %s is not known', coalesce(push_internal.quoted(platform, 60), 'NULL')),
            'Known: apns, wns, mpns, adm, gcm, baidu, browser, fcmV1, xiaomi.')::push.problem
    END,
    CASE
        WHEN push_internal.is_usual_handle(known_platform, handle) IS NOT TRUE THEN push_internal.wrong_handle(known_platform, handle)
    END,
    CASE WHEN push_internal.is_usual_tags(tags) IS NOT TRUE THEN push_internal.wrong_device_tags(tags, 'tags') END,
    push_internal.wrong_user(user_id),
    CASE WHEN templates IS NOT NULL THEN push_internal.wrong_templates(templates, known_platform, false) END);
COMMENT ON FUNCTION push_internal.wrong_put IS
    'The first problem of the arguments of push.put_device; null: none. known_platform: '
    'push_internal.device_platform(platform).';

CREATE OR REPLACE FUNCTION push_internal.named_twice(add_tags text[], remove_tags text[]) RETURNS push.problem
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    twice constant text := (
        SELECT r.tag
          FROM unnest(remove_tags) r(tag)
         WHERE lower(r.tag COLLATE "C") IN (SELECT lower(a.tag COLLATE "C") FROM unnest(add_tags) a(tag))
         LIMIT 1);
BEGIN
    RETURN CASE
        WHEN twice IS NOT NULL THEN ROW (
            'remove_tags', 'a_tag_is_added_or_removed',
            format('remove_tags %s is in add_tags too', push_internal.quoted(twice, 100)),
            'Name a tag once.')::push.problem
    END;
END $$;
COMMENT ON FUNCTION push_internal.named_twice IS 'The problem of a patch that adds and removes one tag; null: none.';

CREATE OR REPLACE FUNCTION push_internal.wrong_patch(
    device text, add_tags text[], remove_tags text[], handle text, user_id text, templates text)
RETURNS push.problem
LANGUAGE sql STABLE
RETURN coalesce(
    push_internal.wrong_device(device),
    CASE WHEN push_internal.is_usual_tags(add_tags) IS NOT TRUE THEN push_internal.wrong_device_tags(add_tags, 'add_tags') END,
    CASE WHEN push_internal.is_usual_tags(remove_tags) IS NOT TRUE THEN push_internal.wrong_device_tags(remove_tags, 'remove_tags') END,
    CASE
        WHEN cardinality(add_tags) > 0 AND cardinality(remove_tags) > 0 THEN push_internal.named_twice(add_tags, remove_tags)
    END,
    CASE WHEN handle IS NOT NULL THEN push_internal.wrong_handle(NULL, handle) END,
    push_internal.wrong_user(user_id),
    CASE WHEN templates IS NOT NULL THEN push_internal.wrong_templates(templates, NULL, true) END,
    CASE
        WHEN coalesce(cardinality(add_tags), 0) + coalesce(cardinality(remove_tags), 0) = 0
             AND num_nonnulls(handle, user_id) = 0
             AND coalesce(templates ~ E'^\\s*\\{\\s*\\}\\s*$', true) THEN ROW (
            'add_tags', 'a_patch_changes_something',
            'push.patch_device changes nothing',
            'Give add_tags, remove_tags, handle, user_id or templates; what is null stays as it is.')::push.problem
    END);
COMMENT ON FUNCTION push_internal.wrong_patch IS 'The first problem of the arguments of push.patch_device; null: none.';
