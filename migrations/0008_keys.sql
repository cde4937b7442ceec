-- Fanfare, migration 8: Messages with a content_key or a dedupe_key, and what was done with each key.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

-- push.content has no unique key over the content, so that backends never wait for each other: INSERT ... ON CONFLICT
-- waits for uncommitted rows, and two backends that insert the same translations in opposite order would deadlock.
-- Workers decide in short transactions which statement takes a content (push.content_taken).
CREATE TABLE push.content (
    id          bigint PRIMARY KEY,
    lead        bigint NOT NULL,
    due_at      timestamptz NOT NULL,
    at          timestamptz NOT NULL DEFAULT now(),
    hub         smallint NOT NULL,
    priority    smallint NOT NULL,
    tenant      text COLLATE "C" NOT NULL DEFAULT '',
    tag         text COLLATE "C" NOT NULL,
    content_key text COLLATE "C" NOT NULL,
    locale      text COLLATE "C" NOT NULL
);
CREATE INDEX content_by_key ON push.content (hub, tag, content_key, priority, tenant, id);
CREATE INDEX content_by_lead ON push.content (lead, id);
COMMENT ON TABLE push.content IS
    'Messages with a content_key, one row each, written only by the enqueuing backend. Rows with the same hub, tag, '
    'key, priority and tenant are translations of one content. push.forget_keys() deletes old ones.';
COMMENT ON COLUMN push.content.id IS 'The message: push.message.id.';
COMMENT ON COLUMN push.content.lead IS
    'The first message of the statement with the same key. Its pointer in push.due stands for these rows until they '
    'are gathered.';
COMMENT ON COLUMN push.content.due_at IS
    'When that pointer is due: at the earliest send_at, but not before the hub''s settle time is over, unless every '
    'language was there.';
COMMENT ON COLUMN push.content.at IS 'When the enqueuing transaction began.';
COMMENT ON COLUMN push.content.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.content.priority IS '0 urgent, 1 normal, 2 bulk.';
COMMENT ON COLUMN push.content.tenant IS 'For whom the key holds: push.key_tenant.';
COMMENT ON COLUMN push.content.tag IS 'push.message.tag; empty: a broadcast or handles.';
COMMENT ON COLUMN push.content.content_key IS 'push.message.content_key.';
COMMENT ON COLUMN push.content.locale IS 'push.message.locale; empty: the row without a language.';
COMMENT ON INDEX push.content_by_key IS 'The translations of a content.';
COMMENT ON INDEX push.content_by_lead IS 'The rows that a keyed pointer stands for.';

CREATE TABLE push.content_taken (
    hub         smallint NOT NULL,
    priority    smallint NOT NULL,
    tenant      text COLLATE "C" NOT NULL DEFAULT '',
    tag         text COLLATE "C" NOT NULL,
    content_key text COLLATE "C" NOT NULL,
    lead        bigint NOT NULL,
    ids         bigint[] NOT NULL,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (hub, tag, content_key, priority, tenant)
) WITH (fillfactor = 90);
COMMENT ON TABLE push.content_taken IS
    'Contents whose key was used: a translation that comes later is late. Written only by workers (push.gather_v1).';
COMMENT ON COLUMN push.content_taken.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.content_taken.priority IS 'Priority of the content, as in push.content.';
COMMENT ON COLUMN push.content_taken.tenant IS 'For whom the key holds, as in push.content.';
COMMENT ON COLUMN push.content_taken.tag IS 'Target of the content, as in push.content.';
COMMENT ON COLUMN push.content_taken.content_key IS 'The key that was used, as in push.content.';
COMMENT ON COLUMN push.content_taken.lead IS 'The message whose pointer was due first.';
COMMENT ON COLUMN push.content_taken.ids IS 'The messages that were there when the content was taken.';
COMMENT ON COLUMN push.content_taken.at IS
    'When the content was taken. The key is free again after the hub''s keep_content, once all messages of ids are '
    'final.';

CREATE TABLE push.dedupe (
    id     bigint NOT NULL,
    at     timestamptz NOT NULL DEFAULT now(),
    hub    smallint NOT NULL,
    tenant text COLLATE "C" NOT NULL DEFAULT '',
    key    text COLLATE "C" NOT NULL,
    PRIMARY KEY (hub, key, tenant)
);
CREATE INDEX dedupe_by_time ON push.dedupe (at);
COMMENT ON TABLE push.dedupe IS
    'Which message first used a dedupe_key. Written by the enqueuing backend: of two open transactions with the same '
    'key the second waits for the first, as with any unique key.';
COMMENT ON COLUMN push.dedupe.id IS 'The first message with this key; of several translations the first.';
COMMENT ON COLUMN push.dedupe.at IS
    'When the enqueuing transaction began. The key is forgotten after the hub''s keep_dedupe.';
COMMENT ON COLUMN push.dedupe.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.dedupe.tenant IS 'For whom the key holds: push.key_tenant.';
COMMENT ON COLUMN push.dedupe.key IS 'push.message.dedupe_key.';
COMMENT ON INDEX push.dedupe_by_time IS 'Old keys, for push.forget_keys().';

CREATE FUNCTION push.key_tenant(keys_per_tenant boolean, tenant text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN keys_per_tenant THEN coalesce(tenant, '') ELSE '' END;
COMMENT ON FUNCTION push.key_tenant IS
    'For whom a key of a message holds: its tenant where the hub keeps keys per tenant, empty (for all) elsewhere.';

CREATE FUNCTION push.are_final(ids bigint[]) RETURNS boolean
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

CREATE FUNCTION push.post_of(ids bigint[]) RETURNS bigint
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

CREATE FUNCTION push.late_note(lead bigint, ids bigint[]) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('The content of this content_key left without it (message %s, %s). Use a new content_key.',
                  late_note.lead, coalesce('post ' || push.post_of(late_note.ids), 'about to be posted'))
$$;
COMMENT ON FUNCTION push.late_note IS 'The note of a translation that came after its content was taken.';

CREATE FUNCTION push.end_rows(
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

CREATE FUNCTION push.first_of(
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

CREATE FUNCTION push.repeated(
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

INSERT INTO push.migration (version, name, works_from) VALUES (8, 'keys', 61);
