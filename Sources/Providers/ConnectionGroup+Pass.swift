import HTTPTransport
import Signing

extension ConnectionGroup {
    /// The connections that requests with this pass share, which show its certificate if it has one.
    init(_ pass: Pass) {
        self.init(credential: pass.credential, generation: pass.generation, identity: pass.certificate)
    }
}

extension ClientCertificate: ClientIdentity {
    public func revealKey() -> (key: String, password: String?) { (key.reveal(), password?.reveal()) }
}
