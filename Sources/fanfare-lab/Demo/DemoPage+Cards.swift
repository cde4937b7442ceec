extension DemoPage {
    /// What every phone shows: cards side by side, a row for phones that follow the same.
    func phones(_ facts: DemoResults) -> String {
        let across = DemoLanguage.allCases.count
        let width = (style.width - 3 - (across - 1)) / across
        let cards = facts.phones.map { card($0, facts.shown[$0.id] ?? [], width: width) }
        var rows: [String] = []
        for first in stride(from: 0, to: cards.count, by: across) {
            let row = cards[first..<min(cards.count, first + across)]
            let height = row.map(\.count).max() ?? 0
            rows += (0..<height).map { line in
                row.map { card in
                    // The lower edge comes last, below blank lines if the card is short.
                    let blank = style.dim("│") + String(repeating: " ", count: width - 2) + style.dim("│")
                    return line == height - 1 ? card[card.count - 1] : line < card.count - 1 ? card[line] : blank
                }
                .joined(separator: " ")
            }
        }
        let substitutes = facts.stories.filter { $0.texts.count < DemoLanguage.allCases.count }
        let note =
            substitutes.isEmpty
            ? ""
            : "\n\nA story without Mandarin shows in the hub's fallback language: " + DemoLanguage.fallback.word + "."
        return part(3, "What the phones show", rows.joined(separator: "\n") + note)
    }

    /// Lines of the same width; the last one is the lower edge.
    private func card(_ phone: DemoPhone, _ shown: [DemoText], width: Int) -> [String] {
        let inner = width - 4
        func line(_ text: String, _ paint: (String) -> String = { $0 }) -> String {
            let room = String(repeating: " ", count: max(0, inner - text.columns))
            return style.dim("│") + " " + paint(text) + room + " " + style.dim("│")
        }
        func edge(_ left: String, _ right: String) -> String {
            style.dim(left + String(repeating: "─", count: width - 2) + right)
        }
        let whole = "\(phone.language.word), \(phone.system)"
        let about = phone.owner.columns + whole.columns < inner ? whole : phone.language.word
        let gap = String(repeating: " ", count: max(1, inner - phone.owner.columns - about.columns))
        var lines = [
            edge("╭", "╮"),
            style.dim("│") + " " + style.bold(phone.owner) + gap + style.dim(about) + " " + style.dim("│"),
            line(phone.follows.joined(separator: ", "), style.dim), edge("├", "┤"),
        ]
        for (index, text) in shown.enumerated() {
            if index > 0 { lines.append(line("")) }
            lines += text.title.onOneLine.wrapped(to: inner).map { line($0, style.bold) }
            lines += text.news.onOneLine.wrapped(to: inner).map { line($0) }
        }
        if shown.isEmpty { lines.append(line("(nothing)", style.dim)) }
        return lines + [edge("╰", "╯")]
    }
}
