-- Giving back what a pause has parked, at the run's rate, but for recipients who were suppressed meanwhile.

CREATE OR REPLACE FUNCTION push_internal.suppressed_among(ids bigint[]) RETURNS bigint[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM push.suppression) THEN
        RETURN '{}';
    END IF;
    RETURN ARRAY(
        SELECT m.id
          FROM unnest(ids) u(id),
               LATERAL (SELECT m.id, m.stream, m.recipient, m.tag, m.handles FROM push.message m WHERE m.id = u.id OFFSET 0) m,
               LATERAL (
                   SELECT r.bypasses_suppression
                     FROM push.stream t
                          JOIN push.run r ON r.id = t.run
                    WHERE t.id = m.stream
                   OFFSET 0) r
         WHERE NOT r.bypasses_suppression
           AND EXISTS (
                   SELECT
                     FROM (VALUES ('key', m.recipient), ('tag', m.tag), ('handle', m.handles[1])) o(what, value),
                          LATERAL (SELECT s.until FROM push.suppression s WHERE s.what = o.what AND s.value = o.value OFFSET 0) s
                    WHERE coalesce(s.until, 'infinity') > clock_timestamp()));
END $$;
COMMENT ON FUNCTION push_internal.suppressed_among IS
    'Which of these messages belong to runs and to recipients who are suppressed by now.';

CREATE OR REPLACE FUNCTION push_internal.give_back_messages(this push.run, batch int, OUT given bigint, OUT is_all boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part record;
    dropped bigint[];
    begins timestamptz := clock_timestamp();
    step constant double precision := coalesce(1 / this.rate, 0);
BEGIN
    SELECT p.* INTO part FROM push_internal.parked_pointers(this.id, batch) p;
    is_all := coalesce(cardinality(part.ids), 0) < batch;
    dropped := push_internal.suppressed_among(part.ids);
    IF dropped <> '{}' THEN
        PERFORM push_internal.end_pointers(part.pointers, dropped, 'cancelled', 'suppressed');
        part.ids := ARRAY(SELECT u.id FROM unnest(part.ids) u(id) WHERE u.id <> ALL (dropped));
    END IF;
    IF step > 0 THEN
        begins := greatest(begins, (SELECT max(t.filled_until) FROM push.stream t WHERE t.run = this.id));
    END IF;
    given := push_internal.move_pointers(part.pointers, part.ids, 'resumed', begins, step);
    IF step > 0 AND given > 0 THEN
        UPDATE push.stream t SET filled_until = begins + make_interval(secs => step * given) WHERE t.run = this.id;
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.give_back_messages IS
    'Makes what a pause has parked due again, up to a batch: at the run''s rate, in front of what is made next, and '
    'without recipients who are suppressed by now. is_all: nothing is left.';

CREATE OR REPLACE FUNCTION push_internal.pace_messages(this push.run) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    slice record;
    part record;
    step constant double precision := coalesce(1 / this.rate, 0);
    begins timestamptz := clock_timestamp();
    moved bigint;
    paced bigint := 0;
BEGIN
    FOR slice IN
        SELECT s.stream, s.n
          FROM push.stream t
               JOIN push.slice s ON s.stream = t.id
         WHERE t.run = this.id
           AND s.rows > 0
           AND NOT EXISTS (SELECT FROM push.slice_count c WHERE c.stream = s.stream AND c.n = s.n OFFSET 0)
         ORDER BY s.first_id
    LOOP
        SELECT p.* INTO part FROM push_internal.pointers_of_slice(slice.stream, slice.n, push_internal.parked_at(this.id), NULL) p;
        moved := push_internal.move_pointers(part.pointers, part.ids, 'resumed', begins, step);
        begins := begins + make_interval(secs => step * moved);
        paced := paced + moved;
    END LOOP;
    UPDATE push.stream t
       SET filled_until = CASE WHEN step > 0 AND paced > 0 THEN begins END
     WHERE t.run = this.id;
    RETURN paced;
END $$;
COMMENT ON FUNCTION push_internal.pace_messages IS
    'Moves what was made and no worker has taken to times of the run''s rate; without a rate, to now.';

CREATE OR REPLACE FUNCTION push_internal.refuse_withdrawn(this push.run, campaign text, doing text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    verdict record;
    state push.campaign_state;
BEGIN
    SELECT c.state INTO state FROM push.campaign c WHERE c.id = this.campaign FOR SHARE;
    IF state = 'archived' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('campaign %s is archived: run %s cannot be %s', campaign, to_json(this.key), doing),
            HINT = format('Bring it back: fanfare campaign unarchive %s', campaign);
    END IF;
    SELECT a.* INTO verdict
      FROM push.approval a
     WHERE a.campaign = this.campaign AND a.revision = this.revision
     ORDER BY a.id DESC
     LIMIT 1;
    IF verdict.verdict = 'rejected' AND NOT this.is_test THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('revision %s of campaign %s was rejected by %s: run %s cannot be %s', this.revision, campaign,
                             verdict."by", to_json(this.key), doing),
            HINT = format('Cancel the run: SELECT * FROM push.cancel_run(%L, %L). Or have the revision approved.', campaign, this.key);
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.refuse_withdrawn IS
    'Raises if a run must send nothing more: its campaign is archived, or its revision was rejected since.';

CREATE OR REPLACE FUNCTION push_internal.hold_returned(
    hubs int[], priorities smallint[], ids bigint[], due_ats timestamptz[], suppressed bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    part record;
BEGIN
    FOR part IN
        SELECT x.run, array_agg(x.pointer) AS pointers, array_agg(x.id) AS ids
          FROM (SELECT d.pointer, d.id,
                       CASE
                           WHEN d.id <> ALL (suppressed)
                           THEN (SELECT r.id
                                   FROM push.message m
                                        JOIN push.stream t ON t.id = m.stream
                                        JOIN push.run r ON r.id = t.run
                                  WHERE m.id = d.id AND r.state = 'paused')
                       END AS run
                  FROM unnest(hubs, priorities, ids, due_ats) u(hub, priority, id, due_at),
                       LATERAL (
                           SELECT d.ctid AS pointer, d.id
                             FROM push.due d
                            WHERE d.hub = u.hub AND d.priority = u.priority AND d.due_at = coalesce(u.due_at, now()) AND d.id = u.id
                           OFFSET 0) d
                OFFSET 0) x
         WHERE x.run IS NOT NULL OR x.id = ANY (suppressed)
         GROUP BY x.run
    LOOP
        IF part.run IS NULL THEN
            PERFORM push_internal.end_pointers(part.pointers, part.ids, 'cancelled', 'suppressed');
        ELSE
            PERFORM push_internal.stop_pointers(part.run, part.pointers, part.ids, 'retrying');
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION push_internal.hold_returned IS
    'What came back to push.due and must not leave again: messages of a paused run are parked, and those of recipients '
    'who were suppressed meanwhile end.';
