import CLibcurl
import Glibc
import Synchronization

/// One thread with one job, joined once.
///
/// It takes no signals: those are for the threads that expect them, and a handler must not run between two of libcurl's
/// steps.
final class LoopThread: Sendable {
    private enum State: Sendable {
        case running(pthread_t)
        case joined(cpuSeconds: Double)
    }

    private let state: Mutex<State>

    init(named name: String, _ job: sending @escaping () -> Void) throws(TransportError) {
        let box = Unmanaged.passRetained(Job(name, job))
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)  // the new thread inherits it
        var thread = pthread_t()
        let result = pthread_create(&thread, nil, { LoopThread.main($0) }, box.toOpaque())
        pthread_sigmask(SIG_SETMASK, &before, nil)
        guard result == 0 else {
            box.release()
            throw TransportError(doing: "cannot start the loop thread", code: result, text: errorText(result))
        }
        state = Mutex(.running(thread))
    }

    deinit {
        state.withLock { state in
            if case .running(let thread) = state { pthread_detach(thread) }
        }
    }

    /// CPU seconds used so far; its last value once joined.
    var cpuSeconds: Double {
        state.withLock { state in
            switch state {
            case .running(let thread): Self.cpuSeconds(of: thread)
            case .joined(let seconds): seconds
            }
        }
    }

    /// Waits for the thread to leave. Call it when the job is known to be over; the second call does nothing.
    func join() {
        state.withLock { state in
            guard case .running(let thread) = state else { return }
            let seconds = Self.cpuSeconds(of: thread)
            pthread_join(thread, nil)
            state = .joined(cpuSeconds: seconds)
        }
    }

    private static func cpuSeconds(of thread: pthread_t) -> Double {
        var clock = clockid_t()
        var used = timespec()
        // A thread that has left but is not joined has no clock any more: 0 then.
        guard pthread_getcpuclockid(thread, &clock) == 0, clock_gettime(clock, &used) == 0 else { return 0 }
        return Double(used.tv_sec) + Double(used.tv_nsec) / 1e9
    }

    private static func main(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        let job = Unmanaged<Job>.fromOpaque(box!).takeRetainedValue()  // what `init` passed, so never nil
        fanfare_name_this_thread(job.name)
        job.run()
        return nil
    }

    private final class Job {
        let name: String
        let run: () -> Void
        init(_ name: String, _ run: @escaping () -> Void) {
            self.name = name
            self.run = run
        }
    }
}
