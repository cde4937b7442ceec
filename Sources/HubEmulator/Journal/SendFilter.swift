/// Selects entries of the journal for the page. Empty: all.
struct SendFilter: Sendable, Equatable {
    enum Fate: String, Sendable, CaseIterable {
        case taken, refused
    }

    var fate: Fate?
    /// The beginning of a status (`4`, `42`, `4xx`), or a part of tags, body, hub, kind or refusal, in any case.
    var text: String?

    var isEmpty: Bool { fate == nil && text == nil }

    func matches(_ entry: JournalEntry) -> Bool {
        if let fate, entry.taken != (fate == .taken) { return false }
        guard let text = text?.lowercased() else { return true }
        if let status = entry.status, Self.isStatus(text) {
            if "\(status)".hasPrefix(text.filter { $0 != "x" }) { return true }
        }
        return [entry.tags, entry.body, entry.hub, entry.kind.rawValue, entry.refusal, entry.notification]
            .contains { $0?.lowercased().contains(text) ?? false }
    }

    /// `4`, `42`, `429`, `4xx`.
    private static func isStatus(_ text: String) -> Bool {
        let digits = text.prefix(while: \.isNumber)
        let rest = text.dropFirst(digits.count)
        return (1...3).contains(digits.count) && text.count <= 3 && rest.allSatisfy { $0 == "x" }
    }
}
