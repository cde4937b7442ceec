-- Fanfare, migration 58: Runs: started once, and expanded into messages in slices just ahead of sending.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.estimate_audience(audience json, locales int) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE
        WHEN audience -> 'tags' IS NOT NULL THEN json_array_length(audience -> 'tags') * greatest(locales, 1)
        WHEN audience -> 'view' IS NOT NULL THEN push.audience_estimate(audience ->> 'view')
        WHEN audience -> 'list' IS NOT NULL OR audience -> 'handles' IS NOT NULL THEN (
            SELECT count(*)
              FROM push.list l
                   JOIN push.list_member m ON m.list = l.id
             WHERE l.name = coalesce(audience ->> 'list', audience -> 'handles' ->> 'list'))
        ELSE greatest(locales, 1)
    END;
END $$;
COMMENT ON FUNCTION push.estimate_audience IS
    'How many messages an audience becomes on one hub, where each tag comes in that number of languages. Only for other '
    'functions.';

CREATE FUNCTION push.begin_run(
    known push.campaign, revision int, key text, by text, state push.run_state, why text, test json DEFAULT NULL,
    OUT run bigint, OUT started boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    spec json;
    locales text[];
    recipients bigint;
BEGIN
    known.revision := coalesce(begin_run.revision, known.revision);
    SELECT coalesce(test, r.spec) INTO spec
      FROM push.campaign_revision r
     WHERE r.campaign = known.id AND r.revision = known.revision;
    INSERT INTO push.run AS r (campaign, revision, key, started_by, state, why, test)
    SELECT known.id, known.revision, begin_run.key, begin_run.by, begin_run.state, begin_run.why,
           (test::jsonb - 'content')::json
     WHERE known.state = 'ready'
        ON CONFLICT (campaign, key) DO NOTHING
    RETURNING r.id INTO run;
    started := run IS NOT NULL;
    IF NOT started THEN
        RETURN;
    END IF;
    IF begin_run.revision IS NULL THEN
        PERFORM push.refuse_unapproved(known);
    END IF;
    -- What is wrong with its members was refused when it was made, but for a draft, which can be tested, too.
    PERFORM push.refuse_spec(CASE WHEN test IS NULL THEN push.wrong_references(spec) ELSE push.wrong_spec(spec) END);
    PERFORM push.make_cap_group(spec -> 'cap' ->> 'group') WHERE spec -> 'cap' IS NOT NULL;
    INSERT INTO push.run_content (run, format, headers, content, fallback)
    VALUES (begin_run.run, coalesce(spec ->> 'format', 'template'), spec -> 'headers', spec -> 'content', spec ->> 'fallback');
    locales := push.locales_of(spec -> 'content');
    INSERT INTO push.stream (run, hub, priority)
    SELECT begin_run.run, h.id, coalesce((spec ->> 'priority')::smallint, 2)
      FROM push.hub h
     WHERE h.name IN (SELECT e.value #>> '{}' FROM json_array_elements(spec -> 'hubs') e)
     ORDER BY h.name;
    recipients := (
        SELECT sum(push.estimate_audience(
                       spec -> 'audience', CASE WHEN h.localization = 'tags' THEN cardinality(locales) ELSE 0 END))
          FROM push.stream t
               JOIN push.hub h ON h.id = t.hub
         WHERE t.run = begin_run.run);
    UPDATE push.run r
       SET estimate = recipients,
           rate = coalesce((spec ->> 'rate')::real,
                           greatest(recipients, 1) / extract(epoch FROM (spec ->> 'spread')::interval)::real),
           expires_after = (spec ->> 'expires')::interval,
           ends_at = r.started_at + (spec ->> 'maxDuration')::interval,
           stop_when = spec -> 'stopWhen',
           canary = spec -> 'canary',
           canary_size = push.canary_size(spec -> 'canary', recipients)
     WHERE r.id = begin_run.run;
    PERFORM push.place_run(begin_run.run);
    INSERT INTO push.audit (action, detail)
    VALUES ('start_run', json_build_object('campaign', known.name, 'key', begin_run.key, 'revision', known.revision,
                                           'estimate', recipients));
END $$;
COMMENT ON FUNCTION push.begin_run IS
    'Begins a run of a revision, which is push.revision_to_run; started false: the campaign is not ready, or has a run of '
    'that key. test: instead, a test of any revision, which sends this spec. Raises if no revision is approved (null), or '
    'the spec cannot be run any more. Only for other functions.';

CREATE FUNCTION push.start_run(
    campaign text, key text, bypass boolean DEFAULT false, OUT run bigint, OUT started boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    known constant push.campaign := push.campaign_of(campaign);
    next_one constant int := push.revision_to_run(known.id);
    joined push.run;
BEGIN
    PERFORM push.begin_action();
    PERFORM push.require_read_committed('push.start_run');
    IF coalesce(length(start_run.key), 0) NOT BETWEEN 1 AND 200 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value', MESSAGE = 'push.start_run: the key has 1 to 200 characters',
            HINT = 'A second start with the same key joins that run: give the date, or an order number.';
    END IF;
    SELECT b.run, b.started INTO run, started
      FROM push.begin_run(known, next_one, start_run.key, push.caller(), 'running', NULL) b;
    IF started THEN
        PERFORM push.bypass_suppression(start_run.run, known.name, start_run.key) WHERE start_run.bypass;
        PERFORM push.wake_up();
        RETURN;
    END IF;
    SELECT r.* INTO joined FROM push.run r WHERE r.campaign = known.id AND r.key = start_run.key;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('campaign %s is %s', campaign, CASE known.state WHEN 'draft' THEN 'a draft' ELSE 'retired' END),
            HINT = 'fanfare campaign create makes it ready.';
    END IF;
    IF joined.revision <> next_one THEN
        RAISE EXCEPTION USING
            ERRCODE = 'unique_violation',
            MESSAGE = format('key %s of campaign %s was used for revision %s, and the campaign is at revision %s now',
                             to_json(start_run.key), campaign, joined.revision, next_one),
            HINT = 'Take a new key to send the new revision.';
    ELSIF start_run.bypass AND NOT joined.bypasses_suppression THEN
        RAISE EXCEPTION USING
            ERRCODE = 'unique_violation',
            MESSAGE = format('run %s of campaign %s leaves out who is suppressed', to_json(start_run.key), campaign),
            HINT = 'Take a new key to reach them, too.';
    END IF;
    run := joined.id;
END $$;
COMMENT ON FUNCTION push.start_run IS
    'Starts the newest approved revision of a campaign, once for each key: started is false when a run of that key was '
    'there already, which is then returned. Refuses a key that was used for another revision. bypass: the run reaches '
    'suppressed recipients, too, and push.audit says who asked for it.';

CREATE FUNCTION push.run_campaign(
    name text, key text, hub text, tags text[], content json, fallback text DEFAULT NULL, format text DEFAULT NULL,
    headers json DEFAULT NULL, priority int DEFAULT NULL, rate real DEFAULT NULL, spread text DEFAULT NULL,
    expires text DEFAULT NULL, stop_when json DEFAULT NULL, schedule text DEFAULT NULL, OUT run bigint,
    OUT started boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM push.create_campaign(run_campaign.name, json_strip_nulls(json_build_object(
        'hubs', ARRAY[run_campaign.hub], 'format', run_campaign.format, 'headers', run_campaign.headers,
        'audience', json_build_object('tags', run_campaign.tags), 'content', run_campaign.content,
        'fallback', run_campaign.fallback, 'priority', run_campaign.priority, 'rate', run_campaign.rate,
        'spread', run_campaign.spread, 'expires', run_campaign.expires, 'stopWhen', run_campaign.stop_when,
        'schedule', run_campaign.schedule)));
    started := false;
    IF run_campaign.key IS NOT NULL OR run_campaign.schedule IS NULL THEN
        PERFORM push.require_newest(run_campaign.name);
        SELECT s.run, s.started INTO run, started FROM push.start_run(run_campaign.name, run_campaign.key) s;
    END IF;
END $$;
COMMENT ON FUNCTION push.run_campaign IS
    'A campaign to tags in one statement: keeps it (push.create_campaign) and starts it once for the key '
    '(push.start_run). The arguments are the members of the spec. With a schedule such as "weekdays 07:00 '
    'Europe/Paris" or "0 7 * * 1-5 Europe/Paris" and key null it starts itself, and not now.';

CREATE FUNCTION push.wrong_recipient(
    tag text, handle text, locale text, properties json, format text, headers json, broadcast boolean) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    problem push.problem;
BEGIN
    IF NOT broadcast AND num_nonnulls(tag, handle) <> 1 THEN
        RETURN 'the audience has ' || CASE WHEN tag IS NULL THEN 'neither a tag nor a handle' ELSE 'both tag and handle' END
               || ' for it; exactly one of them says how it is reached';
    END IF;
    problem := coalesce(
        push.wrong_target(format, tag, CASE WHEN handle IS NOT NULL THEN ARRAY[handle] END, broadcast, headers),
        push.wrong_tag(tag), push.wrong_locale(locale),
        CASE WHEN properties IS NOT NULL THEN push.wrong_content('template', properties, NULL, false) END);
    RETURN replace(replace(problem.message, 'push.message.content', 'properties'), 'push.message.', '');
END $$;
COMMENT ON FUNCTION push.wrong_recipient IS
    'Why a recipient of an audience cannot be reached; null: it can. Only for push.expand_v1.';

CREATE FUNCTION push.is_usual_recipient(tag text, handle text, locale text, properties json, format text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN locale IS NULL AND (properties IS NULL OR properties::text = '{}' OR push.is_usual_content(properties))
       AND CASE
               WHEN handle IS NULL THEN push.is_plain_tag(tag)
               WHEN tag IS NULL AND format <> 'template' THEN length(handle) BETWEEN 8 AND 4096 AND handle ~ '^[!-~]+$'
           END;
COMMENT ON FUNCTION push.is_usual_recipient IS
    'Whether a recipient can certainly be reached; false or null: push.wrong_recipient decides. Only for '
    'push.expand_v1.';

CREATE FUNCTION push.expand_v1(stream bigint, n int, OUT rows int, OUT slice int, OUT done boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    most constant int := 10000;
    this record;
    begins timestamptz;
    filled_until timestamptz;
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
        PERFORM push.require_read_committed('push.expand_v1');
    END IF;
    SELECT t.*, r.expires_after, r.key, r.started_at, r.ends_at, r.bypasses_suppression, c.name AS campaign,
           coalesce(r.test, v.spec) AS spec, h.name AS hub_name, h.localization, x.id AS content, x.format,
           x.headers, x.content AS texts,
           -- The rate is that of the run; its streams share it.
           push.rate_share(r) AS rate,
           coalesce((SELECT s.due_to FROM push.slice s WHERE s.stream = t.id AND s.n = t.slices), '-infinity') AS due_to
      INTO this
      FROM push.stream t
           JOIN push.run r ON r.id = t.run
           JOIN push.campaign c ON c.id = r.campaign
           JOIN push.campaign_revision v ON v.campaign = r.campaign AND v.revision = r.revision
           JOIN push.run_content x ON x.run = t.run
           JOIN push.hub h ON h.id = t.hub
     WHERE t.id = expand_v1.stream AND t.done_at IS NULL AND r.state = 'running' AND t.release_at <= clock_timestamp()
           AND push.is_open(r, t.zone)
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
        IF begins > clock_timestamp() + interval '1 s' THEN
            RETURN;                            -- enough is on its way
        END IF;
        wanted := least(wanted, greatest(1, (2 * this.rate)::int));
        -- Zones that began earlier made messages ahead when their shares were larger. The first of this one is in time, and
        -- the others come behind those.
        IF this.slices = 0 AND this.zone IS NOT NULL THEN
            filled_until := (
                SELECT max(s.due_to)
                  FROM push.stream o
                       JOIN push.slice s ON s.stream = o.id AND s.n = o.slices
                 WHERE o.run = this.run AND o.release_at < this.release_at AND s.due_to > begins);
            IF filled_until IS NOT NULL THEN
                wanted := 1;
            END IF;
        END IF;
    END IF;
    wanted := least(wanted, push.canary_left(this.run));
    IF wanted = 0 THEN
        RETURN;                                -- the rest waits for the results of the canary
    END IF;
    PERFORM push.make_partitions();
    suppresses := NOT this.bypasses_suppression AND EXISTS (SELECT FROM push.suppression);
    IF this.spec -> 'cap' IS NOT NULL THEN
        SELECT p.* INTO cap_group, cap_day, cap_since, cap_most, cap_looks FROM push.begin_cap(this.spec -> 'cap', this.run) p;
        IF cap_group IS NULL THEN
            RETURN;                            -- another run of its group is expanded at this moment
        END IF;
    END IF;

    WITH page AS MATERIALIZED (
        SELECT p.*, row_number() OVER () AS nth
          FROM push.recipients(
                   this.spec -> 'audience', CASE WHEN this.localization = 'tags' THEN push.locales_of(this.texts) ELSE '{}' END,
                   this.cursor, wanted, this.part, this.zone_known) p
    ), kept AS MATERIALIZED (
        SELECT p.key, p.tag, p.handle, p.locale, p.properties, p.expires_at, p.nth,
               num_nonnulls(p.tag, p.handle) = 0 AND this.spec -> 'audience' -> 'broadcast' IS NOT NULL AS broadcast
          FROM page p
         WHERE NOT suppresses
            OR NOT EXISTS (
                   SELECT
                     FROM (VALUES ('key', p.key), ('tag', p.tag), ('handle', p.handle)) o(what, value)
                          JOIN push.suppression s ON s.what = o.what AND s.value = o.value
                    WHERE coalesce(s.until, 'infinity') > begins
                   OFFSET 0)
         ORDER BY p.nth
    ), capped AS MATERIALIZED (
        SELECT c.hash
          FROM push.capped(ARRAY(SELECT k.key FROM kept k), cap_group, cap_since, cap_day, cap_most, this.run) c
         WHERE cap_looks
    ), recipient AS MATERIALIZED (
        SELECT k.*, nextval('push.message_id_seq') AS id,
               begins + make_interval(secs => coalesce((k.nth - 1) / this.rate, 0)) AS send_at,
               CASE
                   WHEN push.is_usual_recipient(k.tag, k.handle, k.locale, k.properties, this.format) THEN NULL
                   ELSE push.wrong_recipient(k.tag, k.handle, k.locale, k.properties, this.format, this.headers, k.broadcast)
               END AS wrong
          FROM kept k
         WHERE NOT cap_looks OR hashtextextended(k.key, 0) NOT IN (SELECT c.hash FROM capped c)
    ), messages AS (
        INSERT INTO push.message (id, hub, tag, handles, broadcast, locale, content, format, send_at, expires_at, priority,
                                  on_doubt, pack, campaign, run, run_content)
        OVERRIDING SYSTEM VALUE
        SELECT k.id, this.hub_name, k.tag, CASE WHEN k.handle IS NOT NULL THEN ARRAY[k.handle] END, k.broadcast, k.locale,
               coalesce(k.properties, '{}'), this.format, k.send_at,
               coalesce(k.expires_at, this.release_at + this.expires_after), this.priority,
               this.spec ->> 'onDoubt', coalesce((this.spec ->> 'pack')::boolean, true), this.campaign, this.key, this.content
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
          FROM push.pack_reached(ARRAY(SELECT k.key FROM recipient k WHERE k.wrong IS NULL), cap_group, this.run) p
         WHERE cap_group IS NOT NULL
    )
    SELECT (SELECT count(*) FROM page)::int AS asked,
           (SELECT count(*) FROM kept)::int AS allowed,
           (SELECT p.key FROM page p ORDER BY p.nth DESC LIMIT 1) AS last_key,
           count(*)::int AS rows, count(k.wrong) AS wrong, min(k.id) AS first_id, max(k.id) AS last_id,
           max(k.send_at) AS due_to
      INTO counted
      FROM recipient k;
    IF counted.wrong > 0 THEN
        PERFORM push.count_results(ARRAY[this.hub], '{rejected}', '{not_sendable}', ARRAY[counted.wrong]);
    END IF;
    rows := counted.rows;
    done := counted.asked < wanted;
    IF counted.rows > 0 OR counted.asked > 0 THEN
        slice := this.slices + 1;
        INSERT INTO push.slice (stream, n, first_id, last_id, rows, refused, left_out, due_from, due_to)
        VALUES (expand_v1.stream, expand_v1.slice, coalesce(counted.first_id, 0), coalesce(counted.last_id, 0), counted.rows,
                counted.wrong,
                json_strip_nulls(json_build_object('suppressed', nullif(counted.asked - counted.allowed, 0),
                                                   'capped', nullif(counted.allowed - counted.rows, 0))),
                begins, greatest(counted.due_to, begins, filled_until));
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
COMMENT ON FUNCTION push.expand_v1 IS
    'Makes messages of the next n recipients of a stream, at most 10,000: one slice, in one transaction. rows 0 and '
    'slice null: nothing was done, because another worker is at it, the run does not run, or its rate or window allows no '
    'more yet. done: the audience is through. 40001: the run was stopped meanwhile.';

CREATE FUNCTION push.left_of_slice(stream bigint, n int, most int) RETURNS int
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_sort = off AS $$
DECLARE
    this record;
BEGIN
    SELECT t.hub, t.priority, s.first_id, s.last_id, s.due_from, s.due_to, s.rows INTO this
      FROM push.slice s
           JOIN push.stream t ON t.id = s.stream
     WHERE s.stream = left_of_slice.stream AND s.n = left_of_slice.n;
    -- Messages leave in the order in which they were made: while the first is there, all are.
    IF most > 1 AND EXISTS (
           SELECT
             FROM push.due d
            WHERE d.hub = this.hub AND d.priority = this.priority AND d.due_at = this.due_from AND d.id = this.first_id)
    THEN
        RETURN least(most, this.rows);
    END IF;
    RETURN (
        SELECT count(*)
          FROM (SELECT
                  FROM push.due d
                 WHERE d.hub = this.hub AND d.priority = this.priority
                   AND (d.due_at, d.id) >= (this.due_from, this.first_id)
                   AND (d.due_at, d.id) <= (this.due_to, this.last_id)
                   AND d.due_at BETWEEN this.due_from AND this.due_to
                   AND d.id BETWEEN this.first_id AND this.last_id
                 ORDER BY d.hub, d.priority, d.due_at, d.id
                 LIMIT most) x);
END $$;
COMMENT ON FUNCTION push.left_of_slice IS
    'How many messages of a slice were not claimed yet, counted up to a limit, in the index alone; all of them while '
    'the first was not. A single foreign message of the same microseconds and ids may be counted with them. Only for '
    'other functions.';

CREATE FUNCTION push.ahead_of_stream(stream bigint, most int, OUT rows int, OUT open int)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
<<own>>
DECLARE
    n int := (SELECT t.slices FROM push.stream t WHERE t.id = ahead_of_stream.stream);
    left_over int;
BEGIN
    -- Messages leave in the order in which they were made, so the newest slices are the ones that are left. A slice that
    -- never had a pointer, because all its recipients were left out or refused, says nothing about those before it.
    rows := 0;
    open := 0;
    WHILE n > 0 AND rows < most LOOP
        left_over := push.left_of_slice(stream, n, most - rows);
        EXIT WHEN left_over = 0 AND EXISTS (
            SELECT
              FROM push.slice s
             WHERE s.stream = ahead_of_stream.stream AND s.n = own.n AND s.rows > s.refused);
        rows := rows + left_over;
        open := open + CASE WHEN left_over > 0 THEN 1 ELSE 0 END;
        n := n - 1;
    END LOOP;
END $$;
COMMENT ON FUNCTION push.ahead_of_stream IS
    'How many messages of a stream were made and not claimed, and of how many slices. Only for other functions.';

CREATE FUNCTION push.running_streams_v1(hubs smallint[])
RETURNS TABLE (stream bigint, run bigint, campaign text, key text, rate real, ahead int, expanded bigint, is_over boolean,
               streams int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT t.id, r.id, c.name, r.key, r.rate, (push.ahead_of_stream(t.id, 50000)).rows, t.expanded,
           coalesce(r.ends_at <= clock_timestamp(), false), (count(*) OVER (PARTITION BY t.run, t.hub))::int
      FROM push.run r,
           LATERAL (SELECT t.* FROM push.stream t WHERE t.run = r.id OFFSET 0) t,
           LATERAL (SELECT c.name FROM push.campaign c WHERE c.id = r.campaign OFFSET 0) c
     WHERE r.closed_at IS NULL
       AND r.state = 'running'
       AND t.done_at IS NULL
       AND t.release_at <= clock_timestamp()
       AND t.hub = ANY (hubs)
       AND push.is_open(r, t.zone)
     ORDER BY t.id;
END $$;
COMMENT ON FUNCTION push.running_streams_v1 IS
    'The streams of these hubs that have begun and are in their window, and whose audience is not through, with how many of their messages wait to be claimed '
    '(counted up to 50,000). is_over: the time of the run is up. streams: of the run on that hub.';

INSERT INTO push.migration (version, name, works_from) VALUES (58, 'expand_runs', 61);
