import CommandLineTool
import ArgumentParser
import Daemon
import Postgres
import PushModel
import Store

/// `fanfare messages retry`
struct RetryMessages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Send messages again that failed for good (rejected or expired).",
        discussion: """
            They are due again, with ten new attempts and a new life from now on; fanfare messages show says what became \
            of them. Named by id, or all failures of a hub, by reason and by when they failed. What is in doubt is \
            decided with fanfare doubt resolve. Exits 65 when a named message had not failed, and says why; the others are \
            due again all the same.

            Example: fanfare messages retry --hub news --reason expired --since 6h
            """)

    @Argument(help: "Ids of the messages.")
    var ids: [Int64] = []

    @Option(help: "Every failure of this hub.", completion: .hub)
    var hub: String?

    @Option(help: "With --hub: only those with this reason, as fanfare messages list shows it.")
    var reason: FailureReason?

    @Option(
        help: ArgumentHelp(
            "With --hub: failed at this time or later, such as 2h or 2027-03-01T08:00Z.", valueName: "time"))
    var since: PastInstant?

    @Option(help: ArgumentHelp("With --hub: failed at this time or before.", valueName: "time"))
    var until: PastInstant?

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

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

    func run() async throws {
        try await options.withDatabase { database in
            let messages = Messages(database: database)
            let retried: Int64
            var unmoved: Unmoved?
            if let hub {
                retried = try await all(of: hub, messages)
            } else {
                let before = try await messages.standings(of: ids)
                retried = Int64(try await messages.retry(ids))
                unmoved = Unmoved(ids, .retry, before: before, after: try await messages.standings(of: ids))
            }
            if json.isOn {
                try StandardStreams.print(
                    JSONOutput.object([
                        "retried": .number(retried), "asked": hub == nil ? .number(Set(ids).count) : .null,
                        "not_retried": unmoved?.json ?? .null,
                    ]).document)
            } else {
                let asked = hub == nil ? " of \(HumanFormat.count(Set(ids).count, "message"))" : ""
                try StandardStreams.print(
                    "\(hub == nil ? "\(retried)" : HumanFormat.count(retried, "message"))\(asked) due again\(unmoved?.text ?? "")"
                )
            }
            if hub == nil, retried < Set(ids).count { throw ExitCode(ExitStatus.badInput.rawValue) }
        }
    }

    private func all(of hub: String, _ messages: Messages) async throws -> Int64 {
        let progress = ProgressLine()
        var retried: Int64 = 0
        var after: String?
        repeat {
            let batch = try await messages.retry(
                hub: hub, reason: reason?.reason.rawValue, since: since?.text, until: until?.text, after: after)
            retried += batch.messages
            after = batch.next
            if after != nil { await progress.show("\(retried) due again") }
        } while after != nil
        await progress.end()
        return retried
    }
}

/// A reason that ends a message for good, and that sending it again may mend.
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
