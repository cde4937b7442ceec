-- What this schema is made of, for every role: each build compares it with itself before it works.

CREATE OR REPLACE FUNCTION push.schema()
RETURNS TABLE (release int, works_from int, applied_at timestamptz, applied_by text, app_version text)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
BEGIN ATOMIC
    SELECT r.release, r.works_from, r.applied_at, r.applied_by, r.app_version
      FROM push.release r
     ORDER BY r.release;
END;
COMMENT ON FUNCTION push.schema IS
    'The releases of this schema (push.release), for every role.';

CREATE OR REPLACE FUNCTION push.schema_files()
RETURNS TABLE (path text, sha256 text, applied_at timestamptz, applied_by text, app_version text)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
BEGIN ATOMIC
    SELECT f.path, f.sha256, f.applied_at, f.applied_by, f.app_version
      FROM push.schema_file f
     ORDER BY f.path;
END;
COMMENT ON FUNCTION push.schema_files IS
    'The files that made this schema (push.schema_file), for every role.';

CREATE OR REPLACE FUNCTION push_internal.refuse_older_release(release int) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    newest constant int := (SELECT max(r.release) FROM push.release r);
BEGIN
    IF newest > release THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('the schema is of release %s, newer than these files (%s)', newest, release),
            HINT = 'Nothing was changed. Use the files of that release or of a newer one.';
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.refuse_older_release IS
    'Raises when the schema is of a newer release: older files, run by psql, would put older functions in the place '
    'of newer ones.';
