/// The results of one send: the number of pushes by platform and outcome.
struct DeliveryTally: Sendable, Equatable {
    /// One push that did not arrive.
    struct Failure: Sendable, Equatable, Codable {
        let platform: Installation.Platform
        let handle: String
        /// The name in telemetry.
        let outcome: String
    }

    private struct Line: Sendable, Equatable {
        let platform: Installation.Platform
        let isTemplate: Bool
        let outcome: PushOutcome
        var count: Int
    }

    /// Only a few, whatever the audience, so a linear search is enough.
    private var lines: [Line] = []
    /// The first ones.
    private(set) var failures: [Failure] = []
    static let failureLimit = 100

    mutating func add(_ platform: Installation.Platform, isTemplate: Bool, handle: String, _ outcome: PushOutcome) {
        let line = lines.firstIndex {
            $0.platform == platform && $0.isTemplate == isTemplate && $0.outcome == outcome
        }
        if let line {
            lines[line].count += 1
        } else {
            lines.append(Line(platform: platform, isTemplate: isTemplate, outcome: outcome, count: 1))
        }
        if outcome != .sent, failures.count < Self.failureLimit {
            failures.append(Failure(platform: platform, handle: handle, outcome: outcome.telemetryName))
        }
    }

    var isEmpty: Bool { lines.isEmpty }

    /// `apple`, `appletemplate` ..., in alphabetical order.
    var targetPlatforms: [String] {
        Set(lines.map { $0.platform.format + ($0.isTemplate ? "template" : "") }).sorted()
    }

    /// By platform and outcome, with their names in telemetry.
    var counts: [String: [String: Int]] {
        var counts: [String: [String: Int]] = [:]
        for line in lines {
            counts[line.platform.rawValue.lowercased(), default: [:]][line.outcome.telemetryName, default: 0] +=
                line.count
        }
        return counts
    }
}

extension PushOutcome {
    /// As in docs/wire/notification-hubs.md, "Telemetry".
    var telemetryName: String {
        switch self {
        case .sent: "Success"
        case .tooLarge: "InvalidNotificationSize"
        }
    }
}

extension DeliveryTally {
    init(_ results: [TestResult]) {
        for result in results {
            let target = result.target
            add(
                target.platform, isTemplate: target.template != nil, handle: target.channel, result.outcome)
        }
    }

    /// A direct or batch send: one push per handle, all with the same payload.
    init(direct payload: PayloadCache.Payload, _ send: ValidatedSend, to handles: [String]) {
        guard let platform = send.format.platform else { return }
        let outcome = payload.outcome(on: platform)
        for handle in handles { add(platform, isTemplate: false, handle: handle, outcome) }
    }
}
