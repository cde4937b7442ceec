import Foundation
import Store

/// psql, the client that people use: its way must give the same schema as `fanfare migrate`.
struct Psql {
    let conninfo: String

    /// Runs `migrations/install.sql` as its first lines say.
    ///
    /// - Returns: what psql wrote to standard error; empty when it succeeded.
    func install() async throws -> String {
        let (status, _, errors) = try await psql("-f", SchemaSource.folder.appending(path: "install.sql").path)
        return status == 0 && errors.isEmpty ? "" : "exit \(status): \(errors)"
    }

    /// Runs a script in one transaction.
    ///
    /// - Returns: what psql wrote to standard error; empty when it succeeded.
    func run(_ sql: String, named name: String = "script.sql") async throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID())-\(name)")
        try Data(sql.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }  // a leftover in the temporary folder does no harm
        let (status, _, errors) = try await psql("-1", "-f", file.path)
        return status == 0 ? "" : "exit \(status): \(errors)"
    }

    /// Runs statements, each in its own transaction by default.
    ///
    /// - Returns: the output of psql: unaligned rows, and notifications.
    func output(of sql: String) async throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sql")
        try Data(sql.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }  // a leftover in the temporary folder does no harm
        let (status, output, errors) = try await psql("-A", "-t", "-f", file.path)
        return status == 0 ? output : "exit \(status): \(errors)"
    }

    /// The output has to fit into a pipe.
    private func psql(_ options: String...) async throws -> (status: Int32, output: String, errors: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["psql", "-X", "-q", "-d", conninfo, "-v", "ON_ERROR_STOP=1"] + options
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        let status = try await withCheckedThrowingContinuation { (done: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { done.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { done.resume(throwing: error) }
        }
        func text(_ pipe: Pipe) throws -> String {
            String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }
        return (status, try text(output), try text(errors))
    }
}
