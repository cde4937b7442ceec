import CommandLineTool
import ArgumentParser
import PushModel
import Store

/// `fanfare hub add`
struct AddHub: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Register a hub in the database, so that backends may name it.",
        discussion: """
            Takes the hub from the settings when they have it, else from the options here; then it also prints what to add to \
            the settings, because a worker posts only to hubs of its settings. No secret is written to the database. A \
            hub that is registered already gets these settings. (fanfare migrate up does the same for every hub of the \
            settings; a starting worker only registers hubs that are missing.) Needs a login with push_operator.

            Example: fanfare hub add news --language en=English --language fr=French --fallback en
            """)

    @Argument(help: "The name backends write into push.message.hub: 1 to 63 of a-z, 0-9, _ and -.") var name: String

    @Option(help: "The service that it sends through: notification-hubs, fcm or apns. Default: notification-hubs.")
    var kind: HubKind?

    @Option(help: ArgumentHelp("The hub's own name at the service. Default: the same.", valueName: "name"))
    var hub: String?

    @Flag(help: "The tags of messages are topics (kind fcm).") var topics = false

    @Option(help: ArgumentHelp("The topic that messages to all devices go to (kind fcm).", valueName: "topic"))
    var broadcastTopic: String?

    @Option(help: "Where the language of a content goes: properties or tags.") var localization: Localization?

    @Option(
        name: .customLong("language"),
        help: ArgumentHelp("A locale and its word in property names. Repeatable.", valueName: "locale=word"))
    var languages: [KeyValue] = []

    @Option(help: ArgumentHelp("The locale that stands in for missing ones.", valueName: "locale"))
    var fallback: String?

    @Flag(help: "Let messages reach every registration.") var allowBroadcast = false
    @Option(help: "What becomes of a message whose post was never answered: hold or resend.") var onDoubt: OnDoubt?
    @OptionGroup var options: ReportOptions

    private var hasOptions: Bool {
        kind != nil || hub != nil || topics || broadcastTopic != nil || localization != nil || !languages.isEmpty
            || fallback != nil || allowBroadcast || onDoubt != nil
    }

    func report() async throws -> Report {
        let known = try options.common.loadSettings(.database).hubs[name]
        // What is registered has to be what the settings mean: a misspelt kind would become the default one.
        if known != nil { _ = try options.common.loadSettings(.registration) }
        if known != nil, hasOptions {
            throw Failure(
                "cannot add hub \"\(name)\"",
                because: "the settings have it, and options here would say something else",
                hint: "Change hubs.\(name) in the settings and run: fanfare hub add \(name)", status: .usage)
        }
        let settings = try known?.settings ?? described()
        try await options.common.withDatabase { _ = try await Hubs(database: $0).register(settings) }
        return report(toAdd: known == nil ? entry(settings) : nil)
    }

    /// - Parameter missing: what the settings of the workers lack.
    func report(toAdd missing: JSONOutput?) -> Report {
        let secret =
            switch kind {
            case nil, .notificationHubs: "connection string"
            case .fcm: "service account"
            case .apns: "key"
            }
        let advice = missing.map {
            "\nadd to hubs in the settings of every worker, with its \(secret):\n\($0.document)"
        }
        return Report(
            "hub \(name): registered\(advice ?? "")",
            ["hub": .text(name), "registered": .flag(true), "add_to_settings": missing ?? .null])
    }

    private func described() throws -> HubSettings {
        var settings = HubSettings(name: name, hub: hub, kind: kind ?? .notificationHubs)
        try checkKind(settings)
        settings.tagsAreTopics = topics
        settings.broadcastTopic = broadcastTopic
        if let localization { settings.localization = localization }
        settings.languages = Dictionary(languages.map { ($0.key, $0.value) }) { $1 }
        settings.fallback = fallback
        settings.allowBroadcast = allowBroadcast
        if let onDoubt { settings.onDoubt = onDoubt }
        if let fallback, settings.languages[fallback] == nil {
            throw Failure(
                "cannot add hub \"\(name)\"", because: "its fallback \(fallback) is not one of its languages",
                hint: "Add --language \(fallback)=WORD.", status: .badInput)
        }
        return settings
    }

    /// - Throws: `Failure` when an option is for another kind, or the kind needs one more.
    private func checkKind(_ settings: HubSettings) throws(Failure) {
        let hasTopics = settings.kind.facts.tag == .topics
        let foreign = [
            ("--hub", hub != nil && settings.kind != .notificationHubs), ("--topics", topics && !hasTopics),
            ("--broadcast-topic", broadcastTopic != nil && !hasTopics),
            ("--allow-broadcast", allowBroadcast && !settings.kind.facts.takesBroadcasts),
            ("--localization", localization != nil && !settings.kind.facts.takesLanguages),
        ].first { $0.1 }?.0
        if let foreign {
            throw Failure(
                "cannot add hub \"\(name)\"", because: "\(foreign) is not for kind \(settings.kind.rawValue)",
                status: .usage)
        }
        if hasTopics, allowBroadcast, broadcastTopic == nil {
            throw Failure(
                "cannot add hub \"\(name)\"", because: "a message to all devices goes to a topic there",
                hint: "Add --broadcast-topic TOPIC.", status: .badInput)
        }
    }

    /// What differs from the defaults, as it stands in config.json.
    private func entry(_ settings: HubSettings) -> JSONOutput {
        var members: [String: JSONOutput] = ["kind": .text(settings.kind.rawValue)]
        switch settings.kind {
        case .notificationHubs:
            members["hub"] = .text(settings.hub)
            members["connectionString"] = .text("Endpoint=sb://…;SharedAccessKeyName=…;SharedAccessKey=…")
        case .fcm: members["serviceAccount"] = .text("the text of the account's JSON key file")
        case .apns:
            members["topic"] = .text("the app's bundle id")
            members["teamId"] = .text("the developer team's id")
            members["keyId"] = .text("the key's id")
            members["key"] = .text("the text of the key's .p8 file")
        }
        if settings.tagsAreTopics { members["tags"] = .text("topics") }
        if let topic = settings.broadcastTopic { members["broadcastTopic"] = .text(topic) }
        if settings.localization != .properties { members["localization"] = .text(settings.localization.rawValue) }
        if !settings.languages.isEmpty { members["languages"] = .object(settings.languages.mapValues { .text($0) }) }
        if let fallback { members["fallback"] = .text(fallback) }
        if allowBroadcast { members["allowBroadcast"] = .flag(true) }
        if settings.onDoubt != .hold { members["onDoubt"] = .text(settings.onDoubt.rawValue) }
        return .object([name: .object(members)])
    }
}

extension Localization: ExpressibleByArgument {}
extension HubKind: ExpressibleByArgument {}
