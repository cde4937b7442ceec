-- Fanfare, migration 13: Rows with a key: duplicates and late translations end, the others get their pointers.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.enqueue_keys(ids bigint[], firsts bigint[], hubs smallint[], priorities smallint[], tags text[], locales text[],
    content_keys text[], dedupe_keys text[], send_ats timestamptz[], at timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    late text[]; repeated bigint[];      -- for each of ids: why a translation is late; which message a duplicate repeats
    gone bigint[]; notes text[]; stale record;
    settled boolean := coalesce(current_setting('push.settled', true), '') = 'on';
BEGIN
    late := array_fill(NULL::text, ARRAY[cardinality(ids)]);
    repeated := array_fill(NULL::bigint, ARRAY[cardinality(ids)]);

    -- 1. Translations whose content was already taken.
    IF cardinality(array_remove($7, NULL)) > 0 THEN
        SELECT array_agg(CASE WHEN t.lead IS NOT NULL THEN push.late_note(t.lead, t.ids) END ORDER BY u.n) INTO late
          FROM unnest($3, $4, $5, $7) WITH ORDINALITY u(hub, priority, tag, content_key, n)
               LEFT JOIN LATERAL (
                   SELECT t.lead, t.ids FROM push.hub h, LATERAL (SELECT t.* FROM push.content_taken t
                           WHERE t.hub = u.hub AND t.tag = u.tag AND t.content_key = u.content_key AND t.priority = u.priority OFFSET 0) t
                    WHERE h.id = u.hub AND h.localization = 'properties' AND NOT (t.at < $10 - h.keep_content AND push.are_final(t.ids)) OFFSET 0) t
               ON u.content_key IS NOT NULL;
    END IF;

    -- 2. Duplicates. First, keys whose time is over are deleted, in order, so that no two backends wait for each other.
    -- Then every content that is not late tries to insert its key, in order again. A new snapshot then shows who was first.
    IF cardinality(array_remove($8, NULL)) > 0 THEN
        FOR stale IN
            SELECT d.hub, d.key FROM (SELECT DISTINCT hub, key FROM unnest($3, $8) u(hub, key) WHERE key IS NOT NULL) u,
                   LATERAL (SELECT h.keep_dedupe FROM push.hub h WHERE h.id = u.hub OFFSET 0) h,
                   LATERAL (SELECT d.* FROM push.dedupe d WHERE d.hub = u.hub AND d.key = u.key AND d.at < $10 - h.keep_dedupe OFFSET 0) d
             ORDER BY d.hub, d.key
        LOOP
            DELETE FROM push.dedupe d USING push.hub h WHERE d.hub = stale.hub AND d.key = stale.key AND h.id = d.hub AND d.at < $10 - h.keep_dedupe;
        END LOOP;
        INSERT INTO push.dedupe (hub, key, id)
        SELECT u.hub, u.key, min(u.first) FROM unnest($3, $8, $2, late) u(hub, key, first, late) WHERE u.key IS NOT NULL AND u.late IS NULL
         GROUP BY u.hub, u.key ORDER BY u.hub, u.key
            ON CONFLICT DO NOTHING;
        SELECT array_agg(CASE WHEN d.id <> u.first THEN push.first_of(d.id, u.hub, u.tag, u.content_key, u.priority, coalesce(u.locale, '')) END ORDER BY u.n) INTO repeated
          FROM unnest($2, $3, $4, $5, $6, $7, $8) WITH ORDINALITY u(first, hub, priority, tag, locale, content_key, key, n)
               LEFT JOIN LATERAL (SELECT d.id FROM push.dedupe d WHERE d.hub = u.hub AND d.key = u.key OFFSET 0) d ON u.key IS NOT NULL;
    END IF;

    -- 3. Duplicates and late translations end here.
    SELECT array_agg(u.id), array_agg(format('Its dedupe_key was used before, by message %s.', u.repeated)) INTO gone, notes
      FROM unnest($1, repeated) u(id, repeated) WHERE u.repeated IS NOT NULL;
    IF gone IS NOT NULL THEN
        PERFORM push.end_rows(gone, 'duplicate', 'duplicate_key', notes, clock_timestamp());
        DELETE FROM push.translation t WHERE t.id = ANY (gone);
    END IF;
    SELECT array_agg(u.id), array_agg(u.late) INTO gone, notes FROM unnest($1, repeated, late) u(id, repeated, late) WHERE u.repeated IS NULL AND u.late IS NOT NULL;
    IF gone IS NOT NULL THEN
        PERFORM push.end_rows(gone, 'rejected', 'late_translation', notes, clock_timestamp());
    END IF;

    -- 4. Contents with a key: one pointer for the rows of this statement. It waits for translations, unless every
    -- language of the hub is there. Rows of a hub localised by tags are remembered only for their dedupe_key.
    WITH row AS MATERIALIZED (
        SELECT u.*, h.localization = 'properties' AS folds, h.settle, h.languages
          FROM unnest($1, $3, $4, $5, $6, $7, $8, $9, repeated, late) u(id, hub, priority, tag, locale, content_key, dedupe_key, send_at, repeated, late),
               LATERAL (SELECT * FROM push.hub h WHERE h.id = u.hub OFFSET 0) h
         WHERE u.content_key IS NOT NULL AND u.repeated IS NULL AND u.late IS NULL AND (h.localization = 'properties' OR u.dedupe_key IS NOT NULL)
    ), content AS MATERIALIZED (
        SELECT hub, priority, tag, content_key, folds, settle, languages, min(id) AS lead, min(send_at) AS send_at,
               array_agg(id) AS ids, array_agg(coalesce(locale, '')) AS locales
          FROM row GROUP BY hub, priority, tag, content_key, folds, settle, languages, CASE WHEN NOT folds THEN id END
    ), timed AS MATERIALIZED (
        SELECT c.*, CASE WHEN settled OR NOT folds OR send_at >= $10 + settle OR NOT EXISTS (
            SELECT FROM unnest(c.languages) l
             WHERE lower(l) <> ALL (SELECT lower(x) FROM unnest(c.locales) x)
               AND NOT EXISTS (SELECT FROM push.content k WHERE k.hub = c.hub AND k.tag = c.tag AND k.content_key = c.content_key AND k.priority = c.priority
                                  AND lower(k.locale) = lower(l) AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = k.id OFFSET 0) OFFSET 0))
            THEN send_at ELSE $10 + settle END AS due_at
          FROM content c
    ), put AS (
        INSERT INTO push.content (id, lead, due_at, hub, priority, tag, content_key, locale)
        SELECT u.id, t.lead, t.due_at, t.hub, t.priority, t.tag, t.content_key, u.locale FROM timed t, unnest(t.ids, t.locales) u(id, locale)
    )
    INSERT INTO push.due (due_at, id, hub, priority, keyed) SELECT due_at, lead, hub, priority, true FROM timed WHERE folds;

    -- 5. All other rows get their ordinary pointer.
    INSERT INTO push.due (due_at, id, hub, priority, translations)
    SELECT u.send_at, u.id, u.hub, u.priority, t.lead IS NOT NULL
      FROM unnest($1, $3, $4, $7, $9, repeated, late) u(id, hub, priority, content_key, send_at, repeated, late)
           LEFT JOIN LATERAL (SELECT t.lead FROM push.translation t WHERE t.id = u.id OFFSET 0) t ON true,
           LATERAL (SELECT h.localization FROM push.hub h WHERE h.id = u.hub OFFSET 0) h
     WHERE u.repeated IS NULL AND u.late IS NULL AND (u.content_key IS NULL OR h.localization = 'tags') AND (t.lead IS NULL OR t.lead = u.id);
END $$;
COMMENT ON FUNCTION push.enqueue_keys IS
    'Handles the rows of one statement with a dedupe_key or a content_key: duplicates and late translations end, the '
    'others get their pointers. "firsts": the first message of each row''s content.';

INSERT INTO push.migration (version, name) VALUES (13, 'enqueue_keys');
