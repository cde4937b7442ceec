import Glibc

/// How the kernel schedules the loop's thread: when it wakes up, it does not interrupt the thread that runs.
///
/// On full cores a thread that interrupts for each answer takes answers one by one, and each of them wakes other threads. Four
/// workers on two cores took 1.5 times the CPU a message (docs/performance.md, "Workers side by side"). On an idle core it runs
/// at once, as before.
enum BatchScheduling {
    /// For the calling thread and those that it starts, which may be some of the tasks' threads: that makes no difference.
    /// Needs no privilege.
    static func begin() {
        var priority = sched_param(sched_priority: 0)
        // Refused only by a filter of system calls: then it works as before.
        sched_setscheduler(0, policy, &priority)
    }

    /// SCHED_BATCH of sched(7), a GNU extension that Swift does not see.
    static let policy: Int32 = 3
}
