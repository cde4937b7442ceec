import COpenSSL
public import HubEmulator
import Signing

/// A new certificate authority for clients, and a certificate with its key for each of them. Like `TestCertificate`: ECDSA with P-256,
/// valid for 30 days, and the authority's key is discarded.
public struct ClientAuthority: Sendable {
    /// PEM. Servers trust clients that it has signed.
    public let authority: String
    /// By the name of the client.
    public let certificates: [String: TLSIdentity.Client]

    /// Characters of a common name (RFC 5280, appendix A).
    private static let nameLimit = 64

    /// - Parameter topics: of the clients, by their names; each is the `UID` of its subject, as in Apple's certificates.
    /// - Throws: `TestCertificateError` for a topic that no subject can have, or when OpenSSL fails.
    public init(topics: [String: String]) throws(TestCertificateError) {
        let authorityKey = try PrivateKey()
        let issuer = try X509Builder(name: "Fanfare test authority for clients", key: authorityKey)
        try issuer.extend(NID_basic_constraints, "critical,CA:TRUE,pathlen:0", issuer: issuer)
        try issuer.extend(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: issuer)
        try issuer.extend(NID_subject_key_identifier, "hash", issuer: issuer)
        try issuer.sign(by: authorityKey, named: issuer)
        var certificates: [String: TLSIdentity.Client] = [:]
        for (name, topic) in topics {
            let key = try PrivateKey()
            let leaf = try X509Builder(
                name: String("Apple Push Services: \(topic)".prefix(Self.nameLimit)), userID: topic, key: key)
            try leaf.extend(NID_basic_constraints, "critical,CA:FALSE", issuer: issuer)
            try leaf.extend(NID_key_usage, "critical,digitalSignature", issuer: issuer)
            try leaf.extend(NID_ext_key_usage, "clientAuth", issuer: issuer)
            try leaf.extend(NID_subject_key_identifier, "hash", issuer: issuer)
            try leaf.extend(NID_authority_key_identifier, "keyid:always", issuer: issuer)
            try leaf.sign(by: authorityKey, named: issuer)
            certificates[name] = TLSIdentity.Client(certificate: try leaf.pem(), key: Secret(try key.pem()))
        }
        authority = try issuer.pem()
        self.certificates = certificates
    }
}
