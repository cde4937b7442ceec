/// The thread on which one connection's calls block. Runs what its actor is asked, in order.
final class ConnectionThread: SerialExecutor {
    private struct Inbox: Sendable {
        var jobs: [UnownedJob] = []
        var isClosed = false
    }

    private let inbox = ConditionMutex(Inbox())

    /// - Throws: `DatabaseError` when the system has no thread left.
    init() throws(DatabaseError) {
        // The thread keeps this object alive, so the executor outlasts the last job of its actor.
        try DetachedThread.start { [self] in
            while let jobs = next() {
                for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        inbox.change { $0.jobs.append(job) }
    }

    /// The thread ends once what was asked is done.
    func stop() { inbox.change { $0.isClosed = true } }

    private func next() -> [UnownedJob]? {
        inbox.wait { inbox -> [UnownedJob]?? in
            if inbox.jobs.isEmpty { return inbox.isClosed ? .some(nil) : nil }
            defer { inbox.jobs = [] }
            return inbox.jobs
        }
    }
}
