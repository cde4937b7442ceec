import COpenSSL

/// Checks RS256 signatures with one public key: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, section 3.3).
public final class RSAVerification: Sendable {
    // Immutable after init; OpenSSL 3 allows concurrent use of a key that nobody changes.
    private nonisolated(unsafe) let key: OpaquePointer
    /// Of the modulus.
    public let bits: Int

    /// - Parameter publicKey: PEM, SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`).
    /// - Returns: nil: it is not an RSA key in PEM.
    public init?(publicKey: String) {
        guard let key = PEMText.publicKey(publicKey) else { return nil }
        guard EVP_PKEY_is_a(key, "RSA") == 1 else {
            EVP_PKEY_free(key)
            return nil
        }
        self.key = key
        bits = Int(EVP_PKEY_get_bits(key))
    }

    deinit { EVP_PKEY_free(key) }

    /// Whether `signature` was made of exactly this message with the private key.
    public func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        let verdict = EVP_DigestVerify(context, signature, signature.count, message, message.count)
        if verdict != 1 { ERR_clear_error() }
        return verdict == 1
    }
}
