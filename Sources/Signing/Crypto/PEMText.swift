import COpenSSL

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
        key(text) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    /// - Parameter password: nil: the key is not encrypted.
    /// - Returns: nil: the text is no private key, or encrypted with another password. The caller frees the key.
    static func privateKey(_ text: String, password: Secret?) -> OpaquePointer? {
        guard let password else { return privateKey(text) }
        // Without a callback OpenSSL takes the last argument for the password.
        return password.reveal().withCString { password in
            key(text) { PEM_read_bio_PrivateKey($0, nil, nil, UnsafeMutableRawPointer(mutating: password)) }
        }
    }

    /// - Returns: nil: the text does not begin with a certificate. The caller frees it.
    static func certificate(_ text: String) -> OpaquePointer? {
        key(text) { PEM_read_bio_X509($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    /// - Returns: nil: the text is no public key. The caller frees the key.
    static func publicKey(_ text: String) -> OpaquePointer? {
        key(text) { PEM_read_bio_PUBKEY($0, nil, { _, _, _, _ in -1 }, nil) }
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
