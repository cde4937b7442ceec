import PushModel

/// The revision that an address names. Pure.
struct AskedRevision: Sendable, Equatable {
    /// nil: none was named, or it cannot be read.
    let number: Int32?
    private let text: String?

    /// - Parameter text: nil: the newest.
    init(_ text: String?) {
        self.text = text
        number = text.flatMap { Int32($0) }
    }

    /// Why it cannot be shown; nil: it can, or this person sees no revision.
    func problem(among rows: CampaignRows) -> String? {
        guard let text else { return nil }
        guard let number else { return "\(text.prefix(40).quoted) is no number of a revision." }
        guard let revisions = rows.revisions?.value, let newest = revisions.map(\.revision).max() else { return nil }
        if revisions.contains(where: { $0.revision == number }) { return nil }
        return "it has no revision \(number). Its newest is \(newest)."
    }
}
