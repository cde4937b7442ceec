-- What fanfare plan reads beside push_worker.peek_v1: lanes, how fast hubs take posts, where a message is, and what is known of
-- the devices of a hub.

CREATE OR REPLACE FUNCTION push_worker.peek_lanes_v1(
    of_hub text DEFAULT NULL, of_priority smallint DEFAULT NULL, as_of timestamptz DEFAULT now(), only_ids bigint[] DEFAULT NULL)
RETURNS TABLE (
    id              int,
    priority        smallint,
    name            text,
    kind            text,
    localization    text,
    languages       text[],
    fallback        text,
    allow_broadcast boolean,
    on_doubt        text,
    tags_are_topics boolean,
    broadcast_topic text,
    settings        json,
    state           text,
    why             text,
    since           timestamptz,
    parked          int)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    moment constant timestamptz := coalesce(as_of, now());
    most constant int := 10000;            -- no count goes further
    one constant int := CASE WHEN of_hub IS NOT NULL THEN push_internal.hub_number(of_hub, or_removed => true) END;
BEGIN
    RETURN QUERY
    SELECT h.id, l.priority, h.name, h.kind, h.localization, h.languages, h.fallback, h.allow_broadcast, h.on_doubt,
           h.tags_are_topics, h.broadcast_topic, h.settings, coalesce(s.state, 'removed'),
           CASE WHEN h.removed_at IS NULL THEN s.why ELSE 'removed by ' || h.removed_by END, coalesce(s.since, h.removed_at),
           l.parked::int
      FROM (SELECT h.id, p.priority,
                   CASE WHEN only_ids IS NULL THEN (
                       SELECT count(*)
                         FROM (SELECT
                                 FROM push.due d
                                WHERE d.hub = h.id AND d.priority = p.priority AND d.due_at >= push.paused_until()
                                ORDER BY d.due_at, d.id
                                LIMIT most) d)
                   ELSE 0 END AS parked
              FROM push.hub h, unnest('{0,1,2}'::smallint[]) p(priority)
             WHERE (one IS NULL OR h.id = one)
               AND (of_priority IS NULL OR p.priority = of_priority)
               AND CASE WHEN only_ids IS NULL
                        THEN EXISTS (
                                 SELECT FROM push.due d
                                  WHERE d.hub = h.id AND d.priority = p.priority AND d.due_at <= moment OFFSET 0)
                             OR EXISTS (
                                 SELECT FROM push.waiting w
                                  WHERE w.hub = h.id AND w.priority = p.priority AND w.look_at <= moment OFFSET 0)
                             OR EXISTS (
                                 SELECT FROM push.due d
                                  WHERE d.hub = h.id AND d.priority = p.priority AND d.due_at >= push.paused_until() OFFSET 0)
                        ELSE EXISTS (
                                 SELECT
                                   FROM unnest(only_ids) u(id),
                                        LATERAL (SELECT m.hub, m.priority FROM push.message m WHERE m.id = u.id OFFSET 0) m
                                  WHERE m.hub = h.name AND m.priority = p.priority)
                   END) l
           JOIN push.hub h ON h.id = l.id
           LEFT JOIN push.hub_health s ON s.hub = h.name
     ORDER BY h.name, l.priority;
END $$;
COMMENT ON FUNCTION push_worker.peek_lanes_v1 IS
    'Lanes with something due, a wait to look at, or messages of paused runs (parked: how many pointers, 10,000 at most), with '
    'what push.hub and push.hub_health say about their hubs. of_hub, of_priority: of these alone; raises where no such hub is '
    'registered. only_ids: the lanes of these messages.';

CREATE OR REPLACE FUNCTION push_worker.peek_pace_v1(
    hub int, OUT rate double precision, OUT speed double precision, OUT answers_per_second double precision,
    OUT "window" int, OUT workers int)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off AS $$
#variable_conflict use_column
BEGIN
    SELECT s.rate, s.speed, s.answers_per_second, s."window", s.workers
      INTO rate, speed, answers_per_second, "window", workers
      FROM push.hub h
           JOIN push.hub_health s ON s.hub = h.name
     WHERE h.id = peek_pace_v1.hub;
END $$;
COMMENT ON FUNCTION push_worker.peek_pace_v1 IS
    'How fast a hub may be posted to and takes posts, as in push.hub_health. All null: no such hub is registered.';

CREATE OR REPLACE FUNCTION push_worker.peek_standing_v1(id bigint)
RETURNS TABLE (
    hub      int,
    name     text,
    priority smallint,
    lead     bigint,
    due_at   timestamptz,
    status   text,
    reason   text,
    since    timestamptz,
    note     text,
    worker   text,
    post     bigint,
    mates    bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT h.id, h.name, m.priority, coalesce(p.id, t.lead, m.id), p.due_at, s.status::text, s.reason::text, s.since, s.note,
           s.worker, s.post,
           CASE WHEN s.post IS NOT NULL THEN ARRAY(SELECT x FROM push.messages_in_same_post(m.id) x) ELSE '{}' END
      FROM push.find_message(peek_standing_v1.id) s,
           LATERAL (SELECT m.id, m.hub, m.priority FROM push.message m WHERE m.id = s.id OFFSET 0) m,
           LATERAL (SELECT h.id, h.name FROM push.hub h WHERE h.name = m.hub OFFSET 0) h
           LEFT JOIN LATERAL (SELECT t.lead FROM push.translation t WHERE t.id = m.id OFFSET 0) t ON true
           LEFT JOIN LATERAL (
               SELECT p.due_at, p.id
                 FROM push_internal.pointers_of_messages(h.id, m.priority, ARRAY[m.id]) p
                WHERE s.status IN ('scheduled', 'waiting', 'due', 'retrying')
                ORDER BY p.due_at, p.id
                LIMIT 1) p ON true;
END $$;
COMMENT ON FUNCTION push_worker.peek_standing_v1 IS
    'Where a message is, as push.find_message says, with the pointer that stands for it (lead, due_at; due_at null: it is not '
    'pending) and the other messages of its newest post. No row: no such message.';

CREATE OR REPLACE FUNCTION push_worker.peek_templates_v1(hub int)
RETURNS TABLE (platform text, name text, body text, headers text, devices bigint, expiry text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT t.platform, t.name, t.body, t.headers::text, t.devices, t.expiry
      FROM push.device_template t
     WHERE t.hub = peek_templates_v1.hub
     ORDER BY t.devices DESC, t.platform, t.name, t.hash
$$;
COMMENT ON FUNCTION push_worker.peek_templates_v1 IS
    'The templates that devices of a hub are known to have, those of most devices first: what a plan is held against.';

CREATE OR REPLACE FUNCTION push_worker.peek_reach_v1(hub int)
RETURNS TABLE (expression text, devices bigint, of bigint, is_whole boolean, counted_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT r.expression, r.devices, r.of, r.is_whole, r.counted_at
      FROM push.reach r
     WHERE r.hub = peek_reach_v1.hub
     ORDER BY r.counted_at DESC, r.expression
$$;
COMMENT ON FUNCTION push_worker.peek_reach_v1 IS
    'How many devices tag expressions meant when somebody counted them at a hub, the newest first.';
