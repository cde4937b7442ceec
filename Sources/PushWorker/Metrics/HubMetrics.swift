import PushModel
import Store
import Telemetry

/// What is counted of one hub. Its series are made once, so counting is a few atomic adds for each post.
final class HubMetrics: Sendable {
    let name: String
    private let messages: CounterTable
    private let posts: CounterTable
    private let responses: CounterTable
    private let seconds: Histogram
    private let messagesPerPost: Histogram
    private let claims: Histogram
    /// One for each priority.
    private let latency: [Histogram]
    private let throttled: Counter
    private let tokenRefusals: Counter

    init(_ name: String, in registry: MetricsRegistry) {
        self.name = name
        messages = registry.table(.messages, name, count: Self.places) { place in
            let status = Status.allCases[place / CounterTable.width]
            let reason = place % CounterTable.width
            return reason < Reason.allCases.count ? [status.rawValue, Reason.allCases[reason].rawValue] : nil
        }
        posts = registry.table(.posts, name, count: Verdict.Kind.allCases.count) { place in
            Verdict.Kind(rawValue: place).map { [$0.name] }
        }
        responses = registry.table(.httpResponses, name, count: 1_000) { ["\($0)"] }
        seconds = registry.histogram(.httpRequestDuration, name)
        messagesPerPost = registry.histogram(.messagesPerPost, name)
        claims = registry.histogram(.claimMessages, name)
        latency = Priority.allCases.map { registry.histogram(.queueLatency, name, "\($0.rawValue)") }
        throttled = registry.counter(.throttled, name)
        tokenRefusals = registry.counter(.tokenRefusals, name)
    }

    // MARK: What happens

    /// A claim has been made.
    func claimed(_ n: Int) { claims.observe(Double(n)) }

    /// A post has its answer.
    func answered(_ answer: Answer, messages: Int) {
        let kind = answer.verdict.kind
        posts.add(at: kind.rawValue)
        responses.add(at: answer.status ?? 0)
        seconds.observe(Double(answer.milliseconds) / 1_000)
        messagesPerPost.observe(Double(messages))
        if kind == .throttled { throttled.add() }
    }

    /// The hub took messages that were due then.
    ///
    /// - Parameter now: monotonic seconds.
    func accepted(_ due: DueTimes, _ priority: Priority, now: Double) {
        let latency = latency[Int(priority.rawValue)]
        due.forEachWait(until: now) { seconds, messages in latency.observe(seconds, times: messages) }
    }

    /// The hub refused a token, of a post or of a change of a device.
    func tokenRefused() { tokenRefusals.add() }

    /// An outcome is written.
    func ended(_ outcome: MessageOutcome, messages n: Int) {
        messages.add(n, at: Self.place(of: outcome.status, outcome.reason))
    }

    // MARK: Places in the table of messages: a row for each status

    private static let places = Status.allCases.count * CounterTable.width
    private static let rows = Dictionary(uniqueKeysWithValues: zip(Status.allCases, 0...))
    private static let columns = Dictionary(uniqueKeysWithValues: zip(Reason.allCases, 0...))

    private static func place(of status: Status, _ reason: Reason) -> Int {
        rows[status, default: 0] * CounterTable.width + columns[reason, default: 0]
    }
}
