import PushModel

/// What somebody else saved meanwhile.
struct WriteConflictView {
    struct ChangeView {
        let changePath: String
        let changeBefore: String
        let changeAfter: String
    }

    let conflictWords: String
    let conflictAddress: String
    let hasChanges: Bool
    let changeViews: [ChangeView]

    /// nil: all are listed.
    let omittedChanges: String?

    private static let mostChanges = 200
    /// Characters of a value that are shown.
    private static let limit = 500

    init(_ conflict: WriteConflict, _ name: String, for visit: Visit) {
        conflictWords =
            switch (conflict.base, conflict.revision) {
            case (_, 0): "There is no campaign \(name.quoted) any more. Nothing was saved: saving it now makes it anew."
            case (let base?, let newest):
                "Somebody else saved revision \(newest) since you began with revision \(base). Nothing was saved. Saving it "
                    + "now replaces what they changed."
            case (nil, let newest):
                "There is a campaign \(name.quoted) already, with revision \(newest). Nothing was saved. Saving it now "
                    + "replaces what that one says; another name makes another campaign."
            }
        conflictAddress = visit.address("campaigns", name, "edit")
        let changes = conflict.changes ?? []
        omittedChanges = changes.count > Self.mostChanges ? HumanFormat.grouped(changes.count - Self.mostChanges) : nil
        changeViews = changes.prefix(Self.mostChanges).map { change in
            ChangeView(
                changePath: change.path, changeBefore: Self.clipped(change.before),
                changeAfter: Self.clipped(change.after))
        }
        hasChanges = !changeViews.isEmpty
    }

    private static func clipped(_ json: String?) -> String {
        guard let json else { return "–" }
        return json.count > limit ? json.prefix(limit) + "…" : json
    }
}
