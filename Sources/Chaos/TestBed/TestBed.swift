import Foundation
import HubEmulator
import Postgres
import Store

/// What a run breaks: two servers, a hub that remembers everything, several workers, all private to it.
struct TestBed {
    let directory: String
    let cluster: Cluster
    let emulator: HubEmulator
    /// Seconds since 1970.
    let emulatorBegan: Double
    let fleet: WorkerFleet
    let settings: WorkerSettings
    let database: Database
    /// The same database, as an application that may only enqueue.
    let stranger: Database
    /// The same database, as an application that may only change devices.
    let registrar: Database
    /// The same database, as a login that is a member of this role of ours and of nothing else; nil: of none. To be closed.
    let locker: @Sendable (_ role: String?) -> Database
    /// Of the servers; nil: no fault is about clocks.
    let serverClock: FakeClock?
    private let janitor: CleanupShell

    static let leaseSeconds = Double(WorkerConfig.lease)
    /// Posts in flight at once to one hub, of each worker.
    static let window = WorkerConfig.window

    /// Opens one for as long as `body` needs it.
    ///
    /// - Parameters:
    ///   - worker: the path of the program `fanfare`.
    ///   - isGood: of what `body` found; where it is not, the directory is kept if the options ask for that.
    static func with<Report>(
        _ options: ChaosRun.Options, worker: String, isGood: (Report) -> Bool, _ body: (TestBed) async throws -> Report
    ) async throws -> Report {
        let testBed = try await open(options, worker: worker)
        do {
            let report = try await body(testBed)
            await testBed.close(keep: options.keep && !isGood(report))
            return report
        } catch {
            await testBed.close(keep: options.keep)
            throw error
        }
    }

    private static func open(_ options: ChaosRun.Options, worker: String) async throws -> TestBed {
        var template = Array("/tmp/fanfare-chaos-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ChaosError("cannot make a directory in /tmp") }
        let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        if geteuid() == 0 {
            guard let postgres = getpwnam("postgres"),
                chown(directory, postgres.pointee.pw_uid, postgres.pointee.pw_gid) == 0
            else { throw ChaosError("PostgreSQL does not run as root and there is no user postgres; run bin/setup") }
        }
        let isAboutClocks = options.kinds.contains(where: \.isAboutClocks)
        let library = isAboutClocks ? try await FakeClock.build(in: directory) : nil
        let serverClock = try library.map { try FakeClock(file: directory + "/clock-server", library: $0) }
        let workerClocks = try library.map { library in
            try (0..<options.workers).map { try FakeClock(file: directory + "/clock-worker-\($0)", library: library) }
        }
        let cluster = try Cluster(
            directory: directory, isSynchronous: !options.isAsynchronous, clock: serverClock)
        let janitor = try CleanupShell(directory: directory, ending: cluster.ending(), worker: worker)
        do {
            try await cluster.start(withStandby: options.kinds.contains(.failOver))
            let (emulator, began) = try await TestEmulator.start(in: directory)
            let database = try await migrated(cluster)
            let fleet = WorkerFleet(
                command: [
                    worker, "run", "--config", directory + "/config.json", "--log-format", "json", "--log-level",
                    "notice",
                ], directory: directory, places: options.workers, clocks: workerClocks ?? [])
            let settings = try WorkerSettings(
                TestEmulator.config(of: emulator, database: cluster.conninfo(database: "fanfare"), in: directory),
                at: directory + "/config.json", for: fleet)
            @Sendable func application(_ user: String) -> Database {
                Database(
                    DatabaseSettings(
                        url: cluster.conninfo(database: "fanfare", user: user), applicationName: user, prepare: .never,
                        maximumConnections: 4))
            }
            return TestBed(
                directory: directory, cluster: cluster, emulator: emulator, emulatorBegan: began, fleet: fleet,
                settings: settings, database: database, stranger: application("stranger"),
                registrar: application("registrar"), locker: { application(Self.login($0)) }, serverClock: serverClock,
                janitor: janitor)
        } catch {
            await janitor.finish()
            throw error
        }
    }

    private static func login(_ role: String?) -> String { "locker_\(role ?? "of_no_role")" }

    private static func migrated(_ cluster: Cluster) async throws -> Database {
        let first = Database(
            DatabaseSettings(url: cluster.conninfo(database: "postgres"), prepare: .never, maximumConnections: 1))
        try await first.execute("CREATE DATABASE fanfare")
        await first.close()
        let database = Database(
            DatabaseSettings(
                url: cluster.conninfo(database: "fanfare"), applicationName: "chaos", prepare: .never,
                maximumConnections: 6))
        _ = try await Schema(database: database).migrate(appVersion: "chaos")
        try await database.execute("CREATE ROLE stranger LOGIN IN ROLE push_enqueue")
        try await database.execute("CREATE ROLE registrar LOGIN IN ROLE push_register")
        for role in Locks.roles {
            try await database.script("CREATE ROLE \(login(role)) LOGIN \(role.map { "IN ROLE \($0)" } ?? "")")
        }
        return database
    }

    /// Workers write the hubs they serve into push.hub when they begin.
    func waitForHubs() async throws {
        for _ in 0..<600 {
            let count = try await database.query("SELECT count(*) FROM push.hub") { rows in
                try rows.first { row in try row.int64() } ?? 0
            }
            if count == TestHub.allCases.count { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw ChaosError("no worker began within a minute; see \(directory)/worker-0.log")
    }

    /// Ends everything. The directory goes too, unless it is kept for a look.
    private func close(keep: Bool) async {
        await stranger.close()
        await registrar.close()
        await database.close()
        await emulator.stop()
        if keep { _ = FileManager.default.createFile(atPath: directory + "/keep", contents: nil) }
        await janitor.finish()
    }
}
