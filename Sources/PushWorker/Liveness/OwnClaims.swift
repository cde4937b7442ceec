import Synchronization

/// The claims this worker knows to be its own. A claim the database lists and this worker does not know, twice in a row, is
/// a stray: its claim statement was committed and the answer lost.
final class OwnClaims: Sendable {
    private struct State {
        /// With what is counted of their hubs.
        var known: [Int64: HubMetrics] = [:]
        var suspected: Set<Int64> = []
    }

    private let state = Mutex(State())

    func learn(_ claim: Int64, of hub: HubMetrics) { state.withLock { $0.known[claim] = hub } }

    func forget(_ claims: [Int64]) {
        state.withLock { state in
            for claim in claims { state.known[claim] = nil }
        }
    }

    /// What is counted of the claim's hub; nil: the claim is not known, or not any more.
    func hub(of claim: Int64) -> HubMetrics? { state.withLock { $0.known[claim] } }

    /// The lowest of them, and of those that may be strays; nil: no such claim.
    var lowest: Int64? {
        state.withLock { state in [state.known.keys.min(), state.suspected.min()].compactMap(\.self).min() }
    }

    /// - Parameter listed: all claims the database has for this worker.
    /// - Returns: the claims that were unknown this time and the time before. Until they are rescued they are listed
    ///   again, and returned each time.
    func strays(in listed: [Int64]) -> [Int64] {
        state.withLock { state in
            let unknown = Set(listed.filter { state.known[$0] == nil })
            let strays = unknown.intersection(state.suspected)
            state.suspected = unknown
            return strays.sorted()
        }
    }
}
