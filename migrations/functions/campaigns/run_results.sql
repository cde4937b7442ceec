-- What became of a run, recipient by recipient, and why messages of it failed.

CREATE OR REPLACE FUNCTION push.results_of_run(
    campaign text, run text DEFAULT NULL, status text DEFAULT NULL, after text DEFAULT NULL, n int DEFAULT 10000)
RETURNS TABLE (recipient text, hub text, zone text, state text, reason push.reason, note text, at timestamptz, mark text)
LANGUAGE plpgsql STABLE ROWS 10000 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    -- A page goes on with the run it began with, although a newer one may have started since.
    place constant bigint[] := string_to_array(results_of_run.after, ':')::bigint[];
    number constant bigint := coalesce(place[1], (push_internal.find_run(results_of_run.campaign, results_of_run.run, false, false)).id);
    slice record;
    found int := 0;
    rows int;
BEGIN
    IF results_of_run.n NOT BETWEEN 1 AND 100000 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value', MESSAGE = format('push.results_of_run: n is %s', results_of_run.n),
            HINT = '1 to 100000 recipients a page.';
    ELSIF results_of_run.status <> ALL ('{accepted,rejected,expired,cancelled,in_doubt,open}') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.results_of_run: status is %s', to_json(left(results_of_run.status, 40))),
            HINT = 'accepted, rejected, expired, cancelled, in_doubt, or open for those that are not final.';
    END IF;
    FOR slice IN
        SELECT t.id AS stream, t.zone, h.name AS hub, s.first_id, s.last_id
          FROM push.stream t
               JOIN push.slice s ON s.stream = t.id
               JOIN push.hub h ON h.id = t.hub
         WHERE t.run = number
           AND t.id >= coalesce(place[2], 0)
           AND (t.id > coalesce(place[2], 0) OR s.last_id > place[3])
           AND s.rows > 0
           AND EXISTS (
                   SELECT
                     FROM push.run r
                          JOIN push.campaign c ON c.id = r.campaign
                    WHERE r.id = number AND c.name = results_of_run.campaign)
         ORDER BY t.id, s.n
    LOOP
        RETURN QUERY
        SELECT m.recipient, slice.hub, slice.zone, x.state, CASE WHEN x.state <> 'open' THEN r.reason END,
               CASE WHEN x.state <> 'open' THEN r.note END, CASE WHEN x.state <> 'open' THEN r.at END,
               concat_ws(':', number, slice.stream, m.id)
          FROM push.message m
               LEFT JOIN LATERAL (
                   SELECT r.status, r.reason, r.note, r.at FROM push.result r WHERE r.id = m.id ORDER BY r.arrival DESC LIMIT 1) r ON true,
               LATERAL (SELECT CASE WHEN r.status <> 'retrying' THEN r.status::text ELSE 'open' END) x(state)
         WHERE m.id BETWEEN slice.first_id AND slice.last_id
           AND (slice.stream > coalesce(place[2], 0) OR m.id > place[3])
           AND m.stream = slice.stream
           AND x.state = coalesce(results_of_run.status, x.state)
         ORDER BY m.id
         LIMIT results_of_run.n - found;
        GET DIAGNOSTICS rows = ROW_COUNT;
        found := found + rows;
        EXIT WHEN found = results_of_run.n;
    END LOOP;
END $$;
COMMENT ON FUNCTION push.results_of_run IS
    'What became of each recipient of a run: the key of the audience, the hub and zone, and its state, open while it is '
    'not final. A page of n in the order of hubs, zones and keys; the next one with after => mark of the last row, '
    'until fewer than n come. run null: the newest. Nothing is left of messages that were purged, and no key of those '
    'that were erased.';

