import CommandLineTool
import ArgumentParser
import Store

/// `fanfare hub rotate`
struct RotateHub: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Make all workers sign with the hub's other key.",
        discussion: """
            For changing keys without a pause: rotate, regenerate the key that is not in use any more, put the new one into \
            the settings of every worker and restart them one after the other (a reload is enough where the files themselves \
            change: a settings file, /run/secrets, Kubernetes), then rotate back if you like. Needs \
            secondaryConnectionString. Workers follow within a second; nothing in flight is lost.

            Example: fanfare hub rotate news
            """)

    @Argument(help: "The hub's name in the settings.", completion: .hub) var hub: String
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        report(key: try await Hubs(database: database).rotate(hub).rawValue)
    }

    func report(key: String) -> Report {
        let (old, setting) =
            key == "primary"
            ? ("secondary", "hubs.\(hub).secondaryConnectionString") : ("primary", "hubs.\(hub).connectionString")
        return Report(
            """
            hub \(hub): workers sign with the \(key) key now
            next: 1. see that every worker follows: fanfare hub show \(hub)
                  2. regenerate the \(old) key in the portal
                  3. put its new connection string into \(setting) and restart the workers one after the other: \
            systemctl restart fanfare (systemd copies credentials when a service starts, so a reload does not see them)
            """, ["hub": .text(hub), "key": .text(key)])
    }
}
