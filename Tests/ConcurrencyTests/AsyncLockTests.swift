import Testing

@testable import Concurrency

@Suite(.timeLimit(.minutes(10))) struct AsyncLockTests {
    @Test func oneTaskHoldsTheValueAtATime() async {
        let lock = AsyncLock(0)
        let holders = ConditionMutex(0)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        let value = await lock.take()
                        let count = holders.change { holders in
                            holders += 1
                            return holders
                        }
                        #expect(count == 1)
                        await Task.yield()
                        holders.change { $0 -= 1 }
                        lock.pass(value + 1)
                    }
                }
            }
        }
        #expect(await lock.take() == 4_000)
    }

    @Test func theValueGoesToTasksInTheOrderTheyCame() async {
        let lock = AsyncLock<[Int]>([])
        let held = await lock.take()
        var tasks: [Task<Void, Never>] = []
        for number in 1...20 {
            tasks.append(
                Task {
                    let order = await lock.take()
                    lock.pass(order + [number])
                })
            while lock.waiting < number { await Task.yield() }
        }
        lock.pass(held)
        for task in tasks { await task.value }
        #expect(await lock.take() == Array(1...20))
    }

    @Test func aCancelledTaskStillGetsTheValue() async {
        let lock = AsyncLock("value")
        let held = await lock.take()
        let task = Task {
            let value = await lock.take()
            lock.pass(value)
            return value
        }
        task.cancel()
        lock.pass(held)
        #expect(await task.value == "value")
        #expect(await lock.take() == "value")
    }
}
