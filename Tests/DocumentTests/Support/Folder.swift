import Foundation

/// A temporary directory, removed with its last reference.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = "/tmp/fanfare-documents-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)  // a leftover in the temporary directory does no harm
    }

    func url(_ name: String) -> URL { URL(filePath: path + "/" + name) }

    /// - Returns: the path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try FileManager.default.createDirectory(
            at: url(name).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url(name))
        return url(name).path()
    }

    func read(_ name: String) throws -> String { String(decoding: try Data(contentsOf: url(name)), as: UTF8.self) }
}
