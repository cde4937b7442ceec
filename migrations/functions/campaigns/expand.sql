-- A run's audience becomes messages, in slices just ahead of sending.

CREATE OR REPLACE FUNCTION push_worker.expand_v1(stream bigint, n int, OUT rows int, OUT slice int, OUT done boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    most constant int := 10000;
    this record;
    begins timestamptz;
    others_until timestamptz;
    wanted int := least(greatest(n, 1), most);
    asked int;
    suppresses boolean;
    cap_group int;
    cap_day date;
    cap_since date;
    cap_most int;
    cap_looks boolean := false;
    counted record;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        PERFORM push_internal.require_read_committed('push_worker.expand_v1');
    END IF;
    SELECT t.*, r.expires_after, r.key, r.started_at, r.ends_at, r.bypasses_suppression, c.name AS campaign,
           coalesce(r.test, v.spec) AS spec, r.list, h.name AS hub_name, h.localization, NOT h.takes_templates AS has_kind, x.format,
           x.headers, x.content AS texts,
           -- The rate is that of the run; its streams share it.
           push_internal.rate_share(r) AS rate,
           coalesce((SELECT s.due_to FROM push.slice s WHERE s.stream = t.id AND s.n = t.slices), '-infinity') AS due_to
      INTO this
      FROM push.stream t
           JOIN push.run r ON r.id = t.run
           JOIN push.campaign c ON c.id = r.campaign
           JOIN push.campaign_revision v ON v.campaign = r.campaign AND v.revision = r.revision
           JOIN push.run_content x ON x.run = t.run
           JOIN push.hub h ON h.id = t.hub
     WHERE t.id = expand_v1.stream AND t.done_at IS NULL AND t.left_out IS NULL AND r.state = 'running' AND t.release_at <= clock_timestamp()
           AND push_internal.is_open(r, t.zone)
       FOR UPDATE OF t SKIP LOCKED;
    rows := 0;
    done := false;
    IF NOT FOUND OR this.ends_at <= clock_timestamp() THEN
        RETURN;
    END IF;

    -- send_at is the database's clock now, never an earlier time: what lies behind a lane's mark waits for the next full
    -- look. With a rate the messages are spread evenly, behind those of the slice before.
    begins := clock_timestamp();
    IF this.rate > 0 THEN
        -- A slice is two seconds of the rate, so an end far ahead is from before the clock was set back.
        IF this.due_to < begins + interval '5 s' THEN
            begins := greatest(begins, this.due_to + make_interval(secs => 1 / this.rate));
        END IF;
        begins := greatest(begins, this.filled_until);
        IF begins > clock_timestamp() + interval '1 s' THEN
            RETURN;                            -- enough is on its way
        END IF;
        wanted := least(wanted, greatest(1, (2 * this.rate)::int));
        -- Zones that began earlier made messages ahead when their shares were larger. The first of this one is in time, and
        -- the others come behind those.
        IF this.slices = 0 AND this.zone IS NOT NULL THEN
            others_until := (
                SELECT max(s.due_to)
                  FROM push.stream o
                       JOIN push.slice s ON s.stream = o.id AND s.n = o.slices
                 WHERE o.run = this.run AND o.release_at < this.release_at AND s.due_to > begins);
            IF others_until IS NOT NULL THEN
                wanted := 1;
            END IF;
        END IF;
    END IF;
    wanted := least(wanted, push_internal.canary_left(this.run));
    IF wanted = 0 THEN
        RETURN;                                -- the rest waits for the results of the canary
    END IF;
    PERFORM push.make_partitions();
    suppresses := NOT this.bypasses_suppression AND EXISTS (SELECT FROM push.suppression);
    IF this.spec -> 'cap' IS NOT NULL THEN
        SELECT p.cap_group, p.cap_day, p.cap_since, p.cap_most, p.cap_looks
          INTO cap_group, cap_day, cap_since, cap_most, cap_looks
          FROM push_internal.begin_cap(this.spec -> 'cap', this.run) p;
        IF cap_group IS NULL THEN
            RETURN;                            -- another run of its group is expanded at this moment
        END IF;
    END IF;

    WITH page AS MATERIALIZED (
        -- One more than wanted: a key that comes twice may do so across the end of a page.
        SELECT p.*, row_number() OVER () AS nth, coalesce(p.key = lag(p.key) OVER (), false) AS is_double
          FROM push_internal.recipients(
                   push_internal.pinned_audience(this.spec -> 'audience', this.list),
                   CASE WHEN this.localization = 'tags' THEN push_internal.locales_of(this.texts) ELSE '{}' END,
                   this.cursor, wanted + 1, this.part, this.zone_known) p
    ), kept AS MATERIALIZED (
        SELECT p.key, p.tag, p.handle, p.locale, p.properties, p.expires_at, p.nth,
               num_nonnulls(p.tag, p.handle) = 0 AND this.spec -> 'audience' -> 'broadcast' IS NOT NULL AS broadcast
          FROM page p
         WHERE p.nth <= wanted
           AND NOT p.is_double
           AND (NOT suppresses
                OR NOT EXISTS (
                       SELECT
                         FROM (VALUES ('key', p.key), ('tag', p.tag), ('handle', p.handle)) o(what, value)
                              JOIN push.suppression s ON s.what = o.what AND s.value = o.value
                        WHERE coalesce(s.until, 'infinity') > begins
                       OFFSET 0))
         ORDER BY p.nth
    ), capped AS MATERIALIZED (
        SELECT c.hash
          FROM push_internal.hashes_at_cap(ARRAY(SELECT k.key FROM kept k), cap_group, cap_since, cap_day, cap_most, this.run) c
         WHERE cap_looks
    ), recipient AS MATERIALIZED (
        SELECT k.*, nextval('push.message_id_seq') AS id,
               begins + make_interval(secs => coalesce((k.nth - 1) / this.rate, 0)) AS send_at,
               CASE
                   WHEN push_internal.is_usual_recipient(k.tag, k.handle, k.locale, k.properties, this.format, this.has_kind) THEN NULL
                   ELSE push_internal.wrong_recipient(k.tag, k.handle, k.locale, k.properties, this.format, this.headers, k.broadcast,
                                                      CASE WHEN this.has_kind THEN this.hub_name END)
               END AS wrong
          FROM kept k
         WHERE NOT cap_looks OR hashtextextended(k.key, 0) NOT IN (SELECT c.hash FROM capped c)
    ), messages AS (
        INSERT INTO push.message (id, hub, tag, handles, broadcast, locale, content, format, send_at, expires_at, priority,
                                  on_doubt, pack, campaign, run, stream, recipient)
        OVERRIDING SYSTEM VALUE
        SELECT k.id, this.hub_name, k.tag, CASE WHEN k.handle IS NOT NULL THEN ARRAY[k.handle] END, k.broadcast, k.locale,
               CASE json_typeof(k.properties) WHEN 'object' THEN k.properties ELSE '{}' END, this.format, k.send_at,
               coalesce(k.expires_at, this.release_at + this.expires_after), this.priority,
               this.spec ->> 'onDoubt', coalesce((this.spec ->> 'pack')::boolean, true), this.campaign, this.key, this.id, k.key
          FROM recipient k
    ), pointers AS (
        INSERT INTO push.due (due_at, id, hub, priority, attempt, kind, resent)
        SELECT k.send_at, k.id, this.hub, this.priority, 0::smallint, 'p'::"char", false
          FROM recipient k
         WHERE k.wrong IS NULL
         ORDER BY k.id
    ), refused AS (
        INSERT INTO push.result (id, status, reason, note)
        SELECT k.id, 'rejected', 'not_sendable', k.wrong
          FROM recipient k
         WHERE k.wrong IS NOT NULL
    ), reached AS (
        INSERT INTO push.reached (day, cap_group, run, keys, hashes)
        SELECT cap_day, cap_group, this.run, p.keys, p.hashes
          FROM push_internal.pack_reached(ARRAY(SELECT k.key FROM recipient k WHERE k.wrong IS NULL), cap_group, this.run) p
         WHERE cap_group IS NOT NULL
    )
    SELECT (SELECT count(*) FROM page) AS read,
           (SELECT count(*) FROM page p WHERE p.nth <= wanted AND NOT p.is_double)::int AS asked,
           (SELECT count(*) FROM page p WHERE p.is_double)::int AS doubles,
           (SELECT min(p.key) FROM page p WHERE p.is_double) AS double_example,
           (SELECT count(*) FROM kept)::int AS allowed,
           (SELECT p.key FROM page p WHERE p.nth <= wanted ORDER BY p.nth DESC LIMIT 1) AS last_key,
           count(*)::int AS rows, count(k.wrong) AS wrong, min(k.id) AS first_id, max(k.id) AS last_id,
           max(k.send_at) AS due_to
      INTO counted
      FROM recipient k;
    IF counted.wrong > 0 THEN
        PERFORM push_internal.count_results(ARRAY[this.hub], '{rejected}', '{not_sendable}', ARRAY[counted.wrong]);
    END IF;
    rows := counted.rows;
    done := counted.read <= wanted;
    IF counted.rows > 0 OR counted.asked > 0 THEN
        slice := this.slices + 1;
        INSERT INTO push.slice (stream, n, first_id, last_id, rows, refused, left_out, due_from, due_to)
        VALUES (expand_v1.stream, expand_v1.slice, coalesce(counted.first_id, 0), coalesce(counted.last_id, 0), counted.rows,
                counted.wrong,
                json_strip_nulls(json_build_object('suppressed', nullif(counted.asked - counted.allowed, 0),
                                                   'capped', nullif(counted.allowed - counted.rows, 0),
                                                   'double_key', nullif(counted.doubles, 0),
                                                   'double_example', left(counted.double_example, 200))),
                begins, greatest(counted.due_to, begins, others_until));
    END IF;
    UPDATE push.stream t
       SET cursor = coalesce(counted.last_key, t.cursor), expanded = t.expanded + counted.rows,
           slices = coalesce(expand_v1.slice, t.slices),
           done_at = CASE WHEN expand_v1.done THEN clock_timestamp() END
     WHERE t.id = expand_v1.stream;

    -- The last statement, with a new snapshot: a pause or cancel until now waited for nothing, and one from here on waits
    -- for our end and finds this slice.
    PERFORM FROM push.run r WHERE r.id = this.run AND r.state = 'running' FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'serialization_failure', MESSAGE = 'the run was stopped while its audience was read',
            HINT = 'Nothing was expanded.';
    END IF;
END $$;
COMMENT ON FUNCTION push_worker.expand_v1 IS
    'Makes messages of the next n recipients of a stream, at most 10,000: one slice, in one transaction. rows 0 and '
    'slice null: nothing was done, because another worker is at it, the run does not run, or its rate or window '
    'allows no more yet. done: the audience is read to its end. 40001: the run was stopped meanwhile.';

CREATE OR REPLACE FUNCTION push_internal.count_ahead_of_stream(stream bigint, most int, OUT rows int, OUT open int)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
<<own>>
DECLARE
    n int := (SELECT t.slices FROM push.stream t WHERE t.id = count_ahead_of_stream.stream);
    left_over int;
BEGIN
    -- Messages leave in the order in which they were made, so the newest slices are the ones that are left. A slice that
    -- never had a pointer, because all its recipients were left out or refused, says nothing about those before it.
    rows := 0;
    open := 0;
    WHILE n > 0 AND rows < most LOOP
        left_over := push_internal.count_unclaimed_of_slice(stream, n, most - rows);
        EXIT WHEN left_over = 0 AND EXISTS (
            SELECT
              FROM push.slice s
             WHERE s.stream = count_ahead_of_stream.stream AND s.n = own.n AND s.rows > s.refused);
        rows := rows + left_over;
        open := open + CASE WHEN left_over > 0 THEN 1 ELSE 0 END;
        n := n - 1;
    END LOOP;
END $$;
COMMENT ON FUNCTION push_internal.count_ahead_of_stream IS
    'How many messages of a stream were made and not claimed, and of how many slices.';

CREATE OR REPLACE FUNCTION push_worker.running_streams_v1(hubs int[])
RETURNS TABLE (stream bigint, run bigint, campaign text, key text, rate real, ahead int, expanded bigint, is_over boolean,
               streams int, count_at bigint, left_out text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT t.id, r.id, c.name, r.key, r.rate, (push_internal.count_ahead_of_stream(t.id, 50000)).rows, t.expanded,
           coalesce(r.ends_at <= clock_timestamp(), false),
           (count(*) FILTER (WHERE t.left_out IS NULL) OVER (PARTITION BY t.run, t.hub))::int,
           coalesce(t.count_at, 2 * coalesce(r.estimate, 0)), t.left_out
      FROM push.run r,
           LATERAL (SELECT t.* FROM push.stream t WHERE t.run = r.id OFFSET 0) t,
           LATERAL (SELECT c.name FROM push.campaign c WHERE c.id = r.campaign OFFSET 0) c
     WHERE r.closed_at IS NULL
       AND t.done_at IS NULL
       AND t.hub = ANY (hubs)
       AND CASE
               WHEN t.left_out IS NOT NULL THEN r.state IN ('canary', 'running')
               ELSE r.state = 'running' AND t.release_at <= clock_timestamp() AND push_internal.is_open(r, t.zone)
           END
     ORDER BY t.id;
END $$;
COMMENT ON FUNCTION push_worker.running_streams_v1 IS
    'The streams of these hubs that have begun and are in their window, or are left out, and whose audience is not expanded yet, with how '
    'many of their messages wait to be claimed (counted up to 50,000). is_over: the time of the run is up. streams: '
    'of the run on that hub. count_at: when more messages than that are made, the audience is counted '
    '(push_worker.count_audience_v1). left_out: the rest gets nothing, and is to be counted (push_worker.leave_out_v1).';

CREATE OR REPLACE FUNCTION push_worker.count_audience_v1(stream bigint, most bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    audience constant json := (
        SELECT push_internal.pinned_audience(coalesce(r.test, v.spec) -> 'audience', r.list)
          FROM push.stream t
               JOIN push.run r ON r.id = t.run
               JOIN push.campaign_revision v ON v.campaign = r.campaign AND v.revision = r.revision
         WHERE t.id = count_audience_v1.stream);
BEGIN
    IF audience -> 'view' IS NOT NULL THEN
        RETURN push_internal.audience_rows(audience ->> 'view', most);
    ELSIF push_internal.list_of(audience) IS NOT NULL THEN
        RETURN (SELECT count(*)
                  FROM (SELECT FROM push.list_member m WHERE m.list = push_internal.list_of(audience) LIMIT most) m);
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_worker.count_audience_v1 IS
    'How many rows the audience of a stream has, in all time zones, counted up to most. Null: it is no view and no '
    'list. Takes about as long as reading that many rows.';
