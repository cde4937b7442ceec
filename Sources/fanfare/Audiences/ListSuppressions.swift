import ArgumentParser
import CommandLineTool
import Store

/// `fanfare suppress list`
struct ListSuppressions: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List what is suppressed, and why.",
        discussion: """
            What ended is not shown.

            Example: fanfare suppress list --what tag --value user:42
            """)

    @Option(help: "Only tag, handle or key.") var what: SuppressedKind?

    @Option(help: ArgumentHelp("Only this tag, handle or key: whether it is suppressed.", valueName: "text"))
    var value: String?

    @Option(help: "Lines at most, 1 to 100000.") var limit: Int32 = 1000
    @OptionGroup var options: ReportOptions

    func validate() throws { try require("--limit", limit, in: 1...100_000) }

    func answer(_ database: Database) async throws -> Report {
        let found = try await Audiences(database: database).suppressions(
            what: what?.rawValue, value: value, limit: limit)
        return Report(found, none: value == nil ? "nothing is suppressed" : "it is not suppressed")
    }
}

extension Report {
    /// Handles of devices are shown by their ends; as JSON they are whole.
    init(_ suppressions: [Audiences.Suppression], none: String) {
        self.init(
            suppressions, [.text("WHAT"), .id("VALUE"), .text("UNTIL"), .text("BY"), .prose("REASON")], none: none
        ) {
            [$0.what, $0.what == "handle" ? HandleMask.masked($0.value) : $0.value, $0.until, $0.by, $0.reason]
        } json: {
            .object([
                "what": .text($0.what), "value": .text($0.value), "reason": .text($0.reason),
                "until": .text($0.until), "by": .text($0.by),
            ])
        }
    }
}
