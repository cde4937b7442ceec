import PushModel
import Store

/// Messages that ended badly, gathered so that the log has at most one line for each hub and minute. Pure; times are
/// monotonic seconds.
struct BadEndings {
    /// What is logged about one hub.
    struct Line: Equatable {
        var hub: String
        var rejected = 0
        var expired = 0
        var inDoubt = 0
        /// How many for which reason.
        var reasons: [Reason: Int] = [:]
        /// One of them, the first that was recorded.
        var first: Int64
        /// Why that one ended so: its reason, and its note if it has one.
        var why: String

        /// `bad_request=40 too_large=2`, the most frequent first.
        var reasonsText: String {
            reasons.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
                .map { "\($0.key.rawValue)=\($0.value)" }.joined(separator: " ")
        }
    }

    /// Seconds in which the first line gathers: what fails together is logged together.
    static let gathering = 1.0
    /// Seconds between two lines about a hub.
    static let pause = 60.0
    /// Characters of a note that a line repeats.
    static let longestNote = 300

    private var gathered: [String: (line: Line, since: Double)] = [:]
    private var said: [String: Double] = [:]

    /// Messages of a hub have this final status. Does nothing for the other statuses.
    mutating func note(_ outcome: MessageOutcome, _ messages: [Int64], of hub: String, now: Double) {
        guard outcome.status.isBadEnding, let first = messages.first else { return }
        var (line, since) = gathered[hub] ?? (Line(hub: hub, first: first, why: Self.why(outcome)), now)
        switch outcome.status {
        case .rejected: line.rejected += messages.count
        case .expired: line.expired += messages.count
        default: line.inDoubt += messages.count
        }
        line.reasons[outcome.reason, default: 0] += messages.count
        gathered[hub] = (line, since)
    }

    /// Takes out the lines that may be logged now, sorted by hub.
    ///
    /// - Parameter isLast: nothing more will be gathered: all of them.
    mutating func due(now: Double, isLast: Bool = false) -> [Line] {
        let due = gathered.filter { hub, gathered in
            isLast || now >= max(gathered.since + Self.gathering, (said[hub] ?? -.infinity) + Self.pause)
        }
        for hub in due.keys {
            gathered[hub] = nil
            said[hub] = now
        }
        return due.values.map(\.line).sorted { $0.hub < $1.hub }
    }

    static func why(_ outcome: MessageOutcome) -> String {
        [outcome.reason.rawValue, outcome.note.map { String($0.prefix(longestNote)) }].compactMap(\.self)
            .joined(separator: ": ")
    }
}

extension Status {
    /// Whether nobody got the push, or that is unknown.
    var isBadEnding: Bool { self == .rejected || self == .expired || self == .inDoubt }
}
