import Postgres
import PushModel

/// The schema `push` as a page to read, generated from the comments in a database.
///
/// Sorted by name, without partitions and without anything that differs between databases, so that the same migrations
/// always give the same text.
public struct SchemaReference: Sendable {
    public let markdown: String

    /// A heading of level 3 and the text under it.
    private struct Entry: Sendable {
        var name: String
        var comment: String
        var lines: [String] = []
    }

    public static func read(from database: Database) async throws(DatabaseError) -> SchemaReference {
        var tables = try await entries(relations("'r', 'p'"), database)
        try await add(columns("'r', 'p'"), to: &tables, under: tableHead, database)
        try await add(rules, to: &tables, under: [], database)
        var views = try await entries(relations("'v'"), database)
        try await add(columns("'v'"), to: &views, under: viewHead, database)
        let release = try await database.single("SELECT max(release) FROM push.schema()", doing: "read the release") {
            row in try row.int32()
        }
        let intro = """
            # The schema `push`

            Release \(release), written by `fanfare migrate reference` from the comments in the database. Where to begin: \
            backends write `push.message`; people look at the views and call the functions.
            """
        return SchemaReference(
            markdown: [
                intro, section("Roles", try await entries(roles, database)), section("Tables", tables),
                section("Views", views), section("Functions", try await entries(functions, database)),
                section("Types", try await entries(types, database)),
                section("Sequences", try await entries(relations("'S'"), database)),
            ].joined(separator: "\n\n"))
    }

    private static let tableHead = ["| column | type | default | meaning |", "|---|---|---|---|"]
    private static let viewHead = ["| column | type | | meaning |", "|---|---|---|---|"]

    private static func section(_ title: String, _ entries: [Entry]) -> String {
        let texts = entries.map { entry in
            let body = entry.lines.isEmpty ? "" : "\n\n" + entry.lines.joined(separator: "\n")
            return "### \(entry.name)\n\n\(entry.comment)\(body)"
        }
        return (["## \(title)"] + texts).joined(separator: "\n\n")
    }

    /// Reads rows of name, comment and, optionally, one more line.
    private static func entries(_ sql: SQL, _ database: Database) async throws(DatabaseError) -> [Entry] {
        try await database.query(sql, doing: "read the schema") { rows in
            try rows.map { row in
                Entry(
                    name: try row.string(), comment: try row.string(),
                    lines: try row.stringOrNil().map { [$0] } ?? [])
            }
        }
    }

    /// Reads rows of an entry's name and a line for it.
    private static func add(
        _ sql: SQL, to entries: inout [Entry], under head: [String], _ database: Database
    ) async throws(DatabaseError) {
        let lines = try await database.query(sql, doing: "read the schema") { rows in
            try rows.map { row in (name: try row.string(), line: try row.string()) }
        }
        for index in entries.indices {
            let own = lines.filter { $0.name == entries[index].name }.map(\.line)
            guard !own.isEmpty else { continue }
            entries[index].lines += head.isEmpty ? [""] + own : head + own
        }
    }

    /// Escapes what would end a cell or a row.
    private static let cell = #"replace(replace(%, '|', '\|'), E'\n', ' ')"#

    private static func cell(_ expression: String) -> String { cell.replacing(scalars: "%", with: expression) }

    private static func relations(_ kinds: String) -> SQL {
        """
        SELECT 'push.' || c.relname, coalesce(obj_description(c.oid, 'pg_class'), ''),
               CASE WHEN c.relkind = 'p' THEN 'Partitioned by ' || pg_get_partkeydef(c.oid) || E'.\\n' END
          FROM pg_class c
         WHERE c.relnamespace = 'push'::regnamespace AND c.relkind IN (\(raw: kinds)) AND NOT c.relispartition
           AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i') AND c.relkind = 'S')
         ORDER BY c.relname COLLATE "C"
        """
    }

