import ArgumentParser
import Daemon
import Logging
import Postgres
import Store
import Telemetry

/// What every command takes: where the settings are, and what overrides them.
struct CommandOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Settings file. Default: config.json, then /etc/fanfare/config.json.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var config: String?

    @Option(help: ArgumentHelp("Least severe log line that is written.", valueName: "level"))
    var logLevel: Logger.Level?

    @Option(help: ArgumentHelp("Form of log lines on standard error.", valueName: "format"))
    var logFormat: LogFormat?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Override one setting, such as dispatch.batch=500. Repeatable. Others see it in ps: no secrets.",
            valueName: "key=value"))
    var overrides: [KeyValue] = []

    /// All options that are settings, by dotted key.
    private var settingsGiven: [String: String] {
        var given = Dictionary(overrides.map { ($0.key, $0.value) }) { $1 }
        if let logLevel { given["log.level"] = logLevel.rawValue }
        if let logFormat { given["log.format"] = logFormat.rawValue }
        return given
    }

    /// Reads the settings and starts the log, where warnings about them go.
    ///
    /// - Throws: `SettingsError`.
    func settings(_ scope: Settings.Scope = .everything) throws -> Settings {
        try settingsAndThreshold(scope).settings
    }

    /// As `settings`, with where the log's level can be changed later.
    func settingsAndThreshold(_ scope: Settings.Scope = .everything) throws -> (settings: Settings, LogThreshold) {
        let settings = try loadSettings(scope)
        let threshold = bootstrapLogging(level: settings.log.level, format: settings.log.format)
        let log = Logger(label: "fanfare.settings")
        for warning in settings.warnings { log.warning("\(warning)") }
        return (settings, threshold)
    }

    /// Reads the settings and nothing else.
    func loadSettings(_ scope: Settings.Scope = .everything) throws(SettingsError) -> Settings {
        try Settings.load(file: config, overrides: settingsGiven, scope: scope)
    }

    /// Lends the database of the settings, if its schema is the one this build was made for.
    ///
    /// - Throws: `Failure` for everything that goes wrong with settings, database or schema; whatever else `body` throws.
    func withDatabase(_ body: (Database) async throws -> Void) async throws {
        let settings = try settings(.database)
        try await withDatabase(of: settings) { database in
            do {
                try await Schema(database: database).require()
            } catch let error as DatabaseError where error.sqlState == "42501" {
                // A role that may only enqueue cannot read the version; its own statement will tell.
            }
            try await body(database)
        }
    }

    /// Lends the database whatever is in it.
    func withDatabase(of settings: Settings, _ body: (Database) async throws -> Void) async throws {
        let database = settings.makeDatabase(log: Logger(label: "fanfare.database"))
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(database))
        } catch {
            let source = settings.describe().first { $0.key == "database.url" }?.source
            outcome = .failure(Failure(of: error, databaseFrom: source.map(Self.words)) ?? error)
        }
        await database.close()
        try outcome.get()
    }

    private static func words(_ source: String) -> String {
        source == "default" ? "nowhere, so libpq decides (PGHOST, PGDATABASE, …)" : source
    }
}

/// `key=value`, split at the first `=`.
struct KeyValue: ExpressibleByArgument {
    let key: String
    let value: String

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else { return nil }
        key = String(argument[..<equals])
        value = String(argument[argument.index(after: equals)...])
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
extension LogFormat: ExpressibleByArgument {}
