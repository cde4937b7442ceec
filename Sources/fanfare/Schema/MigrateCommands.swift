import ArgumentParser

/// `fanfare migrate`: the schema push of one database.
struct MigrateCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Make, look at and check the schema push.",
        discussion: "Example: fanfare migrate up",
        subcommands: [MigrateUp.self, MigrateStatus.self, MigratePrint.self, MigrateVerify.self, MigrateReference.self])
}
