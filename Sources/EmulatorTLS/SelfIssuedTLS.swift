import HTTPServer
public import HubEmulator
import NIOSSL

/// TLS for an emulator, with a certificate made at its start: `HubEmulator(settings, tls: SelfIssuedTLS())`.
///
/// TLS 1.2 or newer, with HTTP/2 and HTTP/1.1 to choose from. The keys are never written.
public struct SelfIssuedTLS: TLSProvider {
    public init() {}

    /// - Throws: `TestCertificateError` for an invalid name, or the error of the TLS library.
    public func identity(names: [String], clients: [String: String]) throws -> TLSIdentity {
        let issued = try TestCertificate(names: names)
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(issued.certificate.utf8))
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(issued.key.reveal().utf8), format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2", "http/1.1"]
        guard !clients.isEmpty else {
            let context = try NIOSSLContext(configuration: configuration)
            return TLSIdentity(
                authority: issued.authority, layer: TLSLayer(http2: .nio) { NIOSSLServerHandler(context: context) })
        }
        let known = try ClientAuthority(topics: clients)
        // A client may show a certificate; one of another authority fails the handshake.
        configuration.certificateVerification = .optionalVerification
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(known.authority.utf8)))
        var clientNames: [NIOSSLCertificate: String] = [:]
        for (name, client) in known.certificates {
            clientNames[try NIOSSLCertificate(bytes: Array(client.certificate.utf8), format: .pem)] = name
        }
        let context = try NIOSSLContext(configuration: configuration)
        let layer = TLSLayer(
            http2: .nio,
            clientName: { [clientNames] channel in
                // The loss is meant: a channel without TLS has no certificate, and nil says that.
                let shown = try? channel.pipeline.syncOperations.nioSSL_peerCertificate()
                return shown.flatMap { clientNames[$0] }
            }
        ) { NIOSSLServerHandler(context: context) }
        return TLSIdentity(authority: issued.authority, layer: layer, clients: known.certificates)
    }
}
