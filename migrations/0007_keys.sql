-- Fanfare, migration 7: Messages with a content_key or a dedupe_key, and what was done with each key.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
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
    tag         text COLLATE "C" NOT NULL,
    content_key text COLLATE "C" NOT NULL,
    locale      text COLLATE "C" NOT NULL
);
CREATE INDEX content_by_key ON push.content (hub, tag, content_key, priority, id);
CREATE INDEX content_by_lead ON push.content (lead, id);
COMMENT ON TABLE push.content IS
    'Messages with a content_key, one row each, written only by the enqueuing backend. Rows with the same hub, tag, '
    'key and priority are translations of one content. push.forget_keys() deletes old ones.';
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
COMMENT ON COLUMN push.content.tag IS 'push.message.tag; empty: a broadcast or handles.';
COMMENT ON COLUMN push.content.content_key IS 'push.message.content_key.';
COMMENT ON COLUMN push.content.locale IS 'push.message.locale; empty: the row without a language.';
COMMENT ON INDEX push.content_by_key IS 'The translations of a content.';
COMMENT ON INDEX push.content_by_lead IS 'The rows that a keyed pointer stands for.';

CREATE TABLE push.content_taken (
    hub         smallint NOT NULL,
    priority    smallint NOT NULL,
    tag         text COLLATE "C" NOT NULL,
    content_key text COLLATE "C" NOT NULL,
    lead        bigint NOT NULL,
    ids         bigint[] NOT NULL,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (hub, tag, content_key, priority)
) WITH (fillfactor = 90);
COMMENT ON TABLE push.content_taken IS
    'Contents whose key was used: a translation that comes later is late. Written only by workers (push.gather_v1).';
COMMENT ON COLUMN push.content_taken.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.content_taken.priority IS 'Priority of the content, as in push.content.';
COMMENT ON COLUMN push.content_taken.tag IS 'Target of the content, as in push.content.';
COMMENT ON COLUMN push.content_taken.content_key IS 'The key that was used, as in push.content.';
COMMENT ON COLUMN push.content_taken.lead IS 'The message whose pointer was due first.';
COMMENT ON COLUMN push.content_taken.ids IS 'The messages that were there when the content was taken.';
COMMENT ON COLUMN push.content_taken.at IS
    'When the content was taken. The key is free again after the hub''s keep_content, once all messages of ids are '
    'final.';

CREATE TABLE push.dedupe (
    id   bigint NOT NULL,
    at   timestamptz NOT NULL DEFAULT now(),
    hub  smallint NOT NULL,
    key  text COLLATE "C" NOT NULL,
    PRIMARY KEY (hub, key)
);
CREATE INDEX dedupe_by_time ON push.dedupe (at);
COMMENT ON TABLE push.dedupe IS
    'Which message first used a dedupe_key. Written by the enqueuing backend: of two open transactions with the same '
    'key the second waits for the first, as with any unique key.';
COMMENT ON COLUMN push.dedupe.id IS 'The first message with this key; of several translations the first.';
COMMENT ON COLUMN push.dedupe.at IS
    'When the enqueuing transaction began. The key is forgotten after the hub''s keep_dedupe.';
COMMENT ON COLUMN push.dedupe.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.dedupe.key IS 'push.message.dedupe_key.';
COMMENT ON INDEX push.dedupe_by_time IS 'Old keys, for push.forget_keys().';

-- Keys. Each function has its own plan settings, because these tables are empty when they are analysed and huge a day
-- later (docs/storage.md, "Plans").
CREATE FUNCTION push.are_final(ids bigint[]) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT NOT EXISTS (
        SELECT FROM unnest($1) i(id)
         WHERE coalesce((SELECT r.status FROM push.result r WHERE r.id = i.id ORDER BY r.at DESC LIMIT 1), 'retrying') = 'retrying'
           AND EXISTS (SELECT FROM push.message m WHERE m.id = i.id))
$$;
COMMENT ON FUNCTION push.are_final IS
    'Whether all these messages have their final result; a purged message counts as final.';

CREATE FUNCTION push.post_of(ids bigint[]) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT coalesce(
        (SELECT max(r.post) FROM unnest($1) i(id), LATERAL (SELECT r.post FROM push.result r WHERE r.id = i.id AND r.post % 10000 <> 0 OFFSET 0) r),
        (SELECT max(p.id) FROM push.claim c, LATERAL (SELECT p.id FROM push.post p WHERE p.id >= c.id * 10000 AND p.id < (c.id + 1) * 10000 AND p.ids && $1 OFFSET 0) p
          WHERE c.ids && $1))
$$;
COMMENT ON FUNCTION push.post_of IS
    'The newest post that carries one of these messages; null: none was about to be sent yet.';

CREATE FUNCTION push.late_note(lead bigint, ids bigint[]) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('The content of this content_key left without it (message %s, %s). Use a new content_key.', $1, coalesce('post ' || push.post_of($2), 'about to be posted'))
$$;
COMMENT ON FUNCTION push.late_note IS 'The note of a translation that came after its content was taken.';

CREATE FUNCTION push.end_rows(ids bigint[], status push.status, reason push.reason, notes text[], minute timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO push.result (id, status, reason, note) SELECT u.id, $2, $3, u.note FROM unnest($1, $4) u(id, note);
    INSERT INTO push.tally AS t (hub, minute, status, reason, n)
    SELECT h.id, $5, $2, $3, count(*)
      FROM unnest($1) u(id), LATERAL (SELECT hub FROM push.message m WHERE m.id = u.id OFFSET 0) m, LATERAL (SELECT id FROM push.hub h WHERE h.name = m.hub OFFSET 0) h
     GROUP BY h.id ORDER BY h.id
        ON CONFLICT (hub, minute, status, reason) DO UPDATE SET n = t.n + excluded.n;
END $$;
COMMENT ON FUNCTION push.end_rows IS
    'Writes a final result for messages that never had a pointer of their own, and counts them.';

CREATE FUNCTION push.first_of(first bigint, hub smallint, tag text, content_key text, priority smallint, locale text) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT CASE WHEN NOT EXISTS (SELECT FROM push.content k WHERE k.id = $1 AND k.hub = $2 AND k.tag = $3 AND k.content_key = $4 AND k.priority = $5) THEN $1
                ELSE (SELECT min(k.id) FROM push.content k WHERE k.hub = $2 AND k.tag = $3 AND k.content_key = $4 AND k.priority = $5 AND k.id >= $1 AND lower(k.locale) = lower($6)) END
$$;
COMMENT ON FUNCTION push.first_of IS
    'Which message a row repeats whose dedupe_key message "first" used: that message, or, if both have the same '
    'content_key, the one with the row''s locale. Null: the row is another translation of that content, so it repeats '
    'nothing.';

CREATE FUNCTION push.repeated(hub text, dedupe_key text, tag text, content_key text, priority smallint, locale text) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT push.first_of(d.id, d.hub, coalesce($3, ''), $4, $5, coalesce($6, ''))
      FROM push.hub h, LATERAL (SELECT d.id, d.hub FROM push.dedupe d WHERE d.hub = h.id AND d.key = $2 AND d.at >= clock_timestamp() - h.keep_dedupe OFFSET 0) d
     WHERE h.name = $1
$$;
COMMENT ON FUNCTION push.repeated IS 'The message that a row with these values would repeat; null: none.';

INSERT INTO push.migration (version, name) VALUES (7, 'keys');
