/// Which streams are expanded at the same time: those of several runs side by side, so that a slow view holds up no other
/// campaign. Pure.
struct ExpansionPlaces: Sendable {
    /// Streams at once: connections to the database.
    static let most = 4
    /// How many of the places slow streams may have, so that the others always find one.
    static let mostSlow = 2
    /// Seconds after which a page is slow.
    static let slow = 2.0

    /// Of streams that are expanded now: since when, in monotonic seconds.
    private var begun: [Int64: Double] = [:]
    /// Streams whose last page was slow.
    private var slowBefore: Set<Int64> = []
    /// The streams that were expanded last, the longest ago first.
    private var served: [Int64] = []

    /// - Parameters:
    ///   - streams: those that can be expanded.
    ///   - now: monotonic seconds.
    /// - Returns: those that begin now, the ones that were served longest ago first.
    mutating func begin(_ streams: [Int64], now: Double) -> [Int64] {
        let known = Set(streams)
        served.removeAll { !known.contains($0) && begun[$0] == nil }
        slowBefore.formIntersection(known.union(begun.keys))
        let turn = Dictionary(served.enumerated().map { ($1, $0) }) { first, _ in first }
        let order = streams.filter { begun[$0] == nil }.enumerated().sorted {
            (turn[$0.element] ?? -1, $0.offset) < (turn[$1.element] ?? -1, $1.offset)
        }
        var slowNow = begun.count { now - $1 >= Self.slow || slowBefore.contains($0) }
        var beginning: [Int64] = []
        for (_, stream) in order where begun.count < Self.most {
            if slowBefore.contains(stream) {
                guard slowNow < Self.mostSlow else { continue }
                slowNow += 1
            }
            begun[stream] = now
            beginning.append(stream)
        }
        return beginning
    }

    /// - Parameter slowest: seconds of its slowest page.
    mutating func end(_ stream: Int64, slowest: Double) {
        begun[stream] = nil
        if slowest >= Self.slow { slowBefore.insert(stream) } else { slowBefore.remove(stream) }
        served.removeAll { $0 == stream }
        served.append(stream)
    }

    /// Whether none is expanded now.
    var isEmpty: Bool { begun.isEmpty }
}
