import Concurrency
import Glibc
import Synchronization
import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct BatchSchedulingTests {
    @Test func aThreadMayChooseItWithoutAnyPrivilege() throws {
        let policy = Atomic<Int32>(-1)
        let before = sched_getscheduler(0)
        let thread = try SystemThread(named: "test") {
            BatchScheduling.begin()
            policy.store(sched_getscheduler(0), ordering: .relaxed)
        }
        thread.join()
        #expect(policy.load(ordering: .relaxed) == BatchScheduling.policy)
        #expect(sched_getscheduler(0) == before, "other threads keep theirs")
    }
}
