import ArgumentParser

/// `fanfare doubt`: messages that may have been sent and were never answered.
struct DoubtCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doubt", abstract: "Look at messages in doubt, and decide them.",
        discussion: """
            A message is in doubt when its post may have left and no answer came. Nobody but a person knows what a \
            second push would do.

            Example: fanfare doubt resolve 42 --as resend
            """,
        subcommands: [ListDoubts.self, ResolveDoubts.self])
}
