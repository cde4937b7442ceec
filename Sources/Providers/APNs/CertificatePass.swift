import Signing
import Synchronization

/// The pass of a hub that shows APNs a client certificate: the connection proves who we are, and no request has a header for it.
public final class CertificatePass: PassSource {
    private let shared: SharedCertificate

    /// Hubs with the same certificate share their connections. A hub that gets another one with a reload has another
    /// credential: what is in flight ends on the old connections, and those close when they have been idle for long.
    ///
    /// - Parameter credentials: those of the process.
    public init(_ certificate: ClientCertificate, of credentials: APNsCredentials) {
        shared = credentials.shared(certificate)
    }

    public func pass(for origin: String) -> Pass? {
        let generation = shared.generation
        return Pass(
            header: nil, number: PassNumber(credential: shared.credential, serial: generation).value,
            expiry: shared.certificate.notAfter, credential: shared.credential, generation: generation,
            certificate: shared.certificate)
    }

    /// Leaves the connections of the refused pass: there is no other certificate.
    public func forget(_ refused: Pass) {
        guard refused.credential == shared.credential else { return }
        shared.leave(refused.generation)
    }

    public func throttled(_ pass: Pass, for seconds: Double) { forget(pass) }

    public func useOther(than refused: Pass) -> Bool { false }

    public func use(secondary wanted: Bool) -> Bool { false }

    public var hasSecondary: Bool { false }

    public var usesSecondary: Bool { false }

    /// When the certificate ends.
    public var expiry: Int64? { shared.certificate.notAfter }

    public var certificateExpiry: Int64? { shared.certificate.notAfter }

    /// None: it is signed by Apple.
    public var issued: Int { 0 }
}

/// A certificate that several hubs may show.
final class SharedCertificate: Sendable {
    let certificate: ClientCertificate
    let credential: Int64
    private let current = Mutex<Int64>(0)

    init(_ certificate: ClientCertificate, credential: Int64) {
        self.certificate = certificate
        self.credential = credential
    }

    var generation: Int64 { current.withLock { $0 } }

    /// The connections of this generation carry nothing more; late news of an older one change nothing.
    func leave(_ generation: Int64) {
        current.withLock { current in if current == generation { current += 1 } }
    }
}
