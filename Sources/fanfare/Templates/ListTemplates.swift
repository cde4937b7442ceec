import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare template list`
struct ListTemplates: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the templates that phones have, as far as they are known.",
        discussion: """
            DEVICES is how many had it when they were last looked at, and of how many: a worker looks at the newest 2,000 changes \
            of devices, fanfare template learn at a file. Needs a login with push_campaign, push_approve or push_monitor.

            Example: fanfare template list --hub news
            """)

    @Option(help: "Only this hub.", completion: .hub) var hub: String?
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        Report(templates: try await DeviceTemplates(database: database).entries(hub: hub), hub: hub)
    }
}

/// `fanfare template show`
struct ShowTemplate: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a template that phones have.",
        discussion: """
            All of that name, or the one whose hash begins so. Exits 65 when none is known.

            Example: fanfare template show news --hub news
            """)

    @Argument(help: "Its name, or at least 4 characters of its hash.") var template: String
    @Option(help: "Only of this hub.", completion: .hub) var hub: String?
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let found = try await DeviceTemplates(database: database).entries(hub: hub, template: template)
        guard !found.isEmpty else { throw Failure.unknown(template: template, hub, "show") }
        return Report(found.map(\.text).joined(separator: "\n\n"), .list(found.map(\.json)))
    }
}

/// `fanfare template forget`
struct ForgetTemplates: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forget templates that phones had.",
        discussion: """
            All of that name, the one whose hash begins so, or with --all every one of the hub. A worker finds again what devices \
            have. Needs a login with push_campaign or push_operator.

            Example: fanfare template forget --hub news 3f9a
            """)

    @Argument(help: "Its name, or at least 4 characters of its hash.") var template: String?
    @Option(help: "The hub's name in the settings.", completion: .hub) var hub: String
    @Flag(help: "Forget all of the hub.") var all = false
    @OptionGroup var options: ReportOptions

    func validate() throws {
        if (template == nil) != all { throw ValidationError("Name a template, or give --all.") }
    }

    func answer(_ database: Database) async throws -> Report {
        let forgotten = try await DeviceTemplates(database: database).forget(template, at: hub)
        if forgotten == 0, let template { throw Failure.unknown(template: template, hub, "forget") }
        return Report(
            "hub \(hub): \(HumanFormat.count(forgotten, "template")) forgotten",
            ["hub": .text(hub), "forgotten": .number(forgotten)])
    }
}

extension Failure {
    fileprivate static func unknown(template name: String, _ hub: String?, _ doing: String) -> Failure {
        Failure(
            "cannot \(doing) template \(name.quoted)",
            because: hub.map { "no such template of hub \($0) is known" } ?? "no such template is known",
            hint: "fanfare template list", status: .badInput)
    }
}

extension Report {
    init(templates: [DeviceTemplates.Entry], hub: String?) {
        self.init(
            templates,
            [.text("HUB"), .text("PLATFORM"), .name("NAME"), .id("HASH"), .number("DEVICES"), .number("SEEN")],
            none: "no template of \(hub.map { "hub \($0)" } ?? "any hub") is known: fanfare template learn".onOneLine
        ) {
            [
                $0.hub, $0.template.platform, $0.template.name, String($0.hash.prefix(8)), $0.counted,
                HumanFormat.toSeconds($0.seenAt),
            ]
        } json: {
            $0.json
        }
    }
}

extension DeviceTemplates.Entry {
    /// `812,140 of 1,000,000`
    var counted: String {
        of == 0 ? "not counted" : "\(HumanFormat.grouped(template.devices)) of \(HumanFormat.grouped(of))"
    }

    /// One fact a line. The body may have several, and what a terminal would obey is written out.
    var text: String {
        let headers = template.headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        let lines: [(String, String?)] =
            [("template", template.name), ("hub", hub), ("platform", template.platform), ("hash", hash)]
            + [("devices", counted), ("seen", HumanFormat.toSeconds(seenAt))]
            + headers.map { ("header", $0) } + [("expiry", template.expiry)]
        let facts = lines.compactMap { name, value in value.map { "\(name.padded(to: 10))\($0.onOneLine)" } }
        return (facts + ["body".padded(to: 10) + template.body.visible]).joined(separator: "\n")
    }

    var json: JSONOutput {
        .object([
            "hub": .text(hub), "platform": .text(template.platform), "name": .text(template.name), "hash": .text(hash),
            "body": .text(template.body), "headers": .object(template.headers.mapValues { JSONOutput.text($0) }),
            "expiry": .text(template.expiry), "devices": .number(template.devices), "of": .number(of),
            "seen_at": .text(seenAt),
        ])
    }
}
