import Foundation
import ProgramSupport
import Testing

/// `fanfare-emulator` as a page starts it, but at free ports.
struct EmulatorProgram {
    private let program: RunningProgram
    /// `127.0.0.1:40001`
    let address: String
    /// Where it speaks TLS: `40002`; nil: nowhere.
    private let tlsPort: String?

    /// - Parameters:
    ///   - line: of a shell, with its options; it may end with `> FILE 2>&1 &`.
    ///   - folder: where that shell is.
    static func start(_ line: String, in folder: Folder) async throws -> EmulatorProgram {
        let words = line.split(separator: " ").map(String.init)
        try #require(words.first == "fanfare-emulator", "\(line)")
        let options = words.dropFirst().prefix { $0 != ">" && $0 != "&" }.map { $0 == usualTLSPort ? "0" : $0 }
        let program = try RunningProgram(
            BuiltProgram("/usr/bin/env", settings: nil),
            arguments: ["--chdir=\(folder.path)", BuiltProgram.path(of: "fanfare-emulator")] + options
                + ["--listen", "127.0.0.1:0"])
        let output = try await program.printed("/_emulator/journal")
        let address = try #require(output.firstMatch(of: #/listens on http://(127\.0\.0\.1:[0-9]+) /#)).1
        let tlsPort = output.firstMatch(of: #/Endpoint=sb://127\.0\.0\.1:([0-9]+)//#)?.1
        return EmulatorProgram(program: program, address: String(address), tlsPort: tlsPort.map { String($0) })
    }

    private static let usualPort = "8099"
    private static let usualTLSPort = "8443"

    /// The commands of a page with the ports of this emulator in them.
    func here(_ commands: String) -> String {
        let port = String(address.split(separator: ":")[1])
        return commands.replacing(Self.usualPort, with: port).replacing(
            Self.usualTLSPort, with: tlsPort ?? Self.usualTLSPort)
    }

    func stop() async {
        program.signal(SIGTERM)
        _ = await program.end
    }
}
