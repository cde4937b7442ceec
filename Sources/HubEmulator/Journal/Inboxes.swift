/// The inboxes of all devices and handles. Each is bounded, and so is their total: one broadcast to a million devices is
/// a million pushes.
struct Inboxes: Sendable {
    private var byOwner: [InboxKey: [ReceivedPush]] = [:]
    /// Pushes kept of each send, oldest first. May be too high where an inbox dropped some on its own.
    private var sends: [(number: Int, pushes: Int)] = []
    private var total = 0
    private let keptPerOwner: Int
    private let kept: Int

    /// - Parameters:
    ///   - keptPerOwner: newest pushes in each inbox. At least 1.
    ///   - kept: pushes in total. Of a larger send the first ones are kept. At least 1.
    init(keptPerOwner: Int, kept: Int) {
        self.keptPerOwner = max(1, keptPerOwner)
        self.kept = max(1, kept)
    }

    /// Oldest first.
    subscript(owner: InboxKey) -> [ReceivedPush] { Array((byOwner[owner] ?? []).suffix(keptPerOwner)) }

    /// Newest first.
    func newest(of owner: InboxKey, limit: Int) -> [ReceivedPush] {
        (byOwner[owner] ?? []).suffix(max(0, min(limit, keptPerOwner))).reversed()
    }

    func count(of owner: InboxKey) -> Int { min(keptPerOwner, byOwner[owner]?.count ?? 0) }

    /// Removes the pushes. A handle keeps its inbox, and with it its place among the oldest.
    mutating func empty(_ owner: InboxKey) {
        guard let inbox = byOwner[owner] else { return }
        total -= inbox.count
        if case .handle = owner.owner { byOwner[owner] = [] } else { byOwner[owner] = nil }
    }

    /// Inboxes, with the empty ones of handles.
    var count: Int { byOwner.count }

    /// Sends whose pushes are counted: at most twice the pushes kept, and 1,024 more.
    var sendCount: Int { sends.count }

    func has(_ owner: InboxKey) -> Bool { byOwner[owner] != nil }

    mutating func forget(_ owner: InboxKey) { total -= byOwner.removeValue(forKey: owner)?.count ?? 0 }

    mutating func clear() {
        byOwner = [:]
        sends = []
        total = 0
    }

    /// - Parameter push: of the newest send.
    mutating func keep(_ push: ReceivedPush, in owner: InboxKey) {
        if total >= kept, !makeRoom(for: push.number) { return }
        if sends.last?.number == push.number {
            sends[sends.count - 1].pushes += 1
        } else {
            sends.append((push.number, 1))
        }
        total += 1
        total -= Self.keep(push, in: &byOwner[owner, default: []], atMost: keptPerOwner)
        // Inboxes that drop pushes on their own leave their sends behind: days of sends to one device.
        if sends.count > 2 * total + 1_024 { countSends() }
    }

    private mutating func countSends() {
        var left: [Int: Int] = [:]
        for inbox in byOwner.values {
            for push in inbox { left[push.number, default: 0] += 1 }
        }
        sends = left.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// - Returns: the number of pushes dropped.
    private static func keep(_ push: ReceivedPush, in inbox: inout [ReceivedPush], atMost keptPerOwner: Int) -> Int {
        inbox.append(push)
        guard inbox.count > keptPerOwner * 2 else { return 0 }
        let excess = inbox.count - keptPerOwner
        inbox.removeFirst(excess)
        return excess
    }

    /// Drops the pushes of the oldest sends in one sweep: a quarter of the limit, so that sweeps are rare.
    ///
    /// - Returns: false: all pushes come from the send itself.
    private mutating func makeRoom(for number: Int) -> Bool {
        while total >= kept {
            var freed = 0
            var dropped = 0
            for send in sends where send.number != number && freed < max(1, kept / 4) {
                freed += send.pushes
                dropped += 1
            }
            guard dropped > 0 else { return false }
            let last = sends[dropped - 1].number
            sends.removeFirst(dropped)
            removePushes(upTo: last)
        }
        return true
    }

    /// In place: a loop over the dictionary would hold a second copy of every inbox until its end.
    private mutating func removePushes(upTo last: Int) {
        total = 0
        var emptied: [InboxKey] = []
        var index = byOwner.startIndex
        while index != byOwner.endIndex {
            let stale = byOwner.values[index].prefix { $0.number <= last }.count
            if stale > 0 {
                byOwner.values[index].removeFirst(stale)
                if byOwner.values[index].isEmpty { emptied.append(byOwner.keys[index]) }
            }
            total += byOwner.values[index].count
            byOwner.formIndex(after: &index)
        }
        for owner in emptied { byOwner[owner] = nil }
    }
}
