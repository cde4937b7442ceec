import Concurrency
import Synchronization
import Testing

@testable import Console

@Suite(.timeLimit(.minutes(10))) struct PasswordThreadTests {
    private final class Seen: Sendable {
        let running = Mutex(0)
        let most = Mutex(0)
        let names = Mutex<Set<String>>([])

        func check() {
            let now = running.withLock {
                $0 += 1; return $0
            }
            most.withLock { $0 = max($0, now) }
            let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            names.withLock { _ = $0.insert(name ?? "") }
            running.withLock { $0 -= 1 }
        }
    }

    @Test func passwordsAreCheckedOneAtATimeOnThreadsOfTheirOwn() async {
        let passwords = PasswordThread()
        let seen = Seen()
        let answers = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await passwords.run {
                        seen.check()
                        return true
                    } == true
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(answers == 20)
        #expect(seen.most.withLock { $0 } == 1)
        #expect(seen.names.withLock { $0 } == ["fanfare-scrypt\n"])
    }

    @Test func moreThanCanWaitAreRefusedAtOnce() async {
        let passwords = PasswordThread()
        let mayEnd = ConditionMutex(false)
        await withTaskGroup(of: Bool?.self) { group in
            for _ in 0...PasswordThread.places {
                group.addTask { await passwords.run { mayEnd.wait { $0 ? true : nil } } }
            }
            // The first to end is the one without a place, because nobody else can.
            #expect(await group.next() == .some(nil))
            mayEnd.change { $0 = true }
            #expect(await group.reduce(into: 0) { $0 += $1 == true ? 1 : 0 } == PasswordThread.places)
        }
        #expect(await passwords.run { true } == true, "their places are free again")
    }

    @Test func aBrowserThatLeftCostsNothing() async {
        let passwords = PasswordThread()
        let mayEnd = ConditionMutex(false), hasBegun = Latch()
        let first = Task {
            await passwords.run {
                hasBegun.happen()
                return mayEnd.wait { $0 ? true : nil }
            }
        }
        await hasBegun.wait()
        let second = Task { await passwords.run { true } }
        second.cancel()
        mayEnd.change { $0 = true }
        #expect(await first.value == true)
        #expect(await second.value == nil)
    }
}
