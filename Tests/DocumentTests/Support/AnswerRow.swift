import Foundation
import ProgramSupport
import Testing

/// One answer of a service in a table "What comes back", and what its row says of it.
struct AnswerRow: Sendable, CustomTestStringConvertible {
    let answer: String
    let message: String
    let hub: String
    var testDescription: String { answer }

    /// Those of a page in their order; a cell may name several: `500, 502, 503`. Empty without the page or the table: arguments of
    /// tests cannot throw, and each suite expects the answers that it tries.
    static func all(in path: String, below head: String) -> [AnswerRow] {
        let text = (try? Page(path).text) ?? ""
        let table = text.split(separator: head + "\n").last ?? ""
        let lines = table.split(separator: "\n\n").first?.split(separator: "\n").dropFirst() ?? []
        return lines.flatMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return cells[0].components(separatedBy: ", ").map {
                AnswerRow(answer: $0.replacing("`", with: ""), message: cells[1], hub: cells[2])
            }
        }
    }
}
