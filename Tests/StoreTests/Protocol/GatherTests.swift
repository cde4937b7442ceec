import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// Workers gather contents with a key: each message exactly once, whoever races, cancels or dies.
@Suite(.serialized, .timeLimit(.minutes(3))) struct GatherTests {
    @Test func workersThatRaceForSiblingsTakeEachContentOnceAndWhole() async throws {
        let bench = try await Bench.make(settling: 0)
        let contents = 300
        for locale in ["en", "fr", "zh-Hans"] {
            try await bench.database.execute(
                """
                INSERT INTO push.message (hub, tag, locale, content_key, content)
                SELECT 'news', 't' || g, \(locale), 'k' || g % 7, '{}' FROM generate_series(1, \(contents)) g ORDER BY random()
                """)
        }
        let claims = try await withThrowingTaskGroup(of: [Claim].self) { group in
            for _ in 1...4 {
                let queue = try await bench.another()
                group.addTask {
                    var claims: [Claim] = []
                    while try await bench.count("due") > 0 {
                        if let claim = try await bench.claim(20, by: queue) { claims.append(claim) }
                    }
                    return claims
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let messages = claims.flatMap(\.messages)
        #expect(messages.count == contents * 3)
        #expect(Set(messages.map(\.id)).count == contents * 3)
        for claim in claims {
            for content in Dictionary(grouping: claim.messages, by: \.lead).values {
                #expect(Set(content.map(\.locale)) == ["en", "fr", "zh-Hans"])
                #expect(Set(content.map(\.target)).count == 1)
            }
        }
        #expect(try await bench.count("result") == 0)
        #expect(try await bench.lost() == [])
    }

    @Test func oneByOneInSmallClaimsNothingStaysBehindTheMark() async throws {
        let bench = try await Bench.make(settling: 0)
        var expected: Set<Int64> = []
        for n in 1...12 {
            expected.formUnion([
                try await bench.keyed("en", key: "k\(n % 3)", tag: "t\(n % 4)"),
                try await bench.insert(1)[0],
            ])
        }
        var mark = DuePosition.start
        var seen: Set<Int64> = []
        while let claim = try await bench.queue.claim(hub: bench.hub, priority: .normal, after: mark, limit: 2) {
            seen.formUnion(claim.messages.map(\.id))
            mark = claim.mark
        }
        #expect(seen == expected)
    }

    @Test func aRescuedContentGoesBackAndIsClaimedWhole() async throws {
        let bench = try await Bench.make(settling: 0)
        let ids = [try await bench.keyed("en"), try await bench.keyed("fr")]
        let claim = try #require(try await bench.claim())
        _ = try await bench.workers.rescue(claims: [claim.id])
        #expect(try await bench.lost() == [])
        for id in ids { #expect(try await bench.status(id) == "due") }
        #expect(try await bench.results(try await bench.keyed("zh-Hans")) == ["rejected/late_translation"])
        #expect(try await bench.claim()?.messages.map(\.id).sorted() == ids)
    }

    @Test func aRetriedContentComesAgainWholeAndCanBeCancelled() async throws {
        let bench = try await Bench.make(settling: 0)
        let ids = [try await bench.keyed("en"), try await bench.keyed("fr")]
        let claim = try #require(try await bench.claim())
        try await bench.intend([ids], under: claim.id)
        try await bench.complete([.retrying(claim.post(1))], finished: [claim.id])
        #expect(try await bench.status(ids[1]) == "retrying")
        #expect(try await bench.messages.cancel(ids[0]) == "cancelled")
        #expect(try await bench.lost() == [])
        let again = try #require(try await bench.claim())
        #expect(again.messages.map(\.id) == [ids[1]])
        #expect(again.messages.map(\.attempt) == [1])
    }

    @Test(arguments: [0, 1, 2]) func aTranslationCancelledBeforeItIsGatheredStaysOut(_ which: Int) async throws {
        let bench = try await Bench.make(settling: 600_000)
        var ids = try await bench.database.query(
            """
            INSERT INTO push.message (hub, tag, locale, content_key, content)
            VALUES ('news', 'World', 'en', 'k', '{}'), ('news', 'World', 'fr', 'k', '{}') RETURNING id
            """
        ) { rows in try rows.map { row in try row.int64(0) } }
        ids.append(try await bench.keyed(nil))
        #expect(try await bench.messages.cancel(ids[which]) == "cancelled")
        #expect(try await bench.messages.cancel(ids[which]) == "cancelled")
        #expect(try await bench.lost() == [])
        try await bench.settle()
        let left = ids.filter { $0 != ids[which] }
        #expect(try await bench.claim()?.messages.map(\.id).sorted() == left)
        #expect(try await bench.results(ids[which]) == ["cancelled/cancelled_by_caller"])
        #expect(try await bench.count("due") == 0)
        #expect(try await bench.lost() == [])
    }

    @Test func aContentWhoseMessagesAreAllCancelledLeavesNothing() async throws {
        let bench = try await Bench.make(settling: 600_000)
        let ids = [try await bench.keyed("en"), try await bench.keyed("fr")]
        for id in ids { #expect(try await bench.messages.cancel(id) == "cancelled") }
        #expect(try await bench.count("due") == 0)
        #expect(try await bench.lost() == [])
        // The key was never used: the content may come again.
        let again = try await bench.keyed("en")
        try await bench.settle()
        #expect(try await bench.claim()?.messages.map(\.id) == [again])
    }

    @Test func aContentOfWhichACancelIsOpenWaitsForItAndKeepsNobodyWaiting() async throws {
        for commits in [true, false] {
            let bench = try await Bench.make(settling: 0)
            let ids = [try await bench.keyed("en"), try await bench.keyed("fr")]
            let other = try await bench.keyed("en", key: "other")
            struct Back: Error {}
            do {
                try await bench.database.withTransaction { connection in
                    try await connection.execute("SELECT push.cancel(\(ids[1]))")
                    // In a session of its own: a wait would never end.
                    #expect(try await bench.claim()?.messages.map(\.id) == [other])
                    if !commits { throw Back() }
                }
            } catch is Back {}
            #expect(try await bench.claim()?.messages.map(\.id) == (commits ? [ids[0]] : ids))
            #expect(try await bench.lost() == [])
        }
    }

    @Test func aCancelThatMeetsAGatheringWaitsAndFindsTheClaim() async throws {
        let bench = try await Bench.make(settling: 0)
        let ids = [try await bench.keyed("en"), try await bench.keyed("fr")]
        let other = bench.test.another()
        let said = try await bench.database.withTransaction { connection in
            try await connection.execute(
                "SELECT FROM push.claim_v1(\(bench.hub), 1::smallint, '-infinity', 0, 10, \(bench.queue.worker))")
            let cancelling = Task { try await Messages(database: other).cancel(ids[1]) }
            try await bench.untilOneWaits()
            return cancelling
        }
        #expect(try await said.value == "cancelled")
        #expect(try await bench.test.texts("SELECT array_to_string(cancelled, ',') FROM push.claim") == ["\(ids[1])"])
        #expect(try await bench.lost() == [])
        await other.close()
    }
}
