import Foundation

/// `openssl s_server` with a certificate of its own for 127.0.0.1. It answers a GET with a page and closes: every request
/// is a new connection.
final class TLSServer {
    let port: Int
    let certificate: URL
    private let folder: URL
    private let process: Process

    /// - Parameter names: as in `subjectAltName`.
    init(names: String = "IP:127.0.0.1,DNS:localhost") throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificate = folder.appending(path: "cert.pem")
        let key = folder.appending(path: "key.pem")
        let request = try Self.openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj",
            "/CN=localhost", "-addext", "subjectAltName=\(names)", "-keyout", key.path, "-out",
            certificate.path,
        ])
        request.waitUntilExit()
        guard request.terminationStatus == 0 else { throw Failure(step: "openssl req") }
        let output = Pipe()
        process = try Self.openssl(
            ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate.path, "-key", key.path, "-www"], output: output)
        port = try Self.port(from: output.fileHandleForReading)
    }

    deinit {
        // Not SIGTERM: a child inherits the signal mask of the thread that starts it, and Swift's threads block that one.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        // Only temporary files: what cannot be removed is the system's to clean up.
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

    struct Failure: Error {
        var step: String
    }

    private static func openssl(_ arguments: [String], output: Pipe? = nil) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// From the line `ACCEPT 127.0.0.1:40123`.
    private static func port(from output: FileHandle) throws -> Int {
        var text = ""
        while true {
            let data = output.availableData
            guard !data.isEmpty else { throw Failure(step: "openssl s_server") }
            text += String(decoding: data, as: UTF8.self)
            let line = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first {
                $0.hasPrefix("ACCEPT")
            }
            if let line, let port = line.split(separator: ":").last.flatMap({ Int($0) }) { return port }
        }
    }
}
