import ArgumentParser

/// `fanfare suppress`
struct SuppressCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suppress", abstract: "Keep campaigns from reaching a tag, a device handle or a recipient.",
        discussion: """
            Single messages are the backend's own word and are not held back.

            Example: fanfare suppress add tag user:42 --reason "asked us to stop"
            """,
        subcommands: [
            AddSuppression.self, RemoveSuppression.self, ListSuppressions.self, ImportSuppressions.self,
            ExportSuppressions.self,
        ])
}
