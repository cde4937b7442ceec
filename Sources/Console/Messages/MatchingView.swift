import PushModel
import Store

/// What can be done with all messages that match the filters of `/messages`, not only with those of the page. Pure.
struct MatchingView {
    /// Why something cannot be done with these filters, and the page where it can.
    struct Obstacle: Equatable {
        let obstacleWords: String
        let obstacleAddress: String
        let obstacleLink: String
    }

    let matchingWords: String?
    let matchingActions: [ActionLink]
    let hasMatchingActions: Bool
    let matchingObstacles: [Obstacle]

    /// - Returns: nil: the person may not act, or nobody may here.
    init?(_ filter: MessageFilter, for visit: Visit) {
        guard visit.canAct(.operate) else { return nil }
        let selection = MessageSelection(filter.search)
        guard filter.id == nil else {
            matchingWords = nil
            (matchingActions, hasMatchingActions) = ([], false)
            matchingObstacles = [
                Self.obstacle("The filter by id names one message: choose it above.", ["id"], filter, visit)
            ]
            return
        }
        guard selection.hasFilter else {
            matchingWords =
                "Without a filter these are all messages there are. Set one, such as the hub, to send again, cancel or decide all of them."
            (matchingActions, hasMatchingActions) = ([], false)
            matchingObstacles = []
            return
        }
        var actions: [ActionLink?] = []
        var obstacles: [Obstacle] = []
        for deed in Self.deeds(selection) {
            if selection.statuses(of: deed.statuses).isEmpty {
                obstacles.append(Self.obstacle(to: deed, filter, visit))
            } else {
                actions += deed.actions.map { ActionLink($0.action, $0.label, for: visit) }
            }
        }
        matchingActions = actions.compactMap(\.self)
        hasMatchingActions = !matchingActions.isEmpty
        matchingObstacles = obstacles
        matchingWords =
            hasMatchingActions
            ? "Every message with these filters that is there when the question is asked, on other pages of this list, too."
            : nil
    }

    private struct Deed {
        let what: String
        let statuses: [Status]
        let actions: [(action: any ConsoleAction, label: String)]
    }

    private static func deeds(_ selection: MessageSelection) -> [Deed] {
        [
            Deed(
                what: "Send again", statuses: RetryAllAction.statuses,
                actions: [(RetryAllAction(selection), "Send all again")]),
            Deed(
                what: "Cancel", statuses: CancelAllAction.statuses,
                actions: [(CancelAllAction(selection), "Cancel all")]),
            Deed(
                what: "Decide", statuses: ResolveAllAction.statuses,
                actions: Doubts.Decision.allCases.map {
                    (ResolveAllAction(selection, as: $0), "All in doubt: \($0.verb.lowercasedFirst)")
                }),
        ]
    }

    /// Which filter is in the way of something.
    private static func obstacle(to deed: Deed, _ filter: MessageFilter, _ visit: Visit) -> Obstacle {
        let search = filter.search
        // With another status the reason may be in the way, too.
        let isReason = search.status.flatMap(Status.init).map { deed.statuses.contains($0) } ?? true
        let name = isReason ? "reason" : "status"
        let value = (isReason ? search.reason : search.status) ?? ""
        let list = deed.statuses.map(\.rawValue).joined(separator: ", ")
        return obstacle(
            "\(deed.what): only for messages that are \(list). The filter \(name) \(value) leaves them out.",
            isReason ? ["reason"] : ["status", "reason"], filter, visit)
    }

    private static func obstacle(
        _ words: String, _ names: Set<String>, _ filter: MessageFilter, _ visit: Visit
    ) -> Obstacle {
        let fields = filter.form.query().filter { !names.contains($0.0) }
        return Obstacle(
            obstacleWords: words, obstacleAddress: visit.address("messages", fields: fields),
            obstacleLink: "Without \(names.sorted().joined(separator: " and "))")
    }
}
