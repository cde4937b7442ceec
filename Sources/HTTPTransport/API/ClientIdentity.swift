/// Whom a client says it is in a TLS handshake: a certificate with its private key, in PEM form (`ConnectionGroup.identity`).
///
/// A class, so that a request holds one reference, and requests with the same one are grouped without comparing texts.
public protocol ClientIdentity: AnyObject, Sendable {
    /// The certificates of its issuers may stand behind it.
    var certificate: String { get }
    /// The private key, and the password that it is encrypted with; nil: it is not encrypted. For the TLS library alone.
    func revealKey() -> (key: String, password: String?)
}
