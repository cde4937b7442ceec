/// An RSA private key that signs RS256: PKCS#1 v1.5 padding over SHA-256 (RFC 7518 section 3.3).
///
/// Keeps the text and reads it for each signature, about 1 ms: an account signs once an hour, and a value without a handle
/// of OpenSSL crosses threads freely.
public struct RSAKey: Sendable, Equatable {
    private let pem: Secret
    /// Bits of the modulus.
    public let bits: Int

    /// Fewer bits are refused by Google, and are too few since 2013 (NIST SP 800-131A).
    public static let leastBits = 2_048
    /// With more, one signature would take seconds.
    public static let mostBits = 8_192

    /// - Parameter pem: PKCS#8, not encrypted: `-----BEGIN PRIVATE KEY-----`.
    /// - Throws: `RSAKeyError`, which never holds any of the text. A key that does not sign is refused here and not an hour
    ///   later: its numbers are tried with one signature.
    public init(pem: Secret) throws(RSAKeyError) {
        let key = try Self.read(pem)
        bits = key.bits
        guard key.isRSA else { throw .notRSA }
        guard (Self.leastBits...Self.mostBits).contains(bits) else { throw .bits(bits) }
        let probe = Array("RS256".utf8)
        guard let signature = key.sign(probe), key.verifies(signature, of: probe) else { throw .unreadable }
        self.pem = pem
    }

    /// - Returns: as many bytes as the modulus has. The same message always gives the same bytes.
    /// - Throws: `.signing` when OpenSSL cannot sign with a key that it has accepted: no memory, or a broken installation.
    public func sign(_ message: [UInt8]) throws(RSAKeyError) -> [UInt8] {
        guard let signature = try Self.read(pem).sign(message) else { throw .signing }
        return signature
    }

    /// Whether this key made the signature.
    public func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let key = try? Self.read(pem) else { return false }  // `init` has read the same text
        return key.verifies(signature, of: message)
    }

    private static func read(_ pem: Secret) throws(RSAKeyError) -> PrivateKey {
        let text = pem.reveal()
        try checkFrame(text)
        guard let key = PEMText.privateKey(text) else { throw .unreadable }
        return PrivateKey(key)
    }

    private static func checkFrame(_ text: String) throws(RSAKeyError) {
        guard text.utf8.count <= PrivateKey.textLimit else { throw .unreadable }
        let start = text.drop { $0.isWhitespace }
        if start.hasPrefix("-----BEGIN RSA PRIVATE KEY-----") { throw .notPKCS8 }
        if start.hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----") { throw .encrypted }
        guard start.hasPrefix("-----BEGIN PRIVATE KEY-----") else { throw .notPEM }
        if start.contains("\\n") { throw .escapedLines }
        guard start.contains("-----END PRIVATE KEY-----") else { throw .cutOff }
    }
}

/// Why a text is no key that signs. Never quotes the text.
public enum RSAKeyError: Error, Sendable, Equatable {
    case notPEM
    /// `-----BEGIN RSA PRIVATE KEY-----`, the older form.
    case notPKCS8
    case encrypted
    /// `\n` as two characters instead of line ends.
    case escapedLines
    /// The end is missing.
    case cutOff
    /// Damaged: not a key, or numbers that do not belong together.
    case unreadable
    case notRSA
    case bits(Int)
    case signing
}

extension RSAKeyError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notPEM: "is not a PEM text that begins with -----BEGIN PRIVATE KEY-----"
        case .notPKCS8: "is a PKCS#1 key; convert it with openssl pkcs8 -topk8 -nocrypt"
        case .encrypted: "is encrypted with a password; a service account has a key without one"
        case .escapedLines: "has \\n as two characters where its lines end; use the JSON file as it was downloaded"
        case .cutOff: "is cut off: -----END PRIVATE KEY----- is missing"
        case .unreadable: "is damaged: no key can be read from it"
        case .notRSA: "is not an RSA key"
        case .bits(let bits):
            "has \(bits) bits, \(RSAKey.leastBits) to \(RSAKey.mostBits) are allowed"
        case .signing: "was read, but OpenSSL cannot sign with it"
        }
    }
}
