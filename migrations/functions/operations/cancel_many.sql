-- Stopping a campaign or a whole hub, one batch per call.

CREATE OR REPLACE FUNCTION push_internal.matches_filter(campaign text, run text, asked_campaign text, asked_run text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(
    (asked_campaign IS NULL OR campaign = asked_campaign) AND (asked_run IS NULL OR run = asked_run),
    false);
COMMENT ON FUNCTION push_internal.matches_filter IS
    'Whether a message belongs to the campaign and run that are asked for; null: any.';

CREATE OR REPLACE FUNCTION push_internal.cancel_pointers(
    INOUT mark push.cancel_mark, hub int, campaign text, run text, batch int, OUT cancelled bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    walked record;
    one    bigint;
BEGIN
    WITH walk AS MATERIALIZED (
        SELECT d.ctid AS pointer, d.hub, d.priority, d.due_at, d.id, d.kind
          FROM push.due d
         WHERE (d.hub, d.priority, d.due_at, d.id) > (mark.hub, mark.priority, mark.due_at, mark.id)
           AND d.hub <= coalesce(cancel_pointers.hub, 32767)
         ORDER BY d.hub, d.priority, d.due_at, d.id
         LIMIT batch
    ), content AS MATERIALIZED (       -- translations may belong to several campaigns
        SELECT w.pointer, w.id, bool_and(a.hit) AS whole, bool_or(a.hit) AS part
          FROM walk w,
               LATERAL (
                   SELECT w.id WHERE w.kind = 'p'
                   UNION ALL
                   SELECT t.id FROM push.translation t WHERE w.kind = 't' AND t.lead = w.id) u(id),
               LATERAL (SELECT m.campaign, m.run FROM push.message m WHERE m.id = u.id OFFSET 0) m,
               LATERAL (
                   SELECT push_internal.matches_filter(m.campaign, m.run, cancel_pointers.campaign, cancel_pointers.run) AS hit) a
         WHERE w.kind <> 'k'
         GROUP BY w.pointer, w.id
    )
    SELECT array_agg(c.pointer) FILTER (WHERE c.whole) AS pointers,
           array_agg(c.id) FILTER (WHERE c.whole) AS ids,
           array_agg(c.id) FILTER (WHERE c.part AND NOT c.whole) AS mixed,
           (SELECT array_agg(w.id) FROM walk w WHERE w.kind = 'k') AS keyed,
           (SELECT count(*) FROM walk w) AS n,
           (SELECT ROW (w.hub, w.priority, w.due_at, w.id, NULL, mark.cancelled, mark.too_late)::push.cancel_mark
              FROM walk w
             ORDER BY w.hub DESC, w.priority DESC, w.due_at DESC, w.id DESC
             LIMIT 1) AS last
      INTO walked
      FROM content c;
    cancelled := push_internal.end_pointers(walked.pointers, walked.ids, 'cancelled', 'cancelled_by_caller');
    FOR one IN         -- one by one: contents that wait for translations, because gathering may hold them
        SELECT u.id
          FROM (SELECT k.id
                  FROM unnest(walked.keyed) w(lead),
                       LATERAL (SELECT k.id FROM push.content k WHERE k.lead = w.lead OFFSET 0) k
                UNION ALL
                SELECT t.id            -- and single translations
                  FROM unnest(walked.mixed) w(lead),
                       LATERAL (SELECT t.id FROM push.translation t WHERE t.lead = w.lead OFFSET 0) t) u,
               LATERAL (SELECT m.campaign, m.run FROM push.message m WHERE m.id = u.id OFFSET 0) m
         WHERE push_internal.matches_filter(m.campaign, m.run, cancel_pointers.campaign, cancel_pointers.run)
           AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = u.id AND r.status <> 'retrying' OFFSET 0)
         ORDER BY u.id
    LOOP
        cancelled := cancelled + (push_internal.cancel_message(one) = 'cancelled')::int;
    END LOOP;
    IF walked.n = batch THEN
        mark := walked.last;
    ELSE
        mark.claim := 0;               -- the claims come next
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.cancel_pointers IS
    'First part of cancelling many: messages that are scheduled, due, or wait for another try, in the order of their '
    'pointers.';

CREATE OR REPLACE FUNCTION push_internal.stop_claimed_messages(
    claim bigint, asked bigint[], status push.status, reason push.reason, due_at timestamptz,
    OUT stopped bigint, OUT too_late bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    held   push.claim;
    posted bigint[];
BEGIN
    stopped := 0;
    too_late := 0;
    IF asked = '{}' THEN
        RETURN;
    END IF;
    -- Separate statements from here: they see all that got the lock before us.
    SELECT c.* INTO held FROM push.claim c WHERE c.id = stop_claimed_messages.claim FOR NO KEY UPDATE;
    asked := ARRAY(
        SELECT u.id
          FROM unnest(asked) u(id)
         WHERE u.id = ANY (held.ids)
           AND u.id <> ALL (held.cancelled)
           AND NOT EXISTS (
                   SELECT FROM push.result r WHERE r.id = u.id AND push.claim_of(r.post) = held.id OFFSET 0));
    posted := ARRAY(                   -- an answered post that decided nothing was split: it leaves again
        SELECT u.id
          FROM push.post p, unnest(p.ids) u(id)
         WHERE p.id BETWEEN push.first_post(held.id) AND push.last_post(held.id)
           AND NOT EXISTS (SELECT FROM push.answer a WHERE a.post = p.id OFFSET 0));
    too_late := cardinality(asked);
    asked := ARRAY(SELECT unnest(asked) EXCEPT SELECT unnest(posted));
    stopped := cardinality(asked);
    too_late := too_late - stopped;
    IF stopped = 0 THEN
        RETURN;
    END IF;
    UPDATE push.claim c SET cancelled = c.cancelled || asked WHERE c.id = held.id;
    PERFORM push_internal.write_results(
                array_agg(u.id), array_agg(push_internal.no_post(held.id)), array_agg(stop_claimed_messages.status),
                array_agg(stop_claimed_messages.reason), array_agg(stop_claimed_messages.due_at), array_agg(NULL::text), array_agg(held.hub),
                array_agg(held.priority), array_agg(held.attempts[array_position(held.ids, u.id)]),
                array_agg(u.id = ANY (held.resent)), push_internal.next_arrival())
       FROM unnest(asked) u(id);
END $$;
COMMENT ON FUNCTION push_internal.stop_claimed_messages IS
    'Takes messages out of a claim that are not posted yet, with this result. too_late: those on the wire.';

CREATE OR REPLACE FUNCTION push_internal.cancel_claim(claim bigint, campaign text, run text, OUT cancelled bigint, OUT too_late bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    asked constant bigint[] := ARRAY(
        SELECT u.id
          FROM push.claim c,
               unnest(c.ids) u(id),
               LATERAL (SELECT m.campaign, m.run FROM push.message m WHERE m.id = u.id OFFSET 0) m
         WHERE c.id = cancel_claim.claim
           AND push_internal.matches_filter(m.campaign, m.run, cancel_claim.campaign, cancel_claim.run));
BEGIN
    SELECT h.stopped, h.too_late INTO cancelled, too_late
      FROM push_internal.stop_claimed_messages(claim, asked, 'cancelled', 'cancelled_by_caller', NULL) h;
END $$;
COMMENT ON FUNCTION push_internal.cancel_claim IS
    'Cancels what a worker holds in one claim and has not posted; too_late: messages that are on the wire.';

CREATE OR REPLACE FUNCTION push_internal.cancel_batch(
    hub int, campaign text, run text, after text, batch int,
    OUT cancelled bigint, OUT too_late bigint, OUT next text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    start  constant push.cancel_mark := ROW (
        coalesce(cancel_batch.hub, -32768), -32768, '-infinity', 0, NULL, false, 0);
    mark   push.cancel_mark := coalesce(nullif(after, '')::push.cancel_mark, start);
    part   record;
    looked bigint := 0;
    one    bigint;
BEGIN
    PERFORM push_internal.begin_action();
    PERFORM push_internal.require_read_committed('push.cancel');
    PERFORM push_internal.check_filter('cancel', NULL, NULL, NULL, batch);
    cancelled := 0;
    too_late := 0;
    -- 1. Pointers.
    IF mark.claim IS NULL THEN
        SELECT p.mark, p.cancelled INTO part
          FROM push_internal.cancel_pointers(mark, cancel_batch.hub, cancel_batch.campaign, cancel_batch.run, batch) p;
        mark := part.mark;
        cancelled := part.cancelled;
    END IF;
    -- 2. After the pointers, what workers hold: one claim at a time and few per call, because nothing of a claim is
    -- posted or recorded while we hold it. What workers gave back meanwhile lies in front of the mark, so if this pass
    -- cancelled anything, another pass follows. Messages on the wire are counted in the last pass.
    IF mark.claim IS NOT NULL THEN
        FOR one IN
            SELECT c.id
              FROM push.claim c
             WHERE c.id >= push_internal.lowest_claim()
               AND c.id > mark.claim
               AND c.hub = coalesce(cancel_batch.hub, c.hub)
             ORDER BY c.id
             LIMIT 50
        LOOP
            SELECT c.* INTO part FROM push_internal.cancel_claim(one, cancel_batch.campaign, cancel_batch.run) c;
            mark.claim := one;
            mark.too_late := mark.too_late + part.too_late;
            cancelled := cancelled + part.cancelled;
            looked := looked + part.cancelled + part.too_late;
            EXIT WHEN looked >= least(batch, 5000);
        END LOOP;
    END IF;
    mark.cancelled := mark.cancelled OR cancelled > 0;
    IF mark.claim IS NULL
       OR EXISTS (
              SELECT
                FROM push.claim c
               WHERE c.id >= push_internal.lowest_claim()
                 AND c.id > mark.claim
                 AND c.hub = coalesce(cancel_batch.hub, c.hub))
    THEN
        next := mark::text;
    ELSIF mark.cancelled THEN
        next := start::text;
    ELSE
        too_late := mark.too_late;
    END IF;
    IF after IS NULL OR cancelled + too_late > 0 THEN
        INSERT INTO push.audit (action, detail)
        SELECT CASE WHEN cancel_batch.hub IS NULL THEN 'cancel_campaign' ELSE 'cancel_hub' END,
               json_strip_nulls(json_build_object(
                   'hub', (SELECT h.name FROM push.hub h WHERE h.id = cancel_batch.hub),
                   'campaign', cancel_batch.campaign, 'run', cancel_batch.run,
                   'cancelled', cancelled, 'too_late', too_late));
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.cancel_batch IS
    'One batch of push.cancel_campaign or push.cancel_hub; null hub, campaign or run: any.';

CREATE OR REPLACE FUNCTION push.cancel_campaign(
    campaign text, run text DEFAULT NULL, after text DEFAULT NULL, batch int DEFAULT 10000,
    OUT cancelled bigint, OUT too_late bigint, OUT next text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    mark constant text[] := regexp_match(after, '^run ([0-9]+) (.*)$');
    this record;
BEGIN
    IF push_internal.is_name(campaign) IS NOT TRUE OR NOT push_internal.is_name(run) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.cancel_campaign: %s', CASE WHEN push_internal.is_name(campaign) THEN 'no message has this run' ELSE 'no campaign' END),
            HINT = 'SELECT * FROM push.cancel_campaign(''spring''), again with after => next until next is null.';
    ELSIF NOT EXISTS (SELECT FROM push.campaign c WHERE c.name = cancel_campaign.campaign) THEN
        SELECT b.cancelled, b.too_late, b.next INTO cancelled, too_late, next
          FROM push_internal.cancel_batch(NULL, campaign, run, after, batch) b;
        RETURN;
    END IF;
    -- A registered campaign: its runs one after the other. Nothing else is looked at.
    cancelled := 0;
    too_late := 0;
    SELECT r.id, r.key INTO this
      FROM push.run r
           JOIN push.campaign c ON c.id = r.campaign
     WHERE c.name = cancel_campaign.campaign
       AND r.key = coalesce(cancel_campaign.run, r.key)
       AND r.closed_at IS NULL
       AND r.id >= coalesce(mark[1]::bigint, 0)
     ORDER BY r.id
     LIMIT 1;
    IF FOUND THEN
        SELECT b.cancelled, b.too_late, b.next INTO cancelled, too_late, next
          FROM push.cancel_run(campaign, this.key, CASE WHEN this.id = mark[1]::bigint THEN nullif(mark[2], '') END, batch) b;
        IF next IS NOT NULL THEN
            next := format('run %s %s', this.id, next);
        ELSIF EXISTS (
            SELECT
              FROM push.run r
                   JOIN push.campaign c ON c.id = r.campaign
             WHERE c.name = cancel_campaign.campaign AND r.key = coalesce(cancel_campaign.run, r.key)
               AND r.closed_at IS NULL AND r.id > this.id)
        THEN
            next := format('run %s ', this.id + 1);
        END IF;
    END IF;
END $$;
COMMENT ON FUNCTION push.cancel_campaign IS
    'Stops the messages of a campaign, or of one run of it, that are not posted yet: of a registered campaign as '
    'push.cancel_run, of a mere word in push.message.campaign by a walk over all that is pending. Call it again with '
    'after => next until next is null. too_late: messages that are on the wire at the end; messages that were final '
    'before are not counted.';

CREATE OR REPLACE FUNCTION push.cancel_hub(
    hub text, after text DEFAULT NULL, batch int DEFAULT 10000,
    OUT cancelled bigint, OUT too_late bigint, OUT next text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number constant int := push_internal.hub_number(hub, or_removed => true);
BEGIN
    SELECT b.cancelled, b.too_late, b.next INTO cancelled, too_late, next
      FROM push_internal.cancel_batch(number, NULL, NULL, after, batch) b;
END $$;
COMMENT ON FUNCTION push.cancel_hub IS
    'Stops all messages of a hub that are not posted yet, such as those of a hub that was taken out of the '
    'configuration. Works like push.cancel_campaign.';
