import ArgumentParser

/// `fanfare tags`
struct TagCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tags", abstract: "Try tag expressions.", discussion: "Example: fanfare tags check 'a && !b'",
        subcommands: [CheckTags.self])
}
