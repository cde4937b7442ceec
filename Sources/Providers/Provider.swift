import HTTPTransport
import PushModel
import Signing

/// One kind of hub: how a planned post becomes a request, and what its reply means. Pure; the transport does the
/// waiting.
public protocol Provider: Sendable {
    /// - Parameters:
    ///   - id: the caller's own number; comes back in the reply.
    ///   - token: permission for the hub, from `HubTokens`.
    /// - Throws: `InvalidPost` when the post must not leave. Nothing was sent then, and sending it again would be refused
    ///   again.
    func request(for post: Post, id: Int64, signedBy token: SASToken) throws(InvalidPost) -> Request

    /// Never throws for a reply: whatever comes back has a verdict, because somebody has to write it on the messages.
    func answer(to reply: Reply) -> Answer

    /// How far our clock is ahead of the provider's, in seconds; nil when the reply does not tell.
    func skew(of reply: Reply) -> Double?
}

extension Provider {
    /// By the `Date` of the answer, which has whole seconds: half of one is what it leaves out on average.
    public func skew(of reply: Reply) -> Double? {
        guard case .answered(let response) = reply.outcome else { return nil }
        return response["date"].flatMap(HTTPDate.seconds).map { (reply.receivedAt - $0 - 0.5).rounded() + 0 }
    }
}
