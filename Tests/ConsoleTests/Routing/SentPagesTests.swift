import Concurrency
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Console

/// A page that would be made of what it was made of before is not made again.
@Suite struct SentPagesTests {
    private static let ann = SentPages.Key(
        person: Person("Ann", rights: [.look]), options: ConsoleOptions(), target: "/")

    private static func looked(_ looks: Looks) async throws -> Looks.Taken {
        try #require(await looks.value(.init(part: "hubs", subject: "", role: nil), freshFor: 1, within: 60) { 1 })
            .taken
    }

    @Test func itIsTheSameForWhoHasItWhileItsLooksHold() async throws {
        let looks = Looks { 0 }
        let sent = SentPages()
        await sent.keep("\"a\"", of: Self.ann, madeOf: [try await Self.looked(looks)])
        #expect(await sent.isStill("\"a\"", Self.ann, in: looks))
        #expect(await !sent.isStill("\"b\"", Self.ann, in: looks))
        await looks.forget()
        #expect(await !sent.isStill("\"a\"", Self.ann, in: looks))
    }

    @Test func anotherPersonOtherRightsAReloadOrAnotherAddressMakeAnotherPage() async throws {
        let looks = Looks { 0 }
        let sent = SentPages()
        await sent.keep("\"a\"", of: Self.ann, madeOf: [try await Self.looked(looks)])
        var other = Self.ann
        other.person.name = "Ben"
        #expect(await !sent.isStill("\"a\"", other, in: looks))
        other = Self.ann
        other.person.rights = [.look, .operate]
        #expect(await !sent.isStill("\"a\"", other, in: looks))
        other = Self.ann
        other.options.isReadOnly = true
        #expect(await !sent.isStill("\"a\"", other, in: looks))
        other = Self.ann
        other.target = "/?all=1"
        #expect(await !sent.isStill("\"a\"", other, in: looks))
    }

    @Test func whatNoLookKnowsIsMadeForEachWhoAsks() async throws {
        let looks = Looks { 0 }
        let sent = SentPages()
        await sent.keep("\"a\"", of: Self.ann, madeOf: [try await Self.looked(looks)])
        await sent.keep("\"a\"", of: Self.ann, madeOf: nil)
        #expect(await !sent.isStill("\"a\"", Self.ann, in: looks))
    }

    @Test func aPageOfNoLooksOrWithAPartMissingIsNotKept() async throws {
        let taken = TakenLooks()
        #expect(taken.all == nil)
        taken.add(try await Self.looked(Looks { 0 }))
        #expect(taken.all?.count == 1)
        taken.add(nil)
        #expect(taken.all == nil)
    }

    @Test func moreThanItsLimitAreNotKept() async throws {
        let looks = Looks { 0 }
        let sent = SentPages()
        let taken = try await Self.looked(looks)
        func key(_ number: Int) -> SentPages.Key {
            SentPages.Key(person: Self.ann.person, options: Self.ann.options, target: "/\(number)")
        }
        for number in 0...SentPages.limit { await sent.keep("\"a\"", of: key(number), madeOf: [taken]) }
        #expect(await !sent.isStill("\"a\"", key(0), in: looks))
        #expect(await sent.isStill("\"a\"", key(SentPages.limit), in: looks))
    }

    /// All of it: the second answer has neither asked the database nor made the page.
    @Test func theSecondLookIsAnsweredWithoutTheDatabase() async throws {
        let bench = try await ConsoleBench.make()
        let time = Mutex(0.0)
        let console = TestConsole(
            bench.test.database, sharing: Looks { time.withLock(\.self) }, now: SystemClock.wallSeconds)
        let mark = try #require(try await console.get("/")?.headers[.eTag])
        await bench.test.database.close()
        let again = try #require(try await console.get("/", headers: [.ifNoneMatch: mark]))
        #expect(again.status == 304 && again.body.isEmpty && again.headers[.eTag] == mark)
        #expect(again.headers[.cacheControl] == "no-store")
        time.withLock { $0 = 60 }
        let without = try #require(try await console.get("/", headers: [.ifNoneMatch: mark]))
        #expect(without.status == 200 && without.headers[.eTag] != mark)
    }
}
