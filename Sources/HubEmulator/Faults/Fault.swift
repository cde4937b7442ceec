/// One thing that goes wrong to order: for which calls, and what then happens.
///
/// Faults act before the token is looked at, as a gateway in front of the hub would.
public struct Fault: Sendable, Equatable {
    /// Which of the hub's calls, counted from 1 when the fault is set. Only calls it is meant for are counted.
    public enum Moment: Sendable, Equatable {
        /// The n-th one only.
        case nth(Int)
        /// The k-th, the 2k-th, ...
        case every(Int)
        /// The first n.
        case next(Int)
        /// Each with this probability, 0 to 1; the same ones for the same seed and order.
        case probability(Double, seed: UInt64)
        /// Those beyond a token bucket that holds `burst` calls and gets `rate` more every second (the emulator's
        /// clock). What is answered says in `Retry-After` when the next one would pass, unless `retryAfter` says else.
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
        /// As soon as the head of the request is there.
        case beforeBody = "before-body"
        /// After the whole request was read, without a word: for the sender an answer that got lost.
        case afterBody = "after-body"
        /// After the head of the answer, which had announced a body.
        case afterHead = "after-head"
        /// In the middle of the answer's body, which had announced its full length.
        case midAnswer = "mid-answer"

        /// Nothing is answered.
        var isSilent: Bool { self == .beforeBody || self == .afterBody }
    }

    /// Keys of every policy that no longer hold.
    public enum Keys: String, Sendable, Codable, CaseIterable {
        case primary
        case both
    }

    /// nil: every hub, each counted on its own.
    public var hub: String?
    /// Empty: every kind of send, at once or later (`send`, `direct`, `batch`, `test`, and `schedule` but for cancelling).
    public var operations: Set<Operation> = []
    /// Only calls whose `ServiceBusNotification-Tags` name this tag, alone or in an expression; without case.
    public var tag: String?
    public var moment: Moment
    /// Answered instead of the hub's own answer. nil: the hub answers as ever. Default beyond a rate: 429.
    public var status: Int?
    public var retryAfter: RetryAfter?
    /// The body is a web page, as from a proxy, instead of the service's XML.
    public var html = false
    /// Waited before anything is answered or closed. 0 to 600,000 ms.
    public var delayMilliseconds = 0
    /// Above `delayMilliseconds`: the wait is any between the two. 0: it is always the same.
    public var delayUpToMilliseconds = 0
    /// Of the random wait; the same waits for the same seed and order. A probability has a seed of its own, used for
    /// both.
    public var seed: UInt64 = 0
    /// The answer's body leaves byte by byte with this pause. 0: all at once. Up to 60,000 ms.
    public var trickleMilliseconds = 0
    public var closing: Closing?
    /// The connection is reset (RST) rather than ended (FIN).
    public var reset = false
    /// The hub takes the call all the same: devices get the send, and the sender is told otherwise or nothing.
    public var taken = false
    /// The hub's clock is off by this much: it dates the answer and judges the token. Up to 10 years either way.
    public var skewSeconds = 0.0
    /// The hub's keys were changed: tokens signed with the known ones get 401.
    public var rotated: Keys?

    public init(_ moment: Moment, hub: String? = nil, status: Int? = nil, closing: Closing? = nil) {
        self.moment = moment
        self.hub = hub
        self.status = status
        self.closing = closing
        if case .beyond = moment, status == nil, closing?.isSilent != true { self.status = 429 }
    }

    /// Whether the hub's own answer is not what the client sees. A delay alone leaves it as it is.
    var replacesAnswer: Bool { status != nil || closing != nil }

    /// Whether anything happens to the answer; a skewed clock or changed keys happen to the hub.
    var touchesAnswer: Bool { replacesAnswer || delayMilliseconds > 0 || delayUpToMilliseconds > 0 }
}
