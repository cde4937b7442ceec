import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare campaign preview`
struct PreviewCampaign: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show what phones would show of a campaign. Sends nothing and writes nothing.",
        discussion: """
            Plans the texts with the planner that sends, renders the body with the templates that devices are known to have \
            (fanfare template list), and draws a phone for each language. Where no template is known, an example \
            is made from the names of the properties: the first one like title, and the longest text. Below a phone stands \
            what is wrong with it: properties that are missing, texts that are cut, payloads that are too large.

            With --with a recipient has values of its own; without a value {{name|friend}} shows friend. Needs a login with \
            push_campaign or push_approve. Exits 65 when the content would be refused.

            Example: fanfare campaign preview spring --locale fr --with name=Ada
            """)

    @Argument(help: "Name of the campaign.") var campaign: String
    @Option(help: "Which revision. Default: the newest.") var revision: Int32?
    @Option(help: "The language of the phone, such as fr. Default: every language that the hub tells apart.")
    var locale: String?

    @Option(
        name: .customLong("platform"),
        help: ArgumentHelp(
            "Phones of this platform, such as apns. Repeatable. Default: those of the templates.", valueName: "platform"
        ))
    var platforms: [DevicePlatform] = []

    @Option(
        name: .customLong("with"),
        help: ArgumentHelp(
            "A value of the recipient, for {{name}}, such as name=Ada. Repeatable.", valueName: "name=text"))
    var values: [KeyValue] = []

    @OptionGroup var options: ReportOptions

    func validate() throws {
        if let locale {
            do throws(LocaleError) {
                _ = try LocaleTag(locale)
            } catch {
                throw ValidationError("--locale is \(locale.quoted): \(error).")
            }
        }
    }

    func answer(_ database: Database) async throws -> Report {
        let texts = try await CampaignStore(database: database).texts(of: campaign, revision: revision)
        var previews: [Previews] = []
        for said in texts {
            previews.append(
                Previews(
                    of: said.content, at: said.hub, properties: written, locale: locale, platforms: platforms,
                    templates: try await KnownTemplates.templates(of: said.hub.name, in: database)))
        }
        return Report(campaign: campaign, previews: previews)
    }

    /// The recipient's values as JSON; of a name that is given twice the last one.
    private var written: String {
        JSONOutput.object(Dictionary(values.map { ($0.key, JSONOutput.text($0.value)) }) { $1 }).line
    }
}

extension Report {
    init(campaign: String, previews: [Previews]) {
        self.init(
            fitting: { width in
                let style = TerminalStyle.ofOutput(within: 40...200, usual: width ?? 80)
                return previews.map { PreviewScreen.text(of: $0, style) }.joined(separator: "\n\n")
            },
            .object([
                "campaign": .text(campaign), "hubs": .list(previews.map { .object(PreviewScreen.members(of: $0)) }),
            ]),
            status: previews.contains { !$0.refused.isEmpty } ? .badInput : .ok)
        isStyled = true
    }
}

/// What a person reads of one hub.
enum PreviewScreen {
    static func text(of previews: Previews, _ style: TerminalStyle) -> String {
        let body = previews.largestBody.map { bytes in
            "body of \(HumanFormat.grouped(bytes)) bytes, at most \(HumanFormat.grouped(previews.bodyLimit))"
        }
        let first = style.bold("hub \(previews.hub.onOneLine)") + (body.map { "   " + $0 } ?? "")
        let cards = PhoneCard.rows(previews.all.map(PhoneCard.init), style)
        return ([first] + previews.notes.flatMap { $0.onOneLine.folded(to: style.width) } + cards)
            .joined(separator: "\n")
    }

    static func members(of previews: Previews) -> [String: JSONOutput] {
        [
            "hub": .text(previews.hub), "largest_body": .number(previews.largestBody),
            "body_limit": .number(previews.bodyLimit), "notes": .list(previews.notes.map { .text($0) }),
            "refused": .list(
                previews.refused.map {
                    .object(["locale": .text($0.locale), "reason": .text($0.reason.rawValue), "text": .text($0.text)])
                }),
            "unshown": .list(previews.unshown.map { .text($0) }), "left_out": .number(previews.leftOut),
            "has_examples": .flag(previews.hasExamples), "phones": .list(previews.all.map { .object($0.members) }),
        ]
    }
}
