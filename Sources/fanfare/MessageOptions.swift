import ArgumentParser
import PushModel
import Store

/// One message of `fanfare enqueue`, with the languages it comes in.
struct MessageOptions: ParsableArguments {
    @Option(help: "The hub's name in the settings.")
    var hub: String?

    @Option(help: "A tag, or a tag expression such as 'news && !muted'.")
    var tag: String?

    @Flag(help: "To everyone; the hub must allow it.")
    var broadcast = false

    @Option(help: ArgumentHelp("The content: one flat JSON object of strings.", valueName: "json"))
    var content: String?

    @Option(
        name: .customLong("property"),
        help: ArgumentHelp("One property of the content, instead of --content. Repeatable.", valueName: "name=text"))
    var properties: [KeyValue] = []

    @Option(help: "BCP 47 language of the content, such as fr or zh-Hans. Default: it has none.")
    var locale: String?

    @Option(
        name: .customLong("translation"),
        help: ArgumentHelp(
            "The content in another language, as one flat JSON object. Repeatable.", valueName: "locale=json"))
    var translations: [KeyValue] = []

    @Option(
        help: ArgumentHelp(
            "Not before this time: ISO 8601, or what PostgreSQL reads as timestamptz. Default: now.", valueName: "time")
    )
    var at: String?

    @Option(
        help: ArgumentHelp("Never after this time. Default: the hub's expireAfterSeconds later.", valueName: "time"))
    var expiresAt: String?

    @Option(help: "Which messages of a hub go first. Default: normal.")
    var priority: Priority?

    @Option(help: "What happens if a post may have left and no answer came. Default: the hub's onDoubt.")
    var onDoubt: OnDoubt?

    @Flag(help: "Share no post with messages to other tags.")
    var noPack = false

    @Option(help: ArgumentHelp("For people and reports.", valueName: "name"))
    var campaign: String?

    @Option(name: .customLong("run"), help: ArgumentHelp("For reports: one run of the campaign.", valueName: "name"))
    var campaignRun: String?

    @Option(help: ArgumentHelp("For people and reports.", valueName: "name"))
    var tenant: String?

    /// The name of an option that was given; nil: none was.
    var firstGiven: String? {
        let given: [(String, Bool)] = [
            ("--hub", hub != nil), ("--tag", tag != nil), ("--broadcast", broadcast), ("--content", content != nil),
            ("--property", !properties.isEmpty), ("--locale", locale != nil),
            ("--translation", !translations.isEmpty), ("--at", at != nil), ("--expires-at", expiresAt != nil),
            ("--priority", priority != nil), ("--on-doubt", onDoubt != nil), ("--no-pack", noPack),
            ("--campaign", campaign != nil), ("--run", campaignRun != nil), ("--tenant", tenant != nil),
        ]
        return given.first { $0.1 }?.0
    }

    /// - Throws: `ValidationError` when the options do not make a message.
    func check() throws {
        guard hub != nil else { throw ValidationError("Name the hub with --hub, or give messages with --file.") }
        if (tag != nil) == broadcast { throw ValidationError("Give either --tag or --broadcast.") }
        if content != nil && !properties.isEmpty { throw ValidationError("Give either --content or --property.") }
        let hasContent = content != nil || !properties.isEmpty
        if !hasContent && translations.isEmpty {
            throw ValidationError("Give the content: --content, --property or --translation.")
        }
        if !hasContent && locale != nil { throw ValidationError("--locale goes with --content or --property.") }
        var seen: Set<String> = []
        if let twice = properties.first(where: { !seen.insert($0.key).inserted }) {
            throw ValidationError("--property \(twice.key) is given twice.")
        }
    }

    /// The rows of `push.message`: the content, then its translations.
    ///
    /// - Throws: `Failure` when a content is none.
    func messages() throws(Failure) -> [NewMessage] {
        var messages: [NewMessage] = []
        if let content {
            messages.append(try message(content, locale: locale, from: "--content"))
        } else if !properties.isEmpty {
            let members = Dictionary(properties.map { ($0.key, JSONValue.text($0.value)) }) { $1 }
            messages.append(try message(JSONValue.object(members).document, locale: locale, from: "--property"))
        }
        for translation in translations {
            let option = "--translation \(translation.key)"
            messages.append(try message(translation.value, locale: translation.key, from: option))
        }
        return messages
    }

    private func message(_ content: String, locale: String?, from option: String) throws(Failure) -> NewMessage {
        do throws(FlatObjectError) {
            _ = try FlatObject(content)
        } catch {
            throw Failure(
                option, because: "\(error)", hint: #"A content looks like {"title": "Hello", "badge": "3"}."#,
                status: .badInput)
        }
        var message = NewMessage(hub: hub ?? "", tag: tag, content: content)
        message.broadcast = broadcast
        message.locale = locale
        message.sendAt = at
        message.expiresAt = expiresAt
        message.priority = priority?.rawValue
        message.onDoubt = onDoubt?.rawValue
        message.pack = !noPack
        message.campaign = campaign
        message.run = campaignRun
        message.tenant = tenant
        return message
    }
}

extension OnDoubt: ExpressibleByArgument {}

extension Priority: ExpressibleByArgument {
    public init?(argument: String) {
        guard let priority = Priority.allCases.first(where: { $0.word == argument }) else { return nil }
        self = priority
    }

    public static var allValueStrings: [String] { allCases.map(\.word) }

    var word: String {
        switch self {
        case .urgent: "urgent"
        case .normal: "normal"
        case .bulk: "bulk"
        }
    }
}
