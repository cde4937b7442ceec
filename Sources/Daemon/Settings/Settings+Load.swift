import Configuration
import Foundation

extension Settings {
    /// What becomes of keys nobody knows.
    public enum UnknownKeys: Sendable {
        /// They are named in `warnings`.
        case warn
        /// They are errors, as `config check` wants it.
        case refuse
    }

    /// Whose settings have to be right.
    public enum Scope: Sendable {
        case everything
        /// For those who only talk to the database, perhaps on a machine without the hubs' keys: what is wrong with a
        /// hub is none of their business, and no file is needed where the environment or an option names the database.
        case database
    }

    /// Where the file is looked for when nobody names one.
    public static let usualFiles = ["config.json", "/etc/fanfare/config.json"]

    /// Reads all sources and checks everything.
    ///
    /// - Parameters:
    ///   - file: path of the settings file; nil: the first of `usualFiles` that exists. One of them has to.
    ///   - environment: `FANFARE_…`, `DATABASE_URL` and `CREDENTIALS_DIRECTORY` are looked at. A variable that is set to
    ///     nothing counts as not set.
    ///   - overrides: options of the command line, by dotted key: `"dispatch.batch": "500"`.
    /// - Throws: every problem at once.
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
            } else if scope == .database, namesDatabase(environment, overrides) {
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

    /// Whether `load` with scope `database` finds settings, be they right or wrong; false: nobody has said anything.
    public static func areGiven(
        file: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment,
        overrides: [String: String] = [:]
    ) -> Bool {
        file != nil || namesDatabase(environment, overrides) || present(usualFiles) != nil
    }

    /// Whether somebody said which database, be it to us or to libpq.
    private static func namesDatabase(_ environment: [String: String], _ overrides: [String: String]) -> Bool {
        overrides["database.url"] != nil
            || ["FANFARE_DATABASE_URL", "DATABASE_URL", "PGSERVICE", "PGDATABASE"].contains { name in
                environment[name].map { !$0.isEmpty } ?? false
            }
    }

    private static func present(_ paths: [String]) -> String? {
        paths.first { FileManager.default.fileExists(atPath: $0) }
    }

    private static func usual(_ paths: [String]) throws(SettingsProblem) -> String {
        if let path = present(paths) { return path }
        throw SettingsProblem(
            key: paths.first ?? "", found: "does not exist" + paths.dropFirst().map { ", nor does \($0)" }.joined(),
            rule: "a settings file is needed", remedy: "Make one, or name it with --config")
    }
}
