-- Which messages share a content_key or a dedupe_key, and what was done with each key.

CREATE OR REPLACE FUNCTION push.key_tenant(keys_per_tenant boolean, tenant text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN keys_per_tenant THEN coalesce(tenant, '') ELSE '' END;
COMMENT ON FUNCTION push.key_tenant IS
    'For whom a key of a message holds: its tenant where the hub keeps keys per tenant, empty (for all) elsewhere.';

CREATE OR REPLACE FUNCTION push.are_final(ids bigint[]) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT NOT EXISTS (
        SELECT
          FROM unnest(are_final.ids) u(id)
         WHERE EXISTS (SELECT FROM push.message m WHERE m.id = u.id)
           AND coalesce(
                   (SELECT r.status
                      FROM push.result r
                     WHERE r.id = u.id
                     ORDER BY r.arrival DESC
                     LIMIT 1),
                   'retrying') = 'retrying')
$$;
COMMENT ON FUNCTION push.are_final IS
    'Whether all these messages have their final result; a purged message counts as final.';

CREATE OR REPLACE FUNCTION push.post_of(ids bigint[]) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT coalesce(
        (SELECT max(r.post)
           FROM unnest(post_of.ids) u(id),
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
                       AND p.ids && post_of.ids
                    OFFSET 0) p
          WHERE c.ids && post_of.ids))
$$;
COMMENT ON FUNCTION push.post_of IS
    'The newest post that carries one of these messages; null: none was about to be sent yet.';

CREATE OR REPLACE FUNCTION push.late_note(lead bigint, ids bigint[]) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('The content of this content_key left without it (message %s, %s). Use a new content_key.',
                  late_note.lead, coalesce('post ' || push.post_of(late_note.ids), 'about to be posted'))
$$;
COMMENT ON FUNCTION push.late_note IS 'The note of a translation that came after its content was taken.';

CREATE OR REPLACE FUNCTION push.end_rows(
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
    arrived constant bigint := push.arrive();
BEGIN
    INSERT INTO push.result (id, arrival, status, reason, note)
    SELECT u.id, arrived, end_rows.status, end_rows.reason, u.note
      FROM unnest(ids, notes) u(id, note);
    PERFORM push.count_results(
                array_agg(c.hub), array_agg(end_rows.status), array_agg(end_rows.reason), array_agg(c.n),
                end_rows.minute)
       FROM (SELECT h.id AS hub, count(*) AS n
               FROM unnest(ids) u(id),
                    LATERAL (SELECT m.hub FROM push.message m WHERE m.id = u.id OFFSET 0) m,
                    LATERAL (SELECT h.id FROM push.hub h WHERE h.name = m.hub OFFSET 0) h
              GROUP BY h.id) c;
END $$;
COMMENT ON FUNCTION push.end_rows IS
    'Writes a final result for messages that never had a pointer of their own, and counts them. Only for other '
    'functions.';

CREATE OR REPLACE FUNCTION push.first_of(
    first       bigint,
    hub         smallint,
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
             WHERE k.id = first_of.first
               AND k.hub = first_of.hub
               AND k.tag = first_of.tag
               AND k.content_key = first_of.content_key
               AND k.priority = first_of.priority
               AND k.tenant = first_of.tenant)
        THEN first_of.first
        ELSE (
            SELECT min(k.id)
              FROM push.content k
             WHERE k.hub = first_of.hub
               AND k.tag = first_of.tag
               AND k.content_key = first_of.content_key
               AND k.priority = first_of.priority
               AND k.tenant = first_of.tenant
               AND k.id >= first_of.first
               AND lower(k.locale) = lower(first_of.locale))
    END
$$;
COMMENT ON FUNCTION push.first_of IS
    'Which message a row repeats whose dedupe_key message "first" used: that message, or, if both have the same '
    'content_key, the one with the row''s locale. Null: the row is another translation of that content, so it repeats '
    'nothing. tenant: push.key_tenant.';

CREATE OR REPLACE FUNCTION push.repeated(
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
    SELECT push.first_of(
               d.id, d.hub, coalesce(repeated.tag, ''), repeated.content_key, repeated.priority,
               coalesce(repeated.locale, ''), d.tenant)
      FROM push.hub h,
           LATERAL (
               SELECT d.id, d.hub, d.tenant
                 FROM push.dedupe d
                WHERE d.hub = h.id
                  AND d.key = repeated.dedupe_key
                  AND d.tenant = push.key_tenant(h.keys_per_tenant, repeated.tenant)
                  AND d.at >= clock_timestamp() - h.keep_dedupe
               OFFSET 0) d
     WHERE h.name = repeated.hub
$$;
COMMENT ON FUNCTION push.repeated IS
    'The message that a row with these values would repeat; null: none. tenant: push.message.tenant.';
