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

    /// Two parts may have one name, and be read into values of two types.
    fileprivate struct Slot: Hashable {
        let key: Key
        let type: ObjectIdentifier
    }

    /// What a reader took: by it the reader can ask later whether there is anything newer.
    struct Taken: Sendable {
        fileprivate let slot: Slot
        /// Of the look; none has the number of another.
        let number: Int
        /// When it is too old for this reader, by the clock.
        let until: Double
    }

    private struct Look {
        let number: Int
        let began: Double
        /// Nobody takes it from then on.
        let until: Double
        let result: Task<any Sendable, Never>
        let isDone: Latch
    }

    /// More are not kept: what is oldest goes.
    static let limit = 256

    private var looks: [Slot: Look] = [:]
    private var begun = 0
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
    ) async -> (value: Value, taken: Taken)? {
        let slot = Slot(key: key, type: ObjectIdentifier(Value.self))
        let look = look(slot, freshFor: seconds, read)
        await look.isDone.wait(atMost: limit)
        // A task that is done does not wait.
        guard look.isDone.hasHappened, let value = await look.result.value as? Value else { return nil }
        return (value, Taken(slot: slot, number: look.number, until: look.began + seconds))
    }

    /// Whether readers who took these would get the same ones now.
    func stillHold(_ taken: [Taken]) -> Bool {
        let now = clock()
        return taken.allSatisfy { looks[$0.slot]?.number == $0.number && now < $0.until }
    }

    /// The next readers read for themselves: something was changed. Who waits for a look that is under way still gets its answer.
    func forget() { looks = [:] }

    private func look<Value: Sendable>(
        _ slot: Slot, freshFor seconds: Double, _ read: @escaping @Sendable () async -> Value
    ) -> Look {
        let now = clock()
        if let look = looks[slot], !look.isDone.hasHappened || now - look.began < seconds { return look }
        let isDone = Latch()
        let result = Task<any Sendable, Never> {
            let value = await read()
            isDone.happen()
            return value
        }
        begun += 1
        let look = Look(number: begun, began: now, until: now + seconds, result: result, isDone: isDone)
        makeRoom(at: now)
        looks[slot] = look
        return look
    }

    /// A page may show a spec of 1 MB: what is too old for everybody goes at once.
    private func makeRoom(at now: Double) {
        looks = looks.filter { !$0.value.isDone.hasHappened || now < $0.value.until }
        guard looks.count >= Self.limit, let oldest = looks.min(by: { $0.value.began < $1.value.began }) else { return }
        looks[oldest.key] = nil
    }
}
