import CommandLineTool
import ArgumentParser
import Postgres
import PushModel
import Store

/// `fanfare message retry`
struct RetryMessages: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Send messages again that failed for good (rejected or expired).",
        discussion: """
            They are due again, with ten new attempts and a new life from now on; fanfare message show says what became \
            of them. Named by id, or all failures of a hub, by reason and by when they failed. What is in doubt is \
            decided with fanfare doubt resolve. Exits 65 when a named message had not failed, and says why; the others are \
            due again all the same.

            Example: fanfare message retry --hub news --reason expired --since 6h
            """)

    @Argument(help: "Ids of the messages.") var ids: [Int64] = []
    @Option(help: "Every failure of this hub.", completion: .hub) var hub: String?

    @Option(help: "With --hub: only those with this reason, as fanfare message list shows it.")
    var reason: FailureReason?

    @Option(
        help: ArgumentHelp(
            "With --hub: failed at this time or later, such as 2h or 2027-03-01T08:00Z.", valueName: "time"))
    var since: PastInstant?

    @Option(help: ArgumentHelp("With --hub: failed at this time or before.", valueName: "time")) var until: PastInstant?
    @OptionGroup var options: ReportOptions

    func validate() throws {
        guard hub == nil else {
            if !ids.isEmpty { throw ValidationError("Name ids or a hub, not both.") }
            return
        }
        if ids.isEmpty { throw ValidationError("Name the messages by their ids, or a hub with --hub.") }
        if reason != nil || since != nil || until != nil {
            throw ValidationError("--reason, --since and --until go with --hub.")
        }
    }

    func answer(_ database: Database) async throws -> Report {
        let messages = Messages(database: database)
        guard let hub else {
            let before = try await messages.standings(of: ids)
            let retried = try await messages.retry(ids)
            let unmoved = Unmoved(ids, .retry, before: before, after: try await messages.standings(of: ids))
            return report(retried: Int64(retried), unmoved)
        }
        let retried = try await Batches.count("due again") { mark in
            let batch = try await messages.retry(
                hub: hub, reason: reason?.reason.rawValue, since: since?.text, until: until?.text, after: mark)
            return (batch.messages, batch.next)
        }
        return report(retried: retried, nil)
    }

    /// - Parameter unmoved: nil: it was about all of a hub.
    func report(retried: Int64, _ unmoved: Unmoved?) -> Report {
        guard let unmoved else {
            return Report(
                "\(HumanFormat.count(retried, "message")) due again",
                ["retried": .number(retried), "asked": .null, "not_retried": .null])
        }
        let asked = Set(ids).count
        return Report(
            "\(retried) of \(HumanFormat.count(asked, "message")) due again\(unmoved.text)",
            ["retried": .number(retried), "asked": .number(asked), "not_retried": unmoved.json],
            status: retried < asked ? .badInput : .ok)
    }
}

/// A reason that ends a message for good, although sending it again may succeed.
struct FailureReason: ExpressibleByArgument {
    let reason: Reason

    init?(argument: String) {
        guard Self.allValueStrings.contains(argument), let reason = Reason(rawValue: argument) else { return nil }
        self.reason = reason
    }

    static var allValueStrings: [String] {
        Reason.allCases.filter { $0.status == .rejected || $0.status == .expired }.map(\.rawValue)
    }
}
