/// Shared access signatures as Notification Hubs takes them (notification-hubs.md section 2).
public enum SAS {
    /// Signs a token in our canonical form: the resource lower-cased, percent-encoded with lower-case digits; fields
    /// in the order sr, sig, se, skn; the key's UTF-8 bytes as they stand, not base64-decoded.
    ///
    /// - Parameters:
    ///   - resource: URL the token is good for, and all below it: `https://host[:port]/hub`, no trailing slash.
    ///   - keyName: the name of the access policy.
    ///   - expiry: seconds since 1970-01-01 UTC.
    public static func token(resource: String, keyName: String, key: Secret, expiry: Int64) -> SASToken {
        var signer = KeyedHMAC(key: Array(key.reveal().utf8))
        return token(resource: resource, keyName: keyName, signer: &signer, expiry: expiry)
    }

    /// As above, with a signer that already holds the key.
    static func token(resource: String, keyName: String, signer: inout KeyedHMAC, expiry: Int64) -> SASToken {
        let scope = encode(resource.lowercased())
        let signature = Base64.encode(signer.sign(toSign(scope: scope, expiry: String(expiry))))
        let header = """
            SharedAccessSignature sr=\(scope)&sig=\(encode(signature))&se=\(expiry)&skn=\(encode(keyName))
            """
        return SASToken(header: Secret(header), expiry: expiry)
    }

    /// Keeps RFC 3986 unreserved characters, everything else becomes `%xx` in lower case.
    public static func encode(_ text: String) -> String {
        PercentEncoding.encode(text)
    }

    /// What is signed: both fields exactly as they stand in the token. The documentation's prose says "unencoded"; its
    /// code and every SDK sign the encoded form.
    static func toSign(scope: some StringProtocol, expiry: some StringProtocol) -> [UInt8] {
        Array(scope.utf8) + [UInt8(ascii: "\n")] + Array(expiry.utf8)
    }
}
