import Store

extension Claim {
    /// The claim with one content only, to try a hub with: the one that the hub has refused least recently, best never. And
    /// the messages of the others. Pure.
    ///
    /// - Parameter lastRefusal: when a message last left and was refused, in monotonic seconds; nil: never.
    func probe(lastRefusal: (Int64) -> Double?) -> (probe: Claim, others: [Int64]) {
        var refusals: [Int64: Double] = [:]  // by lead
        for message in messages {
            let last = lastRefusal(message.id) ?? -.infinity
            refusals[message.lead] = max(last, refusals[message.lead] ?? last)
        }
        let least = refusals.values.min()
        guard let lead = messages.first(where: { refusals[$0.lead] == least })?.lead else { return (self, []) }
        return (
            Claim(id: id, messages: messages.filter { $0.lead == lead }, position: position),
            messages.filter { $0.lead != lead }.map(\.id)
        )
    }
}
