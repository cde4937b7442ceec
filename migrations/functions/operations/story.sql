-- What happened to one message, from its INSERT to its answer.

CREATE OR REPLACE FUNCTION push_internal.person_who_cancelled(
    id bigint, hub text, campaign text, run text, of_stream boolean, at timestamptz) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_variable
BEGIN
    -- A call writes its row after its results, in one transaction; that of a run is cancelled before its messages are.
    RETURN coalesce(
        (SELECT a.person
           FROM push.audit a
          WHERE a.at BETWEEN person_who_cancelled.at AND person_who_cancelled.at + interval '10 minutes'
            AND CASE a.action
                    WHEN 'cancel' THEN a.detail ->> 'id' = person_who_cancelled.id::text
                    WHEN 'cancel_campaign' THEN a.detail ->> 'campaign' = campaign
                                                AND coalesce(a.detail ->> 'run', run, '') = coalesce(run, '')
                    WHEN 'cancel_hub' THEN a.detail ->> 'hub' = hub
                    WHEN 'erase' THEN person_who_cancelled.id::text IN (SELECT json_array_elements_text(a.detail -> 'ids'))
                END
          ORDER BY a.at
          LIMIT 1),
        (SELECT a.person
           FROM push.audit a
          WHERE of_stream
            AND a.at BETWEEN person_who_cancelled.at - interval '1 day' AND person_who_cancelled.at
            AND a.action = 'run_cancelling'
            AND a.detail ->> 'campaign' = campaign
            AND a.detail ->> 'key' = run
          ORDER BY a.at DESC
          LIMIT 1));
END $$;
COMMENT ON FUNCTION push_internal.person_who_cancelled IS
    'Whom push.audit names for a message that was cancelled at a time; null: nobody, such as for what a backend takes back.';

CREATE OR REPLACE FUNCTION push.story_of(id bigint)
RETURNS TABLE (
    at           timestamptz,
    step         text,
    status       text,
    reason       push.reason,
    class        text,
    until        timestamptz,
    person       text,
    worker       text,
    post         bigint,
    request      int,
    http         smallint,
    milliseconds int,
    tracking_id  text,
    note         text)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 20 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    this record;
    held record;
