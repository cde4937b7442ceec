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

    @Test func aCommandHasToBeNamed() async throws {
        #expect(try await lab("postgres").status == 64)
    }
}
