/// The named messages that a retry or a decision left as they were, each with why. Pure.
public struct Unmoved: Sendable {
    /// What was asked of them.
    public enum Asked: Sendable {
        case retry
        case resolve

        /// The statuses of which a message can be moved.
        fileprivate var from: Set<String> {
            switch self {
            case .retry: ["rejected", "expired"]
            case .resolve: ["in_doubt"]
            }
        }
    }

    public struct Row: Sendable, Equatable {
        public var id: Int64
        /// `unknown`: no message has that id.
        public var status: String
        public var why: String
    }

    public let rows: [Row]

    /// - Parameters:
    ///   - before: where they stood when it was asked.
    ///   - after: where they stood afterwards.
    public init(
        _ ids: [Int64], _ asked: Asked, before: [Int64: Messages.Standing], after: [Int64: Messages.Standing]
    ) {
        var seen: Set<Int64> = []
        rows = ids.filter { seen.insert($0).inserted }.compactMap { id in
            guard let stood = before[id] else { return Row(id: id, status: "unknown", why: "no message has this id") }
            if asked.from.contains(stood.status) {
                // Another result, or none: it was moved. It may have ended again since.
                guard let now = after[id], now == stood else { return nil }
                return Row(id: id, status: stood.status, why: Self.held(stood, asked))
            }
            return Row(id: id, status: stood.status, why: Self.why(stood.status, asked))
        }
    }

    /// One message a line, each with a line end before it.
    public var text: String { rows.map { "\n\($0.id) \($0.status): \($0.why)" }.joined() }

    /// It is in the right state, and still nothing was done.
    private static func held(_ stood: Messages.Standing, _ asked: Asked) -> String {
        if asked == .resolve { return "somebody else decides it at this moment; try again" }
        return stood.reason == "late_translation"
            ? "its content was sent without it"
            : "another language of its content still waits, or nobody may reach its recipient (fanfare suppress)"
    }

    private static func why(_ status: String, _ asked: Asked) -> String {
        switch (status, asked) {
        case ("in_doubt", _): "it may have been sent; decide it: fanfare doubt resolve"
        case ("accepted", .retry): "the hub took it"
        case ("accepted", .resolve): "it was decided, or its answer came"
        case ("cancelled", _): "it was cancelled, and is not sent again"
        case ("duplicate", _): "the first message with its dedupe_key stands for it"
        case ("rejected", _), ("expired", _): "it failed for good; send it again: fanfare message retry"
        case (_, .retry): "it has not failed: it is on its way"
        case (_, .resolve): "it is not in doubt: it is on its way"
        }
    }
}