CREATE OR REPLACE FUNCTION push.failures_of_run(campaign text, run text DEFAULT NULL)
RETURNS TABLE (state push.status, reason push.reason, messages bigint, example bigint, note text)
LANGUAGE plpgsql STABLE ROWS 10 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    number constant bigint := (push_internal.find_run(failures_of_run.campaign, failures_of_run.run, false, false)).id;
BEGIN
    FOR state, reason, messages IN
        SELECT c.status, c.reason, sum(c.rows)
          FROM push_internal.counts_until_now(number) c
         WHERE c.status IN ('rejected', 'expired', 'cancelled', 'in_doubt')
         GROUP BY c.status, c.reason
         ORDER BY 3 DESC, 1, 2
    LOOP
        SELECT o.id, o.note INTO example, note
          FROM push.stream t,
               LATERAL (
                   SELECT s.stream, s.first_id, s.last_id
                     FROM push.slice s
                    WHERE s.stream = t.id AND s.rows > 0
                      AND (NOT EXISTS (SELECT FROM push.slice_count c WHERE c.stream = s.stream AND c.n = s.n OFFSET 0)
                           OR EXISTS (SELECT FROM push.slice_count c
                                       WHERE c.stream = s.stream AND c.n = s.n AND c.status = failures_of_run.state
                                         AND c.reason = failures_of_run.reason OFFSET 0))
                   OFFSET 0) s,
               LATERAL (
                   SELECT r.id, r.note
                     FROM push.result r
                    WHERE r.id BETWEEN s.first_id AND s.last_id
                      AND r.status = failures_of_run.state AND r.reason = failures_of_run.reason
                      AND s.stream = (SELECT m.stream FROM push.message m WHERE m.id = r.id OFFSET 0)
                    LIMIT 1) o
         WHERE t.run = number
         LIMIT 1;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION push.failures_of_run IS
    'Why messages of a run were not accepted: how many for each reason, the id of one of them, and the note of its '
    'result. run null: the newest. For those who may not see messages, too.';

CREATE OR REPLACE FUNCTION push.doubts_of_campaign(campaign text, run text DEFAULT NULL) RETURNS TABLE (id bigint)
LANGUAGE plpgsql STABLE ROWS 100 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    known constant push.campaign := push_internal.campaign_of(doubts_of_campaign.campaign);
    number constant bigint := CASE
        WHEN doubts_of_campaign.run IS NOT NULL
        THEN (push_internal.find_run(doubts_of_campaign.campaign, doubts_of_campaign.run, false, false)).id
    END;
BEGIN
    RETURN QUERY
    SELECT d.id
      FROM (SELECT number AS id WHERE number IS NOT NULL
             UNION ALL
            SELECT r.id FROM push.run r WHERE r.campaign = known.id AND number IS NULL) o,
           LATERAL (SELECT t.id FROM push.stream t WHERE t.run = o.id OFFSET 0) t,
           LATERAL (
               SELECT s.first_id, s.last_id
                 FROM push.slice s
                WHERE s.stream = t.id AND s.rows > 0
                  AND (NOT EXISTS (SELECT FROM push.slice_count c WHERE c.stream = s.stream AND c.n = s.n OFFSET 0)
                       OR EXISTS (SELECT FROM push.slice_count c
                                   WHERE c.stream = s.stream AND c.n = s.n AND c.status = 'in_doubt' OFFSET 0))
               OFFSET 0) s,
           LATERAL (
               SELECT r.id
                 FROM push.result r
                WHERE r.id BETWEEN s.first_id AND s.last_id
                  AND r.status = 'in_doubt'
                  AND NOT EXISTS (SELECT FROM push.result n WHERE n.id = r.id AND n.arrival > r.arrival OFFSET 0)
               OFFSET 0) d
     WHERE t.id = (SELECT m.stream FROM push.message m WHERE m.id = d.id OFFSET 0);
END $$;
COMMENT ON FUNCTION push.doubts_of_campaign IS
    'The messages of a campaign that are in doubt, by the slices that have some: push.in_doubt says more of each. run null: '
    'those of all its runs.';
