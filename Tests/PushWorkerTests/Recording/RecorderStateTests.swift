import Testing

@testable import PushWorker

/// How long results wait to be written.
@Suite struct RecorderStateTests {
    @Test func theWaitBeginsWithTheFirstResultAndEndsWhenAllAreWritten() {
        let state = RecorderState()
        #expect(state.read() == (0, nil, 0))
        state.update(entries: 2, lanes: 0, now: 10)
        state.update(entries: 5, lanes: 3, now: 20)
        #expect(state.read() == (5, 10, 3))
        state.update(entries: 0, lanes: 0, now: 30)
        #expect(state.read() == (0, nil, 0))
    }

    /// With results coming all the time the recorder is never idle, and nothing waits long.
    @Test func whatIsLeftAfterAStatementCameAfterItBegan() {
        let state = RecorderState()
        state.update(entries: 2, lanes: 0, now: 10)
        state.update(entries: 5, lanes: 0, now: 21)
        state.wrote(began: 20)
        #expect(state.read() == (5, 20, 0))
        state.wrote(began: 15)
        #expect(state.read() == (5, 20, 0))
    }
}
