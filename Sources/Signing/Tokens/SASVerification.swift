/// The result of checking a received `Authorization` header.
public enum SASVerification: Sendable, Equatable {
    /// Signed with a key of this policy, not expired, and valid for the requested path.
    case valid(policy: String, rights: Set<Right>)
    /// No token at all.
    case missing
    /// Not a token. The text names the fault and never quotes the token.
    case malformed(String)
    /// No policy has that name, or none of its keys made the signature.
    case invalidSignature
    case expired
    /// Valid for another host, hub or path.
    case wrongScope
}

extension SAS {
    /// Checks a received token as the service does: over the `sr` text as received, so every SDK's spelling passes
    /// (docs/wire/notification-hubs.md, "SAS tokens").
    ///
    /// The signature is checked first: a client that cannot sign learns nothing about expiry and scope.
    ///
    /// - Parameters:
    ///   - header: value of `Authorization`; empty when the header is missing.
    ///   - host: the request's `Host`; a port is ignored.
    ///   - path: the request's path; a query is ignored.
    ///   - keys: every policy that is accepted here; all of the same name are tried, each with both keys.
    ///   - now: seconds since 1970-01-01 UTC. A token is expired from its `se` on.
    public static func verify(
        _ header: String, host: String, path: String, keys: [SASPolicy], now: Int64
    ) -> SASVerification {
        let received: ParsedSAS
        do throws(ParsedSAS.Fault) {
            received = try ParsedSAS(header)
        } catch {
            switch error {
            case .missing: return .missing
            case .malformed(let fault): return .malformed(fault)
            }
        }
        guard let policy = keys.first(where: { $0.name == received.keyName && received.isSigned(by: $0) }) else {
            return .invalidSignature
        }
        guard received.expiry > now else { return .expired }
        guard let scope = SASScope(received.resource), scope.covers(host: host, path: path) else { return .wrongScope }
        return .valid(policy: policy.name, rights: policy.rights)
    }
}
