import Glibc
import Synchronization
import UnixSignals

/// What SIGINT, SIGTERM and SIGHUP mean to a demo, and to a bench: at any time its end, with nothing left behind; and while
/// a demo only stays up for a look, the end that was asked for.
final class CleanupSignals: Sendable {
    private struct State {
        var staying: CheckedContinuation<Void, Never>?
        var isLeaving = false
    }

    private let state = Mutex(State())

    /// - Parameter cleanUp: takes away what would outlive the process, whatever else is going on.
    init(_ signals: UnixSignalsSequence, cleanUp: @escaping @Sendable () async -> Void) {
        Task.detached { [self] in
            for await signal in signals {
                if let staying = take() {
                    staying.resume()
                } else {
                    await cleanUp()
                    // Not `exit`: it would take libraries apart under the threads that still use them.
                    _exit(128 + signal.rawValue)
                }
            }
        }
    }

    /// - Returns: who waits for a signal; nil: nobody, so that it means the end.
    private func take() -> CheckedContinuation<Void, Never>? {
        state.withLock { state in
            defer { state.staying = nil }
            if state.staying == nil { state.isLeaving = true }
            return state.staying
        }
    }

    /// Returns at the next signal, or when the task is cancelled.
    func stay() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    // The handler below has run already then, and found nobody to wake.
                    if !Task.isCancelled { state.staying = continuation }
                    return state.staying == nil
                }
                if isCancelled { continuation.resume() }
            }
        } onCancel: {
            state.withLock { state in
                defer { state.staying = nil }
                return state.staying
            }?
            .resume()
        }
    }

    var isLeaving: Bool { state.withLock { $0.isLeaving } }

    /// Once a signal ends the demo, whatever goes wrong comes of that and is nobody's business: then this does not return.
    func standAside() async {
        // The process ends before the hour does.
        while isLeaving { try? await Task.sleep(for: .seconds(3_600)) }
    }
}
