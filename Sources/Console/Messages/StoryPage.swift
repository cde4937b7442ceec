import Pages
import Postgres
import PushModel
import Store

/// `/messages/ID`: one message from its INSERT to its answer, and what happens next.
struct StoryPage: ConsolePage {
    static let place: Place? = .messages
    static let rights: [Right] = [.look]

    let text: String
    /// nil: it is no id.
    let id: Int64?

    init?(path: [String], fields: FormFields) {
        guard path.count == 2, path[0] == Place.messages.rawValue else { return nil }
        text = path[1]
        id = Int64(path[1]).flatMap { $0 > 0 ? $0 : nil }
    }

    struct Rows: Sendable {
        /// nil: no message has that id.
        var status: Part<Messages.Status?>
        var story: Part<MessageStory>
        /// nil: no message has that id.
        var context: Part<MessageContext?>
    }

    func read(_ reader: PageReader) async -> Rows {
        guard let id else {
            return Rows(status: .read(nil), story: .read(MessageStory(steps: [])), context: .read(nil))
        }
        async let status = reader.part("message", of: "\(id)") { database throws(DatabaseError) in
            try await Messages(database: database).status(of: id)
        }
        async let story = reader.part("story", of: "\(id)") { database throws(DatabaseError) in
            try await Messages(database: database).story(of: id)
        }
        async let context = reader.part("translations and post", of: "\(id)") { database throws(DatabaseError) in
            try await Messages(database: database).context(of: id)
        }
        return Rows(status: await status, story: await story, context: await context)
    }

    func content(of rows: Rows, for visit: Visit) -> PageContent {
        guard let id, case .read(let status?) = rows.status else {
            if let trouble = rows.status.trouble {
                return PageContent(
                    title: "Message \(text)", template: "notice",
                    view: NoticeView("The message could not be read.", for: visit), troubles: [trouble])
            }
            let words =
                id == nil
                ? "\"\(text.prefix(40))\" is no id of a message, which is a whole number."
                : "No message has the id \(text). It may have been purged, or its transaction was rolled back."
            return PageContent(
                status: 404, title: "No message", template: "notice", view: NoticeView(words, for: visit),
                liveSeconds: nil)
        }
        return PageContent(
            title: "Message \(id)", template: "story",
            view: StoryView(status, rows.story.value?.steps ?? [], rows.context.value ?? nil, for: visit),
            troubles: [rows.story.trouble, rows.context.trouble].compactMap(\.self),
            elsewhere: [
                Elsewhere(
                    about: "what happened",
                    sql: "SELECT at, step, status, reason, note, person, worker, post, http FROM push.story_of(\(id));",
                    command: "fanfare message show \(id)"),
                Elsewhere(
                    about: "what it goes with",
                    sql: "SELECT traceparent, translations, mates FROM push.context_of(\(id));",
                    command: "fanfare message show \(id)"),
            ])
    }
}
