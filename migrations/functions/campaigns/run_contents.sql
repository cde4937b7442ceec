-- What a run says, and in which languages.

CREATE OR REPLACE FUNCTION push_worker.run_contents_v1(streams bigint[])
RETURNS TABLE (of_streams bigint[], id bigint, format text, headers json, fallback text, locale text, content json)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT x.streams, c.id, c.format, c.headers, c.fallback, e.key, e.value
      FROM (SELECT t.run, array_agg(t.id) AS streams FROM push.stream t WHERE t.id = ANY (run_contents_v1.streams) GROUP BY t.run) x
           JOIN push.run_content c ON c.run = x.run,
           json_each(c.content) e
     ORDER BY c.id, e.key COLLATE "C"
$$;
COMMENT ON FUNCTION push_worker.run_contents_v1 IS
    'What the runs of these streams say, for the planner: a row for each run and language.';
