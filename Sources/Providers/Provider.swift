import HTTPTransport
import PushModel
import Signing

/// One kind of hub: turns a planned post into a request, and a reply into a verdict. Pure; the transport does the
/// waiting.
public protocol Provider: Sendable {
    /// The host that it posts to, for people: without port, IPv6 in brackets.
    var host: String { get }

    /// The first word of its passes, for people: `Bearer`.
    var scheme: String { get }

    /// What people should look at when the service calls many targets invalid: a question, such as "tokens of another
    /// project?". Default: for a service that does not judge single targets.
    var suspicion: String { get }

    /// How it speaks HTTP/2; nil: HTTP/1.1. Default: nil.
    var http2: HTTP2Settings? { get }

    /// - Parameters:
    ///   - id: the caller's own number; returned in the reply.
    ///   - pass: of the hub's `PassSource`, for `host`.
    /// - Throws: `InvalidPost` when the post must not be sent. Trying again does not help.
    func request(for post: Post, id: Int64, with pass: Pass) throws(InvalidPost) -> Request

    /// A test send, as far as the service has one.
    ///
    /// - Parameter tracking: the id that the service's support asks for; nil: the service chooses one.
    /// - Throws: as `request`.
    func testRequest(for post: Post, id: Int64, with pass: Pass, tracking: String?) throws(InvalidPost) -> Request

    /// Never throws: every reply has a verdict, because the messages need a result.
    func answer(to reply: Reply) -> Answer

    /// Seconds by which our clock is ahead of the provider's; nil when the reply has no date.
    func skew(of reply: Reply) -> Double?
}

extension Provider {
    public var suspicion: String { "handles of another hub?" }

    public var http2: HTTP2Settings? { nil }

    public func skew(of reply: Reply) -> Double? { reply.skew }
}
