/// What would become of the first recipients of a campaign on one hub, by the planner that sends. Pure.
public struct Forecast: Sendable, Equatable {
    /// Recipients that would not be sent to, for one reason.
    public struct Loss: Sendable, Equatable {
        /// As in `push.message.reason`, or what leaves a recipient out: `suppressed`, `capped`, `double_key`.
        public var reason: String
        /// For people, and nothing of a recipient; nil: the reason says all.
        public var text: String?
        public var recipients: Int64
        /// Those of them with the longest value.
        public var example: Example?
    }

    /// Recipients that are alike.
    public struct Example: Sendable, Equatable {
        /// The language of their text; nil: all languages are in one body, or none is.
        public var locale: String?
        /// The property with the longest value; nil: their text shows no property of theirs.
        public var property: String?
        /// Bytes of that value as it is written.
        public var written = 0
    }

    public let hub: String
    public private(set) var sent: Int64 = 0
    /// A message is made, and rejected or expired. Most recipients first.
    public private(set) var refused: [Loss] = []
    /// No message is made. Most recipients first.
    public private(set) var leftOut: [Loss] = []

    public var recipients: Int64 {
        (refused + leftOut).reduce(sent) { $0 + $1.recipients }
    }

    public init(_ standIns: [StandIn], of hub: HubSettings, saying content: RunContent) {
        self.hub = hub.name
        for standIn in StandIn.alike(standIns) {
            switch standIn.fate {
            case .leftOut(let why):
                Self.add(Loss(reason: why, recipients: standIn.recipients), to: &leftOut)
            case .refused(let why):
                Self.add(
                    Loss(reason: Reason.notSendable.rawValue, text: why, recipients: standIn.recipients), to: &refused)
            case .planned(let aim):
                let message = standIn.message(to: aim, of: content)
                let plan = Plan([message], for: hub, now: 0, runContents: [content.id: content])
                guard let refusal = plan.refusals.first else {
                    sent += standIn.recipients
                    continue
                }
                Self.add(
                    Loss(
                        reason: refusal.reason.rawValue, text: refusal.text, recipients: standIn.recipients,
                        example: Example(standIn, of: hub, saying: content)), to: &refused)
            }
        }
        refused.sort { $0.recipients > $1.recipients }
        leftOut.sort { $0.recipients > $1.recipients }
    }

    /// A body that is too large has another size each time, so those are counted by their reason alone.
    private static func add(_ loss: Loss, to losses: inout [Loss]) {
        let isSame = { (other: Loss) in
            other.reason == loss.reason && (loss.reason == Reason.tooLarge.rawValue || other.text == loss.text)
        }
        guard let index = losses.firstIndex(where: isSame) else { return losses.append(loss) }
        losses[index].recipients += loss.recipients
        if let example = loss.example, example.written > losses[index].example?.written ?? 0 {
            (losses[index].text, losses[index].example) = (loss.text, example)
        }
    }
}

extension Forecast.Example {
    init(_ standIn: StandIn, of hub: HubSettings, saying content: RunContent) {
        if let chosen = standIn.locale ?? content.locale(for: nil, fallback: hub.fallback), !chosen.isEmpty,
            !content.isInOneBody(on: hub)
        {
            locale = chosen
        }
        let longest = standIn.values.max { ($0.value.written, $1.key) < ($1.value.written, $0.key) }
        (property, written) = (longest?.key, longest?.value.written ?? 0)
    }
}
