import Foundation
import Testing

@testable import Configuration

/// A directory of one test, with a settings file and credentials; removed with the test.
final class SettingsFixture: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/fanfare-settings-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path + "/secrets", withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)  // a leftover does no harm
    }

    var file: String { path + "/config.json" }
    var secrets: String { path + "/secrets" }

    func write(_ text: String, to name: String = "config.json") throws {
        try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
        chmod(path + "/" + name, 0o600)  // settings hold secrets
    }

    /// Loads `config.json` of this directory, after writing it when `text` is given, and nothing else.
    func load(
        _ text: String? = nil, environment: [String: String] = [:], overrides: [String: String] = [:],
        unknownKeys: Settings.UnknownKeys = .refuse, scope: Settings.Scope = .everything
    ) throws -> Settings {
        if let text { try write(text) }
        return try Settings.load(
            file: file, environment: environment, overrides: overrides, unknownKeys: unknownKeys, scope: scope,
            usualFiles: [], secrets: secrets)
    }

    /// The problems that loading reports, as text without the path of this directory.
    func problems(
        _ text: String, environment: [String: String] = [:], overrides: [String: String] = [:],
        unknownKeys: Settings.UnknownKeys = .refuse
    ) throws -> [String] {
        do {
            _ = try load(text, environment: environment, overrides: overrides, unknownKeys: unknownKeys)
            return []
        } catch let error as SettingsError {
            return error.problems.map { $0.description.replacing(path + "/", with: "") }
        }
    }

    static let connection =
        "Endpoint=sb://n.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0a2V5"

    /// A hash of the password "password", by npm's `@phc/scrypt` (its README).
    static let password = "$scrypt$ln=15,r=8,p=1$D/EEcdfcBkj4DQB3zlfsFQ$v9Xsag5AySIY78DFKslBzeRXCUfsLKCZ0Xm4Xwoh+J0"

    /// Settings with pages of the console, besides `members` of `console`, and with one person who may look.
    static func pages(_ members: String = "", at address: String = "127.0.0.1:9470", users: String? = nil) -> String {
        let users = users ?? #""ana": {"may": "look", "password": "\#(password)"}"#
        return #"{"console": {"pages": "\#(address)", "users": {\#(users)}\#(members.isEmpty ? "" : ", ")\#(members)}}"#
    }

    /// A settings file with one hub that has `members` besides its connection string.
    static func hub(_ members: String, name: String = "news", connection: String = connection) -> String {
        #"{"hubs": {"\#(name)": {"connectionString": "\#(connection)"\#(members.isEmpty ? "" : ", ")\#(members)}}}"#
    }
}
