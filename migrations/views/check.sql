-- One look for monitors that know OK, WARNING and CRITICAL.

CREATE OR REPLACE FUNCTION push_internal.time_in_words(seconds double precision) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN seconds < 60 THEN floor(seconds) || ' s'
    WHEN seconds < 3600 THEN floor(seconds / 60) || ' min'
    WHEN seconds < 86400 THEN floor(seconds / 3600) || ' h ' || floor(seconds / 60)::bigint % 60 || ' min'
    ELSE floor(seconds / 86400) || ' d ' || floor(seconds / 3600)::bigint % 24 || ' h'
END;
COMMENT ON FUNCTION push_internal.time_in_words IS 'A length of time for people: 3 s, 4 min, 2 h 5 min, 3 d 2 h.';

CREATE OR REPLACE FUNCTION push_internal.check_limit(name text, value text) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN name = 'oldest' AND value ~ '^[0-9]{1,9}$'
    THEN value::double precision
    WHEN name = 'oldest' AND value ~ '^([0-9]{1,4}d)?([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,9}s)?$' AND value <> ''
    THEN coalesce(substring(value FROM '([0-9]+)d')::double precision, 0) * 86400
         + coalesce(substring(value FROM '([0-9]+)h')::double precision, 0) * 3600
         + coalesce(substring(value FROM '([0-9]+)m')::double precision, 0) * 60
         + coalesce(substring(value FROM '([0-9]+)s')::double precision, 0)
    WHEN name = 'in_doubt' AND value ~ '^[0-9]{1,9}$'
    THEN value::double precision
    WHEN name = 'failed' AND value ~ '^([0-9]{1,2}([.][0-9]{1,3})?|100)%?$'
    THEN rtrim(value, '%')::double precision
END;
COMMENT ON FUNCTION push_internal.check_limit IS
    'A limit of push.check as a number: seconds, messages or percent. Null: it is no such limit.';

CREATE OR REPLACE FUNCTION push_internal.check_limits(
    what           text,
    given          text[],
    INOUT oldest   double precision,
    INOUT in_doubt double precision,
    INOUT failed   double precision)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    item   text;
    name   text;
    value  text;
    number double precision;
BEGIN
    FOR item IN SELECT btrim(i.item) FROM unnest(given) g(list), unnest(string_to_array(g.list, ',')) i(item) LOOP
        CONTINUE WHEN item = '';
        name := CASE WHEN strpos(item, '=') > 0 THEN btrim(split_part(item, '=', 1)) ELSE 'oldest' END;
        value := btrim(substr(item, strpos(item, '=') + 1));
        number := push_internal.check_limit(name, value);
        IF name NOT IN ('oldest', 'in_doubt', 'failed') OR number IS NULL AND value <> 'off' THEN
            RAISE EXCEPTION USING
                ERRCODE = 'invalid_parameter_value',
                MESSAGE = format('%s: %s is not a limit', what, push_internal.quoted(item, 60)),
                HINT = 'Limits are oldest=5m (or 300), in_doubt=1 and failed=5%; =off switches one off.';
        END IF;
        CASE name
            WHEN 'oldest' THEN oldest := number;
            WHEN 'in_doubt' THEN in_doubt := number;
            ELSE failed := number;
        END CASE;
    END LOOP;
END $$;
COMMENT ON FUNCTION push_internal.check_limits IS
    'The limits of push.check: those that a person gave, over the others. Null: switched off.';

