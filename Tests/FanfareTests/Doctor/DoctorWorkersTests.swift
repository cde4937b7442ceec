import Testing

@testable import Store
@testable import fanfare

/// When the doctor says that nothing can be sent.
@Suite struct DoctorWorkersTests {
    private func hub(
        _ state: String = "open", due: Int64 = 0, later: Int64 = 0, waiting: Double? = nil, unserved: String? = nil
    ) -> SystemStatus.Hub {
        SystemStatus.Hub(
            hub: "news", kind: "notification-hubs", state: state, due: due, later: later, waiting: waiting,
            workers: unserved == nil ? 1 : 0,
            unservedSince: unserved, key: "primary")
    }

    private func worker(_ trouble: String? = nil, alive: Bool = true) -> SystemStatus.Worker {
        SystemStatus.Worker(
            id: 1, name: "here/1", version: "1", lastBeat: 1, alive: alive, trouble: trouble, claims: 0, messages: 0)
    }

    /// The grade of one finding; nil: it is not there.
    private func grade(
        _ name: String, _ hub: SystemStatus.Hub, workers: [SystemStatus.Worker], ended: Int64 = 0
    ) -> Finding.Grade? {
        let status = SystemStatus(hubs: [hub], workers: workers, lastHour: [], inDoubt: 0)
        return DoctorWorkers(status: status, ended: ["news": ended], longestWait: 300).findings([])
            .first { $0.name == name }?.grade
    }

    /// The look stops counting; what it says tells so.
    @Test func aCountThatStoppedIsToldAsSuch() {
        func found(due: Int64, more: Bool) -> String? {
            var one = hub(due: due)
            one.moreDue = more
            let status = SystemStatus(hubs: [one], workers: [], lastHour: [], inDoubt: 0)
            return DoctorWorkers(status: status, ended: [:], longestWait: 300).findings([])
                .first { $0.name == "gate" }?.found
        }
        #expect(found(due: 1, more: false) == "open, 1 message due")
        #expect(found(due: 10_000, more: true) == "open, 10,000+ messages due")
    }

    /// The reasons of held hubs are sentences.
    @Test func aReasonWithMessagesBehindItHasNoFullStop() {
        var one = hub("held", due: 2)
        one.why = "Check the connection string of hub news."
        let status = SystemStatus(hubs: [one], workers: [], lastHour: [], inDoubt: 0)
        let found = DoctorWorkers(status: status, ended: [:], longestWait: 300).findings([]).first { $0.name == "gate" }
        #expect(found?.found == "held: Check the connection string of hub news, 2 messages due")
    }

    @Test func aWorkerThatCannotWriteFails() {
        #expect(grade("writing", hub(), workers: [worker("cannot write for 14 s: 53100")]) == .fail)
        #expect(grade("writing", hub(), workers: [worker()]) == .ok)
        // A dead one said that long ago.
        #expect(grade("writing", hub(), workers: [worker(), worker("cannot write", alive: false)]) == .ok)
    }

    @Test func dueMessagesOfAHubThatNoneOfTheWorkersServesFail() {
        let since = "2026-11-21T16:37:00Z"
        #expect(grade("workers", hub(due: 1, waiting: 1, unserved: since), workers: [worker()]) == .fail)
        #expect(grade("workers", hub(later: 1, unserved: since), workers: [worker()]) == .warn)
        #expect(grade("workers", hub(unserved: since), workers: [worker()]) == nil)
    }

    /// Where only drains work, messages wait for the next one.
    @Test func withoutAnyWorkerDueMessagesFailWhenTheyWaitTooLong() {
        let since = "2026-11-21T16:37:00Z"
        #expect(grade("workers", hub(due: 1, waiting: 299, unserved: since), workers: []) == .warn)
        #expect(grade("workers", hub(due: 1, waiting: 301, unserved: since), workers: []) == .fail)
    }

    @Test(arguments: ["open", "held", "failing", "gate closed"])
    func anOldMessageFailsUnlessOthersAreSent(state: String) {
        let old = hub(state, due: 9, waiting: 301)
        #expect(grade("oldest due", old, workers: [worker()]) == .fail)
        #expect(grade("oldest due", old, workers: [worker()], ended: 1) == .warn)
        #expect(grade("oldest due", hub(state, due: 9, waiting: 299), workers: [worker()]) == nil)
    }

    @Test func aHubThatAPersonPausedOnlyWarns() {
        #expect(grade("oldest due", hub("paused", due: 9, waiting: 301), workers: [worker()]) == .warn)
    }

    /// What is said of the changes of devices; nil: nothing.
    private func devices(_ devices: SystemStatus.Devices?, unserved: String? = nil) -> [Finding] {
        var hub = hub(unserved: unserved)
        hub.devices = devices
        return DoctorDevices.findings(hub, longestWait: 300)
    }

    @Test func changesOfDevicesThatWaitForLongOnlyWarn() {
        #expect(devices(nil).isEmpty)
        #expect(devices(.init(state: "open", due: 3, waiting: 299)).map(\.grade) == [.ok])
        #expect(devices(.init(state: "open", due: 3, waiting: 301)).map(\.grade) == [.warn])
        #expect(devices(.init(state: "open", later: 3)).map(\.grade) == [.ok])
        let closed = devices(.init(state: "closed", why: "hub replied 429", until: "2026-11-21T16:37:00Z", due: 1))
        #expect(closed.map(\.grade) == [.warn])
        #expect(
            closed.first?.found == "1 change due, 0 later; closed: hub replied 429 (until 2026-11-21T16:37:00Z)")
        #expect(
            devices(.init(state: "paused", why: "paused by anna", due: 1)).first?.remedy?.contains("resume") == true)
        #expect(devices(.init(state: "open", due: 1), unserved: "2026-11-21").map(\.grade) == [.warn])
    }

    @Test func refusedChangesOfDevicesWarn() {
        let found = devices(.init(state: "open", refused: 2))
        #expect(found.map(\.name) == ["refused devices"])
        #expect(found.map(\.grade) == [.warn])
    }

    @Test func eachAreaIsAHeadingOnce() {
        let findings: [Finding] = [
            .ok("database", "a", "1"), .ok("hub news", "b", "2"), .skip("database", "c", "3"),
        ]
        #expect(findings.text == "database\n  OK   a: 1\n  SKIP c: 3\n\nhub news\n  OK   b: 2")
        #expect(findings.summary == "2 ok, 1 skip, 0 warn, 0 fail")
    }
}
