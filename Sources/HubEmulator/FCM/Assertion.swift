import PushModel
import Signing

/// What a service account signs to get an access token: a JWT with RS256 (RFC 7523; "Using OAuth 2.0 for Server to Server
/// Applications" on developers.google.com).
struct Assertion: Sendable {
    /// `kid`.
    let keyID: String?
    /// `iss`.
    let issuer: String
    let audience: String
    let scopes: Set<String>
    /// `iat` and `exp`: seconds since 1970.
    let issuedAt: Double
    let expires: Double
    private let signed: [UInt8]
    private let signature: [UInt8]

    /// Scopes of which one is needed to send.
    static let sendScopes: Set<String> = [
        "https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform",
    ]
    /// The audience that Google's clients name, wherever they post.
    static let googleAudience = "https://oauth2.googleapis.com/token"
    /// Seconds between `iat` and `exp` at most.
    static let longestLife = 3_600.0
    /// Seconds by which the client's clock may be ahead. Our own limit; Google documents none.
    static let allowedSkew = 300.0

    /// - Throws: `GrantError` for what is no such JWT.
    init(_ jwt: String) throws(GrantError) {
        guard let jwt = JSONWebToken(jwt) else {
            throw .invalidGrant("Invalid JWT: it is not header.claims.signature in base64url.")
        }
        let claims = jwt.claims
        guard jwt.header["alg"] == .string("RS256") else {
            throw .invalidGrant("Invalid JWT: alg is not RS256.")
        }
        func seconds(_ name: String) throws(GrantError) -> Double {
            guard case .number(let digits) = claims[name], let seconds = Double(digits), seconds.isFinite else {
                throw .invalidGrant("Invalid JWT: \(name) is missing, or no number.")
            }
            return seconds
        }
        guard let issuer = claims["iss"]?.text else { throw .invalidGrant("Invalid JWT: iss is missing.") }
        keyID = jwt.header["kid"]?.text
        self.issuer = issuer
        audience = claims["aud"]?.text ?? ""
        scopes = Set((claims["scope"]?.text ?? "").split(scalar: " ").map(String.init))
        issuedAt = try seconds("iat")
        expires = try seconds("exp")
        signed = jwt.signed
        signature = jwt.signature
    }

    /// Checks signature, times, audience and scope.
    ///
    /// - Parameters:
    ///   - audiences: those that mean this emulator, beside Google's.
    ///   - now: seconds since 1970, by the clock of the clients.
    func check(
        by key: RSAVerification, keyID: String?, audiences: Set<String>, now: Double
    ) throws(GrantError) {
        if let named = self.keyID, let keyID, named != keyID { throw .invalidGrant("Invalid JWT Signature.") }
        guard key.isValid(signature, of: signed) else { throw .invalidGrant("Invalid JWT Signature.") }
        guard audience == Self.googleAudience || audiences.contains(audience) else {
            throw .invalidGrant("Invalid JWT: Failed audience check.")
        }
        guard issuedAt <= now + Self.allowedSkew, expires > now, expires > issuedAt,
            expires - issuedAt <= Self.longestLife
        else {
            throw .invalidGrant(
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your "
                    + "iat and exp values in the JWT claim.")
        }
        guard !scopes.isDisjoint(with: Self.sendScopes) else {
            throw GrantError(
                "invalid_scope", "No scope allows sending: https://www.googleapis.com/auth/firebase.messaging does.")
        }
    }
}

/// A refused request for an access token: `{"error", "error_description"}` (RFC 6749, section 5.2), with 400.
struct GrantError: Error, Equatable {
    /// `invalid_grant`.
    let word: String
    let description: String

    init(_ word: String, _ description: String) {
        self.word = word
        self.description = description
    }

    static func invalidGrant(_ description: String) -> GrantError { GrantError("invalid_grant", description) }

    var response: Response {
        FCMJSON.response(["error": word, "error_description": description], status: 400)
    }
}
