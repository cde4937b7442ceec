import ArgumentParser

/// `fanfare messages`: where messages are, stopping them, and sending failures again.
struct MessageCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages", abstract: "Look at messages, cancel them, or send failures again.",
        discussion: "Example: fanfare messages show 42",
        subcommands: [ShowMessage.self, ListMessages.self, CancelMessages.self, RetryMessages.self])
}
