import Logging
import PushModel
import Store
import Synchronization

/// Logs posts and messages that belong to a trace, so that its id leads from a backend's request to the hub's answer.
/// What has no trace context is logged at debug only, and costs a comparison otherwise.
final class TraceLog: Sendable {
    /// Lines at error in one second; what fails beyond that is counted in the next line.
    static let mostPerSecond = 100

    private struct Pace {
        var second = Int.min
        var lines = 0
        var heldBack = 0
    }

    private let pace = Mutex(Pace())
    private let clock: Clock
    private let log: Logger

    init(clock: Clock, log: Logger) {
        self.clock = clock
        self.log = log
    }

    func hear(_ event: LaneEvent) {
        switch event {
        case .departed(let post, let flight, let hub):
            left(post, of: hub.settings.name, flight.messages, flight.traces)
        case .answered(let post, let flight, let answer, let outcome, let hub, _, _):
            let hub = hub.settings.name
            answered(post, of: hub, flight.messages, flight.traces, answer)
            if let outcome { ended(outcome, post: post, of: hub, flight.messages, flight.traces) }
        case .refused(let messages, let outcome, let traces, let hub):
            ended(outcome, post: nil, of: hub.settings.name, messages, traces)
        default: break
        }
    }

    /// A post leaves: its row in `push.post`.
    private func left(_ post: Int64, of hub: String, _ messages: [Int64], _ traces: PostTraces?) {
        guard log.logLevel <= .debug else { return }
        log.debug("post left", metadata: fields(post, hub, messages, traces))
    }

    /// A post has its answer: its row in `push.answers`.
    private func answered(_ post: Int64, of hub: String, _ messages: [Int64], _ traces: PostTraces?, _ answer: Answer) {
        guard log.logLevel <= .debug else { return }
        var fields = fields(post, hub, messages, traces)
        fields["verdict"] = "\(answer.verdict.kind.name)"
        if let status = answer.status { fields["http"] = .stringConvertible(status) }
        fields["milliseconds"] = .stringConvertible(answer.milliseconds)
        if let tracking = answer.tracking { fields["tracking_id"] = "\(tracking)" }
        log.debug("post answered", metadata: fields)
    }

    /// Messages with a trace context failed for good, or are in doubt.
    ///
    /// - Parameter post: nil: they did not leave.
    private func ended(
        _ outcome: MessageOutcome, post: Int64?, of hub: String, _ messages: [Int64], _ traces: PostTraces?
    ) {
        guard let traces, outcome.status.isBadEnding, let heldBack = mayTell() else { return }
        var fields = fields(post, hub, messages, traces)
        fields["status"] = "\(outcome.status.rawValue)"
        fields["why"] = "\(BadEndings.why(outcome))"
        if heldBack > 0 { fields["not_shown"] = .stringConvertible(heldBack) }
        log.error("messages of a trace ended badly", metadata: fields)
    }

    /// - Returns: lines that were held back since the last one; nil: this one is held back, too.
    private func mayTell() -> Int? {
        let second = Int(clock.monotonic())
        return pace.withLock { pace in
            if pace.second != second { (pace.second, pace.lines) = (second, 0) }
            guard pace.lines < Self.mostPerSecond else {
                pace.heldBack += 1
                return nil
            }
            pace.lines += 1
            defer { pace.heldBack = 0 }
            return pace.heldBack
        }
    }

    private func fields(_ post: Int64?, _ hub: String, _ messages: [Int64], _ traces: PostTraces?) -> Logger.Metadata {
        var fields: Logger.Metadata = ["hub": "\(hub)", "messages": .stringConvertible(messages.count)]
        if let post { fields["post"] = .stringConvertible(post) }
        if let first = messages.first { fields["first"] = .stringConvertible(first) }
        if let traces { fields["traceparent"] = "\(traces.text)" }
        return fields
    }
}
