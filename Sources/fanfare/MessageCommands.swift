import ArgumentParser

/// `fanfare messages`: where messages are, and stopping them.
struct MessageCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages", abstract: "Look at messages, or cancel them.",
        discussion: "Example: fanfare messages show 42",
        subcommands: [ShowMessage.self, ListMessages.self, CancelMessages.self])
}
