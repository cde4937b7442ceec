import CommandLineTool
import ArgumentParser
import Daemon
import Postgres
import Store

/// `fanfare messages cancel`
struct CancelMessages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Stop messages that were not posted yet, by id or of a whole campaign.",
        discussion: """
            Says for each message: cancelled (it will not be sent), too_late (it was posted, or is final) or unknown \
            (no message has that id). Exits 65 unless all are cancelled. Of a campaign it says how many were \
            cancelled and how many are on the wire; what was final before does not count, and it exits 0.

            Example: fanfare messages cancel --campaign spring --run 2027-03-01
            """)

    @Argument(help: "Ids of the messages.")
    var ids: [Int64] = []

    @Option(help: "Everything of this campaign that was not posted yet.")
    var campaign: String?

    @Option(help: "With --campaign: only this run of it.")
    var run: String?

    @OptionGroup var options: CommandOptions
    @OptionGroup var json: JSONOption

    func validate() throws {
        if ids.isEmpty, campaign == nil { throw ValidationError("Name the messages by their ids, or --campaign NAME.") }
        if !ids.isEmpty, campaign != nil { throw ValidationError("Name ids or a campaign, not both.") }
        if run != nil, campaign == nil { throw ValidationError("--run goes with --campaign.") }
    }

    func run() async throws {
        try await options.withDatabase { database in
            if let campaign { return try await cancel(campaign, in: database) }
            var answers: [(id: Int64, answer: String)] = []
            for id in ids { answers.append((id, try await cancel(id, in: database))) }
            if json.isOn {
                let rows = answers.map { JSONOutput.object(["id": .number($0.id), "answer": .text($0.answer)]) }
                try StandardStreams.print(JSONOutput.list(rows).document)
            } else {
                try StandardStreams.print(answers.map { "\($0.id) \($0.answer)" }.joined(separator: "\n"))
            }
            if answers.contains(where: { $0.answer != "cancelled" }) { throw ExitCode(ExitStatus.badInput.rawValue) }
        }
    }

    private func cancel(_ id: Int64, in database: Database) async throws(DatabaseError) -> String {
        do throws(DatabaseError) {
            return try await Messages(database: database).cancel(id)
        } catch {
            guard error.is(.noDataFound) else { throw error }
            return "unknown"
        }
    }

    private func cancel(_ campaign: String, in database: Database) async throws {
        let progress = ProgressLine()
        let messages = Messages(database: database)
        var done = try await messages.cancel(campaign: campaign, run: run, after: nil)
        while let next = done.next {
            await progress.show("\(done.cancelled) cancelled")
            let batch = try await messages.cancel(campaign: campaign, run: run, after: next)
            done.cancelled += batch.cancelled
            done.tooLate += batch.tooLate
            done.next = batch.next
        }
        await progress.end()
        if json.isOn {
            let document: JSONOutput = .object([
                "campaign": .text(campaign), "run": .text(run), "cancelled": .number(done.cancelled),
                "too_late": .number(done.tooLate),
            ])
            return try StandardStreams.print(document.document)
        }
        let late = done.tooLate == 0 ? "" : ", \(done.tooLate) too late: they are on the wire"
        try StandardStreams.print("\(HumanFormat.count(done.cancelled, "message")) cancelled\(late)")
    }
}
