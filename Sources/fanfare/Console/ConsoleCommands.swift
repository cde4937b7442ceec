import ArgumentParser

/// `fanfare console`: pages for people on call and for owners of campaigns.
struct ConsoleCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console", abstract: "Serve pages for people on call and for owners of campaigns.",
        discussion: """
            Without a subcommand it serves them, as fanfare console serve does.

            Example: fanfare console
            """,
        subcommands: [ServeConsole.self, RunConsole.self, MakePassword.self], defaultSubcommand: ServeConsole.self)
}
