import Concurrency

/// The thread on which the calls of one connection block. Runs its actor's jobs in order.
final class ConnectionThread: SerialExecutor {
    private struct Inbox: Sendable {
        var jobs: [UnownedJob] = []
        var isClosed = false
    }

    private let inbox = ConditionMutex(Inbox())

    /// - Throws: `DatabaseError` when the system has no thread left.
    init() throws(DatabaseError) {
        // The thread keeps this object alive, so the executor outlasts the last job of its actor.
        try DatabaseError.startThread(named: "fanfare-pg") { [self] in
            while let jobs = next() {
                for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        inbox.change { $0.jobs.append(job) }
    }

    /// The thread ends after the jobs it has.
    func stop() { inbox.change { $0.isClosed = true } }

    private func next() -> [UnownedJob]? {
        inbox.wait { inbox -> [UnownedJob]?? in
            if inbox.jobs.isEmpty { return inbox.isClosed ? .some(nil) : nil }
            defer { inbox.jobs = [] }
            return inbox.jobs
        }
    }
}

extension DatabaseError {
    /// Starts a thread for calls that block. It takes the signals its starter takes.
    static func startThread(named name: String, _ job: @escaping @Sendable () -> Void) throws(DatabaseError) {
        do throws(SystemThreadError) {
            try SystemThread(named: name, job)
        } catch {
            throw DatabaseError(
                doing: "start a thread for the database", message: error.description, isTransient: true)
        }
    }
}
