// What a connection of many requests says about each of them.
extension Checker {
    /// Posts to APNs of which a worker did not know whether they arrived: APNs left them without an answer, or their connection
    /// ended without a word. What it answered or refused, and what a GOAWAY left out, is known.
    mutating func checkWords() {
        let hubs = Dictionary(facts.messages.map { ($0.id, $0.hub) }) { first, _ in first }
        let arrivals = Dictionary(grouping: facts.arrivals.filter { $0.post != nil }) { $0.post ?? 0 }
        for post in facts.posts {
            guard let answer = post.answer, answer.verdict == "unknown", let message = post.messages.first,
                hubs[message].flatMap(TestHub.init)?.kind == .apns
            else { continue }
            let moment = arrivals[post.id]?.last?.at ?? answer.at
            if let problem = Self.problem(arrivals[post.id] ?? []), !isCut(at: moment) {
                report(.wordsMeanNoDoubt, message, "nothing is known of post \(post.id), and \(problem)")
            }
        }
    }

    /// Why it should be known what became of a post; nil: it cannot be.
    private static func problem(_ arrivals: [Facts.Arrival]) -> String? {
        if arrivals.isEmpty { return "it never arrived" }
        if arrivals.contains(where: \.isRefused) { return "its stream was refused" }
        if let arrival = arrivals.first(where: { $0.status != nil && !$0.isSpoilt }) {
            return "send \(arrival.number) was answered with \(arrival.status ?? 0)"
        }
        return nil
    }

    /// Whether connections ended without a word then, or a worker stood still, or the time is not known.
    private func isCut(at moment: Double) -> Bool {
        facts.cuts.contains { $0.contains(moment) }
            || facts.pauses.contains { $0.lowerBound - 60 <= moment && moment <= $0.upperBound }
            || facts.clockSteps.contains { $0.lowerBound - 120 <= moment && moment <= $0.upperBound + 120 }
    }
}
