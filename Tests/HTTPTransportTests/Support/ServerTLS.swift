import CLibcurl
import COpenSSL
import Foundation

/// TLS at the server's end of a `LoopbackServer`, over OpenSSL: it chooses h2, and may ask for a client certificate.
// The context is made in `init`, and OpenSSL counts its references under a lock.
final class ServerTLS: @unchecked Sendable {
    enum Version: Int32 {
        case tls12 = 0x0303
        case tls13 = 0x0304
    }

    /// File of the certificate that clients have to trust.
    let caBundle: String
    private let context: OpaquePointer
    private let folder: URL

    /// - Parameters:
    ///   - names: of the server, as in `subjectAltName`.
    ///   - clients: certificates that are let in; nil: nobody is asked for one.
    ///   - version: the only one it speaks; nil: what OpenSSL does.
    ///   - failsOnSessions: whether it ends a handshake of TLS 1.3 that would resume a session of a client with a certificate.
    init(
        names: String = "IP:127.0.0.1", clients: [String]? = nil, version: Version? = nil, failsOnSessions: Bool = false
    ) throws {
        let pair = try PEMPair(names: names)
        let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let files = ["cert.pem", "key.pem", "clients.pem"].map { folder.appending(path: $0) }
        for (file, text) in zip(files, [pair.certificate, pair.key, clients?.joined() ?? ""]) {
            try Data(text.utf8).write(to: file)
        }
        caBundle = files[0].path
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw Failure() }
        self.context = context
        guard SSL_CTX_use_certificate_chain_file(context, files[0].path) == 1,
            SSL_CTX_use_PrivateKey_file(context, files[1].path, SSL_FILETYPE_PEM) == 1
        else { throw Failure() }
        SSL_CTX_set_alpn_select_cb(
            context,
            { _, chosen, count, offered, _, _ in
                guard offered?[0] == 2, offered?[1] == UInt8(ascii: "h") else { return SSL_TLSEXT_ERR_NOACK }
                chosen?.pointee = offered! + 1
                count?.pointee = 2
                return SSL_TLSEXT_ERR_OK
            }, nil)
        if let version {
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(version.rawValue), nil)
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version.rawValue), nil)
        }
        guard clients != nil else { return }
        guard SSL_CTX_load_verify_locations(context, files[2].path, nil) == 1 else { throw Failure() }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        // OpenSSL insists on a name for what such a session may be used for.
        if !failsOnSessions { SSL_CTX_set_session_id_context(context, [1], 1) }
    }

    deinit {
        SSL_CTX_free(context)
        // Temporary files: what cannot be removed here, the system cleans up.
        try? FileManager.default.removeItem(at: folder)
    }

    struct Failure: Error {}

    /// As after a restart: it can read no ticket that it has given out (TLS 1.3), and knows no number of a session (TLS 1.2, for
    /// which libcurl takes no tickets). Not while a connection is being accepted.
    func forgetSessions() throws {
        // The name and the keys of tickets: their size in OpenSSL 3.
        var keys = (0..<80).map { _ in UInt8.random(in: 0...255) }
        guard SSL_CTX_ctrl(context, SSL_CTRL_SET_TLSEXT_TICKET_KEYS, keys.count, &keys) == 1 else { throw Failure() }
        SSL_CTX_flush_sessions(context, 0)
    }

    /// Another server takes its name, with a certificate that nobody trusts. Not while a connection is being accepted.
    func giveNameAway() throws {
        let pair = try PEMPair(names: "IP:127.0.0.1")
        let files = ["cert2.pem", "key2.pem"].map { folder.appending(path: $0) }
        for (file, text) in zip(files, [pair.certificate, pair.key]) { try Data(text.utf8).write(to: file) }
        guard SSL_CTX_use_certificate_chain_file(context, files[0].path) == 1,
            SSL_CTX_use_PrivateKey_file(context, files[1].path, SSL_FILETYPE_PEM) == 1
        else { throw Failure() }
        try forgetSessions()
    }

    /// - Returns: nil when the handshake fails.
    func accept(_ fd: Int32) -> TLSStream? {
        guard let stream = SSL_new(context) else { return nil }
        guard SSL_set_fd(stream, fd) == 1, SSL_accept(stream) == 1 else {
            SSL_free(stream)
            return nil
        }
        return TLSStream(stream)
    }
}

/// One connection of a `ServerTLS`. Used by that connection's thread alone.
final class TLSStream {
    private let stream: OpaquePointer

    init(_ stream: OpaquePointer) { self.stream = stream }

    deinit { SSL_free(stream) }

    /// Whether its handshake resumed the session of an earlier one.
    var isResumed: Bool { SSL_session_reused(stream) == 1 }

    /// The common name in the client's certificate; nil: it has shown none.
    var clientName: String? {
        guard let certificate = SSL_get1_peer_certificate(stream) else { return nil }
        defer { X509_free(certificate) }
        var name = [CChar](repeating: 0, count: 100)
        let count = X509_NAME_get_text_by_NID(
            X509_get_subject_name(certificate), NID_commonName, &name, Int32(name.count))
        guard count > 0 else { return nil }
        return String(decoding: name.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// As `recv`.
    func read(_ bytes: inout [UInt8]) -> Int { Int(SSL_read(stream, &bytes, Int32(bytes.count))) }

    /// As `send`.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int { Int(SSL_write(stream, bytes.baseAddress, Int32(bytes.count))) }

    /// Says goodbye.
    func end() { SSL_shutdown(stream) }

    /// Ends with a fatal alert, bad_record_mac: OpenSSL sends one when it reads what nobody can have encrypted.
    func sendAlert() {
        var record: [UInt8] = [23, 3, 3, 0, 40] + [UInt8](repeating: 7, count: 40)
        guard let noise = BIO_new_mem_buf(&record, Int32(record.count)) else { return }
        SSL_set0_rbio(stream, noise)
        var buffer = [UInt8](repeating: 0, count: 100)
        _ = read(&buffer)
    }
}
