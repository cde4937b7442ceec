import ArgumentParser
import CommandLineTool
import Store

/// `fanfare message erase`
struct EraseMessages: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Remove what messages say and to whom they go, for requests to be forgotten.",
        discussion: """
            Removes content, handles, tag, headers, meta, traceparent and keys at once, also where posts, answers and \
            notes repeat them. Cancels what is pending. Ids, hub, locale, campaign, times and results stay. Says for \
            each message: erased, busy (its post is on the wire: run it again) or unknown (no message has that id). \
            Exits 65 unless all are erased. It cannot be undone, and a message in doubt ends as rejected.

            The files of the database keep the old rows until the next vacuum, and backups as long as you keep them: \
            docs/operations.md, "Erasing messages".

            Example: fanfare message erase 42 43
            """)

    @Argument(help: "Ids of the messages.") var ids: [Int64]
    @OptionGroup var options: ReportOptions

    /// Few at a time, because a worker records nothing of a claim while its messages are being erased.
    private static let batch = 100

    func answer(_ database: Database) async throws -> Report {
        var answers: [Messages.Erased] = []
        for first in stride(from: 0, to: ids.count, by: Self.batch) {
            answers += try await Messages(database: database).erase(Array(ids[first...].prefix(Self.batch)))
        }
        return Report(erased: answers)
    }
}

extension Report {
    init(erased answers: [Messages.Erased]) {
        self.init(
            answers.map { "\($0.id) \($0.outcome.rawValue)" }.joined(separator: "\n"),
            .list(answers.map { .object(["id": .number($0.id), "outcome": .text($0.outcome.rawValue)]) }),
            status: answers.allSatisfy { $0.outcome == .erased } ? .ok : .badInput)
    }
}
