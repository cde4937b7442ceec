import Concurrency
import Postgres

/// What was read a moment ago, shared by all who look at it: ten open pages cost the database as much as one.
///
/// A look that is under way is waited for; one that is younger than its reader accepts is used again.
actor Looks {
    /// Whose reading it is: persons with other rights read for themselves.
    struct Key: Hashable {
        var part: String
        /// What the part is about: a hub, a filter.
        var subject: String
        /// The role that it is read with; nil: the login's own.
        var role: String?
    }

    private struct Look {
        let began: Double
        let result: Task<any Sendable, Never>
    }

    /// More are not kept: what is oldest goes.
    static let limit = 256

    private var looks: [Key: Look] = [:]
    private let clock: @Sendable () -> Double

    /// - Parameter clock: seconds that never go back.
    init(clock: @escaping @Sendable () -> Double) { self.clock = clock }

    /// - Parameters:
    ///   - seconds: how old the answer may be.
    ///   - read: is called when there is none of that age. Its task goes on when the caller's is cancelled, for the others.
    func value<Value: Sendable>(
        _ key: Key, freshFor seconds: Double, _ read: @escaping @Sendable () async -> Value
    ) async -> Value {
        let now = clock()
        if let look = looks[key], now - look.began < seconds, let value = await look.result.value as? Value {
            return value
        }
        let result = Task<any Sendable, Never> { await read() }
        looks[key] = Look(began: now, result: result)
        makeRoom()
        // Of this type, because `read` returned it.
        return await result.value as! Value
    }

    private func makeRoom() {
        guard looks.count > Self.limit, let oldest = looks.min(by: { $0.value.began < $1.value.began }) else { return }
        looks[oldest.key] = nil
    }
}
