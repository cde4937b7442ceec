import NIOCore
import Synchronization

/// Since when a connection has waited for a request or for its end. Read by the listener, on any thread.
final class IdleTime: Sendable {
    /// Nanoseconds of `NIODeadline`; 0: a request is under way.
    private let moment = Atomic<UInt64>(NIODeadline.now().uptimeNanoseconds)

    func begin() { moment.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }

    func end() { moment.store(0, ordering: .relaxed) }

    /// nil: a request is under way.
    var since: UInt64? {
        let moment = moment.load(ordering: .relaxed)
        return moment == 0 ? nil : moment
    }
}
