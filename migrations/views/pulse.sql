-- A cheap look at what is pending, for metrics: it costs the same with a thousand messages as with
-- ten million.

CREATE OR REPLACE FUNCTION push_internal.pulse_of_devices() RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_sort = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    WITH waiting AS MATERIALIZED (
        SELECT h.id, h.name
          FROM push.hub h
         WHERE EXISTS (SELECT FROM push.installation_due d WHERE d.hub = h.id OFFSET 0)
    ), shared AS MATERIALIZED (
        SELECT greatest(25, least(10000, 20000 / greatest(count(*), 1))) AS cap
          FROM waiting
    )
    SELECT coalesce(
               jsonb_agg(jsonb_build_object('hub', w.name, 'waiting', least(n.n, s.cap), 'more', n.n > s.cap)), '[]')
      FROM shared s,
           waiting w,
           LATERAL (
               SELECT count(*) AS n
                 FROM (SELECT
                         FROM push.installation_due d
                        WHERE d.hub = w.id
                        ORDER BY d.due_at, d.id
                        LIMIT s.cap + 1) d) n
$$;
COMMENT ON FUNCTION push_internal.pulse_of_devices IS
    'Changes of devices without a final result, by hub; a count stops at 10,000, and earlier where more than two hubs'
    ' have that many (more).';

CREATE OR REPLACE FUNCTION push_internal.pulse_of_runs() RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    open     record;
    this     record;
    budget   int := 10000;         -- slices to read in all: a run with a low rate has a slice for every few recipients
    messages jsonb;
    complete int := 0;
    runs     jsonb := '[]';
BEGIN
    SELECT count(*) AS runs,
           -- push.pause_run says who paused a run: the others stopped themselves, or could not read their audience.
           count(*) FILTER (WHERE o.state = 'paused' AND o.why NOT LIKE 'paused by %') AS by_themselves,
           coalesce((array_agg(o.id))[1:100], '{}') AS newest
      INTO open
      FROM (SELECT r.id, r.state, r.why, r.ended_at
              FROM push.run r
             WHERE r.closed_at IS NULL AND NOT r.is_test
             ORDER BY r.id DESC
             LIMIT 10000) o
     WHERE o.ended_at IS NULL;
    FOR this IN
        SELECT r.id, c.name AS campaign, r.key, r.state, t.expanded, t.slices
          FROM unnest(open.newest) u(id),
               LATERAL (SELECT r.id, r.campaign, r.key, r.state FROM push.run r WHERE r.id = u.id OFFSET 0) r,
               LATERAL (SELECT c.name FROM push.campaign c WHERE c.id = r.campaign OFFSET 0) c,
               LATERAL (
                   SELECT coalesce(sum(t.expanded), 0) AS expanded, coalesce(sum(t.slices), 0) AS slices
                     FROM push.stream t
                    WHERE t.run = r.id) t
         ORDER BY t.slices, r.id
    LOOP
        messages := NULL;
        IF this.slices <= budget THEN
            budget := budget - this.slices;
            complete := complete + 1;
            messages := (
                SELECT jsonb_build_object('open', this.expanded - coalesce(sum(c.messages), 0))
                       || coalesce(jsonb_object_agg(c.status, c.messages) FILTER (WHERE c.messages > 0), '{}')
                  FROM (SELECT c.status, sum(c.rows) AS messages FROM push_internal.counts_of_run(this.id) c GROUP BY c.status) c);
        END IF;
        runs := runs
            || jsonb_build_object('campaign', this.campaign, 'run', this.key, 'state', this.state, 'messages', messages);
    END LOOP;
    RETURN jsonb_build_object(
        'runs', runs, 'runs_omitted', open.runs - complete, 'runs_paused_by_themselves', open.by_themselves);
END $$;
COMMENT ON FUNCTION push_internal.pulse_of_runs IS
    'runs: the newest 100 that have not ended, without tests, each with what became of its messages by status, of '
    'slices whose messages are all final; open: its other messages. messages null: 10,000 slices are read in all, of runs with '
    'few of them first. runs_omitted: runs that have not ended and whose messages are not in it. '
    'runs_paused_by_themselves: among the newest 10,000 that are not over.';

CREATE OR REPLACE FUNCTION push.read_pulse() RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_sort = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    moment constant timestamptz := clock_timestamp();     -- volatile, it would be no condition of the index
    most   constant int := 10000;                         -- no count goes further
    fewest constant int := 25;                            -- and none stops before
    budget int := 60000;           -- pointers to count in all, so that a thousand full lanes take no longer than three do
    hubs       int[];
    priorities smallint[];
    oldest     timestamptz[];
    due        bigint[];
    later      bigint[];
    more_due   boolean[];
    more_later boolean[];
    lanes      int;
    unfinished int;
    cap        int;
    n          int;
    look       jsonb;
