import CommandLineTool
import PushModel

/// What keeps the whole from being faster here. Pure.
///
/// Each part has a ceiling, the messages a second it could do if nothing else took time; the lowest one is the limit. It
/// is named with its number, and with what to do about it.
struct Bottleneck: Sendable, Equatable {
    enum Cause: String, Sendable, CaseIterable {
        /// All processors of this machine are busy.
        case processors
        /// The worker's statements wait for the disk.
        case commits
        /// The worker's statements wait for the way to the database.
        case distance
        /// The worker's statements themselves.
        case statements
        /// Few posts at once, and each waits for its intent and its answer.
        case window
    }

    let cause: Cause
    /// Messages a second.
    let ceiling: Double
    let text: String

    init(of facts: BenchResults) {
        let whole = facts.whole
        let machine = whole.busy.map { whole.rate / max(0.01, $0) } ?? .infinity
        let database = facts.alone.rate
        // An answer in less than a millisecond shows as 0.
        let cycle = facts.alone.intent.median + max(0.0005, whole.answers.median)
        let window = Double(facts.plan.window) / cycle
        ceiling = min(machine, database, window)
        if ceiling == machine {
            cause = .processors
            text = Self.processors(facts)
        } else if ceiling == database {
            (cause, text) = Self.database(facts)
        } else {
            cause = .window
            text = Self.window(facts)
        }
    }

    private static func processors(_ facts: BenchResults) -> String {
        """
        the processors: \(percent(facts.whole.busy ?? 1)) of \(facts.processors) were busy with worker, emulated hub and \
        whatever else runs here (PostgreSQL too, if it is on this machine). More of them, or the database elsewhere, help.
        """
    }

    private static func database(_ facts: BenchResults) -> (Cause, String) {
        let message = 1 / facts.alone.rate
        let statements = facts.alone.perMessage / message
        let (commits, ways) = (statements * facts.commit, statements * facts.roundTrip.median)
        if commits >= 0.4, commits >= ways {
            let text = """
                commits: one takes \(HumanFormat.moment(facts.commit)) here, \(percent(commits)) of the database's time for a \
                message. A disk that flushes faster helps; for many INSERTs, so does committing several at once.
                """
            return (.commits, text)
        }
        if ways >= 0.4 {
            let text = """
                the way to the database: a round trip takes \(HumanFormat.moment(facts.roundTrip.median)), \(percent(ways)) of \
                the database's time for a message. A worker nearer to it helps.
                """
            return (.distance, text)
        }
        let text = """
            the database: claim, intent and completion take \(HumanFormat.moment(message)) a message without any HTTP. Rows that \
            share content and differ in their tag cost less: they share a post.
            """
        return (.statements, text)
    }

    private static func window(_ facts: BenchResults) -> String {
        """
        the window: \(facts.plan.window) posts may be on their way, and such a portion takes \
        \(HumanFormat.moment(facts.alone.intent.median)) to be written down and \(HumanFormat.moment(facts.whole.answers.median)) to be \
        answered. A larger one helps: hubs.NAME.window.
        """
    }

    private static func percent(_ share: Double) -> String {
        let percent = Int((min(1, share) * 100).rounded())
        return "\(percent) %"
    }
}
