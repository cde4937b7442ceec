import COpenSSL

/// A P-256 key. Freed with the last reference.
final class PrivateKey {
    let raw: OpaquePointer

    init() throws(TestCertificateError) {
        guard let raw = new_p256_key() else { throw TestCertificateError("OpenSSL cannot make a P-256 key") }
        self.raw = raw
    }

    deinit { EVP_PKEY_free(raw) }

    func pem() throws(TestCertificateError) -> String {
        try PEM.text { PEM_write_bio_PrivateKey($0, raw, nil, nil, 0, nil, nil) }
    }
}

/// One certificate in the making. Owns its OpenSSL object; OpenSSL copies or retains what it is given.
final class X509Builder {
    private let raw: OpaquePointer

    private static let day = 86_400

    /// - Parameters:
    ///   - name: the common name of its subject.
    ///   - userID: its `UID`; nil: none.
    init(name: String, userID: String? = nil, key: PrivateKey) throws(TestCertificateError) {
        guard let raw = X509_new() else { throw TestCertificateError("OpenSSL has no memory") }
        self.raw = raw
        // 127 random bits: the authorities of two emulators share a name, and a client may keep both.
        var serial = [UInt8](repeating: 0, count: 16)
        guard RAND_bytes(&serial, 16) == 1 else { throw TestCertificateError("OpenSSL has no random bytes") }
        serial[0] = serial[0] & 0x7F | 0x40
        guard let number = BN_bin2bn(serial, 16, nil) else { throw TestCertificateError("OpenSSL has no memory") }
        defer { BN_free(number) }
        guard X509_set_version(raw, 2) == 1,  // counted from 0: version 3
            BN_to_ASN1_INTEGER(number, X509_get_serialNumber(raw)) != nil,
            // A day ago, because the clocks of containers and virtual machines differ.
            X509_gmtime_adj(X509_getm_notBefore(raw), -Self.day) != nil,
            X509_gmtime_adj(X509_getm_notAfter(raw), 30 * Self.day) != nil,
            X509_set_pubkey(raw, key.raw) == 1,
            X509_NAME_add_entry_by_txt(
                X509_get_subject_name(raw), "CN", MBSTRING_UTF8, Array(name.utf8), Int32(name.utf8.count), -1, 0) == 1
        else { throw TestCertificateError("OpenSSL cannot begin a certificate") }
        guard let userID else { return }
        let id = Array(userID.utf8)
        guard
            X509_NAME_add_entry_by_txt(
                X509_get_subject_name(raw), "UID", MBSTRING_UTF8, id, Int32(id.count), -1, 0) == 1
        else { throw TestCertificateError("\(userID) cannot be in a certificate") }
    }

    deinit { X509_free(raw) }

    /// - Parameters:
    ///   - kind: one of OpenSSL's `NID_...`.
    ///   - value: as in an OpenSSL configuration file.
    func extend(_ kind: Int32, _ value: String, issuer: X509Builder) throws(TestCertificateError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer.raw, raw, nil, nil, 0)
        guard let made = X509V3_EXT_conf_nid(nil, &context, kind, value) else {
            throw TestCertificateError("OpenSSL cannot put \(value) into a certificate")
        }
        defer { X509_EXTENSION_free(made) }
        guard X509_add_ext(raw, made, -1) == 1 else { throw TestCertificateError("OpenSSL has no memory") }
    }

    func sign(by key: PrivateKey, named issuer: X509Builder) throws(TestCertificateError) {
        guard X509_set_issuer_name(raw, X509_get_subject_name(issuer.raw)) == 1,
            X509_sign(raw, key.raw, EVP_sha256()) > 0
        else { throw TestCertificateError("OpenSSL cannot sign a certificate") }
    }

    func pem() throws(TestCertificateError) -> String { try PEM.text { PEM_write_bio_X509($0, raw) } }
}

private enum PEM {
    /// - Parameter write: returns 1 on success.
    static func text(_ write: (OpaquePointer) -> Int32) throws(TestCertificateError) -> String {
        guard let memory = BIO_new(BIO_s_mem()) else { throw TestCertificateError("OpenSSL has no memory") }
        defer { BIO_free(memory) }
        var bytes: UnsafeMutablePointer<CChar>?
        guard write(memory) == 1 else { throw TestCertificateError("OpenSSL cannot write PEM") }
        let count = memory_bytes(memory, &bytes)
        guard count > 0, let bytes else { throw TestCertificateError("OpenSSL cannot write PEM") }
        return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
