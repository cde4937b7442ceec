import Foundation

@testable import HTTPTransport

/// A certificate that signs itself, with its key: a server that trusts it lets in clients that show it.
struct PEMPair {
    let certificate: String
    let key: String

    init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// - Parameters:
    ///   - name: the common name of its subject.
    ///   - names: as in `subjectAltName`.
    ///   - password: to encrypt the key with; nil: it is not encrypted.
    init(_ name: String = "localhost", names: String = "IP:127.0.0.1,DNS:localhost", password: String? = nil) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pem-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Temporary files: what cannot be removed here, the system cleans up.
        defer { try? FileManager.default.removeItem(at: folder) }
        let (certificate, key) = (folder.appending(path: "cert.pem"), folder.appending(path: "key.pem"))
        try TLSServer.make(
            "openssl req",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-days", "2", "-subj",
                "/CN=\(name)", "-addext", "subjectAltName=\(names)", "-keyout", key.path, "-out", certificate.path,
            ] + (password.map { ["-passout", "pass:\($0)"] } ?? ["-nodes"]))
        self.certificate = try String(contentsOf: certificate, encoding: .utf8)
        self.key = try String(contentsOf: key, encoding: .utf8)
    }
}

/// What a client shows.
final class TestIdentity: ClientIdentity {
    let certificate: String
    private let key: String
    private let password: String?

    init(_ pair: PEMPair, password: String? = nil) {
        certificate = pair.certificate
        key = pair.key
        self.password = password
    }

    func revealKey() -> (key: String, password: String?) { (key, password) }
}
