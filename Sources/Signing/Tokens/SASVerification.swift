/// What a received `Authorization` header is worth.
public enum SASVerification: Sendable, Equatable {
    /// Signed with a key of this policy, not expired, and good for the path asked for.
    case valid(policy: String, rights: Set<Right>)
    /// No token at all.
    case missing
    /// Not a token; the text names the fault and never quotes the token.
    case malformed(String)
    /// No policy of that name, or none of its keys made this signature.
    case invalidSignature
    case expired
    /// Good for another host, hub or path.
    case wrongScope
}

extension SAS {
    /// Checks a received token the way the service does: over the `sr` text as it came, so every SDK's spelling passes
    /// (notification-hubs.md section 10 point 1).
    ///
    /// The signature is looked at first: who cannot sign learns nothing about time and scope.
    ///
    /// - Parameters:
    ///   - header: value of `Authorization`; empty when there was none.
    ///   - host: the request's `Host`; a port is ignored.
    ///   - path: the request's path; a query is ignored.
    ///   - keys: every policy that may be used here; all of one name are tried, each with both keys.
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
