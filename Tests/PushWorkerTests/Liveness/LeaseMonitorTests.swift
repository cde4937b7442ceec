import Store
import Testing

@testable import PushWorker

@Suite struct LeaseMonitorTests {
    private let other = WorkerID(number: 2, epoch: 7)

    private func seen(_ beats: Int64, lease: Double? = 15) -> [Workers.Seen] {
        [Workers.Seen(id: other, beats: beats, leaseSeconds: lease)]
    }

    @Test func aWholeLeaseWithoutABeatMeansDead() {
        var monitor = LeaseMonitor(lease: 15)
        #expect(monitor.dead(in: seen(1), now: 0) == [])
        #expect(monitor.dead(in: seen(1), now: 14.9) == [])
        #expect(monitor.dead(in: seen(1), now: 15) == [other])
    }

    @Test func aBeatBeginsTheLeaseAnew() {
        var monitor = LeaseMonitor(lease: 15)
        _ = monitor.dead(in: seen(1), now: 0)
        #expect(monitor.dead(in: seen(2), now: 14) == [])
        #expect(monitor.dead(in: seen(2), now: 28) == [])
        #expect(monitor.dead(in: seen(2), now: 29) == [other])
    }

    @Test func afterAFailedLookEveryLeaseBeginsAnew() {
        var monitor = LeaseMonitor(lease: 15)
        _ = monitor.dead(in: seen(1), now: 0)
        monitor.interrupted()
        #expect(monitor.dead(in: seen(1), now: 100) == [])
        #expect(monitor.dead(in: seen(1), now: 115) == [other])
    }

    /// Workers are set up one after the other: for a while they have different leases.
    @Test func eachWorkerIsJudgedByItsOwnLease() {
        var monitor = LeaseMonitor(lease: 15)
        _ = monitor.dead(in: seen(1, lease: 300), now: 0)
        #expect(monitor.dead(in: seen(1, lease: 300), now: 299) == [])
        #expect(monitor.dead(in: seen(1, lease: 300), now: 300) == [other])
    }

    @Test func aWorkerWithoutARowIsJudgedByOurLease() {
        var monitor = LeaseMonitor(lease: 15)
        _ = monitor.dead(in: seen(0, lease: nil), now: 0)
        #expect(monitor.dead(in: seen(0, lease: nil), now: 15) == [other])
    }

    @Test func aWorkerOfTheSameNumberIsAnotherOne() {
        var monitor = LeaseMonitor(lease: 15)
        _ = monitor.dead(in: seen(1), now: 0)
        let anew = Workers.Seen(id: WorkerID(number: 2, epoch: 8), beats: 1, leaseSeconds: 15)
        #expect(monitor.dead(in: [anew], now: 15) == [])
    }
}
