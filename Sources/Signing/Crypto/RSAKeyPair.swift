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

/// PEM through OpenSSL's memory BIO.
enum PEMText {
    /// - Parameter write: returns 1 on success.
    /// - Returns: nil: `write` failed.
    static func written(by write: (OpaquePointer) -> Int32) -> String? {
        guard let memory = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(memory) }
        var bytes: UnsafeMutablePointer<CChar>?
        guard write(memory) == 1 else { return nil }
        let count = memory_bytes(memory, &bytes)
        guard let bytes, count > 0 else { return nil }
        // Copied: the BIO owns the bytes.
        return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// - Returns: nil: the text is no private key. The caller frees the key.
    static func privateKey(_ text: String) -> OpaquePointer? {
        // With a callback that gives no passphrase: OpenSSL would ask for one at the terminal.
        key(text) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in 0 }, nil) }
    }

    /// - Returns: nil: the text is no public key. The caller frees the key.
    static func publicKey(_ text: String) -> OpaquePointer? {
        key(text) { PEM_read_bio_PUBKEY($0, nil, { _, _, _, _ in 0 }, nil) }
    }

    private static func key(_ text: String, _ read: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count < 65_536 else { return nil }
        return bytes.withUnsafeBytes { bytes in
            guard let memory = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(memory) }
            let key = read(memory)
            // A failed read leaves its reason in this thread's queue, where TLS would find it later.
            if key == nil { ERR_clear_error() }
            return key
        }
    }
}
