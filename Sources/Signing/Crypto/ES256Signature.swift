import COpenSSL

/// An ECDSA signature over P-256 in the form of a JWT: r and s of 32 bytes each (RFC 7518 section 3.4). OpenSSL has it as DER,
/// whose numbers lose leading zeros, and get one where the highest bit is set.
struct ES256Signature: Equatable {
    /// 64 bytes.
    let bytes: [UInt8]

    private static let half = 32

    /// - Returns: nil: not the DER of two numbers, or of larger ones than P-256 has.
    init?(der: [UInt8]) {
        let bytes = der.withUnsafeBufferPointer { der -> [UInt8]? in
            guard let start = der.baseAddress else { return nil }
            var next: UnsafePointer<UInt8>? = start
            guard let signature = d2i_ECDSA_SIG(nil, &next, der.count) else {
                ERR_clear_error()
                return nil
            }
            defer { ECDSA_SIG_free(signature) }
            guard next == start + der.count else { return nil }
            var (r, s): (OpaquePointer?, OpaquePointer?)
            ECDSA_SIG_get0(signature, &r, &s)
            guard let r = Self.padded(r), let s = Self.padded(s) else { return nil }
            return r + s
        }
        guard let bytes else { return nil }
        self.bytes = bytes
    }

    private static func padded(_ number: OpaquePointer?) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: half)
        guard BN_bn2binpad(number, &bytes, Int32(half)) == half else {
            ERR_clear_error()
            return nil
        }
        return bytes
    }

    /// - Parameter bytes: as in a token.
    /// - Returns: nil: not 64 of them.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 2 * Self.half else { return nil }
        self.bytes = bytes
    }

    /// What OpenSSL verifies; nil without memory.
    var der: [UInt8]? {
        guard let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let r = BN_bin2bn(bytes, Int32(Self.half), nil)
        let s = BN_bin2bn(Array(bytes.suffix(Self.half)), Int32(Self.half), nil)
        // From here on the signature owns them.
        guard ECDSA_SIG_set0(signature, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        var text: UnsafeMutablePointer<UInt8>?
        let count = i2d_ECDSA_SIG(signature, &text)
        guard count > 0, let text else { return nil }
        defer { free_bytes(text) }
        return Array(UnsafeBufferPointer(start: text, count: Int(count)))
    }
}
