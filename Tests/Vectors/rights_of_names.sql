-- Which roles may use what, one line of Swift for each name: bin/generate writes the answer into MissingRole+Roles.swift, and a
-- test compares. Operators stand only where nobody else does.
WITH granted(name, role) AS (
    SELECT g.function, g.role
      FROM push.function_rights() g
    UNION
    SELECT n.nspname, a.grantee::regrole::text
      FROM pg_namespace n, aclexplode(n.nspacl) a
     WHERE n.nspname IN ('push', 'push_worker') AND a.grantee <> n.nspowner
    UNION
    SELECT c.relname, a.grantee::regrole::text
      FROM pg_class c, aclexplode(c.relacl) a
     WHERE c.relnamespace = 'push'::regnamespace AND a.grantee NOT IN (0, c.relowner)        -- 0: everybody
    UNION
    SELECT c.relname, a.grantee::regrole::text
      FROM pg_class c
           JOIN pg_attribute t ON t.attrelid = c.oid, aclexplode(t.attacl) a
     WHERE c.relnamespace = 'push'::regnamespace AND c.relname = 'message' AND a.privilege_type = 'INSERT'
)
SELECT format('        "%s": "%s",', g.name, string_agg(g.role, ' ' ORDER BY g.role))
  FROM granted g
 WHERE g.role <> 'push_operator'
    OR NOT EXISTS (SELECT FROM granted o WHERE o.name = g.name AND o.role <> 'push_operator')
 GROUP BY g.name
 ORDER BY g.name COLLATE "C"
