import Foundation

/// A directory of one test; gone when the test is.
package final class ScratchDirectory: Sendable {
    package let path: String

    package init() throws {
        path = NSTemporaryDirectory() + "/fanfare-command-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)  // a leftover in the temporary directory harms nobody
    }

    package func url(_ name: String) -> URL { URL(filePath: path + "/" + name) }

    package func open(_ name: String) throws -> FileHandle {
        try Data().write(to: url(name))
        return try FileHandle(forWritingTo: url(name))
    }

    package func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: url(name)), as: UTF8.self)
    }

    /// - Returns: the path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: url(name))
        chmod(path + "/" + name, 0o600)  // settings have secrets in them
        return path + "/" + name
    }
}
