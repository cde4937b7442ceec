import ArgumentParser

/// `fanfare installation`: the devices a hub knows.
struct InstallationCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "installation",
        abstract: "Read, put, change and delete the installations of a hub; move all of them.",
        discussion: """
            Straight against the hub, without the database. The hub queues what it is told: a read may lag behind. The \
            key in the settings needs the right to manage installations, which a key for sending alone has not.

            Example: fanfare installation get --hub news phone-1
            """,
        subcommands: [
            GetInstallation.self, PutInstallation.self, PatchInstallation.self, DeleteInstallation.self,
            ImportInstallations.self, ExportInstallations.self,
        ])
}
