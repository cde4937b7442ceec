import Concurrency
import Postgres

/// What was read a moment ago, shared by all who look at it: ten open pages cost the database as much as one.
///
/// A look that is under way is waited for, however long that takes: a database that stands still gets each question once. One that is
/// younger than its reader accepts is used again.
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
        let isDone: Latch
    }

    /// More are not kept: what is oldest goes.
    static let limit = 256

    private var looks: [Key: Look] = [:]
    private let clock: @Sendable () -> Double

    /// - Parameter clock: seconds that never go back.
    init(clock: @escaping @Sendable () -> Double) { self.clock = clock }

    /// - Parameters:
    ///   - seconds: how old the answer may be.
    ///   - limit: seconds for which the caller waits.
    ///   - read: is called when there is no answer of that age and none is under way. Its task goes on when the caller's is cancelled
    ///     and when the caller waits no more, for the others.
    /// - Returns: nil: there is no answer yet.
    func value<Value: Sendable>(
        _ key: Key, freshFor seconds: Double, within limit: Double, _ read: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let look = look(key, freshFor: seconds, read)
        await look.isDone.wait(atMost: limit)
        // A task that is done does not wait. Of this type, because one part is read by one function.
        return look.isDone.hasHappened ? await look.result.value as? Value : nil
    }

    private func look<Value: Sendable>(
        _ key: Key, freshFor seconds: Double, _ read: @escaping @Sendable () async -> Value
    ) -> Look {
        let now = clock()
        if let look = looks[key], !look.isDone.hasHappened || now - look.began < seconds { return look }
        let isDone = Latch()
        let result = Task<any Sendable, Never> {
            let value = await read()
            isDone.happen()
            return value
        }
        let look = Look(began: now, result: result, isDone: isDone)
        looks[key] = look
        makeRoom()
        return look
    }

    private func makeRoom() {
        guard looks.count > Self.limit, let oldest = looks.min(by: { $0.value.began < $1.value.began }) else { return }
        looks[oldest.key] = nil
    }
}
