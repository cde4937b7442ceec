import COpenSSL

/// A key pair on P-256 as PEM, for servers in tests that check what clients sign. Fanfare itself never makes such keys.
public struct P256KeyPair: Sendable {
    /// PKCS#8 (`BEGIN PRIVATE KEY`), as Apple's .p8.
    public let privateKey: Secret
    /// SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`).
    public let publicKey: String

    /// Makes a new pair.
    public static func generate() -> P256KeyPair {
        // Fails only in a broken installation or without memory.
        guard let key = new_p256_key(),
            let secret = PEMText.written(by: { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }),
            let open = PEMText.written(by: { PEM_write_bio_PUBKEY($0, key) })
        else { fatalError("this OpenSSL makes no key on P-256") }
        EVP_PKEY_free(key)
        return P256KeyPair(privateKey: Secret(secret), publicKey: open)
    }

    private init(privateKey: Secret, publicKey: String) {
        (self.privateKey, self.publicKey) = (privateKey, publicKey)
    }

    /// Reads a private key, and derives the public one.
    ///
    /// - Returns: nil: `P256Key` takes no such text.
    public init?(privateKey: Secret) {
        guard let key = try? P256Key(pem: privateKey) else { return nil }
        self.init(privateKey: privateKey, publicKey: key.publicKey)
    }

    /// Signs with ES256 (RFC 7518, section 3.4).
    ///
    /// - Returns: r and s, 64 bytes; others each time. nil: OpenSSL has no memory.
    public func signature(of message: [UInt8]) -> [UInt8]? { try? P256Key(pem: privateKey).sign(message) }
}
