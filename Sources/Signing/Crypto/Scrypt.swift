import COpenSSL

/// scrypt (RFC 7914) over OpenSSL.
enum Scrypt {
    /// - Parameters:
    ///   - cost: within its bounds.
    ///   - bytes: of the hash.
    /// - Returns: nil when there is no memory for it.
    static func hash(of password: [UInt8], salt: [UInt8], cost: PasswordHash.Cost, bytes: Int) -> [UInt8]? {
        var hash = [UInt8](repeating: 0, count: bytes)
        let isMade = password.withUnsafeBytes { password in
            // OpenSSL takes bytes for `char`; without an address, and so without a length, it is the empty password.
            EVP_PBE_scrypt(
                password.baseAddress?.assumingMemoryBound(to: CChar.self), password.count, salt, salt.count,
                1 << UInt64(cost.ln), UInt64(cost.r), UInt64(cost.p), UInt64(cost.memory), &hash, bytes)
        }
        guard isMade == 1 else {
            ERR_clear_error()
            return nil
        }
        return hash
    }
}
