-- Caps: not too many campaigns of a group for one recipient.

CREATE OR REPLACE FUNCTION push_internal.wrong_cap(cap json, audience json) RETURNS push.problem
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    example constant text := 'Write {"count": 3, "days": 7, "group": "marketing"}.';
    remembered constant int := (SELECT r.remember_days FROM push.retention r);
    problem push.problem;
BEGIN
    IF cap IS NULL THEN
        RETURN NULL;
    ELSIF json_typeof(cap) <> 'object' THEN
        RETURN push_internal.spec_problem('cap', 'is not an object', example);
    ELSIF audience -> 'tags' IS NOT NULL OR audience -> 'expression' IS NOT NULL OR audience -> 'broadcast' IS NOT NULL THEN
        RETURN push_internal.spec_problem(
            'cap', format('does not go with {"%s": ...}', (SELECT k FROM json_object_keys(audience) k LIMIT 1)),
            'The hub knows who is behind a tag, and Fanfare does not. A cap counts the keys of a view or a list.');
    END IF;
    problem := coalesce(
        push_internal.unknown_member('cap', cap, '{count,days,group}'),
        CASE
            WHEN cap -> 'count' IS NULL OR cap -> 'days' IS NULL OR cap -> 'group' IS NULL
                THEN push_internal.spec_problem('cap', 'lacks count, days or group', example)
            WHEN json_typeof(cap -> 'group') <> 'string' OR cap ->> 'group' !~ '^[a-z0-9][a-z0-9_-]{0,62}$'
                THEN push_internal.spec_problem('cap.group', format('is %s, not the name of a group', left((cap -> 'group')::text, 80)),
                                       'A group is 1 to 63 of a-z 0-9 _ -, not beginning with _ or -.')
        END,
        push_internal.wrong_number('cap.count', cap -> 'count', 1, 100),
        push_internal.wrong_number('cap.days', cap -> 'days', 1, 366));
    IF NOT problem IS NULL THEN
        RETURN problem;
    ELSIF (cap ->> 'count')::numeric % 1 <> 0 OR (cap ->> 'days')::numeric % 1 <> 0 THEN
        RETURN push_internal.spec_problem('cap', 'has a fraction of a campaign or of a day', example);
    ELSIF (cap ->> 'days')::numeric > remembered THEN
        RETURN push_internal.spec_problem(
            'cap.days', format('is %s, and whom campaigns reached is known for %s days', cap ->> 'days', remembered),
            format('Set caps.rememberDays to %s and run fanfare migrate up.', cap ->> 'days'));
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.wrong_cap IS 'What is wrong with the cap of a spec; null: nothing.';

CREATE OR REPLACE FUNCTION push_internal.check_cap(cap json) RETURNS TABLE (level text, about text, finding text, hint text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT 'info', 'cap',
           format('group %s had %s in %s days: ', cap ->> 'group',
                  CASE n.runs WHEN 0 THEN 'no run' WHEN 1 THEN 'one run' ELSE n.runs || ' runs' END, cap ->> 'days')
           || CASE WHEN n.runs < (cap ->> 'count')::int THEN 'nobody is left out yet'
                   WHEN cap ->> 'count' = '1' THEN 'whom one of them reached is left out'
                   ELSE format('whom %s of them reached is left out', cap ->> 'count') END,
           NULL
      FROM (SELECT count(DISTINCT r.run) AS runs
              FROM push.cap_group g
                   JOIN push.capped_run r ON r.cap_group = g.id
             WHERE g.name = cap ->> 'group' AND r.day > (clock_timestamp() AT TIME ZONE 'UTC')::date - (cap ->> 'days')::int) n
     WHERE cap IS NOT NULL
$$;
COMMENT ON FUNCTION push_internal.check_cap IS
    'What push.check_campaign says of the cap of a spec; nothing without one.';

CREATE OR REPLACE FUNCTION push_internal.make_cap_group(name text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO push.cap_group (name) VALUES (make_cap_group.name) ON CONFLICT DO NOTHING
$$;
COMMENT ON FUNCTION push_internal.make_cap_group IS 'Makes a group, if it is new.';

CREATE OR REPLACE FUNCTION push_internal.begin_cap(
    cap json, run bigint, OUT cap_group int, OUT cap_day date, OUT cap_since date, OUT cap_most int, OUT cap_looks boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    cap_day := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    cap_since := cap_day - (cap ->> 'days')::int;
    cap_most := (cap ->> 'count')::int;
    cap_looks := false;
    -- Of two runs of a group that are expanded at the same moment both could be the last that the cap allows.
    SELECT g.id INTO cap_group
      FROM push.cap_group g
     WHERE g.name = cap ->> 'group'
       FOR NO KEY UPDATE SKIP LOCKED;
    IF cap_group IS NULL THEN
        RETURN;
    END IF;
    PERFORM push_internal.make_reached();
    INSERT INTO push.capped_run VALUES (begin_cap.cap_group, begin_cap.cap_day, begin_cap.run) ON CONFLICT DO NOTHING;
    cap_looks := cap_most <= (
        SELECT count(DISTINCT r.run)
          FROM push.capped_run r
         WHERE r.cap_group = begin_cap.cap_group AND r.day > cap_since AND r.run <> begin_cap.run);
END $$;
COMMENT ON FUNCTION push_internal.begin_cap IS
    'Locks the group of a cap for the transaction. cap_group null: another run of it is being expanded. cap_looks: so'
    ' many runs were there that recipients have to be looked up.';
