-- Which messages share a content_key or a dedupe_key, and what was done with each key.

CREATE OR REPLACE FUNCTION push_internal.key_tenant(keys_per_tenant boolean, tenant text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN keys_per_tenant THEN coalesce(tenant, '') ELSE '' END;
COMMENT ON FUNCTION push_internal.key_tenant IS
    'For whom a key of a message holds: its tenant where the hub keeps keys per tenant, empty (for all) elsewhere.';

CREATE OR REPLACE FUNCTION push_internal.have_final_results(ids bigint[]) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT NOT EXISTS (
        SELECT
          FROM unnest(have_final_results.ids) u(id)
         WHERE EXISTS (SELECT FROM push.message m WHERE m.id = u.id)
           AND coalesce(
                   (SELECT r.status
                      FROM push.result r
                     WHERE r.id = u.id
                     ORDER BY r.arrival DESC
                     LIMIT 1),
                   'retrying') = 'retrying')
$$;
COMMENT ON FUNCTION push_internal.have_final_results IS
    'Whether all these messages have their final result; a purged message counts as final.';

CREATE OR REPLACE FUNCTION push_internal.newest_post_of(ids bigint[]) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT coalesce(
        (SELECT max(r.post)
           FROM unnest(newest_post_of.ids) u(id),
                LATERAL (
                    SELECT r.post
                      FROM push.result r
                     WHERE r.id = u.id
                       AND NOT push.is_no_post(r.post)
                    OFFSET 0) r),
        (SELECT max(p.id)
           FROM push.claim c,
                LATERAL (
                    SELECT p.id
                      FROM push.post p
                     WHERE p.id BETWEEN push.first_post(c.id) AND push.last_post(c.id)
                       AND p.ids && newest_post_of.ids
                    OFFSET 0) p
          WHERE c.ids && newest_post_of.ids))
$$;
COMMENT ON FUNCTION push_internal.newest_post_of IS
    'The newest post that carries one of these messages; null: none was about to be sent yet.';

CREATE OR REPLACE FUNCTION push_internal.late_note(lead bigint, ids bigint[]) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('The content of this content_key left without it (message %s, %s). Use a new content_key.',
                  late_note.lead, coalesce('post ' || push_internal.newest_post_of(late_note.ids), 'about to be posted'))
$$;
COMMENT ON FUNCTION push_internal.late_note IS 'The note of a translation that came after its content was taken.';

CREATE OR REPLACE FUNCTION push_internal.end_messages_without_pointer(
    ids    bigint[],
    status push.status,
    reason push.reason,
    notes  text[],
    minute timestamptz)
RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off
AS $$
#variable_conflict use_column
DECLARE
    arrived constant bigint := push_internal.next_arrival();
BEGIN
    INSERT INTO push.result (id, arrival, status, reason, note)
    SELECT u.id, arrived, end_messages_without_pointer.status, end_messages_without_pointer.reason, u.note
      FROM unnest(ids, notes) u(id, note);
    PERFORM push_internal.count_results(
                array_agg(c.hub), array_agg(end_messages_without_pointer.status), array_agg(end_messages_without_pointer.reason), array_agg(c.n),
                end_messages_without_pointer.minute)
       FROM (SELECT h.id AS hub, count(*) AS n
               FROM unnest(ids) u(id),
                    LATERAL (SELECT m.hub FROM push.message m WHERE m.id = u.id OFFSET 0) m,
                    LATERAL (SELECT h.id FROM push.hub h WHERE h.name = m.hub OFFSET 0) h
              GROUP BY h.id) c;
END $$;
COMMENT ON FUNCTION push_internal.end_messages_without_pointer IS
    'Writes a final result for messages that never had a pointer of their own, and counts them.';

CREATE OR REPLACE FUNCTION push_internal.find_repeated_message(
    first       bigint,
    hub         int,
    tag         text,
    content_key text,
    priority    smallint,
    locale      text,
    tenant      text DEFAULT '')
RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT CASE
        WHEN NOT EXISTS (
            SELECT
              FROM push.content k
             WHERE k.id = find_repeated_message.first
               AND k.hub = find_repeated_message.hub
               AND k.tag = find_repeated_message.tag
               AND k.content_key = find_repeated_message.content_key
               AND k.priority = find_repeated_message.priority
               AND k.tenant = find_repeated_message.tenant)
        THEN find_repeated_message.first
        ELSE (
            SELECT min(k.id)
              FROM push.content k
             WHERE k.hub = find_repeated_message.hub
               AND k.tag = find_repeated_message.tag
               AND k.content_key = find_repeated_message.content_key
               AND k.priority = find_repeated_message.priority
               AND k.tenant = find_repeated_message.tenant
               AND k.id >= find_repeated_message.first
               AND lower(k.locale) = lower(find_repeated_message.locale))
    END
$$;
COMMENT ON FUNCTION push_internal.find_repeated_message IS
    'Which message a row repeats whose dedupe_key message "first" used: that message, or, if both have the same '
    'content_key, the one with the row''s locale. Null: the row is another translation of that content, so it repeats '
    'nothing. tenant: push_internal.key_tenant.';

CREATE OR REPLACE FUNCTION push_internal.find_duplicate(
    hub         text,
    dedupe_key  text,
    tag         text,
    content_key text,
    priority    smallint,
    locale      text,
    tenant      text DEFAULT NULL)
RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT push_internal.find_repeated_message(
               d.id, d.hub, coalesce(find_duplicate.tag, ''), find_duplicate.content_key, find_duplicate.priority,
               coalesce(find_duplicate.locale, ''), d.tenant)
      FROM push.hub h,
           LATERAL (
               SELECT d.id, d.hub, d.tenant
                 FROM push.dedupe d
                WHERE d.hub = h.id
                  AND d.key = find_duplicate.dedupe_key
                  AND d.tenant = push_internal.key_tenant(h.keys_per_tenant, find_duplicate.tenant)
                  AND d.at >= clock_timestamp() - h.keep_dedupe
               OFFSET 0) d
     WHERE h.name = find_duplicate.hub
$$;
COMMENT ON FUNCTION push_internal.find_duplicate IS
    'The message that a row with these values would repeat; null: none. tenant: push.message.tenant.';
