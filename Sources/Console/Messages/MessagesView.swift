import Pages
import Postgres
import PushModel
import Store

/// What `/messages` shows: the template `messages`.
struct MessagesView {
    struct Message {
        let messageID: String
        let messageAddress: String
        let messageStatus: String
        let messageLook: String
        let messageHub: String
        let hubAddress: String
        let messageTarget: String
        let messageReason: String
        let messageNote: String
        /// RFC 3339.
        let messageSince: String
        let messagePosts: String
        let messageCampaign: String
        let mayChoose: Bool
    }

    /// What can be done with chosen ones.
    struct Deed {
        let deedAddress: String
        let deedLabel: String
        /// Sent with the button.
        let deedName: String
        let deedValue: String
    }

    struct Found {
        let messages: [Message]
        let hasMessages: Bool
        let foundWords: String
        let newestAddress: String?
        let furtherAddress: String?
        let deeds: [Deed]
        let hasDeeds: Bool
        let formAddress: String
    }

    let filters: FilterFormView
    /// nil: nothing was looked for, or it could not be read.
    let found: Found?
    /// nil: nothing matches, or the person may not act.
    let matching: MatchingView?

    init(_ search: MessageFilter, _ page: MessagePage?, for visit: Visit) {
        filters = FilterFormView(search.form, address: visit.address("messages"))
        let before = search.search.before
        found = page.map { page in
            let deeds = Self.deeds(for: visit)
            return Found(
                messages: page.messages.map { Self.message($0, mayChoose: !deeds.isEmpty, for: visit) },
                hasMessages: !page.messages.isEmpty, foundWords: Self.words(page, before: before),
                newestAddress: before == nil
                    ? nil : visit.address("messages", fields: search.form.query(before: nil)),
                furtherAddress: page.isEnd
                    ? nil : visit.address("messages", fields: search.form.query(before: page.lookedTo)),
                deeds: deeds, hasDeeds: !deeds.isEmpty && !page.messages.isEmpty,
                formAddress: deeds.first?.deedAddress ?? "")
        }
        let isNone = page.map { $0.messages.isEmpty && $0.isEnd && before == nil } ?? true
        matching = isNone ? nil : MatchingView(search, for: visit)
    }

    /// Of what the page shows, and how far it looked.
    static func words(_ page: MessagePage, before: Int64?) -> String {
        let count = HumanFormat.count(page.messages.count, "message")
        if page.isEnd { return before == nil ? "\(count) in all with these filters." : "\(count), and no older one." }
        guard let lookedTo = page.lookedTo else { return "\(count)." }
        let back = page.lookedBackTo.map { ", enqueued \($0)" } ?? ""
        return "\(count) down to id \(lookedTo)\(back). Older ones were not looked at."
    }

    private static func deeds(for visit: Visit) -> [Deed] {
        guard visit.canAct(.operate) else { return [] }
        let decisions = Doubts.Decision.allCases.map { decision in
            Deed(
                deedAddress: visit.address("act", ResolveDoubtsAction.name),
                deedLabel: "In doubt: \(decision.verb.lowercasedFirst)",
                deedName: "decision", deedValue: decision.rawValue)
        }
        return [
            Deed(
                deedAddress: visit.address("act", RetryMessagesAction.name), deedLabel: "Send again", deedName: "deed",
                deedValue: "retry"),
            Deed(
                deedAddress: visit.address("act", CancelMessagesAction.name), deedLabel: "Cancel", deedName: "deed",
                deedValue: "cancel"),
        ] + decisions
    }

    private static func message(_ message: Messages.Status, mayChoose: Bool, for visit: Visit) -> Message {
        Message(
            messageID: "\(message.id)", messageAddress: visit.address("messages", "\(message.id)"),
            messageStatus: message.status ?? "unknown", messageLook: StatusLook.of(message.status ?? "").rawValue,
            messageHub: message.hub, hubAddress: visit.address("hubs", message.hub),
            messageTarget: message.target ?? "everybody", messageReason: message.reason ?? "",
            messageNote: message.note ?? message.error ?? "", messageSince: message.since ?? "",
            messagePosts: message.posts > 1 ? "\(message.posts)" : "", messageCampaign: message.campaign ?? "",
            mayChoose: mayChoose)
    }
}
