import COpenSSL

/// A certificate authority made on the spot, and one server certificate signed by it: for tests and the emulator, which
/// speak TLS without anybody having bought a certificate. ECDSA with P-256, valid from a day ago for 30 days.
///
/// The authority's key is gone as soon as it has signed: whoever trusts the authority trusts this one server.
public struct TestCertificate: Sendable {
    /// PEM. What clients are to trust.
    public let authority: String
    /// PEM. What the server shows.
    public let certificate: String
    /// PEM (PKCS #8), not encrypted. Never to be written anywhere.
    public let key: Secret

    /// Names every certificate has.
    public static let loopback = ["localhost", "127.0.0.1", "::1"]

    /// - Parameter names: host names and addresses besides `loopback`; IPv6 without brackets. `*.example.org` is a name.
    /// - Throws: `TestCertificateError` for a name that is none, or when OpenSSL fails.
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

    /// OpenSSL reads alternatives as text, in which a comma would begin another one.
    private static func subject(_ name: String) throws(TestCertificateError) -> String {
        let allowed = name.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || ".-_:*".utf8.contains(byte)
        }
        guard allowed, (1...253).contains(name.utf8.count) else {
            throw TestCertificateError("\(name) is no name or address a certificate can be for")
        }
        return name
    }

    private static func alternative(_ name: String) -> String {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let isAddress = name.contains(":") || parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
        return (isAddress ? "IP:" : "DNS:") + name
    }
}

/// Why there is no certificate, in one line.
public struct TestCertificateError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
