import COpenSSL
public import Signing

/// A new certificate authority and one server certificate signed by it, for the TLS of tests and of the emulator. ECDSA
/// with P-256, valid from a day ago for 30 days.
///
/// The authority's key is discarded once it has signed: who trusts the authority trusts only this one server.
public struct TestCertificate: Sendable {
    /// PEM. The certificate that clients trust.
    public let authority: String
    /// PEM. The certificate that the server presents.
    public let certificate: String
    /// PEM (PKCS #8), not encrypted. Never written to a file.
    public let key: Secret

    /// Names in every certificate.
    public static let loopback = ["localhost", "127.0.0.1", "::1"]

    /// - Parameter names: host names and addresses besides `loopback`; IPv6 without brackets. `*.example.org` is
    ///   allowed.
    /// - Throws: `TestCertificateError` for an invalid name, or when OpenSSL fails.
    public init(names: [String] = []) throws(TestCertificateError) {
        var subjects: [String] = []
        for name in Self.loopback + names where !subjects.contains(name) { subjects.append(try Self.subject(name)) }
        let authorityKey = try PrivateKey()
        let leafKey = try PrivateKey()
        let issuer = try X509Builder(name: "Fanfare test authority", key: authorityKey)
        try issuer.extend(NID_basic_constraints, "critical,CA:TRUE,pathlen:0", issuer: issuer)
        try issuer.extend(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: issuer)
        try issuer.extend(NID_subject_key_identifier, "hash", issuer: issuer)
        try issuer.sign(by: authorityKey, named: issuer)
        let leaf = try X509Builder(name: "localhost", key: leafKey)
        try leaf.extend(NID_basic_constraints, "critical,CA:FALSE", issuer: issuer)
        try leaf.extend(NID_key_usage, "critical,digitalSignature", issuer: issuer)
        try leaf.extend(NID_ext_key_usage, "serverAuth", issuer: issuer)
        try leaf.extend(NID_subject_key_identifier, "hash", issuer: issuer)
        try leaf.extend(NID_authority_key_identifier, "keyid:always", issuer: issuer)
        try leaf.extend(NID_subject_alt_name, subjects.map(Self.alternative).joined(separator: ","), issuer: issuer)
        try leaf.sign(by: authorityKey, named: issuer)
        authority = try issuer.pem()
        certificate = try leaf.pem()
        key = Secret(try leafKey.pem())
    }

    /// OpenSSL reads the alternative names as one text, in which a comma begins another name.
    private static func subject(_ name: String) throws(TestCertificateError) -> String {
        let allowed = name.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || ".-_:*".utf8.contains(byte)
        }
        guard allowed, (1...253).contains(name.utf8.count) else {
            throw TestCertificateError("\(name) is not a name or address for a certificate")
        }
        return name
    }

    private static func alternative(_ name: String) -> String {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let isAddress = name.contains(":") || parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
        return (isAddress ? "IP:" : "DNS:") + name
    }
}

/// Why no certificate was made, in one line.
public struct TestCertificateError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
