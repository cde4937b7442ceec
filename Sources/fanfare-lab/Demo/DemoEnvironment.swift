import Configuration
import CommandLineTool
import Daemon
import PushWorker
import HubEmulator
import Logging
import Postgres
import PostgresServer
import PushModel
import Signing
import Store

/// What a demo runs on: a private PostgreSQL with the schema, a hub with its phones, and a worker between them.
struct DemoEnvironment: Sendable {
    let server: TemporaryServer
    let emulator: HubEmulator
    let database: Database
    let worker: EmbeddedWorker

    private static let databaseName = "fanfare"

    /// Builds everything up and starts the worker. The caller stops the server.
    static func open(on server: TemporaryServer) async throws -> DemoEnvironment {
        var log = Logger(label: "fanfare.emulator")
        log.logLevel = .critical  // what it has to say is asked for: the demo claims that there were no warnings
        var settings = EmulatorSettings(hubs: [.init("breaking-news")])
        settings.keptEntries = 100_000
        settings.keptBodies = .last(1_000)
        let emulator = try HubEmulator(settings, logger: log)
        _ = try await emulator.start()
        for phone in DemoPhone.all { try emulator.register(phone.installation, at: "breaking-news") }

        try await server.createDatabase(databaseName)
        let url = server.conninfo(database: databaseName)
        let database = Database(DatabaseSettings(url: url, applicationName: "fanfare-lab demo"))
        _ = try await Schema(database: database).migrate(appVersion: fanfareVersion)
        let worker = try await EmbeddedWorker.start(
            self.settings(url: url, connectionString: emulator.connectionString(for: "breaking-news")),
            log: Logger(label: "fanfare.worker"))
        return DemoEnvironment(server: server, emulator: emulator, database: database, worker: worker)
    }

    /// Those of the config.json that comes with Fanfare, in short.
    private static func settings(url: String, connectionString: Secret?) -> Settings {
        var hub = HubSettings(name: "news", hub: "breaking-news")
        hub.languages = Dictionary(uniqueKeysWithValues: DemoLanguage.allCases.map { ($0.rawValue, $0.word) })
        hub.fallback = DemoLanguage.fallback.rawValue
        var settings = Settings()
        settings.database.url = Secret(url)
        settings.dispatch.drainSeconds = 5
        settings.hubs["news"] = HubConfiguration(settings: hub, connectionString: connectionString)
        return settings
    }

    /// Lets the worker finish, then ends everything but the server.
    func close() async throws -> Dispatcher.Summary {
        let summary = try await worker.stop()
        await emulator.stop()
        await database.close()
        return summary
    }

    /// How people connect: as root, or as the user who started the demo.
    var psql: String { "psql \"host=\(server.directory) port=5432 dbname=\(Self.databaseName) user=postgres\"" }

    /// Where everything a phone showed can be read.
    func inbox(of phone: String) -> String {
        "curl -s http://127.0.0.1:\(emulator.port ?? 0)/_emulator/devices/\(phone)/inbox"
    }

    /// Returns when nothing is due, on its way or unrecorded.
    ///
    /// - Throws: `Failure` when nothing has happened for a minute.
    func drained() async throws {
        var last = await worker.progress.done.messages
        var since = ContinuousClock.now
        while true {
            if try await worker.progress.idleState(in: database, hubs: ["news"], within: 3_600) == .done { return }
            let done = await worker.progress.done.messages
            if done != last { (last, since) = (done, .now) }
            if ContinuousClock.now - since > .seconds(60) {
                throw Failure(
                    "the demo stands still",
                    because: "messages are due and nothing has happened for a minute",
                    status: .internalFault)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
