import CommandLineTool
import ArgumentParser
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

            Prints each message's id and whether it was inserted. With --dedupe-key the same command may run twice: the \
            second time prints duplicate with the first one's id, and exits 0 as well.

            Example: fanfare enqueue --hub news --tag World --property title=Hello --translation 'fr={"title": "Bonjour"}'
            """)

    @Option(help: ArgumentHelp("Messages as JSON Lines; - is standard input.", valueName: "file"), completion: .file())
    var file: String?

    @OptionGroup(title: "One message") var message: MessageOptions

    @Flag(help: "Try everything, and roll it back: nothing is enqueued.")
    var dryRun = false

    @OptionGroup var options: CommandOptions
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
        try await options.withDatabase { database in
            let store = Messages(database: database)
            var enqueued: [Messages.Enqueued] = []
            do {
                if messages.isEmpty {
                    // A file without messages, say of a job that found nothing to tell, is no fault.
                } else if dryRun {
                    try await store.rehearse(messages)
                } else {
                    enqueued = try await store.enqueue(messages)
                }
            } catch let error as DatabaseError {
                throw try await located(error, in: lines ?? [], by: store)
            }
            try show(enqueued, count: messages.count)
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

    private func show(_ enqueued: [Messages.Enqueued], count: Int) throws {
        if json.isOn {
            let document: JSONOutput = .object([
                "dry_run": .flag(dryRun), "ids": .list(enqueued.map { .number($0.id) }),
                "inserted": .number(enqueued.count(where: \.inserted)), "messages": .number(count),
                "rows": .list(
                    enqueued.map { .object(["id": .number($0.id), "inserted": .flag($0.inserted)]) }),
            ])
            try StandardStreams.print(document.document)
        } else if dryRun {
            try StandardStreams.print("\(HumanFormat.count(count, "message")) would be enqueued; nothing was")
        } else if !enqueued.isEmpty {
            let lines = enqueued.map { "\($0.id) \($0.inserted ? "inserted" : "duplicate")" }
            try StandardStreams.print(lines.joined(separator: "\n"))
        }
    }
}
