import HTTPTransport
import PushModel
import Signing

/// One kind of hub: turns a planned post into a request, and a reply into a verdict. Pure; the transport does the
/// waiting.
public protocol Provider: Sendable {
    /// The host that it posts to, for people: without port, IPv6 in brackets.
    var host: String { get }

    /// - Parameters:
    ///   - id: the caller's own number; returned in the reply.
    ///   - token: permission for the hub, from `HubTokens`.
    /// - Throws: `InvalidPost` when the post must not be sent. Trying again does not help.
    func request(for post: Post, id: Int64, signedBy token: SASToken) throws(InvalidPost) -> Request

    /// Never throws: every reply has a verdict, because the messages need a result.
    func answer(to reply: Reply) -> Answer

    /// Seconds by which our clock is ahead of the provider's; nil when the reply has no date.
    func skew(of reply: Reply) -> Double?
}

extension Provider {
    /// From the `Date` header, which omits half a second on average because it has whole seconds.
    public func skew(of reply: Reply) -> Double? {
        guard case .answered(let response) = reply.outcome else { return nil }
        return response["date"].flatMap(HTTPDate.seconds).map { (reply.receivedAt - $0 - 0.5).rounded() + 0 }
    }
}
