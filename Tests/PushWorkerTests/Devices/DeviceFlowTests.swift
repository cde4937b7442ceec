import Store
import Testing

@testable import PushWorker

@Suite struct DeviceFlowTests {
    private func devices(_ claims: ClosedRange<Int64>) -> [ClaimedDevice] {
        claims.map { ClaimedDevice(claim: $0, device: "d\($0)", changes: []) }
    }

    private func words(_ actions: [DeviceFlow.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .claim(let limit): "claim \(limit)"
            case .apply(let device): "apply \(device.claim)"
            case .record(let finished): "record \(finished.map(\.claim))"
            }
        }
    }

    private func finished(_ claim: Int64) -> DeviceQueue.Finished {
        DeviceQueue.Finished(claim: claim, outcomes: [])
    }

    @Test func neverMoreThanTheWindowIsInFlight() {
        var flow = DeviceFlow(window: 2)
        #expect(words(flow.next()) == ["claim 4"])
        #expect(words(flow.next()) == [])
        flow.claimed(devices(1...4))
        #expect(words(flow.next()) == ["apply 1", "apply 2"])
        #expect(words(flow.next()) == [])
        flow.applied(finished(1))
        #expect(words(flow.next()) == ["record [1]", "apply 3", "claim 3"])
        #expect(flow.inFlight == 2)
    }

    @Test func oneCompletionIsWrittenAtATimeAndTheRestGathers() {
        var flow = DeviceFlow(window: 3)
        _ = flow.next()
        flow.claimed(devices(1...3))
        _ = flow.next()
        flow.claimed([])
        flow.applied(finished(1))
        #expect(words(flow.next()) == ["record [1]"])
        flow.applied(finished(2))
        flow.applied(finished(3))
        #expect(words(flow.next()) == [])
        #expect(!flow.isOver)
        flow.recorded(isWritten: true)
        #expect(words(flow.next()) == ["record [2, 3]"])
        flow.recorded(isWritten: true)
        #expect(words(flow.next()) == [])
        #expect(flow.isOver)
        #expect(!flow.hasLeftovers)
    }

    /// A database that was slow once had one worker send 20,000 changes that were not recorded.
    @Test func nothingBeginsWhileTooMuchWaitsToBeRecorded() {
        var flow = DeviceFlow(window: 2)
        _ = flow.next()
        flow.claimed(devices(1...20))
        #expect(words(flow.next()) == ["apply 1", "apply 2"])
        flow.applied(finished(1))
        #expect(words(flow.next()) == ["record [1]", "apply 3"])
        for claim in Int64(2)... {
            flow.applied(finished(claim))
            let actions = words(flow.next())
            guard !actions.isEmpty else { break }
            #expect(actions == ["apply \(claim + 2)"])
        }
        // Six with the two in flight.
        #expect(flow.inFlight == 1)
        flow.applied(finished(7))
        #expect(words(flow.next()) == [])
        flow.recorded(isWritten: true)
        #expect(words(flow.next()) == ["record [2, 3, 4, 5, 6, 7]", "apply 8", "apply 9"])
    }

    @Test func whatHasNotBegunIsGivenBackWhenItStops() {
        var flow = DeviceFlow(window: 2)
        _ = flow.next()
        flow.claimed(devices(1...1))
        #expect(words(flow.next()) == ["apply 1", "claim 4"])
        flow.stop()
        flow.claimed(devices(2...2))
        #expect(words(flow.next()) == [])
        flow.applied(finished(1))
        #expect(words(flow.next()) == ["record [1]"])
        flow.recorded(isWritten: true)
        #expect(flow.isOver)
        #expect(flow.hasLeftovers)
    }

    @Test func aFailedClaimOrCompletionLeavesClaimsBehind() {
        var claiming = DeviceFlow(window: 1)
        _ = claiming.next()
        claiming.claimFailed()
        #expect(claiming.isOver)
        #expect(claiming.hasLeftovers)

        var recording = DeviceFlow(window: 1)
        _ = recording.next()
        recording.claimed(devices(1...1))
        _ = recording.next()
        recording.claimed([])
        recording.applied(finished(1))
        _ = recording.next()
        recording.recorded(isWritten: false)
        #expect(recording.isOver)
        #expect(recording.hasLeftovers)
    }
}
