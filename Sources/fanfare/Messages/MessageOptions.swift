import CommandLineTool
import ArgumentParser
import PushModel
import Store

/// One message of `fanfare enqueue`, with the languages it comes in.
struct MessageOptions: ParsableArguments {
    @Option(help: "The hub's name in the settings.", completion: .hub) var hub: String?
    @OptionGroup(title: "For whom") var target: TargetOptions
    @OptionGroup(title: "Content") var content: ContentOptions

    @Option(
        help: ArgumentHelp(
            "Names a content whose translations come with several commands; the hub's settleMilliseconds are waited.",
            valueName: "key"))
    var contentKey: String?

    @Option(
        help: ArgumentHelp(
            "Enqueue this only once: a message with the same key within the hub's dedupeHours is a duplicate.",
            valueName: "key"))
    var dedupeKey: String?

    @Flag(
        help: """
            Take the place of what still waits under the --dedupe-key. If it is too late for that, this message is a duplicate.
            """)
    var replace = false

    @Option(
        name: [.customLong("send-at"), .customLong("at")],
        help: ArgumentHelp(
            """
            Not before this time: ISO 8601 or what PostgreSQL reads, with a zone ("2027-03-01 07:00 Europe/Paris"), \
            +10m from now, or seconds since 1970. Default: now.
            """, valueName: "time"))
    var sendAt: String?

    @Option(
        help: ArgumentHelp(
            "Never after this time, written as for --send-at. Default: the hub's expireAfterSeconds later.",
            valueName: "time"))
    var expiresAt: String?

    @Option(
        help: ArgumentHelp(
            "Not before this message, which the same login enqueued, has its final result.", valueName: "id"))
    var after: Int64?

    @Option(
        help: ArgumentHelp(
            "Not before the changes of this device that were asked for until now are applied.", valueName: "device"))
    var afterDevice: String?

    @Option(
        help: ArgumentHelp(
            "How long it waits for that at most, up to 1d; then it is sent without. Default: 60s.", valueName: "time"))
    var afterAtMost: DurationArgument?

    @Option(help: "Which messages of a hub go first. Default: normal.") var priority: Priority?

    @Option(help: "What happens if a post may have left and no answer came. Default: the hub's onDoubt.")
    var onDoubt: OnDoubt?

    @Flag(help: "Share no post with messages to other tags.") var noPack = false
    @Option(help: ArgumentHelp("For people and reports.", valueName: "name")) var campaign: String?

    @Option(name: .customLong("run"), help: ArgumentHelp("For reports: one run of the campaign.", valueName: "name"))
    var campaignRun: String?

    @Option(help: ArgumentHelp("For people and reports.", valueName: "name")) var tenant: String?
    @Option(help: ArgumentHelp("W3C trace context of the caller.", valueName: "context")) var traceparent: String?
    @Option(help: ArgumentHelp("For the backend's own use; any JSON.", valueName: "json")) var meta: String?

    /// The name of an option that was given; nil: no option was given.
    var firstGiven: String? {
        let given: [(name: String, isGiven: Bool)] =
            [("--hub", hub != nil)] + target.given + content.given + [
                ("--content-key", contentKey != nil), ("--dedupe-key", dedupeKey != nil), ("--replace", replace),
                ("--send-at", sendAt != nil),
                ("--expires-at", expiresAt != nil), ("--after", after != nil), ("--after-device", afterDevice != nil),
                ("--after-at-most", afterAtMost != nil), ("--priority", priority != nil),
                ("--on-doubt", onDoubt != nil),
                ("--no-pack", noPack), ("--campaign", campaign != nil), ("--run", campaignRun != nil),
                ("--tenant", tenant != nil), ("--traceparent", traceparent != nil), ("--meta", meta != nil),
            ]
        return given.first { $0.isGiven }?.name
    }

    /// - Throws: `ValidationError` when the options do not make a message.
    func check() throws {
        guard hub != nil else { throw ValidationError("Name the hub with --hub, or give messages with --file.") }
        if replace && dedupeKey == nil {
            throw ValidationError("--replace needs the --dedupe-key of the message to replace.")
        }
        if replace && contentKey != nil {
            throw ValidationError("--replace does not go with --content-key: give all languages with --translation.")
        }
        try target.check()
        try content.check()
        if !target.handles.isEmpty && content.format == .template {
            throw ValidationError("--handle needs a native --format: a template belongs to a registration.")
        }
        if after != nil && afterDevice != nil {
            throw ValidationError("A message waits for one thing: leave out --after or --after-device.")
        }
        if afterAtMost != nil && after == nil && afterDevice == nil {
            throw ValidationError("--after-at-most says how long it waits; give --after or --after-device, too.")
        }
    }

    /// The rows of `push.message`: the content, then its translations.
    ///
    /// - Throws: `Failure` when a content or a time is invalid.
    func messages() throws(Failure) -> [NewMessage] {
        var message = NewMessage(hub: hub ?? "", tag: target.tag, content: nil)
        message.handles = target.handles.isEmpty ? nil : target.handles
        message.broadcast = target.broadcast
        message.contentKey = contentKey
        message.dedupeKey = dedupeKey
        message.replace = replace
        message.format = content.format.rawValue
        message.headers = content.headersJSON
        message.sendAt = try sendAt.map { time throws(Failure) in try InstantArgument(time, for: "--send-at").text }
        message.expiresAt = try expiresAt.map { time throws(Failure) in
            try InstantArgument(time, for: "--expires-at").text
        }
        message.priority = priority?.rawValue
        message.onDoubt = onDoubt?.rawValue
        message.pack = !noPack
        message.campaign = campaign
        message.run = campaignRun
        message.tenant = tenant
        message.traceparent = traceparent
        message.meta = meta
        (message.after, message.afterDevice) = (after, afterDevice)
        message.afterAtMost = afterAtMost.map { "\($0.seconds) s" }
        var messages: [NewMessage] = []
        for text in try content.texts() {
            message.content = text.json
            message.locale = text.locale
            messages.append(message)
        }
        return messages
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
