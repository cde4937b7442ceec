import HTTPServer
public import HubEmulator
import NIOSSL

/// TLS for an emulator, with a certificate made at its start: `HubEmulator(settings, tls: SelfIssuedTLS())`.
///
/// TLS 1.2 or newer, with HTTP/2 and HTTP/1.1 to choose from. The keys are never written.
public struct SelfIssuedTLS: TLSProvider {
    public init() {}

    /// - Throws: `TestCertificateError` for an invalid name, or the error of the TLS library.
    public func identity(names: [String]) throws -> TLSIdentity {
        let issued = try TestCertificate(names: names)
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(issued.certificate.utf8))
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(issued.key.reveal().utf8), format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2", "http/1.1"]
        let context = try NIOSSLContext(configuration: configuration)
        return TLSIdentity(
            authority: issued.authority, layer: TLSLayer(http2: .nio) { NIOSSLServerHandler(context: context) })
    }
}
