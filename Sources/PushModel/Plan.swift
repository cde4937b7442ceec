/// What becomes of claimed messages: posts that can leave, and refusals. Pure; nothing is sent.
///
/// Every message is in exactly one post or one refusal. Posts come in the order of the messages; a content with several
/// translations stands where its first one stands.
public struct Plan: Sendable, Equatable {
    public private(set) var posts: [Post] = []
    public private(set) var refusals: [Refusal] = []

    /// - Parameters:
    ///   - messages: of one hub, with all translations of a content that are to be sent.
    ///   - now: seconds since 1970.
    public init(_ messages: [Message], for hub: HubSettings, now: Double) {
        posts.reserveCapacity(messages.count)
        var planner = Planner(hub)
        let contents = Plan.contents(messages, of: hub)
        for index in messages.indices {
            guard messages[index].expiresAt > now else {
                refuse(messages[index].id, .expired, "expires_at: it had passed before the message could be sent")
                continue
            }
            // A batch without translations hashes nothing.
            guard !contents.isEmpty, messages[index].isTemplate, let content = contents[messages[index].lead] else {
                add(messages[index], &planner)
                continue
            }
            let alive = content.filter { messages[$0].expiresAt > now }
            if alive[0] == index { add(translations: alive.map { messages[$0] }, &planner) }
        }
    }

    /// The indices of the messages of each content that has more than its lead, by lead. Only hubs that localise by
    /// property join translations.
    private static func contents(_ messages: [Message], of hub: HubSettings) -> [Int64: [Int]] {
        guard hub.localization == .properties else { return [:] }
        var contents: [Int64: [Int]] = [:]
        for message in messages where message.lead != message.id && message.isTemplate { contents[message.lead] = [] }
        if contents.isEmpty { return contents }
        for index in messages.indices where messages[index].isTemplate { contents[messages[index].lead]?.append(index) }
        return contents
    }

    private mutating func add(_ message: Message, _ planner: inout Planner) {
        if planner.isLocalisedByProperty(message) { return add(translations: [message], &planner) }
        do throws(Unsendable) {
            posts.append(try planner.post(message))
        } catch {
            refuse(message.id, error.reason, error.text)
        }
    }

    private mutating func add(translations: [Message], _ planner: inout Planner) {
        do throws(Unsendable) {
            let (post, refused) = try planner.post(translations: translations)
            if let post { posts.append(post) }
            for (message, why) in refused { refuse(message, why.reason, why.text) }
        } catch {
            for message in translations { refuse(message.id, error.reason, error.text) }
        }
    }

    private mutating func refuse(_ message: Int64, _ reason: Reason, _ text: String) {
        refusals.append(
            Refusal(message: message, status: reason == .expired ? .expired : .rejected, reason: reason, text: text))
    }
}
