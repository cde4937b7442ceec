import PushModel

/// Whom a run reaches, in numbers. Pure.
enum RunReach {
    /// One sentence for each hub; empty: it is not known.
    static func words(of plan: CampaignPlan?) -> [String] {
        (plan?.hubs ?? []).map { hub in
            let facts = hub.facts.filter { ["rows", "refused", "left out", "reach"].contains($0.title) }
            return "Hub \(hub.name): "
                + facts.map { "\($0.title) \($0.value)" }.joined(separator: "; ") + "."
        }
    }

    /// Whether a run surely reaches few, so that a mistake is small.
    static func isSmall(_ plan: CampaignPlan?, limit: Int = Question.messagesWithoutTyping) -> Bool {
        guard let plan, !plan.hubs.isEmpty else { return false }
        return plan.messages <= limit && plan.hubs.allSatisfy { $0.isCounted && $0.devices ?? 0 <= Int64(limit) }
    }
}
