-- What a release freezes, one line for each thing: bin/generate writes the answer into schema_tables.txt, and a test compares it with
-- what fanfare migrate up makes and with what psql makes.
SELECT concat_ws(' ', 'type', t.oid::regtype, t.typtype, (
           SELECT string_agg(e.enumlabel, ', ' ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = t.oid))
  FROM pg_type t
 WHERE t.typnamespace::regnamespace::text LIKE 'push%' AND t.typtype IN ('e', 'r')
UNION ALL
SELECT concat_ws(' ', 'relation', c.oid::regclass, c.relkind, c.reloptions, pg_get_partkeydef(c.oid))
  FROM pg_class c
 WHERE c.relnamespace::regnamespace::text LIKE 'push%' AND c.relkind IN ('r', 'p', 'S', 'c') AND NOT c.relispartition
UNION ALL
SELECT concat_ws(' ', 'column', a.attrelid::regclass || '.' || a.attname, a.attnum, format_type(a.atttypid, a.atttypmod),
                 CASE WHEN a.attnotnull THEN 'not null' END, 'storage ' || a.attstorage::text,
                 'identity ' || nullif(a.attidentity::text, ''), 'default ' || pg_get_expr(d.adbin, d.adrelid))
  FROM pg_class c
       JOIN pg_attribute a ON a.attrelid = c.oid
       LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
 WHERE c.relnamespace::regnamespace::text LIKE 'push%' AND c.relkind IN ('r', 'p', 'c') AND NOT c.relispartition AND a.attnum > 0
UNION ALL
SELECT concat_ws(' ', 'constraint', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid))
  FROM pg_constraint k
       JOIN pg_class c ON c.oid = k.conrelid
 WHERE c.relnamespace::regnamespace::text LIKE 'push%' AND NOT c.relispartition
UNION ALL
SELECT 'index ' || pg_get_indexdef(i.indexrelid)
  FROM pg_index i
       JOIN pg_class c ON c.oid = i.indrelid
 WHERE c.relnamespace::regnamespace::text LIKE 'push%' AND NOT c.relispartition
UNION ALL
SELECT 'trigger ' || pg_get_triggerdef(t.oid)
  FROM pg_trigger t
       JOIN pg_class c ON c.oid = t.tgrelid
 WHERE c.relnamespace::regnamespace::text LIKE 'push%' AND NOT t.tgisinternal
 ORDER BY 1
