import CommandLineTool
import Daemon
import HTTPTransport
import Providers
import PushModel

/// What became of the requests of one `fanfare send`.
struct SendOutcomes {
    struct Sent {
        /// `World`, `2 handles`; nil: everyone.
        let target: String?
        let answer: Answer
        let ending: HubEnding
        /// What the platforms said; only of a test send.
        let outcome: TestSendResult?
    }

    let hub: String
    let isTest: Bool
    /// What checked the requests and delivered nothing: `FCM`; nil: they are meant to arrive.
    let checker: String?
    private let remedies: HubRemedies
    private(set) var sent: [Sent] = []
    /// Requests that were not tried after one that failed.
    var left = 0

    init(to service: HubService, isTest: Bool) {
        hub = service.settings.name
        self.isTest = isTest && service.testSends != .none
        checker = isTest && service.testSends == .onlyCheck ? service.settings.kind.facts.label : nil
        remedies = HubRemedies(of: service.settings)
    }

    mutating func add(_ post: Post, _ answer: Answer, _ reply: Reply) {
        var outcome: TestSendResult?
        if isTest, checker == nil, answer.verdict == .accepted, case .answered(let response) = reply.outcome {
            outcome = TestSendResult(body: response.body)
        }
        sent.append(
            Sent(
                target: Self.name(of: post.target), answer: answer,
                ending: answer.verdict.ending(remedies, http: answer.status), outcome: outcome))
    }

    private static func name(of target: Target) -> String? {
        if case .handles(let handles) = target { return HumanFormat.count(handles.count, "handle") }
        return target.label
    }

    /// Whether the last answer was about the hub, not about the message.
    var isHubAway: Bool { sent.last.map { $0.ending.status != .ok && $0.ending.status != .someFailed } ?? false }

    /// Why the whole of it is no success; nil: it is one.
    func failure(doing: String) -> Failure? {
        let bad = sent.filter { $0.ending.status != .ok }
        if let worst = bad.last {
            let complaints = bad.map { sent in
                Failure.Complaint(what: doing, why: Self.why(sent), hint: sent.ending.hint)
            }
            var failure = Failure(complaints, status: worst.ending.status)
            if left > 0 {
                failure.complaints.append(
                    Failure.Complaint(what: doing, why: "\(HumanFormat.count(left, "request")) not tried", hint: nil))
            }
            return failure
        }
        let refused = sent.compactMap(\.outcome).reduce(0) { $0 + $1.failure }
        guard refused > 0 else { return nil }
        return Failure(
            doing, because: "a platform refused \(HumanFormat.count(refused, "device"))",
            hint: "The outcome of each device says why.", status: .someFailed)
    }

    private static func why(_ sent: Sent) -> String {
        let support = sent.answer.tracking.map { " (tracking id \($0))" } ?? ""
        return (sent.target.map { "\($0): " } ?? "") + (sent.ending.because ?? sent.ending.word) + support
    }

    /// For people; what failed is said on standard error.
    func text(fitting width: Int?) -> String {
        sent.filter { $0.ending.status == .ok }.map { text($0, fitting: width) }.joined(separator: "\n\n")
    }

    private func text(_ sent: Sent, fitting width: Int?) -> String {
        if let checker {
            return
                "accepted for \(sent.target ?? "everyone"): \(checker) checked it and delivered nothing, "
                + "\(sent.answer.milliseconds) ms"
        }
        var line = "accepted by the hub for \(sent.target ?? "everyone"), \(sent.answer.milliseconds) ms"
        if let notification = sent.answer.notification { line += "\nnotification id  \(notification)" }
        if let tracking = sent.answer.tracking { line += "\ntracking id      \(tracking)" }
        guard let outcome = sent.outcome else { return line }
        line += "\nthe platforms took \(outcome.success) and refused \(outcome.failure)"
        if outcome.results.isEmpty { return line + "\nno device has this tag and format" }
        let table = TextTable(
            [.text("PLATFORM"), .text("OUTCOME"), .text("REGISTRATION"), .text("HANDLE")],
            rows: outcome.results.map { [$0.platform, $0.outcome, $0.registration, $0.handle] })
        return line + "\n\n" + table.text(fitting: width)
    }

    var json: JSONOutput {
        .object([
            "accepted": .flag(left == 0 && sent.allSatisfy { $0.ending.status == .ok }), "hub": .text(hub),
            "not_tried": .number(left), "requests": .list(sent.map(Self.json)), "test": .flag(isTest),
        ])
    }

    private static func json(_ sent: Sent) -> JSONOutput {
        let answer = sent.answer
        return .object([
            "target": .text(sent.target), "verdict": .text(sent.ending.word), "because": .text(sent.ending.because),
            "hint": .text(sent.ending.hint), "http": .number(answer.status),
            "milliseconds": .number(answer.milliseconds),
            "notification_id": .text(answer.notification), "tracking_id": .text(answer.tracking),
            "error": .text(answer.error),
            "outcome": sent.outcome.map { outcome in
                .object([
                    "success": .number(outcome.success), "failure": .number(outcome.failure),
                    "devices": .list(
                        outcome.results.map { result in
                            .object([
                                "platform": .text(result.platform), "outcome": .text(result.outcome),
                                "registration": .text(result.registration), "handle": .text(result.handle),
                            ])
                        }),
                ])
            } ?? .null,
        ])
    }
}
