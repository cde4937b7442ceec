import Foundation
import Store

/// The client that people use: a schema made by it must be as good as one made by `fanfare migrate`.
struct Psql {
    let conninfo: String

    /// Runs a migration as its first line says.
    ///
    /// - Returns: what psql wrote to standard error; empty when it succeeded.
    func run(_ migration: Migration) async throws -> String { try await run(migration.sql, named: migration.file) }

    /// Runs a script in one transaction.
    ///
    /// - Returns: what psql wrote to standard error; empty when it succeeded.
    func run(_ sql: String, named name: String = "script.sql") async throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID())-\(name)")
        try Data(sql.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }  // a leftover in the temporary folder harms nobody
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["psql", "-X", "-q", "-d", conninfo, "-v", "ON_ERROR_STOP=1", "-1", "-f", file.path]
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation { (done: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { done.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { done.resume(throwing: error) }
        }
        let said = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        return status == 0 ? "" : "exit \(status): \(said)"
    }
}
