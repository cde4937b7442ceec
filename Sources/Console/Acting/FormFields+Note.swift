import Pages
import PushModel

extension FormFields {
    /// What a person says for the others, such as why a hub is paused.
    ///
    /// - Parameters:
    ///   - name: of the field: `reason`.
    ///   - limit: characters.
    /// - Returns: nil: nothing was said.
    /// - Throws: `FieldProblem` for more.
    func note(_ name: String, atMost limit: Int) throws(FieldProblem) -> String? {
        guard let note = self[name] else { return nil }
        let length = note.unicodeScalars.count
        guard length <= limit else {
            throw FieldProblem(
                field: name,
                words: "A \(name) has at most \(HumanFormat.grouped(limit)) characters; this one has \(length).")
        }
        return note
    }
}
