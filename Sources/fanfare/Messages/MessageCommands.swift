import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare messages`: where messages are, stopping and erasing them, and sending failures again.
struct MessageCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages", abstract: "Look at messages, cancel or erase them, or send failures again.",
        discussion: "Example: fanfare messages show 42",
        subcommands: [
            ShowMessage.self, ListMessages.self, CancelMessages.self, RetryMessages.self, EraseMessages.self,
        ])
}

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

/// `fanfare messages show`
struct ShowMessage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show where one message is, and why.",
        discussion: "Example: fanfare messages show 42 --json")

    @Argument(help: "The message's id, as enqueue printed it.")
    var id: Int64

    @OptionGroup var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.withDatabase { database in
            guard let status = try await Messages(database: database).status(of: id) else {
                throw Failure(
                    "cannot show message \(id)", because: "there is no message \(id)",
                    hint: "Ids come from enqueue, or from INSERT … RETURNING id.", status: .badInput)
            }
            if json.isOn { return try StandardStreams.print(status.json.document) }
            var table = TextTable([.text("id"), .text("\(id)")])
            for (name, value) in status.fields { if let value { table.add([name, value]) } }
            try StandardStreams.print(table.text)
        }
    }
}

extension Messages.Status {
    /// For people, in the order of their questions.
    fileprivate var fields: [(String, String?)] {
        [
            ("hub", hub), ("target", target), ("locale", locale), ("campaign", campaign), ("status", status),
            ("reason", reason), ("who must act", self.class), ("since", since), ("next try", nextTry), ("note", note),
            ("posts", "\(posts)"), ("post", post.map { "\($0)" }), ("http", http.map { "\($0)" }),
            ("tracking id", trackingID), ("notification id", notificationID), ("error", error), ("worker", worker),
        ]
    }

    /// With the names of the columns of push.message_status.
    var json: JSONOutput {
        .object([
            "id": .number(id), "hub": .text(hub), "target": .text(target), "locale": .text(locale),
            "status": .text(status), "reason": .text(reason), "class": .text(self.class), "posts": .number(posts),
            "since": .text(since), "next_try": .text(nextTry), "note": .text(note), "post": .number(post),
            "http": .number(http), "tracking_id": .text(trackingID), "notification_id": .text(notificationID),
            "error": .text(error), "worker": .text(worker), "campaign": .text(campaign),
        ])
    }
}
