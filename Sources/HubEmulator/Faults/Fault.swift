/// One simulated fault: which requests it matches, when it strikes, and what happens then.
///
/// Faults act before the token is checked, like a gateway in front of the hub.
public struct Fault: Sendable, Equatable {
    /// Which of the hub's matching requests, counted from 1 since the fault was set.
    public enum Moment: Sendable, Equatable {
        /// Only the n-th.
        case nth(Int)
        /// The k-th, the 2k-th, ...
        case every(Int)
        /// The first n.
        case next(Int)
        /// Each with this probability, 0 to 1. The same seed strikes the same requests.
        case probability(Double, seed: UInt64)
        /// Those beyond a token bucket that holds `burst` requests and refills by `rate` per second (the emulator's
        /// clock). Unless `retryAfter` is set, `Retry-After` in the response says when the next one would pass.
        case beyond(rate: Double, burst: Int)
    }

    public enum RetryAfter: Sendable, Equatable {
        /// `Retry-After: n`, whole seconds.
        case seconds(Int)
        /// `Retry-After` as an HTTP date, this many seconds from now.
        case date(inSeconds: Int)
        /// `x-ms-retry-after-ms: n`.
        case milliseconds(Int)
        /// `retry-after-ms: n`.
        case plainMilliseconds(Int)
    }

    public enum Closing: String, Sendable, Codable, CaseIterable {
        /// As soon as the head of the request has arrived.
        case beforeBody = "before-body"
        /// After the whole request was read, without a response: for the sender a lost response.
        case afterBody = "after-body"
        /// After the head of the response, which announced a body.
        case afterHead = "after-head"
        /// In the middle of the response body, whose full length was announced.
        case midAnswer = "mid-answer"
        /// HTTP/2: after the whole request was read its stream alone is reset, with `streamCode`. HTTP/1.1: the connection is.
        case stream
        /// Never: the whole request was read, nothing is sent, and the connection stays open.
        case never

        /// Whether nothing is sent.
        var isSilent: Bool {
            switch self {
            case .beforeBody, .afterBody, .stream, .never: true
            case .afterHead, .midAnswer: false
            }
        }
    }

    /// Which keys of every policy are no longer valid.
    public enum Keys: String, Sendable, Codable, CaseIterable {
        case primary
        case both
    }

    /// nil: every hub, each with its own count.
    public var hub: String?
    /// Empty: every kind of send (`send`, `direct`, `batch`, `test`, `fcm`, `apns`, and `schedule` except cancelling).
    public var operations: Set<Operation> = []
    /// Only requests whose `ServiceBusNotification-Tags` contain this tag, or whose FCM topic or condition contains this topic,
    /// alone or with others. Case-insensitive.
    public var tag: String?
    public var moment: Moment
    /// Replaces the hub's own response. nil: the hub responds normally. Default for `beyond`: 429.
    public var status: Int?
    public var retryAfter: RetryAfter?
    /// Of a response of FCM: the `errorCode` of its detail `FcmError`, or at `/token` the word in `error`. Of one of APNs: its
    /// `reason`. nil: the usual one of the status, if any.
    public var errorCode: String?
    /// The body is an HTML page, as from a proxy, instead of the service's XML or JSON.
    public var html = false
    /// Delay before the response or the close. 0 to 600,000 ms.
    public var delayMilliseconds = 0
    /// Upper bound of a random delay that starts at `delayMilliseconds`. 0: the delay is constant.
    public var delayUpToMilliseconds = 0
    /// Seed of the random delay: the same seed gives the same delays. A probability has its own seed, used for both.
    public var seed: UInt64 = 0
    /// The response body is sent byte by byte with this pause. 0: all at once. At most 60,000 ms.
    public var trickleMilliseconds = 0
    public var closing: Closing?
    /// Of a stream that is reset. Default: `CANCEL`.
    public var streamCode: StreamCode?
    /// The connection is reset (RST) instead of ended (FIN).
    public var reset = false
    /// The hub takes the request anyway: devices get the send although the sender sees an error or nothing.
    public var taken = false
    /// The hub's clock, which dates the response and checks the token, is off by this much. At most 10 years either way.
    public var skewSeconds = 0.0
    /// The hub's keys were rotated: tokens signed with the old ones get 401.
    public var rotated: Keys?

    /// HTTP/2: the connection gets GOAWAY with this reason once what arrived with the head of the request is read. What was taken up
    /// until then is answered, and then it is closed. nil: none.
    public var goAway: String?
    /// HTTP/2: from this request on, the connection may have this many streams open. nil: no change.
    public var streams: Int?
    /// HTTP/2: from this request on, the connection's PINGs are not answered.
    public var ignoresPings = false
    /// APNs: the provider token of this request is too old from now on, whatever its age.
    public var endsToken = false

    public init(_ moment: Moment, hub: String? = nil, status: Int? = nil, closing: Closing? = nil) {
        self.moment = moment
        self.hub = hub
        self.status = status
        self.closing = closing
        if case .beyond = moment, status == nil, closing?.isSilent != true { self.status = 429 }
    }

    /// Whether the client sees something else than the hub's own response. A delay alone does not replace it.
    var replacesAnswer: Bool { status != nil || closing != nil }

    /// Whether it changes the hub or the connection, beside the response.
    var hasEffects: Bool {
        skewSeconds != 0 || rotated != nil || goAway != nil || streams != nil || ignoresPings || endsToken
    }

    /// Whether the fault affects the response. A skewed clock and rotated keys affect the hub instead.
    var touchesAnswer: Bool { replacesAnswer || delayMilliseconds > 0 || delayUpToMilliseconds > 0 }
}
