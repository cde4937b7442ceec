import Synchronization
import Testing

@testable import Concurrency

@Suite(.timeLimit(.minutes(10))) struct WaiterQueueTests {
    /// Something to wait in: tasks wait for a number that is at least as large as what they ask for.
    private final class Room: Sendable {
        struct State {
            var number = 0
            var waiting = WaiterQueue<Int, Int>()
        }

        let state = Mutex(State())

        var count: Int { state.withLock { $0.waiting.count } }

        /// - Returns: the number; -1 when the task was cancelled.
        func wait(for least: Int) async -> Int {
            await WaiterQueue.wait(for: least, whenCancelled: -1) { waiter in
                state.withLock { state in
                    if state.number >= waiter.request { return state.number }
                    state.waiting.append(waiter)
                    return nil
                }
            } remove: { id in
                state.withLock { $0.waiting.remove(id) }
            }
        }

        func waitUncancelled() async -> Int {
            await WaiterQueue.wait(for: 0) { waiter in
                state.withLock { $0.waiting.append(waiter) }
                return nil
            }
        }

        func set(_ number: Int) {
            let met = state.withLock { state in
                state.number = number
                return state.waiting.popAll { $0 <= number }
            }
            for waiter in met { waiter.resume(returning: number) }
        }

        func popFirst(returning value: Int) { state.withLock { $0.waiting.popFirst() }?.resume(returning: value) }

        func popAll(returning value: Int) {
            for waiter in state.withLock({ $0.waiting.popAll() }) { waiter.resume(returning: value) }
        }

        func reaches(_ count: Int) async { while self.count != count { await Task.yield() } }
    }

    @Test func theFirstToComeIsTheFirstOut() async {
        let room = Room()
        var tasks: [Task<Int, Never>] = []
        for number in 1...20 {
            tasks.append(Task { await room.wait(for: 100 + number) })
            await room.reaches(number)
        }
        #expect(room.state.withLock { $0.waiting.first } == 101)
        for number in 1...20 { room.popFirst(returning: number) }
        for (index, task) in tasks.enumerated() { #expect(await task.value == index + 1) }
        #expect(room.state.withLock { $0.waiting.isEmpty && $0.waiting.popFirst() == nil })
    }

    @Test func onlyThoseWhoseRequestIsMetLeave() async {
        let room = Room()
        let small = Task { await room.wait(for: 3) }
        let large = Task { await room.wait(for: 9) }
        await room.reaches(2)
        room.set(5)
        #expect(await small.value == 5)
        #expect(room.count == 1)
        room.set(10)
        #expect(await large.value == 10)
    }

    @Test func aValueThatIsThereIsReturnedAtOnce() async {
        let room = Room()
        room.set(7)
        #expect(await room.wait(for: 7) == 7)
        #expect(room.count == 0)
    }

    @Test func aCancelledTaskLeavesTheQueueAndTheOthersStay() async {
        let room = Room()
        let first = Task { await room.wait(for: 1) }
        await room.reaches(1)
        let second = Task { await room.wait(for: 1) }
        await room.reaches(2)
        first.cancel()
        #expect(await first.value == -1)
        #expect(room.count == 1)
        room.set(1)
        #expect(await second.value == 1)
    }

    @Test func aTaskThatIsCancelledAlreadyDoesNotWait() async {
        let room = Room()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await room.wait(for: 1)
        }
        task.cancel()
        #expect(await task.value == -1)
        #expect(room.count == 0)
    }

    @Test func withoutARemovalCancellationEndsNoWait() async {
        let room = Room()
        let task = Task { await room.waitUncancelled() }
        await room.reaches(1)
        task.cancel()
        await Task.yield()
        #expect(room.count == 1)
        room.popAll(returning: 4)
        #expect(await task.value == 4)
    }

    @Test func aWaiterIsRemovedOnce() async {
        let room = Room()
        let ids = Mutex<[UInt64]>([])
        let task = Task {
            await WaiterQueue<Void, Int>.wait(whenCancelled: 0) { waiter in
                ids.withLock { $0.append(waiter.id) }
                return 5
            } remove: { _ in
                nil
            }
        }
        #expect(await task.value == 5)
        #expect(room.state.withLock { state in ids.withLock { state.waiting.remove($0[0]) } } == nil)
    }

    /// Every task is resumed exactly once, whether the value or the cancellation comes first: a continuation that is
    /// resumed twice stops the program, and one that is forgotten hangs the test.
    @Test func cancellationsAndValuesMayRace() async {
        for _ in 0..<200 {
            let room = Room()
            let tasks = (0..<16).map { number in Task { await room.wait(for: 1 + number % 2) } }
            await withTaskGroup { group in
                for task in tasks { group.addTask { task.cancel() } }
                group.addTask { room.set(1) }
                group.addTask { room.set(2) }
                group.addTask { room.popAll(returning: 9) }
            }
            for task in tasks { #expect([-1, 1, 2, 9].contains(await task.value)) }
            #expect(room.count == 0)
        }
    }
}
