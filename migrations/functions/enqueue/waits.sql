-- A message that waits for one thing: another message (after), or what was asked for a device (after_device).

-- Seconds, not the interval: a day of it may have 23 or 25 hours in the time zone of a session, and every session has to
-- find the same pointer.
CREATE OR REPLACE FUNCTION push_internal.seconds_of_wait(after_at_most interval) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(date_part('epoch', after_at_most), 60);
COMMENT ON FUNCTION push_internal.seconds_of_wait IS
    'How long a message waits at most: push.message.after_at_most, or its default of a minute.';

CREATE OR REPLACE FUNCTION push_internal.first_due_at(
    send_at timestamptz, created_at timestamptz, after bigint, after_device text, after_at_most interval)
RETURNS timestamptz
LANGUAGE sql STABLE
RETURN CASE
    WHEN num_nonnulls(after, after_device) = 0 THEN send_at
    ELSE greatest(send_at, created_at) + make_interval(secs => push_internal.seconds_of_wait(after_at_most) + 5)
END;
COMMENT ON FUNCTION push_internal.first_due_at IS
    'The due_at of a message''s first pointer, from its row alone: send_at, or five seconds after the end of its wait. So '
    'it leaves even if push.waiting is lost.';

CREATE OR REPLACE FUNCTION push_internal.wrong_wait(
    id bigint, hub text, after bigint, after_device text, after_at_most interval, content_key text)
RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_variable
BEGIN
    IF num_nonnulls(after, after_device) = 0 THEN
        RETURN (
            'after_at_most', 'after_at_most_belongs_to_a_wait',
            'push.message.after_at_most stands without after and after_device',
            'Say what the message waits for, or leave after_at_most out.')::push.problem;
    ELSIF num_nonnulls(after, after_device) = 2 THEN
        RETURN (
            'after_device', 'a_message_waits_for_one_thing',
            format('push.message.after %s stands beside after_device %s', after, left(to_json(after_device)::text, 100)),
            'A message waits for one thing: leave one of them out.')::push.problem;
    ELSIF content_key IS NOT NULL THEN
        RETURN (
            CASE WHEN after IS NULL THEN 'after_device' ELSE 'after' END, 'a_content_with_a_key_waits_for_translations',
            format('push.message.%s stands beside content_key', CASE WHEN after IS NULL THEN 'after_device' ELSE 'after' END),
            'A content with a key waits for its translations already: leave content_key out and enqueue them in one '
            'statement.')::push.problem;
    ELSIF NOT date_part('epoch', after_at_most) BETWEEN 0.000001 AND 86400 THEN
        RETURN (
            'after_at_most', 'after_at_most_is_up_to_a_day',
            format('push.message.after_at_most "%s" is not above 0 and at most a day', after_at_most),
            'Write 30 s or 5 min; leave it out for a minute.')::push.problem;
    ELSIF after >= id OR after IS NOT NULL AND NOT EXISTS (
              SELECT
                FROM push.message m
               WHERE m.id = after
                 AND (m.enqueued_by = push_internal.caller() OR push_internal.may_see_all_messages()))
    THEN
        RETURN (
            'after', 'after_is_an_earlier_message',
            format('push.message.after %s: %s enqueued no such message before this one', after, push_internal.caller()),
            'Give an id that push.enqueue or INSERT ... RETURNING id gave to this login. If the message was purged, it '
            'ended long ago: leave after out.')::push.problem;
    ELSIF after_device IS NOT NULL AND NOT EXISTS (
              SELECT
                FROM push.hub h,
                     LATERAL (SELECT FROM push.device d WHERE d.hub = h.id AND d.device = after_device OFFSET 0) d
               WHERE h.name = wrong_wait.hub)
    THEN
        RETURN CASE
            WHEN push_internal.is_name(after_device) THEN (
                'after_device', 'after_device_is_known',
                format('push.message.after_device %s: nobody has changed such a device of hub "%s"',
                       left(to_json(after_device)::text, 100), hub),
                'Call push.put_device or push.patch_device before, in the same transaction or an earlier one. If all its '
                'changes were purged, nothing of it waits: leave after_device out.')::push.problem
            ELSE push_internal.wrong_name('after_device', after_device)
        END;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.wrong_wait IS
    'The problem of after, after_device or after_at_most; null: none. after is a lower id, so no messages wait for each '
    'other in a circle.';

CREATE OR REPLACE FUNCTION push_internal.begin_waits(ids bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO push.waiting (id, hub, priority, due_at, after, device, change, since, until, look_at)
    SELECT m.id, h.id, m.priority, d.due_at, m.after, m.after_device,
           (SELECT v.change FROM push.device v WHERE v.hub = h.id AND v.device = m.after_device),
           greatest(m.send_at, m.created_at),
           least(d.due_at - interval '5 s', coalesce(m.expires_at, m.send_at + h.expire_after)),
           greatest(m.send_at, m.created_at)
      FROM unnest(ids) u(id),
           LATERAL (SELECT m.* FROM push.message m WHERE m.id = u.id OFFSET 0) m,
           LATERAL (SELECT h.id, h.expire_after FROM push.hub h WHERE h.name = m.hub OFFSET 0) h,
           LATERAL (                          -- neither a duplicate, nor a translation that travels with its lead
               SELECT d.due_at
                 FROM push.due d
                WHERE d.hub = h.id
                  AND d.priority = m.priority
                  AND d.due_at = push_internal.first_due_at(m.send_at, m.created_at, m.after, m.after_device,
                                                            m.after_at_most)
                  AND d.id = m.id
               OFFSET 0) d;
END $$;
COMMENT ON FUNCTION push_internal.begin_waits IS
    'Writes down what these messages wait for: those of them that have a pointer. A worker looks as soon as they may be '
    'sent.';
