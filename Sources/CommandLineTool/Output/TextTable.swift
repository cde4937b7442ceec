import PushModel

/// Columns for people: aligned, with a line of titles, and nothing that a terminal would obey.
package struct TextTable {
    package enum Column {
        case text(String)
        /// Set flush right.
        case number(String)

        package var title: String {
            switch self {
            case .text(let title), .number(let title): title
            }
        }
    }

    private let columns: [Column]
    private let widest: Int
    private var rows: [[String]] = []

    /// - Parameter widest: characters a cell may have; what is longer is cut, except in the last column.
    package init(_ columns: [Column], widest: Int = 60) {
        self.columns = columns
        self.widest = widest
    }

    package var isEmpty: Bool { rows.isEmpty }

    /// One cell for each column; nil is left blank.
    package mutating func add(_ cells: [String?]) {
        rows.append(
            cells.enumerated().map { index, cell in
                let clean = (cell ?? "").onOneLine
                guard index < columns.count - 1, clean.count > widest else { return clean }
                return clean.prefix(widest - 1) + "…"
            })
    }

    package var text: String {
        let lines = [columns.map(\.title)] + rows
        let widths = columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            var text = ""
            for (index, cell) in line.enumerated() {
                let padding = String(repeating: " ", count: widths[index] - cell.count)
                if case .number = columns[index] { text += padding + cell } else { text += cell + padding }
                text += "  "
            }
            return String(text.reversed().drop { $0 == " " }.reversed())
        }
        .joined(separator: "\n")
    }
}
