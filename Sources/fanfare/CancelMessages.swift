import ArgumentParser
import Daemon
import Postgres
import Store

/// `fanfare messages cancel`
struct CancelMessages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Stop messages that were not posted yet.",
        discussion: """
            Says for each message: cancelled (it will not be sent), too_late (it was posted, or is final) or unknown \
            (there is none with that id). Exits 65 unless all are cancelled.

            Example: fanfare messages cancel 42 43
            """)

    @Argument(help: "Ids of the messages.")
    var ids: [Int64]

    @OptionGroup var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.withDatabase { database in
            var answers: [(id: Int64, answer: String)] = []
            for id in ids { answers.append((id, try await cancel(id, in: database))) }
            if json.isOn {
                let rows = answers.map { JSONValue.object(["id": .number($0.id), "answer": .text($0.answer)]) }
                try Console.print(JSONValue.list(rows).document)
            } else {
                try Console.print(answers.map { "\($0.id) \($0.answer)" }.joined(separator: "\n"))
            }
            if answers.contains(where: { $0.answer != "cancelled" }) { throw ExitCode(ExitStatus.badInput.rawValue) }
        }
    }

    private func cancel(_ id: Int64, in database: Database) async throws(DatabaseError) -> String {
        do throws(DatabaseError) {
            return try await Messages(database: database).cancel(id)
        } catch {
            guard error.sqlState == "P0002" else { throw error }
            return "unknown"
        }
    }
}
