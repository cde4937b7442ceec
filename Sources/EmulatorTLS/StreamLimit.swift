/// How many streams a client may have open, by the SETTINGS that it was sent (RFC 9113 sections 5.1.2 and 6.5.3): until it has
/// acknowledged one, it may go by that or by any before it.
struct StreamLimit: Equatable {
    /// nil: it has acknowledged none, and RFC 9113 sets no limit.
    private var acknowledged: Int?
    /// On the way, or read and not acknowledged; oldest first.
    private var announced: [Int] = []

    /// nil: none.
    var value: Int? { acknowledged.map { announced.reduce($0, max) } }

    mutating func announce(_ count: Int) { announced.append(count) }

    mutating func acknowledge() {
        if !announced.isEmpty { acknowledged = announced.removeFirst() }
    }
}
