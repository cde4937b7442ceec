import NIOCore

/// How long a connection may take, and what happens when it takes longer. Pure.
struct ConnectionTimeouts: Sendable {
    /// From the beginning of a connection to its first byte.
    let firstByte: TimeAmount
    /// Without traffic in either direction.
    let idle: TimeAmount
    /// From a request's first byte to its last.
    let request: TimeAmount
    /// After the last response, for the client to read it and to end its side.
    static let linger = TimeAmount.seconds(2)

    enum Verdict: Equatable {
        case checkAgain(NIODeadline)
        /// No byte of a request has come: just close.
        case close
        /// A request is incomplete: 408.
        case tooSlow
    }

    /// - Parameters:
    ///   - activeAt: when something was last read or written.
    ///   - requestSince: when the first byte of an unfinished request came.
    ///   - hasReceived: a byte has come on this connection.
    ///   - isBusy: a response is being made, and the client takes what is sent.
    func verdict(
        now: NIODeadline, activeAt: NIODeadline, requestSince: NIODeadline?, hasReceived: Bool = true, isBusy: Bool
    ) -> Verdict {
        if isBusy { return .checkAgain(now + idle) }
        let idle = hasReceived ? idle : min(idle, firstByte)
        if let requestSince, now >= requestSince + request { return .tooSlow }
        if now >= activeAt + idle { return requestSince == nil ? .close : .tooSlow }
        // A request may begin at any time until then.
        return .checkAgain(min((requestSince ?? now) + request, activeAt + idle))
    }
}