BEGIN
    -- From one hub and priority that has a pointer to the next, like push_worker.due_lanes_v1: what has none costs nothing.
    WITH RECURSIVE lane AS (
        (SELECT d.hub, d.priority, d.due_at
           FROM push.due d
          ORDER BY d.hub, d.priority, d.due_at, d.id
          LIMIT 1)
        UNION ALL
        SELECT n.hub, n.priority, n.due_at
          FROM lane l,
               LATERAL (
                   SELECT d.hub, d.priority, d.due_at
                     FROM push.due d
                    WHERE (d.hub, d.priority) > (l.hub, l.priority)
                    ORDER BY d.hub, d.priority, d.due_at, d.id
                    LIMIT 1) n
    )
    SELECT coalesce(array_agg(l.hub), '{}'), coalesce(array_agg(l.priority), '{}'), coalesce(array_agg(l.due_at), '{}'),
           count(*)
      INTO hubs, priorities, oldest, lanes
      FROM lane l;

    due := array_fill(0::bigint, ARRAY[lanes]);
    later := due;
    more_due := array_fill(true, ARRAY[lanes]);
    more_later := more_due;
    -- First all alike, then those that have more share what the others left of the budget.
    cap := greatest(fewest, least(most, budget / (2 * greatest(lanes, 1))));
    FOR round IN 1 .. 2 LOOP
        FOR i IN 1 .. lanes LOOP
            IF more_due[i] THEN
                SELECT count(*)
                  INTO n
                  FROM (SELECT
                          FROM push.due d
                         WHERE d.hub = hubs[i]
                           AND d.priority = priorities[i]
                           AND d.due_at <= moment
                         ORDER BY d.due_at, d.id
                         LIMIT cap + 1) d;
                more_due[i] := n > cap;
                due[i] := least(n, cap);
                budget := budget - n;
            END IF;
            IF more_later[i] THEN
                SELECT count(*)
                  INTO n
                  FROM (SELECT
                          FROM push.due d
                         WHERE d.hub = hubs[i]
                           AND d.priority = priorities[i]
                           AND d.due_at > moment
                           AND d.due_at < push.paused_until()
                         ORDER BY d.due_at, d.id
                         LIMIT cap + 1) d;
                more_later[i] := n > cap;
                later[i] := least(n, cap);
                budget := budget - n;
            END IF;
        END LOOP;
        EXIT WHEN cap = most;
        SELECT count(*) FILTER (WHERE f.due) + count(*) FILTER (WHERE f.later)
          INTO unfinished
          FROM unnest(more_due, more_later) f(due, later);
        EXIT WHEN unfinished = 0 OR budget / unfinished <= cap;
        cap := least(most, budget / unfinished);
    END LOOP;

    look := jsonb_build_object(
        'hubs', (
            SELECT coalesce(jsonb_agg(h.name), '[]')
              FROM push.hub h
             WHERE h.removed_at IS NULL),
        'lanes', (
            SELECT coalesce(
                       jsonb_agg(
                           jsonb_build_object(
                               'hub', h.name,
                               'priority', l.priority,
                               'due', l.due,
                               'more_due', l.more_due,
                               'later', l.later,
                               'more_later', l.more_later,
                               'waiting', CASE WHEN l.oldest <= moment THEN extract(epoch FROM moment - l.oldest) END)),
                       '[]')
              FROM unnest(hubs, priorities, oldest, due, more_due, later, more_later)
                       l(hub, priority, oldest, due, more_due, later, more_later),
                   LATERAL (SELECT h.name FROM push.hub h WHERE h.id = l.hub OFFSET 0) h),
        'workers', (
            SELECT jsonb_build_object(
                       'alive', count(*) FILTER (WHERE push.is_alive(w.beat_at, w.lease_seconds)),
                       'silent', count(*) FILTER (WHERE NOT push.is_alive(w.beat_at, w.lease_seconds)),
                       'oldest_beat', extract(epoch FROM moment - min(w.beat_at)))
              FROM push.worker w),
        'devices', push_internal.pulse_of_devices(),
        'campaigns_unapproved', (
            SELECT count(*) FROM (SELECT FROM push.campaign c WHERE c.unapproved IS NOT NULL ORDER BY c.id LIMIT 10000) c),
        -- Up to 1,000 in each.
        'default_rows', (SELECT count(*) FROM (SELECT FROM push.message_default r ORDER BY r.id LIMIT 1000) r)
                        + (SELECT count(*) FROM (SELECT FROM push.result_default r ORDER BY r.id LIMIT 1000) r)
                        + (SELECT count(*) FROM (SELECT FROM push.post_default r ORDER BY r.id LIMIT 1000) r)
                        + (SELECT count(*) FROM (SELECT FROM push.answer_default r ORDER BY r.post LIMIT 1000) r));
    -- Of a standby and of a replication slot it is not known since when.
    look := look || (
        SELECT jsonb_build_object(
                   'snapshot_held', greatest(0, extract(epoch FROM moment - min(s.since) FILTER (
                                                    WHERE s.kind IN ('session', 'prepared transaction')))),
                   'results_held', greatest(0, extract(epoch FROM moment - min(s.since) FILTER (WHERE s.kind = 'results'))))
          FROM push.holders_of_snapshots() s);

    -- Of the newest that ever were in doubt, those that nobody decided.
    WITH doubt AS MATERIALIZED (
        SELECT r.id, r.arrival
          FROM push.result r
         WHERE r.status = 'in_doubt'
         ORDER BY r.id DESC
         LIMIT 2001
    ), undecided AS MATERIALIZED (
        SELECT d.id
          FROM doubt d
         WHERE NOT EXISTS (
                   SELECT
                     FROM push.result n
                    WHERE n.id = d.id
                      AND n.arrival > d.arrival
                   OFFSET 0)
    ), counted AS MATERIALIZED (
        SELECT m.hub, count(*) AS messages
          FROM undecided u,
               LATERAL (SELECT m.hub FROM push.message m WHERE m.id = u.id OFFSET 0) m
         GROUP BY m.hub
    )
    SELECT look || push_internal.pulse_of_runs() || jsonb_build_object(
               'in_doubt', coalesce(jsonb_agg(jsonb_build_object('hub', c.hub, 'messages', c.messages)), '[]'),
               'more_in_doubt', (SELECT count(*) > 2000 FROM doubt))
      INTO look
      FROM counted c;
    RETURN look;
