/// What becomes of claimed messages: posts to send, and refusals. Pure; nothing is sent.
///
/// Every message is in exactly one post or one refusal. Posts are in the order of the messages; a post with several
/// messages takes the position of its first.
public struct Plan: Sendable, Equatable {
    public private(set) var posts: [Post] = []
    public private(set) var refusals: [Refusal] = []

    /// - Parameters:
    ///   - messages: of one hub, with all translations of a content that are to be sent.
    ///   - now: seconds on the clock of `Message.expiresAt`.
    ///   - epoch: seconds since 1970 when that clock showed 0. Default: it counts from 1970.
    ///   - packsHandles: whether messages to handles may share a post: the tier of the hub may have no batches.
    ///   - runContents: what the runs say that these messages belong to, by `Message.stream`.
    ///   - notes: gets what is decided about each content. Default: nobody asks why, and nothing is noted.
    public init(
        _ messages: [Message], for hub: HubSettings, now: Double, epoch: Double = 0, packsHandles: Bool = true,
        runContents: [Int64: RunContent] = [:], notes: PlanNotes? = nil
    ) {
        notes?.begin(now: now, capacity: messages.count)
        var planner = Planner(hub, epoch: epoch, notes: notes)
        var packer = Packer(hub, capacity: messages.count, packsHandles: packsHandles, notes: notes)
        let contents = Plan.contents(messages, of: hub)
        for index in messages.indices {
            notes?.beginContent()
            guard messages[index].expiresAt > now else {
                refuse(messages[index].id, .expired, "expires_at: it had passed before the message could be sent")
                continue
            }
            if let stream = messages[index].stream {
                add(messages[index], of: runContents[stream], &planner, &packer)
                continue
            }
            // A batch without translations skips the lookup.
            guard !contents.isEmpty, messages[index].isTemplate, let content = contents[messages[index].lead] else {
                add(messages[index], &planner, &packer)
                continue
            }
            let alive = content.filter { messages[$0].expiresAt > now }
            if alive[0] == index { add(translations: alive.map { messages[$0] }, &planner, &packer) }
        }
        posts = packer.finish()
    }

    /// The indices of the messages of each content with more than one, by lead. Only hubs that localise by property
    /// join translations.
    private static func contents(_ messages: [Message], of hub: HubSettings) -> [Int64: [Int]] {
        guard hub.localization == .properties else { return [:] }
        var contents: [Int64: [Int]] = [:]
        for message in messages where message.lead != message.id && message.isTemplate { contents[message.lead] = [] }
        if contents.isEmpty { return contents }
        for index in messages.indices where messages[index].isTemplate { contents[messages[index].lead]?.append(index) }
        return contents
    }

    private mutating func add(_ message: Message, _ planner: inout Planner, _ packer: inout Packer) {
        if planner.isLocalisedByProperty(message) { return add(translations: [message], &planner, &packer) }
        do throws(Unsendable) {
            packer.add(try planner.post(message), of: CollectionOfOne(message))
        } catch {
            refuse(message.id, error.reason, error.text)
        }
    }

    private mutating func add(
        _ message: Message, of content: RunContent?, _ planner: inout Planner, _ packer: inout Packer
    ) {
        do throws(Unsendable) {
            guard let content else {
                throw Unsendable("stream", nil, "what its run says is not there: somebody deleted it")
            }
            packer.add(try planner.post(message, of: content), of: CollectionOfOne(message))
        } catch {
            refuse(message.id, error.reason, error.text)
        }
    }

    private mutating func add(translations: [Message], _ planner: inout Planner, _ packer: inout Packer) {
        do throws(Unsendable) {
            let (post, refused) = try planner.post(translations: translations)
            // A refused row is not in the post, so what it says keeps nothing apart.
            if let post {
                packer.add(
                    post, of: refused.isEmpty ? translations : translations.filter { post.messages.contains($0.id) })
            }
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
