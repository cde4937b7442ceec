import ArgumentParser
import CommandLineTool
import Configuration
import Daemon
import Glibc
import PushModel
import Signing

/// `fanfare sas`
struct PrintToken: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sas", abstract: "Print a shared access signature for a hub, and nothing else.",
        discussion: """
            The token opens the hub until it expires: it is as secret as a key.

            Example: curl -H "Authorization: $(fanfare sas news)" …
            """)

    @Argument(help: "The hub's name in the settings.", completion: .hub) var hub: String

    @Option(help: ArgumentHelp("When it expires, in seconds since 1970. Default: in one hour.", valueName: "epoch"))
    var expiry: Int64?

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func validate() throws {
        if let expiry, expiry < 0 { throw ValidationError("--expiry is in seconds since 1970, not negative.") }
    }

    func run() throws {
        let hub = try options.settings().hub(hub, orCannot: "sign for hub \"\(hub)\"")
        guard let secret = hub.connectionString else { throw Self.hasNone(hub.settings) }
        // Settings that loaded have a connection string that parses.
        let connection = try ConnectionString(parsing: secret.reveal())
        let token = SAS.token(
            resource: "\(connection.base)/\(hub.settings.hub)", keyName: connection.keyName, key: connection.key,
            expiry: expiry ?? Int64(time(nil)) + 3600)
        try StandardStreams.print(token.header.reveal())
    }

    /// Only a connection string signs them; settings that loaded have one for every hub of a kind with connection strings.
    private static func hasNone(_ hub: HubSettings) -> Failure {
        let kinds = HubKind.allCases.filter { HubSecretKeys(of: $0).primary == "connectionString" }.map(\.rawValue)
        return Failure(
            "cannot sign for hub \"\(hub.name)\"",
            because: "it is of kind \(hub.kind.rawValue); shared access signatures are for kind "
                + kinds.joined(separator: " and "),
            status: .badInput)
    }
}