CREATE OR REPLACE FUNCTION push_internal.figures_of_hubs(asked text)
RETURNS TABLE (
    id        int,
    name      text,
    is_paused boolean,
    is_held   boolean,
    why       text,
    due       bigint,
    oldest    double precision,
    workers   bigint,
    bad       numeric,
    ended     numeric,
    failed    double precision)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT h.id,
           h.name,
           s.paused_by IS NOT NULL AS is_paused,
           s.paused_by IS NULL AND s.held_since IS NOT NULL AS is_held,
           CASE                                                      -- as push.hub_health says it
               WHEN s.paused_by IS NOT NULL THEN concat_ws(': ', 'paused by ' || s.paused_by, s.paused_why)
               WHEN s.held_since IS NOT NULL THEN concat_ws(': ', 'held', s.hold_reason)
               WHEN s.gate_until > now() THEN 'gate closed: the hub asked to wait'
               WHEN s.broken_until > now() THEN concat_ws(': ', 'failing', s.broken_why)
           END AS why,
           d.due,
           d.oldest,
           (SELECT count(*)
              FROM push.serving v
                   JOIN push.worker w ON w.id = v.worker
             WHERE v.hub = h.id
               AND push.is_alive(w.beat_at, w.lease_seconds)) AS workers,
           t.bad,
           t.ended,
           CASE WHEN t.ended >= 20 THEN (floor(1000 * t.bad / t.ended) / 10)::double precision END AS failed
      FROM push.hub h
           LEFT JOIN push.hub_state s ON s.hub = h.id,
           LATERAL (                           -- by class, so that it reads what is due and nothing that is later
               SELECT count(*) AS due,
                      extract(epoch FROM now() - min(d.due_at))::double precision AS oldest
                 FROM unnest('{0,1,2}'::smallint[]) p(priority),
                      push.due d
                WHERE d.hub = h.id
                  AND d.priority = p.priority
                  AND d.due_at <= now()) d,
           LATERAL (
               SELECT coalesce(sum(t.n) FILTER (WHERE t.status <> 'accepted'), 0) AS bad,
                      coalesce(sum(t.n), 0) AS ended
                 FROM push.tally t
                WHERE t.hub = h.id
                  AND t.minute > now() - interval '1 hour'
                  AND t.status IN ('accepted', 'rejected', 'expired', 'in_doubt')) t
     WHERE h.removed_at IS NULL
       AND (asked IS NULL OR h.name = asked)
$$;
COMMENT ON FUNCTION push_internal.figures_of_hubs IS
    'What push.check looks at of each hub, or of one: whether it takes posts, what is due, who serves it, and how '
    'much of the last hour failed.';

