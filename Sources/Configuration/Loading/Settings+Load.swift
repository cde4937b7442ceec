import Foundation

extension Settings {
    /// How unknown keys are treated.
    public enum UnknownKeys: Sendable {
        /// They are listed in `warnings`.
        case warn
        /// They are errors, as for `config check`.
        case refuse
    }

    /// Which settings have to be valid.
    public enum Scope: Sendable {
        case everything
        /// For a worker, and for `config check`: everything, and at least one hub.
        case work
        /// For commands that talk only to the database, perhaps on a machine without the hubs' keys: problems of hubs
        /// and of `transport.caFile`, a missing `console.metricsToken` and missing passwords of people are ignored, and no file
        /// is needed when the environment or an option names the database.
        case database
        /// For the pages of the console without a worker: problems of hubs, of `transport.caFile` and of `console.metricsToken`
        /// are ignored, and the pages need an address. No file is needed when the environment or an option names the database.
        case pages
        /// For commands that register the hubs in the database, on a machine without their keys: a `connectionString` that
        /// is not set is no problem, nor is a `transport.caFile` that is not there, no `console.metricsToken`, or nobody with a
        /// password.
        case registration
    }

    /// Where to look for the file when `--config` is not given.
    public static let usualFiles = ["config.json", "/etc/fanfare/config.json"]

    /// Reads all sources and checks everything.
    ///
    /// - Parameters:
    ///   - file: path of the settings file; nil: the first of `usualFiles` that exists. One of them must, unless the
    ///     environment or an option names a hub.
    ///   - environment: `FANFARE_…`, `DATABASE_URL` and `CREDENTIALS_DIRECTORY` are used. An empty variable counts as
    ///     unset.
    ///   - overrides: options of the command line, by dotted key: `"dispatch.batch": "500"`.
    /// - Throws: `SettingsError` with every problem.
    public static func load(
        file: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment,
        overrides: [String: String] = [:], unknownKeys: UnknownKeys = .warn, scope: Scope = .everything
    ) throws(SettingsError) -> Settings {
        try load(
            file: file, environment: environment, overrides: overrides, unknownKeys: unknownKeys,
            scope: scope, usualFiles: usualFiles, secrets: "/run/secrets")
    }

    static func load(
        file: String?, environment: [String: String], overrides: [String: String], unknownKeys: UnknownKeys,
        scope: Scope = .everything, usualFiles: [String], secrets: String
    ) throws(SettingsError) -> Settings {
        var loader = SettingsLoader()
        do throws(SettingsProblem) {
            let path: String?
            if let file {
                path = file
            } else if namesHubs(environment, overrides)
                || (scope == .database || scope == .pages) && namesDatabase(environment, overrides)
            {
                path = present(usualFiles)
            } else {
                path = try usual(usualFiles)
            }
            try loader.load(
                path: path, environment: environment.filter { !$0.value.isEmpty }, overrides: overrides,
                secrets: secrets)
        } catch {
            throw SettingsError(problems: [error], warnings: [])
        }
        return try loader.finished(unknownKeys, scope)
    }

    /// Whether an option or a variable names the database, for us or for libpq.
    private static func namesDatabase(_ environment: [String: String], _ overrides: [String: String]) -> Bool {
        overrides["database.url"] != nil
            || ["FANFARE_DATABASE_URL", "DATABASE_URL", "PGSERVICE", "PGDATABASE"].contains { name in
                environment[name].map { !$0.isEmpty } ?? false
            }
    }

    /// Whether an option or a variable is about a hub.
    private static func namesHubs(_ environment: [String: String], _ overrides: [String: String]) -> Bool {
        overrides.keys.contains { $0.hasPrefix("hubs.") }
            || environment.contains { $0.key.hasPrefix(EnvironmentHubs.prefix) && !$0.value.isEmpty }
    }

    private static func present(_ paths: [String]) -> String? {
        paths.first { FileManager.default.fileExists(atPath: $0) }
    }

    private static func usual(_ paths: [String]) throws(SettingsProblem) -> String {
        if let path = present(paths) { return path }
        throw SettingsProblem(
            key: paths.first ?? "", found: "does not exist" + paths.dropFirst().map { ", nor does \($0)" }.joined(),
            rule: "a settings file is needed", remedy: "Create one, or name it with --config")
    }
}
