import Foundation

/// `openssl s_server` with its own certificate for 127.0.0.1. It answers a GET with a page and closes: every request is
/// a new connection.
final class TLSServer {
    enum Kind {
        /// Answers a GET with a page.
        case page
        /// Answers nothing, and prints what it could decrypt.
        case listening
        /// As `listening`, and supports nothing newer than TLS 1.1.
        case old
    }

    let port: Int
    let certificate: URL
    private let folder: URL
    private let process: Process
    private let input = Pipe()  // s_server ends when its input does
    private let output: FileHandle
    private var seen: String

    /// - Parameters:
    ///   - names: as in `subjectAltName`.
    ///   - isExpired: whether the certificate ended a day ago.
    init(names: String = "IP:127.0.0.1,DNS:localhost", isExpired: Bool = false, as kind: Kind = .page) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificate = folder.appending(path: "cert.pem")
        let key = folder.appending(path: "key.pem")
        try Self.make(
            "openssl req",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=\(names)", "-keyout", key.path, "-out",
                certificate.path,
            ])
        if isExpired {
            try Self.make(
                "openssl x509",
                ["x509", "-in", certificate.path, "-signkey", key.path, "-days", "-1", "-out", certificate.path])
        }
        var arguments = ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate.path, "-key", key.path]
        switch kind {
        case .page: arguments.append("-www")
        case .listening: break
        case .old: arguments += ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"]
        }
        let pipe = Pipe()
        process = try Self.openssl(arguments, input: input, output: pipe)
        output = pipe.fileHandleForReading
        (port, seen) = try Self.port(from: output)
    }

    deinit {
        // Not SIGTERM: a child inherits the signal mask of the thread that starts it, and Swift's threads block
        // SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        // Temporary files: what cannot be removed here, the system cleans up.
        try? FileManager.default.removeItem(at: folder)
    }

    var url: String { "https://127.0.0.1:\(port)/" }

    /// The system's certificates and this server's in one file.
    func bundle(with systemBundle: String) throws -> String {
        var all = try Data(contentsOf: URL(filePath: systemBundle))
        all.append(try Data(contentsOf: certificate))
        let file = folder.appending(path: "bundle.pem")
        try all.write(to: file)
        return file.path
    }

    /// Everything it has printed, once it has printed `text`: what clients sent, and how connections ended. For
    /// `listening`.
    func output(until text: String) throws -> String {
        while !seen.contains(text) {
            let data = output.availableData
            guard !data.isEmpty else { throw Failure(step: "openssl s_server, which printed \(seen)") }
            seen += String(decoding: data, as: UTF8.self)
        }
        return seen
    }

    struct Failure: Error {
        var step: String
    }

    static func make(_ step: String, _ arguments: [String]) throws {
        let process = try openssl(arguments)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(step: step) }
    }

    private static func openssl(_ arguments: [String], input: Pipe? = nil, output: Pipe? = nil) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // Line by line: otherwise its output would stay in its buffer until it ends.
        process.arguments = ["stdbuf", "-oL", "openssl"] + arguments
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// From the line `ACCEPT 127.0.0.1:40123`.
    private static func port(from output: FileHandle) throws -> (Int, seen: String) {
        var text = ""
        while true {
            let data = output.availableData
            guard !data.isEmpty else { throw Failure(step: "openssl s_server") }
            text += String(decoding: data, as: UTF8.self)
            let line = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first {
                $0.hasPrefix("ACCEPT")
            }
            if let line, let port = line.split(separator: ":").last.flatMap({ Int($0) }) { return (port, text) }
        }
    }
}
