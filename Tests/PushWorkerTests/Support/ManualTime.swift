import Concurrency
import Synchronization

@testable import PushWorker

/// Time that passes only while somebody sleeps, or when the test says so: hours of it take no time.
final class ManualTime: Sendable {
    private struct State {
        var now = 1_000.0
        var slept: [Double] = []
        var duringSleep: @Sendable (Double) async -> Void = { _ in }
    }

    private let state = Mutex(State())

    /// Monotonic seconds.
    var now: Double { state.withLock { $0.now } }

    /// The sleeps that have begun, in seconds.
    var slept: [Double] { state.withLock { $0.slept } }

    var clock: Clock { Clock(wall: { self.now }, monotonic: { self.now }) }

    var sleep: Sleep { Sleep { seconds in await self.sleep(seconds) } }

    func pass(_ seconds: Double) { state.withLock { $0.now += seconds } }

    /// What happens in every sleep from now on, before its time has passed.
    func duringSleep(_ body: @escaping @Sendable (_ seconds: Double) async -> Void) {
        state.withLock { $0.duringSleep = body }
    }

    private func sleep(_ seconds: Double) async {
        let duringSleep = state.withLock { state in
            state.slept.append(seconds)
            return state.duringSleep
        }
        await duringSleep(seconds)
        pass(seconds)
        await Task.yield()
    }
}
