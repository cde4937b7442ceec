/// What a team shows APNs: a JWT that its key signed (docs/wire/fcm-apns.md, "Provider token").
public enum ProviderToken {
    /// Seconds after `iat` from which APNs refuses it.
    public static let lifetime: Int64 = 3_600

    /// Signs header and claims in this order and without blanks. There is no `exp`: the age counts from `iat`.
    ///
    /// - Parameter now: seconds since 1970-01-01 UTC.
    /// - Returns: `HEADER.CLAIMS.SIGNATURE`
    /// - Throws: `P256KeyError.signing`.
    public static func sign(with key: ProviderKey, now: Int64) throws(P256KeyError) -> Secret {
        // Nothing to escape: ids are letters and digits.
        let header = #"{"alg":"ES256","kid":"\#(key.keyID)"}"#
        let claims = #"{"iss":"\#(key.team)","iat":\#(now)}"#
        let signed = [header, claims].map { Base64.encodeURL(Array($0.utf8)) }.joined(separator: ".")
        return Secret("\(signed).\(Base64.encodeURL(try key.key.sign(Array(signed.utf8))))")
    }
}
