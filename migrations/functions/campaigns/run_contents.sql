-- What a run says, and in which languages.

CREATE OR REPLACE FUNCTION push_internal.contents_of_run(run bigint) RETURNS bigint[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN ARRAY(SELECT c.id FROM push.run_content c WHERE c.run = contents_of_run.run);
COMMENT ON FUNCTION push_internal.contents_of_run IS 'What push.message.run_content says of a run''s messages.';

CREATE OR REPLACE FUNCTION push_worker.run_contents_v1(ids bigint[])
RETURNS TABLE (id bigint, format text, headers json, fallback text, locale text, content json)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT c.id, c.format, c.headers, c.fallback, e.key, e.value
      FROM push.run_content c, json_each(c.content) e
     WHERE c.id = ANY (ids)
     ORDER BY c.id, e.key COLLATE "C"
$$;
COMMENT ON FUNCTION push_worker.run_contents_v1 IS 'What runs say, for the planner: a row for each language.';
