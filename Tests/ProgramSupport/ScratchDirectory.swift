import Foundation
import Synchronization
import Testing

/// A directory of one test; gone when the test is, and its open files with it.
///
/// Foundation's `Process` never lets go of its channels: after some 500 commands a file would have a number above 1,023,
/// and what waits for the end of a process (`select`) then waits for ever.
package final class ScratchDirectory: Sendable {
    package let path: String
    private let opened = Mutex<[FileHandle]>([])

    package init() throws {
        path = NSTemporaryDirectory() + "/fanfare-command-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        for handle in opened.withLock({ $0 }) { try? handle.close() }  // some are closed already
        try? FileManager.default.removeItem(atPath: path)  // a leftover in the temporary directory harms nobody
    }

    package func url(_ name: String) -> URL { URL(filePath: path + "/" + name) }

    package func open(_ name: String) throws -> FileHandle {
        try Data().write(to: url(name))
        return keep(try FileHandle(forWritingTo: url(name)))
    }

    package func openToRead(_ name: String) throws -> FileHandle { keep(try FileHandle(forReadingFrom: url(name))) }

    private func keep(_ handle: FileHandle) -> FileHandle {
        opened.withLock { $0.append(handle) }
        return handle
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

    /// A program that a test may start: a copy of the file, written by a process of its own.
    ///
    /// Linux starts no program that somebody has open to write ("Text file busy"). A file that this process writes is open
    /// in each child that another test starts just then, too, until the child has become its program.
    ///
    /// - Returns: the path.
    package func program(_ source: String, as name: String) async throws -> String {
        let copied = try await Tool("install")(["-m", "700", source, path + "/" + name])
        try #require(copied.status == 0, "\(copied)")
        return path + "/" + name
    }

    /// A script that a test may start, like ``program(_:as:)``.
    @discardableResult
    package func script(_ text: String, as name: String) async throws -> String {
        try await program(try write(text, to: name + ".text"), as: name)
    }
}
