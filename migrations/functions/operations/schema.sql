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
