import NIOSSL
import Signing

/// What the emulator shows to clients that come over TLS.
struct ServerIdentity: Sendable {
    /// PEM of the authority to trust.
    let authority: String
    let context: NIOSSLContext

    /// Makes keys and certificates, and writes the authority's where it is wanted.
    ///
    /// - Throws: `EmulatorError` for a name that is none, or a file that cannot be written.
    init(_ settings: EmulatorSettings.TLS) throws(EmulatorError) {
        do {
            let made = try TestCertificate(names: settings.names)
            let chain = try NIOSSLCertificate.fromPEMBytes(Array(made.certificate.utf8))
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(made.key.reveal().utf8), format: .pem)))
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            context = try NIOSSLContext(configuration: configuration)
            authority = made.authority
        } catch {
            throw EmulatorError("no TLS: \(error)")
        }
        if let file = settings.caFile { try AtomicFile.write(authority, to: file) }
    }
}
