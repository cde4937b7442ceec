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
        overrides: [String: String] = [:], unknownKeys: UnknownKeys = .warn
    ) throws(SettingsError) -> Settings {
        try load(
            file: file, environment: environment, overrides: overrides, unknownKeys: unknownKeys,
            usualFiles: usualFiles, secrets: "/run/secrets")
    }

    static func load(
        file: String?, environment: [String: String], overrides: [String: String], unknownKeys: UnknownKeys,
        usualFiles: [String], secrets: String
    ) throws(SettingsError) -> Settings {
        var loader = SettingsLoader()
        do throws(SettingsProblem) {
            let path: String
            if let file { path = file } else { path = try usual(usualFiles) }
            try loader.load(
                path: path, environment: environment.filter { !$0.value.isEmpty }, overrides: overrides,
                secrets: secrets)
        } catch {
            throw SettingsError(problems: [error], warnings: [])
        }
        return try loader.finished(unknownKeys)
    }

    private static func usual(_ paths: [String]) throws(SettingsProblem) -> String {
        if let path = paths.first(where: { FileManager.default.fileExists(atPath: $0) }) { return path }
        throw SettingsProblem(
            key: paths.first ?? "", found: "does not exist" + paths.dropFirst().map { ", nor does \($0)" }.joined(),
            rule: "a settings file is needed", remedy: "Make one, or name it with --config")
    }
}