END $$;
COMMENT ON FUNCTION push.read_pulse IS
    'What is pending, in doubt and alive, at a cost that does not grow with the tables. lanes: each hub and '
    'priority with a pointer, how many are due and later (more_due, more_later: there are more than were counted), '
    'and seconds for which the oldest has been due (waiting). A count stops at 10,000, and earlier where more than '
    'three lanes are that full: it counts about 60,000 pointers in all. in_doubt: by hub, among the newest 2,000 '
    'that ever were (more_in_doubt: there are older ones). workers: alive, silent (push.is_alive) and seconds since '
    'the oldest beat. default_rows: rows in DEFAULT partitions, up to 1,000 of each table. hubs: all that are '
    'registered. devices: as push_internal.pulse_of_devices. campaigns_unapproved: campaigns of which the newest '
    'revision is not sent, because nobody approved it. runs, runs_omitted, runs_paused_by_themselves: as '
    'push_internal.pulse_of_runs. snapshot_held: seconds for which the oldest snapshot of a session or a prepared '
    'transaction is held; results_held: for which an open transaction has kept results from their readers '
    '(push.snapshot_holders); 0: no such session or transaction.';

-- The row itself is the lock: an advisory lock could be taken by any login.
CREATE OR REPLACE FUNCTION push_worker.take_pulse_v1(
    worker           int,
    every_seconds    double precision,
    OUT reading      jsonb,
    OUT age_seconds  double precision,
    OUT taken_by     int,
    OUT milliseconds real,
    OUT is_new       boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    began timestamptz;
    look  jsonb;
BEGIN
    -- What another worker wrote meanwhile counts: a row that changed is looked at again before it is locked.
    PERFORM
       FROM push.pulse p
      WHERE p.taken_at IS NULL
         OR p.taken_at < clock_timestamp() - make_interval(secs => every_seconds)
         OR p.taken_at > clock_timestamp()                               -- the clock was set back
        FOR NO KEY UPDATE SKIP LOCKED;
    is_new := FOUND;
    IF is_new THEN
        began := clock_timestamp();
        look := push.read_pulse();
        UPDATE push.pulse
           SET taken_at = began,
               worker = take_pulse_v1.worker,
               milliseconds = 1000 * extract(epoch FROM clock_timestamp() - began),
               reading = look;
    END IF;
    SELECT p.reading, extract(epoch FROM clock_timestamp() - p.taken_at), p.worker, p.milliseconds
      INTO reading, age_seconds, taken_by, milliseconds
      FROM push.pulse p;
END $$;
COMMENT ON FUNCTION push_worker.take_pulse_v1 IS
    'The last reading of push.read_pulse (push.pulse). When it is older than every_seconds, one of the workers '
    'that ask takes a new one (is_new); the others do not wait for it. Null: no reading yet.';

CREATE OR REPLACE FUNCTION push.backlog_for_scaling(hub text DEFAULT NULL) RETURNS int
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    moment constant timestamptz := clock_timestamp();     -- volatile, it would be no condition of the index
    one constant int := CASE WHEN hub IS NOT NULL THEN push_internal.hub_number(hub, or_removed => true) END;
BEGIN
    RETURN (
        SELECT count(*)
          FROM (SELECT
                  FROM push.hub h,
                       unnest('{0,1,2}'::smallint[]) p(priority),
                       LATERAL (
                           SELECT
                             FROM push.due d
                            WHERE d.hub = h.id
                              AND d.priority = p.priority
                              AND d.due_at <= moment
                            ORDER BY d.due_at, d.id
                            LIMIT 10000) d
                 WHERE h.removed_at IS NULL
                   AND (one IS NULL OR h.id = one)
                 LIMIT 10000) d);
END $$;
COMMENT ON FUNCTION push.backlog_for_scaling IS
    'Pointers of a hub that are due now, 10,000 at most; without a hub those of all. One number, for the scaler '
    '"postgresql" of KEDA. A hub has one rate: more workers than that needs send no faster.';
