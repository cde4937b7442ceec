import Testing

@testable import Telemetry

/// What is logged about a collector, and how often one that fails is asked.
@Suite struct CollectorStateTests {
    @Test func aChangeIsToldOnceAndNotForEachBatch() {
        var state = CollectorState()
        #expect(state.answered(5, fault: nil, overflow: 0, now: 1) == nil)
        #expect(state.answered(5, fault: "it answered 503", overflow: 0, now: 10) == .fails("it answered 503"))
        #expect(state.answered(7, fault: "it answered 503", overflow: 2, now: 12) == nil)
        #expect(state.answered(1, fault: "no such host", overflow: 0, now: 20) == nil)
        #expect(state.answered(9, fault: nil, overflow: 0, now: 21) == nil)
        #expect(state.answered(9, fault: nil, overflow: 0, now: 49.9) == nil)
        #expect(state.answered(9, fault: nil, overflow: 0, now: 50) == .recovered(afterSeconds: 10, dropped: 15))
        #expect(state.answered(9, fault: nil, overflow: 0, now: 51) == nil)
        #expect(state.answered(9, fault: "it answered 429", overflow: 0, now: 60) == .fails("it answered 429"))
    }

    /// At its limit a collector loses some of every other batch: that is one trouble.
    @Test func aCollectorThatIsTooSlowIsTold() {
        var state = CollectorState()
        #expect(state.answered(512, fault: nil, overflow: 40, now: 1) == .fails("it is slower than spans come"))
        #expect(state.pause == 0)
        for now in 2..<100 {
            #expect(state.answered(512, fault: nil, overflow: now % 2, now: Double(now)) == nil, "\(now)")
        }
        #expect(state.answered(512, fault: nil, overflow: 0, now: 129) == .recovered(afterSeconds: 98, dropped: 89))
    }

    @Test func oneThatRejectsSomeIsTold() {
        var state = CollectorState()
        #expect(state.answered(512, fault: nil, rejected: 3, overflow: 1, now: 1) == .fails("it rejects some"))
        #expect(state.pause == 0)
        #expect(state.answered(512, fault: nil, overflow: 0, now: 31) == .recovered(afterSeconds: 0, dropped: 4))
    }

    @Test(arguments: [
        (#"{"partialSuccess":{"rejectedSpans":"7","errorMessage":"no"}}"#, 7),
        (#"{"partialSuccess":{"rejectedSpans":2}}"#, 2),
        (#"{"partialSuccess":{"rejectedSpans":"-2"}}"#, 0), (#"{"partialSuccess":{"errorMessage":"a remark"}}"#, 0),
        ("{}", 0), ("", 0), ("<html>", 0), (#"{"partialSuccess":[1]}"#, 0), (#"[{"partialSuccess":{}}]"#, 0),
        (#"{"partialSuccess":{"rejectedSpans":{}}}"#, 0), (String(repeating: "[", count: 60_000), 0),
        (#"{"partialSuccess":{"rejectedSpans":"99999999999999999999"}}"#, 0),
    ])
    func anAnswerSaysHowManyWereRejected(body: String, rejected: Int) {
        #expect(OTLPAnswer.rejectedSpans(in: Array(body.utf8)) == rejected)
    }

    @Test func oneThatFailsIsAskedMoreAndMoreSeldom() {
        var state = CollectorState()
        var pauses: [Double] = []
        for _ in 0..<8 {
            _ = state.answered(1, fault: "it answered 500", overflow: 0, now: 0)
            pauses.append(state.pause)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 32, 32])
        _ = state.answered(1, fault: nil, overflow: 0, now: 0)
        #expect(state.pause == 0)
        for (asked, pause) in [(20.0, 20.0), (0.5, 2), (86_400, 60), (-3, 8)] {
            _ = state.answered(1, fault: "it answered 429", overflow: 0, retryAfter: asked, now: 0)
            #expect(state.pause == pause, "\(asked)")
        }
    }
}
