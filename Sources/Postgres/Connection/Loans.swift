import Synchronization

/// Since when each connection that is out has been lent.
final class Loans: Sendable {
    private let began = Mutex<[ObjectIdentifier: ContinuousClock.Instant]>([:])

    func begin(_ connection: Connection) { began.withLock { $0[ObjectIdentifier(connection)] = .now } }

    func end(_ connection: Connection) { began.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) } }

    /// Seconds since the oldest loan that has not ended; nil: there is none.
    var longest: Double? { began.withLock { $0.values.min() }.map { $0.duration(to: .now) / .seconds(1) } }
}
