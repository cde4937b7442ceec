import Pages
import PushModel

/// One phone with what it would show, and what is wrong with that. Pure.
struct CampaignPhoneView {
    let phoneScreen: ScreenView
    let phoneTitle: String
    let phoneFaults: [String]
    let hasFaults: Bool
    /// The language whose text it shows for want of its own, and other things to know.
    let phoneMarks: [String]
    let phoneBytes: String

    /// - Parameter number: tells the phones of a hub apart.
    init(_ preview: Preview, number: Int, of said: CampaignTexts) {
        let language = preview.locale.map { " · \($0)" } ?? ""
        phoneTitle = ScreenView.kind(of: preview.platform) + language
        let template: String? = if case .template(let name) = preview.source { name } else { nil }
        phoneScreen = ScreenView(
            phoneTitle, platform: preview.platform,
            cards: [
                CardView(
                    number, preview.shown, payload: preview.payload, app: said.hub.name, language: preview.locale,
                    template: template, missing: preview.missing.isEmpty ? nil : preview.missing)
            ])
        phoneFaults = preview.faults.map(\.uppercasedFirst)
        hasFaults = !phoneFaults.isEmpty
        let fallback = preview.locale.flatMap { said.content.fallback(for: $0, on: said.hub) }
        phoneMarks =
            [
                fallback.map { $0.isEmpty ? "Fallback: the text for all languages" : "Fallback: the text in \($0)" },
                preview.source == .example ? "An example: no template is known for this platform" : nil,
            ].compactMap(\.self) + preview.remarks.map(\.uppercasedFirst)
        phoneBytes = "\(HumanFormat.grouped(preview.bytes)) of \(HumanFormat.grouped(preview.limit)) bytes"
    }
}