BEGIN
    SELECT m.id, m.hub, m.campaign, m.run, m.priority, m.send_at, m.created_at, m.enqueued_by, m.stream, m.after,
           m.after_device, m.after_at_most, push_internal.is_erased(m.content) AS is_erased, h.id AS hub_number, t.lead,
           k.due_at AS keyed_until, greatest(m.send_at, m.created_at) AS may_be_sent_at
      INTO this
      FROM push.message m
           JOIN push.hub h ON h.name = m.hub
           LEFT JOIN LATERAL (SELECT t.lead FROM push.translation t WHERE t.id = m.id OFFSET 0) t ON true
           LEFT JOIN LATERAL (SELECT k.due_at FROM push.content k WHERE k.id = m.id OFFSET 0) k ON true
     WHERE m.id = story_of.id;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    SELECT c.id, c.claimed_at, c.trouble, coalesce(w.name, 'worker ' || c.worker) AS worker
      INTO held
      FROM push.holder_of(this.id, this.hub_number, this.priority) o
           JOIN push.claim c ON c.id = o.claim
           LEFT JOIN push.worker w ON w.id = c.worker AND w.epoch = c.epoch
     WHERE coalesce(push_internal.newest_status(this.id), 'retrying') = 'retrying';
    RETURN QUERY
    WITH result AS MATERIALIZED (
        SELECT r.arrival, r.at, r.due_at, r.status, r.reason, r.post, r.milliseconds, r.http, r.tracking_id, r.note
          FROM push.result r
         WHERE r.id = this.id
    ), claim AS MATERIALIZED (
        SELECT push.claim_of(r.post) AS id FROM result r WHERE r.post IS NOT NULL
        UNION
        SELECT held.id WHERE held.id IS NOT NULL
    ), post AS MATERIALIZED (
        SELECT p.id, p.at, cardinality(p.ids) - 1 AS others, (row_number() OVER (ORDER BY p.at, p.id))::int AS request
          FROM claim c,
               LATERAL (
                   SELECT p.id, p.at, p.ids
                     FROM push.post p
                    WHERE p.id BETWEEN push.first_post(c.id) AND push.last_post(c.id)
                   OFFSET 0) p
         WHERE this.id = ANY (p.ids)
    ), step AS (
        SELECT this.created_at AS at, 0 AS rank, 'inserted' AS step, NULL::text AS status, NULL::push.reason AS reason,
               NULL::timestamptz AS until, this.enqueued_by AS person, NULL::text AS worker, NULL::bigint AS post,
               NULL::int AS request, NULL::smallint AS http, NULL::int AS milliseconds, NULL::text AS tracking_id,
               nullif(concat_ws('; ',
                   CASE WHEN this.stream IS NOT NULL THEN format('for run %s of campaign %s', this.run, this.campaign) END,
                   CASE WHEN this.lead IS NOT NULL
                        THEN format('one of %s translations that are sent together',
                                    (SELECT count(*) FROM push.translation t WHERE t.lead = this.lead)) END), '') AS note,
               0::bigint AS arrival
        UNION ALL
        SELECT this.created_at, 1, 'scheduled', NULL, NULL, this.send_at, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0
         WHERE this.send_at > this.created_at + interval '1 s'
        UNION ALL
        SELECT this.may_be_sent_at, 2, 'waiting', NULL, NULL,
               this.may_be_sent_at + make_interval(secs => push_internal.seconds_of_wait(this.after_at_most)), NULL, NULL,
               NULL, NULL, NULL, NULL, NULL,
               CASE WHEN this.after IS NOT NULL THEN format('for message %s', this.after)
                    ELSE format('for the changes of device %s', this.after_device) END, 0
         WHERE num_nonnulls(this.after, this.after_device) > 0
           AND this.may_be_sent_at <= now()
        UNION ALL
        SELECT this.created_at, 2, 'waiting', NULL, NULL, this.keyed_until, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
               'for the translations of its content', 0
         WHERE this.keyed_until > this.created_at
        UNION ALL
        SELECT d.at, 3, 'due', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0
          FROM (SELECT greatest(this.keyed_until, this.may_be_sent_at) AS at) d
         WHERE num_nonnulls(this.after, this.after_device) = 0
           AND d.at <= coalesce((SELECT min(r.at) FROM result r), now())
        UNION ALL
        SELECT held.claimed_at, 4, 'claimed', NULL, NULL, NULL, NULL, held.worker, NULL, NULL, NULL, NULL, NULL, held.trouble, 0
         WHERE held.id IS NOT NULL
        UNION ALL
        SELECT p.at, 5, 'posted', NULL, NULL, NULL, NULL, CASE WHEN push.claim_of(p.id) = held.id THEN held.worker END, p.id,
               p.request, NULL, NULL, NULL,
               CASE WHEN p.others > 0 THEN format('with %s other message%s', p.others, CASE WHEN p.others > 1 THEN 's' END) END, 0
          FROM post p
        UNION ALL
        SELECT a.at, 6, 'answered', a.verdict::text, NULL, NULL, NULL, NULL, p.id, p.request, a.http, a.milliseconds, a.tracking_id,
               a.error, 0
          FROM post p,
               LATERAL (SELECT a.* FROM push.answer a WHERE a.post = p.id OFFSET 0) a
        UNION ALL                              -- accepted alone in its post
        SELECT r.at, 6, 'answered', r.status::text, NULL, NULL, NULL, NULL, r.post,
               (SELECT p.request FROM post p WHERE p.id = r.post), r.http, r.milliseconds, r.tracking_id, NULL, r.arrival
          FROM result r
         WHERE r.milliseconds IS NOT NULL
        UNION ALL
        SELECT r.at, 7,
               CASE
                   WHEN r.reason = 'resolved' AND r.note LIKE 'sent again %' THEN 'sent again'
                   WHEN r.reason = 'resolved' THEN 'decided'
                   WHEN r.reason = 'waited' THEN 'due'
                   WHEN r.reason IN ('paused', 'resumed', 'replaced') THEN r.reason::text
                   WHEN r.status = 'cancelled' THEN 'cancelled'
                   WHEN r.status = 'retrying' THEN 'retrying'
                   ELSE 'ended'
               END,
               r.status::text, r.reason, CASE WHEN r.due_at > r.at AND r.due_at < push.paused_until() THEN r.due_at END,
               CASE
                   WHEN r.reason = 'resolved' THEN substring(r.note FROM '^(?:decided|sent again) by (.+)$')
                   WHEN r.reason = 'cancelled_by_caller'
                   THEN push_internal.person_who_cancelled(
                            this.id, this.hub, this.campaign, this.run, this.stream IS NOT NULL, r.at)
               END,
               NULL, CASE WHEN NOT push.is_no_post(r.post) THEN r.post END, (SELECT p.request FROM post p WHERE p.id = r.post),
               NULL, NULL, NULL, r.note, r.arrival
          FROM result r
        UNION ALL
        SELECT coalesce(a.at, (SELECT max(r.at) FROM result r)), 8, 'erased', NULL, NULL, NULL, a.person, NULL, NULL, NULL, NULL,
               NULL, NULL, NULL, 0
          FROM (SELECT WHERE this.is_erased) e
               LEFT JOIN LATERAL (
                   SELECT a.at, a.person
                     FROM push.audit a
                    WHERE a.at >= this.created_at
                      AND CASE WHEN a.action = 'erase'
                               THEN this.id::text IN (SELECT json_array_elements_text(a.detail -> 'ids')) END
                    ORDER BY a.at DESC
                    LIMIT 1) a ON true
    )
    SELECT s.at, s.step, s.status, s.reason, push.reason_class(s.reason)::text, s.until, s.person, s.worker, s.post, s.request, s.http,
           s.milliseconds, s.tracking_id, s.note
      FROM step s
     ORDER BY s.at, s.rank, s.arrival, s.post;
