import Foundation
import ProgramSupport
import TestSupport
import Testing

/// Variables that a process inherits, and that would undo what it promises about its secrets.
@Suite struct EnvironmentTests {
    @Test func noKeyOfAConnectionIsWrittenDown() async throws {
        let worker = try await TestWorker.make(isSecure: true)
        let connection = try #require(worker.emulator.secureConnectionString(for: "breaking-news"))
        let scratch = try ScratchDirectory()
        let settings = try scratch.write(
            #"{"hubs": {"news": {"hub": "breaking-news", "connectionString": "\#(connection.reveal())"}}}"#,
            to: "config.json")
        var fanfare = BuiltProgram(settings: settings, scratch: scratch)
        let keys = scratch.path + "/keys"
        // The module that this file names would be loaded into the process.
        let configuration = try scratch.write("openssl_conf = none\n.include /nowhere\n", to: "openssl.cnf")
        fanfare.environment = ["SSLKEYLOGFILE": keys, "OPENSSL_CONF": configuration]

        let ended = try await fanfare("send", "--hub", "news", "--tag", "A", "--property", "a=1")

        #expect(ended.status != 0, "nobody trusts this hub")
        #expect(ended.errors.contains("certificate"), "\(ended.errors)")
        #expect(!FileManager.default.fileExists(atPath: keys))
        #expect(ended.errors.contains("OPENSSL_CONF, SSLKEYLOGFILE"), "\(ended.errors)")
    }

    /// The others make no connection with TLS in a test; they begin in the same way.
    @Test(arguments: ["fanfare", "fanfare-emulator", "fanfare-lab", "fanfare-chaos"])
    func everyProgramBeginsByDroppingThem(name: String) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Repository.url("Sources/\(name)").path())
        let mains = try files.filter { $0.hasSuffix(".swift") }.map { try Repository.text("Sources/\(name)/\($0)") }
            .filter { $0.contains("\n@main\n") }
        #expect(mains.count == 1)
        #expect(mains.first?.contains(/@main\nstruct [A-Za-z]+: Program \{/) == true)
        let program = try Repository.text("Sources/CommandLineTool/Program/Program.swift")
        #expect(program.contains("static func main() async {\n        UnsafeEnvironment.clear()\n"))
    }
}
