/// HMAC-SHA256 (RFC 2104) over OpenSSL.
public enum HMAC {
    /// One signature with a key that is used once. `KeyedHMAC` is for a key that signs again and again.
    ///
    /// - Returns: 32 bytes.
    public static func sha256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        var signer = KeyedHMAC(key: key)
        return signer.sign(message)
    }
}
