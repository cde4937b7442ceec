import ProgramSupport
import TestSupport
import Testing

@testable import Console

/// "The same in SQL, and as a command" is what it says: it runs as it stands.
enum ElsewhereCheck {
    /// Runs each statement with a login of its role, and each command in a shell.
    static func run(_ elsewhere: [Elsewhere], on test: TestDatabase) async throws {
        #expect(!elsewhere.isEmpty)
        var shell = BuiltProgram("/bin/bash", settings: nil)
        let programs = BuiltProgram.path(of: "fanfare").split(separator: "/").dropLast().joined(separator: "/")
        shell.environment = [
            "PATH": "/\(programs):/usr/bin:/bin", "FANFARE_DATABASE_URL": test.conninfo, "LC_ALL": "C.UTF-8",
        ]
        // Settings are looked for where a command is run.
        let scratch = try ScratchDirectory()
        _ = try scratch.write("{}", to: "config.json")
        for one in elsewhere {
            if let sql = one.sql {
                let login = try await test.login(as: one.role)
                try await login.database.script("BEGIN READ ONLY; \(sql) COMMIT;")
                await login.database.close()
            }
            if let command = one.command {
                let ended = try await shell("-c", "cd '\(scratch.path)' && \(command)")
                // Doctor found something: that is its answer.
                let isAnswer = ended.status == 0 || ended.status == 1 && command == "fanfare doctor"
                #expect(isAnswer, "\(command): \(ended.status) \(ended.errors)")
            }
        }
    }
}
