import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store

@Suite(.serialized, .timeLimit(.minutes(10))) struct SchemaUpgradeTests {
    private static let everything = SchemaFile.all.map(\.path).sorted()

    /// `count` processes at once.
    private static func migrateAtOnce(_ count: Int, on test: TestDatabase) async throws -> [String] {
        try await withThrowingTaskGroup(of: [SchemaFile].self) { group in
            for n in 1...count {
                let database = test.another(maximumConnections: 1)
                group.addTask {
                    let run = try await Schema(database: database).migrate(appVersion: "\(n)")
                    await database.close()
                    return run
                }
            }
            return try await group.reduce(into: []) { $0 += $1.map(\.path) }.sorted()
        }
    }

    @Test func migratingAnEmptyDatabaseRunsEverythingOnce() async throws {
        let test = try await TestDatabase.make(migrated: false)
        let schema = Schema(database: test.database)
        #expect(try await schema.standing() == .absent)
        #expect(try await schema.pending() == SchemaFile.all)
        #expect(try await schema.verify() == ["this database has no schema push: run `fanfare migrate up`"])

        #expect(try await schema.migrate(appVersion: "1") == SchemaFile.all)
        #expect(try await schema.standing() == .current(Schema.release))
        #expect(try await schema.pending() == [])
        #expect(try await schema.verify() == [])

        let before = try await schema.applied()
        #expect(try await schema.migrate(appVersion: "2") == [])
        #expect(try await schema.applied() == before)
        #expect(before.allSatisfy { $0.appVersion == "1" && $0.sha256?.count == 64 })
        #expect(try await schema.releases().map(\.appVersion) == ["1"])
    }

    @Test func concurrentMigrationsRunEachFileOnce() async throws {
        for _ in 1...3 {
            let test = try await TestDatabase.make(migrated: false)
            #expect(try await Self.migrateAtOnce(4, on: test) == Self.everything)
            #expect(try await Schema(database: test.database).verify() == [])
            await test.database.close()
        }
    }

    @Test func migratingWorksWhateverTheDefaultIsolationIs() async throws {
        let test = try await TestDatabase.make(migrated: false)
        try await test.database.execute(
            "ALTER DATABASE \(raw: test.name) SET default_transaction_isolation = 'serializable'")
        #expect(try await Self.migrateAtOnce(3, on: test) == Self.everything)
    }

    /// Functions with a standard body keep what their names meant when they were made.
    @Test func aHostileSearchPathChangesNothing() async throws {
        let test = try await TestDatabase.make(migrated: false)
        try await test.database.script(
            """
            CREATE SCHEMA evil;
            CREATE FUNCTION evil.lower(text) RETURNS text LANGUAGE sql IMMUTABLE RETURN 'evil';
            CREATE FUNCTION evil.now() RETURNS timestamptz LANGUAGE sql IMMUTABLE RETURN NULL::timestamptz;
            ALTER DATABASE \(test.name) SET search_path = evil, pg_catalog;
            """)
        let fresh = test.another(maximumConnections: 1)
        _ = try await Schema(database: fresh).migrate(appVersion: "1")
        let byPsql = try await TestDatabase.make(migrated: false)
        try await byPsql.database.execute("ALTER DATABASE \(raw: byPsql.name) SET search_path = evil, pg_catalog")
        #expect(try await Psql(conninfo: byPsql.conninfo).install() == "")
        for database in [test, byPsql] {
            #expect(
                try await database.texts(
                    """
                    SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid
                      JOIN pg_proc e ON e.oid = d.refobjid WHERE e.pronamespace = to_regnamespace('evil')
                    """) == [])
        }
        await fresh.close()
    }

    /// What psql makes, what `fanfare migrate up` makes, and what is written down are one.
    @Test func psqlAndFanfareMakeTheSchemaThatIsWrittenDown() async throws {
        let byPsql = try await TestDatabase.make(migrated: false)
        #expect(try await Psql(conninfo: byPsql.conninfo).install() == "")
        let byFanfare = try await TestDatabase.make()
        #expect(try await byPsql.texts(Self.objects) == byFanfare.texts(Self.objects))

        let tables = try SchemaSource.text("../Tests/Vectors/schema_tables.sql")
        let written = try SchemaSource.text("../Tests/Vectors/schema_tables.txt")
        let lines = try await byFanfare.texts("SELECT l FROM (\(raw: tables)) t(l)")
        #expect(lines == written.split(separator: "\n").map(String.init), "bin/generate writes schema_tables.txt")

        // Again: nothing but the checksums changes, and fanfare takes the schema over.
        #expect(try await Psql(conninfo: byFanfare.conninfo).install() == "")
        #expect(try await byPsql.texts(Self.objects) == byFanfare.texts(Self.objects))
        let schema = Schema(database: byFanfare.database)
        #expect(try await schema.verify() == [])
        #expect(try await schema.migrate(appVersion: "1").map(\.path) == SchemaFile.all.dropFirst().map(\.path))
        #expect(try await byPsql.texts(Self.objects) == byFanfare.texts(Self.objects))
    }

    @Test func theFilesOfTheRepositoryAreCompiledIn() throws {
        let install = try SchemaSource.text("install.sql")
        let listed = install.split(separator: "\n").filter { $0.hasPrefix("\\ir ") }.map { String($0.dropFirst(4)) }
        #expect(SchemaFile.all.map(\.path) == listed)
        #expect(try SchemaSource.paths() == (listed + ["install.sql"]).sorted(), "every file has a line in install.sql")
        for file in SchemaFile.all { #expect(try SchemaSource.text(file.path) == file.sql, "\(file.path)") }
        #expect(try SchemaSource.text("release.sql").contains("VALUES (\(Schema.release), "))
    }

    @Test func aChangedFunctionIsReplacedAndNothingElse() async throws {
        let test = try await TestDatabase.make()
        var files = SchemaFile.all
        let index = try #require(files.firstIndex { $0.path == "functions/rules/words.sql" })
        files[index] = SchemaFile(
            files[index].path, sql: files[index].sql.replacing("'MS'", with: "'US'") + "-- changed\n")
        let schema = Schema(database: test.database, files: files)
        #expect(try await schema.pending().map(\.path) == ["functions/rules/words.sql", "roles.sql"])
        #expect(try await schema.verify().first?.contains("in functions/rules/words.sql, roles.sql: run") == true)
        #expect(try await schema.migrate(appVersion: "2").map(\.path) == ["functions/rules/words.sql", "roles.sql"])
        #expect(
            try await test.texts("SELECT path FROM push.schema_file WHERE app_version = '2' ORDER BY path")
                == ["functions/rules/words.sql", "roles.sql"])
        #expect(try await schema.migrate(appVersion: "3") == [])
    }

    /// A numbered file drops what cannot be replaced, and the view that needs it, whose own file has not changed.
    @Test func whatANumberedFileDropsIsMadeAgainByItsFiles() async throws {
        let test = try await TestDatabase.make()
        var files = SchemaFile.all
        files.insert(
            SchemaFile(
                "0002_drop.sql", sql: "DROP VIEW IF EXISTS push.lost_changes;"), at: 1)
        let schema = Schema(database: test.database, files: files)
        _ = try await schema.migrate(appVersion: "2")
        #expect(try await test.texts(Self.objects) == TestDatabase.make().texts(Self.objects))
        #expect(try await schema.migrate(appVersion: "3") == [])

        // The same beside a file that has changed and needs the view.
        files[1] = SchemaFile("0003_drop.sql", sql: files[1].sql)
        files.append(
            SchemaFile(
                "functions/tomorrow.sql",
                sql: """
                    CREATE OR REPLACE FUNCTION push.tomorrow() RETURNS bigint LANGUAGE sql STABLE
                    BEGIN ATOMIC SELECT count(*) FROM push.lost_changes; END;
                    """))
        let next = Schema(database: test.database, files: files)
        #expect(try await next.migrate(appVersion: "4").contains { $0.path == "views/devices.sql" })
        #expect(try await test.number("SELECT push.tomorrow()") == 0)
        #expect(try await next.migrate(appVersion: "5") == [])
    }

    @Test func whatPeopleMadeOnOursIsNamedAndKept() async throws {
        let test = try await TestDatabase.make()
        try await test.database.script(
            "CREATE SCHEMA reports; CREATE VIEW reports.mine AS SELECT hub FROM push.backlog")
        let files =
            [SchemaFile.all[0], SchemaFile("0002_drop.sql", sql: "\nDROP VIEW push.backlog;")]
            + SchemaFile.all.dropFirst()
        let before = try await test.texts(Self.objects)
        let error = await #expect(throws: DatabaseError.self) {
            try await Schema(database: test.database, files: files).migrate(appVersion: "2")
        }
        let told = "\(try #require(error))"
        #expect(told.contains("cannot run migrations/0002_drop.sql: 2BP01") && told.contains("line 2"), "\(told)")
        #expect(told.contains("view reports.mine depends on view push.backlog"), "\(told)")
        #expect(!told.contains("CASCADE") && told.contains("nothing was changed"), "\(told)")
        #expect(try await test.texts(Self.objects) == before)
    }

    @Test(arguments: [
        ("CREATE OR REPLACE FUNCTION push.iso(at timestamptz) RETURNS int LANGUAGE sql RETURN 1;", "42P13"),
        ("SELECT nonsense;", "42703"),
    ])
    func aFileThatFailsHalfWayChangesNothingAndIsNamedWithItsLine(_ statement: String, _ code: String) async throws {
        let test = try await TestDatabase.make()
        let before = try await test.texts(Self.objects)
        let broken = SchemaFile(
            "functions/tomorrow.sql",
            sql: """
                -- Tomorrow; not today.
                CREATE FUNCTION push.tomorrow() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; END;
                DO $$ BEGIN PERFORM 1; END $$; SELECT ';';

                \(statement)
                """)
        let error = await #expect(throws: DatabaseError.self) {
            try await Schema(database: test.database, files: SchemaFile.all + [broken]).migrate(appVersion: "2")
        }
        #expect(error?.doing == "run migrations/functions/tomorrow.sql")
        #expect(error?.sqlState == code && error?.line == 5, "\(error.map { "\($0)" } ?? "")")
        #expect(try await test.texts(Self.objects) == before)
    }

    @Test func aSchemaThatIsNotOursIsLeftAlone() async throws {
        let test = try await TestDatabase.make(migrated: false)
        try await test.database.script("CREATE SCHEMA push; CREATE TABLE push.due ()")
        let error = await #expect(throws: DatabaseError.self) {
            try await Schema(database: test.database).migrate(appVersion: "1")
        }
        #expect(error?.doing == "run migrations/0001_initial.sql")
        #expect(try await Schema(database: test.database).standing() == .absent)
    }

    /// The schema of the builds before the first release, of which the last had version 71.
    @Test func aSchemaFromBeforeTheFirstReleaseIsRefusedWithWhatToDo() async throws {
        let test = try await TestDatabase.make(migrated: false)
        try await test.database.script(
            """
            CREATE SCHEMA push; CREATE TABLE push.migration (version int); INSERT INTO push.migration VALUES (71);
            CREATE FUNCTION push.schema() RETURNS TABLE (version int) LANGUAGE sql BEGIN ATOMIC SELECT 71; END;
            """)
        let schema = Schema(database: test.database)
        #expect(await #expect(throws: SchemaError.self) { try await schema.migrate(appVersion: "1") } == .unreleased)
        #expect(await #expect(throws: SchemaError.self) { try await schema.require() } == .unreleased)
        #expect(try await schema.verify().first?.contains("DROP SCHEMA push CASCADE") == true)
        #expect(try await Psql(conninfo: test.conninfo).install().contains("schema \"push\" already exists"))
        #expect(try await test.number("SELECT version FROM push.migration") == 71)
    }

    /// Only psql can run older files: fanfare leaves a newer schema alone.
    @Test func olderFilesDoNotReplaceFunctionsOfANewerRelease() async throws {
        let test = try await TestDatabase.make()
        try await test.database.execute(
            "INSERT INTO push.release (release, works_from) VALUES (\(Schema.release + 1), \(Schema.release))")
        let before = try await test.texts("SELECT path || coalesce(sha256, '') FROM push.schema_file ORDER BY 1")
        let told = try await Psql(conninfo: test.conninfo).install()
        #expect(told.contains("the schema is of release \(Schema.release + 1), newer than these files"), "\(told)")
        #expect(try await test.texts("SELECT path || coalesce(sha256, '') FROM push.schema_file ORDER BY 1") == before)
    }

    @Test func aFileThatIsGoneIsForgotten() async throws {
        let test = try await TestDatabase.make()
        try await test.database.execute("INSERT INTO push.schema_file (path) VALUES ('functions/yesterday.sql')")
        try await test.database.execute("UPDATE push.schema_file SET sha256 = '' WHERE path = 'release.sql'")
        _ = try await Schema(database: test.database).migrate(appVersion: "2")
        #expect(try await test.number("SELECT count(*) FROM push.schema_file WHERE path ~ 'yesterday'") == 0)
    }

    @Test func verifyReportsATableFileOfAnotherText() async throws {
        let test = try await TestDatabase.make()
        try await test.database.execute(
            "UPDATE push.schema_file SET sha256 = repeat('0', 64) WHERE path = '0001_initial.sql'")
        #expect(
            try await Schema(database: test.database).verify()
                == ["0001_initial.sql was run from another text than this build has."])
    }

    /// Two see an empty database; the second finds the schema that the first made.
    @Test func aPersonsGrantsOnViewsOutliveAReplacement() async throws {
        let test = try await TestDatabase.make()
        try await test.database.script(
            "CREATE ROLE \(test.name)_reader; GRANT SELECT ON push.backlog TO \(test.name)_reader")
        try await test.database.execute("UPDATE push.schema_file SET sha256 = '' WHERE path LIKE 'views/%'")
        _ = try await Schema(database: test.database).migrate(appVersion: "2")
        #expect(
            try await test.number(
                "SELECT count(*) FROM pg_roles r WHERE r.rolname = \(test.name + "_reader") AND has_table_privilege(r.oid, 'push.backlog', 'SELECT')"
            ) == 1)
    }

    /// All objects of the schema, with their definitions, comments and rights.
    private static let objects: SQL = """
        SELECT 'relation ' || c.oid::regclass || ' ' || c.relkind::text || ' ' || coalesce(c.reloptions::text, '') || ' '
               || coalesce((SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM unnest(c.relacl) a), '')
          FROM pg_class c WHERE c.relnamespace::regnamespace::text LIKE 'push%'
        UNION ALL SELECT 'column ' || a.attrelid::regclass || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
          FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
         WHERE c.relnamespace::regnamespace::text LIKE 'push%' AND a.attnum > 0
        UNION ALL SELECT 'function ' || pg_get_functiondef(p.oid) || ' ' || p.proowner::regrole || ' '
               || coalesce((SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM unnest(p.proacl) a), '')
          FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
         WHERE p.pronamespace::regnamespace::text LIKE 'push%' AND l.lanname <> 'internal'
        UNION ALL SELECT 'view ' || pg_get_viewdef(c.oid) FROM pg_class c
         WHERE c.relnamespace::regnamespace::text LIKE 'push%' AND c.relkind = 'v'
        UNION ALL SELECT 'constraint ' || pg_get_constraintdef(k.oid) FROM pg_constraint k
         WHERE k.connamespace::regnamespace::text LIKE 'push%'
        UNION ALL SELECT 'trigger ' || pg_get_triggerdef(t.oid) FROM pg_trigger t WHERE NOT t.tgisinternal
        UNION ALL SELECT 'comment ' || i.type || ' ' || i.identity || ' ' || d.description
          FROM pg_description d, pg_identify_object(d.classoid, d.objoid, d.objsubid) i WHERE i.schema LIKE 'push%' OR i.identity LIKE 'push%'
        ORDER BY 1
        """
}
