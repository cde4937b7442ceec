import NIOCore

/// How long a connection may take, and what follows when it takes longer. Pure.
struct ConnectionTimeouts: Sendable {
    /// Without traffic in either direction.
    let idle: TimeAmount
    /// From a request's first byte to its last.
    let request: TimeAmount
    /// After the last answer, for the client to read it and to end its side.
    static let linger = TimeAmount.seconds(2)

    enum Verdict: Equatable {
        case lookAgain(NIODeadline)
        /// Nothing of a request is there: it just ends.
        case close
        /// Half a request is there: 408.
        case tooSlow
    }

    /// - Parameters:
    ///   - activeAt: when something was last read or written.
    ///   - requestSince: when the first byte of an unfinished request came.
    ///   - isBusy: an answer is being waited for, and the client takes what is sent.
    func verdict(
        now: NIODeadline, activeAt: NIODeadline, requestSince: NIODeadline?, isBusy: Bool
    ) -> Verdict {
        if isBusy { return .lookAgain(now + idle) }
        if let requestSince, now >= requestSince + request { return .tooSlow }
        if now >= activeAt + idle { return requestSince == nil ? .close : .tooSlow }
        // A request may begin at any time until then.
        return .lookAgain(min((requestSince ?? now) + request, activeAt + idle))
    }
}
