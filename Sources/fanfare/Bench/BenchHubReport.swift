import CommandLineTool
import Daemon
import HTTPTransport
import PushModel

/// What a bench has seen of a hub. Pure.
struct BenchHubReport: Sendable {
    struct Sent: Sendable {
        let answer: Answer
        let timing: Timing?
    }

    let hub: String
    let tag: String
    let base: String
    /// How many were to be sent.
    let asked: Int
    let atOnce: Int
    /// What the worker may have on its way, by the settings.
    let window: Int
    /// Posts a second the settings allow; 0: any.
    let rate: Int
    private let remedies: HubRemedies
    /// Opening a connection; nil: none was opened.
    private(set) var opening: Timing?
    /// Requests that send nothing, on an open connection.
    private(set) var looks: [Double] = []
    private(set) var sent: [Sent] = []
    /// From the first request to the last answer.
    var seconds = 0.0
    var connections = 0
    /// Why the hub could not be reached at all.
    private var unreached: Answer?

    init(_ sending: BenchSending) {
        self.init(
            hub: sending.hub.settings.name, tag: sending.tag, base: sending.hub.base, asked: sending.count,
            atOnce: sending.atOnce, window: sending.hub.settings.window, rate: sending.hub.settings.ratePerSecond,
            remedies: HubRemedies(of: sending.hub.settings))
    }

    init(
        hub: String, tag: String, base: String, asked: Int, atOnce: Int, window: Int, rate: Int, remedies: HubRemedies
    ) {
        self.hub = hub
        self.tag = tag
        self.base = base
        self.asked = asked
        self.atOnce = atOnce
        self.window = window
        self.rate = rate
        self.remedies = remedies
    }

    /// A look before the first send, and what became of it.
    mutating func add(looked answer: Answer, _ timing: Timing?) {
        if answer.status == nil { unreached = answer }
        guard let timing else { return }
        if timing.isFirstOnConnection { opening = opening ?? timing } else { looks.append(timing.answer) }
    }

    mutating func add(_ one: Sent) { sent.append(one) }

    /// Of what the hub accepted.
    var answers: Samples { Samples(accepted.compactMap { $0.timing?.answer }) }
    private var accepted: [Sent] { sent.filter { $0.answer.verdict == .accepted } }
    private var throttled: Int {
        sent.count { if case .throttled = $0.answer.verdict { true } else { false } }
    }
    private var perSecond: Double { seconds > 0 ? Double(accepted.count) / seconds : 0 }

    /// Posts a second one worker can get through the window of the settings, as the hub answers now.
    var most: Double? {
        guard answers.count > 0, answers.median > 0 else { return nil }
        let most = Double(window) / answers.median
        return rate > 0 ? min(most, Double(rate)) : most
    }

    /// Why it was no full success; nil: it was.
    var failure: Failure? {
        let doing = "cannot send to hub \"\(hub)\""
        if let unreached {
            let ending = unreached.verdict.ending(remedies, http: nil, repeatable: true)
            return Failure(doing, because: ending.because ?? ending.word, hint: ending.hint, status: ending.status)
        }
        guard let bad = sent.first(where: { $0.answer.verdict != .accepted }) else { return nil }
        let ending = bad.answer.verdict.ending(remedies, http: bad.answer.status)
        let left = asked - sent.count
        let rest = left > 0 ? "; \(left) of \(asked) were not sent" : ""
        return Failure(
            doing, because: (ending.because ?? ending.word) + rest, hint: ending.hint, status: ending.status)
    }

    var text: String {
        var lines = ["hub \(hub), tag \(tag), at \(base)"]
        if let opening {
            let whole = HumanFormat.moment(opening.lookup + opening.connect + opening.handshake)
            let secure = opening.handshake > 0 ? HumanFormat.moment(opening.handshake) : "none"
            let parts =
                "name \(HumanFormat.moment(opening.lookup)), TCP \(HumanFormat.moment(opening.connect)), TLS \(secure)"
            lines.append("opening a connection: \(whole) (\(parts))")
        }
        if !looks.isEmpty {
            lines.append("a request that sends nothing, connection open: \(HumanFormat.moment(Samples(looks).median))")
        }
        guard !sent.isEmpty else { return lines.joined(separator: "\n") }
        let bad = sent.count - accepted.count - throttled
        lines.append(
            """
            \(accepted.count) of \(asked) accepted in \(HumanFormat.moment(seconds)): \(Int(perSecond.rounded())) a second with \
            \(atOnce) at once over \(HumanFormat.count(connections, "connection")); \(throttled) throttled, \
            \(bad) refused or unanswered, \(asked - sent.count) not sent
            """)
        let answers = answers
        if answers.count > 0 {
            lines.append(
                """
                an answer: p50 \(HumanFormat.moment(answers.median)), p90 \(HumanFormat.moment(answers.p90)), \
                p99 \(HumanFormat.moment(answers.p99)), slowest \(HumanFormat.moment(answers.largest))
                """)
        }
        if let limit { lines.append("limit: \(limit)") }
        return lines.joined(separator: "\n")
    }

    private var limit: String? {
        guard let most else { return nil }
        let number = HumanFormat.grouped(Int(most.rounded(.down)))
        guard most != Double(rate) else {
            return "the rate: hubs.\(hub).ratePerSecond is \(rate), and the window of \(window) would allow more."
        }
        return """
            the window: \(window) posts on their way (hubs.\(hub).window), \(HumanFormat.moment(answers.median)) for an answer: \
            at most \(number) posts/s from one worker, if the hub does not throttle before.
            """
    }

    var json: JSONOutput {
        let answers = answers
        let failed = sent.count - accepted.count - throttled
        let look = looks.isEmpty ? nil : Samples(looks).median
        let limited: JSONOutput = .object(["posts_per_second": .decimal(most), "text": .text(limit)])
        return .object([
            "hub": .text(hub), "tag": .text(tag), "base": .text(base), "messages": .number(asked),
            "accepted": .number(accepted.count), "throttled": .number(throttled), "failed": .number(failed),
            "not_sent": .number(asked - sent.count), "because": .text(failure?.complaints.first?.why),
            "opening_ms": opening.map(Self.json) ?? .null, "look_ms": .milliseconds(look), "answers_ms": answers.json,
            "per_second": .decimal(perSecond), "at_once": .number(atOnce), "connections": .number(connections),
            "window": .number(window), "limit": limited,
        ])
    }

    private static func json(_ opening: Timing) -> JSONOutput {
        .object([
            "name": .milliseconds(opening.lookup), "tcp": .milliseconds(opening.connect),
            "tls": .milliseconds(opening.handshake),
        ])
    }
}
