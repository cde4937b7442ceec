import Signing
import Synchronization

/// The pass of a hub that shows APNs a client certificate: the connection proves who we are, and no request has a header for it.
public final class CertificatePass: PassSource {
    private let certificate: SharedCertificate
    private let notAfter: Int64

    /// - Parameters:
    ///   - certificate: its text in PEM form, by which hubs with the same one share their connections.
    ///   - notAfter: seconds since 1970 at which it ends.
    ///   - credentials: those of the process.
    public init(certificate: String, notAfter: Int64, of credentials: APNsCredentials) {
        self.certificate = credentials.certificate(certificate)
        self.notAfter = notAfter
    }

    public func pass(for origin: String) -> Pass? {
        let generation = certificate.generation
        return Pass(
            header: nil, number: PassNumber(credential: certificate.credential, serial: generation).value,
            expiry: notAfter, credential: certificate.credential, generation: generation)
    }

    /// Leaves the connections of the refused pass: there is no other certificate.
    public func forget(_ refused: Pass) {
        guard refused.credential == certificate.credential else { return }
        certificate.leave(refused.generation)
    }

    public func throttled(_ pass: Pass, for seconds: Double) { forget(pass) }

    public func useOther(than refused: Pass) -> Bool { false }

    public func use(secondary wanted: Bool) -> Bool { false }

    public var hasSecondary: Bool { false }

    public var usesSecondary: Bool { false }

    /// When the certificate ends.
    public var expiry: Int64? { notAfter }

    public var certificateExpiry: Int64? { notAfter }

    /// None: it is signed by Apple.
    public var issued: Int { 0 }
}

/// A certificate that several hubs may show.
final class SharedCertificate: Sendable {
    let credential: Int64
    private let current = Mutex<Int64>(0)

    init(credential: Int64) { self.credential = credential }

    var generation: Int64 { current.withLock { $0 } }

    /// The connections of this generation carry nothing more; late news of an older one change nothing.
    func leave(_ generation: Int64) {
        current.withLock { current in if current == generation { current += 1 } }
    }
}
