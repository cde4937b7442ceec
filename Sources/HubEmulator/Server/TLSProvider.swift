import Files
import Glibc
public import HTTPServer
public import Signing

/// Makes the certificate and the TLS handlers of an emulator. HubEmulator has no TLS library; the target EmulatorTLS
/// has a provider.
public protocol TLSProvider: Sendable {
    /// Called once, at the start.
    ///
    /// - Parameters:
    ///   - names: host names and addresses that clients use besides `localhost`, `127.0.0.1` and `::1`.
    ///   - clients: the names of those who prove with a certificate who they are, and their topics of APNs; each gets a new
    ///     certificate. Empty: clients are not asked for one.
    /// - Throws: an error that describes itself in one line.
    func identity(names: [String], clients: [String: String]) throws -> TLSIdentity
}

/// What the emulator shows to clients that come over TLS.
public struct TLSIdentity: Sendable {
    /// PEM of the authority that clients must trust.
    public let authority: String
    public let layer: TLSLayer
    /// The certificates of clients, by their names.
    public let clients: [String: Client]

    /// What a client shows.
    public struct Client: Sendable {
        /// PEM.
        public let certificate: String
        /// PEM (PKCS #8), not encrypted.
        public let key: Secret

        public init(certificate: String, key: Secret) {
            self.certificate = certificate
            self.key = key
        }
    }

    public init(authority: String, layer: TLSLayer, clients: [String: Client] = [:]) {
        self.authority = authority
        self.layer = layer
        self.clients = clients
    }

    /// Makes the identity and writes the authority's certificate to `EmulatorSettings.TLS.caFile`.
    ///
    /// - Throws: `EmulatorError` for an invalid name, or a file that cannot be written.
    init(
        _ settings: EmulatorSettings.TLS, clients: [String: String], from provider: any TLSProvider
    ) throws(EmulatorError) {
        do {
            self = try provider.identity(names: settings.names, clients: clients)
        } catch {
            throw EmulatorError("no TLS: \(error)")
        }
        if let path = settings.caFile { try Self.publish(authority, at: path) }
    }

    /// Writes a file for other programs. Its draft carries our process id: several emulators may share one path.
    private static func publish(_ text: String, at path: String) throws(EmulatorError) {
        do throws(FileFault) {
            let file = try AtomicFile(path, draft: "\(path).\(getpid()).new", mode: 0o644)
            try file.append(text.utf8)
            try file.commit(isDurable: false)
        } catch {
            throw EmulatorError("cannot write \(path): \(error.reason)")
        }
    }
}
