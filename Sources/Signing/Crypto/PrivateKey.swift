import COpenSSL

/// A private key as OpenSSL holds it; freed with the value. Signs over SHA-256.
struct PrivateKey: ~Copyable {
    private let key: OpaquePointer

    /// Bytes of a PEM text: four times those of the largest key.
    static let textLimit = 32_768

    /// Takes the key over.
    init(_ key: OpaquePointer) { self.key = key }

    deinit { EVP_PKEY_free(key) }

    /// Not RSA-PSS, which signs otherwise.
    var isRSA: Bool { EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA }

    /// Its points are on an elliptic curve. Not Ed25519 and its siblings, which sign otherwise.
    var isOnCurve: Bool { EVP_PKEY_get_base_id(key) == EVP_PKEY_EC }

    /// OpenSSL's name of the curve: `prime256v1`. nil: not on a curve, or on one without a name.
    var curve: String? {
        var name = [CChar](repeating: 0, count: 80)
        var count = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else {
            ERR_clear_error()
            return nil
        }
        return String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    var bits: Int { Int(EVP_PKEY_get_bits(key)) }

    /// SubjectPublicKeyInfo in PEM form; nil when OpenSSL fails.
    var publicKey: String? {
        let text = PEMText.written { PEM_write_bio_PUBKEY($0, key) }
        if text == nil { ERR_clear_error() }
        return text
    }

    /// - Returns: nil when OpenSSL refuses.
    func sign(_ message: [UInt8]) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        var count = 0
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, nil, &count, message, message.count) == 1
        else {
            ERR_clear_error()
            return nil
        }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else {
            ERR_clear_error()
            return nil
        }
        return Array(signature.prefix(count))
    }

    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}
