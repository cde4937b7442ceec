import COpenSSL

/// An RSA key pair as PEM, for servers in tests that check what clients sign. Fanfare itself never makes RSA keys.
public struct RSAKeyPair: Sendable {
    /// PKCS#8 (`BEGIN PRIVATE KEY`).
    public let privateKey: Secret
    /// SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`).
    public let publicKey: String

    /// Makes a new pair. It takes about 100 ms for 2,048 bits.
    ///
    /// - Parameter bits: at least 512, which OpenSSL makes. Default: 2,048, as Google's service accounts have.
    public static func generate(bits: Int = 2_048) -> RSAKeyPair {
        // Fails only in a broken installation or without memory.
        guard let key = new_rsa_key(bits), let pair = RSAKeyPair(key) else {
            fatalError("this OpenSSL makes no RSA key of \(bits) bits")
        }
        EVP_PKEY_free(key)
        return pair
    }

    /// Reads a private key, and derives the public one.
    ///
    /// - Parameter privateKey: PEM without a passphrase: PKCS#8 or PKCS#1.
    /// - Returns: nil: it is not an RSA key in PEM.
    public init?(privateKey: Secret) {
        guard let key = PEMText.privateKey(privateKey.reveal()) else { return nil }
        defer { EVP_PKEY_free(key) }
        self.init(key)
    }

    /// The caller keeps the key and frees it.
    private init?(_ key: OpaquePointer) {
        guard EVP_PKEY_is_a(key, "RSA") == 1,
            let secret = PEMText.written(by: { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }),
            let open = PEMText.written(by: { PEM_write_bio_PUBKEY($0, key) })
        else { return nil }
        privateKey = Secret(secret)
        publicKey = open
    }
}
