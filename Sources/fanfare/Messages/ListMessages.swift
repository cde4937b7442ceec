import ArgumentParser
import PushModel
import Store

/// `fanfare messages list`
struct ListMessages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List messages, the newest first.",
        discussion: """
            Looks through the newest 10,000 messages.

            Example: fanfare messages list --status rejected --limit 20
            """)

    @Option(help: "Only messages of this hub.")
    var hub: String?

    @Option(help: "Only messages with this status.")
    var status: PushModel.Status?

    @Option(help: "Only messages of this campaign.")
    var campaign: String?

    @Option(help: "Messages at most, 1 to 10000.")
    var limit: Int32 = 50

    @OptionGroup var options: CommandOptions
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit must be from 1 to 10000.") }
    }

    func run() async throws {
        try await options.withDatabase { database in
            let messages = try await Messages(database: database)
                .list(hub: hub, status: status?.rawValue, campaign: campaign, limit: limit)
            if json.isOn { return try StandardStreams.print(JSONOutput.list(messages.map(\.json)).document) }
            var table = TextTable([
                .number("ID"), .text("HUB"), .text("TARGET"), .text("LOCALE"), .text("STATUS"), .text("REASON"),
                .text("SINCE"), .text("NOTE"),
            ])
            for message in messages {
                table.add([
                    "\(message.id)", message.hub, message.target, message.locale, message.status, message.reason,
                    message.since, message.note ?? message.error,
                ])
            }
            try StandardStreams.print(table.isEmpty ? "no such message" : table.text)
        }
    }
}

extension PushModel.Status: ExpressibleByArgument {}
