/// Shared access signatures for Notification Hubs (docs/wire/notification-hubs.md, "SAS tokens").
public enum SAS {
    /// Signs a token in our canonical form: the resource lower-cased and percent-encoded with lower-case digits; fields
    /// in the order sr, sig, se, skn; the key's UTF-8 bytes as they are, not base64-decoded.
    ///
    /// - Parameters:
    ///   - resource: URL that the token is valid for, with everything below: `https://host[:port]/hub`, no trailing
    ///     slash.
    ///   - keyName: the name of the access policy.
    ///   - expiry: seconds since 1970-01-01 UTC.
    public static func token(resource: String, keyName: String, key: Secret, expiry: Int64) -> SASToken {
        var signer = KeyedHMAC(key: Array(key.reveal().utf8))
        return token(resource: resource, keyName: keyName, signer: &signer, expiry: expiry)
    }

    /// Signs with a signer that already holds the key.
    static func token(resource: String, keyName: String, signer: inout KeyedHMAC, expiry: Int64) -> SASToken {
        let scope = encode(resource.lowercased())
        let signature = Base64.encode(signer.sign(toSign(scope: scope, expiry: String(expiry))))
        let header = """
            SharedAccessSignature sr=\(scope)&sig=\(encode(signature))&se=\(expiry)&skn=\(encode(keyName))
            """
        return SASToken(header: Secret(header), expiry: expiry)
    }

    /// Keeps the unreserved characters of RFC 3986; everything else becomes `%xx` in lower case.
    public static func encode(_ text: String) -> String {
        PercentEncoding.encode(text)
    }

    /// The bytes to sign: both fields exactly as in the token. The service's documentation says "unencoded", but its
    /// code and every SDK sign the encoded form.
    static func toSign(scope: some StringProtocol, expiry: some StringProtocol) -> [UInt8] {
        Array(scope.utf8) + [UInt8(ascii: "\n")] + Array(expiry.utf8)
    }
}

/// A shared access signature: permission for everything under one resource until `expiry`.
public struct SASToken: Sendable, Equatable {
    /// The whole value of the `Authorization` header, `SharedAccessSignature sr=...`.
    public let header: Secret
    /// Seconds since 1970-01-01 UTC; refused from that second on.
    public let expiry: Int64

    public init(header: Secret, expiry: Int64) {
        self.header = header
        self.expiry = expiry
    }
}
