import Testing

@testable import Concurrency

@Suite(.timeLimit(.minutes(10))) struct ConditionMutexTests {
    @Test func aChangeWakesEveryThreadThatWaits() throws {
        let state = ConditionMutex((go: false, waiting: 0))
        let threads = try (0..<4).map { _ in
            try SystemThread(named: "waiter") {
                state.change { $0.waiting += 1 }
                state.wait { $0.go ? () : nil }
                state.change { $0.waiting -= 1 }
            }
        }
        state.wait { $0.waiting == 4 ? () : nil }
        state.change { $0.go = true }
        for thread in threads { thread.join() }
        #expect(state.wait { $0.waiting } == 0)
    }

    @Test func oneThreadAtATimeChangesTheValue() throws {
        let state = ConditionMutex(0)
        let threads = try (0..<4).map { _ in
            try SystemThread(named: "counter") {
                for _ in 0..<10_000 { state.change { $0 += 1 } }
            }
        }
        for thread in threads { thread.join() }
        #expect(state.wait { $0 } == 40_000)
    }

    @Test func whatWaitReturnsIsWhatItsClosureFound() {
        let state = ConditionMutex([1, 2])
        #expect(state.wait { $0.popLast() } == 2)
        #expect(state.change { $0 } == [1])
    }
}
