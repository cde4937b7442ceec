-- Erasing what messages said and to whom.

CREATE OR REPLACE FUNCTION push_internal.erase_keys(ids bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    key  record;
    rest bigint[];
BEGIN
    DELETE FROM push.content k WHERE k.id = ANY (erase_keys.ids);
    DELETE FROM push.waiting w WHERE w.id = ANY (erase_keys.ids);
    -- A row that stands for other messages, too, says nothing that these do not say: it stays for them.
    FOR key IN
        SELECT DISTINCT h.id AS hub, coalesce(m.tag, '') AS tag, m.content_key, m.priority, t.tenant, m.dedupe_key
          FROM unnest(erase_keys.ids) u(id),
               LATERAL (SELECT m.* FROM push.message m WHERE m.id = u.id OFFSET 0) m,
               LATERAL (SELECT h.id FROM push.hub h WHERE h.name = m.hub OFFSET 0) h,
               LATERAL (SELECT '' UNION SELECT coalesce(m.tenant, '')) t(tenant)       -- push_internal.key_tenant, then and now
         WHERE num_nonnulls(m.content_key, m.dedupe_key) > 0
         ORDER BY h.id, m.content_key, m.dedupe_key
    LOOP
        SELECT ARRAY(
                   SELECT u.id
                     FROM unnest(t.ids) u(id),
                          LATERAL (SELECT m.content FROM push.message m WHERE m.id = u.id OFFSET 0) m
                    WHERE u.id <> ALL (erase_keys.ids)
                      AND NOT push_internal.is_erased(m.content))
          INTO rest
          FROM push.content_taken t
         WHERE (t.hub, t.tag, t.content_key, t.priority, t.tenant)
             = (key.hub, key.tag, key.content_key, key.priority, key.tenant)
           FOR UPDATE;
        UPDATE push.content_taken t
           SET ids = rest
         WHERE (t.hub, t.tag, t.content_key, t.priority, t.tenant)
             = (key.hub, key.tag, key.content_key, key.priority, key.tenant)
           AND rest <> '{}';
        DELETE FROM push.content_taken t
         WHERE (t.hub, t.tag, t.content_key, t.priority, t.tenant)
             = (key.hub, key.tag, key.content_key, key.priority, key.tenant)
           AND rest = '{}';
        DELETE FROM push.dedupe d
         WHERE d.hub = key.hub
           AND d.key = key.dedupe_key
           AND d.tenant = key.tenant
           AND (d.id = ANY (erase_keys.ids) OR NOT EXISTS (SELECT FROM push.message m WHERE m.id = d.id));
    END LOOP;
END $$;
COMMENT ON FUNCTION push_internal.erase_keys IS 'Removes the keys of these messages, which then may be used again.';

CREATE OR REPLACE FUNCTION push_internal.erase_texts(ids bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    -- All posts that carried them, also those that were split and decided nothing: the posts of every claim that they
    -- have left.
    posts constant bigint[] := ARRAY(
        SELECT p.id
          FROM (SELECT c.claim, array_agg(c.id) AS ids
                  FROM (SELECT DISTINCT push.claim_of(r.post) AS claim, u.id
                          FROM unnest(erase_texts.ids) u(id),
                               LATERAL (SELECT r.post FROM push.result r WHERE r.id = u.id OFFSET 0) r
                         WHERE r.post IS NOT NULL) c
                 GROUP BY c.claim) c,
               LATERAL (
                   SELECT p.id, p.ids
                     FROM push.post p
                    WHERE p.id BETWEEN push.first_post(c.claim) AND push.last_post(c.claim)
                   OFFSET 0) p
         WHERE p.ids && c.ids);
BEGIN
    PERFORM push_internal.erase_keys(erase_texts.ids);
    UPDATE push.result r                         -- hubs and notes quote targets: also for those in the same post
       SET note = '(erased)'
      FROM (SELECT u.id FROM unnest(erase_texts.ids) u(id)
            UNION
            SELECT m.id
              FROM unnest(posts) u(post),
                   LATERAL (SELECT p.ids FROM push.post p WHERE p.id = u.post OFFSET 0) p,
                   unnest(p.ids) m(id)) u
     WHERE r.id = u.id
       AND r.note IS NOT NULL
       AND (r.post = ANY (posts) OR r.id = ANY (erase_texts.ids));
    UPDATE push.answer a
       SET error = '(erased)'
      FROM unnest(posts) u(post)
     WHERE a.post = u.post
       AND a.error IS NOT NULL;
    UPDATE push.post p
       SET target = '(erased)'
      FROM unnest(posts) u(post)
     WHERE p.id = u.post
       AND p.target IS NOT NULL;
    PERFORM set_config('push.erasing', 'on', true);      -- the triggers of push.message refuse every other UPDATE
    UPDATE push.message m
       SET content = 'null',
           recipient = NULL,
           tag = NULL,
           handles = NULL,
           broadcast = false,
           headers = NULL,
           content_key = NULL,
           dedupe_key = NULL,
           traceparent = NULL,
           meta = NULL,
           after_device = NULL
      FROM unnest(erase_texts.ids) u(id)
     WHERE m.id = u.id;
    PERFORM set_config('push.erasing', '', true);
END $$;
COMMENT ON FUNCTION push_internal.erase_texts IS
    'Removes what messages said and to whom, wherever it stands. They must be final.';

CREATE OR REPLACE FUNCTION push.erase(ids bigint[])
RETURNS TABLE (
    id      bigint,
    outcome text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    known   bigint[];
    finals  bigint[];
    doubts  bigint[];
    one     bigint;
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM push_internal.require_read_committed('push.erase');
    IF cardinality(erase.ids) > 1000 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.erase: %s messages', cardinality(erase.ids)), HINT = 'At most 1,000 in one call.';
    END IF;
    known := ARRAY(
        SELECT DISTINCT u.id
          FROM unnest(erase.ids) u(id),
               LATERAL (SELECT FROM push.message m WHERE m.id = u.id OFFSET 0) m
         ORDER BY u.id);
    FOREACH one IN ARRAY known LOOP
        PERFORM push_internal.cancel_message(one);
    END LOOP;
    -- A person who sends one again at this moment, or a late answer, has locked its results, or waits for us.
    PERFORM FROM push.result r WHERE r.id = ANY (known) ORDER BY r.id, r.arrival FOR UPDATE;
    SELECT coalesce(array_agg(u.id), '{}'), array_agg(u.id) FILTER (WHERE r.status = 'in_doubt')
      INTO finals, doubts
      FROM unnest(known) u(id),
           LATERAL (SELECT r.status FROM push.result r WHERE r.id = u.id ORDER BY r.arrival DESC LIMIT 1) r
     WHERE r.status <> 'retrying';
    PERFORM push_internal.erase_texts(finals);
    -- Nobody can send them again, and no late answer may put them back.
    IF doubts <> '{}' THEN
        PERFORM push_internal.end_messages_without_pointer(
            doubts, 'rejected', 'resolved', array_fill('erased while in doubt'::text, ARRAY[cardinality(doubts)]),
            date_trunc('minute', clock_timestamp()));
    END IF;
    INSERT INTO push.audit (action, detail)
    VALUES ('erase', json_build_object('ids', erase.ids, 'erased', cardinality(finals)));
    RETURN QUERY
    SELECT u.id,
           CASE
               WHEN u.id = ANY (finals) THEN 'erased'
               WHEN u.id = ANY (known) THEN 'busy'
               ELSE 'unknown'
           END
      FROM unnest(erase.ids) WITH ORDINALITY u(id, n)
     GROUP BY u.id
     ORDER BY min(u.n);
END $$;
COMMENT ON FUNCTION push.erase IS
    'For requests to be forgotten: removes what messages said and to whom (content, handles, tag, headers, meta, '
    'traceparent and keys, also where posts, answers and notes repeat them), and leaves ids, hub, locale, campaign, '
    'times, posts and results. Cancels what is pending; what is in doubt ends as rejected. Per id: erased; busy: its '
    'post is on the wire, so call again; unknown: there is no such message. At most 1,000 ids. The old rows stay in '
    'the files until the next vacuum (VACUUM push.message does it now), and in backups and archived WAL as long as '
    'you keep those.';
