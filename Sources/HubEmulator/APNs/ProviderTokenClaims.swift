import PushModel

/// A provider token: a JWT with ES256 (developer.apple.com, "Establishing a token-based connection to APNs").
struct ProviderTokenClaims: Sendable, Equatable {
    /// As in the header `authorization`, without `bearer`.
    let text: String
    /// `kid`.
    let keyID: String
    /// `iss`.
    let team: String
    /// `iat`: seconds since 1970.
    let issuedAt: Double
    /// What the signature is of, and the signature.
    let signed: [UInt8]
    let signature: [UInt8]

    /// Seconds that a token is valid.
    static let longestLife = 3_600.0
    /// Seconds by which the client's clock may be ahead. Our own limit; Apple documents none.
    static let allowedSkew = 300.0

    /// nil: it is no such JWT.
    init?(_ text: String) {
        guard let jwt = JSONWebToken(text), jwt.header["alg"] == .string("ES256"),
            let keyID = jwt.header["kid"]?.text, let team = jwt.claims["iss"]?.text,
            let issuedAt = jwt.claims["iat"].flatMap(Self.seconds)
        else { return nil }
        self.text = text
        self.keyID = keyID
        self.team = team
        self.issuedAt = issuedAt
        signed = jwt.signed
        signature = jwt.signature
    }

    /// APNSwift writes the number as a string, which APNs takes.
    private static func seconds(_ value: JSONValue) -> Double? {
        switch value {
        case .number(let digits), .string(let digits): Double(digits).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    /// The token of a header's value. nil: the value is not `bearer TOKEN`.
    static func text(of authorization: String) -> String? {
        let parts = authorization.split(scalar: " ")
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }
}
