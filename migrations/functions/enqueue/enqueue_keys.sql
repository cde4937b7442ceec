-- Rows with a key: duplicates and late translations end, the others get their pointers.

CREATE OR REPLACE FUNCTION push_internal.late_notes(
    hubs         int[],
    priorities   smallint[],
    tenants      text[],
    tags         text[],
    content_keys text[],
    at           timestamptz)
RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
    SELECT array_agg(CASE WHEN t.lead IS NOT NULL THEN push_internal.late_note(t.lead, t.ids) END ORDER BY u.n)
      FROM unnest(hubs, priorities, tenants, tags, content_keys)
               WITH ORDINALITY u(hub, priority, tenant, tag, content_key, n)
           LEFT JOIN LATERAL (
               SELECT t.lead, t.ids
                 FROM push.hub h,
                      LATERAL (
                          SELECT t.*
                            FROM push.content_taken t
                           WHERE t.hub = u.hub
                             AND t.tag = u.tag
                             AND t.content_key = u.content_key
                             AND t.priority = u.priority
                             AND t.tenant = u.tenant
                          OFFSET 0) t
                WHERE h.id = u.hub
                  AND h.localization = 'properties'
                  AND NOT (t.at < late_notes.at - h.keep_content AND push_internal.have_final_results(t.ids))
               OFFSET 0) t ON u.content_key IS NOT NULL
$$;
COMMENT ON FUNCTION push_internal.late_notes IS
    'For each row with a content_key that was already used: the note it ends with; null: its content is still open.';

