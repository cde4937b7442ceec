import PushModel
import Store

/// What `fanfare campaign check` says of the texts at one hub: in which languages, how large, and what lint finds. Pure.
struct TextCheck {
    let findings: [CampaignStore.Finding]

    /// - Parameter tags: that the audience names.
    init(
        _ content: RunContent, at hub: HubSettings, sample: [StandIn], templates: [PreviewTemplate], tags: [String] = []
    ) {
        let about = "hub \(hub.name)"
        let lint = Lint(templates, saying: content, at: hub, sample: sample, tags: tags)
        var findings: [CampaignStore.Finding] = []
        if let largest = lint.largestBody {
            let isUnseen = templates.isEmpty && content.format == "template"
            findings.append(
                .init(
                    "info", about,
                    "texts \(Self.languages(content)), largest body \(HumanFormat.grouped(largest)) of at most "
                        + "\(HumanFormat.grouped(hub.kind.facts.bodyBytes)) bytes",
                    hint: isUnseen
                        ? "No template of the hub is known, so what phones show was not checked: "
                            + "\(KnownTemplates.remedy(of: hub.name))." : nil))
        }
        // What would be refused is said with the recipients.
        self.findings =
            findings
            + lint.findings.filter { $0.rule != .unsendable }.map { finding in
                // Only what the database says keeps a campaign from running.
                .init(
                    finding.level == .info ? "info" : "warning", about, finding.text,
                    hint: finding.hint.prefix(1).uppercased() + finding.hint.dropFirst() + ".")
            }
    }

    private static func languages(_ content: RunContent) -> String {
        let locales = content.languages
        if locales.isEmpty { return "for all languages" }
        return "in \(locales.prefix(12).joined(separator: ", "))" + (locales.count > 12 ? ", …" : "")
    }
}
