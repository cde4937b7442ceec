import ProgramSupport
import Foundation
import Testing

@Suite struct FailureTests {
    @Test func aDatabaseThatIsNotThereIsNamedWithTheCommandThatMakesIt() async throws {
        let site = try await Site.make(migrated: nil)
        for command in [["status"], ["migrate", "up"], ["migrate", "status"], ["message", "list"]] {
            let ended = try await site.fanfare.run(command)
            #expect(ended.status == 69)
            #expect(ended.errors.contains("hint: database.url comes from: "))
            #expect(ended.errors.contains("createdb test_"), "\(ended.errors)")
        }
    }

    @Test func aServerThatIsNotThereIsOutOfReach() async throws {
        let site = try Site(url: "host=/nowhere dbname=x password=\(BuiltProgram.secrets[1])")
        let ended = try await site.fanfare("status")
        #expect(ended.status == 69)
        #expect(ended.errors.split(separator: "\n").count == 2)
        #expect(ended.errors.hasPrefix("fanfare: cannot connect to the database: "))
        #expect(ended.errors.hasSuffix("Is PostgreSQL running there?\n"))
    }

    @Test func anAddressThatIsNoneIsAConfigurationFault() async throws {
        let site = try Site(url: "nonsense \(BuiltProgram.secrets[1])")
        #expect(try await site.fanfare("status").status == 78)
    }

    /// Waiting does not help, and a running server does not either.
    @Test(arguments: [
        ("host=/nowhere sslmode=bogus", "Correct sslmode in the connection string, its service, or PGSSLMODE."),
        ("host=/nowhere port=99999", "Correct port in the connection string, its service, or PGPORT."),
    ]) func aWrongOptionIsAConfigurationFaultThatNamesIt(url: String, hint: String) async throws {
        for command in [["status"], ["run"], ["migrate", "status"]] {
            let ended = try await Site(url: url).fanfare.run(command)
            #expect(ended.status == 78, "\(ended.errors)")
            #expect(ended.errors.contains(hint), "\(ended.errors)")
        }
    }

    @Test func aDatabaseWithoutTheSchemaIsToldToMigrate() async throws {
        let ended = try await Site.make(migrated: false).fanfare("status")
        #expect(ended.status == 78)
        #expect(ended.errors.contains("run `fanfare migrate up`"))
    }

    @Test func aRoleWithoutRightsHasNoPermission() async throws {
        let site = try await Site.make()
        let role = "r_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        try await site.execute("CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA push TO \(role)")
        let url = site.url + " user=\(role)"
        for command in [["status"], ["message", "list"], ["hub", "pause", "news"], ["doubt", "list"]] {
            let ended = try await site.fanfare.run(command + ["--set", "database.url=\(url)"])
            #expect(ended.status == 77)
            #expect(ended.errors.contains("42501"))
            #expect(ended.errors.contains("GRANT push_"), "\(command): \(ended.errors)")
        }
        let message = ["enqueue", "--hub", "news", "--tag", "A", "--property", "a=1", "--set", "database.url=\(url)"]
        #expect(try await site.fanfare.run(message).status == 77)
        try await site.execute("GRANT push_enqueue TO \(role)")
        for output in ["1 inserted\n", "1 duplicate\n"] {
            let ended = try await site.fanfare.run(message + ["--dedupe-key", "once"])
            #expect(ended.status == 0, "a role that may only enqueue: \(ended.errors)")
            #expect(ended.output == output)
        }
    }

    @Test func anUnknownRoleHasNoPermission() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("status", "--set", "database.url=\(site.url) user=nobody_at_all")
        #expect(ended.status == 77)
        #expect(ended.errors.contains("pg_hba.conf"))
    }

    @Test func wrongSettingsExit78WithEveryProblem() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("status", "--set", "dispatch.batch=5000", "--set", "log.levle=info")
        #expect(ended.status == 78)
        #expect(ended.errors.contains("fanfare: dispatch.batch: is 5000 (command line): "))
        #expect(ended.errors.contains("hint: Did you mean \"log.level\".\n"))
        #expect(try await BuiltProgram(settings: "/nowhere.json")("migrate", "up").status == 78)
        #expect(try await BuiltProgram(settings: nil)("status").status == 78)
    }

    @Test func whoNeedsOnlyTheDatabaseNeedsNoKeys() async throws {
        let site = try await Site.make()
        var bare = BuiltProgram(settings: nil)
        bare.environment = ["DATABASE_URL": site.url]
        #expect(try await bare("status").status == 0)
        let keyless = BuiltProgram(
            settings: try site.scratch.write(
                Site.settings(url: site.url).replacing(Site.connection, with: "Endpoint=none"), to: "keyless.json"))
        #expect(try await keyless("status").status == 0)
        #expect(try await keyless("sas", "news").status == 78)
        #expect(try await keyless("migrate", "up").status == 78)
    }

    @Test func aReaderThatWentAwayIsNoFault() async throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let scratch = try ScratchDirectory()
        let status = try await BuiltProgram(settings: nil).end(
            ["migrate", "print"], output: pipe.fileHandleForWriting, errors: try scratch.open("errors"))
        #expect(status == 0)
        #expect(try scratch.read("errors").isEmpty)
    }

    @Test func anOutputThatCannotBeWrittenIsTold() async throws {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let scratch = try ScratchDirectory()
        let status = try await BuiltProgram(settings: nil).end(
            ["migrate", "print"], output: full, errors: try scratch.open("errors"))
        #expect(status == 74)
        #expect(try scratch.read("errors") == "fanfare: cannot write the output: No space left on device\n")
    }
}
