import ArgumentParser

/// `fanfare config`
struct ConfigCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check the settings, or show them with their sources.",
        discussion: "Example: fanfare config check --config /etc/fanfare/config.json",
        subcommands: [CheckConfig.self, PrintConfig.self])
}
