import ArgumentParser
import CommandLineTool
import Store

/// `fanfare suppress remove`
struct RemoveSuppression: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Let campaigns reach it again.",
        discussion: """
            Exits 65 when it was not suppressed.

            Example: fanfare suppress remove tag user:42
            """)

    @Argument(help: "tag, handle or key.") var what: SuppressedKind
    @Argument(help: "The tag, handle or key.") var value: String
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        guard try await Audiences(database: database).unsuppress(what.rawValue, value) else {
            throw Failure(
                "cannot remove it", because: "it is not suppressed", hint: "fanfare suppress list", status: .badInput)
        }
        return Report("reached again", ["suppressed": .flag(false), "changed": .flag(true)])
    }
}
