-- Looking for messages within a budget of time, for a page that somebody waits for.

CREATE OR REPLACE FUNCTION push_internal.refuse_filter(message text, hint text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'invalid_parameter_value', MESSAGE = 'push.search_messages_v1: ' || message, HINT = hint;
END $$;
COMMENT ON FUNCTION push_internal.refuse_filter IS 'Raises for a filter or an argument that push.search_messages_v1 does not take.';

CREATE OR REPLACE FUNCTION push_internal.time_of_filter(member text, value text) RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN value::timestamptz;
EXCEPTION WHEN data_exception THEN
    PERFORM push_internal.refuse_filter(
        format('"%s" is %s, which is no time', member, push_internal.quoted(value, 60)),
        'Write a time with its zone, such as 2026-11-29 08:00+01.');
END $$;
COMMENT ON FUNCTION push_internal.time_of_filter IS 'A time of a filter; raises for what is none. Null of null.';

CREATE OR REPLACE FUNCTION push_internal.ids_of_filter(value json) RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    texts constant text[] := CASE json_typeof(value)
        WHEN 'array' THEN ARRAY(SELECT u.id FROM json_array_elements_text(value) u(id))
        ELSE ARRAY[value #>> '{}']
    END;
    wrong constant text := (SELECT u.id FROM unnest(texts) u(id) WHERE (u.id ~ '^[0-9]{1,18}$') IS NOT TRUE LIMIT 1);
BEGIN
    IF texts = '{}' OR array_position(texts, NULL) IS NOT NULL OR wrong IS NOT NULL THEN
        PERFORM push_internal.refuse_filter(
            format('"id" is %s, which is no id of a message', push_internal.quoted(coalesce(wrong, value::text), 60)),
            'Write a number, such as 42, or a list of 1 to 1,000 of them: [42, 43].');
    ELSIF cardinality(texts) > 1000 THEN
        PERFORM push_internal.refuse_filter(
            format('"id" has %s ids', cardinality(texts)), 'At most 1,000: ask for the others with another call.');
    END IF;
    RETURN texts::bigint[];
END $$;
COMMENT ON FUNCTION push_internal.ids_of_filter IS 'The ids of a filter: a number, or a list of them. Raises for anything else.';

CREATE OR REPLACE FUNCTION push_internal.filter_of_messages(
    filter json,
    OUT hub text, OUT status text, OUT reason text, OUT tag text, OUT campaign text, OUT run text, OUT tenant text,
    OUT dedupe_key text, OUT since timestamptz, OUT until timestamptz, OUT ids bigint[])
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known constant text[] := '{hub,status,reason,tag,campaign,run,tenant,dedupe_key,since,until,id}';
    member record;
BEGIN
    IF filter IS NULL THEN
        RETURN;
    ELSIF json_typeof(filter) <> 'object' THEN
        PERFORM push_internal.refuse_filter(
            format('the filter is %s, and not an object', push_internal.quoted(filter::text, 60)),
            'Write {"hub": "news", "status": "rejected"}; {} means every message.');
    END IF;
    FOR member IN
        SELECT e.key, e.value, json_typeof(e.value) AS type, e.value #>> '{}' AS text
          FROM json_each(filter) e
         WHERE json_typeof(e.value) <> 'null'
    LOOP
        IF member.key <> ALL (known) THEN
            PERFORM push_internal.refuse_filter(
                format('the filter has no member %s', push_internal.quoted(member.key, 60)),
                format('Its members are %s.', array_to_string(known, ', ')));
        ELSIF member.key = 'id' THEN
            ids := push_internal.ids_of_filter(member.value);
        ELSIF member.type <> 'string' THEN
            PERFORM push_internal.refuse_filter(
                format('"%s" is %s, and not a text', member.key, push_internal.quoted(member.value::text, 60)),
                'Every member but "id" is a text, or null for any.');
        ELSIF member.text COLLATE "C" !~ '[^[:space:]]' OR length(member.text) > 4000 THEN
            PERFORM push_internal.refuse_filter(
                format('"%s" is %s', member.key,
                       CASE WHEN length(member.text) > 4000 THEN format('%s characters long', length(member.text))
                            ELSE 'empty' END),
                'Leave it out to look for any.');
        END IF;
        CASE member.key
            WHEN 'hub' THEN hub := member.text;
            WHEN 'status' THEN status := member.text;
            WHEN 'reason' THEN reason := member.text;
            WHEN 'tag' THEN tag := member.text;
            WHEN 'campaign' THEN campaign := member.text;
            WHEN 'run' THEN run := member.text;
            WHEN 'tenant' THEN tenant := member.text;
            WHEN 'dedupe_key' THEN dedupe_key := member.text;
            WHEN 'since' THEN since := push_internal.time_of_filter('since', member.text);
            WHEN 'until' THEN until := push_internal.time_of_filter('until', member.text);
            ELSE NULL;
        END CASE;
    END LOOP;
    IF hub IS NOT NULL THEN
        PERFORM push_internal.hub_number(hub, or_removed => true);
    END IF;
    IF status <> ALL (enum_range(NULL::push.status)::text[]) THEN
        PERFORM push_internal.refuse_filter(
            format('there is no status %s', push_internal.quoted(status, 60)),
            format('A status is one of %s.', array_to_string(enum_range(NULL::push.status), ', ')));
    ELSIF reason <> ALL (enum_range(NULL::push.reason)::text[]) THEN
        PERFORM push_internal.refuse_filter(
            format('there is no reason %s', push_internal.quoted(reason, 60)),
            format('A reason is one of %s.', array_to_string(enum_range(NULL::push.reason), ', ')));
    ELSIF since > until THEN
        PERFORM push_internal.refuse_filter('"since" is later than "until"', 'Both say when a message was enqueued.');
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.filter_of_messages IS
    'The filter of push.search_messages_v1, read. Raises for a member that it does not have, and for a value that is wrong.';

-- Volatile, or the planner would call it.
CREATE OR REPLACE FUNCTION push_internal.end_page_of_search() RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'PT003', MESSAGE = 'the time for this page of a search is over';
END $$;
COMMENT ON FUNCTION push_internal.end_page_of_search IS
    'Ends the statement of a page whose time is over; push.search_messages_v1 takes a smaller page then.';

-- $1 and $2: the ids of the page; $3: until when it may work; $4: ids at most. The time is looked at first at each row, so that
-- a page full of rows that do not match ends in time, too. OFFSET 0: else EXISTS may become a hash of the whole table.
CREATE OR REPLACE FUNCTION push_internal.query_of_search(
    hub text, status text, reason text, tag text, campaign text, run text, tenant text, dedupe_key text,
    since timestamptz, until timestamptz, streams bigint[], OUT query text, OUT of_expressions text, OUT uses_summaries boolean)
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET timezone = 'UTC' AS $$
DECLARE
    is_pending constant boolean := coalesce(status IN ('scheduled', 'waiting', 'due', 'claimed', 'posting'), false);
    frame constant text :=
        'SELECT %1$s.id FROM push.%2$s %1$s WHERE %1$s.id BETWEEN $1 AND $2%3$s '
        'AND CASE WHEN clock_timestamp() < $3 THEN %4$s ELSE push_internal.end_page_of_search() END ORDER BY %1$s.id DESC LIMIT $4';
    summarised constant text := concat_ws(' AND ',
        CASE WHEN streams IS NULL THEN 'm.campaign = ' || quote_literal(campaign) END,
        'm.tenant = ' || quote_literal(tenant), 'm.dedupe_key = ' || quote_literal(dedupe_key));
    of_row constant text := concat_ws(' AND ',
        'm.hub = ' || quote_literal(hub),
        CASE WHEN streams IS NULL THEN 'm.run = ' || quote_literal(run)
             ELSE format('m.stream = ANY (%L)', streams) END,
        'm.created_at >= ' || quote_literal(since), 'm.created_at <= ' || quote_literal(until));
    newest constant text :=
        '(SELECT n.%s::text FROM push.result n WHERE n.id = m.id ORDER BY n.arrival DESC LIMIT 1)';
    no_result constant text := 'NOT EXISTS (SELECT FROM push.result n WHERE n.id = m.id OFFSET 0)';
    first_due constant text :=
        'push_internal.first_due_at(m.send_at, m.created_at, m.after, m.after_device, m.after_at_most)';
    of_result constant text := concat_ws(' AND ',
        CASE
            WHEN status = 'scheduled' THEN format('(m.content_key IS NOT NULL OR %s > now()) AND %s', first_due, no_result)
            WHEN status = 'due' THEN format('(m.content_key IS NOT NULL OR %s <= now()) AND %s', first_due, no_result)
            WHEN status = 'waiting' THEN 'num_nonnulls(m.after, m.after_device) > 0 AND ' || no_result
            WHEN is_pending THEN 'coalesce(' || format(newest, 'status') || ', ''retrying'') = ''retrying'''
            ELSE format(newest, 'status') || ' = ' || quote_literal(status)
        END,
        format(newest, 'reason') || ' = ' || quote_literal(reason));
    rest constant text := concat_ws(' AND ', 'true', nullif(of_row, ''), nullif(of_result, ''));
BEGIN
    uses_summaries := summarised <> '' OR tag IS NOT NULL;
    IF NOT uses_summaries AND (reason IS NOT NULL OR status IS NOT NULL AND NOT is_pending) THEN
        -- By results: what has none is not looked at. As text, or the index of all failures by time may be read whole; doubts
        -- have an index of their own in the order of ids.
        query := format(frame, 'r', 'result',
            CASE WHEN status = 'in_doubt' THEN ' AND r.status = ''in_doubt''' ELSE '' END,
            concat_ws(' AND ', 'true', 'r.reason::text = ' || quote_literal(reason),
                      CASE WHEN NOT is_pending THEN 'r.status::text = ' || quote_literal(status) END,
                      'NOT EXISTS (SELECT FROM push.result n WHERE n.id = r.id AND n.arrival > r.arrival OFFSET 0)',
                      'EXISTS (SELECT FROM push.message m WHERE m.id = r.id AND ' || nullif(of_row, '') || ' OFFSET 0)'));
        RETURN;
    END IF;
    query := format(frame, 'm', 'message',
                    coalesce(' AND ' || nullif(summarised, ''), '') || coalesce(' AND m.tag = ' || quote_literal(tag), ''), rest);
    IF tag IS NOT NULL THEN
        of_expressions := format(frame, 'm', 'message',
            ' AND (m.tag LIKE ''%|%'' OR m.tag LIKE ''%&%'' OR m.tag LIKE ''%!%'')',
            concat_ws(' AND ', 'm.tag ~ ' || quote_literal(push_internal.pattern_of_tag(tag)), nullif(summarised, ''), rest));
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.query_of_search IS
    'The statement that finds the ids of a page of push.search_messages_v1, with the values in it, so that it is planned for '
    'them; of_expressions: a second one, for tags within expressions. uses_summaries: the first one is for '
    'push.message_search. streams: only what these made, whatever campaign and run are.';

CREATE OR REPLACE FUNCTION push_internal.page_of_search(
    query text, first bigint, last bigint, stop_at timestamptz, n int, uses_summaries boolean)
RETURNS bigint[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_indexscan = on SET cpu_index_tuple_cost = 0.005 AS $$
DECLARE
    found bigint[];
BEGIN
    IF uses_summaries THEN             -- only push.message_search: its kind of index has no such costs
        PERFORM set_config('enable_indexscan', 'off', true), set_config('enable_bitmapscan', 'on', true),
                set_config('cpu_index_tuple_cost', '1000000', true);
    END IF;
    EXECUTE format('SELECT array_agg(c.id) FROM (%s) c', query) INTO found USING first, last, stop_at, n;
    RETURN coalesce(found, '{}');
END $$;
COMMENT ON FUNCTION push_internal.page_of_search IS
    'The highest n ids from first to last that a query of push_internal.query_of_search finds, with a plan that does not '
    'depend on statistics. PT003: that took longer than until stop_at.';

CREATE OR REPLACE FUNCTION push_internal.pending_ids(hub int, status text, most int) RETURNS bigint[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_variable
DECLARE
    from_at constant timestamptz := CASE WHEN status = 'scheduled' THEN now() ELSE '-infinity' END;
    to_at constant timestamptz := CASE WHEN status = 'due' THEN now() ELSE 'infinity' END;
    pointers bigint[];                 -- the first message of each content
BEGIN
    IF status IN ('claimed', 'posting') THEN
        RETURN ARRAY(
            SELECT u.id
              FROM push.claim c, unnest(c.ids) u(id)
             WHERE c.id >= push_internal.lowest_claim()
               AND c.hub = coalesce(pending_ids.hub, c.hub)
               AND NOT EXISTS (
                       SELECT
                         FROM push.result r
                        WHERE r.id = u.id
                          AND r.post BETWEEN push_internal.no_post(c.id) AND push.last_post(c.id)
                       OFFSET 0));
    END IF;
    pointers := ARRAY(
        SELECT p.id
          FROM push.hub h,
               unnest('{0,1,2}'::smallint[]) c(priority),
               LATERAL (
                   (SELECT w.id
                      FROM push.waiting w
                     WHERE status = 'waiting'
                       AND w.hub = h.id
                       AND w.priority = c.priority
                     ORDER BY w.look_at, w.id
                     LIMIT most + 1)
                   UNION ALL
                   (SELECT d.id
                      FROM push.due d
                     WHERE status <> 'waiting'
                       AND d.hub = h.id
                       AND d.priority = c.priority
                       AND d.due_at BETWEEN from_at AND to_at
                     ORDER BY d.due_at, d.id
                     LIMIT most + 1)) p
         WHERE h.id = coalesce(pending_ids.hub, h.id)
         LIMIT most + 1);
    IF cardinality(pointers) > most THEN
        RETURN NULL;
    END IF;
    RETURN ARRAY(
        SELECT e.id
          FROM (SELECT u.id FROM unnest(pointers) u(id)
                UNION
                SELECT t.id
                  FROM unnest(pointers) u(id),
                       LATERAL (SELECT t.id FROM push.translation t WHERE t.lead = u.id OFFSET 0) t
                UNION
                SELECT k.id
                  FROM unnest(pointers) u(id),
                       LATERAL (SELECT k.id FROM push.content k WHERE k.lead = u.id OFFSET 0) k) e
         WHERE EXISTS (SELECT FROM push.result r WHERE r.id = e.id OFFSET 0) = (status = 'retrying'));
END $$;
COMMENT ON FUNCTION push_internal.pending_ids IS
    'The messages that may have a status before their end, by the tables of what is pending. Null: there are more than '
    'most pointers. Hub null: of all.';

CREATE OR REPLACE FUNCTION push_internal.newest_enqueued_by(moment timestamptz, low bigint, high bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_variable
DECLARE
    middle bigint;
    seen record;
BEGIN
    -- A transaction that enqueues for an hour gives high ids to messages of an hour ago.
    WHILE high - low > 1000 LOOP
        middle := low + (high - low) / 2;
        SELECT m.id, m.created_at INTO seen FROM push.message m WHERE m.id <= middle ORDER BY m.id DESC LIMIT 1;
        IF seen.created_at > moment THEN
            high := least(seen.id, middle) - 1;
        ELSE
            low := middle;
        END IF;
    END LOOP;
    RETURN greatest(high, low);
END $$;
COMMENT ON FUNCTION push_internal.newest_enqueued_by IS
    'From low to high the id up to which messages were enqueued by a moment, found by halving; exact to 1,000 ids above, '
    'and to how long transactions take that enqueue.';

CREATE OR REPLACE FUNCTION push.search_messages_v1(
    filter       json DEFAULT NULL,
    before       bigint DEFAULT NULL,
    at_most      int DEFAULT 50,
    milliseconds int DEFAULT 300)
RETURNS TABLE (
    id              bigint,
    hub             text,
    target          text,
    locale          text,
    status          text,
    reason          push.reason,
    class           text,
    posts           bigint,
    since           timestamptz,
    next_try        timestamptz,
    note            text,
    post            bigint,
    http            smallint,
    tracking_id     text,
    notification_id text,
    error           text,
    worker          text,
    campaign        text,
    run             text,
    tenant          text,
    created_at      timestamptz,
    looked_to       bigint,
    looked_back_to  timestamptz,
    is_end          boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    stop_at constant timestamptz := clock_timestamp() + milliseconds * interval '1 millisecond';
    most constant int := 500;          -- ids of a page
    chunk constant int := 25;          -- messages whose state is looked up between two looks at the clock
    f record;
    q record;
    streams bigint[];                  -- only their slices are searched; null: all messages are
    known bigint[];                    -- nothing else can match; null: pages of ids are searched
    oldest bigint;                     -- what can match has ids from this one to last
    last bigint;
    first bigint;                      -- of the page
    width bigint;
    looked bigint;                     -- down to this id everything was looked at
    candidates bigint[];
    named bigint[];
    found push.message_status[];
    given int := 0;
    began timestamptz;
    is_first boolean := true;          -- the first page and its first messages are looked at whatever the budget
    is_over boolean := false;
BEGIN
    IF (at_most BETWEEN 1 AND 1000) IS NOT TRUE THEN
        PERFORM push_internal.refuse_filter(format('at_most is %s', coalesce(at_most::text, 'null')), '1 to 1000 messages.');
    ELSIF (milliseconds BETWEEN 1 AND 60000) IS NOT TRUE THEN
        PERFORM push_internal.refuse_filter(format('milliseconds is %s', coalesce(milliseconds::text, 'null')), '1 to 60000.');
    END IF;
    f := push_internal.filter_of_messages(filter);
    streams := push_internal.streams_of_run_named(f.campaign, f.run);
    q := push_internal.query_of_search(
             f.hub, f.status, f.reason, f.tag, f.campaign, f.run, f.tenant, f.dedupe_key, f.since, f.until, streams);
    width := CASE WHEN q.uses_summaries THEN 20000 ELSE 2000 END;      -- a look at summaries reads all of a partition
    oldest := (SELECT m.id FROM push.message m ORDER BY m.id LIMIT 1);
    last := least(CASE WHEN before <= 0 THEN 0 ELSE before - 1 END, (SELECT m.id FROM push.message m ORDER BY m.id DESC LIMIT 1));
    IF f.ids IS NOT NULL THEN
        known := f.ids;
    ELSIF last >= oldest THEN
        IF f.until IS NOT NULL THEN
            last := push_internal.newest_enqueued_by(f.until + interval '1 hour', oldest - 1, last);
        END IF;
        IF f.since IS NOT NULL AND last >= oldest THEN
            oldest := greatest(oldest, push_internal.newest_enqueued_by(f.since - interval '1 hour', oldest - 1, last) - 1000);
        END IF;
        IF streams IS NULL AND NOT q.uses_summaries AND f.status = ANY ('{scheduled,waiting,due,claimed,posting,retrying}') THEN
            known := push_internal.pending_ids(
                CASE WHEN f.hub IS NOT NULL THEN push_internal.hub_number(f.hub, or_removed => true) END, f.status, 5000);
        END IF;
    END IF;
    looked := last + 1;

    LOOP
        began := clock_timestamp();
        IF known IS NULL THEN          -- from one message to the next: numbers that were never used cost nothing
            last := push_internal.newest_to_look_at(streams, oldest, last);
        END IF;
        IF last < oldest OR last IS NULL THEN
            is_over := true;
            EXIT;
        END IF;
        first := oldest;
        IF known IS NOT NULL THEN
            candidates := ARRAY(
                SELECT DISTINCT u.id FROM unnest(known) u(id) WHERE u.id BETWEEN oldest AND last ORDER BY u.id DESC);
        ELSE
            first := greatest(last - width + 1, oldest);
            BEGIN
                candidates := push_internal.page_of_search(
                    q.query, first, last, CASE WHEN is_first THEN 'infinity' ELSE began + (stop_at - began) / 2 END, most,
                    q.uses_summaries);
                IF cardinality(candidates) = most THEN
                    first := candidates[most];
                END IF;
                IF q.of_expressions IS NOT NULL THEN
                    named := push_internal.page_of_search(
                        q.of_expressions, first, last,
                        CASE WHEN is_first THEN 'infinity' ELSE began + (stop_at - began) / 2 END, most, false);
                    IF cardinality(named) = most THEN
                        first := named[most];
                    END IF;
                    candidates := ARRAY(
                        SELECT DISTINCT u.id FROM unnest(candidates || named) u(id) WHERE u.id >= first ORDER BY u.id DESC);
                END IF;
            EXCEPTION WHEN SQLSTATE 'PT003' THEN
                EXIT WHEN clock_timestamp() >= stop_at;
                width := greatest(width / 16, 500);
                CONTINUE;
            END;
        END IF;
        WHILE candidates <> '{}' AND given < at_most AND (is_first OR clock_timestamp() < stop_at) LOOP
            found := ARRAY(
                SELECT s::push.message_status
                  FROM unnest(candidates[:chunk]) u(id),
                       LATERAL (SELECT s.* FROM push.message_status s WHERE s.id = u.id OFFSET 0) s
                 WHERE s.status::text = coalesce(f.status, s.status::text)
                   AND (f.reason IS NULL OR s.reason::text = f.reason)
                   AND s.hub = coalesce(f.hub, s.hub)
                   AND s.created_at BETWEEN coalesce(f.since, '-infinity') AND coalesce(f.until, 'infinity')
                   AND (f.campaign IS NULL OR s.campaign = f.campaign)
                   AND (f.run IS NULL OR s.run = f.run)
                   AND (streams IS NULL OR EXISTS (
                           SELECT FROM push.message m WHERE m.id = s.id AND m.stream = ANY (streams) OFFSET 0))
                   AND (f.tenant IS NULL OR s.tenant = f.tenant)
                   AND (coalesce(f.tag, f.dedupe_key) IS NULL
                        OR EXISTS (
                               SELECT
                                 FROM push.message m
                                WHERE m.id = s.id
                                  AND (f.dedupe_key IS NULL OR m.dedupe_key = f.dedupe_key)
                                  AND (f.tag IS NULL OR m.tag = f.tag
                                       OR m.tag ~ '[|&!]' AND m.tag ~ push_internal.pattern_of_tag(f.tag))
                               OFFSET 0))
                 ORDER BY s.id DESC
                 LIMIT at_most - given);
            RETURN QUERY
            SELECT s.id, s.hub, s.target, s.locale, s.status::text, s.reason, s.class::text, s.posts, s.since, s.next_try,
                   s.note, s.post, s.http, s.tracking_id, s.notification_id, s.error, s.worker, s.campaign, s.run, s.tenant,
                   s.created_at, NULL::bigint, NULL::timestamptz, NULL::boolean
              FROM unnest(found) s;
            given := given + cardinality(found);
            looked := CASE
                WHEN given = at_most THEN (found[cardinality(found)]).id
                ELSE candidates[least(chunk, cardinality(candidates))]
            END;
            candidates := candidates[chunk + 1 :];
            is_first := false;
        END LOOP;
        IF given < at_most AND candidates = '{}' THEN
            looked := first;
        END IF;
        last := looked - 1;
        is_first := false;
        EXIT WHEN given = at_most OR clock_timestamp() >= stop_at;
        width := CASE
            WHEN (clock_timestamp() - began) * 8 < stop_at - clock_timestamp() THEN least(width * 4, 1000000000)
            WHEN (clock_timestamp() - began) * 2 > stop_at - clock_timestamp() THEN greatest(width / 4, 500)
            ELSE width
        END;
    END LOOP;

    IF NOT is_over THEN
        is_over := CASE
            WHEN known IS NULL THEN push_internal.newest_to_look_at(streams, oldest, last) IS NULL
            ELSE NOT EXISTS (SELECT FROM unnest(known) u(id) WHERE u.id BETWEEN oldest AND last)
        END;
    END IF;
    IF is_over THEN
        looked := least(looked, oldest);
    END IF;
    RETURN QUERY
    SELECT NULL::bigint, NULL::text, NULL::text, NULL::text, NULL::text, NULL::push.reason, NULL::text, NULL::bigint,
           NULL::timestamptz, NULL::timestamptz, NULL::text, NULL::bigint, NULL::smallint, NULL::text, NULL::text, NULL::text,
           NULL::text, NULL::text, NULL::text, NULL::text, NULL::timestamptz, looked,
           (SELECT m.created_at FROM push.message m WHERE m.id >= looked ORDER BY m.id LIMIT 1), is_over;
END $$;
COMMENT ON FUNCTION push.search_messages_v1 IS
    'Messages from the newest on, as in push.message_status, within a budget of milliseconds, however many there are. filter: '
    'an object with any of hub, status, reason, tag (also within expressions), campaign, run, tenant, dedupe_key, since and '
    'until (when it was enqueued) as texts, and id (a number or a list). campaign and run of a run in push.run mean what '
    'that run made; what others enqueued under those names is found by campaign alone. before: only lower ids. Every call '
    'looks at one page at least. The last row has no id: it says down to which id it looked (looked_to; pass it as before '
    'to look further), to which time, and whether that was the end (is_end). since and until leave out what a transaction '
    'enqueued that was open for more than an hour.';
