/// The replies of one turn, until they are delivered to their receivers together. Confined to the loop thread.
struct Deliveries {
    private let counts: AtomicCounters
    private var finished: [(channel: RequestChannel, replies: [Reply])] = []

    init(counts: AtomicCounters) { self.counts = counts }

    /// Counts a reply. A caller of `perform` has it at once, a channel with `deliver`.
    mutating func finish(_ reply: Reply, for recipient: Recipient) {
        switch recipient {
        case .pending(let call):
            if call.answer(reply) { counts.count(reply) }
        case .channel(let channel):
            counts.count(reply)
            if let index = finished.lastIndex(where: { $0.channel === channel }) {
                finished[index].replies.append(reply)
            } else {
                finished.append((channel, [reply]))
            }
        }
    }

    mutating func deliver() {
        guard !finished.isEmpty else { return }
        for (channel, replies) in finished { channel.deliver(replies) }
        finished.removeAll(keepingCapacity: true)
    }
}
