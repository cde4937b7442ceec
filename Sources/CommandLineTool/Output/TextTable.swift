/// Columns for people: aligned, with a line of titles, and nothing that a terminal would obey.
package struct TextTable {
    package enum Column {
        case text(String)
        /// A text by which people recognise a row, such as its target: shortened after all others.
        case name(String)
        /// What is typed next, such as an id: never shortened.
        case id(String)
        /// A number or a time: set flush right, and never shortened.
        case number(String)
        /// Sentences; only as the last column. Where a line has too little room, they are wrapped or stand below it.
        case prose(String)

        package var title: String {
            switch self {
            case .text(let title), .name(let title), .id(let title), .number(let title), .prose(let title): title
            }
        }
    }

    /// Characters a text may be shortened to, and sentences need beside other columns.
    private static let least = (text: 8, prose: 24)
    private static let indent = "    "

    private let columns: [Column]
    private let widest: Int
    private var rows: [[String]] = []

    /// - Parameter widest: characters a text may have in any case; what is longer is cut, except ids and the last column.
    package init(_ columns: [Column], widest: Int = 60, rows: [[String?]] = []) {
        self.columns = columns
        self.widest = widest
        for row in rows { add(row) }
    }

    package var isEmpty: Bool { rows.isEmpty }

    /// One cell for each column; nil is left blank.
    package mutating func add(_ cells: [String?]) {
        rows.append(
            cells.enumerated().map { index, cell in
                let clean = (cell ?? "").onOneLine
                if case .id = columns[index] { return clean }
                return index < columns.count - 1 ? Self.cut(clean, to: widest) : clean
            })
    }

    /// As it fits where standard output goes.
    package var onScreen: String { text(fitting: StandardStreams.width) }

    /// - Parameter width: characters a line may have; nil: as many as it needs. Texts are shortened, the longest first,
    ///   then names, before numbers or sentences lose anything. Columns without a value are left out.
    package func text(fitting width: Int?) -> String {
        if width != nil, let bare = withoutEmptyColumns() { return bare.text(fitting: width) }
        let lines = [columns.map(\.title)] + rows
        let natural = columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        guard let width else { return lines.map { line($0, natural) }.joined(separator: "\n") }
        guard case .prose = columns.last, let prose = natural.last else {
            let widths = shrunk(natural, to: width)
            return lines.map { line($0, widths) }.joined(separator: "\n")
        }
        let beside = shrunk(Array(natural.dropLast()), to: width - min(prose, Self.least.prose) - 2)
        let room = width - Self.total(beside) - 2
        if room >= min(prose, Self.least.prose) {
            return lines.flatMap { wrapped($0, beside + [min(room, prose)]) }.joined(separator: "\n")
        }
        let alone = shrunk(Array(natural.dropLast()), to: width)
        return lines.enumerated().flatMap { number, cells in
            let sentences = number == 0 ? "" : cells.last ?? ""
            return [line(Array(cells.dropLast()), alone)]
                + Self.wrapped(sentences, to: width - Self.indent.count).map { Self.indent + $0 }
        }
        .joined(separator: "\n")
    }

    /// On a screen, columns in which no row has anything only take room from others; nil: no such columns.
    private func withoutEmptyColumns() -> TextTable? {
        let filled = columns.indices.filter { column in rows.contains { !$0[column].isEmpty } }
        guard filled.count < columns.count, !filled.isEmpty else { return nil }
        var table = TextTable(filled.map { columns[$0] }, widest: widest)
        table.rows = rows.map { row in filled.map { row[$0] } }
        return table
    }

    /// One line, each cell as wide as its column.
    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var text = ""
        for (index, cell) in cells.enumerated() {
            let cell = Self.cut(cell, to: widths[index])
            let padding = String(repeating: " ", count: widths[index] - cell.count)
            if case .number = columns[index] { text += padding + cell } else { text += cell + padding }
            text += "  "
        }
        return String(text.reversed().drop { $0 == " " }.reversed())
    }

    /// A line, and below it what its last cell has no room for.
    private func wrapped(_ cells: [String], _ widths: [Int]) -> [String] {
        let pieces = Self.wrapped(cells.last ?? "", to: widths.last ?? 0)
        let margin = String(repeating: " ", count: Self.total(Array(widths.dropLast())) + 2)
        return [line(cells.dropLast() + [pieces.first ?? ""], widths)] + pieces.dropFirst().map { margin + $0 }
    }

    /// The widths of the columns when a line may have `total` characters: the longest texts give first.
    private func shrunk(_ widths: [Int], to total: Int) -> [Int] {
        var widths = widths
        while Self.total(widths) > total {
            let texts = widths.indices.filter { if case .text = columns[$0] { true } else { false } }
            let names = widths.indices.filter { if case .name = columns[$0] { true } else { false } }
            let longest = [texts, names].compactMap { $0.max { widths[$0] < widths[$1] } }
            guard let next = longest.first(where: { widths[$0] > Self.least.text }) else { break }
            widths[next] -= 1
        }
        return widths
    }

    private static func total(_ widths: [Int]) -> Int { widths.reduce(0, +) + 2 * max(0, widths.count - 1) }

    private static func cut(_ text: String, to width: Int) -> String {
        text.count > width ? text.prefix(max(0, width - 1)) + "…" : text
    }

    /// Lines of whole words, as far as words are short enough.
    private static func wrapped(_ text: String, to width: Int) -> [String] {
        guard width > 0 else { return [] }
        var lines: [String] = []
        var rest = text[...]
        while !rest.isEmpty {
            let piece = rest.prefix(width + 1)
            var end = piece.endIndex
            if piece.count > width {
                end = piece.lastIndex(of: " ") ?? rest.index(rest.startIndex, offsetBy: width)
            }
            lines.append(String(rest[..<end]))
            rest = rest[end...].drop { $0 == " " }
        }
        return lines
    }
}
