import Glibc
import Synchronization

/// A thread of our own, for a loop or for calls that block: tasks run on a few shared threads, which must not.
///
/// The thread ends when its job returns. If it is released without `join`, it keeps running.
package final class SystemThread: Sendable {
    /// Which signals the thread may be chosen for.
    package enum Signals: Sendable {
        /// Those of the thread that starts it.
        case inherited
        /// None. A child process inherits that mask, unless it is started with another one.
        case blocked
    }

    private enum State: Sendable {
        case running(pthread_t)
        case joined(cpuSeconds: Double)
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - name: what `top -H` and a core dump show. At most 15 bytes.
    ///   - job: runs on the new thread.
    /// - Throws: `SystemThreadError` when the system has no thread left.
    @discardableResult
    package init(
        named name: String, signals: Signals = .inherited, _ job: sending @escaping () -> Void
    ) throws(SystemThreadError) {
        let box = Unmanaged.passRetained(Job(name, job))
        var thread = pthread_t()
        let code: Int32
        switch signals {
        case .inherited:
            code = pthread_create(&thread, nil, { SystemThread.main($0) }, box.toOpaque())
        case .blocked:
            var all = sigset_t()
            var before = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, &before)  // the new thread inherits it
            code = pthread_create(&thread, nil, { SystemThread.main($0) }, box.toOpaque())
            pthread_sigmask(SIG_SETMASK, &before, nil)
        }
        guard code == 0 else {
            box.release()
            throw SystemThreadError(code: code)
        }
        state = Mutex(.running(thread))
    }

    deinit {
        state.withLock { state in
            if case .running(let thread) = state { pthread_detach(thread) }
        }
    }

    /// CPU seconds used so far; its last value once joined.
    package var cpuSeconds: Double {
        state.withLock { state in
            switch state {
            case .running(let thread): Self.cpuSeconds(of: thread)
            case .joined(let seconds): seconds
            }
        }
    }

    /// Blocks until the thread has ended: call it when the job is known to be over. A second call does nothing.
    package func join() {
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
        // A thread that has ended but is not joined has no clock any more: 0 then.
        guard pthread_getcpuclockid(thread, &clock) == 0, clock_gettime(clock, &used) == 0 else { return 0 }
        return Double(used.tv_sec) + Double(used.tv_nsec) / 1e9
    }

    private static func main(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        let job = Unmanaged<Job>.fromOpaque(box!).takeRetainedValue()  // what `init` passed, so never nil
        setName(job.name)
        job.run()
        return nil
    }

    /// Names the calling thread. Swift sees neither prctl, which is variadic, nor pthread_setname_np, a GNU extension.
    private static func setName(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }  // no /proc: the name is only for people
        _ = write(file, name, min(name.utf8.count, 15))
        close(file)
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

/// The system could not start a thread.
package struct SystemThreadError: Error, Sendable, Equatable, CustomStringConvertible {
    /// errno.
    package let code: Int32

    package var description: String { String(cString: strerror(code)) }
}
