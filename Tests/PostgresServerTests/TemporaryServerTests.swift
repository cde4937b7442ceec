import Foundation
import Testing

@testable import Postgres
@testable import PostgresServer

@Suite struct TemporaryServerTests {
    @Test func aDatabaseHasWhateverNameAndIsMadeOnce() async throws {
        let name = "it's \"a\" \\name"
        let server = try await TemporaryServer.start()
        try await server.createDatabase(name)
        let database = Database(DatabaseSettings(url: server.conninfo(database: name)))
        let connected = try await database.query("SELECT current_database()::text") {
            try $0.single { try $0.string() }
        }
        #expect(connected == name)
        await database.close()
        let error = await #expect(throws: DatabaseError.self) { try await server.createDatabase(name) }
        #expect(error?.sqlState == "42P04")
    }

    @Test func aStoppedServerLeavesNothing() async throws {
        var options = TemporaryServer.Options()
        options.settings = ["max_connections": "7"]
        let server = try await TemporaryServer.start(options)
        let database = Database(DatabaseSettings(url: server.conninfo()))
        #expect(try await database.query("SHOW max_connections") { try $0.single { try $0.string() } } == "7")
        #expect(try await database.query("SHOW fsync") { try $0.single { try $0.string() } } == "off")
        #expect(try await database.query("SHOW listen_addresses") { try $0.single { try $0.string() } } == "")
        await server.stop()  // with a session open
        #expect(!FileManager.default.fileExists(atPath: server.directory))
        let error = await #expect(throws: DatabaseError.self) { try await database.execute("SELECT 1") }
        #expect(error?.isTransient == true)
        await server.stop()  // again: nothing happens
        await database.close()
    }

    @Test func aServerThatCannotStartSaysWhyAndLeavesNothing() async throws {
        var options = TemporaryServer.Options()
        options.settings = ["no_such_setting": "1"]
        options.base = NSTemporaryDirectory() + "f\(UInt16.random(in: 0...9999))"
        try FileManager.default.createDirectory(atPath: options.base, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: options.base) }
        try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: options.base)
        let refused = options
        let error = await #expect(throws: TemporaryServerError.self) { try await TemporaryServer.start(refused) }
        #expect(error?.message.contains("unrecognized configuration parameter \"no_such_setting\"") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: options.base) == [])
    }

    @Test func aPathTooLongForASocketIsRefused() async throws {
        var options = TemporaryServer.Options()
        options.base = "/tmp/" + String(repeating: "x", count: 90)
        let refused = options
        let error = await #expect(throws: TemporaryServerError.self) { try await TemporaryServer.start(refused) }
        #expect(error?.message.contains("107") == true)
    }

    @Test func noVariableOfTheEnvironmentReachesIt() async {
        await #expect(processExitsWith: .success) {
            for (name, value) in [
                ("PGHOST", "prod.invalid"), ("PGHOSTADDR", "192.0.2.1"), ("PGPORT", "1"), ("PGUSER", "prod"),
                ("PGDATABASE", "prod"), ("PGPASSWORD", "hunter2"), ("PGOPTIONS", "-c no_such_setting=1"),
                ("PGDATA", "/prod"), ("PGSSLMODE", "verify-full"), ("PGTARGETSESSIONATTRS", "standby"),
                ("PGCLIENTENCODING", "LATIN1"),
            ] { setenv(name, value, 1) }
            let server = try await TemporaryServer.start()
            let database = Database(DatabaseSettings(url: server.conninfo()))
            let seen = try await database.query("SELECT current_user || ' ' || current_database(), 'ü東'") { rows in
                try rows.single { row in (try row.string(), try row.string()) }
            }
            #expect(seen == ("postgres postgres", "ü東"))
            await database.close()
            await server.stop()
        }
    }

    @Test(.timeLimit(.minutes(10))) func itDiesWithAKilledParentAndItsDirectoryIsSweptAway() async throws {
        let result = try #require(
            await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
                let server = try await TemporaryServer.start()
                print("at \(server.directory) .")
                fflush(nil)
                kill(getpid(), SIGKILL)
                await server.stop()
            })
        let directory = try #require(Self.directory(in: result))
        // A server removes this file last. The directory may be gone already: each server that starts meanwhile, in
        // this process or another, sweeps too.
        while FileManager.default.fileExists(atPath: directory + "/data/postmaster.pid") { await Task.yield() }
        // Another process may be sweeping it now and hold its lock: then the next try finds it gone.
        while FileManager.default.fileExists(atPath: directory) { try DataDirectory(under: "/tmp").remove() }
    }

    @Test func itEndsWithAProcessThatDoesNotStopIt() async throws {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let server = try await TemporaryServer.start()
                print("at \(server.directory) .")
                exit(withExtendedLifetime(server) { 0 })
            })
        let directory = try #require(Self.directory(in: result))
        #expect(!FileManager.default.fileExists(atPath: directory))
    }

    @Test func aServerInUseIsNotSweptAway() async throws {
        let server = try await TemporaryServer.start()
        try DataDirectory(under: "/tmp").remove()
        #expect(FileManager.default.fileExists(atPath: server.directory + "/owner"))
    }

    private static func directory(in result: ExitTest.Result) -> String? {
        String(decoding: result.standardOutputContent, as: UTF8.self).split(separator: " ")
            .first { $0.hasPrefix("/tmp/fanfare-pg-") }.map(String.init)
    }
}
