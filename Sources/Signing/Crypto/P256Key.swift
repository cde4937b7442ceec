/// A private key on the curve P-256 that signs ES256 (RFC 7518 section 3.4).
///
/// Keeps the text and reads it for each signature, which takes less than a millisecond: a token is signed once in 50 minutes,
/// and a value without a handle of OpenSSL crosses threads freely.
public struct P256Key: Sendable {
    private let pem: Secret
    /// The open half, as SubjectPublicKeyInfo in PEM form. Two texts of one key have the same.
    public let publicKey: String

    /// OpenSSL's name of P-256.
    static let curve = "prime256v1"

    /// - Parameter pem: PKCS#8 (`-----BEGIN PRIVATE KEY-----`), as Apple's .p8, or SEC1 (`-----BEGIN EC PRIVATE KEY-----`);
    ///   without a passphrase.
    /// - Throws: `P256KeyError`, which never holds any of the text. A key that does not sign is refused here and not with
    ///   the first push: its numbers are tried with one signature.
    public init(pem: Secret) throws(P256KeyError) {
        let key = try Self.read(pem)
        guard key.isOnCurve else { throw .otherKind }
        guard key.curve == Self.curve else { throw .otherCurve(key.curve) }
        let probe = Array("ES256".utf8)
        guard let signature = key.sign(probe), key.verifies(signature, of: probe), let publicKey = key.publicKey
        else { throw .unreadable }
        self.pem = pem
        self.publicKey = publicKey
    }

    /// - Returns: 64 bytes, r and s. The same message gets other bytes each time.
    /// - Throws: `.signing` when OpenSSL cannot sign with a key that it has accepted: no memory, or a broken installation.
    public func sign(_ message: [UInt8]) throws(P256KeyError) -> [UInt8] {
        guard let der = try Self.read(pem).sign(message), let signature = ES256Signature(der: der) else {
            throw .signing
        }
        return signature.bytes
    }

    private static func read(_ pem: Secret) throws(P256KeyError) -> PrivateKey {
        var text = pem.reveal()
        // A byte order mark, as Windows editors leave it.
        if text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) { text.unicodeScalars.removeFirst() }
        try checkFrame(text)
        guard let key = PEMText.privateKey(text) else { throw .unreadable }
        return PrivateKey(key)
    }

    private static let begin = "-----BEGIN "

    private static func checkFrame(_ text: String) throws(P256KeyError) {
        guard text.utf8.count <= PrivateKey.textLimit else { throw .unreadable }
        guard text.drop(while: \.isWhitespace).hasPrefix(begin) else { throw .notPEM }
        let labels = text.ranges(of: begin).map { text[$0.upperBound...].prefix { $0 != "-" && !$0.isNewline } }
        let keys = labels.filter { $0.hasSuffix("PRIVATE KEY") }
        guard let label = keys.first else { throw .notPEM }
        guard keys.count == 1 else { throw .severalKeys }
        // In the older form the label is that of a plain key.
        if label == "ENCRYPTED PRIVATE KEY" || text.contains("Proc-Type: 4,ENCRYPTED") { throw .encrypted }
        guard label == "PRIVATE KEY" || label == "EC PRIVATE KEY" else { throw .otherKind }
        if text.contains("\\n") { throw .escapedLines }
        guard text.contains("-----END \(label)-----") else { throw .cutOff }
    }
}

extension P256Key: Hashable {
    /// By the open half: the other one follows from it.
    public static func == (one: P256Key, other: P256Key) -> Bool { one.publicKey == other.publicKey }

    public func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }
}

/// Why a text is no key that signs ES256. Never quotes the text.
public enum P256KeyError: Error, Sendable, Equatable {
    case notPEM
    /// More than one private key: nobody knows which one is meant.
    case severalKeys
    case encrypted
    /// `\n` as two characters instead of line ends.
    case escapedLines
    /// The end is missing.
    case cutOff
    /// Damaged: not a key, or numbers that do not belong together.
    case unreadable
    /// RSA, Ed25519 and others.
    case otherKind
    /// OpenSSL's name of the curve; nil: it has none.
    case otherCurve(String?)
    case signing
}

extension P256KeyError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notPEM:
            "is not a PEM text that begins with -----BEGIN PRIVATE KEY-----; put the text of the .p8 file here, not its name"
        case .severalKeys: "holds more than one private key; leave the one that is meant"
        case .encrypted: "is encrypted with a password; Apple gives out a .p8 without one"
        case .escapedLines: "has \\n as two characters where its lines end; use the .p8 file as it was downloaded"
        case .cutOff: "is cut off: its last line, -----END PRIVATE KEY-----, is missing"
        case .unreadable: "is damaged: no key can be read from it"
        case .otherKind: "is not a key on an elliptic curve; Apple's .p8 is one, on P-256"
        case .otherCurve(let name):
            "is on the curve \(name ?? "of its own numbers"), and ES256 needs P-256, as Apple's .p8 has it"
        case .signing: "was read, but OpenSSL cannot sign with it"
        }
    }
}
