import PushModel
import Signing
import Synchronization

/// The claims one lane has open, and their posts that are on their way.
///
/// A claim is finished when no more posts of it will leave and all that left have come back.
final class InFlight: Sendable {
    /// A post between its departure and its answer.
    struct Flight: Sendable {
        var claim: Int64
        var attempt: Int16
        /// Seconds since 1970: the earliest of its messages.
        var expiresAt: Double
        var onDoubt: OnDoubt
        var token: SASToken
        /// Monotonic seconds.
        var leftAt: Double
    }

    private struct Open {
        var flying = 0
        var closed = false
    }

    private struct State {
        var flights: [Int64: Flight] = [:]
        var claims: [Int64: Open] = [:]
    }

    private let state = Mutex(State())

    var isEmpty: Bool { state.withLock { $0.claims.isEmpty } }
    var flying: Int { state.withLock { $0.flights.count } }

    func open(_ claim: Int64) { state.withLock { $0.claims[claim] = Open() } }

    func depart(_ flights: [(post: Int64, flight: Flight)]) {
        state.withLock { state in
            for (post, flight) in flights {
                state.flights[post] = flight
                state.claims[flight.claim, default: Open()].flying += 1
            }
        }
    }

    /// - Returns: the post's flight, and whether its claim is finished by this; nil for a post nobody knows.
    func arrive(_ post: Int64) -> (flight: Flight, finished: Bool)? {
        state.withLock { state in
            guard let flight = state.flights.removeValue(forKey: post) else { return nil }
            guard var open = state.claims[flight.claim] else { return (flight, false) }
            open.flying -= 1
            state.claims[flight.claim] = open
            return (flight, finish(flight.claim, &state))
        }
    }

    /// No more posts of this claim will leave.
    ///
    /// - Returns: whether the claim is finished.
    func close(_ claim: Int64) -> Bool {
        state.withLock { state in
            state.claims[claim]?.closed = true
            return finish(claim, &state)
        }
    }

    private func finish(_ claim: Int64, _ state: inout State) -> Bool {
        guard let open = state.claims[claim], open.closed, open.flying == 0 else { return false }
        state.claims[claim] = nil
        return true
    }
}
