import Foundation
import HubEmulator
import Logging
import Postgres
import Signing
import Store

/// What a run breaks: two servers, a hub that remembers everything, several workers, all private to it.
struct TestBed {
    let directory: String
    let cluster: Cluster
    let emulator: HubEmulator
    /// Seconds since 1970.
    let emulatorBegan: Double
    let fleet: WorkerFleet
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

    static let leaseSeconds = 5.0
    /// Posts in flight at once to one hub, of each worker.
    static let window = 32

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
            let began = Date().timeIntervalSince1970
            let emulator = try await emulator()
            let database = try await migrated(cluster)
            try config(cluster, emulator, localization: "properties").write(
                toFile: directory + "/config.json", atomically: true, encoding: .utf8)
            let fleet = WorkerFleet(
                command: [
                    worker, "run", "--config", directory + "/config.json", "--log-format", "json", "--log-level",
                    "notice",
                ], directory: directory, places: options.workers, clocks: workerClocks ?? [])
            @Sendable func application(_ user: String) -> Database {
                Database(
                    DatabaseSettings(
                        url: cluster.conninfo(database: "fanfare", user: user), applicationName: user, prepare: .never,
                        maximumConnections: 4))
            }
            return TestBed(
                directory: directory, cluster: cluster, emulator: emulator, emulatorBegan: began, fleet: fleet,
                database: database, stranger: application("stranger"), registrar: application("registrar"),
                locker: { application(Self.login($0)) }, serverClock: serverClock, janitor: janitor)
        } catch {
            await janitor.finish()
            throw error
        }
    }

    private static func login(_ role: String?) -> String { "locker_\(role ?? "of_no_role")" }

    private static func emulator() async throws -> HubEmulator {
        let policy = SASPolicy(
            name: "chaos", key: Secret("Zmlyc3Qga2V5"), secondaryKey: Secret("c2Vjb25kIGtleQ=="),
            rights: [.send, .listen])
        var settings = EmulatorSettings(hubs: [.init("news", policies: [policy]), .init("local", policies: [policy])])
        settings.keptEntries = 20_000_000
        settings.keptPushesPerInbox = 1
        settings.keptPushes = 1
        settings.keptHandles = 1
        var log = Logger(label: "chaos.emulator")
        log.logLevel = .critical
        let emulator = try HubEmulator(settings, logger: log)
        _ = try await emulator.start()
        return emulator
    }

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
            if count == 2 { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw ChaosError("no worker began within a minute; see \(directory)/worker-0.log")
    }

    /// Changes how the hub `news` is localised and lets all workers reload, as an operator does with a backlog.
    func localize(by localization: String) async throws {
        try Self.config(cluster, emulator, localization: localization).write(
            toFile: directory + "/config.json", atomically: true, encoding: .utf8)
        await fleet.reload()
    }

    private static func config(_ cluster: Cluster, _ emulator: HubEmulator, localization: String) -> String {
        func hub(_ name: String, _ localization: String) -> String {
            let first = emulator.connectionString(for: name)?.reveal() ?? ""
            let second = first.replacing("Zmlyc3Qga2V5", with: "c2Vjb25kIGtleQ==")
            return """
                "\(name)": {"hub": "\(name)", "connectionString": "\(first)", "secondaryConnectionString": "\(second)",
                    "localization": "\(localization)", "window": \(window),
                    "languages": {"en": "English", "fr": "French", "zh-Hans": "Mandarin"}, "fallback": "en"}
                """
        }
        return """
            {"database": {"url": "\(cluster.conninfo(database: "fanfare"))", "maximumConnections": 8},
             "hubs": {\(hub("news", localization)),
                      \(hub("local", "tags"))},
             "dispatch": {"leaseSeconds": \(Int(leaseSeconds)), "drainSeconds": 5}, "console": {"listen": "off"}}
            """
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
