-- Which message was it? Looking for messages by what people know of them.

CREATE OR REPLACE FUNCTION push_internal.pattern_of_tag(tag text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '(^|[^A-Za-z0-9_@#.:-])' || regexp_replace(tag, '([^A-Za-z0-9_])', '[' || chr(92) || '1]', 'g')
       || '($|[^A-Za-z0-9_@#.:-])';
COMMENT ON FUNCTION push_internal.pattern_of_tag IS 'A regular expression for tag expressions that name a tag.';

CREATE OR REPLACE FUNCTION push_internal.streams_of_run_named(campaign text, run text) RETURNS bigint[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN (SELECT push_internal.streams_of_run(r.id)
              FROM push.campaign c
                   JOIN push.run r ON r.campaign = c.id
             WHERE c.name = streams_of_run_named.campaign
               AND r.key = streams_of_run_named.run);
END $$;
COMMENT ON FUNCTION push_internal.streams_of_run_named IS
    'The streams of a run of a campaign, by their names: what they made is in the slices of push.slice. Null: there is no '
    'such run.';

CREATE OR REPLACE FUNCTION push_internal.newest_to_look_at(streams bigint[], low bigint, high bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    IF streams IS NULL THEN
        RETURN (SELECT m.id FROM push.message m WHERE m.id BETWEEN low AND high ORDER BY m.id DESC LIMIT 1);
    END IF;
    RETURN (SELECT max(least(s.last_id, high)) FROM push.slice s
             WHERE s.stream = ANY (streams) AND s.first_id <= high AND s.last_id >= low);
END $$;
COMMENT ON FUNCTION push_internal.newest_to_look_at IS
    'The highest id from low to high at which a search goes on: of a message, or, where streams are given, within one of '
    'their slices. Null: there is none.';

-- Dynamic, so that it is planned for these values; and by settings, so that the plan does not depend on statistics,
-- which a partition may not have yet.
CREATE OR REPLACE FUNCTION push_internal.find_message_candidates(
    first bigint, last bigint, since timestamptz, until timestamptz,
    status text, reason text, tag text, campaign text, run text, tenant text, dedupe_key text, streams bigint[])
RETURNS bigint[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_indexscan = on SET enable_bitmapscan = on
SET cpu_index_tuple_cost = 0.005
AS $$
DECLARE
    is_pending constant boolean := coalesce(status IN ('scheduled', 'waiting', 'due', 'claimed', 'posting'), false);
    searched constant text := concat_ws(
        ' AND ', CASE WHEN streams IS NULL THEN 'm.campaign = ' || quote_literal(campaign) END,
        CASE WHEN streams IS NULL THEN 'm.run = ' || quote_literal(run) ELSE format('m.stream = ANY (%L)', streams) END,
        'm.tenant = ' || quote_literal(tenant), 'm.dedupe_key = ' || quote_literal(dedupe_key));
    ended constant text := concat_ws(
        ' AND ', CASE WHEN NOT is_pending THEN 'r.status = ' || quote_literal(status) END,
        'r.reason = ' || quote_literal(reason));
    message text := 'SELECT m.id FROM push.message m WHERE m.id BETWEEN $1 AND $2 AND m.created_at BETWEEN $3 AND $4';
    named constant text := push_internal.pattern_of_tag(tag);
    ids bigint[];
BEGIN
    IF searched <> '' OR tag IS NOT NULL THEN
        message := concat_ws(' AND ', message, nullif(searched, ''), 'm.tag = ' || quote_literal(tag));
        IF streams IS NULL THEN        -- only push.message_search: its kind of index has no such costs
            PERFORM set_config('enable_indexscan', 'off', true), set_config('cpu_index_tuple_cost', '1000000', true);
        ELSE                           -- most of what lies in their slices is theirs
            PERFORM set_config('enable_bitmapscan', 'off', true);
        END IF;
    ELSIF ended <> '' THEN
        message := 'SELECT r.id FROM push.result r WHERE r.id BETWEEN $1 AND $2 AND ' || ended;
    ELSIF is_pending THEN
        message := 'SELECT p.id FROM (SELECT d.id FROM push.due d UNION ALL SELECT t.id FROM push.translation t '
                   'UNION ALL SELECT k.id FROM push.content k UNION ALL '
                   'SELECT u.id FROM push.claim c, unnest(c.ids) u(id)) p WHERE p.id BETWEEN $1 AND $2';
    END IF;
    EXECUTE format('SELECT array_agg(c.id) FROM (%s) c', message) INTO ids USING first, last, since, until;
    IF tag IS NOT NULL THEN
        PERFORM set_config('enable_indexscan', 'on', true), set_config('cpu_index_tuple_cost', '0.005', true);
        EXECUTE 'SELECT $5 || array_agg(m.id) FROM push.message m '
                'WHERE m.id BETWEEN $1 AND $2 AND m.created_at BETWEEN $3 AND $4 '
                'AND (m.tag LIKE ''%|%'' OR m.tag LIKE ''%&%'' OR m.tag LIKE ''%!%'') AND m.tag ~ $6'
                || coalesce(' AND ' || nullif(searched, ''), '')
           INTO ids USING first, last, since, until, ids, named;
    END IF;
    RETURN ARRAY(SELECT DISTINCT u.id FROM unnest(ids) u(id) ORDER BY u.id DESC);
END $$;
COMMENT ON FUNCTION push_internal.find_message_candidates IS
    'Messages from first to last that may be what push.find_messages looks for, the newest first.';

CREATE OR REPLACE FUNCTION push.find_messages(
    status     text DEFAULT NULL,
    reason     text DEFAULT NULL,
    hub        text DEFAULT NULL,
    tag        text DEFAULT NULL,
    campaign   text DEFAULT NULL,
    run        text DEFAULT NULL,
    tenant     text DEFAULT NULL,
    dedupe_key text DEFAULT NULL,
    since      timestamptz DEFAULT NULL,
    until      timestamptz DEFAULT NULL,
    before     bigint DEFAULT NULL,
    at_most    int DEFAULT 50)
RETURNS SETOF push.message_status
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    streams constant bigint[] := push_internal.streams_of_run_named(campaign, run);      -- null: all messages are searched
    oldest constant bigint := (SELECT m.id FROM push.message m ORDER BY m.id LIMIT 1);
    last bigint := least(before - 1, (SELECT m.id FROM push.message m ORDER BY m.id DESC LIMIT 1));
    first bigint;
    width bigint := 20000;
    candidate bigint;
    given int := 0;
    s push.message_status;
BEGIN
    IF status IS NOT NULL AND status <> ALL (enum_range(NULL::push.status)::text[]) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.find_messages: there is no status %s', push_internal.quoted(status, 60)),
            HINT = format('A status is one of %s.', array_to_string(enum_range(NULL::push.status), ', '));
    ELSIF reason IS NOT NULL AND reason <> ALL (enum_range(NULL::push.reason)::text[]) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.find_messages: there is no reason %s', push_internal.quoted(reason, 60)),
            HINT = format('A reason is one of %s.', array_to_string(enum_range(NULL::push.reason), ', '));
    END IF;
    WHILE last >= oldest AND given < at_most LOOP
        IF streams IS NOT NULL THEN
            last := push_internal.newest_to_look_at(streams, oldest, last);
            EXIT WHEN last IS NULL;
        END IF;
        first := last - width + 1;
        FOREACH candidate IN ARRAY push_internal.find_message_candidates(
            first, last, coalesce(since, '-infinity'), coalesce(until, 'infinity'), status, reason, tag, campaign, run,
            tenant, dedupe_key, streams)
        LOOP
            SELECT x.* INTO s FROM push.find_message(candidate) x;
            IF FOUND
               AND (status IS NULL OR s.status::text = find_messages.status)
               AND (reason IS NULL OR s.reason::text = find_messages.reason)
               AND (hub IS NULL OR s.hub = find_messages.hub)
               AND (since IS NULL OR s.created_at >= since)
               AND (until IS NULL OR s.created_at <= until)
            THEN
                given := given + 1;
                RETURN NEXT s;
                EXIT WHEN given = at_most;
            END IF;
        END LOOP;
        last := first - 1;
        width := width * 4;
        EXIT WHEN (SELECT m.created_at < find_messages.since - interval '1 hour'
                     FROM push.message m
                    WHERE m.id <= last
                    ORDER BY m.id DESC
                    LIMIT 1);
    END LOOP;
END $$;
COMMENT ON FUNCTION push.find_messages IS
    'Messages from the newest on, as in push.message_status: by status, reason, hub, tag (also within expressions), '
    'campaign, run, tenant, dedupe_key, time of enqueuing (since, until), and number (before). campaign and run of a run '
    'in push.run mean what that run made; what others enqueued under those names is found by campaign alone. Without '
    'since it looks at everything that is kept.';

CREATE OR REPLACE FUNCTION push.messages_in_same_post(id bigint) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT u.id
      FROM push.find_message(messages_in_same_post.id) s,
           LATERAL (SELECT p.ids FROM push.post p WHERE p.id = s.post OFFSET 0) p,
           unnest(p.ids) u(id)
     WHERE u.id <> messages_in_same_post.id
     ORDER BY u.id;
END $$;
COMMENT ON FUNCTION push.messages_in_same_post IS 'The other messages of the newest post that carried a message.';
