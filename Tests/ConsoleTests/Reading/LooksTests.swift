import Concurrency
import Synchronization
import Testing

@testable import Console

@Suite struct LooksTests {
    private final class Counted: Sendable {
        let reads = Mutex(0)
        let time = Mutex(0.0)

        func read() -> Int {
            reads.withLock {
                $0 += 1; return $0
            }
        }
    }

    private let counted = Counted()
    private let looks: Looks

    init() { looks = Looks { [counted] in counted.time.withLock { $0 } } }

    private func look(
        _ part: String = "hubs", of subject: String = "", as role: String? = "push_monitor"
    ) async -> Int? {
        await looks.value(.init(part: part, subject: subject, role: role), freshFor: 1, within: 60) { [counted] in
            counted.read()
        }?.value
    }

    @Test func allWhoLookWithinASecondShareOneReading() async {
        let seen = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<50 { group.addTask { await look() } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(seen == [1])
    }

    @Test func aSecondLaterItIsReadAgain() async {
        #expect(await look() == 1)
        counted.time.withLock { $0 = 0.9 }
        #expect(await look() == 1)
        counted.time.withLock { $0 = 1 }
        #expect(await look() == 2)
    }

    @Test func anotherRoleReadsForItself() async {
        #expect(await look() == 1)
        #expect(await look(as: nil) == 2)
        #expect(await look(of: "shop") == 3)
        #expect(await look("workers") == 4)
        #expect(await look() == 1)
    }

    /// A campaign's page and its form read `campaign`, each in its own way.
    @Test func partsOfOneNameAndTwoTypesAreTwo() async {
        let text = await looks.value(.init(part: "hubs", subject: "", role: "push_monitor"), freshFor: 1, within: 60) {
            "x"
        }
        #expect(text?.value == "x")
        #expect(await look() == 1)
    }

    /// A database that stands still gets no second question, and no page waits for it.
    @Test func whatIsUnderWayIsNotAskedAgainHoweverOldItIs() async {
        let answers = Latch()
        let key = Looks.Key(part: "hubs", subject: "", role: nil)
        func look(within limit: Double) async -> Int? {
            await looks.value(key, freshFor: 1, within: limit) { [counted] in
                await answers.wait()
                return counted.read()
            }?.value
        }
        #expect(await look(within: 0) == nil)
        counted.time.withLock { $0 = 1_000 }
        #expect(await look(within: 0) == nil)
        answers.happen()
        #expect(await look(within: 60) == 1)
        #expect(counted.reads.withLock(\.self) == 1)
    }

    /// A page may show a spec of 1 MB.
    @Test func whatNobodyTakesAnyMoreIsNotKept() async {
        final class Spec: Sendable {}
        func spec() async -> Spec? {
            let key = Looks.Key(part: "spec", subject: "", role: nil)
            let found = await looks.value(key, freshFor: 1, within: 60) { Spec() }
            return found?.value
        }
        weak var kept: Spec?
        do { kept = await spec() }
        _ = await look()
        #expect(kept != nil)
        counted.time.withLock { $0 = 1 }
        _ = await look()
        #expect(kept == nil)
    }

    @Test func whatWasTakenHoldsUntilItIsOldOrReadAgainOrSomethingWasChanged() async throws {
        func take(freshFor seconds: Double = 2) async -> Looks.Taken? {
            await looks.value(.init(part: "hubs", subject: "", role: nil), freshFor: seconds, within: 60) { [counted] in
                counted.read()
            }?.taken
        }
        let first = try #require(await take())
        #expect(await looks.stillHold([first]))
        counted.time.withLock { $0 = 1.9 }
        let again = try #require(await take())
        #expect(await looks.stillHold([first, again]))
        // Another reader accepts less.
        let second = try #require(await take(freshFor: 1))
        #expect(await !looks.stillHold([first]))
        #expect(await !looks.stillHold([second, first]))
        #expect(await looks.stillHold([second]))
        counted.time.withLock { $0 = 2.9 }
        #expect(await !looks.stillHold([second]))
        let third = try #require(await take())
        await looks.forget()
        #expect(await !looks.stillHold([third]))
    }

    @Test func whatIsOldestMakesRoom() async {
        for number in 0...Looks.limit {
            counted.time.withLock { $0 = Double(number) / 1_000_000 }
            _ = await look(of: "\(number)")
        }
        #expect(await look(of: "0") == Looks.limit + 2)
        #expect(await look(of: "\(Looks.limit)") == Looks.limit + 1)
    }
}
