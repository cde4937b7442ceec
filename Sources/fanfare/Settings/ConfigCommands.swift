import ArgumentParser

/// `fanfare config`
struct ConfigCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check the settings, show them with their sources, or describe them.",
        discussion: "Example: fanfare config check --config /etc/fanfare/config.json",
        subcommands: [CheckConfig.self, PrintConfig.self, PrintConfigSchema.self, PrintConfigReference.self])
}
