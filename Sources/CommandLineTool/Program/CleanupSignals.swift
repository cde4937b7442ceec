import Concurrency
import Glibc
import Synchronization
import UnixSignals

/// What SIGINT, SIGTERM and SIGHUP mean to a demo, and to a bench: at any time its end, with nothing left behind; and while
/// a demo only stays up for a look, the end that was asked for.
package final class CleanupSignals: Sendable {
    private struct State {
        var staying = WaiterQueue<Void, Void>()
        var isLeaving = false
    }

    private let state = Mutex(State())

    /// - Parameter cleanUp: removes what would outlive the process; runs beside everything else.
    package init(_ signals: UnixSignalsSequence, cleanUp: @escaping @Sendable () async -> Void) {
        Task.detached { [self] in
            for await signal in signals {
                if let staying = take() {
                    staying.resume(returning: ())
                } else {
                    await cleanUp()
                    // Not `exit`: it would take libraries apart under the threads that still use them.
                    _exit(128 + signal.rawValue)
                }
            }
        }
    }

    /// - Returns: the task that waits for a signal; nil: no task waits, so the signal ends the program.
    private func take() -> WaiterQueue<Void, Void>.Waiter? {
        state.withLock { state in
            let staying = state.staying.popFirst()
            if staying == nil { state.isLeaving = true }
            return staying
        }
    }

    /// Returns at the next signal, or when the task is cancelled.
    package func stay() async {
        await WaiterQueue.wait(whenCancelled: ()) { waiter in
            state.withLock { $0.staying.append(waiter) }
            return nil
        } remove: { id in
            state.withLock { $0.staying.remove(id) }
        }
    }

    package var isLeaving: Bool { state.withLock { $0.isLeaving } }

    /// Once a signal ends the program, further errors are its consequence and are not reported: this does not return then.
    package func standAside() async {
        // The process ends before the hour does.
        while isLeaving { await Sleep.system(3_600) }
    }
}
