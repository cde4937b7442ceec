import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare message`: where messages are, stopping and erasing them, and sending failures again.
struct MessageCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message", abstract: "Look at messages, cancel or erase them, or send failures again.",
        discussion: "Example: fanfare message show 42",
        subcommands: [
            ShowMessage.self, ListMessages.self, CancelMessages.self, RetryMessages.self, EraseMessages.self,
        ])
}

extension PushModel.Status: ExpressibleByArgument {}

/// `fanfare message show`
struct ShowMessage: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show where one message is, and why.",
        discussion: """
            With its story from the INSERT on, the messages that were in one post with it, and its content for those who may \
            read push.message.

            Example: fanfare message show 42 --json
            """)

    @Argument(help: "The message's id, as enqueue printed it.") var id: Int64
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let messages = Messages(database: database)
        guard let status = try await messages.status(of: id) else {
            throw Failure(
                "cannot show message \(id)", because: "there is no message \(id)",
                hint: "Ids come from enqueue, or from INSERT … RETURNING id.", status: .badInput)
        }
        return Report(
            status, mates: try await messages.mates(of: id), content: try await messages.content(of: id),
            story: try await messages.story(of: id))
    }
}

extension Report {
    /// - Parameter mates: the messages that were in one post with it.
    init(_ message: Messages.Status, mates: [Int64], content: String?, story: MessageStory) {
        let others = mates.isEmpty ? nil : mates.map { "\($0)" }.joined(separator: " ")
        let fields = message.fields + [("in one post with", others), ("content", content)]
        let rows = fields.compactMap { name, value in value.map { [name, $0] } }
        let table = TextTable([.text("id"), .prose("\(message.id)")], rows: rows)
        self.init(
            fitting: { width in
                let steps = story.steps.isEmpty ? "" : "\n\n" + story.table.text(fitting: width)
                return table.text(fitting: width) + steps
            },
            .object(
                message.members.merging([
                    "content": .text(content), "mates": .list(mates.map { .number($0) }), "story": story.json,
                ]) { $1 }))
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
    var json: JSONOutput { .object(members) }

    fileprivate var members: [String: JSONOutput] {
        [
            "id": .number(id), "hub": .text(hub), "target": .text(target), "locale": .text(locale),
            "status": .text(status), "reason": .text(reason), "class": .text(self.class), "posts": .number(posts),
            "since": .text(since), "next_try": .text(nextTry), "note": .text(note), "post": .number(post),
            "http": .number(http), "tracking_id": .text(trackingID), "notification_id": .text(notificationID),
            "error": .text(error), "worker": .text(worker), "campaign": .text(campaign),
        ]
    }
}
