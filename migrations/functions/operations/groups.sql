-- Failures and doubts in groups, within a budget of time: a thousand messages that failed for one cause are one line.

CREATE OR REPLACE FUNCTION push_internal.words_without_values(note text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(regexp_replace(left(note, 1000), '"[^"]*"|[A-Za-z:.-]*[0-9][A-Za-z0-9:.-]*', '…', 'g'), 500);
COMMENT ON FUNCTION push_internal.words_without_values IS
    'A note without what differs from message to message: what is quoted, and words with a digit, such as times and ids. '
    'Messages whose notes are then the same are one group.';

CREATE OR REPLACE FUNCTION push_internal.groups_of_results(doubts boolean, at_most int, milliseconds int, groups int)
RETURNS TABLE (
    hub            text,
    status         push.status,
    reason         push.reason,
    class          text,
    campaign       text,
    note           text,
    messages       bigint,
    first          timestamptz,
    last           timestamptz,
    example        bigint,
    looked         bigint,
    looked_back_to timestamptz,
    more           boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    stop_at constant timestamptz := clock_timestamp() + milliseconds * interval '1 millisecond';
    name constant text := CASE WHEN doubts THEN 'push.groups_of_doubts_v1' ELSE 'push.groups_of_failures_v1' END;
    page record;
    mark_at timestamptz := 'infinity';           -- the last row that was looked at
    mark_id bigint := 9223372036854775807;
    mark_arrival bigint := 9223372036854775807;
    total bigint := 0;
    width int := 100;
    part record;
    -- Groups of each page, which are joined at the end.
    hubs text[] := '{}';
    statuses push.status[] := '{}';
    reasons push.reason[] := '{}';
    campaigns text[] := '{}';
    words text[] := '{}';
    notes text[] := '{}';
    counts bigint[] := '{}';
    firsts timestamptz[] := '{}';
    lasts timestamptz[] := '{}';
    examples bigint[] := '{}';
BEGIN
    IF (at_most BETWEEN 1 AND 100000) IS NOT TRUE OR (milliseconds BETWEEN 1 AND 60000) IS NOT TRUE
       OR (groups BETWEEN 1 AND 1000) IS NOT TRUE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('%s: at_most %s, milliseconds %s, groups %s', name, coalesce(at_most::text, 'null'),
                             coalesce(milliseconds::text, 'null'), coalesce(groups::text, 'null')),
            HINT = 'at_most is 1 to 100000 messages, milliseconds 1 to 60000, groups 1 to 1000.';
    END IF;
    LOOP
        IF doubts THEN
            SELECT count(*) AS n, array_agg(r.id) AS ids, array_agg(r.arrival) AS arrivals, array_agg(r.at) AS ats,
                   array_agg(r.status) AS statuses, array_agg(r.reason) AS reasons, array_agg(r.post) AS posts,
                   array_agg(r.note) AS notes
              INTO page
              FROM (SELECT r.*
                      FROM push.result r
                     WHERE r.status = 'in_doubt'
                       AND (r.id, r.arrival) < (mark_id, mark_arrival)
                     ORDER BY r.id DESC, r.arrival DESC
                     LIMIT least(width, at_most - total)) r;
        ELSE
            SELECT count(*) AS n, array_agg(r.id) AS ids, array_agg(r.arrival) AS arrivals, array_agg(r.at) AS ats,
                   array_agg(r.status) AS statuses, array_agg(r.reason) AS reasons, array_agg(r.post) AS posts,
                   array_agg(r.note) AS notes
              INTO page
              FROM (SELECT r.*
                      FROM push.result r
                     WHERE r.status IN ('rejected', 'expired')
                       AND (r.at, r.id) < (mark_at, mark_id)
                     ORDER BY r.at DESC, r.id DESC
                     LIMIT least(width, at_most - total)) r;
        END IF;
        EXIT WHEN page.n = 0;
        total := total + page.n;
        width := least(width * 2, 400);
        mark_at := page.ats[page.n];
        mark_id := page.ids[page.n];
        mark_arrival := page.arrivals[page.n];
        SELECT array_agg(g.hub) AS hubs, array_agg(g.status) AS statuses, array_agg(g.reason) AS reasons,
               array_agg(g.campaign) AS campaigns, array_agg(g.words) AS words, array_agg(g.note) AS notes,
               array_agg(g.n) AS counts, array_agg(g.first) AS firsts, array_agg(g.last) AS lasts,
               array_agg(g.example) AS examples
          INTO part
          FROM (SELECT m.hub, u.status, u.reason, m.campaign, w.words, count(*) AS n, min(u.at) AS first, max(u.at) AS last,
                       (array_agg(w.note ORDER BY u.at DESC, u.id DESC))[1] AS note,
                       (array_agg(u.id ORDER BY u.at DESC, u.id DESC))[1] AS example
                  FROM unnest(page.ids, page.arrivals, page.ats, page.statuses, page.reasons, page.posts, page.notes)
                           u(id, arrival, at, status, reason, post, note),
                       LATERAL (SELECT m.hub, m.campaign FROM push.message m WHERE m.id = u.id OFFSET 0) m,
                       LATERAL (
                           SELECT n.note, push_internal.words_without_values(n.note) AS words
                             FROM (SELECT left(coalesce(u.note, (SELECT a.error FROM push.answer a WHERE a.post = u.post)), 1000)
                                              AS note) n
                           OFFSET 0) w
                 WHERE NOT EXISTS (SELECT FROM push.result n WHERE n.id = u.id AND n.arrival > u.arrival OFFSET 0)
                 GROUP BY m.hub, u.status, u.reason, m.campaign, w.words) g;
        IF part.hubs IS NOT NULL THEN
            hubs := hubs || part.hubs;
            statuses := statuses || part.statuses;
            reasons := reasons || part.reasons;
            campaigns := campaigns || part.campaigns;
            words := words || part.words;
            notes := notes || part.notes;
            counts := counts || part.counts;
            firsts := firsts || part.firsts;
            lasts := lasts || part.lasts;
            examples := examples || part.examples;
        END IF;
        EXIT WHEN total >= at_most OR clock_timestamp() >= stop_at;
    END LOOP;
    RETURN QUERY
    SELECT g.hub, g.status, g.reason, push.reason_class(g.reason)::text,
           g.campaign, g.note, g.messages, g.first, g.last, g.example, NULL::bigint, NULL::timestamptz, NULL::boolean
      FROM (SELECT u.hub, u.status, u.reason, u.campaign, sum(u.n)::bigint AS messages, min(u.first) AS first,
                   max(u.last) AS last, (array_agg(u.note ORDER BY u.last DESC, u.example DESC))[1] AS note,
                   (array_agg(u.example ORDER BY u.last DESC, u.example DESC))[1] AS example
              FROM unnest(hubs, statuses, reasons, campaigns, words, notes, counts, firsts, lasts, examples)
                       u(hub, status, reason, campaign, words, note, n, first, last, example)
             GROUP BY u.hub, u.status, u.reason, u.campaign, u.words) g
     ORDER BY g.messages DESC, g.last DESC, g.example DESC
     LIMIT groups;
    RETURN QUERY
    SELECT NULL::text, NULL::push.status, NULL::push.reason, NULL::text, NULL::text, NULL::text, NULL::bigint,
           NULL::timestamptz, NULL::timestamptz, NULL::bigint, total, nullif(mark_at, 'infinity'),
           CASE
               WHEN doubts THEN EXISTS (
                   SELECT FROM push.result r WHERE r.status = 'in_doubt' AND (r.id, r.arrival) < (mark_id, mark_arrival))
               ELSE EXISTS (
                   SELECT FROM push.result r WHERE r.status IN ('rejected', 'expired') AND (r.at, r.id) < (mark_at, mark_id))
           END;
END $$;
COMMENT ON FUNCTION push_internal.groups_of_results IS
    'What push.groups_of_failures_v1 and push.groups_of_doubts_v1 do.';

CREATE OR REPLACE FUNCTION push.groups_of_failures_v1(
    at_most int DEFAULT 10000, milliseconds int DEFAULT 300, groups int DEFAULT 200)
RETURNS TABLE (
    hub            text,
    status         push.status,
    reason         push.reason,
    class          text,
    campaign       text,
    note           text,
    messages       bigint,
    first          timestamptz,
    last           timestamptz,
    example        bigint,
    looked         bigint,
    looked_back_to timestamptz,
    more           boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM push_internal.groups_of_results(false, at_most, milliseconds, groups)
$$;
COMMENT ON FUNCTION push.groups_of_failures_v1 IS
    'The newest failures (rejected, expired), in groups of one hub, status, reason and campaign whose notes differ in numbers, '
    'times and quoted words only: how many messages, when the first and the last failed, the id and note of the newest. The '
    'largest group comes first. It looks at at_most results, as far as milliseconds reach, and at 100 in any case; those that '
    'were sent again since are left out. The last row has no hub: how many results it looked at, back to when, and whether '
    'there are more.';

CREATE OR REPLACE FUNCTION push.groups_of_doubts_v1(
    at_most int DEFAULT 10000, milliseconds int DEFAULT 300, groups int DEFAULT 200)
RETURNS TABLE (
    hub            text,
    status         push.status,
    reason         push.reason,
    class          text,
    campaign       text,
    note           text,
    messages       bigint,
    first          timestamptz,
    last           timestamptz,
    example        bigint,
    looked         bigint,
    looked_back_to timestamptz,
    more           boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM push_internal.groups_of_results(true, at_most, milliseconds, groups)
$$;
COMMENT ON FUNCTION push.groups_of_doubts_v1 IS
    'The same for messages in doubt, those with the highest ids; those that were decided since are left out.';
