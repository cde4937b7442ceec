import PushModel

/// A phone in a terminal: whose it is, and what it shows. Texts may come from anybody: no character of them commands the
/// terminal, and a text that is written from right to left turns nothing around but itself.
package struct PhoneCard: Sendable, Equatable {
    package struct Paragraph: Sendable, Equatable {
        package enum Look: Sendable { case plain, bold, dim, alarm }

        package var text: String
        package var look: Look

        /// - Parameter text: with the line breaks that the phone shows.
        package init(_ text: String, _ look: Look = .plain) {
            self.text = text
            self.look = look
        }
    }

    /// At the left of the first line.
    package var owner: String
    /// At the right of the first line: the first of these that fits.
    package var about: [String]
    /// Below the first line.
    package var under: String
    /// With a blank line between. Empty: nothing is shown.
    package var blocks: [[Paragraph]]

    package init(owner: String, about: [String], under: String, blocks: [[Paragraph]]) {
        self.owner = owner
        self.about = about
        self.under = under
        self.blocks = blocks
    }

    /// Cards side by side, as lines.
    ///
    /// - Parameters:
    ///   - across: cards in a row.
    ///   - width: columns of a card, at least 12.
    package static func rows(_ cards: [PhoneCard], across: Int, width: Int, _ style: TerminalStyle) -> [String] {
        let width = max(12, width)
        let drawn = cards.map { $0.lines(width: width, style) }
        var rows: [String] = []
        for first in stride(from: 0, to: drawn.count, by: max(1, across)) {
            let row = drawn[first..<min(drawn.count, first + max(1, across))]
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
        return rows
    }

    /// As many cards side by side as fit, none wider than needed to read them.
    package static func rows(_ cards: [PhoneCard], _ style: TerminalStyle) -> [String] {
        let (least, most) = (36, 46)
        let across = max(1, min(cards.count, (style.width + 1) / (least + 1)))
        return rows(cards, across: across, width: min(most, (style.width - across + 1) / across), style)
    }

    /// Lines of the same width; the last one is the lower edge.
    private func lines(width: Int, _ style: TerminalStyle) -> [String] {
        let inner = width - 4
        func line(_ text: String, _ look: Paragraph.Look = .plain) -> String {
            let room = String(repeating: " ", count: max(0, inner - text.columns))
            return style.dim("│") + " " + style.painted(text.isolated, look) + room + " " + style.dim("│")
        }
        func edge(_ left: String, _ right: String) -> String {
            style.dim(left + String(repeating: "─", count: width - 2) + right)
        }
        let owner = owner.onOneLine.clipped(to: inner)
        let room = inner - owner.columns - 1
        let about = self.about.map(\.onOneLine).first { $0.columns <= room } ?? ""
        let gap = String(repeating: " ", count: max(0, inner - owner.columns - about.columns))
        var lines = [
            edge("╭", "╮"),
            style.dim("│") + " " + style.bold(owner.isolated) + gap + style.dim(about.isolated) + " " + style.dim("│"),
            line(under.onOneLine.clipped(to: inner), .dim), edge("├", "┤"),
        ]
        for (index, block) in blocks.enumerated() {
            if index > 0 { lines.append(line("")) }
            for paragraph in block {
                let parts = paragraph.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
                for part in parts {
                    lines += String(part).onOneLine.folded(to: inner).map { line($0, paragraph.look) }
                }
            }
        }
        if blocks.isEmpty { lines.append(line("(nothing)", .dim)) }
        return lines + [edge("╰", "╯")]
    }
}

extension TerminalStyle {
    fileprivate func painted(_ text: String, _ look: PhoneCard.Paragraph.Look) -> String {
        switch look {
        case .plain: text
        case .bold: bold(text)
        case .dim: dim(text)
        case .alarm: red(text)
        }
    }
}
