import Postgres
import Store
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2))) struct MigrationTests {
    @Test func migratingAnEmptyDatabaseRunsEverythingOnce() async throws {
        let test = try await TestDatabase.make(migrated: false)
        let schema = Schema(database: test.database)
        #expect(try await schema.standing() == .absent)
        #expect(try await schema.verify() == ["There is no schema push: run fanfare migrate up."])

        #expect(try await schema.migrate(appVersion: "1").map(\.version) == Migration.all.map(\.version))
        #expect(try await schema.standing() == .current(Int32(Migration.all.count)))
        #expect(try await schema.verify() == [])

        let before = try await schema.applied()
        #expect(try await schema.migrate(appVersion: "2") == [])
        #expect(try await schema.applied() == before)
        #expect(before.allSatisfy { $0.appVersion == "1" && $0.sha256?.count == 64 })
    }

    @Test func concurrentMigrationsRunEachFileOnce() async throws {
        let test = try await TestDatabase.make(migrated: false)
        let run = try await withThrowingTaskGroup(of: [Migration].self) { group in
            for n in 1...4 {
                let database = test.another(maximumConnections: 1)
                group.addTask {
                    let run = try await Schema(database: database).migrate(appVersion: "\(n)")
                    await database.close()
                    return run
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(run.map(\.version).sorted() == Migration.all.map(\.version))
        #expect(try await Schema(database: test.database).verify() == [])
    }

    /// The first moments of an empty database, where there is nothing yet that could be locked.
    @Test func twoThatBeginWithAnEmptyDatabaseBothSucceed() async throws {
        for _ in 1...5 {
            let test = try await TestDatabase.make(migrated: false)
            let first = test.another(maximumConnections: 1)
            let second = test.another(maximumConnections: 1)
            async let ofFirst = Schema(database: first).migrate(appVersion: "1")
            async let ofSecond = Schema(database: second).migrate(appVersion: "2")
            let run = try await ofFirst + ofSecond
            #expect(run.map(\.version).sorted() == Migration.all.map(\.version))
            await first.close()
            await second.close()
        }
    }

    @Test func migratingWorksWhateverTheDefaultIsolationIs() async throws {
        let test = try await TestDatabase.make(migrated: false)
        try await test.database.execute(
            "ALTER DATABASE \(raw: test.name) SET default_transaction_isolation = 'serializable'")
        let run = try await withThrowingTaskGroup(of: [Migration].self) { group in
            for n in 1...3 {
                let database = test.another(maximumConnections: 1)
                group.addTask {
                    let run = try await Schema(database: database).migrate(appVersion: "\(n)")
                    await database.close()
                    return run
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(run.map(\.version).sorted() == Migration.all.map(\.version))
    }

    @Test func everyFileRunsUnderPsqlAndGivesTheSameSchema() async throws {
        let byPsql = try await TestDatabase.make(migrated: false)
        for migration in Migration.all {
            #expect(try await Psql(conninfo: byPsql.conninfo).run(migration) == "")
        }
        let byFanfare = try await TestDatabase.make()
        #expect(try await Schema(database: byPsql.database).verify() == [])
        #expect(try await byPsql.texts(Self.objects) == byFanfare.texts(Self.objects))
    }

    @Test func aHalfMigratedSchemaContinues() async throws {
        let test = try await TestDatabase.make(migrated: false)
        for migration in Migration.all.prefix(2) {
            #expect(try await Psql(conninfo: test.conninfo).run(migration) == "")
        }
        let schema = Schema(database: test.database)
        #expect(try await schema.standing() == .older(has: 2, needs: Int32(Migration.all.count)))
        #expect(try await schema.verify().first?.contains("run fanfare migrate up") == true)

        #expect(try await schema.migrate(appVersion: "1").map(\.version) == Migration.all.dropFirst(2).map(\.version))
        #expect(try await schema.verify() == [])
        #expect(try await schema.applied().map { $0.sha256 == nil } == Migration.all.map { $0.version <= 2 })
    }

    @Test func verifyReportsAnAlteredMigration() async throws {
        let test = try await TestDatabase.make()
        try await test.database.execute("UPDATE push.migration SET sha256 = repeat('0', 64) WHERE version = 2")
        #expect(
            try await Schema(database: test.database).verify()
                == ["Migration 0002_hubs.sql was run from another text than this build has."])
    }

    @Test func aFailedMigrationLeavesNothingAndNamesTheFile() async throws {
        let test = try await TestDatabase.make(migrated: false)
        try await test.database.script("CREATE SCHEMA push; CREATE TABLE push.due ()")
        let error = await #expect(throws: DatabaseError.self) {
            try await Schema(database: test.database).migrate(appVersion: "1")
        }
        #expect(error?.doing == "run migration 0001_schema.sql")
        #expect(try await Schema(database: test.database).standing() == .absent)
    }

    /// All objects of the schema, with their definitions.
    private static let objects: SQL = """
        SELECT 'relation ' || c.oid::regclass || ' ' || c.relkind::text || ' ' || coalesce(c.reloptions::text, '')
          FROM pg_class c WHERE c.relnamespace = 'push'::regnamespace
        UNION ALL SELECT 'column ' || a.attrelid::regclass || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
          FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
         WHERE c.relnamespace = 'push'::regnamespace AND a.attnum > 0
        UNION ALL SELECT 'function ' || pg_get_functiondef(p.oid) FROM pg_proc p
         WHERE p.pronamespace = 'push'::regnamespace
        UNION ALL SELECT 'constraint ' || pg_get_constraintdef(k.oid) FROM pg_constraint k
         WHERE k.connamespace = 'push'::regnamespace
        UNION ALL SELECT 'trigger ' || pg_get_triggerdef(t.oid) FROM pg_trigger t WHERE NOT t.tgisinternal
        ORDER BY 1
        """
}