    private static func columns(_ kinds: String) -> SQL {
        """
        SELECT 'push.' || c.relname,
               concat('| `', a.attname, '` | ', format_type(a.atttypid, a.atttypmod), ' | ',
                      \(raw: cell("""
                          CASE WHEN a.attidentity <> '' THEN 'identity' WHEN e.adbin IS NOT NULL THEN '`' || pg_get_expr(e.adbin, e.adrelid) || '`'
                               WHEN a.attnotnull OR c.relkind = 'v' THEN '' ELSE 'null' END
                          """)), ' | ', \(raw: cell("coalesce(col_description(c.oid, a.attnum), '')")), ' |')
          FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
               LEFT JOIN pg_attrdef e ON e.adrelid = c.oid AND e.adnum = a.attnum
         WHERE c.relnamespace = 'push'::regnamespace AND c.relkind IN (\(raw: kinds)) AND NOT c.relispartition
           AND a.attnum > 0 AND NOT a.attisdropped
         ORDER BY c.relname COLLATE "C", a.attnum
        """
    }

    /// Constraints, indexes and triggers of tables. A CHECK is shown by its name, which is a sentence.
    private static let rules: SQL = """
        SELECT 'push.' || c.relname, r.line
          FROM pg_class c CROSS JOIN LATERAL (
                SELECT 1 AS kind, k.conname AS name,
                       concat('- `', k.conname, '`', CASE WHEN k.contype <> 'c' THEN ': ' || pg_get_constraintdef(k.oid) END) AS line
                  FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype IN ('c', 'p', 'u', 'f')
                UNION ALL
                SELECT 2, i.relname, concat('- index `', i.relname, '` (', (SELECT string_agg(pg_get_indexdef(x.indexrelid, n, true), ', ' ORDER BY n) FROM generate_series(1, x.indnatts) n), ')',
                                            ' where ' || pg_get_expr(x.indpred, x.indrelid), ': ' || obj_description(i.oid, 'pg_class'))
                  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
                 WHERE x.indrelid = c.oid AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.oid AND k.conrelid = c.oid)
                UNION ALL
                SELECT 3, t.tgname, concat('- trigger `', t.tgname, '`: ', obj_description(t.oid, 'pg_trigger'))
                  FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal) r
         WHERE c.relnamespace = 'push'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
         ORDER BY c.relname COLLATE "C", r.kind, r.name COLLATE "C"
        """

    private static let functions: SQL = """
        SELECT concat('push.', p.proname, '(', pg_get_function_identity_arguments(p.oid), ')'), coalesce(obj_description(p.oid, 'pg_proc'), ''),
               concat('`', p.proname, '(', pg_get_function_arguments(p.oid), ')` returns ', pg_get_function_result(p.oid),
                      '. May be called by: ', coalesce((SELECT string_agg(CASE g.grantee WHEN 0 THEN 'everybody' ELSE g.grantee::regrole::text END, ', '
                                                                ORDER BY CASE g.grantee WHEN 0 THEN 'everybody' ELSE g.grantee::regrole::text END COLLATE "C")
                                                 FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) g WHERE g.grantee <> p.proowner), 'the owner alone'), '.')
          FROM pg_proc p
         -- What PostgreSQL itself makes for a range type is not ours.
         WHERE p.pronamespace = 'push'::regnamespace AND p.prolang <> (SELECT l.oid FROM pg_language l WHERE l.lanname = 'internal')
         ORDER BY p.proname COLLATE "C", pg_get_function_identity_arguments(p.oid) COLLATE "C"
        """

    private static let types: SQL = """
        SELECT 'push.' || t.typname, coalesce(obj_description(t.oid, 'pg_type'), ''),
               coalesce((SELECT string_agg('`' || e.enumlabel || '`', ', ' ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = t.oid),
                        (SELECT 'Range of ' || format_type(r.rngsubtype, NULL) || '.' FROM pg_range r WHERE r.rngtypid = t.oid))
          FROM pg_type t WHERE t.typnamespace = 'push'::regnamespace AND t.typtype IN ('e', 'r') ORDER BY t.typname COLLATE "C"
        """

    private static let roles: SQL = """
        SELECT r.rolname::text, coalesce(shobj_description(r.oid, 'pg_authid'), ''), NULL::text
          FROM pg_roles r WHERE r.rolname IN ('push_enqueue', 'push_register', 'push_campaign', 'push_approve', 'push_audience', 'push_worker',
                                                'push_monitor', 'push_operator', 'push_console') ORDER BY r.rolname COLLATE "C"
        """
}
