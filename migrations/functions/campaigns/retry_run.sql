-- What failed in a run once more, and deciding what is in doubt.

CREATE OR REPLACE FUNCTION push_internal.messages_of_run(run bigint, statuses push.status[], reason text, after bigint, n int) RETURNS bigint[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN ARRAY(
        SELECT r.id
          FROM push.stream t,
               LATERAL (
                   SELECT s.first_id, s.last_id
                     FROM push.slice s
                    WHERE s.stream = t.id
                      AND s.last_id > messages_of_run.after
                      AND (NOT EXISTS (SELECT FROM push.slice_count c WHERE c.stream = s.stream AND c.n = s.n OFFSET 0)
                           OR EXISTS (SELECT FROM push.slice_count c
                                       WHERE c.stream = s.stream AND c.n = s.n AND c.status = ANY (statuses)
                                         AND c.reason::text = coalesce(messages_of_run.reason, c.reason::text) OFFSET 0))
                   OFFSET 0) s,
               LATERAL (
                   SELECT r.id
                     FROM push.result r
                    WHERE r.id BETWEEN greatest(s.first_id, messages_of_run.after + 1) AND s.last_id
                      AND r.status = ANY (statuses)
                      AND r.reason::text = coalesce(messages_of_run.reason, r.reason::text)
                      AND NOT EXISTS (SELECT FROM push.result o WHERE o.id = r.id AND o.arrival > r.arrival OFFSET 0)
                   OFFSET 0) r,
               LATERAL (SELECT m.stream FROM push.message m WHERE m.id = r.id OFFSET 0) m
         WHERE t.run = messages_of_run.run
           AND m.stream = t.id
         ORDER BY 1
         LIMIT n);
END $$;
COMMENT ON FUNCTION push_internal.messages_of_run IS
    'Messages of a run in one of these states, behind an id. Looks only into slices that have some.';

CREATE OR REPLACE FUNCTION push.retry_run(
    campaign text, INOUT key text DEFAULT NULL, reason text DEFAULT NULL, after bigint DEFAULT NULL, batch int DEFAULT 1000,
    OUT retried bigint, OUT next bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.run := push_internal.find_run(campaign, key, after IS NOT NULL, false);
    ids bigint[];
BEGIN
    key := this.key;
    PERFORM push_internal.begin_action();
    PERFORM push_internal.check_filter('retry_run', reason, NULL, NULL, batch);
    PERFORM push_internal.refuse_withdrawn(this, campaign, 'retried');
    PERFORM push_internal.steer(this, campaign, 'retry', NULL);
    ids := push_internal.messages_of_run(this.id, '{rejected,expired}', reason, coalesce(after, 0), batch);
    retried := push_internal.retry_messages(ids);
    IF cardinality(ids) = batch THEN
        next := ids[batch];
    END IF;
    IF after IS NULL OR retried > 0 THEN
        INSERT INTO push.audit (action, detail)
        VALUES ('retry_run', json_strip_nulls(json_build_object(
            'campaign', campaign, 'key', this.key, 'reason', reason, 'messages', retried)));
    END IF;
END $$;
COMMENT ON FUNCTION push.retry_run IS
    'Sends messages of a run again that failed for good, or those with one reason. One call takes one batch: call it '
    'again with key and after => next of the answer until next is null. key null: the newest run. Of a paused run '
    'they are sent when it is resumed. Leaves out recipients who are suppressed by now.';

CREATE OR REPLACE FUNCTION push.resolve_run(
    campaign text, INOUT key text, decision text, after bigint DEFAULT NULL, batch int DEFAULT 1000,
    OUT resolved bigint, OUT next bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.run := push_internal.find_run(campaign, key, after IS NOT NULL, false);
    ids bigint[];
BEGIN
    key := this.key;
    PERFORM push_internal.begin_action();
    PERFORM push_internal.check_decision(decision);
    PERFORM push_internal.check_filter('resolve_run', NULL, NULL, NULL, batch);
    ids := push_internal.messages_of_run(this.id, '{in_doubt}', NULL, coalesce(after, 0), batch);
    resolved := push_internal.resolve_messages(ids, decision);
    IF cardinality(ids) = batch THEN
        next := ids[batch];
    END IF;
    IF after IS NULL OR resolved > 0 THEN
        INSERT INTO push.audit (action, detail)
        VALUES ('resolve_run', json_build_object(
            'campaign', campaign, 'key', this.key, 'decision', decision, 'messages', resolved));
    END IF;
END $$;
COMMENT ON FUNCTION push.resolve_run IS
    'Decides all messages of a run that are in doubt, as push.resolve. One call takes one batch: call it again with '
    'key and after => next of the answer until next is null. key null: the newest run.';
