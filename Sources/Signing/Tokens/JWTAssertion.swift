/// What a service account shows to get an access token: a JWT that its key signed (RFC 7523 section 2.1; docs/wire/fcm-apns.md,
/// "Access token").
public enum JWTAssertion {
    /// The right that the access token gives: sending, and nothing else of the project.
    public static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// Whom the assertion is for: Google's token endpoint, also when it is posted to another address, as google-auth has it.
    public static let audience = "https://oauth2.googleapis.com/token"
    /// Seconds an assertion holds; the most that Google takes.
    public static let lifetime: Int64 = 3_600

    /// Signs header and claims in this order and without blanks: one account and second always give the same text.
    ///
    /// - Parameter now: seconds since 1970-01-01 UTC.
    /// - Throws: `RSAKeyError.signing`.
    public static func sign(for account: ServiceAccount, now: Int64) throws(RSAKeyError) -> Secret {
        let keyID = account.keyID.map { #","kid":"\#($0)""# } ?? ""
        let header = #"{"alg":"RS256","typ":"JWT"\#(keyID)}"#
        let claims =
            #"{"iss":"\#(account.email)","scope":"\#(scope)","aud":"\#(audience)","#
            + #""iat":\#(now),"exp":\#(now + lifetime)}"#
        // Nothing to escape: the parser of accounts refuses quotes and backslashes.
        let signed = [header, claims].map { Base64.encodeURL(Array($0.utf8)) }.joined(separator: ".")
        return Secret("\(signed).\(Base64.encodeURL(try account.key.sign(Array(signed.utf8))))")
    }
}
