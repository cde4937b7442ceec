import ArgumentParser
import CommandLineTool
import Store

/// `fanfare messages erase`
struct EraseMessages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Remove what messages say and to whom they go, for requests to be forgotten.",
        discussion: """
            Removes content, handles, tag, headers, meta, traceparent and keys at once, also where posts, answers and \
            notes repeat them. Cancels what is pending. Ids, hub, locale, campaign, times and results stay. Says for \
            each message: erased, busy (its post is on the wire: run it again) or unknown (no message has that id). \
            Exits 65 unless all are erased. It cannot be undone, and a message in doubt ends as rejected.

            The files of the database keep the old rows until the next vacuum, and backups as long as you keep them: \
            docs/operations.md, "Erasing messages".

            Example: fanfare messages erase 42 43
            """)

    @Argument(help: "Ids of the messages.")
    var ids: [Int64]

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    /// Few at a time, because a worker records nothing of a claim while its messages are being erased.
    private static let batch = 100

    func run() async throws {
        try await options.withDatabase { database in
            let messages = Messages(database: database)
            var answers: [Messages.Erased] = []
            var rest = ids[...]
            while !rest.isEmpty {
                answers += try await messages.erase(Array(rest.prefix(Self.batch)))
                rest = rest.dropFirst(Self.batch)
            }
            if json.isOn {
                let rows = answers.map { answer in
                    JSONOutput.object(["id": .number(answer.id), "outcome": .text(answer.outcome.rawValue)])
                }
                try StandardStreams.print(JSONOutput.list(rows).document)
            } else {
                try StandardStreams.print(answers.map { "\($0.id) \($0.outcome.rawValue)" }.joined(separator: "\n"))
            }
            if answers.contains(where: { $0.outcome != .erased }) { throw ExitCode(ExitStatus.badInput.rawValue) }
        }
    }
}
