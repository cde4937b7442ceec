/// Why a server has ended TLS, in its own word: the alert of RFC 8446 section 6.2.
struct TLSAlert: Equatable {
    let code: UInt8

    /// - Parameter code: as the TLS library reports it, its lower byte counts.
    /// - Returns: nil for an orderly end, or none.
    init?(_ code: Int32) {
        self.code = UInt8(truncatingIfNeeded: code)
        if code < 0 || self.code == 0 || self.code == 90 { return nil }
    }

    var name: String { Self.names[code] ?? "\(code)" }

    /// For operators.
    ///
    /// - Parameter showedCertificate: whether we have a client certificate for this server.
    func words(showedCertificate: Bool) -> String {
        guard isAboutCertificate else { return "the server ended TLS with the alert \(name)" }
        return showedCertificate
            ? "the server refused our client certificate: \(name)"
            : "the server wants a client certificate, and there is none: \(name)"
    }

    /// Whether it is about the certificate of the one who gets it. A client has one only where the server asks for it.
    var isAboutCertificate: Bool { [41, 42, 43, 44, 45, 46, 48, 49, 116].contains(code) }

    private static let names: [UInt8: String] = [
        10: "unexpected_message", 20: "bad_record_mac", 21: "decryption_failed", 22: "record_overflow",
        40: "handshake_failure", 41: "no_certificate", 42: "bad_certificate", 43: "unsupported_certificate",
        44: "certificate_revoked", 45: "certificate_expired", 46: "certificate_unknown", 47: "illegal_parameter",
        48: "unknown_ca", 49: "access_denied", 50: "decode_error", 51: "decrypt_error", 70: "protocol_version",
        71: "insufficient_security", 80: "internal_error", 86: "inappropriate_fallback", 100: "no_renegotiation",
        109: "missing_extension", 110: "unsupported_extension", 112: "unrecognized_name",
        113: "bad_certificate_status_response", 115: "unknown_psk_identity", 116: "certificate_required",
        120: "no_application_protocol",
    ]
}
