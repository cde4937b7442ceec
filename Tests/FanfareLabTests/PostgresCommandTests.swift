import Foundation
import Glibc
import ProgramSupport
import Testing

/// `fanfare-lab postgres`: a command beside a private server.
@Suite struct PostgresCommandTests {
    private let lab = BuiltProgram("fanfare-lab", settings: nil)

    @Test func theCommandFindsItsDatabaseAndItsStatusIsOurs() async throws {
        let script = #"psql "$FANFARE_DATABASE_URL" -Atc "SELECT current_database()"; exit 7"#
        let ended = try await lab("postgres", "--", "sh", "-c", script)
        #expect(ended.output == "fanfare\n", "\(ended.errors)")
        #expect(ended.status == 7)
    }

    @Test func aBenchRunsThere() async throws {
        let ended = try await lab(
            "postgres", "--fsync", "--", BuiltProgram.path(of: "fanfare"), "bench", "--messages", "1000", "--json")
        #expect(ended.status == 0, "\(ended.errors)")
        let server = try #require(try ended.json([String: Any].self)["server"] as? [String: Any])
        #expect(server["fsync"] as? Bool == true)
    }

    @Test func aPrivateServerIsGoneAfterASignal() async throws {
        let running = try RunningProgram(lab, "postgres", "--", "sleep", "600")
        var traces: ServerTraces?
        while traces == nil {
            try Task.checkCancellation()
            traces = ServerTraces.ofServer(startedBy: running.id)
        }
        running.signal(SIGTERM)
        #expect(await running.end == 143)
        #expect(traces?.isDirectoryThere == false)
        #expect(traces?.processes == [])
    }

    /// A shell stays in our process group: in one of its own it would lose the terminal.
    @Test func aShellKeepsTheTerminal() async throws {
        let ended = try await lab("postgres", "--", "sh", "-c", "ps -o pgid= -p $$; ps -o pgid= -p $PPID")
        let groups = ended.output.split(whereSeparator: \.isWhitespace)
        #expect(groups.count == 2 && groups[0] == groups[1], "\(ended.output) \(ended.errors)")
    }

    @Test func aCommandThatDoesNotExistIsNamed() async throws {
        let ended = try await lab("postgres", "--", "no-such-command")
        #expect(ended.status == 64)
        #expect(ended.errors.contains("cannot run no-such-command"), "\(ended.errors)")
    }

    @Test func aCommandHasToBeNamed() async throws {
        #expect(try await lab("postgres").status == 64)
    }
}
