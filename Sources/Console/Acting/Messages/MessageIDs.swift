import Pages
import PushModel
import Store

/// The messages that a person has chosen, by their ids.
struct MessageIDs: Sendable, Equatable {
    /// Each once, in the order given.
    let ids: [Int64]
    /// When the question was shown, in the database's time, as ISO 8601; nil: it was not shown yet. What ended since then was not
    /// what the person saw.
    var asked: String?

    /// More at once are not chosen by hand; the functions take as many.
    static let limit = 1_000

    init(_ id: Int64) { ids = [id] }

    /// - Throws: `FieldProblem` when none is chosen, too many are, or one is not an id.
    init(_ fields: FormFields) throws(FieldProblem) {
        var seen: Set<Int64> = []
        var ids: [Int64] = []
        for text in fields.all("id") {
            guard let id = Int64(text), id > 0 else {
                throw FieldProblem(
                    field: "id", words: "\"\(text.prefix(40))\" is not the id of a message. Nothing was done.")
            }
            if seen.insert(id).inserted { ids.append(id) }
        }
        guard !ids.isEmpty else {
            throw FieldProblem(
                field: "id", words: "No message is chosen. Tick at least one, and press the button again.")
        }
        guard ids.count <= Self.limit else {
            throw FieldProblem(field: "id", words: "At most 1,000 messages can be chosen; these are \(ids.count).")
        }
        self.ids = ids
        asked = fields["asked"]
        guard asked.map({ Expiry($0) == nil }) != true else {
            throw FieldProblem(field: "asked", words: "When this was asked cannot be read. Nothing was done.")
        }
    }

    var fields: [(name: String, value: String)] { ids.map { ("id", "\($0)") } + (asked.map { [("asked", $0)] } ?? []) }

    /// Whether a message still stands where it stood when the question was shown, as far as it had ended.
    func saw(_ standing: Messages.Standing) -> Bool {
        guard let asked = asked.flatMap({ Expiry($0) }), Status(rawValue: standing.status)?.isFinal == true else {
            return true
        }
        return standing.since.flatMap { Expiry($0) }.map { $0.seconds <= asked.seconds } ?? true
    }

    /// As an argument in SQL: `'{1,2}'`.
    var sql: String { "'{" + ids.map(String.init).joined(separator: ",") + "}'" }

    /// As words of a command line.
    var words: String { ids.map(String.init).joined(separator: " ") }
}
