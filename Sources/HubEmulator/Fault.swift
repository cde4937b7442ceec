/// One thing that goes wrong to order: for which sends, and what then happens instead of the hub's own answer.
///
/// Faults act on every send (`POST /{hub}/messages` and `/messages/$batch`), before the token is looked at, as a gateway in front of the hub would.
public struct Fault: Sendable, Equatable {
    /// Which of the hub's sends, counted from 1 when the fault is set.
    public enum Moment: Sendable, Equatable {
        /// The n-th one only.
        case nth(Int)
        /// The k-th, the 2k-th, ...
        case every(Int)
        /// The first n.
        case next(Int)
        /// Each with this probability, 0 to 1; the same ones for the same seed and order.
        case probability(Double, seed: UInt64)
    }

    public enum RetryAfter: Sendable, Equatable {
        /// `Retry-After: n`, whole seconds.
        case seconds(Int)
        /// `Retry-After` as an HTTP date, this many seconds from now.
        case date(inSeconds: Int)
        /// `x-ms-retry-after-ms: n`.
        case milliseconds(Int)
    }

    public enum Closing: String, Sendable, Codable, CaseIterable {
        /// As soon as the head of the request is there.
        case beforeBody = "before-body"
        /// After the whole request was read, without a word: for the sender an answer that got lost.
        case afterBody = "after-body"
        /// In the middle of the answer's body, which had announced its full length.
        case midAnswer = "mid-answer"
    }

    /// nil: every hub, each counted on its own.
    public var hub: String?
    public var moment: Moment
    /// Answered instead of the hub's own answer. nil: the hub answers as ever.
    public var status: Int?
    public var retryAfter: RetryAfter?
    /// The body is a web page, as from a proxy, instead of the service's XML.
    public var html = false
    /// Waited before anything is answered or closed. 0 to 600,000 ms.
    public var delayMilliseconds = 0
    /// The answer's body leaves byte by byte with this pause. 0: all at once. Up to 60,000 ms.
    public var trickleMilliseconds = 0
    public var closing: Closing?
    /// The connection is reset (RST) rather than ended (FIN).
    public var reset = false
    /// The hub takes the send all the same: devices get it, and the sender is told otherwise or nothing.
    public var taken = false

    public init(_ moment: Moment, hub: String? = nil, status: Int? = nil, closing: Closing? = nil) {
        self.moment = moment
        self.hub = hub
        self.status = status
        self.closing = closing
    }

    /// - Throws: `EmulatorError` naming the key that is out of its range or does not go with the others.
    public func check() throws(EmulatorError) {
        switch moment {
        case .nth(let number): try Self.check("nth", number, 1...Int.max)
        case .every(let number): try Self.check("every", number, 1...Int.max)
        case .next(let number): try Self.check("next", number, 1...Int.max)
        case .probability(let probability, _):
            guard (0...1).contains(probability) else { throw EmulatorError("probability must be 0 to 1") }
        }
        if let status { try Self.check("status", status, 200...599) }
        switch retryAfter {
        case .seconds(let number): try Self.check("retryAfter", number, 0...86_400)
        case .date(let number): try Self.check("retryAfterDate", number, -86_400...86_400)
        case .milliseconds(let number): try Self.check("retryAfterMs", number, 0...86_400_000)
        case nil: break
        }
        try Self.check("delayMs", delayMilliseconds, 0...600_000)
        try Self.check("trickleMs", trickleMilliseconds, 0...60_000)
        if status == nil {
            if retryAfter != nil { throw EmulatorError("retryAfter needs a status") }
            if html { throw EmulatorError("html needs a status") }
            if trickleMilliseconds > 0 { throw EmulatorError("trickleMs needs a status") }
            if closing == .midAnswer { throw EmulatorError("close \"mid-answer\" needs a status") }
            if closing == nil && delayMilliseconds == 0 {
                throw EmulatorError("a fault needs one of status, delayMs, close")
            }
            if taken && closing == nil { throw EmulatorError("taken needs a status or a close") }
        } else if let closing, closing != .midAnswer {
            throw EmulatorError("close \"\(closing.rawValue)\" does not go with a status: nothing is answered")
        }
        if taken && closing == .beforeBody {
            throw EmulatorError("taken does not go with close \"before-body\": the hub has read nothing")
        }
        if reset && closing == nil { throw EmulatorError("reset needs a close") }
    }

    private static func check(_ key: String, _ number: Int, _ range: ClosedRange<Int>) throws(EmulatorError) {
        guard !range.contains(number) else { return }
        let most = range.upperBound == .max ? "or more" : "to \(range.upperBound)"
        throw EmulatorError("\(key) must be \(range.lowerBound) \(most)")
    }
}
