import COpenSSL
import Glibc

/// A certificate that a client shows in the TLS handshake, with its private key, in PEM form.
///
/// A class, so that passes and requests hold one reference to it.
public final class ClientCertificate: Sendable {
    /// The text, with the certificates of its issuers behind it, if it has any.
    public let certificate: String
    public let key: Secret
    /// Of the key; nil: it is not encrypted.
    public let password: Secret?
    /// Seconds since 1970-01-01 UTC from which it holds.
    public let notBefore: Int64
    /// Seconds since 1970-01-01 UTC at which it ends.
    public let notAfter: Int64
    /// `UID` of its subject, which in certificates of Apple is the app's bundle id; nil: it has none.
    public let userID: String?

    /// - Parameter password: of the key. Default: it is not encrypted.
    /// - Throws: `ClientCertificateError`, which never holds any of the texts. A key that is not the certificate's is refused here
    ///   and not in the first handshake.
    public init(certificate: String, key: Secret, password: Secret? = nil) throws(ClientCertificateError) {
        guard certificate.contains("-----BEGIN CERTIFICATE-----") else { throw .notPEM }
        guard certificate.contains("-----END CERTIFICATE-----") else { throw .cutOff }
        guard let x509 = PEMText.certificate(certificate) else { throw .unreadable }
        defer { X509_free(x509) }
        let text = key.reveal()
        guard text.contains("PRIVATE KEY-----") else { throw .keyNotPEM }
        let isEncrypted = text.contains("ENCRYPTED")  // in the label of PKCS#8, and in a line of the older form
        guard let read = PEMText.privateKey(text, password: password) else {
            throw isEncrypted ? password == nil ? .passwordMissing : .password : .keyUnreadable
        }
        defer { EVP_PKEY_free(read) }
        guard X509_check_private_key(x509, read) == 1 else {
            ERR_clear_error()
            throw .keyOfAnother
        }
        guard let notBefore = Self.seconds(X509_get0_notBefore(x509)),
            let notAfter = Self.seconds(X509_get0_notAfter(x509))
        else { throw .unreadable }
        self.certificate = certificate
        self.key = key
        self.password = password
        self.notBefore = notBefore
        self.notAfter = notAfter
        userID = Self.userID(of: x509)
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        var fields = tm()
        guard ASN1_TIME_to_tm(time, &fields) == 1 else {
            ERR_clear_error()
            return nil
        }
        return Int64(timegm(&fields))
    }

    private static func userID(of certificate: OpaquePointer) -> String? {
        var text = [CChar](repeating: 0, count: 256)
        let count = X509_NAME_get_text_by_NID(
            X509_get_subject_name(certificate), NID_userId, &text, Int32(text.count))
        guard count > 0 else { return nil }
        return String(decoding: text.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Why a certificate and its key cannot be used. Never quotes the texts.
public enum ClientCertificateError: Error, Sendable, Equatable, CustomStringConvertible {
    case notPEM
    /// The end is missing.
    case cutOff
    case unreadable
    case keyNotPEM
    case keyUnreadable
    /// The key is encrypted, and there is no password.
    case passwordMissing
    /// The key is encrypted with another one.
    case password
    case keyOfAnother

    public var description: String {
        switch self {
        case .notPEM:
            "certificate is not a PEM text with -----BEGIN CERTIFICATE-----; convert a .p12 with openssl pkcs12"
        case .cutOff: "certificate is cut off: -----END CERTIFICATE----- is missing"
        case .unreadable: "certificate is damaged: it cannot be read"
        case .keyNotPEM: "certificateKey is not a private key in PEM form"
        case .keyUnreadable: "certificateKey is damaged: no key can be read from it"
        case .passwordMissing: "certificateKey is encrypted, and certificatePassword is missing"
        case .password: "certificatePassword is not the one that certificateKey is encrypted with"
        case .keyOfAnother: "certificateKey is not the key of the certificate"
        }
    }
}
