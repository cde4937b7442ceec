import CommandLineTool
import ArgumentParser
import Foundation
import Postgres
import PushModel
import Store

/// `fanfare enqueue`
struct Enqueue: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write messages into push.message and print their ids.",
        discussion: """
            One message from options, or many from a file of JSON Lines: one object per line with the column names of \
            push.message, such as {"hub": "news", "tag": "World", "content": {"message": "Hello"}}. All of them go in \
            one statement: either every message is enqueued or none, and rows that differ by locale become one push.

            Prints each message's id, whether it was inserted, and when it is sent unless that is now. With --dedupe-key \
            the same command may run twice: the second time prints duplicate with the first one's id, and exits 0 as well. \
            --replace (a member "replace": true of a line) takes the place of what still waits under the key, and prints its id. \
            What the database warns of, such as a message that expires at once, goes to standard error, also with --quiet; \
            with --strict nothing is enqueued then, and it exits 65.

            Example: fanfare enqueue --hub news --tag World --property title=Hello --translation 'fr={"title": "Bonjour"}'
            """)

    @Option(help: ArgumentHelp("Messages as JSON Lines; - is standard input.", valueName: "file"), completion: .file())
    var file: String?

    @OptionGroup(title: "One message") var message: MessageOptions

    @Flag(help: "Try everything, and roll it back: nothing is enqueued.")
    var dryRun = false

    @Flag(help: "Print nothing unless something is wrong or odd: for cron, which mails what is printed.")
    var quiet = false

    @Flag(help: "Enqueue nothing if the database warns of anything, and exit 65.")
    var strict = false

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func validate() throws {
        if file == nil {
            try message.check()
        } else if let given = message.firstGiven {
            throw ValidationError("--file brings whole messages: leave out \(given).")
        }
    }

    func run() async throws {
        let lines = try file.map { path throws(Failure) in try MessageLine.read(from: path) }
        let messages = try lines?.map(\.message) ?? message.messages()
        let warnings = Warnings()
        try await options.withDatabase(onWarning: warnings.take) { database in
            let store = Messages(database: database)
            var enqueued: [Messages.Enqueued] = []
            do {
                if messages.isEmpty {
                    // A file without messages, say of a job that found nothing to tell, is no fault.
                } else if dryRun {
                    enqueued = try await store.rehearse(messages)
                    if strict { try warnings.refuse("cannot enqueue") }
                } else {
                    enqueued = try await store.enqueue(messages) {
                        if strict { try warnings.refuse("cannot enqueue") }
                    }
                }
            } catch let error as DatabaseError {
                throw try await located(error, in: lines ?? [], by: store)
            }
            try show(enqueued, of: messages, warnings)
            if let text = warnings.text { StandardStreams.printError(text) }
        }
    }

    /// The same error, with the line it is about.
    private func located(
        _ error: DatabaseError, in lines: [MessageLine], by store: Messages
    ) async throws -> any Error {
        guard let file, let failure = Failure(of: error), failure.status == .badInput,
            let line = try await FailedLineLocator.find(in: lines, error: error, by: store)
        else { return error }
        var located = failure
        located.complaints[0].what = "\(InputFile.name(file)), line \(line)"
        located.complaints[0].why = FailedLineLocator.withoutRow(located.complaints[0].why)
        return located
    }

    private func show(_ enqueued: [Messages.Enqueued], of messages: [NewMessage], _ warnings: Warnings) throws {
        if quiet { return }
        let count = messages.count
        if json.isOn {
            let document: JSONOutput = .object([
                "dry_run": .flag(dryRun), "ids": .list(dryRun ? [] : enqueued.map { .number($0.id) }),
                "inserted": .number(dryRun ? 0 : enqueued.count(where: \.inserted)), "messages": .number(count),
                "rows": .list(enqueued.map(row)), "warnings": warnings.json,
            ])
            try StandardStreams.print(document.document)
        } else if dryRun, count > 0 {
            let times = Set(enqueued.map { Self.time($0.sendAt) ?? "" })
            let time = times.count == 1 ? times.first ?? "" : ", at different times"
            try StandardStreams.print("\(HumanFormat.count(count, "message")) would be enqueued\(time); nothing was")
        } else if count == 0 {
            try StandardStreams.print("\(file.map(InputFile.name) ?? "input"): no messages")
        } else if !enqueued.isEmpty {
            let lines = zip(enqueued, messages).map { row, message in
                if !row.inserted {
                    return "\(row.id) duplicate\(message.replace == true ? ", too late to replace it" : "")"
                }
                let replaced = row.replaced.map { " in place of \($0)" } ?? ""
                return "\(row.id) inserted\(replaced)\(Self.time(row.sendAt) ?? "")"
            }
            try StandardStreams.print(lines.joined(separator: "\n"))
        }
    }

    private func row(of enqueued: Messages.Enqueued) -> JSONOutput {
        let sendAt = enqueued.sendAt.map { JSONOutput.text(HumanFormat.time(secondsSince1970: $0)) }
        return .object([
            "id": dryRun && enqueued.inserted ? .null : .number(enqueued.id), "inserted": .flag(enqueued.inserted),
            "replaced": enqueued.replaced.map { .number($0) } ?? .null, "send_at": sendAt ?? .null,
        ])
    }

    /// When it is sent, to follow what happened to it; nil: now. Pure.
    static func time(_ sendAt: Double?, now: Double = Date().timeIntervalSince1970) -> String? {
        guard let sendAt, sendAt > now + 1 else { return nil }
        return ", to be sent at \(HumanFormat.time(secondsSince1970: sendAt)), in \(HumanFormat.duration(sendAt - now))"
    }
}
