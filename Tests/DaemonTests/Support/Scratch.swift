import Foundation
import Testing

@testable import Daemon

/// A directory of one test, with a settings file and credentials in it; gone when the test is.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/fanfare-settings-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path + "/secrets", withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)  // a leftover in the temporary directory harms nobody
    }

    var file: String { path + "/config.json" }
    var secrets: String { path + "/secrets" }

    func write(_ text: String, to name: String = "config.json") throws {
        try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
        chmod(path + "/" + name, 0o600)  // settings have secrets in them
    }

    /// Loads `config.json` of this directory, written first when `text` is given, and nothing from outside.
    func load(
        _ text: String? = nil, environment: [String: String] = [:], overrides: [String: String] = [:],
        unknownKeys: Settings.UnknownKeys = .refuse
    ) throws -> Settings {
        if let text { try write(text) }
        return try Settings.load(
            file: file, environment: environment, overrides: overrides, unknownKeys: unknownKeys, usualFiles: [],
            secrets: secrets)
    }

    /// The problems that loading reports, as a person reads them, without the path of this directory.
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

    /// A file with one hub whose other keys are `members`.
    static func hub(_ members: String, name: String = "news", connection: String = connection) -> String {
        #"{"hubs": {"\#(name)": {"connectionString": "\#(connection)"\#(members.isEmpty ? "" : ", ")\#(members)}}}"#
    }
}