END $$;
COMMENT ON FUNCTION push.story_of IS
    'The steps of a message in their order, as far as the tables record them; no row: there is no such message. step: inserted '
    '(person: who enqueued it), scheduled, waiting, due, claimed (only while a worker holds it), posted (an intent: the request '
    'was about to leave), answered (status: the verdict; note: the words of the hub), retrying, paused, resumed, decided or '
    'sent again (by a person), cancelled, replaced, ended, erased. until: when a wait ends at the latest, or when it is tried '
    'again. request: the how manyth request that carried it. Never a content or a handle.';

CREATE OR REPLACE FUNCTION push.context_of(id bigint, OUT traceparent text, OUT translations bigint[], OUT mates bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
    SELECT m.traceparent INTO traceparent FROM push.message m WHERE m.id = context_of.id;
    IF FOUND THEN
        translations := ARRAY(
            SELECT u.id
              FROM unnest(push_internal.with_contents(ARRAY[context_of.id])) u(id)
             WHERE u.id <> context_of.id
             ORDER BY u.id
             LIMIT 100);
        mates := ARRAY(
            SELECT u.id
              FROM push.messages_in_same_post(context_of.id) u(id)
             WHERE u.id <> ALL (translations)
             ORDER BY u.id
             LIMIT 100);
    END IF;
END $$;
COMMENT ON FUNCTION push.context_of IS
    'What a message goes with: the trace of its caller, the other translations of its content, and the other messages of its '
    'newest post, at most 100 of each. Null: there is no such message.';