CREATE OR REPLACE FUNCTION push_internal.take_dedupe_keys(
    firsts       bigint[],
    hubs         int[],
    priorities   smallint[],
    tenants      text[],
    tags         text[],
    locales      text[],
    content_keys text[],
    dedupe_keys  text[],
    late         text[],
    at           timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
    stale record;
BEGIN
    -- Keys whose time is over go first, in order, so that no two backends wait for each other.
    FOR stale IN
        SELECT d.hub, d.key, d.tenant, d.at
          FROM (SELECT DISTINCT k.hub, k.key, k.tenant
                  FROM unnest(hubs, dedupe_keys, tenants) k(hub, key, tenant)
                 WHERE k.key IS NOT NULL) u,
               LATERAL (SELECT h.keep_dedupe FROM push.hub h WHERE h.id = u.hub OFFSET 0) h,
               LATERAL (
                   SELECT d.*
                     FROM push.dedupe d
                    WHERE d.hub = u.hub
                      AND d.key = u.key
                      AND d.tenant = u.tenant
                      AND d.at < take_dedupe_keys.at - h.keep_dedupe
                   OFFSET 0) d
         ORDER BY d.hub, d.key, d.tenant
    LOOP
        DELETE FROM push.dedupe d
         WHERE d.hub = stale.hub
           AND d.key = stale.key
           AND d.tenant = stale.tenant
           AND d.at = stale.at;               -- not the row of a backend that was quicker
    END LOOP;
    -- Every content that is not late inserts its key, in the same order. A new snapshot then shows who was first.
    INSERT INTO push.dedupe (hub, key, tenant, id)
    SELECT u.hub, u.key, u.tenant, min(u.first)
      FROM unnest(hubs, dedupe_keys, tenants, firsts, late) u(hub, key, tenant, first, late)
     WHERE u.key IS NOT NULL
       AND u.late IS NULL
     GROUP BY u.hub, u.key, u.tenant
     ORDER BY u.hub, u.key, u.tenant
        ON CONFLICT DO NOTHING;
    RETURN (
        SELECT array_agg(
                   CASE
                       WHEN d.id <> u.first
                       THEN push_internal.find_repeated_message(
                                d.id, u.hub, u.tag, u.content_key, u.priority, coalesce(u.locale, ''), u.tenant)
                   END
                   ORDER BY u.n)
          FROM unnest(firsts, hubs, priorities, tenants, tags, locales, content_keys, dedupe_keys)
                   WITH ORDINALITY u(first, hub, priority, tenant, tag, locale, content_key, key, n)
               LEFT JOIN LATERAL (
                   SELECT d.id
                     FROM push.dedupe d
                    WHERE d.hub = u.hub
                      AND d.key = u.key
                      AND d.tenant = u.tenant
                   OFFSET 0) d ON u.key IS NOT NULL);
END $$;
COMMENT ON FUNCTION push_internal.take_dedupe_keys IS
    'Takes the dedupe_keys of these rows. For each row the message that had its key before; null: it is the first.';

CREATE OR REPLACE FUNCTION push_internal.enqueue_keys(
    ids          bigint[],
    firsts       bigint[],
    hubs         int[],
    priorities   smallint[],
    tenants      text[],
    tags         text[],
    locales      text[],
    content_keys text[],
    dedupe_keys  text[],
    send_ats     timestamptz[],
    at           timestamptz)
RETURNS push.problem
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
    late text[] := array_fill(NULL::text, ARRAY[cardinality(ids)]);       -- of each row: why it is late
    repeated bigint[] := array_fill(NULL::bigint, ARRAY[cardinality(ids)]);   -- of each row: which message it repeats
    ended bigint[];
    notes text[];
    problem push.problem;
    settled constant boolean := coalesce(current_setting('push.settled', true), '') = 'on';
BEGIN
    IF cardinality(ids) > 100 THEN
        SELECT (w.problem).* INTO problem
          FROM (SELECT push_internal.wrong_for_hub(h, 'translations_are_at_most_100', 'content_key', min(u.tag)) AS problem
                  FROM unnest(hubs, priorities, tenants, tags, content_keys) u(hub, priority, tenant, tag, content_key)
                       JOIN push.hub h ON h.id = u.hub AND h.localization = 'properties'
                 WHERE u.content_key IS NOT NULL
                 GROUP BY h.id, u.priority, u.tenant, u.tag, u.content_key
                HAVING count(*) > 100
                 LIMIT 1
                OFFSET 0) w;
        IF FOUND THEN
            RETURN problem;
        END IF;
    END IF;

    -- 1. Late translations and duplicates end here. They are counted under a minute of their own (clock_timestamp), so
    -- that no backend waits for another one's row of push.tally.
    IF cardinality(array_remove(content_keys, NULL)) > 0 THEN
        late := push_internal.late_notes(hubs, priorities, tenants, tags, content_keys, at);
    END IF;
    IF cardinality(array_remove(dedupe_keys, NULL)) > 0 THEN
        repeated := push_internal.take_dedupe_keys(
            firsts, hubs, priorities, tenants, tags, locales, content_keys, dedupe_keys, late, at);
    END IF;
    SELECT array_agg(u.id), array_agg(format('Its dedupe_key was used before, by message %s.', u.repeated))
      INTO ended, notes
      FROM unnest(ids, repeated) u(id, repeated)
     WHERE u.repeated IS NOT NULL;
    IF ended IS NOT NULL THEN
        PERFORM set_config('push.has_duplicates', 'on', true);            -- for push.enqueue_many
        PERFORM push_internal.end_messages_without_pointer(ended, 'duplicate', 'duplicate_key', notes, clock_timestamp());
        DELETE FROM push.translation t WHERE t.id = ANY (ended);
    END IF;
    SELECT array_agg(u.id), array_agg(u.late)
      INTO ended, notes
      FROM unnest(ids, repeated, late) u(id, repeated, late)
     WHERE u.repeated IS NULL
       AND u.late IS NOT NULL;
    IF ended IS NOT NULL THEN
        PERFORM push_internal.end_messages_without_pointer(ended, 'rejected', 'late_translation', notes, clock_timestamp());
    END IF;

    -- 2. Contents with a key: one pointer for the rows of this statement. It waits for translations, unless every
    -- language of the hub is there. Rows of a hub localised by tags are remembered only for their dedupe_key. Without one of
    -- these the statement is not even planned, which is a part of what the first call of a connection costs.
    IF cardinality(array_remove(content_keys, NULL)) > 0 THEN
        WITH row AS MATERIALIZED (
            SELECT u.*, h.localization = 'properties' AS folds, h.settle, h.languages
              FROM unnest(ids, hubs, priorities, tenants, tags, locales, content_keys, dedupe_keys, send_ats, repeated,
                          late)
                       u(id, hub, priority, tenant, tag, locale, content_key, dedupe_key, send_at, repeated, late),
                   LATERAL (SELECT h.* FROM push.hub h WHERE h.id = u.hub OFFSET 0) h
             WHERE u.content_key IS NOT NULL
               AND u.repeated IS NULL
               AND u.late IS NULL
               AND (h.localization = 'properties' OR u.dedupe_key IS NOT NULL)
        ), content AS MATERIALIZED (
            SELECT r.hub, r.priority, r.tenant, r.tag, r.content_key, r.folds, r.settle, r.languages,
                   min(r.id) AS lead, min(r.send_at) AS send_at,
                   array_agg(r.id) AS ids, array_agg(coalesce(r.locale, '')) AS locales
              FROM row r
             GROUP BY r.hub, r.priority, r.tenant, r.tag, r.content_key, r.folds, r.settle, r.languages,
                      CASE WHEN NOT r.folds THEN r.id END
        ), timed AS MATERIALIZED (
            SELECT c.*,
                   CASE
                       WHEN settled OR NOT c.folds OR c.send_at >= enqueue_keys.at + c.settle THEN c.send_at
                       WHEN EXISTS (                        -- a language that neither this statement nor another one has
                                SELECT
                                  FROM unnest(c.languages) l(name)
                                 WHERE lower(l.name) <> ALL (SELECT lower(x.locale) FROM unnest(c.locales) x(locale))
                                   AND NOT EXISTS (
                                           SELECT
                                             FROM push.content k
                                            WHERE k.hub = c.hub
                                              AND k.tag = c.tag
                                              AND k.content_key = c.content_key
                                              AND k.priority = c.priority
                                              AND k.tenant = c.tenant
                                              AND lower(k.locale) = lower(l.name)
                                              AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = k.id OFFSET 0)
                                           OFFSET 0))
                       THEN enqueue_keys.at + c.settle
                       ELSE c.send_at
                   END AS due_at
              FROM content c
        ), put AS (
            INSERT INTO push.content (id, lead, due_at, hub, priority, tenant, tag, content_key, locale)
            SELECT u.id, t.lead, t.due_at, t.hub, t.priority, t.tenant, t.tag, t.content_key, u.locale
              FROM timed t,
                   unnest(t.ids, t.locales) u(id, locale)
        )
        INSERT INTO push.due (due_at, id, hub, priority, kind)
        SELECT t.due_at, t.lead, t.hub, t.priority, 'k'
          FROM timed t
         WHERE t.folds;
    END IF;

    -- 3. All other rows get their ordinary pointer.
    INSERT INTO push.due (due_at, id, hub, priority, kind)
    SELECT u.send_at, u.id, u.hub, u.priority, CASE WHEN t.lead IS NULL THEN 'p' ELSE 't' END::"char"
      FROM unnest(ids, hubs, priorities, content_keys, send_ats, repeated, late)
               u(id, hub, priority, content_key, send_at, repeated, late)
           LEFT JOIN LATERAL (SELECT t.lead FROM push.translation t WHERE t.id = u.id OFFSET 0) t ON true,
           LATERAL (SELECT h.localization FROM push.hub h WHERE h.id = u.hub OFFSET 0) h
     WHERE u.repeated IS NULL
       AND u.late IS NULL
       AND (u.content_key IS NULL OR h.localization = 'tags')
       AND (t.lead IS NULL OR t.lead = u.id);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.enqueue_keys IS
    'Handles the rows of one statement with a dedupe_key or a content_key: duplicates and late translations end, the '
    'others get their pointers. Null, or why the statement is refused. firsts: the first message of each row''s '
    'content; tenants: push_internal.key_tenant; send_ats: when each is due.';
