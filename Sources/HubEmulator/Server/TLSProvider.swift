import Files
import Glibc
public import HTTPServer

/// Makes the certificate and the TLS handlers of an emulator. HubEmulator has no TLS library; the target EmulatorTLS
/// has a provider.
public protocol TLSProvider: Sendable {
    /// Called once, at the start.
    ///
    /// - Parameter names: host names and addresses that clients use besides `localhost`, `127.0.0.1` and `::1`.
    /// - Throws: an error that describes itself in one line.
    func identity(names: [String]) throws -> TLSIdentity
}

/// What the emulator shows to clients that come over TLS.
public struct TLSIdentity: Sendable {
    /// PEM of the authority that clients must trust.
    public let authority: String
    public let layer: TLSLayer

    public init(authority: String, layer: TLSLayer) {
        self.authority = authority
        self.layer = layer
    }

    /// Makes the identity and writes the authority's certificate to `EmulatorSettings.TLS.caFile`.
    ///
    /// - Throws: `EmulatorError` for an invalid name, or a file that cannot be written.
    init(_ settings: EmulatorSettings.TLS, from provider: any TLSProvider) throws(EmulatorError) {
        do {
            self = try provider.identity(names: settings.names)
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
