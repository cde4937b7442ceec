import PushModel
import Store
import Testing

@testable import PushWorker

@Suite struct BadEndingsTests {
    private let refused = MessageOutcome(.rejected, .badRequest, note: "hub replied 400")
    private let lost = MessageOutcome(.inDoubt, .answerLost, note: "the connection broke")

    @Test func whatFailsTogetherIsOneLineWithTheFirstMessage() {
        var endings = BadEndings()
        endings.note(refused, [7, 8], of: "news", now: 100)
        endings.note(lost, [9], of: "news", now: 100.4)
        endings.note(MessageOutcome(.expired, .expired), [3], of: "news", now: 100.5)
        #expect(endings.due(now: 100.9) == [])
        #expect(
            endings.due(now: 101) == [
                BadEndings.Line(
                    hub: "news", rejected: 2, expired: 1, inDoubt: 1,
                    reasons: [.badRequest: 2, .expired: 1, .answerLost: 1], first: 7,
                    why: "bad_request: hub replied 400")
            ])
        #expect(endings.due(now: 300) == [])
    }

    @Test func aHubHasOneLineAMinute() {
        var endings = BadEndings()
        endings.note(refused, [1], of: "news", now: 0)
        #expect(endings.due(now: 1).map(\.first) == [1])
        endings.note(refused, [2], of: "news", now: 5)
        endings.note(refused, [3], of: "news", now: 50)
        endings.note(refused, [4], of: "sport", now: 50)
        #expect(endings.due(now: 60).map(\.hub) == ["sport"])
        let second = endings.due(now: 61)
        #expect(second.map(\.first) == [2] && second.map(\.rejected) == [2])
    }

    @Test func aWorkerThatEndsSaysWhatIsLeft() {
        var endings = BadEndings()
        endings.note(lost, [1], of: "sport", now: 0)
        endings.note(lost, [2], of: "news", now: 0)
        #expect(endings.due(now: 0, isLast: true).map(\.hub) == ["news", "sport"])
        #expect(endings.due(now: 0, isLast: true) == [])
    }

    @Test func whatEndsWellOrWillBeTriedAgainIsNotSaid() {
        var endings = BadEndings()
        endings.note(MessageOutcome(.accepted, .takenByHub), [1], of: "news", now: 0)
        endings.note(.retrying(.throttled, after: 1, cost: 0), [2], of: "news", now: 0)
        #expect(endings.due(now: 10, isLast: true) == [])
    }

    @Test func aLongNoteIsCut() {
        var endings = BadEndings()
        let note = String(repeating: "x", count: 5_000)
        endings.note(MessageOutcome(.rejected, .tooLarge, note: note), [1], of: "news", now: 0)
        #expect(endings.due(now: 1).first?.why == "too_large: " + String(repeating: "x", count: 300))
    }
}
