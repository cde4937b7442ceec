import Pages
import PushModel
import Store

/// What `/messages/ID` shows: the template `story`.
struct StoryView {
    struct Fact {
        let factName: String
        let factValue: String
        let factAddress: String?
    }

    struct Step {
        /// RFC 3339; empty: not recorded.
        let stepAt: String
        let stepName: String
        let stepStatus: String?
        let stepLook: String
        let stepWords: [String]
    }

    let storyStatus: String
    let storyLook: String
    let storyNote: String?
    /// What happens next, in a sentence.
    let storyNext: String
    let facts: [Fact]
    let steps: [Step]
    let hasSteps: Bool
    let actions: [ActionLink]
    /// nil: it goes alone and has no trace, or that is not known.
    let context: ContextView?

    init(
        _ message: Messages.Status, _ steps: [MessageStory.Step], _ context: MessageContext? = nil, for visit: Visit
    ) {
        let status = message.status ?? "unknown"
        storyStatus = status
        storyLook = StatusLook.of(status).rawValue
        storyNote = message.note ?? message.error
        storyNext = Self.next(status, message)
        facts = Self.facts(message, visit)
        self.steps = steps.map(Self.step)
        hasSteps = !steps.isEmpty
        actions = Self.actions(message.id, status, visit)
        self.context = context.flatMap { ContextView($0, for: visit) }
    }

    /// What becomes of it without anybody's doing.
    static func next(_ status: String, _ message: Messages.Status) -> String {
        switch status {
        case "scheduled": "It waits for its time\(until(message))."
        case "waiting": "It waits for another message or a device\(until(message, "at most until"))."
        case "due": "A worker takes it as soon as its hub has a place."
        case "claimed", "posting": "A worker has it now."
        case "retrying": "It is tried again\(until(message, "at"))."
        case "in_doubt": "Nothing: it may have been sent. A person decides, or its backend."
        case "accepted": "Nothing: the hub took it. Only the hub knows whether a phone showed it."
        case "rejected", "expired": "Nothing: it was not sent. A person can send it again."
        case "cancelled", "duplicate": "Nothing: it is not sent."
        default: "Not known to this build."
        }
    }

    private static func until(_ message: Messages.Status, _ word: String = "until") -> String {
        message.nextTry.map { " \(word) \($0)" } ?? ""
    }

    private static func facts(_ message: Messages.Status, _ visit: Visit) -> [Fact] {
        let rows: [(String, String?, String?)] = [
            ("Hub", message.hub, visit.address("hubs", message.hub)), ("Target", message.target ?? "everybody", nil),
            ("Language", message.locale, nil), ("Reason", message.reason, nil),
            ("Who must act", message.class, nil), ("Since", message.since, nil),
            ("Requests that carried it", "\(message.posts)", nil), ("Post", message.post.map { "\($0)" }, nil),
            ("HTTP", message.http.map { "\($0)" }, nil), ("Tracking id", message.trackingID, nil),
            ("Notification id", message.notificationID, nil), ("Worker", message.worker, nil),
            (
                "Campaign", message.campaign,
                message.campaign.map { visit.address("messages", fields: [("campaign", $0)]) }
            ),
        ]
        return rows.compactMap { name, value, address in
            value.map { Fact(factName: name, factValue: $0, factAddress: address) }
        }
    }

    static func step(_ step: MessageStory.Step) -> Step {
        let words: [String?] = [
            step.request.map { "request \($0)" }, step.post.map { "post \($0)" }, step.http.map { "HTTP \($0)" },
            step.milliseconds.map { HumanFormat.time(milliseconds: Double($0)) }, step.reason,
            step.until.map { "until \($0)" }, step.person.map { "by \($0)" }, step.worker.map { "worker \($0)" },
            step.trackingID.map { "tracking id \($0)" }, step.note,
        ]
        return Step(
            stepAt: step.at ?? "", stepName: step.step, stepStatus: step.status,
            stepLook: StatusLook.of(step.status ?? "").rawValue, stepWords: words.compactMap(\.self))
    }

    private static func actions(_ id: Int64, _ status: String, _ visit: Visit) -> [ActionLink] {
        let messages = MessageIDs(id)
        var actions: [(any ConsoleAction, String)] =
            switch Status(rawValue: status) {
            case .rejected, .expired: [(RetryMessagesAction(messages), "Send again")]
            case .scheduled, .waiting, .due, .retrying, .claimed: [(CancelMessagesAction(messages), "Cancel")]
            case .inDoubt: Doubts.Decision.allCases.map { (ResolveDoubtsAction(messages, as: $0), $0.verb) }
            default: []
            }
        actions.append((EraseMessagesAction(messages), "Erase"))
        return actions.compactMap { ActionLink($0, $1, for: visit) }
    }
}