CREATE OR REPLACE FUNCTION push_internal.places_without_worker() RETURNS TABLE (problem text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    WITH RECURSIVE class AS (                 -- from one class to the next in the index: as many steps as classes
        (SELECT d.hub, d.priority FROM push.due d ORDER BY d.hub, d.priority LIMIT 1)
        UNION ALL
        SELECT n.hub, n.priority
          FROM class c,
               LATERAL (
                   SELECT d.hub, d.priority
                     FROM push.due d
                    WHERE (d.hub, d.priority) > (c.hub, c.priority)
                    ORDER BY d.hub, d.priority
                    LIMIT 1) n
    )
    SELECT format('messages wait for hub %s, which is not in push.hub', c.hub)
      FROM class c
     WHERE c.hub NOT IN (SELECT h.id FROM push.hub h)
     GROUP BY c.hub
    UNION ALL
    SELECT format('messages wait with priority %s, which no worker claims', c.priority)
      FROM class c
     WHERE c.priority NOT IN (0, 1, 2)
     GROUP BY c.priority
    UNION ALL
    SELECT format('a worker holds messages of hub %s, which is not in push.hub', c.hub)
      FROM push.claim c
     WHERE c.hub NOT IN (SELECT h.id FROM push.hub h)
     GROUP BY c.hub
$$;
COMMENT ON FUNCTION push_internal.places_without_worker IS
    'Places of messages that no worker looks at, found without reading the messages: push.lost reads them all.';

CREATE OR REPLACE FUNCTION push_internal.finding_line(words text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(regexp_replace(words, '[[:cntrl:][:space:]|]+', ' ', 'g'), 300);
COMMENT ON FUNCTION push_internal.finding_line IS
    'A finding of push.check in one line, without the sign that perfdata begins with: some words are those of a hub, a worker '
    'or a session.';

CREATE OR REPLACE FUNCTION push_internal.lock_findings() RETURNS TABLE (words text, seconds double precision, hides boolean)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT push_internal.finding_line(
               format('session %s (%s) waits for a lock on %s that session %s (%s) has, for %s: push.lock_waits', l.waiting,
                      concat_ws(', ', l.who, nullif(l.application, '')), l."for", l.holder,
                      concat_ws(', ', l.holder_who, nullif(l.holder_application, ''), l.holder_state),
                      push_internal.time_in_words(w.seconds))),
           w.seconds,
           EXISTS (
               SELECT
                 FROM pg_locks x
                      JOIN pg_class c ON c.oid = x.relation
                WHERE x.pid = l.holder
                  AND x.mode = 'AccessExclusiveLock'
                  AND x.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
                  AND c.relnamespace = 'push'::regnamespace)
      FROM push.waits_for_locks() l,
           LATERAL (SELECT extract(epoch FROM clock_timestamp() - l.since)::double precision AS seconds) w
     WHERE w.seconds >= 10
$$;
COMMENT ON FUNCTION push_internal.lock_findings IS
    'What push.check says about sessions that wait for a lock for 10 s or more. hides: nobody can read the table either, so '
    'push.check would wait, too.';

CREATE OR REPLACE FUNCTION push_internal.check_line(code int, findings text[], good text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN format('FANFARE %s: ', ('{OK,WARNING,CRITICAL}'::text[])[code + 1])
       || CASE
              WHEN code = 0 THEN good
              ELSE array_to_string(findings[:5], '; ')
                   || coalesce('; and ' || nullif(greatest(cardinality(findings) - 5, 0), 0) || ' more', '')
          END;
COMMENT ON FUNCTION push_internal.check_line IS 'The line of push.check: what is wrong, the worst first; good: nothing is.';

CREATE OR REPLACE FUNCTION push.check(
    warning      text[] DEFAULT '{}',
    critical     text[] DEFAULT '{}',
    hub          text DEFAULT NULL,
    OUT code     int,
    OUT line     text,
    OUT perfdata text,
    OUT findings text[],
    OUT hubs     bigint,
    OUT due      bigint,
    OUT oldest   double precision,
    OUT in_doubt bigint,
    OUT failed   double precision,
    OUT workers  bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    asked constant text := hub;
    warn  record;
    alarm record;
    waits record;
BEGIN
    SELECT * INTO warn FROM push_internal.check_limits('warning', warning, 60, 1, 5);
    SELECT * INTO alarm FROM push_internal.check_limits('critical', critical, 300, NULL, 50);
    IF warn.oldest > alarm.oldest OR warn.in_doubt > alarm.in_doubt OR warn.failed > alarm.failed THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'warning: a limit is above that of critical',
            HINT = 'Critical is oldest=5m and failed=50% unless given otherwise.';
    ELSIF NOT EXISTS (SELECT FROM push.hub h WHERE h.name = asked AND h.removed_at IS NULL) AND asked IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'no_data_found',
            MESSAGE = format('hub %s is not registered', push_internal.quoted(asked, 100)),
            HINT = push_internal.registered_hubs();
    END IF;

    SELECT coalesce(array_agg(l.words ORDER BY l.seconds), '{}') AS words, coalesce(bool_or(l.hides), false) AS hides
      INTO waits
      FROM push_internal.lock_findings() l;
    IF waits.hides THEN
        code := 2;
        findings := waits.words;
        hubs := 0;
        due := 0;
        oldest := 0;
        in_doubt := 0;
        workers := 0;
        line := push_internal.check_line(code, findings, '');
        perfdata := '';
        RETURN;
    END IF;

    WITH hub AS MATERIALIZED (
        SELECT h.id, h.name, h.is_paused, h.is_held, h.why, h.due, h.oldest, h.workers, h.bad, h.ended, h.failed
          FROM push_internal.figures_of_hubs(asked) h
    ), worker AS MATERIALIZED (
        SELECT w.name, w.trouble
          FROM push.worker w
         WHERE push.is_alive(w.beat_at, w.lease_seconds)
           AND (asked IS NULL OR EXISTS (SELECT FROM push.serving v JOIN hub h ON h.id = v.hub WHERE v.worker = w.id))
    ), doubt AS MATERIALIZED (
        SELECT d.hub, count(*) AS n
          FROM push.in_doubt d
         WHERE asked IS NULL OR d.hub = asked
         GROUP BY d.hub
    ), figure AS MATERIALIZED (
        SELECT count(*) AS hubs,
               coalesce(sum(h.due), 0) AS due,
               coalesce(max(h.oldest), 0) AS oldest,
               max(h.failed) AS failed,
               (SELECT coalesce(sum(d.n), 0) FROM doubt d) AS in_doubt,
               (SELECT count(*) FROM worker) AS workers
          FROM hub h
    ), finding(grade, rank, size, words) AS (
        SELECT 2, 1, 0, format('worker %s: %s', w.name, w.trouble)
          FROM worker w
         WHERE w.trouble IS NOT NULL
        UNION ALL
        SELECT 2, 2, h.oldest,
               format('%s: no worker serves it, %s due, the oldest for %s', h.name, h.due, push_internal.time_in_words(h.oldest))
          FROM hub h
         WHERE h.due > 0
           AND h.workers = 0
        UNION ALL
        SELECT 2, 3, h.due, format('%s: %s, %s due', h.name, h.why, h.due)
          FROM hub h
         WHERE h.is_held
        UNION ALL                                          -- a person who paused a hub knows that its messages wait
        SELECT CASE WHEN h.oldest >= alarm.oldest AND NOT h.is_paused THEN 2 ELSE 1 END, 4, h.oldest,
               format('%s: oldest due for %s', h.name, push_internal.time_in_words(h.oldest)) || coalesce(', ' || h.why, '')
          FROM hub h
         WHERE h.oldest >= least(warn.oldest, alarm.oldest)
           AND h.workers > 0
           AND NOT h.is_held
        UNION ALL
        SELECT CASE WHEN f.in_doubt >= alarm.in_doubt THEN 2 ELSE 1 END, 5, f.in_doubt,
               format('%s in doubt (%s)', f.in_doubt,
                      (SELECT string_agg(format('%s %s', d.hub, d.n), ', ' ORDER BY d.n DESC, d.hub) FROM doubt d))
          FROM figure f
         WHERE f.in_doubt >= least(warn.in_doubt, alarm.in_doubt)
        UNION ALL
        SELECT CASE WHEN h.failed >= alarm.failed THEN 2 ELSE 1 END, 6, h.failed,
               format('%s: %s%% of the last hour''s messages failed (%s of %s)', h.name, h.failed, h.bad, h.ended)
          FROM hub h
         WHERE h.failed >= least(warn.failed, alarm.failed)
        UNION ALL
        SELECT 2, 0, 0, format('%s: push.lost names them', p.problem)
          FROM push_internal.places_without_worker() p
        UNION ALL
        SELECT 1, 7, extract(epoch FROM now() - s.since)::numeric,
               format('results wait behind the open transaction of session %s (%s) for %s: push.snapshot_holders', s.holder,
                      concat_ws(', ', s.who, nullif(s.application, '')),
                      push_internal.time_in_words(extract(epoch FROM now() - s.since)::double precision))
          FROM push.holders_of_snapshots() s
         WHERE s.kind = 'results'
           AND s.since < now() - interval '10 s'
           AND asked IS NULL
        UNION ALL
        SELECT 1, 7, 0, format('replication slot %s: %s', s.holder, s.remedy)
          FROM push.holders_of_snapshots() s
         WHERE s.kind = 'log'
           AND asked IS NULL
        UNION ALL
        SELECT 1, 8, l.n::numeric, l.words
          FROM unnest(waits.words) WITH ORDINALITY l(words, n)
         WHERE asked IS NULL
        UNION ALL
        SELECT 1, 9, 0, 'no hub is registered: fanfare migrate up'
          FROM figure f
         WHERE f.hubs = 0
    )
    SELECT coalesce(max(w.grade), 0),
           coalesce(array_agg(w.words ORDER BY w.grade DESC, w.rank, w.size DESC, w.words)
                        FILTER (WHERE w.grade IS NOT NULL), '{}'),
           f.hubs, f.due, f.oldest, f.in_doubt, f.failed, f.workers
      INTO code, findings, hubs, due, oldest, in_doubt, failed, workers
      FROM figure f
           LEFT JOIN (
               SELECT f.grade, f.rank, f.size, push_internal.finding_line(f.words) AS words
                 FROM finding f) w ON true
     GROUP BY f.hubs, f.due, f.oldest, f.in_doubt, f.failed, f.workers;

    line := push_internal.check_line(
        code, findings, format('%s hub%s, %s due, %s worker%s', hubs, left('s', (hubs <> 1)::int), due, workers,
                               left('s', (workers <> 1)::int)));
    perfdata := format(
        'oldest=%ss;%s;%s;0 due=%s in_doubt=%s;%s;%s;0 failed=%s%%;%s;%s;0 workers=%s',
        floor(oldest), warn.oldest, alarm.oldest, due, in_doubt, warn.in_doubt, alarm.in_doubt, coalesce(failed, 0),
        warn.failed, alarm.failed, workers);
END $$;
COMMENT ON FUNCTION push.check IS
    'Whether messages are sent, for monitors: code 0 (OK), 1 (WARNING) or 2 (CRITICAL), a line for people with the '
    'worst first (findings has all), and perfdata. Limits count from their value on: oldest=5m (or 300), in_doubt=1, '
    'failed=5% of the messages of a hub that ended in the last hour, if these are at least 20 (else failed is null); '
    'name=off: no such limit. Unless given: oldest=1m, in_doubt=1, failed=5% for warning, oldest=5m, failed=50% for '
    'critical. Always critical: messages wait where no worker looks, a worker cannot write, messages are due and no '
    'living worker serves their hub, a hub is held, or a session has waited for 10 s for a table that nobody can read '
    'meanwhile: then nothing else is looked at. A paused hub whose messages wait only warns, as do results that wait for '
    'a minute behind an open transaction, and a session that waits for a lock for 10 s. Reads what is due now, and what is in '
    'doubt.';
