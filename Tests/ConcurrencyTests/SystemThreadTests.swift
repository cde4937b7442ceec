import Foundation
import Synchronization
import Testing

@testable import Concurrency

@Suite(.timeLimit(.minutes(10))) struct SystemThreadTests {
    /// What a thread tells about itself.
    private struct Seen: Sendable {
        var name = ""
        var isBlocked: [Bool] = []
    }

    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE]

    private static func look() -> Seen {
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        return Seen(
            name: name?.trimmingCharacters(in: .newlines) ?? "",
            isBlocked: signals.map { sigismember(&mask, $0) == 1 })
    }

    private func seen(_ name: String, _ signals: SystemThread.Signals) throws -> Seen {
        let seen = Mutex(Seen())
        let thread = try SystemThread(named: name, signals: signals) { seen.withLock { $0 = Self.look() } }
        thread.join()
        return seen.withLock { $0 }
    }

    @Test func aThreadHasItsName() throws {
        #expect(try seen("fanfare-test", .inherited).name == "fanfare-test")
        #expect(try seen("sixteen-bytes-xy", .inherited).name == "sixteen-bytes-x")
    }

    @Test func signalsAreBlockedOrThoseOfTheStarter() throws {
        #expect(try seen("blocked", .blocked).isBlocked.allSatisfy(\.self))
        let before = Self.look().isBlocked
        #expect(try seen("inherited", .inherited).isBlocked == before)
        #expect(Self.look().isBlocked == before, "the starter has its own mask again")
    }

    @Test func joinWaitsForTheJobAndMayBeRepeated() throws {
        let isDone = Mutex(false)
        let thread = try SystemThread(named: "worker", signals: .blocked) {
            usleep(20_000)
            isDone.withLock { $0 = true }
        }
        thread.join()
        #expect(isDone.withLock { $0 })
        thread.join()
        #expect(thread.cpuSeconds >= 0)
    }

    @Test func cpuSecondsAreThoseOfTheThread() throws {
        let mayEnd = ConditionMutex(false)
        let hasWorked = ConditionMutex(false)
        let thread = try SystemThread(named: "busy") {
            var now = timespec()
            repeat { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) } while now.tv_sec == 0 && now.tv_nsec < 20_000_000
            hasWorked.change { $0 = true }
            mayEnd.wait { $0 ? () : nil }
        }
        hasWorked.wait { $0 ? () : nil }
        #expect(thread.cpuSeconds >= 0.02)
        mayEnd.change { $0 = true }
        thread.join()
    }

    @Test func aThreadThatIsLetGoRunsToItsEnd() async throws {
        let done = Latch()
        try SystemThread(named: "let go") {
            usleep(5_000)
            done.happen()
        }
        await done.wait()
    }

    @Test func aJobKeepsWhatItUsesUntilItEnds() async throws {
        final class Resource: Sendable {
            let freed: Latch
            init(_ freed: Latch) { self.freed = freed }
            deinit { freed.happen() }
        }
        let freed = Latch()
        let mayEnd = ConditionMutex(false)
        do {
            let resource = Resource(freed)
            try SystemThread(named: "keeper") { withExtendedLifetime(resource) { mayEnd.wait { $0 ? () : nil } } }
        }
        #expect(!freed.hasHappened)
        mayEnd.change { $0 = true }
        await freed.wait()
    }
}
