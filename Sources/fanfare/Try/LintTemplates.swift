import ArgumentParser
import CommandLineTool
import Files
import PushModel
import Store

/// `fanfare template lint`
struct LintTemplates: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint", abstract: "Find what is wrong with templates, contents and tags before a send.",
        discussion: """
            Checks templates out of files (installations, as fanfare installation export writes them; a template with its \
            headers; or the body of one), or those that devices of a hub are known to have, against what a send would carry: \
            contents out of files, or the texts of a campaign with the tags of its audience. With --hub or --campaign tags are \
            held against what fanfare tag reach counted. The rules are those of which the emulator warns (docs/emulator.md).

            Exits 0, 1 when something is wrong so that somebody gets nothing, 65 when a file cannot be read.

            Example: fanfare template lint --file news-fr.json --content hello.json --tag 'World || Science'
            """)

    @Option(
        name: .customLong("file"), parsing: .upToNextOption,
        help: ArgumentHelp("Files with templates; - is standard input.", valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(help: ArgumentHelp("The templates that devices of this hub have.", valueName: "name")) var hub: String?

    @Option(
        name: .customLong("content"), parsing: .upToNextOption,
        help: ArgumentHelp(
            "Files with the properties of a message, as the hub gets them: a flat JSON object of strings.",
            valueName: "file"), completion: .file())
    var contents: [String] = []

    @Option(help: ArgumentHelp("The texts of this campaign.", valueName: "name")) var campaign: String?

    @Option(
        help: ArgumentHelp("Of templates whose file does not say it, such as apns.", valueName: "platform"))
    var platform: DevicePlatform?

    @Option(
        name: .customLong("tag"),
        help: ArgumentHelp("A tag or an expression that a send is for. Repeatable.", valueName: "expression"))
    var tags: [String] = []

    @OptionGroup var options: ReportOptions

    func validate() throws {
        if files.isEmpty && hub == nil && campaign == nil && tags.isEmpty {
            throw ValidationError("Say what to check: --file, --hub, --campaign or --tag.")
        }
        if !files.isEmpty && hub != nil { throw ValidationError("Give --file or --hub, not both.") }
        if !contents.isEmpty && campaign != nil { throw ValidationError("Give --content or --campaign, not both.") }
        if (files + contents).count(where: { $0 == "-" }) > 1 {
            throw ValidationError("Only one of the files can be standard input.")
        }
    }

    func report() async throws -> Report {
        var templates: [PreviewTemplate] = []
        for file in files { templates += try Self.templates(of: file, platform) }
        let contents = try self.contents.map { try Lint.Content(Self.content(of: $0)) }
        guard hub != nil || campaign != nil else {
            return Report([(nil, Lint(templates, contents: contents, tags: tags))], notes: [])
        }
        return try await options.common.withDatabase { database in
            if let campaign { return try await report(campaign, templates, database) }
            let name = hub ?? ""
            let settings = try options.common.loadSettings(.everything).hub(name, orCannot: "lint hub \(name.quoted)")
                .settings
            let devices = try await KnownDevices(at: name, in: database)
            return Report(
                [(name, Lint(devices.templates, contents: contents, hub: settings, tags: tags, reach: devices.reach))],
                notes: devices.templates.isEmpty ? [KnownTemplates.none(of: name)] : [])
        }
    }

    /// Of the texts of a campaign at each of its hubs, or at the one that is named.
    private func report(
        _ campaign: String, _ given: [PreviewTemplate], _ database: Database
    ) async throws -> Report {
        let store = CampaignStore(database: database)
        let basis = try await store.basis(of: campaign, revision: nil, in: database)
        let hubs = basis.sample.filter { hub == nil || $0.hub.name == hub }
        if hubs.isEmpty, let hub {
            throw Failure(
                "cannot lint campaign \(campaign.quoted)", because: "it is not for hub \(hub.quoted)", status: .badInput
            )
        }
        var lints: [(hub: String?, lint: Lint)] = []
        var notes: [String] = []
        let tags = tags + basis.tags
        for one in hubs {
            let name = one.hub.name
            var devices = basis.devices[name] ?? KnownDevices()
            if !files.isEmpty { devices.templates = given }
            if devices.templates.isEmpty, one.content.format == "template" {
                notes.append(KnownTemplates.none(of: name))
            }
            lints.append(
                (
                    name,
                    Lint(
                        devices.templates, saying: one.content, at: one.hub, sample: one.standIns, tags: tags,
                        reach: devices.reach)
                ))
        }
        return Report(lints, notes: notes)
    }

    private static func templates(of file: String, _ platform: DevicePlatform?) throws -> [PreviewTemplate] {
        let bytes = try InputFile.bytes(of: file)
        let name = file == "-" ? "template" : String(file.split(separator: "/").last ?? "template")
        return try Failure.wrapping(InputFile.name(file)) { () throws(TemplateFile.Fault) in
            try TemplateFile.templates(bytes, name: name, platform: platform)
        }
    }

    private static func content(of file: String) throws -> StringObject {
        let text = try InputFile.json(of: file)
        return try Failure.wrapping(InputFile.name(file)) { try StringObject(text) }
    }
}

extension Report {
    /// - Parameters:
    ///   - lints: by hub; nil: of none.
    ///   - notes: what could not be checked.
    init(_ lints: [(hub: String?, lint: Lint)], notes: [String]) {
        let worst = lints.flatMap(\.lint.findings).map(\.level).min()
        self.init(
            LintScreen.text(of: lints, notes),
            .object([
                "hubs": .list(
                    lints.map { hub, lint in
                        .object([
                            "hub": .text(hub), "left_out": .number(lint.leftOut),
                            "findings": .list(lint.findings.map(\.json)),
                        ])
                    }), "notes": .list(notes.map { .text($0) }),
            ]), status: worst == .error ? .someFailed : .ok)
    }
}

enum LintScreen {
    /// One line a finding, then how many there are.
    static func text(of lints: [(hub: String?, lint: Lint)], _ notes: [String]) -> String {
        let lines = lints.flatMap { hub, lint in
            lint.findings.map { finding in
                (lints.count > 1 ? hub.map { "hub \($0.onOneLine): " } ?? "" : "") + finding.onScreen
            } + (lint.leftOut > 0 ? ["and \(HumanFormat.grouped(lint.leftOut)) more"] : [])
        }
        let levels = lints.flatMap(\.lint.findings).map(\.level)
        let counts = LintRule.Level.allCases.compactMap { level -> String? in
            let count = levels.count { $0 == level }
            return count == 0 ? nil : HumanFormat.count(count, level == .info ? "remark" : level.rawValue)
        }
        return (lines + notes.map(\.onOneLine) + [counts.isEmpty ? "nothing found" : counts.joined(separator: ", ")])
            .joined(separator: "\n")
    }
}
