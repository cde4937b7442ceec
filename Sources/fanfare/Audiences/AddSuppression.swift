import ArgumentParser
import CommandLineTool
import Store

/// `fanfare suppress add`
struct AddSuppression: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Suppress a tag, handle or key.",
        discussion: """
            Messages of a run that were made before are sent; cancel the run to stop them. A value that no recipient can \
            have is refused: a tag is one tag, without blanks and operators.

            Example: fanfare suppress add tag user:42 --until 2027-06-01
            """)

    @Argument(help: "tag, handle, or key: that of the recipient in its audience.") var what: SuppressedKind
    @Argument(help: "The tag, handle or key.") var value: String
    @Option(help: "Why, for the others: unsubscribed, complaint, bounced, test, or any words.") var reason: String?

    @Option(help: ArgumentHelp("Until when, such as 2027-06-01. Default: for good.", valueName: "time"))
    var until: String?

    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let isNew = try await Audiences(database: database).suppress(what.rawValue, value, reason: reason, until: until)
        return Report(
            isNew ? "suppressed" : "suppressed already", ["suppressed": .flag(true), "changed": .flag(isNew)])
    }
}
