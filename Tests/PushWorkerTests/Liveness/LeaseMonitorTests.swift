import Store
import Testing

@testable import PushWorker

@Suite struct LeaseMonitorTests {
    private func seen(_ beats: Int64) -> [Workers.Seen] {
        [Workers.Seen(id: 1, beats: 5, claims: []), Workers.Seen(id: 2, beats: beats, claims: [])]
    }

    @Test func aWholeLeaseWithoutABeatMeansDead() {
        var monitor = LeaseMonitor(lease: 15)
        #expect(monitor.dead(in: seen(1), me: 1, now: 0) == [])
        #expect(monitor.dead(in: seen(1), me: 1, now: 14.9) == [])
        #expect(monitor.dead(in: seen(1), me: 1, now: 15) == [2])
    }

    @Test func aBeatBeginsTheLeaseAnew() {
        var monitor = LeaseMonitor(lease: 15)
        _ = monitor.dead(in: seen(1), me: 1, now: 0)
        #expect(monitor.dead(in: seen(2), me: 1, now: 14) == [])
        #expect(monitor.dead(in: seen(2), me: 1, now: 28) == [])
        #expect(monitor.dead(in: seen(2), me: 1, now: 29) == [2])
    }

    @Test func afterAFailedLookEveryLeaseBeginsAnew() {
        var monitor = LeaseMonitor(lease: 15)
        _ = monitor.dead(in: seen(1), me: 1, now: 0)
        monitor.interrupted()
        #expect(monitor.dead(in: seen(1), me: 1, now: 100) == [])
        #expect(monitor.dead(in: seen(1), me: 1, now: 115) == [2])
    }

    @Test func aWorkerNeverDeclaresItselfDead() {
        var monitor = LeaseMonitor(lease: 15)
        for now in stride(from: 0.0, to: 100, by: 10) {
            #expect(!monitor.dead(in: seen(1), me: 1, now: now).contains(1))
        }
    }
}
