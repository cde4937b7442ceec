-- push.purge: deleting what is final and old, by rows and by whole partitions.

CREATE OR REPLACE FUNCTION push_internal.drop_if_past(
    spec        push.partitioned,
    number      bigint,
    cutoff      timestamptz,
    OUT outcome text,
    OUT oldest  timestamptz,
    OUT newest  timestamptz,
    OUT n       bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms' SET enable_seqscan = off AS $$
DECLARE
    first constant bigint := number * spec.span;
    last constant bigint := first + spec.span - 1;
    name constant text := format('%s_%s', spec.parent, number);
    follower constant text := (SELECT p.parent FROM push.partitioned p WHERE p.follows = spec.parent);
    following constant text := format('%s_%s', follower, number);
    is_left constant boolean := coalesce(
        number < spec.in_use - 1 OR number < spec.in_use AND spec.since < clock_timestamp() - interval '1 hour', false);
    needed boolean;
BEGIN
    EXECUTE format('SELECT %1$I FROM push.%2$I ORDER BY %3$I LIMIT 1', spec.at, name, spec.key) INTO oldest;
    EXECUTE format('SELECT max(%1$I) FROM (SELECT %1$I FROM push.%2$I ORDER BY %3$I DESC LIMIT 1000) x',
                   spec.at, name, spec.key) INTO newest;
    outcome := CASE
        WHEN oldest >= cutoff OR oldest IS NULL AND NOT is_left THEN 'young'
        WHEN NOT is_left THEN 'rows'
        WHEN newest >= cutoff AND newest - oldest > '1 day' THEN 'rows'
        WHEN newest >= cutoff THEN 'waits'
        WHEN to_regclass(format('push.%I', following)) IS NULL THEN 'rows'
    END;
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;

    -- Who sends a message of it again, or posts for a claim of it, writes here, and now has to wait.
    EXECUTE format('LOCK TABLE push.%I, push.%I IN SHARE ROW EXCLUSIVE MODE', name, following);
    IF spec.parent = 'message' THEN
        EXECUTE format('SELECT EXISTS (SELECT FROM push.%2$I r WHERE r.at >= $1) OR EXISTS (SELECT FROM push.%1$I m '
                       'WHERE NOT EXISTS (SELECT FROM push.%2$I r WHERE r.id = m.id))', name, following)
           INTO needed USING cutoff;
        needed := needed
            OR EXISTS (SELECT FROM push.content k WHERE k.id BETWEEN first AND last)
            OR EXISTS (SELECT FROM push_internal.open_messages(first, last))
            OR EXISTS (SELECT FROM push_internal.uncounted_slices(first, last));
    ELSE            -- needed by a message that still exists; those that are younger than the posts do not count
        SELECT count(*) = 10000 AND max(m.created_at) <= drop_if_past.newest OR bool_or(
                   EXISTS (SELECT FROM push.result r WHERE r.id = m.id AND r.post BETWEEN first AND last OFFSET 0))
          INTO needed
          FROM (SELECT m.id, m.created_at FROM push.message m ORDER BY m.id LIMIT 10000) m;
        needed := coalesce(needed, false)
            OR EXISTS (SELECT FROM push.claim c WHERE c.id BETWEEN push.claim_of(first) AND push.claim_of(last));
    END IF;
    IF needed THEN
        outcome := 'rows';
        RETURN;
    END IF;

    -- Every INSERT waits from here to the end of the transaction: nothing slow may follow.
    n := (SELECT nullif(c.reltuples, -1)::bigint FROM pg_class c WHERE c.oid = format('push.%I', name)::regclass);
    EXECUTE format('LOCK TABLE ONLY push.%I, ONLY push.%I IN ACCESS EXCLUSIVE MODE', spec.parent, follower);
    EXECUTE format('DROP TABLE push.%I, push.%I', name, following);
    outcome := 'dropped';
EXCEPTION
    WHEN lock_not_available THEN        -- row by row if the lock cannot be had for a week
        outcome := CASE WHEN newest < cutoff - interval '7 days' THEN 'rows' ELSE 'busy' END;
END $$;
COMMENT ON FUNCTION push_internal.drop_if_past IS
    'Drops a partition of message or post, and the one of result or answer with the same number, if nothing of it is '
    'needed any more. outcome: dropped; busy, another session has a lock; young, nothing of it is old; waits, all of '
    'it will be old in a day; rows, some of it is needed.';

CREATE OR REPLACE FUNCTION push_internal.purge_next(cutoff timestamptz, batch int)
RETURNS TABLE (what text, action text, n bigint, note text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pass push.retention;
    spec push.partitioned;
    part record;
    until timestamptz;
    tried record;
    walked record;
BEGIN
    SELECT * INTO pass FROM push.retention;
    LOOP
        IF pass.parent IS NULL THEN
            DELETE FROM push.kept;
            pass.pass_began := clock_timestamp();
            pass.parent := 'message';
            pass.mark := 0;
            pass.waiting_since := 'infinity';
        END IF;
        until := CASE pass.parent WHEN 'post' THEN least(cutoff, pass.waiting_since) ELSE cutoff END;
        SELECT * INTO spec FROM push.partitioned p WHERE p.parent = pass.parent;
        SELECT * INTO part FROM push_internal.partitions(pass.parent) p
         WHERE p.last >= pass.mark AND p.number <= push_internal.number_in_use(spec)
         ORDER BY p.number LIMIT 1;

        IF FOUND AND pass.mark <= part.first THEN
            SELECT * INTO tried FROM push_internal.drop_if_past(spec, part.number, until);
        ELSE
            SELECT CASE WHEN FOUND THEN 'rows' ELSE 'young' END AS outcome INTO tried;
        END IF;
        IF tried.outcome IN ('waits', 'busy') THEN
            INSERT INTO push.kept VALUES (
                part.name, NULL,
                CASE tried.outcome
                    WHEN 'busy' THEN 'another session has a lock on it: try again'
                    ELSE format('is dropped whole at %s, when all of it is old',
                                push.iso(tried.newest + (clock_timestamp() - cutoff)))
                END);
            pass.waiting_since := least(pass.waiting_since, tried.oldest);
            pass.mark := part.last + 1;
            CONTINUE;
        ELSIF tried.outcome = 'dropped' THEN
            pass.mark := part.last + 1;
            RETURN QUERY
            SELECT format('%s_%s', p.parent, part.number), 'dropped', CASE WHEN p.follows IS NULL THEN tried.n END,
                   format('%s %s to %s', p.key, part.first, part.last)
              FROM push.partitioned p WHERE pass.parent IN (p.parent, p.follows) ORDER BY p.follows NULLS FIRST;
            EXIT;
        ELSIF tried.outcome = 'rows' THEN
            EXECUTE format('SELECT * FROM push_internal.delete_%ss($1, $2, $3, $4)', pass.parent)
               INTO walked USING greatest(pass.mark, part.first), part.last, until, batch;
            IF walked.old > 0 OR walked.seen = 0 THEN
                pass.mark := walked.mark;
                CONTINUE WHEN walked.old = 0;
                INSERT INTO push.kept AS k
                VALUES (pass.parent, walked.old - walked.deleted, 'of messages that are kept')
                    ON CONFLICT (what) DO UPDATE SET n = k.n + excluded.n;
                RETURN QUERY SELECT pass.parent, CASE WHEN walked.deleted > 0 THEN 'deleted' ELSE 'passed' END,
                    CASE WHEN walked.deleted > 0 THEN walked.deleted ELSE walked.old END, 'before ' || push.iso(until);
                EXIT;
            END IF;
        END IF;

        -- Nothing that is left in this table is old.
        IF pass.parent = 'message' THEN
            UPDATE push.kept k
               SET note = (SELECT concat_ws(', ', string_agg(format('%s %s (such as %s)', o.n, o.why, o.example), ', '),
                                            nullif(k.n - coalesce(sum(o.n), 0), 0)
                                            || ' not final for so long, or needed by a content_key or translation')
                             FROM push_internal.open_messages(0, pass.mark - 1) o)
             WHERE k.what = 'message';
            pass.parent := 'post';
            pass.mark := 0;
            CONTINUE;
        END IF;
        pass.parent := NULL;
        -- What became old during a long pass, or since another day's unfinished one began, is for a new pass.
        CONTINUE WHEN pass.pass_began < clock_timestamp() - interval '10 minutes';
        RETURN QUERY SELECT k.what, 'kept', k.n, k.note FROM push.kept k WHERE k.n IS DISTINCT FROM 0 ORDER BY k.what;
        EXIT;
    END LOOP;
    UPDATE push.retention
       SET pass_began = pass.pass_began, parent = pass.parent, mark = pass.mark, waiting_since = pass.waiting_since;
END $$;
COMMENT ON FUNCTION push_internal.purge_next IS
    'One step of a pass of push.purge: drops one partition, or deletes a batch of messages or of posts; at the end of'
    ' the pass what was kept.';

CREATE OR REPLACE FUNCTION push.purge(older_than interval, batch int DEFAULT 10000, keep_audit interval DEFAULT '1 year')
RETURNS TABLE (what text, action text, n bigint, note text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms' AS $$
#variable_conflict use_column
DECLARE
    cutoff constant timestamptz := clock_timestamp() - older_than;
    spec constant push.partitioned := (SELECT p FROM push.partitioned p WHERE p.parent = 'message');
BEGIN
    IF older_than IS NULL OR older_than < '1 day' OR batch IS NULL OR batch NOT BETWEEN 1 AND 1000000
       OR keep_audit IS NULL OR keep_audit < '1 day' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.purge(%L, %L, %L)', older_than, batch, keep_audit),
            HINT = 'At least one day, and 1 to 1000000 rows: SELECT * FROM push.purge(older_than => ''30 days''), '
                   'again until every row says kept.';
    END IF;
    PERFORM push_internal.begin_action();
    PERFORM push_internal.require_read_committed('push.purge');
    IF NOT push_internal.take_lock('purge') THEN
        RETURN QUERY SELECT 'purge', 'kept', NULL::bigint, 'another session purges at the moment';
        RETURN;
    END IF;
    UPDATE push.retention r                             -- with another cut-off, a pass begins anew
       SET keep = older_than, purged_at = clock_timestamp(), parent = CASE WHEN r.keep = older_than THEN r.parent END;

    n := push_worker.forget_keys_v1(batch);
    IF n > 0 THEN
        RETURN QUERY SELECT 'keys', 'deleted', n, 'dedupe and content keys past the keep time of their hub';
    END IF;
    DELETE FROM push.tally
     WHERE ctid = ANY (ARRAY(
               SELECT t.ctid FROM push.tally t WHERE t.minute < cutoff LIMIT batch FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n > 0 THEN
        RETURN QUERY SELECT 'tally', 'deleted', n, 'minutes before ' || push.iso(cutoff);
    END IF;
    DELETE FROM push.audit
     WHERE id = ANY (ARRAY(
               SELECT a.id FROM push.audit a WHERE a.at < clock_timestamp() - keep_audit ORDER BY a.id LIMIT batch));
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n > 0 THEN
        RETURN QUERY SELECT 'audit', 'deleted', n, 'entries before ' || push.iso(clock_timestamp() - keep_audit);
    END IF;
    DELETE FROM push.translation                        -- of messages whose partition was dropped
     WHERE id = ANY (ARRAY(
               SELECT t.id
                 FROM generate_series((SELECT min(t.id) FROM push.translation t) / spec.span,
                                      push_internal.number_in_use(spec)) g(number),
                      LATERAL (
                          SELECT t.id
                            FROM push.translation t
                           WHERE t.id >= g.number * spec.span
                             AND t.id < (g.number + 1) * spec.span
                          OFFSET 0) t
                WHERE to_regclass('push.message_' || g.number) IS NULL
                  AND NOT EXISTS (SELECT FROM push.message m WHERE m.id = t.id)
                LIMIT batch));
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n > 0 THEN
        RETURN QUERY SELECT 'translation', 'deleted', n, 'of messages that were dropped';
    END IF;

    n := push_internal.forget_devices(cutoff, batch);
    IF n > 0 THEN
        RETURN QUERY SELECT 'devices', 'deleted', n, 'changes that were final before ' || push.iso(cutoff);
    END IF;

    INSERT INTO push.audit (action, detail)
    VALUES ('purge', json_build_object('older_than', older_than, 'batch', batch));
    RETURN QUERY SELECT * FROM push_internal.purge_next(cutoff, batch);
END $$;
COMMENT ON FUNCTION push.purge IS
    'Deletes what was enqueued so long ago and has been final for so long: a batch of messages with their results, or '
    'of posts with their answers, or one whole partition; and a batch of keys, counters, audit and translations. '
    'Returns what it did; call it again until every row says kept, and why. passed: looked at, nothing to delete.';
