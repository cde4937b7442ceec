import CommandLineTool
import ArgumentParser
import Daemon
import Glibc
import Signing

/// `fanfare sas`
struct PrintToken: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sas", abstract: "Print a shared access signature for a hub, and nothing else.",
        discussion: """
            The token opens the hub until it expires: it is as secret as a key.

            Example: curl -H "Authorization: $(fanfare sas news)" …
            """)

    @Argument(help: "The hub's name in the settings.", completion: .hub)
    var hub: String

    @Option(help: ArgumentHelp("When it expires, in seconds since 1970. Default: in one hour.", valueName: "epoch"))
    var expiry: Int64?

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func validate() throws {
        if let expiry, expiry < 0 { throw ValidationError("--expiry is in seconds since 1970, not negative.") }
    }

    func run() throws {
        let settings = try options.settings()
        guard let hub = settings.hubs[hub] else {
            let known = settings.hubs.keys.sorted().joined(separator: ", ")
            throw Failure(
                "cannot sign for hub \"\(hub)\"", because: "the settings have no such hub",
                hint: known.isEmpty ? "They have none." : "They have: \(known).", status: .badInput)
        }
        // Settings that loaded have a connection string for every hub, and it parses.
        let connection = try ConnectionString(parsing: hub.connectionString?.reveal() ?? "")
        let token = SAS.token(
            resource: "\(connection.base)/\(hub.settings.hub)", keyName: connection.keyName, key: connection.key,
            expiry: expiry ?? Int64(time(nil)) + 3600)
        try StandardStreams.print(token.header.reveal())
    }
}
