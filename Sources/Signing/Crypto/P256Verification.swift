import COpenSSL

/// Checks ES256 signatures with one public key: ECDSA over P-256 with SHA-256 (RFC 7518, section 3.4).
public final class P256Verification: Sendable {
    // Immutable after init; OpenSSL 3 allows concurrent use of a key that nobody changes.
    private nonisolated(unsafe) let key: OpaquePointer

    /// - Parameter publicKey: PEM, SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`), as `P256Key.publicKey`.
    /// - Returns: nil: it is not a key on P-256 in PEM.
    public init?(publicKey: String) {
        guard let key = PEMText.publicKey(publicKey) else { return nil }
        var name = [CChar](repeating: 0, count: 80)
        var count = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1,
            name.prefix(count).elementsEqual(P256Key.curve.utf8.map { CChar($0) })
        else {
            EVP_PKEY_free(key)
            ERR_clear_error()
            return nil
        }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Whether `signature`, r and s, was made of exactly this message with the private key.
    public func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let der = ES256Signature(signature)?.der, let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        let verdict = EVP_DigestVerify(context, der, der.count, message, message.count)
        if verdict != 1 { ERR_clear_error() }
        return verdict == 1
    }
}
