import CommandLineTool

extension DemoPage {
    /// What every phone shows: cards side by side, a row for phones that follow the same.
    func phones(_ facts: DemoResults) -> String {
        let across = DemoLanguage.allCases.count
        let cards = facts.phones.map { phone in
            PhoneCard(
                owner: phone.owner, about: ["\(phone.language.word), \(phone.system)", phone.language.word],
                under: phone.follows.joined(separator: ", "),
                blocks: (facts.shown[phone.id] ?? []).map { [.init($0.title, .bold), .init($0.news)] })
        }
        let rows = PhoneCard.rows(
            cards, across: across, width: (style.width - 3 - (across - 1)) / across, style)
        let substitutes = facts.stories.filter { $0.texts.count < DemoLanguage.allCases.count }
        let note =
            substitutes.isEmpty
            ? ""
            : "\n\nA story without Mandarin shows in the hub's fallback language: " + DemoLanguage.fallback.word + "."
        return part(3, "What the phones show", rows.joined(separator: "\n") + note)
    }
}
