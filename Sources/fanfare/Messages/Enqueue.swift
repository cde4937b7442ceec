import CommandLineTool
import ArgumentParser
import Foundation
import Postgres
import PushModel
import Store

/// `fanfare enqueue`
struct Enqueue: ReportingCommand {
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
    @Flag(help: "Try everything, and roll it back: nothing is enqueued.") var dryRun = false

    @Flag(help: "Print nothing unless something is wrong or odd: for cron, which mails what is printed.")
    var quiet = false

    @Flag(help: "Enqueue nothing if the database warns of anything, and exit 65.") var strict = false
    @OptionGroup var options: ReportOptions

    func validate() throws {
        if file == nil {
            try message.check()
        } else if let given = message.firstGiven {
            throw ValidationError("--file brings whole messages: leave out \(given).")
        }
    }

    func report() async throws -> Report {
        let lines = try file.map { path throws(Failure) in try MessageLine.read(from: path) }
        let messages = try lines?.map(\.message) ?? message.messages()
        let warnings = Warnings()
        let enqueued = try await options.common.withDatabase(onWarning: warnings.take) { database in
            let store = Messages(database: database)
            do {
                return try await enqueue(messages, to: store, warnings)
            } catch let error as DatabaseError {
                throw try await located(error, in: lines ?? [], by: store)
            }
        }
        return report(enqueued, of: messages, warnings)
    }

    private func enqueue(
        _ messages: [NewMessage], to store: Messages, _ warnings: Warnings
    ) async throws -> [Messages.Enqueued] {
        // A file without messages, for example from a job that found nothing to send, is no error.
        if messages.isEmpty { return [] }
        guard dryRun else {
            return try await store.enqueue(messages) { if strict { try warnings.refuse("cannot enqueue") } }
        }
        let enqueued = try await store.rehearse(messages)
        if strict { try warnings.refuse("cannot enqueue") }
        return enqueued
    }

    /// The same error, with the line it is about.
    private func located(
        _ error: DatabaseError, in lines: [MessageLine], by store: Messages
    ) async throws -> any Error {
        guard let file, Failure(of: error)?.status == .badInput,
            let line = try await FailedLineLocator.find(
                in: lines, error: error, by: { messages in try await store.rehearse(messages) })
        else { return error }
        return FailedLineLocator.failure(error, of: file, line: line) ?? error
    }

    /// - Parameter warnings: what the database said of them.
    func report(_ enqueued: [Messages.Enqueued], of messages: [NewMessage], _ warnings: Warnings) -> Report {
        var report = Report(
            text(enqueued, messages),
            [
                "dry_run": .flag(dryRun), "ids": .list(dryRun ? [] : enqueued.map { .number($0.id) }),
                "inserted": .number(dryRun ? 0 : enqueued.count(where: \.inserted)),
                "messages": .number(messages.count), "rows": .list(enqueued.map(row)), "warnings": warnings.json,
            ])
        report.remarks = (warnings.text, warnings.text)
        report.isQuiet = quiet
        return report
    }

    private func text(_ enqueued: [Messages.Enqueued], _ messages: [NewMessage]) -> String {
        if messages.isEmpty { return "\(file.map(InputFile.name) ?? "input"): no messages" }
        if dryRun {
            let times = Set(enqueued.map { Self.time($0.sendAt) ?? "" })
            let time = times.count == 1 ? times.first ?? "" : ", at different times"
            return "\(HumanFormat.count(messages.count, "message")) would be enqueued\(time); nothing was"
        }
        return zip(enqueued, messages).map { row, message in
            if !row.inserted {
                return "\(row.id) duplicate\(message.replace == true ? ", too late to replace it" : "")"
            }
            let replaced = row.replaced.map { " in place of \($0)" } ?? ""
            return "\(row.id) inserted\(replaced)\(Self.time(row.sendAt) ?? "")"
        }.joined(separator: "\n")
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
