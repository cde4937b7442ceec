-- How many devices tag expressions mean: what was counted at the hub, because only the hub knows.

CREATE OR REPLACE FUNCTION push_internal.bare_expression(expression text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(
    lower(replace(expression, ' ', '') COLLATE "C"), '(^|[|]|[(])[(]([^()|]+)[)](?=$|[|]|[)])', '\1\2', 'g');
COMMENT ON FUNCTION push_internal.bare_expression IS
    'An expression without blanks, capital letters and the parentheses around && beside ||: two with one bare form mean the same.';

CREATE OR REPLACE FUNCTION push.keep_reach(
    hub text, expression text, devices bigint, of bigint, is_whole boolean, OUT counted_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
#variable_conflict use_column
DECLARE
    most constant int := 1000;                     -- expressions of a hub
    number constant int := push_internal.hub_number(hub);
    problem constant push.problem := push_internal.wrong_expression(keep_reach.expression);
BEGIN
    PERFORM push_internal.begin_action();
    IF NOT EXISTS (SELECT FROM push.hub h JOIN push.hub_kind k ON k.name = h.kind AND k.keeps_devices WHERE h.id = number) THEN
        PERFORM push_internal.refuse_kind(hub, 'push.keep_reach');
    ELSIF NOT problem IS NULL OR keep_reach.expression IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'reach', COLUMN = 'expression', CONSTRAINT = 'expression_is_one',
            MESSAGE = coalesce(replace(problem.message, 'push.message.tag', 'push.keep_reach: expression'),
                               'push.keep_reach: expression is null'),
            HINT = coalesce(problem.hint, 'It is one tag, or tags joined with ||, && and !.');
    ELSIF NOT coalesce(keep_reach.devices BETWEEN 0 AND keep_reach.of, false) OR keep_reach.is_whole IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.keep_reach: %s devices of %s', coalesce(keep_reach.devices::text, 'null'), coalesce(keep_reach.of::text, 'null')),
            HINT = 'devices is how many the expression means, of those that were looked at; is_whole: whether these were all.';
    END IF;
    INSERT INTO push.reach AS r (hub, expression, devices, of, is_whole)
    VALUES (number, keep_reach.expression, keep_reach.devices, keep_reach.of, keep_reach.is_whole)
        ON CONFLICT ON CONSTRAINT reach_pkey DO UPDATE
       SET devices = excluded.devices, of = excluded.of, is_whole = excluded.is_whole, counted_at = excluded.counted_at,
           by = excluded.by
    RETURNING r.counted_at INTO counted_at;
    DELETE FROM push.reach r
     WHERE r.hub = number
       AND r.expression IN (
               SELECT o.expression FROM push.reach o WHERE o.hub = number ORDER BY o.counted_at DESC, o.expression OFFSET most);
    INSERT INTO push.audit (action, detail)
    VALUES ('keep_reach', json_build_object('hub', hub, 'expression', keep_reach.expression, 'devices', keep_reach.devices,
                                            'of', keep_reach.of, 'is_whole', keep_reach.is_whole));
END $$;
COMMENT ON FUNCTION push.keep_reach IS
    'Keeps how many devices an expression meant when the hub was asked: what fanfare tag reach counted, in place of what was '
    'counted before. devices: those it means, of those that were looked at; is_whole: whether these were all. Returns when.';

CREATE OR REPLACE FUNCTION push_internal.reach_words(devices bigint, of bigint, is_whole boolean, age interval) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
               WHEN devices = 0 AND is_whole THEN 'no device'
               WHEN devices = 0 THEN format('no device of the first %s', to_char(of, 'FM999,999,999,999'))
               ELSE format('%s%s device%s%s',
                           CASE WHEN devices = of AND NOT is_whole THEN 'at least ' ELSE '' END,
                           to_char(devices, 'FM999,999,999,999'), CASE WHEN devices <> 1 THEN 's' END,
                           CASE WHEN devices <> of AND NOT is_whole THEN format(' of the first %s', to_char(of, 'FM999,999,999,999')) END)
           END
           || ', counted '
           || CASE
                  WHEN age < interval '1 minute' THEN 'just now'
                  WHEN age < interval '1 hour' THEN format('%s min ago', floor(extract(epoch FROM age) / 60))
                  WHEN age < interval '2 days' THEN format('%s h ago', floor(extract(epoch FROM age) / 3600))
                  ELSE format('%s days ago', floor(extract(epoch FROM age) / 86400))
              END
$$;
COMMENT ON FUNCTION push_internal.reach_words IS 'Such as: 81,214 devices, counted 3 h ago.';

CREATE OR REPLACE FUNCTION push_internal.check_reach(spec json)
RETURNS TABLE (level text, about text, finding text, hint text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    WITH asked AS (
        SELECT DISTINCT a.expression, push_internal.bare_expression(a.expression) AS bare
          FROM (SELECT e.value #>> '{}'
                  FROM json_array_elements(CASE json_typeof(spec -> 'audience' -> 'tags') WHEN 'array' THEN spec -> 'audience' -> 'tags' END) e
                 UNION ALL
                SELECT spec -> 'audience' ->> 'expression') a(expression)
         WHERE a.expression IS NOT NULL
    ), counted AS (
        SELECT h.name AS hub, r.devices, r.of, r.is_whole, r.counted_at, clock_timestamp() - r.counted_at AS age,
               push_internal.bare_expression(r.expression) AS bare
          FROM push.hub h
               JOIN push.reach r ON r.hub = h.id
         WHERE h.name IN (SELECT e.value #>> '{}' FROM json_array_elements(spec -> 'hubs') e)
           AND h.removed_at IS NULL
    ), newest AS (
        SELECT DISTINCT ON (c.hub, a.expression) c.hub, a.expression, c.devices, c.of, c.is_whole, c.age
          FROM asked a
               JOIN counted c ON c.bare = a.bare
         ORDER BY c.hub, a.expression, c.counted_at DESC
    ), ranked AS (
        SELECT n.*, row_number() OVER (PARTITION BY n.hub ORDER BY n.devices, n.expression) AS nth FROM newest n
    )
    SELECT CASE WHEN r.devices = 0 THEN 'warning' ELSE 'info' END,
           'hub ' || r.hub,
           format('%s: %s', r.expression, push_internal.reach_words(r.devices, r.of, r.is_whole, r.age)),
           CASE
               WHEN r.age > interval '1 day' THEN format('It may have changed. Count again: fanfare tag reach ''%s'' --hub %s', r.expression, r.hub)
               WHEN r.devices = 0 THEN 'Nobody would get it: is the tag spelt as devices have it?'
           END
      FROM ranked r
     WHERE r.nth <= 20
     ORDER BY r.hub, r.nth
$$;
COMMENT ON FUNCTION push_internal.check_reach IS
    'How many devices the tags of an audience mean, where somebody has counted them: of each hub at most 20, the fewest first. A '
    'tag that no device has is a warning. Asks no hub.';
