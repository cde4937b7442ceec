-- One batch of a stop: call it again until next is null, and everything that is not posted is stopped.

CREATE OR REPLACE FUNCTION push_internal.stop_run_batch(
    this push.run, campaign text, status push.status, after text, batch int,
    OUT stopped bigint, OUT too_late bigint, OUT next text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    start constant push.stop_mark := ROW (NULL, NULL, NULL, false, 0);
    mark push.stop_mark := coalesce(nullif(after, '')::push.stop_mark, start);
    streams constant bigint[] := push_internal.streams_of_run(this.id);
    hubs constant int[] := ARRAY(SELECT DISTINCT t.hub FROM push.stream t WHERE t.run = this.id);
    claims bigint[] := '{}';
    part record;
    one bigint;
    looked bigint := 0;
BEGIN
    PERFORM push_internal.check_filter('cancel_run', NULL, NULL, NULL, batch);
    stopped := 0;
    too_late := 0;
    -- Who completes a claim locks it before the run, and a run comes before push.tally: so do we.
    IF mark.claim IS NOT NULL AND mark.stream IS NULL THEN
        claims := ARRAY(
            SELECT c.id
              FROM push.claim c
             WHERE c.id >= push_internal.lowest_claim()
               AND c.id > mark.claim
               AND c.hub = ANY (hubs)
             ORDER BY c.id
             LIMIT 50
               FOR NO KEY UPDATE);
    END IF;
    PERFORM push_internal.require_state(
        this, campaign, CASE WHEN status = 'retrying' THEN '{paused}' ELSE '{cancelling,cancelled,expired}' END::push.run_state[],
        CASE WHEN status = 'retrying' THEN 'paused' ELSE 'cancelled' END);
    -- 1. What was expanded and not claimed: first, because it would be sent next.
    IF mark.claim IS NULL THEN
        stopped := push_internal.stop_pending_messages(this.id, status, batch);
        mark.stopped := mark.stopped OR stopped > 0;
        IF stopped < batch THEN
            mark.claim := 0;
        END IF;
    -- 2. What workers hold. Few claims a call, because nothing of a claim is posted or recorded while we hold it.
    ELSIF mark.stream IS NULL THEN
        FOREACH one IN ARRAY claims LOOP
            SELECT h.* INTO part
              FROM push_internal.stop_claimed_messages(
                       one,
                       ARRAY(SELECT u.id
                               FROM push.claim c, unnest(c.ids) u(id),
                                    LATERAL (SELECT m.stream FROM push.message m WHERE m.id = u.id OFFSET 0) m
                              WHERE c.id = one AND m.stream = ANY (streams)),
                       status, push_internal.reason_of_stop(status),
                       CASE WHEN status = 'retrying' THEN push_internal.parked_at(this.id) END) h;
            mark.claim := one;
            mark.too_late := mark.too_late + part.too_late;
            stopped := stopped + part.stopped;
            looked := looked + part.stopped + part.too_late;
            EXIT WHEN looked >= least(batch, 5000);
        END LOOP;
        mark.stopped := mark.stopped OR stopped > 0;
        IF NOT EXISTS (
            SELECT
              FROM push.claim c
             WHERE c.id >= push_internal.lowest_claim() AND c.id > mark.claim AND c.hub = ANY (hubs))
        THEN
            mark.stream := 0;
            mark.n := 0;
        END IF;
    -- 3. What waits for another try, and what was given back meanwhile.
    ELSE
        SELECT o.* INTO part FROM push_internal.stop_messages_of_open_slices(this.id, status, batch, mark.stream, mark.n) o;
        stopped := stopped + part.stopped;
        mark.stopped := mark.stopped OR stopped > 0;
        IF part.stream IS NULL THEN
            IF mark.stopped THEN                            -- workers may have given something back: once more
                next := start::text;
            ELSE
                too_late := mark.too_late;
            END IF;
            RETURN;
        END IF;
        mark.stream := part.stream;
        mark.n := part.n;
    END IF;
    next := mark::text;
END $$;
COMMENT ON FUNCTION push_internal.stop_run_batch IS
    'Stops one batch of a run''s messages that are not posted yet, with its state held: retrying parks them, another '
    'status ends them. next null: no such message is left, and too_late are on the wire. Raises if the run was '
    'resumed, or paused, meanwhile.';
