import Testing

@testable import PushWorker

@Suite struct RefusalsTests {
    @Test func besideAPostThatWasTakenARefusalIsTheMessagesOwn() {
        var refusals = Refusals()
        #expect(!refusals.isBesideOthers(leftAt: 0), "nothing was taken yet")
        refusals.taken(leftAt: 9, now: 10)
        #expect(refusals.isBesideOthers(leftAt: 9), "it was in flight with the other one")
        #expect(refusals.isBesideOthers(leftAt: 10.9))
        #expect(!refusals.isBesideOthers(leftAt: 11), "that was too long ago")
    }

    @Test func aMessageThatOthersOvertookIsRefusedForItself() {
        var refusals = Refusals()
        _ = refusals.refused(1, leftAt: 10, now: 10, longest: 60)
        #expect(!refusals.wasPassedOver(1))
        refusals.taken(leftAt: 9, now: 11)
        #expect(!refusals.wasPassedOver(1), "what left earlier says nothing")
        refusals.taken(leftAt: 12, now: 13)
        #expect(refusals.wasPassedOver(1))
        #expect(!refusals.wasPassedOver(2))
        _ = refusals.refused(1, leftAt: 70, now: 70, longest: 60)
        #expect(!refusals.wasPassedOver(1), "it needs new evidence each time")
    }

    @Test func theFirstRefusalLetsAnotherMessageBeTriedAtOnceAndThenThePauseDoubles() {
        var refusals = Refusals()
        var pauses: [Double] = []
        for message in 1...10 {
            pauses.append(refusals.refused(Int64(message), leftAt: 1, now: 1, longest: 60))
        }
        #expect(pauses == [0, 1, 2, 4, 8, 16, 32, 60, 60, 60])
        #expect(refusals.refused(11, leftAt: 1, now: 1, longest: 0.3) == 0.3)
    }

    @Test func oneMessageThatIsRefusedAgainAndAgainNeverStopsTheOthers() {
        var refusals = Refusals()
        for minute in 0..<100 {
            #expect(refusals.refused(1, leftAt: Double(minute) * 60, now: Double(minute) * 60, longest: 60) == 0)
        }
        #expect(refusals.count == 1)
    }

    /// A hub that refuses everybody gets a request a minute, however few messages wait for it.
    @Test(arguments: [2, 3, 5, 50]) func afterTheFirstMinuteThereIsOneTryAMinute(messages: Int) {
        var refusals = Refusals()
        var due = [Double](repeating: 0, count: messages)
        var now = 0.0
        var tries: [Double] = []
        while now < 3600 {
            guard let next = due.indices.min(by: { due[$0] < due[$1] }) else { return }
            now = max(now, due[next])
            tries.append(now)
            now += refusals.refused(Int64(next), leftAt: now, now: now, longest: 60)
            due[next] = tries[tries.count - 1] + 60
        }
        #expect(tries.count { $0 < 60 } <= 8)
        #expect(tries.count { $0 >= 60 } <= 59)
    }

    @Test func aPostThatIsTakenEndsTheCount() {
        var refusals = Refusals()
        for message in 1...5 { _ = refusals.refused(Int64(message), leftAt: 1, now: 1, longest: 60) }
        refusals.taken(leftAt: 1, now: 2)
        #expect(refusals.count == 0)
        #expect(refusals.refused(6, leftAt: 3, now: 3, longest: 60) == 0)
        #expect(refusals.refused(7, leftAt: 3, now: 4, longest: 60) == 1)
    }

    @Test func itRemembersTheYoungestOfManyMessages() {
        var refusals = Refusals()
        for message in 1...5000 {
            _ = refusals.refused(Int64(message), leftAt: Double(message), now: Double(message), longest: 60)
        }
        #expect(refusals.count <= Refusals.limit)
        refusals.taken(leftAt: 6000, now: 6000)
        #expect(refusals.wasPassedOver(5000) && !refusals.wasPassedOver(1))
    }
}
